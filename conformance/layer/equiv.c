/* SPDX-License-Identifier: MIT */
/* equiv.c - the same work done in other ways: sample by sample, step by step,
 * on another handler and in another real type. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "conformance/layer/compare.h"
#include "conformance/layer/more.h"

#define SINGLE 536870912.0 /* epsilon of float32 in epsilons of float64 */

/* ---- layer.equiv.batch -------------------------------------------------- */

/* A part of the rows of a pass: T steps from t0 on, B samples from b0 on. */
typedef struct part_of {
    int64_t t0;
    int64_t b0;
    int64_t T;
    int64_t B;
} part_of;

/* 1 if value INDEX of SORT has a row for each time step and sample. */
static int has_rows(const bench *b, enum bench_sort sort, uint32_t index)
{
    const nn_array *array = &b->sorts[sort].items[index].array;

    return b->sorts[sort].items[index].count && array->ndim >= 3 &&
           array->shape[0] == b->T && array->shape[1] == b->B;
}

/* Copies the rows P of a pass of B samples from WHOLE to PIECE. */
static void take_rows(const part_of *p, int64_t B, int64_t row,
                      const double *whole, double *piece)
{
    int64_t t;

    for (t = 0; t < p->T; ++t)
        memcpy(piece + t * p->B * row, whole + ((p->t0 + t) * B + p->b0) * row,
               (size_t)(p->B * row) * sizeof *piece);
}

typedef struct whole {
    bench *b;
    const snapshot *values; /* inputs, parameters, deltas of outputs */
    const snapshot *results;
    int64_t T;
    int64_t B;
    int rows[BENCH_SORTS][BENCH_VALUES]; /* has_rows */
    int64_t row[BENCH_SORTS][BENCH_VALUES];
} whole;

#define GIVEN (SORTS_VARIABLES | SORT(BENCH_OUTPUT_DELTA) | SORT(BENCH_STATE))
#define RESULTS (SORT(BENCH_OUTPUT) | SORT(BENCH_INPUT_DELTA))

static int run_both(bench *b)
{
    bench_modes(b, NN_WRITE);
    if (bench_forward(b))
        return -1;
    return bench_has_backward(b) ? bench_backward(b) : 0;
}

static int take_whole(bench *b, whole *w)
{
    enum bench_sort sort;
    uint32_t k;

    memset(w, 0, sizeof *w);
    w->b = b;
    w->T = b->T;
    w->B = b->B;
    w->values = snapshot_take(b, GIVEN);
    if (run_both(b))
        return -1;
    w->results = snapshot_take(b, RESULTS);
    for (sort = 0; sort < BENCH_SORTS; ++sort)
        for (k = 0; k < b->sorts[sort].count; ++k) {
            w->rows[sort][k] = has_rows(b, sort, k);
            w->row[sort][k] = b->sorts[sort].items[k].count / (b->T * b->B);
        }
    return 0;
}

/* Sets the bench to the values that the rows P of W have. */
static void set_part(const whole *w, const part_of *p)
{
    bench *b = w->b;
    enum bench_sort sort;
    uint32_t k;

    for (sort = 0; sort < BENCH_SORTS; ++sort)
        for (k = 0; w->values->sorts & SORT(sort) && k < b->sorts[sort].count;
             ++k) {
            const double *values = w->values->values[sort][k];

            if (!b->sorts[sort].items[k].count || sort == BENCH_STATE)
                continue;
            if (w->rows[sort][k]) {
                double *piece = bench_numbers(b, b->sorts[sort].items[k].count);

                take_rows(p, w->B, w->row[sort][k], values, piece);
                values = piece;
            }
            bench_set(b, sort, k, values);
        }
}

static const nn_port *output_port(const bench *b, uint32_t index)
{
    const nn_component *c = b->trial->component->component;

    return c->outputs[index < c->n_outputs ? index : c->n_outputs - 1];
}

/* 1 if it has a loss: it is scaled by what a mask leaves of the batch, and its
 * derivative with it. */
static int has_loss(const bench *b)
{
    uint32_t k;

    for (k = 0; k < b->sorts[BENCH_OUTPUT].count; ++k)
        if (output_port(b, k)->flags & NN_PORT_LOSS)
            return 1;
    return 0;
}

/* 1 if value INDEX of SORT is a function of its own row. */
static int is_of_row(const whole *w, enum bench_sort sort, uint32_t index)
{
    if (!w->rows[sort][index])
        return 0;
    if (sort == BENCH_OUTPUT)
        return !(output_port(w->b, index)->flags &
                 (NN_PORT_LOSS | NN_PORT_WEIGHT));
    return bench_has_backward(w->b) && is_wanted(w->b, sort, index) &&
           !has_loss(w->b);
}

/* What the rows P of W's results are. */
static const snapshot *results_of(const whole *w, const part_of *p,
                                  const snapshot *got)
{
    snapshot *s = trial_alloc(w->b->trial, sizeof *s);
    enum bench_sort sort;
    uint32_t k;

    *s = *got;
    for (sort = 0; sort < BENCH_SORTS; ++sort)
        for (k = 0; s->sorts & SORT(sort) && k < w->b->sorts[sort].count; ++k) {
            if (!is_of_row(w, sort, k)) {
                s->counts[sort][k] = -1;
                continue;
            }
            s->values[sort][k] = bench_numbers(w->b, s->counts[sort][k]);
            take_rows(p, w->B, w->row[sort][k], w->results->values[sort][k],
                      s->values[sort][k]);
        }
    return s;
}

/* Runs the rows P alone; returns 0 to go on. */
static int run_part(const whole *w, const part_of *p, double factor,
                    const char *what)
{
    bench *b = w->b;
    const snapshot *got;

    if (bench_begin(b, p->T, p->B, NN_PASS_BACKWARD))
        return -1;
    set_part(w, p);
    if (run_both(b))
        return -1;
    got = snapshot_take(b, RESULTS);
    return compare_close(b, results_of(w, p, got), got, factor, what) ? -1 : 0;
}

/* 1 if every input has rows, so that parts of it are known. */
static int can_cut(const bench *b)
{
    uint32_t k;

    for (k = 0; k < b->sorts[BENCH_INPUT].count; ++k)
        if (b->sorts[BENCH_INPUT].items[k].count &&
            !has_rows(b, BENCH_INPUT, k))
            return 0;
    return 1;
}

static void test_batch(bench *b)
{
    double factor = rounding_factor(b);
    part_of p = {0, 0, 0, 1};
    whole w;

    if (bench_begin(b, b->T, b->B, NN_PASS_BACKWARD))
        return;
    bench_draw(b, b->trial->seed);
    trial_tested(b->trial, 1);
    if (!can_cut(b) || take_whole(b, &w))
        return;
    for (p.T = w.T; p.b0 < w.B; ++p.b0)
        if (run_part(&w, &p, factor, "as in the batch of all samples"))
            return;
    p.b0 = 0;
    p.B = w.B;
    p.T = 1;
    if (nn_network_context_bytes(b->network))
        return; /* steps depend on those before */
    for (; p.t0 < w.T; ++p.t0)
        if (run_part(&w, &p, factor, "as in the pass of all time steps"))
            return;
}

static void run_batch(trial *t)
{
    bench_each(t, NULL, 0, test_batch);
}

const check layer_equiv_batch = {
    .id = "layer.equiv.batch",
    .kind = NN_KIND_LAYER,
    .level = LEVEL_STANDARD,
    .what = "without TRAIN each sample gives alone what it gives in a batch",
    .why = "predictions must not depend on what else is predicted at the same "
           "time",
    .run = run_batch,
};

/* ---- layer.equiv.handlers ----------------------------------------------- */

/* Sets B to the numbers of S, rounded to B's type, and S to those. */
static void set_rounded(bench *b, const snapshot *s)
{
    enum bench_sort sort;
    uint32_t k;

    for (sort = 0; sort < BENCH_SORTS; ++sort)
        for (k = 0; s->sorts & SORT(sort) && k < b->sorts[sort].count; ++k)
            if (s->counts[sort][k] && b->sorts[sort].items[k].count)
                bench_set(b, sort, k, s->values[sort][k]);
}

/* Runs ONE on HANDLER in REAL and compares it with the reference in float64 on
 * the same numbers. */
static void compare_with(trial *t, const layer_case *one, const char *handler,
                         uint32_t real, double factor, const char *what)
{
    const bench_options options = {.handler = handler, .real = real};
    bench *truth = bench_create(t, one, NULL);
    bench *b = truth ? bench_create(t, one, &options) : NULL;
    const snapshot *expected = NULL;
    const snapshot *got = NULL;

    if (b) {
        bench_draw(b, t->seed);
        bench_draw(truth, t->seed);
        set_rounded(truth, snapshot_take(b, SORTS_VARIABLES |
                                                SORT(BENCH_OUTPUT_DELTA)));
        expected = more_run(truth);
        got = expected ? more_run(b) : NULL;
    }
    if (got)
        compare_close(b, expected, got, factor * rounding_factor(b), what);
    bench_destroy(b);
    bench_destroy(truth);
}

/* Runs ONE on HANDLER and on debug(HANDLER): no bit may differ. */
static void compare_debug(trial *t, const layer_case *one, const char *debug)
{
    const bench_options plain = {.handler = t->handler};
    const bench_options watched = {.handler = debug};
    bench *a = bench_create(t, one, &plain);
    bench *b = a ? bench_create(t, one, &watched) : NULL;
    const snapshot *expected = NULL;
    const snapshot *got = NULL;

    if (b) {
        bench_draw(a, t->seed);
        bench_draw(b, t->seed);
        expected = more_run(a);
        got = expected ? more_run(b) : NULL;
    }
    if (got)
        compare_exact(b, expected, got, "as without debug");
    bench_destroy(b);
    bench_destroy(a);
}

/* 1 if there is a handler NAME. */
static int there_is(trial *t, const char *name)
{
    nn_part *part = NULL;
    int32_t code = nn_part_create(t->plugins, NN_KIND_HANDLER, name, NULL,
                                  &part);

    nn_part_destroy(part);
    return code == NN_OK;
}

static void run_handlers(trial *t)
{
    const layer_cases *cases = layer_cases_or_skip(t);
    const char *debug = trial_text(t, "debug(%s)", t->handler);
    int debugs = there_is(t, debug);
    uint32_t most = t->level > LEVEL_STANDARD ? cases->count : 16;
    uint32_t i;

    if (cases->count && !there_is(t, t->handler)) {
        trial_skip(t, "there is no handler '%s'", t->handler);
        return;
    }
    if (!debugs)
        trial_note(t, "there is no handler '%s' to compare with", debug);
    for (i = 0; i < cases->count && i < most && trial_failures(t) < 3; ++i) {
        const layer_case *one = &cases->items[i];

        compare_with(t, one, t->handler, NN_FLOAT64, 4,
                     "as on the reference in float64");
        compare_with(t, one, t->handler, NN_FLOAT32, 4 * SINGLE,
                     "as on the reference in float64, within the rounding of "
                     "float32");
        if (debugs)
            compare_debug(t, one, debug);
    }
}

const check layer_equiv_handlers = {
    .id = "layer.equiv.handlers",
    .kind = NN_KIND_LAYER,
    .level = LEVEL_STANDARD,
    .what = "on every handler and in float32 it computes what it computes on "
            "the reference",
    .why = "a network that was trained on one device runs on another one; "
           "usual causes of a failure are constants that fit only one type",
    .run = run_handlers,
};
