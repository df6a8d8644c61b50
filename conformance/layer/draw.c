/* SPDX-License-Identifier: MIT */
/* draw.c - random values for a bench, and the names of their elements.
 *
 * What the description of a port says of its content is kept: labels are below
 * the columns of input 0, or distributions where they have its columns; masks
 * are 0 and 1 with at least one 1.  Other numbers are normal and keep at least
 * 0.05 away from 0, where many functions have a kink. */
#include "conformance/layer/bench.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <nn/random.h>

void bench_random(uint64_t seed, uint64_t stream, double *values, int64_t count)
{
    nn_random random = {seed, stream, 0, 0};

    nn_random_spread(&random, 1, 1.0, values, count);
}

static double uniform(uint64_t seed, uint64_t stream, int64_t i)
{
    nn_random random = {seed, stream, 1, 0};

    return nn_random_uniform(&random, (uint64_t)i);
}

static void keep_away_from_zero(double *values, int64_t count)
{
    int64_t i;

    for (i = 0; i < count; ++i)
        values[i] += values[i] < 0 ? -0.05 : 0.05;
}

/* Columns of input 0. */
static int64_t classes(const bench *b)
{
    const bench_value *first = &b->sorts[BENCH_INPUT].items[0];

    return first->count ? nn_columns(&first->array) : 2;
}

static void draw_rows(double *values, int64_t count, int64_t columns)
{
    int64_t i;
    int64_t k;

    for (i = 0; i < count; i += columns) {
        double sum = 0;

        for (k = i; k < i + columns; ++k)
            sum += values[k];
        for (k = i; k < i + columns; ++k)
            values[k] /= sum;
    }
}

/* Values of CONTENT in place of normal ones. */
static void fit(const bench *b, const bench_value *value, uint32_t content,
                uint64_t seed, uint64_t stream, double *values)
{
    int whole = value->array.dtype == NN_INT32 ||
                value->array.dtype == NN_UINT8;
    int64_t limit = classes(b);
    int64_t i;

    for (i = 0; i < value->count; ++i) {
        double u = uniform(seed, stream, i);

        if (content == NN_CONTENT_LABELS || (whole && !content))
            values[i] = floor(u * (double)limit);
        else if (content == NN_CONTENT_MASK)
            values[i] = i == 0 ? 1 : i == value->count - 1 ? 0 : u < 0.6;
        else if (content == NN_CONTENT_PROBABILITY)
            values[i] = 0.05 + 0.9 * u;
    }
    if (content == NN_CONTENT_LABELS && !whole &&
        nn_columns(&value->array) == limit && limit > 1) {
        for (i = 0; i < value->count; ++i)
            values[i] = 0.05 + uniform(seed, stream, i);
        draw_rows(values, value->count, limit);
    }
    if (content == NN_CONTENT_ANY && !whole)
        keep_away_from_zero(values, value->count);
}

static uint64_t stream_of(enum bench_sort sort, const char *name)
{
    return nn_hash_name(name) + (uint64_t)sort;
}

void bench_draw_value(bench *b, enum bench_sort sort, uint32_t index,
                      uint64_t seed)
{
    bench_value *value = &b->sorts[sort].items[index];
    uint64_t stream = stream_of(sort, value->name);
    double *values;

    if (!value->count)
        return;
    values = value->kept ? value->kept : bench_numbers(b, value->count);
    if (sort == BENCH_OUTPUT_DELTA)
        value->kept = values;
    bench_random(seed, stream, values, value->count);
    if (sort == BENCH_INPUT)
        fit(b, value,
            b->trial->component->component->inputs[b->one->inputs[index].port]
                ->content,
            seed, stream, values);
    bench_set(b, sort, index, values);
}

void bench_draw(bench *b, uint64_t seed)
{
    static const enum bench_sort sorts[] = {BENCH_INPUT, BENCH_PARAMETER,
                                            BENCH_REFERENCE,
                                            BENCH_OUTPUT_DELTA};
    size_t s;
    uint32_t i;

    for (s = 0; s < sizeof sorts / sizeof *sorts; ++s)
        for (i = 0; i < b->sorts[sorts[s]].count; ++i)
            bench_draw_value(b, sorts[s], i, seed);
}

/* ---- names ------------------------------------------------------------- */

static const char *const sort_names[BENCH_SORTS] = {
    [BENCH_INPUT] = "inputs",
    [BENCH_PARAMETER] = "parameters",
    [BENCH_REFERENCE] = "references",
    [BENCH_INPUT_DELTA] = "input_deltas",
    [BENCH_GRADIENT] = "gradients",
    [BENCH_REFERENCE_DELTA] = "reference_deltas",
    [BENCH_OUTPUT] = "outputs",
    [BENCH_OUTPUT_DELTA] = "output_deltas",
    [BENCH_INTERNAL] = "internals",
    [BENCH_STATE] = "state",
};

/* Writes "[t=1,b=2,f=3]", or "[1,2]" for what has no time and samples. */
static void write_place(const bench *b, const nn_array *array, int64_t element,
                        char text[128])
{
    int timed = array->ndim >= 2 && array->shape[0] == b->T &&
                array->shape[1] == b->B;
    int64_t places[NN_MAX_DIMS];
    size_t used = 0;
    uint32_t k;

    for (k = array->ndim; k-- > 0; element /= array->shape[k])
        places[k] = element % array->shape[k];
    for (k = 0; k < array->ndim; ++k) {
        static const char *const letters[] = {"t=", "b=", "f="};
        const char *letter = timed && k < 3 ? letters[k] : "";

        used += (size_t)snprintf(text + used, 128 - used, "%c%s%lld",
                                 k ? ',' : '[', letter, (long long)places[k]);
    }
    snprintf(text + used, 128 - used, "]");
}

const char *bench_name(bench *b, enum bench_sort sort, uint32_t index)
{
    return trial_text(b->trial, "%s.%s", sort_names[sort],
                      b->sorts[sort].items[index].name);
}

const char *bench_say(bench *b, enum bench_sort sort, uint32_t index,
                      int64_t element)
{
    const bench_value *value = &b->sorts[sort].items[index];
    char place[128] = "";

    if (element >= 0 && value->count)
        write_place(b, &value->array, element, place);
    return trial_text(b->trial, "%s.%s%s of case %s", sort_names[sort],
                      value->name, place, b->one->label);
}
