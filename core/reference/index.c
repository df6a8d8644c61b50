/* SPDX-License-Identifier: MIT */
/* index.c - rows and columns chosen by integers.
 *
 * All indices are judged before anything is written.  Sums into one place are
 * made one after the other in the order of m, each in the type of y. */
#include "core/reference/call.h"

/* The index v[m] of operand 1 or, for one_hot_v, operand 0. */
static int64_t index_at(const nn_view *v, int64_t m)
{
    return (int64_t)nn_view_get(v, m);
}

/* Every element of operand V lies in 0 to LIMIT - 1. */
static int32_t check_indices(const nn_call *call, uint32_t v, int64_t limit)
{
    const nn_view *view = &call->views[v];
    int64_t m;

    for (m = 0; m < view->rows * view->columns; ++m) {
        int64_t index = index_at(view, m);

        if (index < 0 || index >= limit)
            return nn_report_fail(&call->report, NN_INVALID_ARGUMENT, "index",
                                  "v[%lld] = %lld is not in 0 to %lld",
                                  (long long)m, (long long)index,
                                  (long long)limit - 1);
    }
    return NN_OK;
}

/* Row TO of y takes row FROM of x. */
static void move_row(const nn_view *x, int64_t from, const nn_view *y,
                     int64_t to)
{
    double chunk[NN_CHUNK];
    int64_t first;

    for (first = 0; first < x->columns; first += NN_CHUNK) {
        int64_t count = x->columns - first;

        if (count > NN_CHUNK)
            count = NN_CHUNK;
        nn_view_load(x, from * x->pitch + first, 1, count, chunk);
        nn_view_store(y, to * y->pitch + first, count, chunk);
    }
}

int32_t nn_call_gather(nn_call *call)
{
    const nn_view *y = &call->views[2];
    int32_t code = check_indices(call, 1, call->views[0].rows);
    int64_t m;

    for (m = 0; m < y->rows && !code; ++m)
        move_row(&call->views[0], index_at(&call->views[1], m), y, m);
    return code;
}

int32_t nn_call_scatter_rows(nn_call *call)
{
    const nn_view *x = &call->views[0];
    const nn_view *y = &call->views[2];
    int32_t code = check_indices(call, 1, y->rows);
    int64_t m;

    for (m = 0; m < x->rows && !code; ++m)
        move_row(x, m, y, index_at(&call->views[1], m));
    return code;
}

int32_t nn_call_index(nn_call *call)
{
    const nn_view *x = &call->views[0];
    int32_t code = check_indices(call, 1, x->columns);
    int64_t m;

    for (m = 0; m < x->rows && !code; ++m)
        nn_view_put(&call->views[2], m,
                    nn_view_get(x,
                                m * x->columns + index_at(&call->views[1], m)));
    return code;
}

int32_t nn_call_scatter(nn_call *call)
{
    const nn_view *y = &call->views[2];
    int32_t code = check_indices(call, 1, y->columns);
    int64_t m;

    for (m = 0; m < y->rows && !code; ++m)
        nn_view_put(y, m * y->columns + index_at(&call->views[1], m),
                    nn_view_get(&call->views[0], m));
    return code;
}

int32_t nn_call_one_hot(nn_call *call)
{
    const nn_view *y = &call->views[1];
    int32_t code = check_indices(call, 0, y->columns);
    int64_t m;
    int64_t n;

    for (m = 0; m < y->rows && !code; ++m)
        for (n = 0; n < y->columns; ++n)
            nn_view_put(y, m * y->columns + n,
                        n == index_at(&call->views[0], m));
    return code;
}
