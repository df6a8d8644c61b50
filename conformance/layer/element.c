/* SPDX-License-Identifier: MIT */
/* element.c - every element of every derivative against central differences.
 *
 * Letters: f the sum of outputs times random output deltas; x one element of an
 * input or parameter; g its derivative by backward; h = 6e-6 max(1, |x|), close
 * to the cube root of epsilon, where the error of the difference,
 * h^2 f''' / 6, and that of rounding, epsilon S / h with S the sum of the terms
 * of f, are alike.
 *
 *     |g - (f(x + h) - f(x - h)) / (2 h)|
 *         <= 1e-6 |g| + 1e-8 max(1, S) + 8 epsilon S / h
 *
 * Where the slopes to both sides differ by far more than h f'' can explain, f
 * has a kink: such elements are left out and counted; more than one in twenty
 * is a failure. */
#include "conformance/layer/checks.h"
#include "conformance/layer/compare.h"

#include <math.h>
#include <stdlib.h>

#define MAX_ELEMENTS 2000
#define WORST 5

typedef struct element {
    enum bench_sort sort; /* of the variable */
    uint32_t index;
    int64_t i;
} element;

typedef struct worst {
    element at;
    double expected;
    double got;
    double excess; /* how many times the tolerance */
} worst;

typedef struct tally {
    bench *b;
    const snapshot *x;
    const snapshot *g;
    int64_t tested;
    int64_t kinks;
    worst worst[WORST];
    int64_t wrong;
} tally;

static void note_wrong(tally *t, const element *at, double expected, double got,
                       double excess)
{
    int k;

    ++t->wrong;
    for (k = WORST - 1; k >= 0 && t->worst[k].excess < excess; --k)
        if (k + 1 < WORST)
            t->worst[k + 1] = t->worst[k];
    if (++k < WORST) {
        const worst one = {*at, expected, got, excess};

        t->worst[k] = one;
    }
}

/* f with element AT of X set to VALUE. */
static double at_value(tally *t, const element *at, double value, double *terms)
{
    double *x = snapshot_of(t->x, at->sort, at->index);
    double before = x[at->i];
    double result;

    x[at->i] = value;
    bench_set(t->b, at->sort, at->index, x);
    x[at->i] = before;
    result = bench_forward(t->b) ? NAN : bench_sum(t->b, terms);
    return result;
}

static void test_element(tally *t, const element *at)
{
    double *x = snapshot_of(t->x, at->sort, at->index);
    double g = snapshot_of(t->g, at->sort + BENCH_DERIVATIVE_OF,
                           at->index)[at->i];
    double h = 6e-6 * fmax(1, fabs(x[at->i]));
    double terms = 0;
    double after = at_value(t, at, x[at->i] + h, &terms);
    double before = at_value(t, at, x[at->i] - h, NULL);
    double slope = (after - before) / (2 * h);
    double allowed = 1e-6 * fabs(g) + 1e-8 * fmax(1, terms) +
                     8 * MACHINE_EPSILON * terms / h;

    ++t->tested;
    if (!(fabs(slope - g) <= allowed)) {
        double middle = at_value(t, at, x[at->i], NULL);
        double right = (after - middle) / h;
        double left = (middle - before) / h;

        if (fabs(right - left) > 1e-3 * (fabs(right) + fabs(left)) + allowed)
            ++t->kinks;
        else
            note_wrong(t, at, slope, g,
                       isfinite(g) ? fabs(slope - g) / allowed : INFINITY);
    }
    bench_set(t->b, at->sort, at->index, x);
}

/* All elements, in order, or MAX_ELEMENTS of them drawn evenly. */
static void test_elements(tally *t)
{
    bench *b = t->b;
    int64_t total = 0;
    int64_t number = 0;
    int64_t step;
    element at;

    for (at.sort = 0; at.sort < BENCH_VARIABLES; ++at.sort)
        for (at.index = 0; at.index < b->sorts[at.sort].count; ++at.index)
            total += b->sorts[at.sort].items[at.index].count;
    step = 1 + total / MAX_ELEMENTS;
    for (at.sort = 0; at.sort < BENCH_VARIABLES; ++at.sort)
        for (at.index = 0; at.index < b->sorts[at.sort].count; ++at.index) {
            enum bench_sort sort = at.sort + BENCH_DERIVATIVE_OF;

            if (!is_wanted(b, sort, at.index))
                continue;
            for (at.i = number++ % step;
                 at.i < b->sorts[at.sort].items[at.index].count; at.i += step)
                test_element(t, &at);
        }
}

static void test_case(bench *b)
{
    tally t = {.b = b};
    int k;

    t.x = snapshot_take(b, SORTS_VARIABLES);
    t.g = derivatives(b);
    if (!t.g)
        return;
    test_elements(&t);
    trial_tested(b->trial, t.tested);
    for (k = 0; k < WORST && k < t.wrong; ++k)
        fail_at(b, t.worst[k].at.sort + BENCH_DERIVATIVE_OF,
                t.worst[k].at.index, t.worst[k].at.i, "central difference",
                t.worst[k].expected, t.worst[k].got);
    if (t.kinks)
        trial_note(b->trial, "kinks: %lld of %lld elements left out, case %s",
                   (long long)t.kinks, (long long)t.tested, b->one->label);
    if (20 * t.kinks > t.tested)
        trial_fail(b->trial, trial_text(b->trial, "case %s", b->one->label),
                   "at most 5 % of the elements at a kink",
                   trial_text(b->trial, "%lld of %lld", (long long)t.kinks,
                              (long long)t.tested));
}

static void run_element(trial *trial)
{
    bench_each(trial, NULL, 1, test_case);
}

const check layer_grad_element = {
    .id = "layer.grad.element",
    .kind = NN_KIND_LAYER,
    .level = LEVEL_STANDARD,
    .what = "each element of each derivative is that of differences",
    .why = "it shows where a gradient is wrong: at the first time step, in "
           "the last column, for one gate",
    .run = run_element,
};
