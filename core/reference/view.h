/* SPDX-License-Identifier: MIT */
/* view.h - host memory through an nn_array, as rows of doubles.
 *
 * Every operation loads a few elements as doubles, computes, and stores them:
 * the type of the array matters in `load` and `store` only, and so does its
 * mode in `store`.  A float32 result is rounded once, there. */
#ifndef NN_CORE_REFERENCE_VIEW_H
#define NN_CORE_REFERENCE_VIEW_H

#include <nn/array.h>

/* Elements that are computed at a time. */
#define NN_CHUNK 256

typedef struct nn_view {
    void *data;      /* first element; NULL if absent */
    int64_t rows;    /* all axes but the last */
    int64_t columns; /* the last axis */
    int64_t pitch;   /* elements from row to row */
    uint32_t dtype;
    uint32_t mode;
} nn_view;

/* The view of ARRAY, which may be absent, at DATA.  [any] */
nn_view nn_view_make(const nn_array *array, void *data);

/* OUT = COUNT elements from element AT, counted from the start with the gaps,
 * every STEP-th.  [any] */
void nn_view_load(const nn_view *view, int64_t at, int64_t step, int64_t count,
                  double *out);

/* Writes COUNT consecutive elements from element AT as the mode says.  Into
 * integers: toward zero, saturated, NaN becomes 0.  [any] */
void nn_view_store(const nn_view *view, int64_t at, int64_t count,
                   const double *in);

/* Place, with the gaps, of logical element INDEX in C order.  [any] */
static inline int64_t nn_view_place(const nn_view *view, int64_t index)
{
    return index / view->columns * view->pitch + index % view->columns;
}

/* Logical element INDEX.  [any] */
double nn_view_get(const nn_view *view, int64_t index);

/* Writes logical element INDEX as the mode says.  [any] */
void nn_view_put(const nn_view *view, int64_t index, double value);

/* Makes each of the N views one row if none has gaps.  All have the same
 * shape; absent ones are left alone.  [any] */
void nn_views_flatten(nn_view *views, uint32_t n);

#endif
