/* SPDX-License-Identifier: MIT */
/* desk.c - see desk.h. */
#include "conformance/training/desk.h"

#include <string.h>

#include <nn/track.h>

#define GUARD_VALUE 1234.5

/* A handler that watches is told whose operations come. */
static void tell(desk *d)
{
    const nn_track *track = d->f->get_interface
                                ? d->f->get_interface(d->handler, NN_TRACK)
                                : NULL;

    if (track && NN_HAS(track, step) && track->step)
        track->step(d->handler, NN_TRACK_STEP, NULL, 0);
}

int desk_open(trial *t, const char *handler, uint32_t real, desk *out)
{
    nn_handler_request request = {NN_SIZEOF(nn_handler_request, deterministic),
                                  real, 1};
    const char *text = NULL;

    memset(out, 0, sizeof *out);
    out->t = t;
    out->real = real;
    if (check_host_init(t, &out->host))
        return -1;
    if (!nn_part_create(t->plugins, NN_KIND_HANDLER, handler, NULL,
                        &out->part) &&
        !nn_device_create(out->part, &request, &out->device)) {
        out->f = nn_device_functions(out->device);
        out->handler = nn_device_handler(out->device);
        tell(out);
        return 0;
    }
    nn_error(NULL, &text);
    trial_broken(t, "the handler '%s' cannot be made: %s", handler,
                 text ? text : "no message");
    nn_part_destroy(out->part);
    return -1;
}

void desk_close(desk *d)
{
    uint32_t i;

    for (i = 0; i < d->n_memories; ++i)
        d->f->release(d->handler, d->memories[i]);
    nn_device_destroy(d->device);
    nn_part_destroy(d->part);
}

static nn_memory *take(desk *d, int64_t bytes)
{
    nn_memory *memory = NULL;

    if (d->n_memories == DESK_ARRAYS ||
        d->f->allocate(d->handler, bytes, &memory)) {
        trial_broken(d->t, "the handler has no memory for %lld bytes",
                     (long long)bytes);
        return NULL;
    }
    d->memories[d->n_memories++] = memory;
    return memory;
}

nn_array desk_bytes(desk *d, int64_t bytes)
{
    nn_array array;

    memset(&array, 0, sizeof array);
    if (!bytes)
        return array;
    array.memory = take(d, bytes);
    array.dtype = NN_UINT8;
    array.ndim = 1;
    array.shape[0] = array.pitch = bytes;
    return array;
}

/* The block of ARRAY with its guard elements. */
static nn_array whole(const nn_array *array)
{
    nn_array all = *array;
    uint32_t i;

    all.offset -= DESK_GUARD * nn_dtype_bytes(array->dtype);
    for (i = 1; i < NN_MAX_DIMS; ++i)
        all.shape[i] = 0;
    all.ndim = 1;
    all.shape[0] = all.pitch = nn_elements(array) + 2 * DESK_GUARD;
    return all;
}

nn_array desk_array(desk *d, uint32_t ndim, const int64_t *shape)
{
    nn_array array;
    nn_array all;
    double *values;
    int64_t count;
    int64_t i;
    uint32_t axis;

    memset(&array, 0, sizeof array);
    array.dtype = d->real;
    array.ndim = ndim;
    for (axis = 0; axis < ndim; ++axis)
        array.shape[axis] = shape[axis];
    array.pitch = shape[ndim - 1];
    count = nn_elements(&array);
    array.offset = DESK_GUARD * nn_dtype_bytes(d->real);
    array.memory = take(d, (count + 2 * DESK_GUARD) * nn_dtype_bytes(d->real));
    all = whole(&array);
    values = trial_alloc(d->t, (size_t)all.shape[0] * sizeof *values);
    for (i = 0; i < all.shape[0]; ++i)
        values[i] = i < DESK_GUARD || i >= DESK_GUARD + count ? GUARD_VALUE : 0;
    desk_set(d, &all, values);
    d->arrays[d->count++] = array;
    return array;
}

nn_array desk_vector(desk *d, int64_t count)
{
    return desk_array(d, 1, &count);
}

/* Says the error that the operations keep, and forgets it.  Returns 1 if there
 * is one. */
static int say_error(desk *d, const char *where)
{
    const char *text = NULL;

    if (!nn_device_error(d->device, NULL, &text))
        return 0;
    trial_fail(d->t, where, "operations without an error",
               text ? text : "an error without a message");
    nn_device_clear(d->device);
    return 1;
}

static void *map(desk *d, const nn_array *array, uint32_t access)
{
    int64_t bytes = nn_elements(array) * nn_dtype_bytes(array->dtype);
    void *data = NULL;

    if (array->memory)
        data = d->f->map(d->handler, array->memory, array->offset, bytes,
                         access);
    /* There is nothing to be had after an error. */
    if (!data && array->memory && say_error(d, "operations of the component"))
        data = d->f->map(d->handler, array->memory, array->offset, bytes,
                         access);
    if (!data)
        trial_broken(d->t, "an array of the handler cannot be mapped");
    return data;
}

static void copy(desk *d, const nn_array *array, double *values, int out)
{
    int64_t count = nn_elements(array);
    uint32_t access = out ? NN_MAP_READ : NN_MAP_WRITE;
    void *data = map(d, array, access);
    float *narrow = data;
    double *wide = data;
    int64_t i;

    if (!data)
        return;
    for (i = 0; i < count; ++i)
        if (array->dtype == NN_FLOAT32) {
            if (out)
                values[i] = (double)narrow[i];
            else
                narrow[i] = (float)values[i];
        } else if (out) {
            values[i] = wide[i];
        } else {
            wide[i] = values[i];
        }
    d->f->unmap(d->handler, array->memory, data, access);
}

void desk_set(desk *d, const nn_array *array, const double *values)
{
    copy(d, array, (double *)(uintptr_t)values, 0);
}

void desk_get(desk *d, const nn_array *array, double *values)
{
    copy(d, array, values, 1);
}

void desk_judge(desk *d, const char *where)
{
    uint32_t k;
    int64_t i;

    trial_tested(d->t, 1);
    d->f->synchronize(d->handler);
    say_error(d, where);
    for (k = 0; k < d->count; ++k) {
        nn_array all = whole(&d->arrays[k]);
        int64_t count = all.shape[0];
        double *values = trial_alloc(d->t, (size_t)count * sizeof *values);

        desk_get(d, &all, values);
        for (i = 0; i < DESK_GUARD; ++i)
            if (values[i] != GUARD_VALUE ||
                values[count - 1 - i] != GUARD_VALUE) {
                trial_fail(d->t, where, "writes within the arrays",
                           "a write beside one");
                return;
            }
    }
}
