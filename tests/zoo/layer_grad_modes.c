/* SPDX-License-Identifier: MIT */
/* expect: layer.grad.modes
 * An input delta that is DISCARD is written all the same. */
#include "layer.h"

static void backward(const nn_layer_context *c)
{
    nn_array dx = c->input_deltas[0];

    if (no_delta(c))
        return;
    if (dx.mode == NN_DISCARD && dx.memory)
        dx.mode = NN_WRITE;
    input_delta(c, 2, &dx);
    factor_gradient(c, &c->gradients[FACTOR]);
    offset_gradient(c, &c->gradients[OFFSET]);
}

ZOO_LAYER(layer_grad_modes, .backward = backward);
