/* SPDX-License-Identifier: MIT */
/* expect: layer.grad.accumulate
 * also: layer.grad.linear  it adds zero output deltas to numbers
 * Backward overwrites the input delta instead of adding to it. */
#include "layer.h"

static void backward(const nn_layer_context *c)
{
    nn_array dx = c->input_deltas[0];

    if (no_delta(c))
        return;
    if (nn_wanted(&dx))
        dx.mode = NN_WRITE;
    input_delta(c, 2, &dx);
    factor_gradient(c, &c->gradients[FACTOR]);
    offset_gradient(c, &c->gradients[OFFSET]);
}

ZOO_LAYER(layer_grad_accumulate, .backward = backward);
