/* SPDX-License-Identifier: MIT */
/* shape.c - what setup declares, and what it refuses. */
#include "conformance/layer/checks.h"
#include "conformance/layer/compare.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- infer ------------------------------------------------------------- */

static const char *shape_text(bench *b, const nn_array *array)
{
    const char *text = "(";
    uint32_t i;

    for (i = 0; i < array->ndim; ++i)
        text = trial_text(b->trial, "%s%s%" PRId64, text, i ? ", " : "",
                          array->shape[i]);
    return trial_text(b->trial, "%s)", text);
}

/* Axis I of ARRAY is that of OTHER, or both are T, or both are B. */
static int axes_agree(const nn_array *array, int64_t T, int64_t B,
                      const nn_array *other, int64_t other_T, int64_t other_B)
{
    uint32_t i;

    if (array->ndim != other->ndim || array->dtype != other->dtype)
        return 0;
    for (i = 0; i < array->ndim; ++i)
        if (array->shape[i] != other->shape[i] &&
            !(array->shape[i] == T && other->shape[i] == other_T) &&
            !(array->shape[i] == B && other->shape[i] == other_B))
            return 0;
    return 1;
}

/* Copies of all arrays of B. */
typedef struct arrays {
    nn_array items[BENCH_SORTS][BENCH_VALUES];
    uint32_t counts[BENCH_SORTS];
    int64_t T;
    int64_t B;
} arrays;

static const arrays *copy_arrays(bench *b)
{
    arrays *copy = trial_alloc(b->trial, sizeof *copy);
    enum bench_sort sort;
    uint32_t k;

    copy->T = b->T;
    copy->B = b->B;
    for (sort = 0; sort < BENCH_SORTS; ++sort) {
        copy->counts[sort] = b->sorts[sort].count;
        for (k = 0; k < b->sorts[sort].count; ++k)
            copy->items[sort][k] = b->sorts[sort].items[k].array;
    }
    return copy;
}

static int compare_arrays(bench *b, const arrays *a, const char *what)
{
    enum bench_sort sort;
    uint32_t k;

    trial_tested(b->trial, 1);
    for (sort = 0; sort < BENCH_SORTS; ++sort) {
        if (a->counts[sort] != b->sorts[sort].count) {
            trial_fail(
                b->trial,
                trial_text(b->trial, "buffers of case %s", b->one->label),
                trial_text(b->trial, "%s: %u", what, (unsigned)a->counts[sort]),
                trial_text(b->trial, "%u", (unsigned)b->sorts[sort].count));
            return -1;
        }
        for (k = 0; k < a->counts[sort]; ++k) {
            const nn_array *now = &b->sorts[sort].items[k].array;

            if (axes_agree(&a->items[sort][k], a->T, a->B, now, b->T, b->B))
                continue;
            trial_fail(b->trial, bench_say(b, sort, k, -1),
                       trial_text(b->trial, "%s: %s", what,
                                  shape_text(b, &a->items[sort][k])),
                       shape_text(b, now));
            return -1;
        }
    }
    return 0;
}

/* The axes for other T and B. */
static int test_sizes(bench *b, const arrays *first)
{
    int64_t T = b->T == 2 ? 3 : 2;
    int64_t B = b->B == 4 ? 1 : 4;

    if (bench_begin(b, T, B, b->flags))
        return -1;
    return compare_arrays(b, first,
                          trial_text(b->trial,
                                     "for T = %d, B = %d as for T = %d, B = "
                                     "%d but for these",
                                     (int)T, (int)B, (int)first->T,
                                     (int)first->B));
}

static void test_infer(trial *trial, const layer_cases *cases, uint32_t index)
{
    const bench_options options = {.T = 5, .B = 5};
    const layer_case *one = &cases->items[index];
    bench *b = bench_create(trial, one, &options);
    const arrays *first;

    if (!b)
        return;
    first = copy_arrays(b);
    if (!test_sizes(b, first)) {
        bench *other = bench_create(trial,
                                    &cases->items[(index + 1) % cases->count],
                                    &options);
        bench *again = bench_create(trial, one, &options);

        if (other && again)
            compare_arrays(again, first, "the second time as the first");
        bench_destroy(other);
        bench_destroy(again);
    }
    bench_destroy(b);
}

/* Feature axes of the first input. */
static uint32_t rank_of(const layer_case *one)
{
    uint32_t rank = one->n_inputs && *one->inputs[0].shape;
    const char *c;

    for (c = one->n_inputs ? one->inputs[0].shape : ""; *c; ++c)
        rank += *c == ',';
    return rank;
}

static void run_infer(trial *trial)
{
    const layer_cases *cases = layer_cases_make(trial, trial->level);
    const char *ranks = "";
    uint32_t seen = 0;
    uint32_t i;

    if (!cases->count) {
        if (trial->component->component->flags & NN_LAYER_INPUT)
            layer_cases_or_skip(trial);
        else
            trial_fail(trial, trial->component->component->name,
                       "a configuration that setup accepts, from parameters "
                       "and ports or from nn_component.cases",
                       cases->refusal);
        return;
    }
    for (i = 0; i < cases->count && !trial_failures(trial); ++i) {
        uint32_t rank = rank_of(&cases->items[i]);

        test_infer(trial, cases, i);
        if (!(seen & 1u << rank))
            ranks = trial_text(trial, "%s %u", ranks, (unsigned)rank);
        seen |= 1u << rank;
    }
    if (cases->refused)
        trial_note(trial,
                   "%u cases with feature axes%s; %u configurations refused",
                   (unsigned)cases->count, ranks, (unsigned)cases->refused);
}

const check layer_shape_infer = {
    .id = "layer.shape.infer",
    .kind = NN_KIND_LAYER,
    .level = LEVEL_BASIC,
    .what = "setup declares the same buffers for the same inputs, whatever T "
            "and B are",
    .why = "setup is called many times, also without a network; it must be a "
           "function of the shapes and parameters alone",
    .run = run_infer,
};

/* ---- invalid ----------------------------------------------------------- */

/* 1 if HANDLER can be made. */
static int exists(trial *trial, const char *handler)
{
    nn_part *part = NULL;
    int32_t code = nn_part_create(trial->plugins, NN_KIND_HANDLER, handler,
                                  NULL, &part);

    nn_part_destroy(part);
    return !code;
}

static const char *checking_handler(trial *trial)
{
    return exists(trial, "debug(reference)") ? "debug(reference)" : "reference";
}

static int mentions(const char *message, const nn_port *port)
{
    return strstr(message, port->name) ||
           ((port->flags & NN_PORT_VARIADIC) && strstr(message, "input"));
}

/* ONE must be refused with the name of its input INDEX, or run. */
static void test_wrong(trial *trial, const layer_case *one, uint32_t index)
{
    const nn_component *component = trial->component->component;
    const bench_options options = {.handler = checking_handler(trial)};
    const char *why = NULL;
    nn_config *config = layer_config_for(
        trial, layer_case_text(trial, one, NN_FLOAT64, 0), NULL, &why);
    bench *b;

    trial_tested(trial, 1);
    if (!config) {
        if (!mentions(why, component->inputs[one->inputs[index].port]))
            trial_fail(
                trial, trial_text(trial, "the message for %s", one->label),
                trial_text(trial, "the name of the port, '%s'",
                           component->inputs[one->inputs[index].port]->name),
                why);
        return;
    }
    nn_config_destroy(config);
    b = bench_create(trial, one, &options);
    if (!b)
        return;
    bench_draw(b, trial->seed);
    if (!bench_forward(b) && bench_has_backward(b))
        bench_backward(b);
    bench_destroy(b);
}

/* ONE with input INDEX of shape SHAPE. */
static void test_shape(trial *trial, const layer_case *one, uint32_t index,
                       const char *shape)
{
    layer_case changed = *one;

    changed.inputs[index].shape = shape;
    changed.label = trial_text(trial, "%s with input %u of (T, B, %s)",
                               one->label, (unsigned)index, shape);
    test_wrong(trial, &changed, index);
}

static void test_case(trial *trial, const layer_case *one)
{
    static const char *const shapes[] = {"4",       "6",         "1",
                                         "2, 5",    "5, 1",      "3, 2, 4",
                                         "3, 1, 5", "2, 2, 2, 2"};
    uint32_t i;
    size_t k;

    for (i = 1; i < one->n_inputs; ++i)
        for (k = 0;
             *one->inputs[i].shape && k < sizeof shapes / sizeof *shapes &&
             !trial_failures(trial);
             ++k)
            test_shape(trial, one, i, shapes[k]);
}

/* Sizes whose products do not fit: an error, or a size that is told. */
static void test_huge(trial *trial, const layer_case *one)
{
    static const char *const shapes[] = {"9223372036854775807",
                                         "4611686018427387904",
                                         "3037000500, 3037000500",
                                         "4294967296, 4294967296",
                                         "1, 2147483648, 2147483648, 4",
                                         "0",
                                         "-1"};
    size_t k;

    for (k = 0; one->n_inputs && k < sizeof shapes / sizeof *shapes; ++k) {
        layer_case changed = *one;
        nn_memory_summary memory = {.size = sizeof memory};
        nn_config *config;
        uint32_t i;

        for (i = 0; i < one->n_inputs; ++i)
            if (!strcmp(one->inputs[i].shape, one->inputs[0].shape))
                changed.inputs[i].shape = shapes[k];
        config = layer_config_for(
            trial, layer_case_text(trial, &changed, NN_FLOAT64, 0), NULL, NULL);
        trial_tested(trial, 1);
        if (config && !nn_config_memory(config, 2, 3, 1, &memory) &&
            (memory.total <= 0 || memory.parameters < 0 ||
             memory.activations <= 0))
            trial_fail(trial,
                       trial_text(trial, "inputs of (T, B, %s)", shapes[k]),
                       "an error, or the bytes that it takes",
                       trial_text(trial, "%" PRId64 " bytes", memory.total));
        nn_config_destroy(config);
    }
}

static void run_invalid(trial *trial)
{
    const layer_cases *cases = layer_cases_or_skip(trial);
    uint32_t i;

    for (i = 0; i < cases->count && !trial_failures(trial); ++i)
        test_case(trial, &cases->items[i]);
    if (cases->count)
        test_huge(trial, &cases->items[0]);
}

const check layer_shape_invalid = {
    .id = "layer.shape.invalid",
    .kind = NN_KIND_LAYER,
    .level = LEVEL_STANDARD,
    .what = "inputs that do not fit are refused with the name of the port",
    .why = "without it the first pass fails, or reads what is not there; "
           "sizes can be so large that their product overflows",
    .run = run_invalid,
};
