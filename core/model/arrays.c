/* SPDX-License-Identifier: MIT */
/* arrays.c - an iterator over memory of the caller.
 *
 * It is an iterator like a plugin's, and obeys the same rules: the order of an
 * epoch is a function of (seed, epoch), a batch can be sought. */
#include <stdlib.h>
#include <string.h>

#include <nn/random.h>

#include "core/model/data.h"
#include "core/util/error.h"

struct nn_iterator {
    nn_host_array *arrays; /* descriptions are copied, data are the caller's */
    nn_field *fields;
    const nn_field **pointers;
    int64_t *order; /* of this epoch */
    int64_t samples;
    int64_t size; /* of a batch, at most `samples` */
    int64_t at;   /* batches given */
    uint32_t n;
    int32_t shuffle;
};

static void destroy(nn_iterator *it)
{
    if (!it)
        return;
    free(it->arrays);
    free(it->fields);
    free(it->pointers);
    free(it->order);
    free(it);
}

static int64_t count_batches(const nn_iterator *it)
{
    return it->samples / it->size + (it->samples % it->size != 0);
}

static void describe(nn_iterator *it, nn_iterator_info *info)
{
    info->n_fields = it->n;
    info->fields = it->pointers;
    info->n_samples = it->samples;
    info->n_batches = count_batches(it);
    info->max_T = it->arrays[0].shape[0];
    info->max_B = it->size;
    info->can_seek = 1;
}

static int32_t start(nn_iterator *it, const nn_epoch *epoch)
{
    nn_random random = {epoch->seed, nn_hash_name("nn_iterator_from_arrays"),
                        epoch->epoch, 0};
    int64_t i;

    it->at = 0;
    for (i = 0; i < it->samples; ++i)
        it->order[i] = i;
    for (i = it->samples - 1; it->shuffle && i > 0; --i) {
        int64_t other = (int64_t)nn_random_below(&random, (uint64_t)i,
                                                 (uint64_t)i + 1);
        int64_t swap = it->order[i];

        it->order[i] = it->order[other];
        it->order[other] = swap;
    }
    return NN_OK;
}

/* Copies the samples of BATCH from one (T, B, features...) array. */
static void copy_field(const nn_iterator *it, uint32_t index, nn_batch *batch)
{
    const nn_host_array *array = &it->arrays[index];
    size_t row = (size_t)nn_dtype_bytes(array->dtype);
    char *to = batch->data[index];
    const char *from = array->data;
    int64_t t;
    int64_t b;
    uint32_t i;

    for (i = 2; i < array->ndim; ++i)
        row *= (size_t)array->shape[i];
    for (t = 0; t < array->shape[0]; ++t)
        for (b = 0; b < batch->B; ++b) {
            int64_t sample = t * array->shape[1] + batch->ids[b];

            memcpy(to + (size_t)(t * batch->B + b) * row,
                   from + (size_t)sample * row, row);
        }
}

static int32_t next(nn_iterator *it, nn_batch *batch)
{
    int64_t first = it->at * it->size;
    int64_t left = it->samples - first;
    int64_t b;
    uint32_t i;

    if (left <= 0)
        return NN_END;
    batch->T = it->arrays[0].shape[0];
    batch->B = left < it->size ? left : it->size;
    for (b = 0; b < batch->B; ++b)
        batch->ids[b] = it->order[first + b];
    for (i = 0; i < it->n; ++i)
        copy_field(it, i, batch);
    ++it->at;
    return NN_OK;
}

static int32_t seek(nn_iterator *it, int64_t batch)
{
    if (batch < 0 || batch > count_batches(it))
        return nn_error_set(NN_INVALID_ARGUMENT, "arrays.seek",
                            "there is no batch %lld among %lld",
                            (long long)batch, (long long)count_batches(it));
    it->at = batch;
    return NN_OK;
}

/* 1 if ARRAY has a name, memory, and axes with something on each. */
static int is_whole(const nn_host_array *array)
{
    uint32_t i;

    if (!array->name || !array->data || array->ndim < 3 ||
        array->ndim > NN_MAX_DIMS || !nn_dtype_bytes(array->dtype))
        return 0;
    for (i = 0; i < array->ndim; ++i)
        if (array->shape[i] < 1)
            return 0;
    return 1;
}

static int32_t check_array(const nn_host_array *array,
                           const nn_host_array *first)
{
    const char *name = array->name ? array->name : "(no name)";

    if (!is_whole(array))
        return nn_error_set(NN_INVALID_ARGUMENT, "arrays.field",
                            "array '%s' needs a name, data, a type, and the "
                            "axes (T, B, features...), none of them empty",
                            name);
    if (array->shape[0] == first->shape[0] &&
        array->shape[1] == first->shape[1])
        return NN_OK;
    return nn_error_set(NN_SHAPE, "arrays.count",
                        "array '%s' has %lld time steps and %lld samples, "
                        "'%s' has %lld and %lld",
                        name, (long long)array->shape[0],
                        (long long)array->shape[1], first->name,
                        (long long)first->shape[0], (long long)first->shape[1]);
}

static int32_t make(const nn_host_array *arrays, uint32_t n, int64_t size,
                    nn_iterator *it)
{
    uint32_t i;

    it->n = n;
    it->samples = arrays[0].shape[1];
    it->size = size < it->samples ? size : it->samples;
    it->arrays = calloc(n, sizeof *it->arrays);
    it->fields = calloc(n, sizeof *it->fields);
    it->pointers = calloc(n, sizeof *it->pointers);
    it->order = calloc((size_t)it->samples, sizeof *it->order);
    if (!it->arrays || !it->fields || !it->pointers || !it->order)
        return nn_error_no_memory("an iterator", (uint64_t)it->samples * 8);
    for (i = 0; i < n; ++i) {
        it->arrays[i] = arrays[i];
        it->fields[i].size = NN_SIZEOF(nn_field, shape);
        it->fields[i].dtype = arrays[i].dtype;
        it->fields[i].ndim = arrays[i].ndim - 2;
        it->fields[i].name = arrays[i].name;
        memcpy(it->fields[i].shape, arrays[i].shape + 2,
               it->fields[i].ndim * sizeof(int64_t));
        it->pointers[i] = &it->fields[i];
    }
    return NN_OK;
}

int32_t nn_iterator_from_arrays(const nn_host_array *arrays, uint32_t n,
                                int64_t size, int32_t shuffle, nn_data **out)
{
    nn_data *data;
    int32_t code = NN_OK;
    uint32_t i;

    nn_error_clear();
    *out = NULL;
    if (n == 0 || size < 1)
        return nn_error_set(NN_INVALID_ARGUMENT, "arrays.none",
                            "an iterator needs arrays and a batch size of at "
                            "least 1");
    for (i = 0; i < n && !code; ++i)
        code = check_array(&arrays[i], &arrays[0]);
    data = code ? NULL : calloc(1, sizeof *data);
    if (!data)
        return code ? code : nn_error_no_memory("data", sizeof *data);
    data->interface.describe = describe;
    data->interface.destroy = destroy;
    data->interface.start = start;
    data->interface.next = next;
    data->interface.seek = seek;
    data->iterator = calloc(1, sizeof *data->iterator);
    code = data->iterator ? make(arrays, n, size, data->iterator)
                          : nn_error_no_memory("an iterator", 1);
    if (!code) {
        data->iterator->shuffle = shuffle;
        data->info.size = NN_SIZEOF(nn_iterator_info, reserved);
        describe(data->iterator, &data->info);
        code = nn_data_make_buffers(data);
    }
    if (code) {
        nn_data_destroy(data);
        return code;
    }
    *out = data;
    return NN_OK;
}
