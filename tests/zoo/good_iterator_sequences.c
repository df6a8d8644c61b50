/* SPDX-License-Identifier: MIT */
/* expect: none
 * Sequences of 6 frames in windows of 4: a batch has 2 of them, and a second
 * one goes on with the rest.  It has no gather, cannot seek and does not say
 * how many batches there are. */
#include <string.h>

#include <nn/describe.h>
#include <nn/iterator.h>

#define SEQUENCES 4
#define WINDOW 4

struct nn_iterator {
    const nn_host *host;
    nn_field field;
    const nn_field *list[1];
    int64_t at; /* batch of all; two for each pair of sequences */
    nn_epoch epoch;
};

static int32_t create(const nn_host *host, const nn_params *given,
                      const nn_iterator_request *request,
                      nn_iterator **iterator)
{
    nn_iterator *self = host->alloc(host, sizeof *self);

    (void)given;
    *iterator = NULL;
    if (!self)
        return NN_NO_MEMORY;
    self->host = host;
    self->field.size = NN_SIZEOF(nn_field, shape);
    self->field.name = "x";
    self->field.dtype = request->real;
    self->field.ndim = 1;
    self->field.shape[0] = 2;
    self->list[0] = &self->field;
    self->at = -1;
    for (uint32_t i = 0; i < request->n_fields; ++i)
        if (strcmp(request->fields[i]->name, "x") == 0 &&
            request->fields[i]->dtype != request->real) {
            host->free(host, self);
            return nn_fail(host, NN_UNSUPPORTED, "zoo.type",
                           "field 'x' is real");
        }
    *iterator = self;
    return NN_OK;
}

static void destroy(nn_iterator *self)
{
    if (self)
        self->host->free(self->host, self);
}

static void describe(nn_iterator *self, nn_iterator_info *info)
{
    nn_iterator_info mine = {NN_SIZEOF(nn_iterator_info, reserved),
                             1,
                             self->list,
                             SEQUENCES,
                             -1,
                             WINDOW,
                             2,
                             0,
                             0};
    uint32_t size = info->size;

    memcpy(info, &mine, size < mine.size ? size : mine.size);
    info->size = size;
}

static int32_t start(nn_iterator *self, const nn_epoch *epoch)
{
    if (epoch->shard >= epoch->n_shards || epoch->n_shards > SEQUENCES)
        return nn_fail(self->host, NN_INVALID_ARGUMENT, "zoo.shard",
                       "shard %u of %u", epoch->shard, epoch->n_shards);
    self->epoch = *epoch;
    self->at = 0;
    return NN_OK;
}

static void give(nn_iterator *self, int64_t number, nn_batch *batch)
{
    int64_t window = number % 2;

    batch->B = 2;
    batch->T = window ? 2 : WINDOW;
    for (int64_t b = 0; b < 2; ++b) {
        batch->ids[b] = number / 2 * 2 + b;
        batch->begins[b] = !window;
    }
    for (int64_t i = 0; i < batch->T * 4; ++i) {
        double value = (double)(number * 100 + i);

        if (self->field.dtype == NN_FLOAT32)
            ((float *)batch->data[0])[i] = (float)value;
        else
            ((double *)batch->data[0])[i] = value;
    }
}

static int32_t next(nn_iterator *self, nn_batch *batch)
{
    int64_t n = (int64_t)self->epoch.n_shards;

    if (self->at < 0)
        return nn_fail(self->host, NN_STATE, "zoo.start", "no epoch began");
    if (self->at >= SEQUENCES / n)
        return NN_END;
    give(self, self->at++ * n + self->epoch.shard, batch);
    return NN_OK;
}

static int32_t seek(nn_iterator *self, int64_t batch)
{
    (void)batch;
    return nn_fail(self->host, NN_UNSUPPORTED, "zoo.seek", "it cannot seek");
}

static const nn_iterator_interface interface = {
    .size = NN_SIZEOF(nn_iterator_interface, gather),
    .create = create,
    .destroy = destroy,
    .describe = describe,
    .start = start,
    .next = next,
    .seek = seek,
};

#include "entry.h"

ZOO_ENTRY(good_iterator_sequences, NN_KIND_ITERATOR, NULL, 0);
