/* SPDX-License-Identifier: MIT */
/* softmax.c - softmax of each row, its logarithm and its derivative.
 *
 * With c the maximum of the row and s the sum of exp(x - c):
 *   softmax      y = exp(x - c) / s
 *   log_softmax  y = x - c - log s
 *   backward     dx = y (dy - sum of y dy)
 * A row is read wholly for c and s before it is written, then chunk by chunk,
 * so y may be x, and dx may be dy. */
#include <math.h>

#include "core/reference/call.h"

/* Loads the chunk of row ROW from column FIRST and returns its length. */
static int64_t load_chunk(const nn_view *view, int64_t row, int64_t first,
                          double *chunk)
{
    int64_t count = view->columns - first;

    if (count > NN_CHUNK)
        count = NN_CHUNK;
    nn_view_load(view, row * view->pitch + first, 1, count, chunk);
    return count;
}

static double largest(const nn_view *x, int64_t row)
{
    double chunk[NN_CHUNK];
    double found = -INFINITY;
    int64_t first;
    int64_t i;

    for (first = 0; first < x->columns; first += NN_CHUNK) {
        int64_t count = load_chunk(x, row, first, chunk);

        for (i = 0; i < count; ++i)
            found = nn_larger(found, chunk[i]);
    }
    return found;
}

static double sum_of_powers(const nn_view *x, int64_t row, double shift)
{
    double chunk[NN_CHUNK];
    double sum = 0;
    int64_t first;
    int64_t i;

    for (first = 0; first < x->columns; first += NN_CHUNK) {
        int64_t count = load_chunk(x, row, first, chunk);

        for (i = 0; i < count; ++i)
            sum += exp(chunk[i] - shift);
    }
    return sum;
}

int32_t nn_call_softmax(nn_call *call)
{
    const nn_view *x = &call->views[0];
    const nn_view *y = &call->views[1];
    const int logarithm = call->operation == NN_OP_LOG_SOFTMAX_M;
    double chunk[NN_CHUNK];
    int64_t row;
    int64_t first;
    int64_t i;

    for (row = 0; row < x->rows; ++row) {
        double shift = largest(x, row);
        double sum = sum_of_powers(x, row, shift);

        for (first = 0; first < x->columns; first += NN_CHUNK) {
            int64_t count = load_chunk(x, row, first, chunk);

            for (i = 0; i < count; ++i)
                chunk[i] = logarithm ? chunk[i] - shift - log(sum)
                                     : exp(chunk[i] - shift) / sum;
            nn_view_store(y, row * y->pitch + first, count, chunk);
        }
    }
    return NN_OK;
}

static double sum_of_products(const nn_view *y, const nn_view *dy, int64_t row)
{
    double left[NN_CHUNK];
    double right[NN_CHUNK];
    double sum = 0;
    int64_t first;
    int64_t i;

    for (first = 0; first < y->columns; first += NN_CHUNK) {
        int64_t count = load_chunk(y, row, first, left);

        load_chunk(dy, row, first, right);
        for (i = 0; i < count; ++i)
            sum += left[i] * right[i];
    }
    return sum;
}

int32_t nn_call_softmax_backward(nn_call *call)
{
    const nn_view *y = &call->views[0];
    const nn_view *dy = &call->views[1];
    const nn_view *dx = &call->views[2];
    double left[NN_CHUNK];
    double right[NN_CHUNK];
    int64_t row;
    int64_t first;
    int64_t i;

    for (row = 0; row < y->rows; ++row) {
        double sum = sum_of_products(y, dy, row);

        for (first = 0; first < y->columns; first += NN_CHUNK) {
            int64_t count = load_chunk(y, row, first, left);

            load_chunk(dy, row, first, right);
            for (i = 0; i < count; ++i)
                right[i] = left[i] * (right[i] - sum);
            nn_view_store(dx, row * dx->pitch + first, count, right);
        }
    }
    return NN_OK;
}
