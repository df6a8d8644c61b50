/* SPDX-License-Identifier: MIT */
/* move.c - copy, cast, fill and transpose.
 *
 * copy      y = x, the same bits; onto itself nothing happens (ADD doubles)
 * cast      y = x in the type of y
 * fill      y = a in the type of y
 * transpose y[n,m] = x[m,n] */
#include <string.h>

#include "core/reference/call.h"

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

int32_t nn_call_cast(nn_call *call)
{
    const nn_view *x = &call->views[0];
    const nn_view *y = &call->views[1];
    double chunk[NN_CHUNK];
    int64_t row;
    int64_t first;

    nn_views_flatten(call->views, 2);
    for (row = 0; row < x->rows; ++row)
        for (first = 0; first < x->columns; first += NN_CHUNK) {
            int64_t count = smaller(x->columns - first, NN_CHUNK);

            nn_view_load(x, row * x->pitch + first, 1, count, chunk);
            nn_view_store(y, row * y->pitch + first, count, chunk);
        }
    return NN_OK;
}

int32_t nn_call_copy(nn_call *call)
{
    const nn_view *x = &call->views[0];
    const nn_view *y = &call->views[1];
    size_t bytes = (size_t)nn_dtype_bytes(x->dtype);
    int64_t row;

    if (y->mode == NN_ADD)
        return nn_call_cast(call);
    if (x->data == y->data)
        return NN_OK;
    nn_views_flatten(call->views, 2);
    for (row = 0; row < x->rows; ++row)
        memcpy((char *)y->data + (size_t)(row * y->pitch) * bytes,
               (const char *)x->data + (size_t)(row * x->pitch) * bytes,
               (size_t)x->columns * bytes);
    return NN_OK;
}

int32_t nn_call_fill(nn_call *call)
{
    const nn_view *y = &call->views[0];
    double chunk[NN_CHUNK];
    int64_t row;
    int64_t first;
    int i;

    for (i = 0; i < NN_CHUNK; ++i)
        chunk[i] = call->with.a;
    nn_views_flatten(call->views, 1);
    for (row = 0; row < y->rows; ++row)
        for (first = 0; first < y->columns; first += NN_CHUNK)
            nn_view_store(y, row * y->pitch + first,
                          smaller(y->columns - first, NN_CHUNK), chunk);
    return NN_OK;
}

int32_t nn_call_transpose(nn_call *call)
{
    const nn_view *x = &call->views[0];
    const nn_view *y = &call->views[1];
    double chunk[NN_CHUNK];
    int64_t row;
    int64_t first;

    for (row = 0; row < y->rows; ++row)
        for (first = 0; first < y->columns; first += NN_CHUNK) {
            int64_t count = smaller(y->columns - first, NN_CHUNK);

            nn_view_load(x, first * x->pitch + row, x->pitch, count, chunk);
            nn_view_store(y, row * y->pitch + first, count, chunk);
        }
    return NN_OK;
}
