/* SPDX-License-Identifier: MIT */
/* minibatches.c - cuts a data set into batches, shuffled or in order.
 *
 * N samples of the inner iterator, or the first `limit` of them, make batches
 * of `size`; the last one is shorter, or dropped.  With shuffle the samples of
 * epoch e are p[0], p[1], ..., where p is a permutation of all N that depends
 * on the seed and e alone (Fisher, Yates, "Statistical Tables", 1938, as
 * Durstenfeld's Algorithm 235, 1964):
 *
 *     p = 0, 1, ..., N - 1;  for i = 0, 1, ...: swap p[i], p[i + r_i]
 *
 * with r_i uniform in [0, N - i).  So an epoch with a limit sees other samples
 * than the one before, and any batch can be had without those before it. */
#include <nn/iterator.h>
#include <nn/random.h>

#include "batches.h"
#include "inner.h"

enum { PARAM_SIZE, PARAM_SHUFFLE, PARAM_LAST, PARAM_LIMIT, PARAM_INNER };

struct nn_iterator {
    inner inner;
    int64_t size;      /* samples of a batch */
    int64_t n_samples; /* of an epoch */
    int64_t n_batches; /* of an epoch, over all shards */
    int shuffle;
    int64_t *ids; /* shuffle: the permutation; else room for one batch */
    batches batches;
};

static void destroy(nn_iterator *self)
{
    if (self) {
        self->inner.host->free(self->inner.host, self->ids);
        self->inner.host->free(self->inner.host, self);
    }
}

/* Settles how many samples and batches an epoch has. */
static int32_t settle_counts(nn_iterator *self, const nn_params *params)
{
    const nn_value *limit = nn_param_value(params, PARAM_LIMIT);
    int drop = nn_param_int(params, PARAM_LAST) == 1;
    int64_t samples = self->inner.info.n_samples;

    if (limit->type != 0 && limit->integer < samples)
        samples = limit->integer;
    if (drop && samples < self->size)
        return nn_fail(self->inner.host, NN_INVALID_ARGUMENT,
                       "minibatches.empty",
                       "minibatches: `last: drop` leaves nothing of %lld "
                       "samples in batches of %lld",
                       (long long)samples, (long long)self->size);
    if (drop)
        samples -= samples % self->size;
    self->n_samples = samples;
    self->n_batches = samples / self->size + (samples % self->size != 0);
    if (samples < self->size)
        self->size = samples;
    return NN_OK;
}

static int32_t create(const nn_host *host, const nn_params *params,
                      const nn_iterator_request *request,
                      nn_iterator **iterator)
{
    nn_iterator *self = host->alloc(host, sizeof *self);
    int64_t room;
    int32_t code = NN_NO_MEMORY;

    *iterator = NULL;
    if (!self)
        return code;
    self->inner.host = host;
    self->size = nn_param_int(params, PARAM_SIZE);
    self->shuffle = nn_param_int(params, PARAM_SHUFFLE) != 0;
    code = inner_create(&self->inner, host, "minibatches",
                        nn_param_child(params, PARAM_INNER), request);
    if (!code)
        code = inner_need_gather(&self->inner);
    if (!code)
        code = settle_counts(self, params);
    if (code)
        goto out;
    room = self->shuffle ? self->inner.info.n_samples : self->size;
    self->ids = host->alloc(host, (size_t)room * sizeof *self->ids);
    code = self->ids ? NN_OK : NN_NO_MEMORY;
out:
    if (code)
        destroy(self);
    else
        *iterator = self;
    return code;
}

static void describe(nn_iterator *self, nn_iterator_info *info)
{
    nn_iterator_info mine = self->inner.info;

    mine.n_samples = self->n_samples;
    mine.n_batches = self->batches.count ? self->batches.count
                                         : self->n_batches;
    mine.max_B = self->size;
    mine.can_seek = 1;
    batches_give_info(&mine, info);
}

/* Draws the permutation of the epoch, as far as the epoch reads it. */
static void shuffle(nn_iterator *self)
{
    nn_random random = {self->batches.epoch.seed, nn_hash_name("minibatches"),
                        self->batches.epoch.epoch, 0};
    int64_t count = self->inner.info.n_samples;
    int64_t i;

    for (i = 0; i < count; ++i)
        self->ids[i] = i;
    for (i = 0; i < self->n_samples; ++i) {
        int64_t other = i + (int64_t)nn_random_below(&random, (uint64_t)i,
                                                     (uint64_t)(count - i));
        int64_t id = self->ids[other];

        self->ids[other] = self->ids[i];
        self->ids[i] = id;
    }
}

static int32_t start(nn_iterator *self, const nn_epoch *epoch)
{
    int32_t code = batches_start(&self->batches, self->inner.host,
                                 "minibatches", self->n_batches, epoch);

    if (!code && self->shuffle)
        shuffle(self);
    return code;
}

static int32_t next(nn_iterator *self, nn_batch *batch)
{
    int64_t number = 0;
    int64_t first;
    int64_t *ids = self->ids;
    int64_t i;
    int32_t code = batches_take(&self->batches, self->inner.host, "minibatches",
                                &number);

    if (code)
        return code;
    first = number * self->size;
    batch->T = self->inner.info.max_T;
    batch->B = self->n_samples - first < self->size ? self->n_samples - first
                                                    : self->size;
    if (self->shuffle)
        ids += first;
    else
        for (i = 0; i < batch->B; ++i)
            ids[i] = first + i;
    code = self->inner.drive->gather(self->inner.child, &self->batches.epoch,
                                     ids, batch);
    batches_give_ids(batch, ids);
    return code;
}

static int32_t seek(nn_iterator *self, int64_t batch)
{
    return batches_seek(&self->batches, self->inner.host, "minibatches", batch);
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

static const nn_param size_param = {
    .size = NN_SIZEOF(nn_param, fields),
    .type = NN_PARAM_INT,
    .flags = NN_PARAM_REQUIRED | NN_PARAM_MAIN | NN_PARAM_RANGED,
    .name = "size",
    .doc = "Samples of a batch",
    .minimum = 1,
    .maximum = INFINITY,
};

static const nn_param shuffle_param = {
    .size = NN_SIZEOF(nn_param, fields),
    .type = NN_PARAM_BOOL,
    .name = "shuffle",
    .doc = "A new order of the samples in each epoch; wanted for training, "
           "not for validation and test data",
    .default_text = "false",
};

static const char *const last_choices[] = {"keep", "drop", NULL};

static const nn_param last_param = {
    .size = NN_SIZEOF(nn_param, fields),
    .type = NN_PARAM_CHOICE,
    .name = "last",
    .doc = "Whether a last batch of fewer samples is kept or dropped",
    .default_text = "keep",
    .choices = last_choices,
};

static const nn_param limit_param = {
    .size = NN_SIZEOF(nn_param, fields),
    .type = NN_PARAM_INT,
    .flags = NN_PARAM_NULLABLE | NN_PARAM_RANGED,
    .name = "limit",
    .doc = "Samples of an epoch at most: the first ones of its order",
    .default_text = "none",
    .minimum = 1,
    .maximum = INFINITY,
};

static const nn_param inner_param = INNER_PARAM;

static const nn_param *const params[] = {
    &size_param, &shuffle_param, &last_param, &limit_param, &inner_param,
};

static const nn_component component = {
    .size = NN_SIZEOF(nn_component, outputs),
    .kind = NN_KIND_ITERATOR,
    .n_params = sizeof params / sizeof *params,
    .name = "minibatches",
    .summary = "Cuts the inner iterator's samples into batches",
    .doc =
        "    minibatches: {size: 128, shuffle: true, last: drop,\n"
        "                  inner: {idx: {images: FILE, labels: FILE}}}\n"
        "\n"
        "Of N samples, or the first `limit`, an epoch has N / size batches, "
        "rounded up with `last: keep` and down with `last: drop`. With "
        "`shuffle: true` the order of samples is a permutation of all N, drawn "
        "from the seed of the run and the number of the epoch alone, so it is "
        "the same when a run is resumed; without, it is that of the inner "
        "iterator. The inner iterator has to give samples by number, as "
        "those that read files do.\n"
        "\n"
        "Among several processes the batches are dealt in turn; so that all "
        "get the same number, up to (processes - 1) batches at the end of an "
        "epoch are dropped.",
    .params = params,
    .interface = &interface,
};

static const nn_component *const components[] = {&component};

NN_PLUGIN_ENTRY(iterator_minibatches) = {
    NN_PLUGIN_HEAD,
    .id = "org.nervenet.iterator.minibatches",
    .name = "minibatches",
    .version = "0.1.0",
    .license = "MIT",
    .author = "Nervenet contributors",
    .summary = "Cuts the inner iterator's samples into batches",
    .n_components = 1,
    .components = components,
};
