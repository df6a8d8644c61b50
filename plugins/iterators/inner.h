/* SPDX-License-Identifier: MIT */
/* inner.h - what iterators that hold another one share.
 *
 * An iterator that changes fields asks its inner one for them as real numbers,
 * in the network's type, and changes each batch in the caller's memory. */
#ifndef ITERATORS_INNER_H
#define ITERATORS_INNER_H

#include <stdio.h>
#include <string.h>

#include <nn/iterator.h>

#include "batches.h"

/* The inner iterator. */
typedef struct inner {
    const nn_host *host;
    const char *who; /* the outer one's name, for messages */
    const nn_iterators *drive;
    nn_child *child;
    nn_iterator_info info;
    int32_t can_gather;
    /* What an outer one that only changes values does to a batch that the
     * inner one has filled. */
    void (*change)(nn_iterator *self, const nn_batch *batch);
} inner;

/* The schema of the parameter `inner`. */
#define INNER_PARAM                                                            \
    {                                                                          \
        .size = NN_SIZEOF(nn_param, fields), .type = NN_PARAM_COMPONENT,       \
        .flags = NN_PARAM_REQUIRED, .kind = NN_KIND_ITERATOR, .name = "inner", \
        .doc = "Iterator that supplies the data",                              \
    }

/* Reads again what the inner iterator says of itself. */
static inline void inner_describe(inner *self)
{
    memset(&self->info, 0, sizeof self->info);
    self->info.size = NN_SIZEOF(nn_iterator_info, reserved);
    self->drive->describe(self->child, &self->info);
}

/* Makes the inner iterator CHILD with REQUEST. */
static inline int32_t inner_create(inner *self, const nn_host *host,
                                   const char *who, nn_child *child,
                                   const nn_iterator_request *request)
{
    int32_t code;

    self->host = host;
    self->who = who;
    self->child = child;
    self->drive = host->get_extension(host, NN_ITERATORS);
    if (!self->drive || !NN_HAS(self->drive, can_gather))
        return nn_fail(host, NN_UNSUPPORTED, "iterator.host",
                       "%s: this host does not drive inner iterators", who);
    code = self->drive->create(child, request);
    if (code)
        return code;
    inner_describe(self);
    /* One whose own inner iterator cannot gather says so by n_samples -1. */
    self->can_gather = self->drive->can_gather(child) &&
                       self->info.n_samples >= 0;
    return NN_OK;
}

/* An error unless chosen samples can be had, of which there is one at least. */
static inline int32_t inner_need_gather(const inner *self)
{
    if (!self->can_gather)
        return nn_fail(self->host, NN_UNSUPPORTED, "iterator.no-gather",
                       "%s: the inner iterator gives its data only in its own "
                       "order, but chosen samples are needed",
                       self->who);
    if (self->info.n_samples == 0)
        return nn_fail(self->host, NN_INVALID_ARGUMENT, "iterator.empty",
                       "%s: the inner iterator holds no samples", self->who);
    return NN_OK;
}

/* An error that says which fields there are, instead of NAME. */
static inline int32_t inner_unknown_field(const inner *self, const char *name)
{
    char list[512] = "";
    size_t used = 0;
    uint32_t i;

    for (i = 0; i < self->info.n_fields && used < sizeof list; ++i)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s'%s'",
                                 i ? ", " : "", self->info.fields[i]->name);
    return nn_fail(self->host, NN_NOT_FOUND, "iterator.unknown-field",
                   "%s: there is no field '%s'; the inner iterator has %s",
                   self->who, name, list);
}

/* Finds field NAME, which has to be of real type, and writes its index. */
static inline int32_t inner_find_real(const inner *self, const char *name,
                                      uint32_t *index)
{
    uint32_t i;

    for (i = 0; i < self->info.n_fields; ++i)
        if (strcmp(self->info.fields[i]->name, name) == 0)
            break;
    if (i == self->info.n_fields)
        return inner_unknown_field(self, name);
    if (self->info.fields[i]->dtype != NN_FLOAT32 &&
        self->info.fields[i]->dtype != NN_FLOAT64)
        return nn_fail(self->host, NN_INVALID_ARGUMENT, "iterator.not-real",
                       "%s: field '%s' is wanted as whole numbers, and only "
                       "real ones can be changed",
                       self->who, name);
    *index = i;
    return NN_OK;
}

/* Fills ALL and FIELDS (room for the fields of REQUEST and NAMES) with what
 * REQUEST wants, and each of the NAMES that it lacks as real. */
static inline nn_iterator_request inner_real_request(
    const nn_iterator_request *request, const nn_value *names,
    const nn_field **all, nn_field *fields)
{
    nn_iterator_request result = {NN_SIZEOF(nn_iterator_request, fields),
                                  request->real, request->n_fields, 0, all};
    uint32_t i;
    uint32_t j;

    for (j = 0; j < request->n_fields; ++j)
        all[j] = request->fields[j];
    for (i = 0; i < names->count; ++i) {
        for (j = 0; j < request->n_fields; ++j)
            if (strcmp(request->fields[j]->name, names->keys[i]) == 0)
                break;
        if (j < request->n_fields)
            continue;
        fields[i].size = NN_SIZEOF(nn_field, shape);
        fields[i].dtype = request->real;
        fields[i].name = names->keys[i];
        all[result.n_fields++] = &fields[i];
    }
    return result;
}

/* Makes the inner iterator so that the fields NAMES (a MAP) are real. */
static inline int32_t inner_create_real(inner *self, const nn_host *host,
                                        const char *who, nn_child *child,
                                        const nn_iterator_request *request,
                                        const nn_value *names)
{
    size_t count = (size_t)request->n_fields + names->count;
    const nn_field **all = NULL;
    nn_field *fields = NULL;
    nn_iterator_request wider;
    int32_t code = NN_NO_MEMORY;

    if (names->count == 0)
        return nn_fail(host, NN_INVALID_ARGUMENT, "iterator.no-fields",
                       "%s: no field is named that it should change", who);
    all = host->alloc(host, count * sizeof *all);
    fields = host->alloc(host, names->count * sizeof *fields);
    if (!all || !fields)
        goto out;
    wider = inner_real_request(request, names, all, fields);
    code = inner_create(self, host, who, child, &wider);
out:
    host->free(host, fields);
    host->free(host, all);
    return code;
}

/* Numbers of one sample at one time step of field INDEX. */
static inline int64_t inner_features(const inner *self, uint32_t index)
{
    const nn_field *field = self->info.fields[index];
    int64_t features = 1;
    uint32_t i;

    for (i = 0; i < field->ndim; ++i)
        features *= field->shape[i];
    return features;
}

/* ------------------------------------- iterators that only change values */

/* The inner iterator of SELF, whose struct begins with it. */
static inline inner *inner_of(nn_iterator *self)
{
    return (inner *)(void *)self;
}

static inline void inner_change_describe(nn_iterator *iterator,
                                         nn_iterator_info *info)
{
    inner *self = inner_of(iterator);
    nn_iterator_info mine;

    inner_describe(self);
    mine = self->info;
    if (!self->can_gather)
        mine.n_samples = -1;
    batches_give_info(&mine, info);
}

static inline int32_t inner_change_start(nn_iterator *iterator,
                                         const nn_epoch *epoch)
{
    inner *self = inner_of(iterator);

    return self->drive->start(self->child, epoch);
}

static inline int32_t inner_change_next(nn_iterator *iterator, nn_batch *batch)
{
    inner *self = inner_of(iterator);
    int32_t code = self->drive->next(self->child, batch);

    if (code == NN_OK)
        self->change(iterator, batch);
    return code;
}

static inline int32_t inner_change_seek(nn_iterator *iterator, int64_t batch)
{
    inner *self = inner_of(iterator);

    return self->drive->seek(self->child, batch);
}

static inline int32_t inner_change_gather(nn_iterator *iterator,
                                          const nn_epoch *epoch,
                                          const int64_t *ids, nn_batch *batch)
{
    inner *self = inner_of(iterator);
    int32_t code = inner_need_gather(self);

    if (!code)
        code = self->drive->gather(self->child, epoch, ids, batch);
    if (code == NN_OK)
        self->change(iterator, batch);
    return code;
}

/* The interface of such an iterator but for CREATE and DESTROY. */
#define INNER_CHANGE_INTERFACE(create_function, destroy_function)              \
    {                                                                          \
        .size = NN_SIZEOF(nn_iterator_interface, gather),                      \
        .create = create_function, .destroy = destroy_function,                \
        .describe = inner_change_describe, .start = inner_change_start,        \
        .next = inner_change_next, .seek = inner_change_seek,                  \
        .gather = inner_change_gather,                                         \
    }

#endif
