/* SPDX-License-Identifier: MIT */
/* iterator_wrapper.h - a good iterator that hands on what its inner one
 * delivers, to be spoiled. */
#ifndef ZOO_ITERATOR_WRAPPER_H
#define ZOO_ITERATOR_WRAPPER_H

#include <string.h>

#include <nn/describe.h>
#include <nn/iterator.h>

struct nn_iterator {
    const nn_host *host;
    const nn_iterators *drive;
    nn_child *child;
    nn_iterator_info info; /* of the inner one, as it was made */
};

static inline int32_t good_create(const nn_host *host, const nn_params *params,
                                  const nn_iterator_request *request,
                                  nn_iterator **iterator)
{
    nn_iterator *self = host->alloc(host, sizeof *self);
    int32_t code = NN_NO_MEMORY;

    if (self) {
        self->host = host;
        self->drive = host->get_extension(host, NN_ITERATORS);
        self->child = nn_param_child(params, 0);
        code = self->drive->create(self->child, request);
    }
    if (code) {
        host->free(host, self);
        self = NULL;
    } else {
        self->info.size = NN_SIZEOF(nn_iterator_info, reserved);
        self->drive->describe(self->child, &self->info);
    }
    *iterator = self;
    return code;
}

static inline void good_destroy(nn_iterator *self)
{
    if (self)
        self->host->free(self->host, self);
}

static inline void good_describe(nn_iterator *self, nn_iterator_info *info)
{
    self->drive->describe(self->child, info);
}

static inline int32_t good_start(nn_iterator *self, const nn_epoch *epoch)
{
    return self->drive->start(self->child, epoch);
}

static inline int32_t good_next(nn_iterator *self, nn_batch *batch)
{
    return self->drive->next(self->child, batch);
}

static inline int32_t good_seek(nn_iterator *self, int64_t batch)
{
    return self->drive->seek(self->child, batch);
}

/* The entry; what follows NAME replaces functions: `.next = next`. */
#define ZOO_ITERATOR_WRAPPER(NAME, ...)                                        \
    static const nn_param inner_param =                                        \
        NN_COMPONENT_PARAM("inner", NN_PARAM_REQUIRED | NN_PARAM_MAIN,         \
                           NN_KIND_ITERATOR, "what supplies the data");        \
    static const nn_param *const params[] = {&inner_param};                    \
    static const nn_iterator_interface interface = {                           \
        .size = NN_SIZEOF(nn_iterator_interface, gather),                      \
        .create = good_create,                                                 \
        .destroy = good_destroy,                                               \
        .describe = good_describe,                                             \
        .start = good_start,                                                   \
        .next = good_next,                                                     \
        .seek = good_seek,                                                     \
        __VA_ARGS__};                                                          \
    ZOO_ENTRY(NAME, NN_KIND_ITERATOR, params, 1)

#include "entry.h"

#endif
