/* SPDX-License-Identifier: MIT */
/* iterator.h - a good source of 7 samples, to be spoiled.
 *
 * Sample i has x = (10 i, 10 i + 1, 10 i + 2) and labels = (i mod 3).  Batches
 * have `size` samples; the order is i -> (a i + b) mod 7, a and b drawn from
 * seed and epoch. */
#ifndef ZOO_ITERATOR_H
#define ZOO_ITERATOR_H

#include <string.h>

#include <nn/describe.h>
#include <nn/iterator.h>
#include <nn/random.h>

#define SAMPLES 7

struct nn_iterator {
    const nn_host *host;
    nn_field fields[2];
    const nn_field *list[2];
    int64_t size;  /* of a batch */
    int64_t total; /* batches of all shards */
    int64_t count; /* of this one; 0 before an epoch */
    int64_t at;    /* the next of them */
    nn_epoch epoch;
    void *more; /* for who needs more */
};

static inline int64_t features(uint32_t field)
{
    return field ? 1 : 3;
}

static inline double value(uint32_t field, int64_t id, int64_t j)
{
    return field ? (double)(id % 3) : (double)(10 * id + j);
}

static inline void store(uint32_t dtype, void *data, int64_t at, double number)
{
    if (dtype == NN_FLOAT32)
        ((float *)data)[at] = (float)number;
    else if (dtype == NN_FLOAT64)
        ((double *)data)[at] = number;
    else if (dtype == NN_INT32)
        ((int32_t *)data)[at] = (int32_t)number;
    else
        ((uint8_t *)data)[at] = (uint8_t)number;
}

/* Sample number PLACE of the epoch. */
static inline int64_t sample(const nn_iterator *self, int64_t place)
{
    nn_random random = {self->epoch.seed, 0, self->epoch.epoch, 0};
    int64_t a = 1 + (int64_t)nn_random_below(&random, 0, SAMPLES - 1);

    return (a * place + (int64_t)nn_random_below(&random, 1, SAMPLES)) %
           SAMPLES;
}

static inline void fill(const nn_iterator *self, const int64_t *ids,
                        nn_batch *batch)
{
    for (int64_t b = 0; b < batch->B; ++b) {
        for (uint32_t k = 0; k < 2; ++k)
            for (int64_t j = 0; j < features(k); ++j)
                store(self->fields[k].dtype, batch->data[k],
                      b * features(k) + j, value(k, ids[b], j));
        batch->ids[b] = ids[b];
        batch->begins[b] = 1;
    }
    batch->T = 1;
}

static inline int32_t good_create(const nn_host *host, const nn_params *params,
                                  const nn_iterator_request *request,
                                  nn_iterator **iterator)
{
    static const char *const names[] = {"x", "labels"};
    nn_iterator *self = host->alloc(host, sizeof *self);

    *iterator = self;
    if (!self)
        return NN_NO_MEMORY;
    self->host = host;
    self->size = nn_param_int(params, 0);
    self->total = (SAMPLES + self->size - 1) / self->size;
    for (uint32_t k = 0; k < 2; ++k) {
        nn_field *field = &self->fields[k];

        field->size = NN_SIZEOF(nn_field, shape);
        field->name = names[k];
        field->dtype = k ? NN_INT32 : request->real;
        field->ndim = 1;
        field->shape[0] = features(k);
        self->list[k] = field;
        for (uint32_t i = 0; i < request->n_fields; ++i)
            if (strcmp(request->fields[i]->name, names[k]) == 0)
                field->dtype = request->fields[i]->dtype;
    }
    return NN_OK;
}

static inline void good_destroy(nn_iterator *self)
{
    if (self)
        self->host->free(self->host, self);
}

static inline nn_iterator_info info_of(const nn_iterator *self)
{
    nn_iterator_info mine = {NN_SIZEOF(nn_iterator_info, reserved), 2};

    mine.fields = self->list;
    mine.n_samples = SAMPLES;
    mine.n_batches = self->count ? self->count : self->total;
    mine.max_T = 1;
    mine.max_B = self->size < SAMPLES ? self->size : SAMPLES;
    mine.can_seek = 1;
    return mine;
}

static inline void good_describe(nn_iterator *self, nn_iterator_info *info)
{
    nn_iterator_info mine = info_of(self);
    uint32_t size = info->size;

    memcpy(info, &mine, size < mine.size ? size : mine.size);
    info->size = size;
}

static inline int32_t good_start(nn_iterator *self, const nn_epoch *epoch)
{
    if (epoch->shard >= epoch->n_shards || self->total < epoch->n_shards)
        return nn_fail(self->host, NN_INVALID_ARGUMENT, "zoo.shard",
                       "shard %u of %u", epoch->shard, epoch->n_shards);
    self->epoch = *epoch;
    self->count = self->total / epoch->n_shards;
    self->at = 0;
    return NN_OK;
}

/* Batch number NUMBER of all shards. */
static inline void give(nn_iterator *self, int64_t number, nn_batch *batch)
{
    int64_t first = number * self->size;
    int64_t ids[SAMPLES];

    batch->B = SAMPLES - first < self->size ? SAMPLES - first : self->size;
    for (int64_t b = 0; b < batch->B; ++b)
        ids[b] = sample(self, first + b);
    fill(self, ids, batch);
}

static inline int32_t good_next(nn_iterator *self, nn_batch *batch)
{
    if (!self->count)
        return nn_fail(self->host, NN_STATE, "zoo.start", "no epoch began");
    if (self->at >= self->count)
        return NN_END;
    give(self, self->at++ * self->epoch.n_shards + self->epoch.shard, batch);
    return NN_OK;
}

static inline int32_t good_seek(nn_iterator *self, int64_t batch)
{
    if (batch < 0 || batch > self->count)
        return nn_fail(self->host, NN_INVALID_ARGUMENT, "zoo.seek",
                       "there is no batch %lld", (long long)batch);
    self->at = batch;
    return NN_OK;
}

static inline int32_t good_gather(nn_iterator *self, const nn_epoch *epoch,
                                  const int64_t *ids, nn_batch *batch)
{
    (void)epoch;
    for (int64_t b = 0; b < batch->B; ++b)
        if (ids[b] < 0 || ids[b] >= SAMPLES)
            return nn_fail(self->host, NN_INVALID_ARGUMENT, "zoo.sample",
                           "there is no sample %lld", (long long)ids[b]);
    fill(self, ids, batch);
    return NN_OK;
}

/* The entry; what follows NAME replaces functions: `.next = next`. */
#define ZOO_ITERATOR(NAME, ...)                                                \
    static const nn_param size_param =                                         \
        NN_INT_PARAM("size", NN_PARAM_MAIN | NN_PARAM_RANGED, "2", 1,          \
                     INFINITY, "samples of a batch");                          \
    static const nn_param *const params[] = {&size_param};                     \
    static const nn_iterator_interface interface = {                           \
        .size = NN_SIZEOF(nn_iterator_interface, gather),                      \
        .create = good_create,                                                 \
        .destroy = good_destroy,                                               \
        .describe = good_describe,                                             \
        .start = good_start,                                                   \
        .next = good_next,                                                     \
        .seek = good_seek,                                                     \
        .gather = good_gather,                                                 \
        __VA_ARGS__};                                                          \
    ZOO_ENTRY(NAME, NN_KIND_ITERATOR, params, 1)

#include "entry.h"

#endif
