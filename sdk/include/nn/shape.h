/* SPDX-License-Identifier: MIT */
/* shape.h - what setup asks about shapes, and how it complains of them.
 *
 * Letters: T time steps and B samples are the open axes of a shape; they come
 * first.  All other axes are features, the last of them the columns. */
#ifndef NN_SHAPE_H
#define NN_SHAPE_H

#include <inttypes.h>
#include <stdio.h>

#include <nn/layer.h>

NN_BEGIN_DECLS

/* Room for the longest text of nn_shape_text, with its NUL. */
#define NN_SHAPE_ROOM 208u

/* "float32" for NN_FLOAT32, "unknown" for a code without a name.  [any] */
static inline const char *nn_dtype_name(uint32_t dtype)
{
    static const char *const names[] = {"real",  "float32", "float64", "int32",
                                        "uint8", "float16", "bfloat16"};

    return dtype < sizeof names / sizeof *names ? names[dtype] : "unknown";
}

/* Writes SHAPE as "(T, B, 28, 1) float32" into TEXT, which is returned; an
 * absent one is "nothing".  [any] */
static inline const char *nn_shape_text(const nn_shape *shape,
                                        char text[NN_SHAPE_ROOM])
{
    size_t used = 0;
    uint32_t i;

    for (i = 0; i < shape->ndim && i < NN_MAX_DIMS; ++i) {
        const char *before = i ? ", " : "(";

        if (shape->dims[i] == NN_T || shape->dims[i] == NN_B)
            used += (size_t)snprintf(text + used, NN_SHAPE_ROOM - used, "%s%c",
                                     before,
                                     shape->dims[i] == NN_T ? 'T' : 'B');
        else
            used += (size_t)snprintf(text + used, NN_SHAPE_ROOM - used,
                                     "%s%" PRId64, before, shape->dims[i]);
    }
    if (i)
        snprintf(text + used, NN_SHAPE_ROOM - used, ") %s",
                 nn_dtype_name(shape->dtype));
    else
        snprintf(text, NN_SHAPE_ROOM, "nothing");
    return text;
}

/* Number of open axes that SHAPE starts with: 2 for (T, B, F).  [any] */
static inline uint32_t nn_shape_open(const nn_shape *shape)
{
    uint32_t n = 0;

    while (n < shape->ndim && shape->dims[n] < 0)
        ++n;
    return n;
}

/* The last axis of SHAPE, which must have one.  [any] */
static inline int64_t nn_shape_columns(const nn_shape *shape)
{
    return shape->dims[shape->ndim - 1];
}

/* True if the first COUNT axes of A and B exist and are the same.  [any] */
static inline int nn_shape_agree(const nn_shape *a, const nn_shape *b,
                                 uint32_t count)
{
    uint32_t i;

    if (a->ndim < count || b->ndim < count)
        return 0;
    for (i = 0; i < count; ++i)
        if (a->dims[i] != b->dims[i])
            return 0;
    return 1;
}

/* True if A and B have the same axes; types are not compared.  [any] */
static inline int nn_shape_equal(const nn_shape *a, const nn_shape *b)
{
    return a->ndim == b->ndim && nn_shape_agree(a, b, a->ndim);
}

/* SHAPE as (T, B, ..., 1): its rows.  [any] */
static inline nn_shape nn_shape_rows(const nn_shape *shape)
{
    nn_shape rows = *shape;

    rows.dims[rows.ndim - 1] = 1;
    return rows;
}

/* A real buffer NAME with the axes of SHAPE.  [any] */
static inline nn_buffer nn_buffer_like(const char *name, const nn_shape *shape)
{
    nn_buffer buffer = nn_buffer_named(name);

    buffer.shape = *shape;
    buffer.shape.size = NN_SIZEOF(nn_shape, dims);
    buffer.shape.dtype = NN_REAL;
    return buffer;
}

/* Sets "layer 'L', input 'PORT': expected EXPECTED, got (T, B, 3) float32" and
 * returns NN_SHAPE.  [setup] */
static inline int32_t nn_shape_fail(nn_setup *setup, const char *port,
                                    const char *expected, const nn_shape *got)
{
    char text[NN_SHAPE_ROOM];

    return nn_fail(setup->host, NN_SHAPE, "layer.shape",
                   "layer '%s', input '%s': expected %s, got %s", setup->layer,
                   port, expected, nn_shape_text(got, text));
}

/* Refuses a shape that does not have at least one open axis followed by at
 * least one feature axis.  Returns 0 or NN_SHAPE.  [setup] */
static inline int32_t nn_shape_need_features(nn_setup *setup, const char *port,
                                             const nn_shape *shape)
{
    uint32_t open = nn_shape_open(shape);

    if (open > 0 && shape->ndim > open && nn_shape_product(shape, open) > 0)
        return NN_OK;
    return nn_shape_fail(setup, port, "(T, B, features...)", shape);
}

/* Refuses a shape other than that of WANTED.  Returns 0 or NN_SHAPE.
 * [setup] */
static inline int32_t nn_shape_need(nn_setup *setup, const char *port,
                                    const nn_shape *wanted,
                                    const nn_shape *shape)
{
    char text[NN_SHAPE_ROOM];

    if (nn_shape_equal(wanted, shape))
        return NN_OK;
    return nn_shape_fail(setup, port, nn_shape_text(wanted, text), shape);
}

NN_END_DECLS

#endif
