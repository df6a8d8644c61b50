/* SPDX-License-Identifier: MIT */
/* array.h - the view through which everything reads and writes memory.
 *
 * An nn_array is a small value: copy it, change the copy, pass its address.
 * It owns nothing.  Elements lie in C order.  The only stride is `pitch`, the
 * number of elements from one row to the next, where a row is the last axis:
 * element (i, j, ..., l) of shape (I, J, ..., L) is at
 *     offset / bytes + ((i * J + j) * ... ) * pitch + l.
 * So every array is also a matrix of rows * columns, where the columns are the
 * last axis and the rows all others; a slice of the last axis keeps the pitch
 * of its parent; a slice of the first axis is one range of memory.
 *
 * Letters: T time steps, B samples, F features.  Data are (T, B, F...), images
 * (T, B, H, W, C), weights (units, inputs), biases (units). */
#ifndef NN_ARRAY_H
#define NN_ARRAY_H

#include <nn/base.h>

NN_BEGIN_DECLS

#define NN_MAX_DIMS 8u

/* How the array wants to be written; meaningless for one that is only read. */
#define NN_WRITE 0u   /* every element is set */
#define NN_ADD 1u     /* the result is added to every element; real types */
#define NN_DISCARD 2u /* nothing is computed; the array has no memory */

/* Flags of an array. */
#define NN_READ_ONLY 1u /* the holder must not write it */

/* A block of memory of one handler.  Opaque. */
typedef struct nn_memory nn_memory;

/* A view.  128 bytes in every version of ABI 1: arrays of it are passed, so it
 * can never grow.  It is valid as long as its memory is. */
typedef struct nn_array {
    nn_memory *memory;          /* owner of the bytes; NULL if absent or
                                   DISCARD */
    int64_t offset;             /* bytes from the start of `memory` */
    int64_t shape[NN_MAX_DIMS]; /* elements on each axis, each >= 1 in a
                                   running network; unused ones 0 */
    int64_t pitch;              /* elements from row to row, >= last axis */
    uint32_t dtype;             /* NN_FLOAT32, NN_FLOAT64, NN_INT32, NN_UINT8 */
    uint32_t ndim;              /* 1 to NN_MAX_DIMS */
    uint32_t mode;              /* NN_WRITE, NN_ADD or NN_DISCARD */
    uint32_t flags;             /* NN_READ_ONLY or 0 */
    uint64_t reserved[3];       /* zero */
} nn_array;

/* A static assertion that both C11 and C++ understand. */
typedef char nn_array_is_128_bytes[sizeof(nn_array) == 128 ? 1 : -1];

/* True if ARRAY (may be NULL) has memory to read or a mode to honour: an input
 * that is not connected is absent.  [any] */
static inline int nn_present(const nn_array *array)
{
    return array && array->ndim != 0;
}

/* True if writing ARRAY would do something.  [any] */
static inline int nn_wanted(const nn_array *array)
{
    return nn_present(array) && array->mode != NN_DISCARD;
}

/* Elements on the last axis.  [any] */
static inline int64_t nn_columns(const nn_array *array)
{
    return array->shape[array->ndim - 1];
}

/* Product of all axes but the last; 1 for a vector.  [any] */
static inline int64_t nn_rows(const nn_array *array)
{
    int64_t rows = 1;
    uint32_t i;

    for (i = 0; i + 1 < array->ndim; ++i)
        rows *= array->shape[i];
    return rows;
}

/* Number of elements.  [any] */
static inline int64_t nn_elements(const nn_array *array)
{
    return nn_rows(array) * nn_columns(array);
}

/* True if no gap lies between the rows.  [any] */
static inline int nn_is_dense(const nn_array *array)
{
    return array->pitch == nn_columns(array) || nn_rows(array) == 1;
}

/* True if A and B have the same axes.  [any] */
static inline int nn_same_shape(const nn_array *a, const nn_array *b)
{
    uint32_t i;

    if (a->ndim != b->ndim)
        return 0;
    for (i = 0; i < a->ndim; ++i)
        if (a->shape[i] != b->shape[i])
            return 0;
    return 1;
}

/* A copy of ARRAY that is added to; DISCARD stays DISCARD.  For a layer that
 * writes one array more than once: the second time it asks for this.  [any] */
static inline nn_array nn_adding(const nn_array *array)
{
    nn_array result = *array;

    if (result.mode == NN_WRITE)
        result.mode = NN_ADD;
    return result;
}

/* Columns FIRST to FIRST + COUNT - 1 of the last axis.  Mode and pitch are
 * inherited.  [any] */
static inline nn_array nn_column_slice(const nn_array *array, int64_t first,
                                       int64_t count)
{
    nn_array result = *array;

    result.offset += first * nn_dtype_bytes(array->dtype);
    result.shape[result.ndim - 1] = count;
    return result;
}

/* Entries FIRST to FIRST + COUNT - 1 of the first axis.  With the time axis
 * first and frames of context declared, FIRST may be -1 and FIRST + COUNT may
 * exceed the axis: nn_slice(&y, -1, T) is y one frame earlier.  [any] */
static inline nn_array nn_slice(const nn_array *array, int64_t first,
                                int64_t count)
{
    nn_array result = *array;
    int64_t step = array->pitch;
    uint32_t i;

    if (array->ndim == 1) {
        result.offset += first * nn_dtype_bytes(array->dtype);
        result.shape[0] = count;
        return result;
    }
    for (i = 1; i + 1 < array->ndim; ++i)
        step *= array->shape[i];
    result.offset += first * step * nn_dtype_bytes(array->dtype);
    result.shape[0] = count;
    return result;
}

/* ARRAY as a matrix (rows, columns).  Works for every pitch.  [any] */
static inline nn_array nn_as_matrix(const nn_array *array)
{
    nn_array result = *array;
    uint32_t i;

    result.ndim = 2;
    result.shape[0] = nn_rows(array);
    result.shape[1] = nn_columns(array);
    for (i = 2; i < NN_MAX_DIMS; ++i)
        result.shape[i] = 0;
    return result;
}

/* ARRAY (A0, ..., F...) with its axes from KEEP on made one:
 * nn_flatten(&x, 2) of (T, B, H, W, C) is (T, B, H * W * C).  ARRAY must be
 * dense unless only one axis lies behind KEEP; a port says so with
 * NN_PORT_DENSE.  [any] */
static inline nn_array nn_flatten(const nn_array *array, uint32_t keep)
{
    nn_array result = *array;
    int64_t features = 1;
    uint32_t i;

    for (i = keep; i < array->ndim; ++i) {
        features *= array->shape[i];
        result.shape[i] = 0;
    }
    result.ndim = keep + 1;
    result.shape[keep] = features;
    if (array->ndim > keep + 1 || array->ndim == keep)
        result.pitch = features;
    return result;
}

NN_END_DECLS

#endif
