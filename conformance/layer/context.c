/* SPDX-License-Identifier: MIT */
/* context.c - frames that are carried from pass to pass.
 *
 * Letters: S the time steps of a whole sequence, cut after the first C of them.
 * A pass over C steps, then one over the rest that carries on, give the outputs
 * of one pass over S; so do S passes of one step.  A row that begins anew, and
 * a pass that carries nothing, are as if nothing had been before.  Derivatives
 * of the second pass take the carried frames as given numbers. */
#include "conformance/layer/checks.h"
#include "conformance/layer/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define STEPS 5
#define FIRST 3
#define SAMPLES 3

static int failed(bench *b, const char *what)
{
    const char *text = NULL;

    nn_error(NULL, &text);
    trial_fail(b->trial,
               trial_text(b->trial, "%s, case %s", what, b->one->label),
               "success", text);
    return -1;
}

/* The inputs of all steps, or the outputs. */
static const snapshot *draw_sequence(bench *b)
{
    if (bench_begin(b, STEPS, SAMPLES, NN_PASS_BACKWARD))
        return NULL;
    bench_draw(b, b->trial->seed);
    return snapshot_take(b, SORT(BENCH_INPUT));
}

static int has_time(const nn_array *array, int64_t T)
{
    return array->ndim >= 2 && array->shape[0] == T;
}

/* Begins a pass over STEPS of the sequence from step START on. */
static int begin_part(bench *b, const snapshot *x, int64_t start, int64_t steps)
{
    uint32_t k;

    if (bench_begin(b, steps, SAMPLES, NN_PASS_BACKWARD))
        return -1;
    for (k = 0; k < b->sorts[BENCH_INPUT].count; ++k) {
        int64_t count = b->sorts[BENCH_INPUT].items[k].count;

        if (count)
            bench_set(b, BENCH_INPUT, k,
                      x->values[BENCH_INPUT][k] + start * (count / steps));
    }
    return 0;
}

static int run(bench *b, int carry, const uint8_t *begins)
{
    return nn_network_forward(b->network, carry, begins) ? failed(b, "forward")
                                                         : 0;
}

/* Compares the outputs that B holds with those in WHOLE from START on. */
static int compare_part(bench *b, const snapshot *whole, int64_t start,
                        int64_t row_only, const char *what)
{
    const snapshot *got = snapshot_take(b, SORT(BENCH_OUTPUT));
    uint32_t k;
    int64_t i;

    trial_tested(b->trial, 1);
    for (k = 0; k < b->sorts[BENCH_OUTPUT].count; ++k) {
        const bench_value *y = &b->sorts[BENCH_OUTPUT].items[k];
        int64_t step = y->count / b->T;
        const double *expected = whole->values[BENCH_OUTPUT][k] + start * step;

        if (!has_time(&y->array, b->T))
            continue;
        for (i = 0; i < y->count; ++i) {
            double value = got->values[BENCH_OUTPUT][k][i];

            if (row_only >= 0 && i % step / (step / SAMPLES) != row_only)
                continue;
            if (fabs(value - expected[i]) <=
                rounding_factor(b) * MACHINE_EPSILON * (fabs(expected[i]) + 1))
                continue;
            fail_at(b, BENCH_OUTPUT, k, i, what, expected[i], value);
            return -1;
        }
    }
    return 0;
}

static int test_parts(bench *b, const snapshot *x, const snapshot *y)
{
    static const uint8_t begins[SAMPLES] = {0, 1, 0};
    const snapshot *fresh;
    int64_t t;

    if (begin_part(b, x, FIRST, STEPS - FIRST) || run(b, 0, NULL))
        return -1;
    fresh = snapshot_take(b, SORT(BENCH_OUTPUT));
    if (begin_part(b, x, 0, FIRST) || run(b, 0, NULL) ||
        compare_part(b, y, 0, -1, "the first steps of the whole sequence") ||
        begin_part(b, x, FIRST, STEPS - FIRST) || run(b, 1, NULL) ||
        compare_part(b, y, FIRST, -1,
                     "carried on, the last steps of the whole sequence"))
        return -1;
    if (begin_part(b, x, 0, FIRST) || run(b, 0, NULL) ||
        begin_part(b, x, FIRST, STEPS - FIRST) || run(b, 1, begins) ||
        compare_part(b, fresh, 0, 1, "in a row that begins, as if alone") ||
        compare_part(b, y, FIRST, 2, "in a row that goes on"))
        return -1;
    if (begin_part(b, x, FIRST, STEPS - FIRST) || run(b, 0, NULL) ||
        compare_part(b, fresh, 0, -1, "without carrying, as if alone"))
        return -1;
    for (t = 0; t < STEPS; ++t)
        if (begin_part(b, x, t, 1) || run(b, t > 0, NULL) ||
            compare_part(b, y, t, -1, "step by step, the whole sequence"))
            return -1;
    return 0;
}

/* ---- derivatives over the boundary ------------------------------------- */

typedef struct carried {
    bench *b;
    void *bytes;
    const snapshot *x;
    double *d[BENCH_VARIABLES][BENCH_VALUES];
    double slope;
    double scale;
} carried;

/* The sum of outputs times deltas at x + h d, frames carried as kept. */
static double along(carried *c, double h)
{
    bench *b = c->b;
    enum bench_sort sort;
    uint32_t k;
    int64_t i;

    for (sort = 0; sort < BENCH_VARIABLES; ++sort)
        for (k = 0; k < b->sorts[sort].count; ++k) {
            int64_t count = b->sorts[sort].items[k].count;
            double *values = bench_numbers(b, count);

            if (!c->d[sort][k])
                continue;
            for (i = 0; i < count; ++i)
                values[i] = c->x->values[sort][k][i] + h * c->d[sort][k][i];
            bench_set(b, sort, k, values);
        }
    if (nn_network_context_set(b->network, c->bytes, b->B) || run(b, 1, NULL))
        return NAN;
    return bench_sum(b, NULL);
}

/* The direction, and the derivative along it by backward. */
static int make_direction(carried *c)
{
    bench *b = c->b;
    const snapshot *g;
    enum bench_sort sort;
    uint32_t k;
    int64_t i;

    if (nn_network_context_set(b->network, c->bytes, b->B) || run(b, 1, NULL))
        return -1;
    for (k = 0; k < b->sorts[BENCH_OUTPUT_DELTA].count; ++k)
        bench_draw_value(b, BENCH_OUTPUT_DELTA, k, b->trial->seed);
    if (nn_network_backward(b->network, NN_GIVEN_DELTAS))
        return failed(b, "backward");
    g = snapshot_take(b, SORTS_DERIVATIVES);
    for (sort = 0; sort < BENCH_VARIABLES; ++sort)
        for (k = 0; k < b->sorts[sort].count; ++k) {
            enum bench_sort derived = sort + BENCH_DERIVATIVE_OF;
            int64_t count = b->sorts[sort].items[k].count;

            if (!is_wanted(b, derived, k) ||
                b->sorts[derived].items[k].flags & BENCH_OWN)
                continue;
            c->d[sort][k] = bench_numbers(b, count);
            bench_random(b->trial->seed, 40 * sort + k, c->d[sort][k], count);
            for (i = 0; i < count; ++i) {
                double part = g->values[derived][k][i] * c->d[sort][k][i];

                c->slope += part;
                c->scale += fabs(part);
            }
        }
    return 0;
}

static void test_derivatives(bench *b, const snapshot *x)
{
    carried c = {.b = b};
    double smallest = INFINITY;
    double h = 1e-2;
    int64_t B = 0;
    int n;

    if (begin_part(b, x, 0, FIRST) || run(b, 0, NULL))
        return;
    c.bytes = trial_alloc(b->trial,
                          (size_t)nn_network_context_bytes(b->network));
    if (nn_network_context_get(b->network, c.bytes, &B)) {
        failed(b, "the carried frames");
        return;
    }
    if (begin_part(b, x, FIRST, STEPS - FIRST))
        return;
    c.x = snapshot_take(b, SORTS_VARIABLES);
    if (make_direction(&c))
        return;
    for (n = 0; n < 8; ++n, h /= 4) {
        double slope = (along(&c, h) - along(&c, -h)) / (2 * h);

        smallest = fmin(smallest, fabs(slope - c.slope));
    }
    along(&c, 0);
    trial_tested(b->trial, 1);
    if (!(smallest <= 1e-7 * (c.scale + 1e-6)))
        trial_fail(b->trial,
                   trial_text(b->trial,
                              "derivatives of a pass that carries "
                              "on, case %s",
                              b->one->label),
                   "those by differences, carried frames being given numbers",
                   trial_text(b->trial, "off by %g of %g", smallest, c.scale));
}

static void run_context(trial *trial)
{
    const bench_options options = {.T = STEPS, .B = SAMPLES};
    const layer_cases *cases = layer_cases_or_skip(trial);
    int found = 0;
    uint32_t i;

    for (i = 0; i < cases->count && !trial_failures(trial); ++i) {
        bench *b = bench_create(trial, &cases->items[i], &options);
        const snapshot *x = NULL;

        if (b && nn_network_context_bytes(b->network) > 0) {
            found = 1;
            x = draw_sequence(b);
        }
        if (x && !run(b, 0, NULL) &&
            !test_parts(b, x, snapshot_take(b, SORT(BENCH_OUTPUT))) &&
            bench_has_backward(b))
            test_derivatives(b, x);
        bench_destroy(b);
    }
    if (cases->count && !found && !trial_failures(trial))
        trial_skip(trial, "no buffer has frames that are carried");
}

const check layer_rnn_context = {
    .id = "layer.rnn.context",
    .kind = NN_KIND_LAYER,
    .level = LEVEL_STANDARD,
    .what = "a sequence in parts, carried on, is the sequence in one",
    .why = "long sequences are trained in parts; what a layer remembers must "
           "lie in its frames of context and nowhere else",
    .run = run_context,
};
