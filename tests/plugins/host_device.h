/* SPDX-License-Identifier: MIT */
/* host_device.h - a device without an operation of its own, for tests of
 * plugins that compute: its memory is the host's, and the core's completed
 * table runs everything in the reference. */
#ifndef NN_TESTS_PLUGINS_HOST_DEVICE_H
#define NN_TESTS_PLUGINS_HOST_DEVICE_H

#include <math.h>

#include "tests/plugins/fake_host.h"

#include <nn/extension.h>
#include <nn/operations.h>

#include "core/reference/complete.h"

struct nn_memory {
    char *bytes;
};

static void *device_map(nn_handler *handler, nn_memory *memory, int64_t offset,
                        int64_t bytes, uint32_t access)
{
    (void)handler;
    (void)bytes;
    (void)access;
    return memory->bytes + offset;
}

static void device_unmap(nn_handler *handler, nn_memory *memory, void *pointer,
                         uint32_t access)
{
    (void)handler;
    (void)memory;
    (void)pointer;
    (void)access;
}

static int32_t device_error(nn_handler *handler, const char **id,
                            const char **text)
{
    (void)handler;
    (void)id;
    (void)text;
    return NN_OK;
}

static void device_clear(nn_handler *handler)
{
    (void)handler;
}

static const nn_handler_interface device = {
    .size = NN_SIZEOF(nn_handler_interface, get_interface),
    .map = device_map,
    .unmap = device_unmap,
    .error = device_error,
    .clear_error = device_clear,
};

/* The completed table for REAL. */
static inline nn_completed *device_open(uint32_t real)
{
    nn_completed *completed = NULL;

    assert_int_equal(nn_completed_create(&device, NULL, real, &completed),
                     NN_OK);
    return completed;
}

/* No operation has failed. */
static inline void device_close(nn_completed *completed)
{
    const char *id = NULL;
    const char *text = "";

    if (nn_completed_error(completed, &id, &text))
        fail_msg("%s", text);
    nn_completed_destroy(completed);
}

/* A vector of COUNT elements of REAL in MEMORY. */
static inline nn_array device_vector(nn_memory *memory, uint32_t real,
                                     int64_t count)
{
    nn_array array = {.memory = memory,
                      .shape = {count},
                      .pitch = count,
                      .dtype = real,
                      .ndim = 1};

    return array;
}

static inline void device_put(const nn_array *array, int64_t index,
                              double value)
{
    char *bytes = array->memory->bytes + array->offset;

    if (array->dtype == NN_FLOAT32)
        ((float *)(void *)bytes)[index] = (float)value;
    else
        ((double *)(void *)bytes)[index] = value;
}

static inline double device_get(const nn_array *array, int64_t index)
{
    const char *bytes = array->memory->bytes + array->offset;

    if (array->dtype == NN_FLOAT32)
        return ((const float *)(const void *)bytes)[index];
    return ((const double *)(const void *)bytes)[index];
}

#endif
