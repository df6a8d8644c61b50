/* SPDX-License-Identifier: MIT */
/* expect: layer.grad.taylor
 * also: layer.grad.flags  the zeros are seen there too
 * Backward writes zeros. */
#include "layer.h"

static void backward(const nn_layer_context *c)
{
    nn_fill(c->ops, &c->input_deltas[0], 0.0);
    nn_fill(c->ops, &c->gradients[FACTOR], 0.0);
    nn_fill(c->ops, &c->gradients[OFFSET], 0.0);
}

ZOO_LAYER(layer_grad_taylor_zeros, .backward = backward);
