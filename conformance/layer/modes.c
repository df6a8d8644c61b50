/* SPDX-License-Identifier: MIT */
/* modes.c - WRITE, ADD and DISCARD of derivatives, and deltas that are absent.
 *
 * Letters: g what backward writes with WRITE; G random numbers that stand in an
 * array before.  ADD gives G + g, twice G + 2 g, up to the rounding of sums of
 * as many terms as the largest array has elements. */
#include "conformance/layer/checks.h"
#include "conformance/layer/compare.h"

#include <math.h>
#include <string.h>

/* Puts random numbers of SEED, times SCALE, where derivatives go. */
static void prefill(bench *b, uint64_t seed, double scale)
{
    enum bench_sort sort;
    uint32_t k;
    int64_t i;

    for (sort = BENCH_INPUT_DELTA; sort <= BENCH_REFERENCE_DELTA; ++sort)
        for (k = 0; k < b->sorts[sort].count; ++k) {
            int64_t count = b->sorts[sort].items[k].count;
            double *values = bench_numbers(b, count);

            bench_random(seed, 50 + 100 * sort + k, values, count);
            for (i = 0; i < count; ++i)
                values[i] *= scale;
            bench_set(b, sort, k, values);
        }
}

/* A + FACTOR * B. */
static const snapshot *sum(bench *b, const snapshot *a, double factor,
                           const snapshot *c)
{
    snapshot *s = trial_alloc(b->trial, sizeof *s);
    enum bench_sort sort;
    uint32_t k;
    int64_t i;

    *s = *a;
    for (sort = BENCH_INPUT_DELTA; sort <= BENCH_REFERENCE_DELTA; ++sort)
        for (k = 0; k < b->sorts[sort].count; ++k) {
            s->values[sort][k] = bench_numbers(b, s->counts[sort][k]);
            for (i = 0; is_wanted(b, sort, k) && i < s->counts[sort][k]; ++i)
                s->values[sort][k][i] = a->values[sort][k][i] +
                                        factor * c->values[sort][k][i];
            for (i = 0; !is_wanted(b, sort, k) && i < s->counts[sort][k]; ++i)
                s->values[sort][k][i] = a->values[sort][k][i];
        }
    return s;
}

/* ---- accumulate -------------------------------------------------------- */

static void test_accumulate(bench *b)
{
    const snapshot *g = derivatives(b);
    const snapshot *before;

    if (!g)
        return;
    bench_modes(b, NN_ADD);
    prefill(b, b->trial->seed, 1.0);
    before = snapshot_take(b, SORTS_DERIVATIVES);
    if (bench_backward(b))
        return;
    if (compare_close(b, sum(b, before, 1, g),
                      snapshot_take(b, SORTS_DERIVATIVES), rounding_factor(b),
                      "what was there plus the derivative"))
        return;
    if (bench_backward(b))
        return;
    compare_close(b, sum(b, before, 2, g), snapshot_take(b, SORTS_DERIVATIVES),
                  rounding_factor(b),
                  "what was there plus the derivative twice");
}

static void run_accumulate(trial *trial)
{
    bench_each(trial, &on_handler, 1, test_accumulate);
}

const check layer_grad_accumulate = {
    .id = "layer.grad.accumulate",
    .kind = NN_KIND_LAYER,
    .level = LEVEL_BASIC,
    .what = "what is ADD is added to, and not replaced",
    .why = "a layer whose output has several readers, and gradients of several "
           "batches, depend on it; write through operations that honour the "
           "mode, the second time through nn_adding",
    .run = run_accumulate,
};

/* ---- modes ------------------------------------------------------------- */

/* What derivative INDEX of SORT is once it is DISCARD, and the others once they
 * are WRITE as before. */
static void test_discard(bench *b, enum bench_sort sort, uint32_t index,
                         const snapshot *g)
{
    bench_value *value = &b->sorts[sort].items[index];
    const snapshot *before;
    snapshot *expected = trial_alloc(b->trial, sizeof *expected);
    int32_t group = value->group;
    uint32_t k;

    bench_modes(b, NN_WRITE);
    *expected = *g;
    prefill(b, b->trial->seed + 1, 1.0);
    before = snapshot_take(b, SORTS_DERIVATIVES);
    for (k = 0; k < b->sorts[sort].own; ++k)
        if (k == index ||
            (group >= 0 && b->sorts[sort].items[k].group == group)) {
            b->sorts[sort].items[k].mode = NN_DISCARD;
            expected->values[sort][k] = before->values[sort][k];
        }
    for (k = 0; k < b->sorts[BENCH_INPUT_DELTA].count; ++k)
        if (!is_wanted(b, BENCH_INPUT_DELTA, k))
            expected->values[BENCH_INPUT_DELTA][k] =
                before->values[BENCH_INPUT_DELTA][k];
    if (!bench_backward(b))
        compare_close(b, expected, snapshot_take(b, SORTS_DERIVATIVES),
                      rounding_factor(b),
                      trial_text(b->trial, "with %s DISCARD",
                                 bench_name(b, sort, index)));
}

static void test_modes(bench *b)
{
    const snapshot *g = derivatives(b);
    enum bench_sort sort;
    uint32_t k;

    if (!g)
        return;
    bench_modes(b, NN_ADD);
    prefill(b, b->trial->seed, 0.0);
    if (bench_backward(b))
        return;
    if (compare_close(b, g, snapshot_take(b, SORTS_DERIVATIVES),
                      rounding_factor(b), "with WRITE what ADD gives on zeros"))
        return;
    b->discard_memory = 1;
    for (sort = BENCH_INPUT_DELTA; sort <= BENCH_GRADIENT; ++sort)
        for (k = 0; k < b->sorts[sort].own; ++k)
            if (is_wanted(b, sort, k))
                test_discard(b, sort, k, g);
    b->discard_memory = 0;
}

static void run_modes(trial *trial)
{
    bench_each(trial, &on_handler, 1, test_modes);
}

const check layer_grad_modes = {
    .id = "layer.grad.modes",
    .kind = NN_KIND_LAYER,
    .level = LEVEL_BASIC,
    .what = "WRITE replaces, DISCARD leaves alone, and no mode changes another "
            "array",
    .why = "the core chooses the modes: first writer, later ones, and deltas "
           "that nobody reads; a value that survives WRITE is stale",
    .run = run_modes,
};

/* ---- discarded output deltas ------------------------------------------- */

static void all_zero(bench *b, const snapshot *s, const char *what)
{
    enum bench_sort sort;
    uint32_t k;
    int64_t i;

    for (sort = BENCH_INPUT_DELTA; sort <= BENCH_REFERENCE_DELTA; ++sort)
        for (k = 0; k < b->sorts[sort].count; ++k)
            for (i = 0; is_wanted(b, sort, k) && i < s->counts[sort][k]; ++i)
                if (s->values[sort][k][i] != 0) {
                    fail_at(b, sort, k, i, what, 0, s->values[sort][k][i]);
                    break;
                }
    trial_tested(b->trial, 1);
}

static void set_outputs(bench *b, uint32_t mode)
{
    bench_values *deltas = &b->sorts[BENCH_OUTPUT_DELTA];
    uint32_t k;

    for (k = 0; k < deltas->count; ++k)
        if (deltas->items[k].count)
            deltas->items[k].mode = mode;
}

static void test_discarded(bench *b)
{
    bench_values *deltas = &b->sorts[BENCH_OUTPUT_DELTA];
    const snapshot *absent;
    uint32_t k;

    for (k = 0; k < deltas->count; ++k) {
        if (!deltas->items[k].count)
            continue;
        deltas->items[k].mode = NN_DISCARD;
        absent = derivatives(b);
        deltas->items[k].mode = NN_WRITE;
        bench_fill(b, BENCH_OUTPUT_DELTA, k, 0.0);
        if (absent)
            compare_close(b, derivatives(b), absent, rounding_factor(b),
                          trial_text(b->trial,
                                     "without a delta of output '%s', as with "
                                     "one that is zero",
                                     deltas->items[k].name));
        bench_set(b, BENCH_OUTPUT_DELTA, k, deltas->items[k].kept);
    }
    set_outputs(b, NN_DISCARD);
    absent = derivatives(b);
    set_outputs(b, NN_WRITE);
    if (absent)
        all_zero(b, absent, "without a delta of any output");
}

static void run_discarded(trial *trial)
{
    bench_each(trial, &on_handler, 1, test_discarded);
}

const check layer_grad_discarded_output = {
    .id = "layer.grad.discarded-output",
    .kind = NN_KIND_LAYER,
    .level = LEVEL_STANDARD,
    .what = "an output that nobody reads counts as one whose delta is zero",
    .why = "its delta is DISCARD and has no memory; what is WRITE must be set "
           "to zero all the same",
    .run = run_discarded,
};

/* ---- flags ------------------------------------------------------------- */

#define MAX_NAMES 64

/* Which derivatives were non-zero for some case. */
typedef struct seen {
    const char *names[MAX_NAMES];
    int nonzero[MAX_NAMES];
    int count;
} seen;

static seen *all_seen;

static void note_seen(bench *b, enum bench_sort sort, uint32_t index,
                      int nonzero)
{
    const char *name = bench_name(b, sort, index);
    int i = 0;

    while (i < all_seen->count && strcmp(all_seen->names[i], name))
        ++i;
    if (i == MAX_NAMES)
        return;
    if (i == all_seen->count) {
        all_seen->names[i] = name;
        ++all_seen->count;
    }
    all_seen->nonzero[i] |= nonzero;
}

static void test_flags(bench *b)
{
    const snapshot *before;
    const snapshot *after;
    enum bench_sort sort;
    uint32_t k;
    int64_t i;

    if (!derivatives(b))
        return;
    b->discard_memory = 1;
    prefill(b, b->trial->seed, 1.0);
    before = snapshot_take(b, SORTS_DERIVATIVES);
    if (bench_backward(b))
        return;
    after = snapshot_take(b, SORTS_DERIVATIVES);
    for (sort = BENCH_INPUT_DELTA; sort <= BENCH_REFERENCE_DELTA; ++sort)
        for (k = 0; k < b->sorts[sort].count; ++k) {
            const double *x = before->values[sort][k];
            const double *y = after->values[sort][k];
            int nonzero = 0;

            for (i = 0; i < after->counts[sort][k]; ++i) {
                nonzero |= y[i] != 0;
                if (!is_wanted(b, sort, k) && x[i] != y[i]) {
                    fail_at(b, sort, k, i,
                            "untouched, since the port says NO_DELTA", x[i],
                            y[i]);
                    break;
                }
            }
            if (is_wanted(b, sort, k))
                note_seen(b, sort, k, nonzero);
        }
    trial_tested(b->trial, 1);
}

static void run_flags(trial *trial)
{
    int i;

    all_seen = trial_alloc(trial, sizeof *all_seen);
    bench_each(trial, NULL, 1, test_flags);
    for (i = 0; i < all_seen->count && !trial_failures(trial); ++i)
        if (!all_seen->nonzero[i])
            trial_fail(
                trial, all_seen->names[i],
                "a number other than 0 in some case, or NN_PORT_NO_DELTA",
                "0 everywhere in every case");
}

const check layer_grad_flags = {
    .id = "layer.grad.flags",
    .kind = NN_KIND_LAYER,
    .level = LEVEL_BASIC,
    .what = "inputs that say NO_DELTA get no delta, and all others do",
    .why = "a backward that writes zeros passes many tests and trains nothing",
    .run = run_flags,
};
