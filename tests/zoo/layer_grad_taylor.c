/* SPDX-License-Identifier: MIT */
/* expect: layer.grad.taylor
 * The input delta has the wrong sign. */
#include "layer.h"

static void backward(const nn_layer_context *c)
{
    if (no_delta(c))
        return;
    input_delta(c, -2, &c->input_deltas[0]);
    factor_gradient(c, &c->gradients[FACTOR]);
    offset_gradient(c, &c->gradients[OFFSET]);
}

ZOO_LAYER(layer_grad_taylor, .backward = backward);
