/* SPDX-License-Identifier: MIT */
/* compare.c - see compare.h. */
#include "conformance/layer/compare.h"

#include <math.h>
#include <string.h>

const bench_options on_handler = {.on_handler = 1, .shared = 1};

const snapshot *snapshot_take(bench *b, uint32_t sorts)
{
    snapshot *s = trial_alloc(b->trial, sizeof *s);
    enum bench_sort sort;
    uint32_t i;

    s->sorts = sorts;
    for (sort = 0; sort < BENCH_SORTS; ++sort)
        for (i = 0; sorts & SORT(sort) && i < b->sorts[sort].count; ++i) {
            int64_t count = b->sorts[sort].items[i].count;

            s->counts[sort][i] = count;
            s->values[sort][i] = bench_numbers(b, count);
            bench_get(b, sort, i, s->values[sort][i]);
        }
    return s;
}

void fail_at(bench *b, enum bench_sort sort, uint32_t index, int64_t element,
             const char *what, double expected, double got)
{
    trial_fail(b->trial, bench_say(b, sort, index, element),
               trial_text(b->trial, "%s: %.17g", what, expected),
               trial_text(b->trial, "%.17g", got));
}

static int same_bits(double a, double b)
{
    return (a == b && signbit(a) == signbit(b)) || (isnan(a) && isnan(b));
}

/* The largest finite magnitude of both, at least 1: what is drawn is of that
 * magnitude, and a sum of it that cancels keeps the error of its terms. */
static double largest(const double *a, const double *b, int64_t count)
{
    double result = 1;
    int64_t i;

    for (i = 0; i < count; ++i) {
        if (isfinite(a[i]) && fabs(a[i]) > result)
            result = fabs(a[i]);
        if (isfinite(b[i]) && fabs(b[i]) > result)
            result = fabs(b[i]);
    }
    return result;
}

/* FACTOR < 0: to the bit. */
static int64_t compare(bench *b, const snapshot *expected, const snapshot *got,
                       double factor, const char *what)
{
    int64_t found = 0;
    enum bench_sort sort;
    uint32_t k;
    int64_t i;

    for (sort = 0; sort < BENCH_SORTS; ++sort)
        for (k = 0; k < b->sorts[sort].count; ++k) {
            const double *x = expected->values[sort][k];
            const double *y = got->values[sort][k];
            int64_t count = expected->counts[sort][k];
            double allowed;

            if (!(expected->sorts & got->sorts & SORT(sort)) ||
                count != got->counts[sort][k])
                continue;
            allowed = factor * MACHINE_EPSILON * largest(x, y, count);
            for (i = 0; i < count; ++i)
                if (factor < 0 ? !same_bits(x[i], y[i])
                               : !same_bits(x[i], y[i]) &&
                                     !(fabs(x[i] - y[i]) <= allowed))
                    if (!found++)
                        fail_at(b, sort, k, i, what, x[i], y[i]);
        }
    trial_tested(b->trial, 1);
    return found;
}

int64_t compare_exact(bench *b, const snapshot *expected, const snapshot *got,
                      const char *what)
{
    return compare(b, expected, got, -1, what);
}

int64_t compare_close(bench *b, const snapshot *expected, const snapshot *got,
                      double factor, const char *what)
{
    return compare(b, expected, got, factor, what);
}

double rounding_factor(const bench *b)
{
    int64_t most = 8;
    enum bench_sort sort;
    uint32_t i;

    for (sort = 0; sort < BENCH_SORTS; ++sort)
        for (i = 0; i < b->sorts[sort].count; ++i)
            if (b->sorts[sort].items[i].count > most)
                most = b->sorts[sort].items[i].count;
    return 4.0 * (double)most;
}

int is_wanted(const bench *b, enum bench_sort sort, uint32_t index)
{
    const bench_value *value = &b->sorts[sort].items[index];

    return value->count && !(value->flags & BENCH_UNWANTED);
}

const snapshot *derivatives(bench *b)
{
    enum bench_sort sort;
    uint32_t i;

    bench_modes(b, NN_WRITE);
    for (sort = BENCH_INPUT_DELTA; sort <= BENCH_REFERENCE_DELTA; ++sort)
        for (i = 0; i < b->sorts[sort].count; ++i)
            if (is_wanted(b, sort, i))
                bench_fill(b, sort, i, NAN);
    if (bench_forward(b) || bench_backward(b))
        return NULL;
    return snapshot_take(b, SORTS_DERIVATIVES);
}
