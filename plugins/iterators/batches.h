/* SPDX-License-Identifier: MIT */
/* batches.h - how an iterator counts the batches of its epoch.
 *
 * Of TOTAL batches, shard s of n delivers numbers s, s + n, s + 2n, ...  So
 * that every shard delivers the same number, the last TOTAL % n batches are
 * dropped. */
#ifndef ITERATORS_BATCHES_H
#define ITERATORS_BATCHES_H

#include <string.h>

#include <nn/iterator.h>

typedef struct batches {
    nn_epoch epoch; /* the one that was started */
    int64_t count;  /* of this shard; 0 until an epoch is started */
    int64_t next;   /* the next one, from 0 */
} batches;

/* EPOCH with the members that it lacks as 0, and one shard at least. */
static inline nn_epoch batches_epoch(const nn_epoch *epoch)
{
    nn_epoch result = {0};
    uint32_t size = NN_SIZEOF(nn_epoch, n_shards);

    memcpy(&result, epoch, epoch->size < size ? epoch->size : size);
    result.size = size;
    if (result.n_shards == 0)
        result.n_shards = 1;
    return result;
}

/* Begins EPOCH with TOTAL batches over all shards.  WHO is the iterator's
 * name. */
static inline int32_t batches_start(batches *self, const nn_host *host,
                                    const char *who, int64_t total,
                                    const nn_epoch *epoch)
{
    nn_epoch copy = batches_epoch(epoch);

    if (copy.shard >= copy.n_shards)
        return nn_fail(host, NN_INVALID_ARGUMENT, "iterator.shard",
                       "%s: shard %u of %u does not exist", who, copy.shard,
                       copy.n_shards);
    if (total < copy.n_shards)
        return nn_fail(host, NN_INVALID_ARGUMENT, "iterator.shard",
                       "%s: an epoch has %lld batches, fewer than the %u "
                       "processes that share it",
                       who, (long long)total, copy.n_shards);
    self->epoch = copy;
    self->count = total / copy.n_shards;
    self->next = 0;
    return NN_OK;
}

/* Writes the number over all shards of the next batch and steps on.  Returns
 * 0, NN_END behind the last, or NN_STATE before the first epoch. */
static inline int32_t batches_take(batches *self, const nn_host *host,
                                   const char *who, int64_t *number)
{
    if (self->count == 0)
        return nn_fail(host, NN_STATE, "iterator.not-started",
                       "%s: a batch is wanted before an epoch began", who);
    if (self->next == self->count)
        return NN_END;
    *number = self->next * self->epoch.n_shards + self->epoch.shard;
    ++self->next;
    return NN_OK;
}

/* Makes batch BATCH of this shard the next one; the number of batches is the
 * end. */
static inline int32_t batches_seek(batches *self, const nn_host *host,
                                   const char *who, int64_t batch)
{
    if (batch < 0 || batch > self->count)
        return nn_fail(host, NN_INVALID_ARGUMENT, "iterator.seek",
                       "%s: batch %lld is wanted, the epoch has %lld", who,
                       (long long)batch, (long long)self->count);
    self->next = batch;
    return NN_OK;
}

/* Copies MINE to INFO up to the size that INFO has. */
static inline void batches_give_info(const nn_iterator_info *mine,
                                     nn_iterator_info *info)
{
    uint32_t size = info->size;
    uint32_t known = NN_SIZEOF(nn_iterator_info, reserved);

    memcpy(info, mine, size < known ? size : known);
    info->size = size;
}

/* Fills the numbers of a batch's samples, each of which is a sequence of its
 * own. */
static inline void batches_give_ids(nn_batch *batch, const int64_t *ids)
{
    if (batch->ids && batch->ids != ids)
        memcpy(batch->ids, ids, (size_t)batch->B * sizeof *ids);
    if (batch->begins)
        memset(batch->begins, 1, (size_t)batch->B);
}

#endif
