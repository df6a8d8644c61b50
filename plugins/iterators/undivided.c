/* SPDX-License-Identifier: MIT */
/* undivided.c - a whole data set as one batch.
 *
 * The N samples of the inner iterator, in its order, are the one batch of every
 * epoch. */
#include <nn/iterator.h>

#include "batches.h"
#include "inner.h"

enum { PARAM_INNER };

struct nn_iterator {
    inner inner;
    int64_t *ids; /* 0 to N - 1 */
    batches batches;
};

static void destroy(nn_iterator *self)
{
    if (self) {
        self->inner.host->free(self->inner.host, self->ids);
        self->inner.host->free(self->inner.host, self);
    }
}

static int32_t create(const nn_host *host, const nn_params *params,
                      const nn_iterator_request *request,
                      nn_iterator **iterator)
{
    nn_iterator *self = host->alloc(host, sizeof *self);
    int64_t count;
    int64_t i;
    int32_t code = NN_NO_MEMORY;

    *iterator = NULL;
    if (!self)
        return code;
    self->inner.host = host;
    code = inner_create(&self->inner, host, "undivided",
                        nn_param_child(params, PARAM_INNER), request);
    if (!code)
        code = inner_need_gather(&self->inner);
    if (code)
        goto out;
    count = self->inner.info.n_samples;
    self->ids = host->alloc(host, (size_t)count * sizeof *self->ids);
    code = self->ids ? NN_OK : NN_NO_MEMORY;
    for (i = 0; i < count && !code; ++i)
        self->ids[i] = i;
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

    mine.n_batches = 1;
    mine.max_B = mine.n_samples;
    mine.can_seek = 1;
    batches_give_info(&mine, info);
}

static int32_t start(nn_iterator *self, const nn_epoch *epoch)
{
    return batches_start(&self->batches, self->inner.host, "undivided", 1,
                         epoch);
}

static int32_t next(nn_iterator *self, nn_batch *batch)
{
    int64_t number = 0;
    int32_t code = batches_take(&self->batches, self->inner.host, "undivided",
                                &number);

    if (code)
        return code;
    batch->T = self->inner.info.max_T;
    batch->B = self->inner.info.n_samples;
    code = self->inner.drive->gather(self->inner.child, &self->batches.epoch,
                                     self->ids, batch);
    batches_give_ids(batch, self->ids);
    return code;
}

static int32_t seek(nn_iterator *self, int64_t batch)
{
    return batches_seek(&self->batches, self->inner.host, "undivided", batch);
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

static const nn_param inner_param = INNER_PARAM;

static const nn_param *const params[] = {&inner_param};

static const nn_component component = {
    .size = NN_SIZEOF(nn_component, outputs),
    .kind = NN_KIND_ITERATOR,
    .n_params = sizeof params / sizeof *params,
    .name = "undivided",
    .summary = "The whole of the inner iterator's samples as one batch",
    .doc = "    undivided: {inner: {csv: {file: FILE, columns: {x: [0:4]}}}}\n"
           "\n"
           "Every epoch is one batch of all samples, in the inner iterator's "
           "order. The inner iterator has to give samples by number, as those "
           "that read files do. Several processes cannot share an epoch of "
           "one batch.",
    .params = params,
    .interface = &interface,
};

static const nn_component *const components[] = {&component};

NN_PLUGIN_ENTRY(iterator_undivided) = {
    NN_PLUGIN_HEAD,
    .id = "org.nervenet.iterator.undivided",
    .name = "undivided",
    .version = "0.1.0",
    .license = "MIT",
    .author = "Nervenet contributors",
    .summary = "The whole of the inner iterator's samples as one batch",
    .n_components = 1,
    .components = components,
};
