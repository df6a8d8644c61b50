/* SPDX-License-Identifier: MIT */
/* call.h - one call of a base operation on host memory, and who runs it.
 *
 * The operands have passed nn_reference_check and the output is wanted.  Each
 * function runs the operations that its file describes; they return 0, or a
 * code with the text in the call's report.  All [any]. */
#ifndef NN_CORE_REFERENCE_CALL_H
#define NN_CORE_REFERENCE_CALL_H

#include <nn/operations.h>

#include "core/reference/report.h"
#include "core/reference/signature.h"
#include "core/reference/view.h"

typedef struct nn_call {
    uint32_t operation;
    uint32_t n_operands;
    const nn_array *const *operands;
    nn_view views[NN_BASE_OPERANDS]; /* in the order of the operands */
    nn_attributes with;
    nn_report report;
} nn_call;

/* y[i] = f(in[0][i], in[1][i], ...) for COUNT elements.  Y is none of IN. */
typedef void (*nn_elementwise_fn)(const double *const *in, double *y,
                                  int64_t count, const nn_attributes *with);

int32_t nn_call_copy(nn_call *call);      /* copy */
int32_t nn_call_cast(nn_call *call);      /* cast */
int32_t nn_call_fill(nn_call *call);      /* fill */
int32_t nn_call_transpose(nn_call *call); /* transpose_m */

int32_t nn_call_elementwise(nn_call *call); /* elementwise.c, activation.c */
int32_t nn_call_vector(nn_call *call);      /* *_mv, broadcast_t */
int32_t nn_call_dot(nn_call *call);         /* dot_mm */

int32_t nn_call_reduce(nn_call *call); /* sum_t, sum_squares_t, max_t */
int32_t nn_call_argmax(nn_call *call); /* argmax_m */

int32_t nn_call_gather(nn_call *call);       /* gather_m_by_v */
int32_t nn_call_scatter_rows(nn_call *call); /* scatter_m_by_v */
int32_t nn_call_index(nn_call *call);        /* index_m_by_v */
int32_t nn_call_scatter(nn_call *call);      /* scatter_v_by_v */
int32_t nn_call_one_hot(nn_call *call);      /* one_hot_v */

int32_t nn_call_random(nn_call *call);  /* fill_uniform, ... */
int32_t nn_call_dropout(nn_call *call); /* dropout_t */

int32_t nn_call_softmax(nn_call *call); /* softmax_m, log_softmax_m */
int32_t nn_call_softmax_backward(nn_call *call);

/* Larger of X and Z, NaN if one is. */
static inline double nn_larger(double x, double z)
{
    if (x != x || z != z)
        return x + z;
    return x > z ? x : z;
}

/* The loop of element-wise OPERATION; that of mult_mv is mult_tt's. */
nn_elementwise_fn nn_elementwise_loop(uint32_t operation);

/* The loops of activation_t and activation_backward_t for KIND, which is below
 * NN_ACTIVATION_COUNT. */
nn_elementwise_fn nn_activation_loop(uint32_t kind);
nn_elementwise_fn nn_activation_backward_loop(uint32_t kind);

#endif
