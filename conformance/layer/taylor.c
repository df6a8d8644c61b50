/* SPDX-License-Identifier: MIT */
/* taylor.c - gradients against differences along a random direction.
 *
 * Letters: x all variables of which the outputs depend (inputs with a delta,
 * parameters, references); d a random direction; v the random output deltas; g
 * what backward computes; f(x) = sum of v y(x), so that the derivative along d
 * ought to be g d.
 *
 *     e(h) = |(f(x + h d) - f(x - h d)) / (2 h) - g d|
 *
 * falls as h^2 until rounding errors r(h) = 16 epsilon (S + G) / h stop it,
 * where S is the sum of |v y|, the terms of f, and G that of |g| (|x| + |d|),
 * the effect of rounding x + h d.  With a wrong g, e stays where it is.  So g
 * is right if e comes down to 1e-8 of the sum of |g d|, up to r, and does not
 * stay anywhere before r covers it.  (Single slopes prove less: e passes
 * through 0 where terms of higher order cancel.)  A kink between x - h d and
 * x + h d holds e up until h is small enough, and then e falls in one jump.
 *
 * Source: Farrell, Ham, Funke and Rognes, "Automated Derivation of the Adjoint
 * of High-Level Transient Finite Element Programs", 2013, section 6 (with
 * one-sided differences). */
#include "conformance/layer/checks.h"
#include "conformance/layer/taylor.h"

#include <math.h>
#include <string.h>

#define HALVINGS 18
#define LARGEST_H 0.1
#define RELATIVE 1e-8
#define SEEDS 5

/* The line on which one test runs. */
typedef struct line {
    bench *b;
    const snapshot *x;
    const snapshot *g;
    double *d[BENCH_VARIABLES][BENCH_VALUES];
    double slope;  /* g d */
    double scale;  /* sum of |g d| */
    double noise;  /* G */
    double *moved; /* room for the largest variable */
} line;

/* e and r for one h. */
typedef struct residual {
    double h;
    double e;
    double r;
    double slope; /* the difference quotient */
} residual;

/* The derivative that belongs to SORT. */
static enum bench_sort derivative(enum bench_sort sort)
{
    return sort + BENCH_DERIVATIVE_OF;
}

static int make_line(bench *b, uint64_t seed, line *l)
{
    enum bench_sort sort;
    uint32_t k;
    int64_t i;

    l->b = b;
    l->moved = bench_numbers(b, (int64_t)rounding_factor(b));
    l->x = snapshot_take(b, SORTS_VARIABLES);
    l->g = derivatives(b);
    if (!l->g)
        return -1;
    for (sort = 0; sort < BENCH_VARIABLES; ++sort)
        for (k = 0; k < b->sorts[derivative(sort)].count; ++k) {
            int64_t count = b->sorts[sort].items[k].count;
            const double *g = snapshot_of(l->g, derivative(sort), k);
            const double *x = snapshot_of(l->x, sort, k);

            if (!is_wanted(b, derivative(sort), k))
                continue;
            l->d[sort][k] = bench_numbers(b, count);
            bench_random(seed, 1000 * sort + k, l->d[sort][k], count);
            for (i = 0; i < count; ++i) {
                double part = g[i] * l->d[sort][k][i];

                l->slope += part;
                l->scale += fabs(part);
                l->noise += fabs(g[i]) * (fabs(x[i]) + 1);
            }
        }
    return 0;
}

/* f(x + h d); *TERMS gets S. */
static double along(line *l, double h, double *terms)
{
    bench *b = l->b;
    enum bench_sort sort;
    uint32_t k;
    int64_t i;

    for (sort = 0; sort < BENCH_VARIABLES; ++sort)
        for (k = 0; k < b->sorts[derivative(sort)].count; ++k) {
            int64_t count = b->sorts[sort].items[k].count;
            const double *x = snapshot_of(l->x, sort, k);
            double *moved = l->moved;

            if (!l->d[sort][k])
                continue;
            for (i = 0; i < count; ++i)
                moved[i] = x[i] + h * l->d[sort][k][i];
            bench_set(b, sort, k, moved);
        }
    if (bench_forward(b))
        return NAN;
    return bench_sum(b, terms);
}

/* The residuals from the largest h on; returns how many are finite. */
static int measure(line *l, residual *all)
{
    double h = LARGEST_H;
    int n;

    for (n = 0; n < HALVINGS; ++n, h /= 2) {
        double terms = 0;
        double after = along(l, h, &terms);
        double before = along(l, -h, NULL);
        double slope = (after - before) / (2 * h);

        all[n].h = h;
        all[n].slope = slope;
        all[n].e = fabs(slope - l->slope);
        all[n].r = 16 * MACHINE_EPSILON * (terms + l->noise) / h;
        if (!isfinite(all[n].e))
            break;
        if (all[n].e <= all[n].r && n > 3)
            return n + 1;
    }
    return n;
}

/* 1 if e stays where it is, three halvings in a row, until the noise covers it.
 * One jump away from there is a kink that was left behind. */
static int has_plateau(const residual *all, int n)
{
    int flat = 0;
    int i;

    for (i = 0; i + 1 < n && all[i + 1].e > 30 * all[i + 1].r; ++i)
        flat = all[i + 1].e > all[i].e / 2 ? flat + 1 : 0;
    return flat >= 3 && !(i + 1 < n && all[i + 1].e < all[i].e / 1e2);
}

/* The slope of the last halving above the noise: e falls by 2^slope. */
static double last_slope(const residual *all, int n)
{
    double slope = 0;
    int i;

    for (i = 0; i + 1 < n; ++i)
        if (all[i + 1].e > 30 * all[i + 1].r)
            slope = log2(all[i].e / all[i + 1].e);
    return slope;
}

static int64_t best_of(const residual *all, int n)
{
    int64_t best = 0;
    int i;

    for (i = 1; i < n; ++i)
        if (all[i].e - all[i].r < all[best].e - all[best].r)
            best = i;
    return best;
}

/* 1 if the residuals show that the derivative along L is right. */
static int is_right(const line *l, const residual *all, int n)
{
    const residual *best = &all[best_of(all, n)];

    return n > 0 && isfinite(l->slope) &&
           best->e <= RELATIVE * l->scale + best->r && !has_plateau(all, n);
}

/* The names of the variables whose derivatives are wrong by themselves. */
static const char *blame(line *l)
{
    bench *b = l->b;
    const char *names = "";
    enum bench_sort sort;
    uint32_t k;
    int64_t i;

    for (sort = 0; sort < BENCH_VARIABLES; ++sort)
        for (k = 0; k < b->sorts[sort].count; ++k) {
            const double *g = snapshot_of(l->g, derivative(sort), k);
            residual all[HALVINGS];
            line one = *l;

            if (!l->d[sort][k])
                continue;
            memset(one.d, 0, sizeof one.d);
            one.d[sort][k] = l->d[sort][k];
            one.slope = 0;
            along(l, 0, NULL);
            for (i = 0; i < b->sorts[sort].items[k].count; ++i)
                one.slope += g[i] * one.d[sort][k][i];
            if (!is_right(&one, all, measure(&one, all)))
                names = trial_text(b->trial, "%s%s%s", names,
                                   *names ? ", " : "",
                                   bench_name(b, derivative(sort), k));
        }
    return *names ? names : "derivative along a random direction";
}

static void say_wrong(line *l, const residual *all, int n, const char *what)
{
    trial *t = l->b->trial;
    const residual *best = &all[n ? best_of(all, n) : 0];
    const char *where = trial_text(t, "%s%s, case %s", what, blame(l),
                                   l->b->one->label);

    if (n == 0 || !isfinite(l->slope)) {
        trial_fail(t, where, "finite outputs and derivatives",
                   trial_text(t,
                              "%g along a random direction, by differences "
                              "%g",
                              l->slope, all[0].slope));
        return;
    }
    trial_fail(
        t, where,
        trial_text(t,
                   "%.12g along a random direction, by differences with h "
                   "= %.2g, up to %.2g; residuals that fall with slope 2",
                   best->slope, best->h, RELATIVE * l->scale + best->r),
        trial_text(t, "%.12g, residual %.2g, slope %.2f", l->slope, best->e,
                   last_slope(all, n)));
}

int taylor_test(bench *b, uint64_t seed, const char *what)
{
    residual all[HALVINGS] = {{0, 0, 0, 0}};
    line l = {0};
    int right;
    int n;

    if (make_line(b, seed, &l))
        return -1;
    n = measure(&l, all);
    right = is_right(&l, all, n);
    if (!right)
        say_wrong(&l, all, n, what);
    along(&l, 0, NULL);
    trial_tested(b->trial, 1);
    return right ? 0 : -1;
}

/* ---- checks ------------------------------------------------------------ */

/* Several draws, the last in a pass without TRAIN. */
static void test_draws(bench *b)
{
    uint64_t seed = b->trial->seed;
    uint64_t k;

    for (k = 0; k < SEEDS; ++k) {
        bench_draw(b, seed + 101 * k);
        if (taylor_test(b, seed + k, ""))
            return;
    }
    if (bench_begin(b, b->T, b->B, NN_PASS_BACKWARD))
        return;
    bench_draw(b, seed + 101 * k);
    taylor_test(b, seed + k, "without TRAIN: ");
}

static void run_taylor(trial *trial)
{
    bench_each(trial, NULL, 1, test_draws);
}

static void test_limit(bench *b)
{
    if (b->one->flags & CASE_LIMIT)
        test_draws(b);
}

static void run_limits(trial *trial)
{
    const layer_cases *cases = layer_cases_or_skip(trial);
    uint32_t limits = 0;
    uint32_t i;

    for (i = 0; i < cases->count; ++i)
        limits += cases->items[i].flags & CASE_LIMIT;
    if (cases->count && !limits)
        trial_skip(trial, "no parameter has a limit that can be tried");
    else if (limits)
        bench_each(trial, NULL, 1, test_limit);
}

const check layer_grad_taylor = {
    .id = "layer.grad.taylor",
    .kind = NN_KIND_LAYER,
    .level = LEVEL_BASIC,
    .what = "backward is the derivative of forward along random directions",
    .why = "a wrong gradient still trains, only worse; usual causes are a "
           "wrong sign, a missing factor, a forgotten term",
    .run = run_taylor,
};

const check layer_grad_limits = {
    .id = "layer.grad.limits",
    .kind = NN_KIND_LAYER,
    .level = LEVEL_STANDARD,
    .what = "gradients are right with parameters at their minimum and maximum",
    .why = "special cases such as a factor of 0 take branches of their own",
    .run = run_limits,
};
