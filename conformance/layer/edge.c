/* SPDX-License-Identifier: MIT */
/* edge.c - sizes and numbers that are unusual. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "conformance/layer/compare.h"
#include "conformance/layer/more.h"
#include "conformance/plugin/fpu.h"

#define WIDE "1031" /* features of a wide input, a prime */

/* ---- layer.edge.size ---------------------------------------------------- */

/* Forward and backward: everything that is real is written. */
static void run_sizes(bench *b, const char *what)
{
    const snapshot *s = NULL;
    enum bench_sort sort;
    uint32_t k;
    int64_t i;

    bench_draw(b, b->trial->seed);
    if (bench_has_backward(b) ? !derivatives(b) : 0)
        return;
    if (bench_forward_on(b, NAN))
        return;
    s = snapshot_take(b, SORT(BENCH_OUTPUT) | SORTS_DERIVATIVES);
    trial_tested(b->trial, 1);
    for (sort = 0; sort < BENCH_SORTS; ++sort)
        for (k = 0; s->sorts & SORT(sort) && k < b->sorts[sort].count; ++k) {
            if (sort != BENCH_OUTPUT &&
                (!bench_has_backward(b) || !is_wanted(b, sort, k)))
                continue;
            for (i = 0; i < s->counts[sort][k]; ++i)
                if (isnan(s->values[sort][k][i])) {
                    trial_fail(b->trial, bench_say(b, sort, k, i),
                               trial_text(b->trial, "a number, %s", what),
                               "NaN, or nothing was written");
                    return;
                }
        }
}

static void run_small(trial *t, const layer_case *one)
{
    static const int64_t sizes[][2] = {{1, 1}, {1, 7}, {7, 1}, {5, 13}};
    const bench_options options = {.T = 7, .B = 13};
    bench *b = bench_create(t, one, &options);
    size_t i;

    for (i = 0; b && i < sizeof sizes / sizeof *sizes; ++i)
        if (!bench_begin(b, sizes[i][0], sizes[i][1],
                         NN_PASS_TRAIN | NN_PASS_BACKWARD))
            run_sizes(b, trial_text(t, "with T = %" PRId64 " and B = %" PRId64,
                                    sizes[i][0], sizes[i][1]));
    bench_destroy(b);
}

/* A pass without time steps or samples is the core's to refuse. */
static void refuse_nothing(trial *t, const layer_case *one)
{
    bench *b = bench_create(t, one, NULL);
    int refused;

    if (!b)
        return;
    refused = nn_network_begin(b->network, 0, 1, NN_PASS_TRAIN) &&
              nn_network_begin(b->network, 1, 0, NN_PASS_TRAIN);
    trial_note(t, refused ? "passes with T = 0 or B = 0 are refused by the "
                            "library, and were not tried"
                          : "passes with T = 0 or B = 0 were not tried");
    if (!bench_begin(b, one->T, one->B, NN_PASS_TRAIN | NN_PASS_BACKWARD))
        run_sizes(b, "after a pass that was refused");
    bench_destroy(b);
}

/* Every input of one feature axis becomes wide. */
static void run_wide(trial *t, const layer_case *like)
{
    layer_case one = *like;
    const char *why = NULL;
    nn_config *config;
    bench *b;
    uint32_t i;

    for (i = 0; i < one.n_inputs; ++i)
        if (*one.inputs[i].shape && !strchr(one.inputs[i].shape, ',') &&
            strcmp(one.inputs[i].shape, "1") != 0)
            one.inputs[i].shape = WIDE;
    one.label = trial_text(t, "%s with " WIDE " features", like->label);
    one.T = 2;
    one.B = 2;
    config = layer_config_for(t, layer_case_text(t, &one, NN_FLOAT64, 0), NULL,
                              &why);
    if (!config)
        return;
    nn_config_destroy(config);
    b = bench_create(t, &one, NULL);
    if (b)
        run_sizes(b, "with " WIDE " features");
    bench_destroy(b);
}

static void run_size(trial *t)
{
    const layer_cases *cases = layer_cases_or_skip(t);
    uint32_t i;

    for (i = 0; i < cases->count && i < 6 && trial_failures(t) < 3; ++i) {
        run_small(t, &cases->items[i]);
        run_wide(t, &cases->items[i]);
    }
    if (cases->count)
        refuse_nothing(t, cases->items);
}

const check layer_edge_size = {
    .id = "layer.edge.size",
    .kind = NN_KIND_LAYER,
    .level = LEVEL_STANDARD,
    .what = "it works for one sample, one time step, odd and large sizes",
    .why = "the last batch of an epoch may have one sample, and no size is a "
           "multiple of anything",
    .run = run_size,
};

/* ---- layer.edge.values -------------------------------------------------- */

/* Sets all real inputs to VALUES, in turn. */
static void set_inputs(bench *b, const double *values, int count)
{
    uint32_t k;
    int64_t i;

    for (k = 0; k < b->sorts[BENCH_INPUT].count; ++k) {
        const bench_value *input = &b->sorts[BENCH_INPUT].items[k];
        double *numbers;

        if (!bench_is_real(b, BENCH_INPUT, k) ||
            b->one->inputs[k].content != NN_CONTENT_ANY)
            continue;
        numbers = bench_numbers(b, input->count);
        for (i = 0; i < input->count; ++i)
            numbers[i] = values[i % count];
        bench_set(b, BENCH_INPUT, k, numbers);
    }
}

static int64_t count_odd(bench *b)
{
    const snapshot *s = snapshot_take(b, SORT(BENCH_OUTPUT));
    int64_t odd = 0;
    uint32_t k;
    int64_t i;

    for (k = 0; k < b->sorts[BENCH_OUTPUT].count; ++k)
        for (i = 0; i < s->counts[BENCH_OUTPUT][k]; ++i)
            odd += !isfinite(s->values[BENCH_OUTPUT][k][i]);
    return odd;
}

static int64_t n_odd; /* outputs that were not finite for finite inputs */

static fpu_state before; /* the first call of the layer */

static void run_numbers(bench *b, const char *name, const double *values,
                        int count, int finite)
{
    set_inputs(b, values, count);
    if (bench_forward(b))
        return;
    fpu_judge(b->trial, trial_text(b->trial, "forward of %s", name), before);
    if (finite)
        n_odd += count_odd(b);
    bench_modes(b, NN_WRITE);
    if (!bench_has_backward(b) || bench_backward(b))
        return;
    fpu_judge(b->trial, trial_text(b->trial, "backward of %s", name), before);
}

static void test_values(bench *b)
{
    static const double zeros[] = {0.0, -0.0, 0.0};
    static const double denormal[] = {5e-324, -5e-324, 1e-310, 0.5};
    static const double large[] = {1e30, -1e30, 1e3, -1e3};
    static const double middle[] = {40, -40, 700, -745};
    const double odd[] = {NAN, 1, -1, NAN};
    const double infinite[] = {INFINITY, 1, -INFINITY};
    const snapshot *given = snapshot_take(b, SORT(BENCH_INPUT));
    const snapshot *first;
    const snapshot *again;
    uint32_t k;

    if (bench_forward(b))
        return;
    first = snapshot_take(b, SORT(BENCH_OUTPUT));
    run_numbers(b, "zeros of both signs", zeros, 3, 1);
    run_numbers(b, "denormal numbers", denormal, 4, 1);
    run_numbers(b, "1e30", large, 4, 1);
    run_numbers(b, "numbers that saturate", middle, 4, 1);
    run_numbers(b, "NaN", odd, 4, 0);
    run_numbers(b, "infinity", infinite, 3, 0);
    for (k = 0; k < b->sorts[BENCH_INPUT].count; ++k)
        if (given->counts[BENCH_INPUT][k])
            bench_set(b, BENCH_INPUT, k, given->values[BENCH_INPUT][k]);
    if (bench_forward(b))
        return;
    again = snapshot_take(b, SORT(BENCH_OUTPUT));
    compare_exact(b, first, again, "as before NaN and infinity passed through");
}

static void run_values(trial *t)
{
    before = fpu_look();
    bench_each(t, NULL, 0, test_values);
    if (n_odd)
        trial_note(t,
                   "%" PRId64 " outputs are not finite for finite inputs of "
                   "up to 1e30",
                   n_odd);
}

const check layer_edge_values = {
    .id = "layer.edge.values",
    .kind = NN_KIND_LAYER,
    .level = LEVEL_STANDARD,
    .what = "no number upsets it, and it leaves arithmetic as it was",
    .why = "training that diverges brings NaN, which must end with a message "
           "and not with a crash; what was there before must not stay",
    .run = run_values,
};
