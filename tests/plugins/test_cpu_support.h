/* SPDX-License-Identifier: MIT */
/* test_cpu_support.h - a handler cpu with some memory, for its tests. */
#ifndef NN_TESTS_PLUGINS_TEST_CPU_SUPPORT_H
#define NN_TESTS_PLUGINS_TEST_CPU_SUPPORT_H

#include "tests/plugins/fake_host.h"

#include <math.h>

#include <nn/handler.h>
#include <nn/random.h>

#ifdef NN_STATIC_PLUGIN
#define CPU_ENTRY handler_cpu_LTX_nn_plugin_v1
#else
#define CPU_ENTRY nn_plugin_v1
#endif

extern const nn_plugin CPU_ENTRY;

/* A handler and one block of memory, handed out from the front. */
typedef struct machine {
    const nn_handler_interface *interface;
    nn_handler *handler;
    nn_memory *memory;
    char *bytes;
    int64_t size;
    int64_t used;
} machine;

static inline int32_t machine_init(machine *m, int64_t threads, int64_t size)
{
    nn_value value = {.size = NN_SIZEOF(nn_value, child),
                      .type = NN_PARAM_INT,
                      .given = 1,
                      .integer = threads,
                      .real = (double)threads};
    const nn_value *values[] = {&value};
    nn_params params = {NN_SIZEOF(nn_params, values), 1, values};
    nn_handler_request request = {NN_SIZEOF(nn_handler_request, deterministic),
                                  NN_FLOAT32, 1};
    int32_t code;

    *m = (machine){.interface = CPU_ENTRY.components[0]->interface,
                   .size = size};
    fake_clear();
    code = m->interface->create(&fake_host, &params, &request, &m->handler);
    if (code)
        return code;
    code = m->interface->allocate(m->handler, size, &m->memory);
    if (!code)
        m->bytes = m->interface->map(m->handler, m->memory, 0, size,
                                     NN_MAP_READ | NN_MAP_WRITE);
    return code;
}

static inline void machine_finish(machine *m)
{
    m->interface->release(m->handler, m->memory);
    m->interface->destroy(m->handler);
    *m = (machine){0};
}

/* A new array of ROWS x COLUMNS (ROWS 0: a vector) with PITCH. */
static inline nn_array machine_array(machine *m, uint32_t dtype, int64_t rows,
                                     int64_t columns, int64_t pitch)
{
    nn_array array = {.memory = m->memory,
                      .offset = m->used,
                      .pitch = pitch,
                      .dtype = dtype,
                      .ndim = rows ? 2 : 1};

    array.shape[0] = rows ? rows : columns;
    array.shape[1] = rows ? columns : 0;
    m->used += ((rows ? rows : 1) * pitch * nn_dtype_bytes(dtype) + 63) / 64 *
               64;
    assert_true(m->used <= m->size);
    return array;
}

/* Logical element INDEX of ARRAY, of a real type. */
static inline double machine_get(const machine *m, const nn_array *array,
                                 int64_t index)
{
    int64_t columns = nn_columns(array);
    const char *at = m->bytes + array->offset +
                     (index / columns * array->pitch + index % columns) *
                         nn_dtype_bytes(array->dtype);

    return array->dtype == NN_FLOAT64
               ? *(const double *)(const void *)at
               : (double)*(const float *)(const void *)at;
}

static inline void machine_set(const machine *m, const nn_array *array,
                               int64_t index, double value)
{
    int64_t columns = nn_columns(array);
    char *at = m->bytes + array->offset +
               (index / columns * array->pitch + index % columns) *
                   nn_dtype_bytes(array->dtype);

    if (array->dtype == NN_FLOAT64)
        *(double *)(void *)at = value;
    else
        *(float *)(void *)at = (float)value;
}

/* Numbers of a fixed sequence, in -1 ... 1. */
static uint64_t machine_seed = 1;

static inline double machine_number(void)
{
    machine_seed = nn_mix(machine_seed);
    return (double)(int64_t)(machine_seed >> 11) * 0x1p-52 - 1;
}

static inline void machine_randomize(const machine *m, const nn_array *array)
{
    int64_t i;

    for (i = 0; i < nn_elements(array); ++i)
        machine_set(m, array, i, machine_number());
}

static inline void machine_run(const machine *m, uint32_t operation,
                               const nn_array *const *operands,
                               const nn_attributes *with)
{
    m->interface->operations[operation](m->handler, operation, operands, with);
}

/* Runs row NUMBER of extension ID with the workspace that it plans. */
static inline void machine_run_row(machine *m, const char *id, uint32_t number,
                                   const nn_array *const *operands, uint32_t n,
                                   const void *attributes)
{
    const nn_row *row = m->interface->extension(m->handler, id)->rows[number];
    nn_plan_request request = {NN_SIZEOF(nn_plan_request, reserve_limit),
                               n,
                               operands,
                               attributes,
                               0,
                               0};
    nn_plan_result result = {NN_SIZEOF(nn_plan_result, reserve_bytes), 0, NULL,
                             0, 0};
    int64_t used = m->used;
    nn_array workspace;

    assert_int_equal(row->plan(m->handler, &request, &result), NN_OK);
    workspace = machine_array(m, NN_UINT8, 0, result.workspace_bytes + 1,
                              result.workspace_bytes + 1);
    memset(m->bytes + workspace.offset, 0xff,
           (size_t)result.workspace_bytes); /* NaNs */
    row->run(m->handler, result.plan, operands, n, attributes,
             result.workspace_bytes ? &workspace : NULL, NULL);
    m->used = used;
}

#endif
