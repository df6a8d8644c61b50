/* SPDX-License-Identifier: MIT */
/* view.c - loads and stores; see view.h. */
#include "core/reference/view.h"

#include <stdint.h>

nn_view nn_view_make(const nn_array *array, void *data)
{
    nn_view view = {data, 0, 0, 0, 0, NN_DISCARD};

    if (!nn_present(array))
        return view;
    view.rows = nn_rows(array);
    view.columns = nn_columns(array);
    view.pitch = array->pitch;
    view.dtype = array->dtype;
    view.mode = array->mode;
    return view;
}

void nn_view_load(const nn_view *view, int64_t at, int64_t step, int64_t count,
                  double *out)
{
    const float *f = (const float *)view->data + at;
    const double *d = (const double *)view->data + at;
    const int32_t *s = (const int32_t *)view->data + at;
    const uint8_t *b = (const uint8_t *)view->data + at;
    int64_t i;

    switch (view->dtype) {
    case NN_FLOAT32:
        for (i = 0; i < count; ++i)
            out[i] = (double)f[i * step];
        break;
    case NN_FLOAT64:
        for (i = 0; i < count; ++i)
            out[i] = d[i * step];
        break;
    case NN_INT32:
        for (i = 0; i < count; ++i)
            out[i] = s[i * step];
        break;
    default:
        for (i = 0; i < count; ++i)
            out[i] = b[i * step];
        break;
    }
}

/* VALUE toward zero, limited to [LOW, HIGH]; NaN becomes 0. */
static double saturate(double value, double low, double high)
{
    if (value != value)
        return 0;
    return value < low ? low : value > high ? high : value;
}

static void store_float(float *y, int64_t count, const double *in, int add)
{
    int64_t i;

    if (add)
        for (i = 0; i < count; ++i)
            y[i] = (float)((double)y[i] + in[i]);
    else
        for (i = 0; i < count; ++i)
            y[i] = (float)in[i];
}

static void store_double(double *y, int64_t count, const double *in, int add)
{
    int64_t i;

    if (add)
        for (i = 0; i < count; ++i)
            y[i] = y[i] + in[i];
    else
        for (i = 0; i < count; ++i)
            y[i] = in[i];
}

void nn_view_store(const nn_view *view, int64_t at, int64_t count,
                   const double *in)
{
    int32_t *s = (int32_t *)view->data + at;
    uint8_t *b = (uint8_t *)view->data + at;
    int add = view->mode == NN_ADD;
    int64_t i;

    switch (view->dtype) {
    case NN_FLOAT32:
        store_float((float *)view->data + at, count, in, add);
        break;
    case NN_FLOAT64:
        store_double((double *)view->data + at, count, in, add);
        break;
    case NN_INT32:
        for (i = 0; i < count; ++i)
            s[i] = (int32_t)saturate(in[i], INT32_MIN, INT32_MAX);
        break;
    default:
        for (i = 0; i < count; ++i)
            b[i] = (uint8_t)saturate(in[i], 0, UINT8_MAX);
        break;
    }
}

double nn_view_get(const nn_view *view, int64_t index)
{
    double value;

    nn_view_load(view, nn_view_place(view, index), 1, 1, &value);
    return value;
}

void nn_view_put(const nn_view *view, int64_t index, double value)
{
    nn_view_store(view, nn_view_place(view, index), 1, &value);
}

void nn_views_flatten(nn_view *views, uint32_t n)
{
    uint32_t i;

    for (i = 0; i < n; ++i)
        if (views[i].data && views[i].rows > 1 &&
            views[i].pitch != views[i].columns)
            return;
    for (i = 0; i < n; ++i) {
        if (!views[i].data)
            continue;
        views[i].columns *= views[i].rows;
        views[i].rows = 1;
        views[i].pitch = views[i].columns;
    }
}
