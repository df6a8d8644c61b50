/* SPDX-License-Identifier: MIT */
/* linear.c - backward is linear in the output deltas.
 *
 * Letters: v, w random output deltas; g(v) the derivatives; a, c numbers.
 * g(a v + c w) = a g(v) + c g(w) up to the rounding of sums of as many terms as
 * the largest array has elements, and g(0) is exactly 0: added to anything it
 * changes no bit. */
#include "conformance/layer/checks.h"
#include "conformance/layer/compare.h"
#include "conformance/layer/taylor.h"

#include <math.h>

/* Sets the output deltas to A times FIRST plus C times SECOND. */
static void mix(bench *b, double a, const snapshot *first, double c,
                const snapshot *second)
{
    uint32_t k;
    int64_t i;

    for (k = 0; k < b->sorts[BENCH_OUTPUT_DELTA].count; ++k) {
        int64_t count = b->sorts[BENCH_OUTPUT_DELTA].items[k].count;
        const double *v = snapshot_of(first, BENCH_OUTPUT_DELTA, k);
        const double *w = snapshot_of(second, BENCH_OUTPUT_DELTA, k);
        double *values = bench_numbers(b, count);

        for (i = 0; i < count; ++i)
            values[i] = a * v[i] + c * w[i];
        bench_set(b, BENCH_OUTPUT_DELTA, k, values);
    }
}

static const snapshot *combine(bench *b, double a, const snapshot *first,
                               double c, const snapshot *second)
{
    snapshot *s = trial_alloc(b->trial, sizeof *s);
    enum bench_sort sort;
    uint32_t k;
    int64_t i;

    *s = *first;
    for (sort = BENCH_INPUT_DELTA; sort <= BENCH_REFERENCE_DELTA; ++sort)
        for (k = 0; k < b->sorts[sort].count; ++k) {
            s->values[sort][k] = bench_numbers(b, s->counts[sort][k]);
            for (i = 0; i < s->counts[sort][k]; ++i)
                s->values[sort][k][i] = is_wanted(b, sort, k)
                                            ? a * first->values[sort][k][i] +
                                                  c * second->values[sort][k][i]
                                            : first->values[sort][k][i];
        }
    return s;
}

static const snapshot *draw_deltas(bench *b, uint64_t seed)
{
    uint32_t k;

    for (k = 0; k < b->sorts[BENCH_OUTPUT_DELTA].count; ++k)
        bench_draw_value(b, BENCH_OUTPUT_DELTA, k, seed);
    return snapshot_take(b, SORT(BENCH_OUTPUT_DELTA));
}

/* Zero output deltas leave what is ADD as it is, to the bit. */
static void test_zero(bench *b, const snapshot *v)
{
    const snapshot *before;
    enum bench_sort sort;
    uint32_t k;

    mix(b, 0, v, 0, v);
    bench_modes(b, NN_ADD);
    for (sort = BENCH_INPUT_DELTA; sort <= BENCH_REFERENCE_DELTA; ++sort)
        for (k = 0; k < b->sorts[sort].count; ++k) {
            double *values = bench_numbers(b, b->sorts[sort].items[k].count);

            bench_random(b->trial->seed, 900 + 10 * sort + k, values,
                         b->sorts[sort].items[k].count);
            bench_set(b, sort, k, values);
        }
    before = snapshot_take(b, SORTS_DERIVATIVES);
    if (!bench_forward(b) && !bench_backward(b))
        compare_exact(b, before, snapshot_take(b, SORTS_DERIVATIVES),
                      "what was there, output deltas being zero");
}

static void test_linear(bench *b)
{
    const snapshot *v = draw_deltas(b, b->trial->seed + 1);
    const snapshot *gv = derivatives(b);
    const snapshot *w = draw_deltas(b, b->trial->seed + 2);
    const snapshot *gw = derivatives(b);
    const snapshot *both;

    if (!gv || !gw)
        return;
    mix(b, 0.75, v, -1.5, w);
    both = derivatives(b);
    if (!both)
        return;
    if (!compare_close(b, combine(b, 0.75, gv, -1.5, gw), both,
                       4 * rounding_factor(b),
                       "0.75 of the derivatives for one output delta minus 1.5 "
                       "of those for another"))
        test_zero(b, v);
}

static void run_linear(trial *trial)
{
    bench_each(trial, &on_handler, 1, test_linear);
}

const check layer_grad_linear = {
    .id = "layer.grad.linear",
    .kind = NN_KIND_LAYER,
    .level = LEVEL_BASIC,
    .what = "derivatives are linear in the output deltas",
    .why = "what is not holds something from a run before, or uses an output "
           "delta twice",
    .run = run_linear,
};

/* ---- several outputs --------------------------------------------------- */

static uint32_t count_deltas(const bench *b)
{
    uint32_t count = 0;
    uint32_t k;

    for (k = 0; k < b->sorts[BENCH_OUTPUT_DELTA].count; ++k)
        count += b->sorts[BENCH_OUTPUT_DELTA].items[k].count != 0;
    return count;
}

/* Leaves only the delta of output ONLY; *KEPT gets what the others were. */
static void leave(bench *b, uint32_t only, double **kept)
{
    uint32_t k;

    for (k = 0; k < b->sorts[BENCH_OUTPUT_DELTA].count; ++k) {
        bench_value *value = &b->sorts[BENCH_OUTPUT_DELTA].items[k];

        kept[k] = value->kept;
        if (k == only || !value->count)
            continue;
        value->kept = bench_numbers(b, value->count);
        bench_fill(b, BENCH_OUTPUT_DELTA, k, 0.0);
    }
}

static void give_back(bench *b, double *const *kept)
{
    uint32_t k;

    for (k = 0; k < b->sorts[BENCH_OUTPUT_DELTA].count; ++k) {
        b->sorts[BENCH_OUTPUT_DELTA].items[k].kept = kept[k];
        if (kept[k])
            bench_set(b, BENCH_OUTPUT_DELTA, k, kept[k]);
    }
}

static int n_with_several; /* cases that have several output deltas */

static void test_outputs(bench *b)
{
    const snapshot *all = count_deltas(b) < 2 ? NULL : derivatives(b);
    const snapshot *total = NULL;
    double *kept[BENCH_VALUES];
    uint32_t k;

    n_with_several += count_deltas(b) >= 2;
    if (!all)
        return;
    for (k = 0; k < b->sorts[BENCH_OUTPUT_DELTA].count; ++k) {
        const char *name = b->sorts[BENCH_OUTPUT_DELTA].items[k].name;
        const snapshot *alone;

        if (!b->sorts[BENCH_OUTPUT_DELTA].items[k].count)
            continue;
        leave(b, k, kept);
        alone = derivatives(b);
        if (alone)
            taylor_test(b, b->trial->seed + k,
                        trial_text(b->trial, "of output '%s' alone: ", name));
        give_back(b, kept);
        if (!alone)
            return;
        total = total ? combine(b, 1, total, 1, alone) : alone;
    }
    compare_close(b, total, all, 4 * rounding_factor(b),
                  "the sum of the derivatives of each output alone");
}

static void run_outputs(trial *trial)
{
    bench_each(trial, NULL, 1, test_outputs);
    if (!n_with_several && !trial_failures(trial))
        trial_skip(trial, "the layer has one output with a delta at most");
}

const check layer_grad_multi_out = {
    .id = "layer.grad.multi-out",
    .kind = NN_KIND_LAYER,
    .level = LEVEL_STANDARD,
    .what = "each output alone has its right derivatives, and all together "
            "their sum",
    .why = "a term that only one output contributes is easily forgotten, or "
           "written over by that of another",
    .run = run_outputs,
};
