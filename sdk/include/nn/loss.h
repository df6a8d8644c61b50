/* SPDX-License-Identifier: MIT */
/* loss.h - masks, and what all layers that compute a loss have in common.
 *
 * A loss layer computes one loss L a row r from its inputs `default` and
 * `targets`.  With an optional input `mask` m and a parameter `importance` i,
 * the loss of the network is to be
 *     i * sum over r of L[r] m[r] / sum over r of m[r],
 * or i times the mean of L without a mask.  The core takes the mean of a loss
 * output over its R rows, so the layer puts out
 *     loss[r] = s[r] L[r],    s[r] = i R m[r] / sum of m   (i without a mask).
 * If the sum of the mask is 0, so are all s.  Where s is 0 the loss and the
 * derivatives are exactly 0, whatever L is: NaN does not get out.
 *
 * A mask has the first axes of what it masks, the open ones at least, and a
 * last axis of 1: (T, B, 1), or (T, B, H, W, 1) for the pixels of an image.
 * It is 0 or 1, or any weight >= 0 of a row. */
#ifndef NN_LOSS_H
#define NN_LOSS_H

#include <nn/describe.h>
#include <nn/shape.h>

NN_BEGIN_DECLS

/* Ports of a layer that uses nn_loss_setup, in this order. */
#define NN_LOSS_INPUT 0u /* default: (T, B, ..., K) */
#define NN_LOSS_TARGETS 1u
#define NN_LOSS_MASK 2u        /* optional */
#define NN_LOSS_PREDICTIONS 0u /* (T, B, ..., K) */
#define NN_LOSS_LOSS 1u        /* (T, B, ..., 1) */
#define NN_LOSS_WEIGHT 2u      /* (1): sum of the mask, or R */

/* Internals that nn_loss_setup declares first. */
#define NN_LOSS_ROW 0u     /* (T, B, ..., 1): scratch; see nn_loss_row_delta */
#define NN_LOSS_SCALE 1u   /* (T, B, ..., 1): s */
#define NN_LOSS_TOTAL 2u   /* (1): sum of the mask */
#define NN_LOSS_DIVISOR 3u /* (1): the same, 1 for 0 */
#define NN_LOSS_INTERNALS 4u

/* ---------------------------------------------------------- description */

/* The parameter i. */
static const nn_param nn_loss_importance =
    NN_REAL_PARAM("importance", 0, "1", 0, 0,
                  "factor of this loss in the loss of the network");

/* Input NN_LOSS_MASK; `default` and `targets` are the layer's own. */
static const nn_port nn_loss_mask = {
    NN_SIZEOF(nn_port, doc),
    NN_PORT_OPTIONAL | NN_PORT_NO_DELTA,
    1u << NN_REAL,
    NN_CONTENT_MASK,
    "mask",
    "which rows count: (T, B, 1), or the shape of x with a last axis of 1",
};

/* Output NN_LOSS_PREDICTIONS. */
static const nn_port nn_loss_predictions = {
    NN_SIZEOF(nn_port, doc), 0,
    1u << NN_REAL,           0,
    "predictions",           "p: the shape of x, of masked rows as well"};

/* Output NN_LOSS_LOSS. */
static const nn_port nn_loss_rows = {
    NN_SIZEOF(nn_port, doc),
    NN_PORT_LOSS,
    1u << NN_REAL,
    0,
    "loss",
    "(T, B, ..., 1): its mean over all rows is the layer's loss; 0 in masked "
    "rows",
};

/* Output NN_LOSS_WEIGHT. */
static const nn_port nn_loss_weight = {
    NN_SIZEOF(nn_port, doc),
    NN_PORT_WEIGHT | NN_PORT_NO_DELTA,
    1u << NN_REAL,
    0,
    "weight",
    "(1): sum of the mask, or number of rows",
};

/* The outputs of a layer that uses nn_loss_setup. */
static const nn_port *const nn_loss_outputs[] = {
    &nn_loss_predictions,
    &nn_loss_rows,
    &nn_loss_weight,
};

/* ---------------------------------------------------------------- masks */

/* Refuses a mask on input `mask` whose axes do not fit those of SHAPE.
 * Returns 0 or NN_SHAPE.  [setup] */
static inline int32_t nn_mask_check(nn_setup *setup, const nn_shape *shape,
                                    const nn_shape *mask)
{
    nn_shape rows = nn_shape_rows(shape);
    char expected[NN_SHAPE_ROOM + 64];
    char text[NN_SHAPE_ROOM];

    if (mask->ndim > nn_shape_open(shape) && mask->ndim <= shape->ndim &&
        nn_shape_agree(mask, shape, mask->ndim - 1) &&
        nn_shape_columns(mask) == 1)
        return NN_OK;
    snprintf(expected, sizeof expected,
             "%s, or fewer feature axes before the 1",
             nn_shape_text(&rows, text));
    return nn_shape_fail(setup, "mask", expected, mask);
}

/* Writes MASK, repeated over the axes that it lacks, into ROWS (T, B, ..., 1),
 * a dense array.  [compute] */
static inline void nn_mask_spread(const nn_operations *ops,
                                  const nn_array *mask, const nn_array *rows)
{
    nn_array vector = nn_as_matrix(mask);
    nn_array matrix = nn_flatten(rows, mask->ndim - 1);

    nn_broadcast_t(ops, &vector, &matrix);
}

/* y = x in the rows where KEPT (T, B, ..., 1) is not 0, and 0 in the others.
 * y has mode WRITE and is no part of x.  [compute] */
static inline void nn_mask_rows(const nn_operations *ops, const nn_array *kept,
                                const nn_array *x, const nn_array *y)
{
    nn_broadcast_t(ops, kept, y);
    nn_select_ttt(ops, y, x, y, y);
}

/* ---------------------------------------------------------------- setup */

/* Declares the outputs predictions, loss, weight and the first four internals;
 * checks input `default` and the mask.  The targets are the caller's.  Returns
 * 0 or a code with the message set.  [setup] */
static inline int32_t nn_loss_setup(nn_setup *setup)
{
    const nn_shape *x = &setup->inputs[NN_LOSS_INPUT];
    const nn_shape *mask = &setup->inputs[NN_LOSS_MASK];
    nn_shape rows;
    nn_buffer buffers[7];
    int32_t code = nn_shape_need_features(setup, "default", x);
    uint32_t i;

    if (!code && mask->ndim)
        code = nn_mask_check(setup, x, mask);
    if (code)
        return code;
    rows = nn_shape_rows(x);
    buffers[0] = nn_buffer_like("predictions", x);
    buffers[1] = nn_buffer_like("loss", &rows);
    buffers[2] = nn_buffer_named("weight");
    buffers[2].flags = NN_BUFFER_NO_DELTA;
    buffers[3] = nn_buffer_like("row", &rows);
    buffers[4] = nn_buffer_like("scale", &rows);
    buffers[5] = nn_buffer_named("total");
    buffers[6] = nn_buffer_named("divisor");
    for (i = 0; i < 7; ++i) {
        if (buffers[i].shape.ndim == 0) {
            buffers[i].shape.ndim = 1;
            buffers[i].shape.dims[0] = 1;
        }
        code = setup->declare(setup,
                              i < 3 ? NN_DECLARE_OUTPUT : NN_DECLARE_INTERNAL,
                              &buffers[i]);
        if (code < 0)
            return code;
    }
    return NN_OK;
}

/* Declares an internal NAME with the axes of SHAPE.  Returns 0 or a code.
 * [setup] */
static inline int32_t nn_loss_scratch(nn_setup *setup, const char *name,
                                      const nn_shape *shape, uint32_t flags)
{
    nn_buffer buffer = nn_buffer_like(name, shape);
    int32_t index;

    buffer.flags = flags;
    index = setup->declare(setup, NN_DECLARE_INTERNAL, &buffer);
    return index < 0 ? index : NN_OK;
}

/* -------------------------------------------------------------- compute */

/* s[r] = factor m[r] / sum of m into SCALE, the sum into TOTAL, and into
 * DIVISOR the sum or 1.  An absent MASK is all ones.  [compute] */
static inline void nn_loss_scale(const nn_operations *ops, const nn_array *mask,
                                 double factor, const nn_array *scale,
                                 const nn_array *total, const nn_array *divisor)
{
    double rows = (double)nn_rows(scale);

    if (!nn_present(mask)) {
        nn_fill(ops, total, rows);
        nn_fill(ops, scale, factor / rows);
        return;
    }
    nn_mask_spread(ops, mask, scale);
    nn_sum_t(ops, scale, NN_AXIS_ALL, total);
    nn_equal_ts(ops, total, 0.0, divisor);
    nn_add_tt(ops, divisor, total, divisor);
    nn_mult_ts(ops, scale, factor, scale);
    nn_divide_mv(ops, scale, divisor, scale);
}

/* y[r] = sum over row r of x.  [compute] */
static inline void nn_loss_row_sum(const nn_operations *ops, const nn_array *x,
                                   const nn_array *y)
{
    nn_sum_t(ops, x, (int64_t)x->ndim - 1, y);
}

/* The first step of forward: s and the output `weight`.  IMPORTANCE is i.
 * [compute] */
static inline void nn_loss_begin(const nn_layer_context *context,
                                 double importance)
{
    const nn_array *scale = &context->internals[NN_LOSS_SCALE];
    const nn_array *total = &context->internals[NN_LOSS_TOTAL];

    nn_loss_scale(context->ops, &context->inputs[NN_LOSS_MASK],
                  importance * (double)nn_rows(scale), scale, total,
                  &context->internals[NN_LOSS_DIVISOR]);
    nn_copy(context->ops, total, &context->outputs[NN_LOSS_WEIGHT]);
}

/* The last step of forward: the output `loss` holds L and becomes s L, exactly
 * 0 where s is.  [compute] */
static inline void nn_loss_end(const nn_layer_context *context)
{
    const nn_array *scale = &context->internals[NN_LOSS_SCALE];
    const nn_array *loss = &context->outputs[NN_LOSS_LOSS];

    if (!nn_wanted(loss))
        return;
    nn_mult_tt(context->ops, loss, scale, loss);
    if (nn_present(&context->inputs[NN_LOSS_MASK]))
        nn_select_ttt(context->ops, scale, loss, scale, loss);
}

/* The first step of backward: s[r] times the delta of loss[r], which is the
 * derivative of the network's loss by L[r], into internal NN_LOSS_ROW, which is
 * returned; NULL if the loss has no delta.  [compute] */
static inline const nn_array *nn_loss_row_delta(const nn_layer_context *context)
{
    const nn_array *delta = &context->output_deltas[NN_LOSS_LOSS];
    const nn_array *row = &context->internals[NN_LOSS_ROW];

    if (!nn_wanted(delta))
        return NULL;
    nn_mult_tt(context->ops, delta, &context->internals[NN_LOSS_SCALE], row);
    return row;
}

/* y = x[r,:] row[r], where masked rows of x count as 0.  SCRATCH has the shape
 * of x and is used only with a mask.  y is written as its mode says.
 * [compute] */
static inline void nn_loss_mult_rows(const nn_layer_context *context,
                                     const nn_array *x, const nn_array *row,
                                     const nn_array *scratch, const nn_array *y)
{
    if (nn_present(&context->inputs[NN_LOSS_MASK])) {
        nn_mask_rows(context->ops, &context->internals[NN_LOSS_SCALE], x,
                     scratch);
        x = scratch;
    }
    nn_mult_mv(context->ops, x, row, y);
}

NN_END_DECLS

#endif
