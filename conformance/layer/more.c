/* SPDX-License-Identifier: MIT */
/* more.c - further checks of layers, in the order in which they run, and the
 * one of random numbers. */
#include "conformance/layer/more.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "conformance/layer/compare.h"
#include "conformance/watch.h"

const check *const layer_more_checks[] = {
    &layer_ops_handler_only,
    &layer_thread_tags,
    &layer_thread_instances,
    &layer_edge_size,
    &layer_edge_values,
    &layer_equiv_batch,
    &layer_equiv_handlers,
    &layer_rng,
    &layer_mem_leak,
    &layer_state,
    &layer_ops_unsupported,
    &layer_life,
    &layer_env,
    NULL,
};

const snapshot *more_run(bench *b)
{
    if (bench_has_backward(b)) {
        if (!derivatives(b))
            return NULL;
    } else if (bench_forward(b)) {
        return NULL;
    }
    return snapshot_take(b, SORT(BENCH_OUTPUT) | SORTS_DERIVATIVES);
}

/* ---- layer.rng ---------------------------------------------------------- */

#define PASSES 400 /* whose mean is taken */
#define SIGMAS 5.0
#define STEP 1e-6

/* Outputs of a TRAIN pass with these random numbers. */
static const snapshot *outputs_of(bench *b, const nn_random *random)
{
    if (nn_network_layer(b->network, "subject", NN_PASS_FORWARD_OF,
                         &b->context))
        return NULL;
    b->context->random = *random;
    return bench_forward(b) ? NULL : snapshot_take(b, SORT(BENCH_OUTPUT));
}

static int same(const bench *b, const snapshot *x, const snapshot *y)
{
    uint32_t k;

    for (k = 0; k < b->sorts[BENCH_OUTPUT].count; ++k)
        if (x->counts[BENCH_OUTPUT][k] &&
            memcmp(x->values[BENCH_OUTPUT][k], y->values[BENCH_OUTPUT][k],
                   (size_t)x->counts[BENCH_OUTPUT][k] * sizeof(double)) != 0)
            return 0;
    return 1;
}

/* Same numbers, same outputs; another seed, stream or offset, others. */
static int test_sources(bench *b, const nn_random *random, int *differs)
{
    const snapshot *first = outputs_of(b, random);
    const snapshot *again = first ? outputs_of(b, random) : NULL;
    int member;

    if (!again ||
        compare_exact(b, first, again, "the same for equal random numbers"))
        return -1;
    for (member = 0; member < 3; ++member) {
        nn_random other = *random;

        if (member == 0)
            other.seed += 12345;
        else if (member == 1)
            other.stream += 1u << 20;
        else
            other.offset += 3;
        again = outputs_of(b, &other);
        if (!again)
            return -1;
        differs[member] += !same(b, first, again);
    }
    return 0;
}

/* The derivative along a random direction of the inputs, with the random
 * numbers held: a backward that draws another mask is far from it. */
static void test_mask(bench *b, const nn_random *random)
{
    const bench_value *x = &b->sorts[BENCH_INPUT].items[0];
    double *values = bench_numbers(b, x->count);
    double *direction = bench_numbers(b, x->count);
    double *moved = bench_numbers(b, x->count);
    double *delta = bench_numbers(b, x->count);
    double sums[2];
    double scale = 0;
    double got = 0;
    double expected;
    int64_t i;
    int side;

    bench_get(b, BENCH_INPUT, 0, values);
    bench_random(b->trial->seed, 77, direction, x->count);
    for (side = 0; side < 2; ++side) {
        for (i = 0; i < x->count; ++i)
            moved[i] = values[i] + (side ? STEP : -STEP) * direction[i];
        bench_set(b, BENCH_INPUT, 0, moved);
        if (!outputs_of(b, random))
            return;
        sums[side] = bench_sum(b, &scale);
    }
    bench_set(b, BENCH_INPUT, 0, values);
    bench_modes(b, NN_WRITE);
    if (!outputs_of(b, random) || bench_backward(b))
        return;
    bench_get(b, BENCH_INPUT_DELTA, 0, delta);
    for (i = 0; i < x->count; ++i)
        got += delta[i] * direction[i];
    expected = (sums[1] - sums[0]) / (2 * STEP);
    trial_tested(b->trial, 1);
    if (fabs(got - expected) > 1e-4 * (scale + fabs(expected)))
        trial_fail(b->trial, bench_say(b, BENCH_INPUT_DELTA, 0, -1),
                   trial_text(b->trial,
                              "a derivative of %.6g along a "
                              "direction, with the mask of forward",
                              expected),
                   trial_text(b->trial, "%.6g", got));
}

/* Sums over all elements of all outputs of many passes. */
static int sum_passes(bench *b, const nn_random *random, double *mean,
                      double *deviation)
{
    double sum = 0;
    double squares = 0;
    int pass;
    uint32_t k;
    int64_t i;

    for (pass = 0; pass < PASSES; ++pass) {
        nn_random other = *random;
        const snapshot *s;
        double total = 0;

        other.offset += (uint64_t)pass;
        s = outputs_of(b, &other);
        if (!s)
            return -1;
        for (k = 0; k < b->sorts[BENCH_OUTPUT].count; ++k)
            for (i = 0; i < s->counts[BENCH_OUTPUT][k]; ++i)
                total += s->values[BENCH_OUTPUT][k][i];
        sum += total;
        squares += total * total;
    }
    *mean = sum / PASSES;
    *deviation = sqrt(fabs(squares / PASSES - *mean * *mean) / PASSES);
    return 0;
}

/* On average a TRAIN pass gives what evaluation gives. */
static void test_mean(bench *b, const nn_random *random)
{
    double mean = 0;
    double deviation = 0;
    double expected = 0;
    const snapshot *given = snapshot_take(b, SORTS_VARIABLES);
    const snapshot *s;
    enum bench_sort sort;
    uint32_t k;
    int64_t i;

    if (sum_passes(b, random, &mean, &deviation) ||
        bench_begin(b, b->T, b->B, 0))
        return;
    for (sort = 0; sort < BENCH_VARIABLES; ++sort)
        for (k = 0; k < b->sorts[sort].count; ++k)
            if (given->counts[sort][k] && b->sorts[sort].items[k].count)
                bench_set(b, sort, k, given->values[sort][k]);
    s = bench_forward(b) ? NULL : snapshot_take(b, SORT(BENCH_OUTPUT));
    for (k = 0; s && k < b->sorts[BENCH_OUTPUT].count; ++k)
        for (i = 0; i < s->counts[BENCH_OUTPUT][k]; ++i)
            expected += s->values[BENCH_OUTPUT][k][i];
    trial_tested(b->trial, 1);
    if (s && fabs(mean - expected) > SIGMAS * deviation + 1e-9 * fabs(mean))
        trial_fail(b->trial, bench_say(b, BENCH_OUTPUT, 0, -1),
                   trial_text(b->trial,
                              "over %d passes the sum that evaluation "
                              "has, %.6g, within 5 standard deviations of %.3g",
                              PASSES, expected, deviation),
                   trial_text(b->trial, "%.6g", mean));
}

static int differing[3];
static int n_means;

static void test_random(bench *b)
{
    const nn_random random = b->context->random;
    int is_random = (b->trial->component->component->flags & NN_LAYER_RANDOM) !=
                    0;

    if (test_sources(b, &random, differing) || !is_random)
        return;
    if (bench_has_backward(b) && bench_is_real(b, BENCH_INPUT, 0) &&
        is_wanted(b, BENCH_INPUT_DELTA, 0))
        test_mask(b, &random);
    if (n_means++ < 4)
        test_mean(b, &random);
}

/* Calls of the C library's generators and, while computing, clocks. */
static void judge_calls(trial *t)
{
    const watch_event *one;
    uint32_t i;

    for (i = 0; (one = watch_event_at(i)); ++i)
        if (one->group == WATCH_RANDOM ||
            (one->group == WATCH_CLOCK && (!strcmp(one->entered, "forward") ||
                                           !strcmp(one->entered, "backward"))))
            trial_fail(t,
                       trial_text(t, "%s%s%s", one->name,
                                  *one->entered ? " in " : "", one->entered),
                       "random numbers come from the context's `random`",
                       trial_text(t, "%" PRIu64 " calls", one->count));
}

static void run_rng(trial *t)
{
    static const char *const members[] = {"seed", "stream", "offset"};
    int is_random = (t->component->component->flags & NN_LAYER_RANDOM) != 0;
    int i;

    bench_each(t, NULL, 0, test_random);
    judge_calls(t);
    for (i = 0; i < 3 && n_means && !trial_failures(t); ++i)
        if (is_random && !differing[i])
            trial_fail(t, trial_text(t, "another random.%s", members[i]),
                       "other outputs in some case", "the same in all");
    for (i = 0; i < 3; ++i)
        if (!is_random && differing[i])
            trial_fail(t, trial_text(t, "another random.%s", members[i]),
                       "the same outputs, as its description lacks "
                       "NN_LAYER_RANDOM",
                       "others");
}

const check layer_rng = {
    .id = "layer.rng",
    .kind = NN_KIND_LAYER,
    .level = LEVEL_STANDARD,
    .what = "all chance comes from the context, is one in forward and backward "
            "and is fair",
    .why = "only then can a run be repeated, resumed and moved to another "
           "device; usual causes of a failure are rand(), a second draw in "
           "backward, and outputs that are not scaled by what is left",
    .run = run_rng,
};
