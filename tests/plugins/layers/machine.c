/* SPDX-License-Identifier: MIT */
/* machine.c - the handler, host and memory of alone.h.
 *
 * The handler has memory and no operations: all of them run in the reference,
 * on memory that `map` hands out. */
#include "tests/plugins/layers/alone.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "core/util/error.h"

/* ---------------------------------------------------------------- handler */

struct nn_memory {
    char *bytes;
    int64_t size;
};

static void *map(nn_handler *handler, nn_memory *memory, int64_t offset,
                 int64_t bytes, uint32_t access)
{
    (void)handler;
    (void)access;
    if (offset < 0 || bytes > memory->size - offset)
        fail_msg("bytes %lld to %lld of a block of %lld", (long long)offset,
                 (long long)(offset + bytes), (long long)memory->size);
    return memory->bytes + offset;
}

static void unmap(nn_handler *handler, nn_memory *memory, void *pointer,
                  uint32_t access)
{
    (void)handler;
    (void)memory;
    (void)pointer;
    (void)access;
}

static int32_t no_error(nn_handler *handler, const char **id, const char **text)
{
    (void)handler;
    if (id)
        *id = "";
    if (text)
        *text = "";
    return 0;
}

static void clear_error(nn_handler *handler)
{
    (void)handler;
}

const nn_handler_interface alone_handler = {
    .size = NN_SIZEOF(nn_handler_interface, get_interface),
    .map = map,
    .unmap = unmap,
    .error = no_error,
    .clear_error = clear_error,
};

/* ------------------------------------------------------------------- host */

static void *host_alloc(const nn_host *host, size_t bytes)
{
    (void)host;
    return calloc(1, bytes);
}

static void host_free(const nn_host *host, void *memory)
{
    (void)host;
    free(memory);
}

static int32_t host_set_error(const nn_host *host, int32_t code, const char *id,
                              const char *text)
{
    (void)host;
    return nn_error_set(code, id, "%s", text);
}

const nn_host alone_host = {
    .size = NN_SIZEOF(nn_host, threads),
    .alloc = host_alloc,
    .free = host_free,
    .set_error = host_set_error,
};

const char *alone_message(void)
{
    return nn_error_text();
}

/* --------------------------------------------------------------- elements */

static char *place(const nn_array *array, int64_t i)
{
    int64_t columns = nn_columns(array);
    int64_t at = i / columns * array->pitch + i % columns;

    at = array->offset + at * nn_dtype_bytes(array->dtype);
    assert_true(array->memory != NULL);
    assert_true(at >= 0 && at < array->memory->size);
    return array->memory->bytes + at;
}

double alone_get(const nn_array *array, int64_t i)
{
    const char *at = place(array, i);

    switch (array->dtype) {
    case NN_FLOAT64:
        return *(const double *)(const void *)at;
    case NN_FLOAT32:
        return (double)*(const float *)(const void *)at;
    case NN_INT32:
        return *(const int32_t *)(const void *)at;
    default:
        return *(const unsigned char *)at;
    }
}

void alone_set(const nn_array *array, int64_t i, double value)
{
    char *at = place(array, i);

    switch (array->dtype) {
    case NN_FLOAT64:
        *(double *)(void *)at = value;
        break;
    case NN_FLOAT32:
        *(float *)(void *)at = (float)value;
        break;
    case NN_INT32:
        *(int32_t *)(void *)at = isnan(value) ? INT32_MAX : (int32_t)value;
        break;
    default:
        *(unsigned char *)at = isnan(value) ? 255 : (unsigned char)value;
    }
}

void alone_fill(const nn_array *array, double value)
{
    int64_t i;

    for (i = 0; i < nn_elements(array); ++i)
        alone_set(array, i, value);
}

void alone_values(const nn_array *array, const double *values)
{
    int64_t i;

    for (i = 0; i < nn_elements(array); ++i)
        alone_set(array, i, values[i]);
}

/* Uniform in [0, 1), the same sequence in every run. */
static double next_uniform(void)
{
    static uint64_t state = 1;

    state = state * UINT64_C(6364136223846793005) +
            UINT64_C(1442695040888963407);
    return (double)(state >> 11) / 9007199254740992.0;
}

void alone_random(const nn_array *array, uint32_t content, int64_t classes)
{
    int64_t i;

    for (i = 0; i < nn_elements(array); ++i) {
        double u = next_uniform();

        if (content == NN_CONTENT_LABELS && array->dtype == NN_INT32)
            u = floor(u * (double)classes);
        else if (content == NN_CONTENT_MASK)
            u = u < 0.6;
        else if (content == NN_CONTENT_ANY)
            u = 4.0 * u - 2.0;
        alone_set(array, i, u);
    }
}

/* ------------------------------------------------------------------ arrays */

static int64_t resolved(const alone *a, int64_t size)
{
    return size == NN_T ? a->T : size == NN_B ? a->B : size;
}

/* Frames BEFORE + T + AFTER of SHAPE in zeroed memory of their own, rows PAD
 * elements apart. */
nn_array alone_make(const alone *a, const nn_shape *shape, int64_t before,
                    int64_t after, int64_t pad)
{
    nn_array array = {0};
    int64_t frame;
    uint32_t i;

    if (shape->ndim == 0)
        return array;
    array.dtype = shape->dtype == NN_REAL ? a->real : shape->dtype;
    array.ndim = shape->ndim;
    for (i = 0; i < shape->ndim; ++i)
        array.shape[i] = resolved(a, shape->dims[i]);
    array.pitch = nn_columns(&array) + pad;
    frame = array.ndim == 1 ? 1
                            : nn_rows(&array) / array.shape[0] * array.pitch;
    frame *= nn_dtype_bytes(array.dtype);
    array.offset = before * frame;
    array.memory = calloc(1, sizeof *array.memory);
    array.memory->size = (before + array.shape[0] + after) * frame;
    if (array.ndim == 1)
        array.memory->size += pad * nn_dtype_bytes(array.dtype);
    array.memory->bytes = calloc(1, (size_t)array.memory->size);
    return array;
}

void alone_drop(nn_array *array)
{
    if (array->memory) {
        free(array->memory->bytes);
        free(array->memory);
    }
    array->memory = NULL;
}
