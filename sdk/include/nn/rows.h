/* SPDX-License-Identifier: MIT */
/* rows.h - what a handler needs to implement rows of the core's extensions.
 *
 * The operand tables of nn.linear/1 and nn.optimizer/1 for nn_row.operands, in
 * the order of linear.h and optimizer.h, and the rows' attributes as callers
 * hand them over, whose struct may be older or newer. */
#ifndef NN_ROWS_H
#define NN_ROWS_H

#include <string.h>

#include <nn/linear.h>
#include <nn/optimizer.h>

NN_BEGIN_DECLS

/* The initializer of an operand of real type; LETTERS give its shape. */
#define NN_REAL_OPERAND(role, name, letters)                                   \
    {                                                                          \
        NN_SIZEOF(nn_operand, shape), (role), NN_MASK_REAL, 0, (name), letters \
    }

/* ------------------------------------------------------------ nn.linear/1 */

/* clang-format off */

/* The operands of NN_LINEAR_FORWARD. */
static const nn_operand nn_linear_x = NN_REAL_OPERAND(NN_ROLE_IN, "x", "M,K");
static const nn_operand nn_linear_w = NN_REAL_OPERAND(NN_ROLE_IN, "W", "N,K");
static const nn_operand nn_linear_bias =
    NN_REAL_OPERAND(NN_ROLE_IN | NN_ROLE_OPTIONAL, "b", "N");
static const nn_operand nn_linear_residual =
    NN_REAL_OPERAND(NN_ROLE_IN | NN_ROLE_OPTIONAL, "residual", "M,N");
static const nn_operand nn_linear_y = NN_REAL_OPERAND(NN_ROLE_OUT, "y", "M,N");

/* Those that NN_LINEAR_BACKWARD has besides. */
static const nn_operand nn_linear_given_y =
    NN_REAL_OPERAND(NN_ROLE_IN, "y", "M,N");
static const nn_operand nn_linear_dy = NN_REAL_OPERAND(NN_ROLE_IN, "dy", "M,N");
static const nn_operand nn_linear_dx =
    NN_REAL_OPERAND(NN_ROLE_OUT | NN_ROLE_OPTIONAL, "dx", "M,K");
static const nn_operand nn_linear_dw =
    NN_REAL_OPERAND(NN_ROLE_OUT, "dW", "N,K");
static const nn_operand nn_linear_db =
    NN_REAL_OPERAND(NN_ROLE_OUT | NN_ROLE_OPTIONAL, "db", "N");
static const nn_operand nn_linear_dresidual =
    NN_REAL_OPERAND(NN_ROLE_OUT | NN_ROLE_OPTIONAL, "dresidual", "M,N");

/* clang-format on */

/* Of NN_LINEAR_FORWARD, in its order. */
static const nn_operand *const nn_linear_forward_operands[] = {
    &nn_linear_x,        &nn_linear_w, &nn_linear_bias,
    &nn_linear_residual, &nn_linear_y,
};

/* Of NN_LINEAR_BACKWARD, in its order. */
static const nn_operand *const nn_linear_backward_operands[] = {
    &nn_linear_x,  &nn_linear_w,  &nn_linear_given_y, &nn_linear_dy,
    &nn_linear_dx, &nn_linear_dw, &nn_linear_db,      &nn_linear_dresidual,
};

/* GIVEN, the attributes of a row of nn.linear/1; members that it lacks are 0,
 * as all are if it is NULL.  [any] */
static inline nn_linear_attributes nn_linear_attributes_of(const void *given)
{
    nn_linear_attributes with = {0, 0, 0};
    uint32_t size = given ? *(const uint32_t *)given : 0;

    if (size)
        memcpy(&with, given, size < sizeof with ? size : sizeof with);
    return with;
}

/* --------------------------------------------------------- nn.optimizer/1 */

/* clang-format off */

/* The parameters, the gradient, and vectors by their letter in optimizer.h. */
static const nn_operand nn_optimizer_w =
    NN_REAL_OPERAND(NN_ROLE_IN_OUT, "w", "*");
static const nn_operand nn_optimizer_g =
    NN_REAL_OPERAND(NN_ROLE_IN, "g", "*");
static const nn_operand nn_optimizer_p =
    NN_REAL_OPERAND(NN_ROLE_IN_OUT, "p", "*");
static const nn_operand nn_optimizer_q =
    NN_REAL_OPERAND(NN_ROLE_IN_OUT, "q", "*");
static const nn_operand nn_optimizer_s =
    NN_REAL_OPERAND(NN_ROLE_IN_OUT, "s", "*");
static const nn_operand nn_optimizer_u =
    NN_REAL_OPERAND(NN_ROLE_IN_OUT, "u", "*");
static const nn_operand nn_optimizer_v =
    NN_REAL_OPERAND(NN_ROLE_IN_OUT, "v", "*");

/* clang-format on */

/* Of NN_OPTIMIZER_SGD. */
static const nn_operand *const nn_optimizer_with_none[] = {
    &nn_optimizer_w,
    &nn_optimizer_g,
};

/* Of NN_OPTIMIZER_MOMENTUM and NN_OPTIMIZER_NESTEROV. */
static const nn_operand *const nn_optimizer_with_v[] = {
    &nn_optimizer_w,
    &nn_optimizer_g,
    &nn_optimizer_v,
};

/* Of NN_OPTIMIZER_ADAM. */
static const nn_operand *const nn_optimizer_with_pq[] = {
    &nn_optimizer_w,
    &nn_optimizer_g,
    &nn_optimizer_p,
    &nn_optimizer_q,
};

/* Of NN_OPTIMIZER_ADAMAX. */
static const nn_operand *const nn_optimizer_with_pu[] = {
    &nn_optimizer_w,
    &nn_optimizer_g,
    &nn_optimizer_p,
    &nn_optimizer_u,
};

/* Of NN_OPTIMIZER_AMSGRAD. */
static const nn_operand *const nn_optimizer_with_pqs[] = {
    &nn_optimizer_w, &nn_optimizer_g, &nn_optimizer_p,
    &nn_optimizer_q, &nn_optimizer_s,
};

/* Of NN_OPTIMIZER_RMSPROP and NN_OPTIMIZER_ADAGRAD. */
static const nn_operand *const nn_optimizer_with_q[] = {
    &nn_optimizer_w,
    &nn_optimizer_g,
    &nn_optimizer_q,
};

/* Of NN_OPTIMIZER_ADADELTA. */
static const nn_operand *const nn_optimizer_with_qs[] = {
    &nn_optimizer_w,
    &nn_optimizer_g,
    &nn_optimizer_q,
    &nn_optimizer_s,
};

/* GIVEN, the attributes of a row of nn.optimizer/1; members that it lacks are
 * 0.  [any] */
static inline nn_optimizer_attributes nn_optimizer_attributes_of(
    const void *given)
{
    nn_optimizer_attributes with = {0, 0, 0, 0, 0, 0, 0, 0};
    uint32_t size = *(const uint32_t *)given;

    memcpy(&with, given, size < sizeof with ? size : sizeof with);
    return with;
}

NN_END_DECLS

#endif
