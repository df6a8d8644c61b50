/* SPDX-License-Identifier: MIT */
/* reduce.c - sums and extremes over an axis, and the place of the largest.
 *
 * x is seen as (outer, length, inner, columns): the axis that goes is either
 * `length`, rows that lie `inner` rows apart, or the columns themselves. */
#include <math.h>

#include "core/reference/call.h"

/* TOTAL and one more element X. */
static double combine(uint32_t operation, double total, double x)
{
    switch (operation) {
    case NN_OP_SUM_T:
        return total + x;
    case NN_OP_SUM_SQUARES_T:
        return total + x * x;
    default:
        return nn_larger(total, x);
    }
}

static double start_of(uint32_t operation)
{
    return operation == NN_OP_MAX_T ? -INFINITY : 0;
}

/* TOTAL and all elements of row ROW of x. */
static double combine_row(const nn_call *call, int64_t row, double total)
{
    const nn_view *x = &call->views[0];
    double chunk[NN_CHUNK];
    int64_t first;
    int64_t i;

    for (first = 0; first < x->columns; first += NN_CHUNK) {
        int64_t count = x->columns - first;

        if (count > NN_CHUNK)
            count = NN_CHUNK;
        nn_view_load(x, row * x->pitch + first, 1, count, chunk);
        for (i = 0; i < count; ++i)
            total = combine(call->operation, total, chunk[i]);
    }
    return total;
}

/* The columns go: one result a row, or one for all. */
static void within_rows(const nn_call *call, int all)
{
    const nn_view *x = &call->views[0];
    double total = start_of(call->operation);
    int64_t row;

    for (row = 0; row < x->rows; ++row) {
        total = combine_row(call, row, total);
        if (all)
            continue;
        nn_view_put(&call->views[1], row, total);
        total = start_of(call->operation);
    }
    if (all)
        nn_view_put(&call->views[1], 0, total);
}

/* LENGTH rows of x, INNER apart, from row FROM become row TO of y. */
static void across_rows(const nn_call *call, int64_t from, int64_t length,
                        int64_t inner, int64_t to)
{
    const nn_view *x = &call->views[0];
    const nn_view *y = &call->views[1];
    double totals[NN_CHUNK];
    double chunk[NN_CHUNK];
    int64_t first;
    int64_t k;
    int64_t i;

    for (first = 0; first < x->columns; first += NN_CHUNK) {
        int64_t count = x->columns - first;

        if (count > NN_CHUNK)
            count = NN_CHUNK;
        for (i = 0; i < count; ++i)
            totals[i] = start_of(call->operation);
        for (k = 0; k < length; ++k) {
            nn_view_load(x, (from + k * inner) * x->pitch + first, 1, count,
                         chunk);
            for (i = 0; i < count; ++i)
                totals[i] = combine(call->operation, totals[i], chunk[i]);
        }
        nn_view_store(y, to * y->pitch + first, count, totals);
    }
}

int32_t nn_call_reduce(nn_call *call)
{
    const nn_array *x = call->operands[0];
    const int64_t axis = call->with.axis;
    int64_t length;
    int64_t inner = 1;
    int64_t row;
    uint32_t i;

    if (axis == NN_AXIS_ALL || axis == (int64_t)x->ndim - 1) {
        within_rows(call, axis == NN_AXIS_ALL);
        return NN_OK;
    }
    if (axis == NN_AXIS_ROWS) {
        across_rows(call, 0, call->views[0].rows, 1, 0);
        return NN_OK;
    }
    length = x->shape[axis];
    for (i = (uint32_t)axis + 1; i + 1 < x->ndim; ++i)
        inner *= x->shape[i];
    for (row = 0; row < call->views[0].rows / length; ++row)
        across_rows(call, row / inner * length * inner + row % inner, length,
                    inner, row);
    return NN_OK;
}

int32_t nn_call_argmax(nn_call *call)
{
    const nn_view *x = &call->views[0];
    int64_t row;
    int64_t n;

    for (row = 0; row < x->rows; ++row) {
        double best = nn_view_get(x, row * x->columns);
        int64_t found = 0;

        for (n = 1; n < x->columns && best == best; ++n) {
            double value = nn_view_get(x, row * x->columns + n);

            if (value > best || value != value) {
                best = value;
                found = n;
            }
        }
        nn_view_put(&call->views[1], row, (double)found);
    }
    return NN_OK;
}
