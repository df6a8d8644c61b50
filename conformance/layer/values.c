/* SPDX-License-Identifier: MIT */
/* values.c - the arrays of a bench: where they are, their names, and moving
 * them between the handler and doubles on the host. */
#include "conformance/layer/values.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <nn/random.h>

#define PREFIX "subject."

/* ---- finding ----------------------------------------------------------- */

static bench_value *append(bench_values *values, const nn_array *array,
                           const char *name)
{
    bench_value *value;

    if (values->count == BENCH_VALUES)
        return &values->items[BENCH_VALUES - 1];
    value = &values->items[values->count++];
    memset(value, 0, sizeof *value);
    value->array = *array;
    value->name = name;
    value->group = -1;
    value->count = nn_present(array) && array->memory ? nn_elements(array) : 0;
    return value;
}

static int same_place(const nn_array *a, const nn_array *b)
{
    return a->memory == b->memory && a->offset == b->offset &&
           a->dtype == b->dtype && nn_same_shape(a, b);
}

/* The last part of the path of ARRAY's buffer, or "INDEX". */
static const char *name_of(bench *b, const nn_array *array, uint32_t index)
{
    const char *path;
    nn_array other;
    uint32_t i;

    for (i = 0; (path = nn_network_path(b->network, i)); ++i)
        if (!strncmp(path, PREFIX, sizeof PREFIX - 1) &&
            !nn_network_view(b->network, path, &other) &&
            same_place(&other, array))
            return strrchr(path, '.') + 1;
    return trial_text(b->trial, "%u", (unsigned)index);
}

/* A number that every run starts from, or NULL. */
static void keep(bench *b, bench_value *value)
{
    if (value->count)
        value->kept = trial_alloc(b->trial,
                                  (size_t)value->count * sizeof *value->kept);
}

static const nn_port *input_port(const bench *b, uint32_t index)
{
    const nn_component *component = b->trial->component->component;

    return component->inputs[b->one->inputs[index].port];
}

static const char *input_name(bench *b, uint32_t index)
{
    const nn_port *port = input_port(b, index);
    uint32_t before = index - b->one->inputs[index].port;

    return before ? trial_text(b->trial, "%s number %u", port->name,
                               (unsigned)before + 1)
                  : port->name;
}

/* 1 if ARRAY lies within WHOLE. */
static int within(const nn_array *array, const nn_array *whole)
{
    int64_t bytes = nn_dtype_bytes(whole->dtype);

    return array->memory == whole->memory && array->offset >= whole->offset &&
           array->offset <
               whole->offset + nn_rows(whole) * whole->pitch * bytes;
}

/* The inputs: as the layer sees them, or where the core copies them from. */
static void collect_inputs(bench *b)
{
    bench_values *values = &b->sorts[BENCH_INPUT];
    char name[16];
    uint32_t i;

    for (i = 0; i < b->context->n_inputs; ++i) {
        nn_array array = b->context->inputs[i];
        nn_array whole;

        snprintf(name, sizeof name, "in_%u", (unsigned)i);
        if (nn_present(&array) && !nn_network_input(b->network, name, &whole) &&
            !within(&array, &whole)) {
            int64_t columns = nn_columns(&array);

            array = columns == nn_columns(&whole)
                        ? whole
                        : nn_column_slice(&whole, 2, columns);
        }
        keep(b, append(values, &array, input_name(b, i)));
    }
    values->own = values->count;
}

static void collect(bench *b, enum bench_sort sort, const nn_array *arrays,
                    uint32_t count)
{
    bench_values *values = &b->sorts[sort];
    uint32_t i;

    for (i = 0; i < count; ++i)
        append(values, &arrays[i],
               nn_present(&arrays[i]) ? name_of(b, &arrays[i], i) : "absent");
    values->own = values->count;
}

/* Appends what children have: paths "subject.a.b...KIND.NAME", or without KIND
 * those of parameters. */
static void collect_children(bench *b, enum bench_sort sort, const char *kind)
{
    bench_values *values = &b->sorts[sort];
    const char *path;
    nn_array array;
    uint32_t i;

    for (i = 0; (path = nn_network_path(b->network, i)); ++i) {
        const char *found = strstr(path, kind);
        uint32_t k = 0;

        if (strncmp(path, PREFIX, sizeof PREFIX - 1) || !found ||
            nn_network_view(b->network, path, &array))
            continue;
        while (k < values->count &&
               !same_place(&values->items[k].array, &array))
            ++k;
        if (k == values->count)
            append(values, &array, path + sizeof PREFIX - 1)->flags =
                BENCH_FIXED;
    }
}

/* Which group each parameter is part of. */
static void find_groups(bench *b, enum bench_sort sort, const nn_array *groups)
{
    bench_values *values = &b->sorts[sort];
    uint32_t g;
    uint32_t i;

    for (i = 0; i < values->own; ++i)
        for (g = 0; g < b->context->n_parameter_groups; ++g)
            if (within(&values->items[i].array, &groups[g]))
                values->items[i].group = (int32_t)g;
}

static void reset(bench *b)
{
    enum bench_sort sort;

    for (sort = 0; sort < BENCH_SORTS; ++sort) {
        bench_value *items = b->sorts[sort].items;

        if (!items)
            items = trial_alloc(b->trial, BENCH_VALUES * sizeof *items);
        memset(items, 0, BENCH_VALUES * sizeof *items);
        b->sorts[sort].items = items;
        b->sorts[sort].count = 0;
        b->sorts[sort].own = 0;
    }
}

static int overlaps(const nn_array *a, const nn_array *b)
{
    return a->memory && (within(a, b) || within(b, a));
}

static int overlap(const bench *b, enum bench_sort one, enum bench_sort other)
{
    uint32_t i;
    uint32_t k;

    for (i = 0; i < b->sorts[one].count; ++i)
        for (k = 0; k < b->sorts[other].count; ++k)
            if (b->sorts[one].items[i].count &&
                b->sorts[other].items[k].count &&
                overlaps(&b->sorts[one].items[i].array,
                         &b->sorts[other].items[k].array))
                return 1;
    return 0;
}

void values_collect_forward(bench *b)
{
    const nn_layer_context *c = b->context;
    uint32_t i;

    reset(b);
    collect_inputs(b);
    collect(b, BENCH_PARAMETER, c->parameters, c->n_parameters);
    find_groups(b, BENCH_PARAMETER, c->parameter_groups);
    collect_children(b, BENCH_PARAMETER, ".parameters.");
    collect(b, BENCH_REFERENCE, c->references, c->n_references);
    collect(b, BENCH_OUTPUT, c->outputs, c->n_outputs);
    collect(b, BENCH_INTERNAL, c->internals, c->n_internals);
    collect(b, BENCH_STATE, c->state, c->n_state);
    collect_children(b, BENCH_STATE, ".state.");
    for (i = 0; i < b->sorts[BENCH_STATE].count; ++i) {
        bench_value *state = &b->sorts[BENCH_STATE].items[i];

        if (!b->started[i]) {
            b->started[i] = bench_numbers(b, state->count);
            bench_get(b, BENCH_STATE, i, b->started[i]);
        }
        keep(b, state);
        bench_set(b, BENCH_STATE, i, b->started[i]);
    }
    b->aliased = overlap(b, BENCH_INPUT, BENCH_OUTPUT);
}

/* Memory for VALUE, with the axes of LIKE. */
static void give_memory(bench *b, bench_value *value, const nn_array *like)
{
    const nn_handler_interface *f = nn_device_functions(b->device);
    int64_t bytes = nn_elements(like) * nn_dtype_bytes(like->dtype);
    nn_memory *memory = NULL;

    if (b->n_blocks == BENCH_BLOCKS ||
        f->allocate(nn_device_handler(b->device), bytes, &memory)) {
        trial_broken(b->trial, "no memory for a delta");
        return;
    }
    b->blocks[b->n_blocks++] = memory;
    value->array = *like;
    value->array.memory = memory;
    value->array.offset = 0;
    value->array.pitch = nn_columns(like);
    value->array.flags = 0;
    value->count = nn_elements(like);
    value->flags |= BENCH_OWN;
}

/* Real inputs have deltas, wanted or not. */
static void complete_deltas(bench *b)
{
    bench_values *deltas = &b->sorts[BENCH_INPUT_DELTA];
    uint32_t i;

    for (i = 0; i < deltas->count; ++i) {
        bench_value *delta = &deltas->items[i];
        const bench_value *x = &b->sorts[BENCH_INPUT].items[i];
        int shared = 0;
        uint32_t k;

        for (k = 0; k < b->sorts[BENCH_OUTPUT_DELTA].count; ++k)
            shared |= delta->count &&
                      b->sorts[BENCH_OUTPUT_DELTA].items[k].count &&
                      overlaps(&delta->array,
                               &b->sorts[BENCH_OUTPUT_DELTA].items[k].array);
        delta->name = x->name;
        if (!delta->count || delta->array.mode == NN_DISCARD) {
            delta->flags |= BENCH_UNWANTED;
            delta->mode = NN_DISCARD;
        }
        if (bench_is_real(b, BENCH_INPUT, i) && (!delta->count || shared))
            give_memory(b, delta, &x->array);
    }
}

void values_collect_backward(bench *b)
{
    const nn_layer_context *c = b->context;
    bench_values *outputs = &b->sorts[BENCH_OUTPUT_DELTA];
    bench_values *references = &b->sorts[BENCH_REFERENCE_DELTA];
    uint32_t i;

    if (!b->backward)
        return;
    collect(b, BENCH_INPUT_DELTA, c->input_deltas, c->n_inputs);
    collect(b, BENCH_GRADIENT, c->gradients, c->n_parameters);
    find_groups(b, BENCH_GRADIENT, c->gradient_groups);
    collect_children(b, BENCH_GRADIENT, ".gradients.");
    collect(b, BENCH_REFERENCE_DELTA, c->reference_deltas, c->n_references);
    collect(b, BENCH_OUTPUT_DELTA, c->output_deltas, c->n_outputs);
    for (i = 0; i < references->count; ++i) {
        references->items[i].flags = BENCH_FIXED;
        if (references->items[i].array.mode == NN_DISCARD)
            references->items[i].count = 0;
    }
    for (i = 0; i < outputs->count; ++i) {
        outputs->items[i].name = b->sorts[BENCH_OUTPUT].items[i].name;
        if (outputs->items[i].array.mode == NN_DISCARD)
            outputs->items[i].count = 0;
        if (!outputs->items[i].count)
            outputs->items[i].mode = NN_DISCARD;
    }
    complete_deltas(b);
}

/* ---- moving ------------------------------------------------------------ */

int bench_is_real(const bench *b, enum bench_sort sort, uint32_t index)
{
    const bench_value *value = &b->sorts[sort].items[index];

    return value->count && (value->array.dtype == NN_FLOAT32 ||
                            value->array.dtype == NN_FLOAT64);
}

static void *scratch(bench *b, int64_t count)
{
    if (count > b->room) {
        b->room = 2 * count;
        b->scratch = trial_alloc(b->trial, (size_t)b->room * sizeof(double));
    }
    return b->scratch;
}

static double element(const void *data, uint32_t dtype, int64_t i)
{
    switch (dtype) {
    case NN_FLOAT64:
        return ((const double *)data)[i];
    case NN_FLOAT32:
        return (double)((const float *)data)[i];
    case NN_INT32:
        return ((const int32_t *)data)[i];
    default:
        return ((const uint8_t *)data)[i];
    }
}

static void set_element(void *data, uint32_t dtype, int64_t i, double value)
{
    double whole = value < -1e9 || value > 1e9 || isnan(value) ? 77 : value;

    switch (dtype) {
    case NN_FLOAT64:
        ((double *)data)[i] = value;
        break;
    case NN_FLOAT32:
        ((float *)data)[i] = (float)value;
        break;
    case NN_INT32:
        ((int32_t *)data)[i] = (int32_t)whole;
        break;
    default:
        ((uint8_t *)data)[i] = (uint8_t)(whole < 0 ? -whole : whole);
    }
}

static void moved(bench *b, int32_t code)
{
    const char *text = NULL;

    if (!code)
        return;
    nn_error(NULL, &text);
    trial_broken(b->trial, "an array cannot be moved: %s", text);
}

void bench_get(bench *b, enum bench_sort sort, uint32_t index, double *values)
{
    const bench_value *value = &b->sorts[sort].items[index];
    void *data = scratch(b, value->count);
    int64_t i;

    if (!value->count)
        return;
    moved(b, nn_network_download(b->network, &value->array, data));
    for (i = 0; i < value->count; ++i)
        values[i] = element(data, value->array.dtype, i);
}

static void upload(bench *b, const bench_value *value, const double *values)
{
    void *data = scratch(b, value->count);
    int64_t i;

    for (i = 0; i < value->count; ++i)
        set_element(data, value->array.dtype, i, values[i]);
    moved(b, nn_network_upload(b->network, &value->array, data));
}

void bench_set(bench *b, enum bench_sort sort, uint32_t index,
               const double *values)
{
    bench_value *value = &b->sorts[sort].items[index];

    if (!value->count)
        return;
    if (value->kept && value->kept != values)
        memcpy(value->kept, values, (size_t)value->count * sizeof *values);
    upload(b, value, values);
}

void bench_fill(bench *b, enum bench_sort sort, uint32_t index, double value)
{
    int64_t count = b->sorts[sort].items[index].count;
    double *values = bench_numbers(b, count);
    int64_t i;

    for (i = 0; i < count; ++i)
        values[i] = value;
    if (count)
        upload(b, &b->sorts[sort].items[index], values);
}

double *bench_numbers(bench *b, int64_t count)
{
    return trial_alloc(b->trial, (size_t)(count + 1) * sizeof(double));
}

double bench_sum(bench *b, double *scale)
{
    const bench_values *deltas = &b->sorts[BENCH_OUTPUT_DELTA];
    double sum = 0;
    double all = 0;
    uint32_t k;
    int64_t i;

    for (k = 0; k < deltas->count; ++k) {
        const bench_value *y = &b->sorts[BENCH_OUTPUT].items[k];
        double *v = deltas->items[k].kept;
        const void *data = scratch(b, y->count);

        if (!deltas->items[k].count || deltas->items[k].mode == NN_DISCARD)
            continue;
        moved(b, nn_network_download(b->network, &y->array, b->scratch));
        for (i = 0; i < y->count; ++i) {
            double part = v[i] * element(data, y->array.dtype, i);

            sum += part;
            all += fabs(part);
        }
    }
    if (scale)
        *scale = all;
    return sum;
}
