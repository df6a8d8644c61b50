/* SPDX-License-Identifier: MIT */
/* linear.h - the extension "nn.linear/1": product, bias and activation.
 *
 * Forward: y = f(x W' + b + residual).  Backward, with a = dy * f'(y):
 * dx = a W, dW = a' x, db = sum over rows of a, dresidual = a.  Letters: M rows
 * (time steps times samples), K inputs, N units; W is (N, K), one row a unit.
 * Every f of NN_ACTIVATION_... so far has a derivative that follows from y. */
#ifndef NN_LINEAR_H
#define NN_LINEAR_H

#include <nn/extension.h>
#include <nn/operations.h>

NN_BEGIN_DECLS

#define NN_LINEAR "nn.linear/1"

/* Rows. */
#define NN_LINEAR_FORWARD 0u
#define NN_LINEAR_BACKWARD 1u
#define NN_LINEAR_ROWS 2u

/* Operands of NN_LINEAR_FORWARD: in x (M,K), in W (N,K), in optional b (N),
 * in optional residual (M,N), out y (M,N). */
#define NN_LINEAR_X 0u
#define NN_LINEAR_W 1u
#define NN_LINEAR_BIAS 2u
#define NN_LINEAR_RESIDUAL 3u
#define NN_LINEAR_Y 4u
#define NN_LINEAR_FORWARD_OPERANDS 5u

/* Operands of NN_LINEAR_BACKWARD: in x (M,K), in W (N,K), in y (M,N),
 * in dy (M,N), out optional dx (M,K), out dW (N,K), out optional db (N),
 * out optional dresidual (M,N).  DISCARD ones are not computed. */
#define NN_LINEAR_BACKWARD_X 0u
#define NN_LINEAR_BACKWARD_W 1u
#define NN_LINEAR_BACKWARD_Y 2u
#define NN_LINEAR_BACKWARD_DY 3u
#define NN_LINEAR_BACKWARD_DX 4u
#define NN_LINEAR_BACKWARD_DW 5u
#define NN_LINEAR_BACKWARD_DB 6u
#define NN_LINEAR_BACKWARD_DRESIDUAL 7u
#define NN_LINEAR_BACKWARD_OPERANDS 8u

/* Attributes of both rows. */
typedef struct nn_linear_attributes {
    uint32_t size;       /* NN_SIZEOF(nn_linear_attributes, alpha) */
    uint32_t activation; /* NN_ACTIVATION_... */
    double alpha;        /* of the activation */
} nn_linear_attributes;

NN_END_DECLS

#endif
