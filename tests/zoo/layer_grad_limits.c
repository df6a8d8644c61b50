/* SPDX-License-Identifier: MIT */
/* expect: layer.grad.limits
 * also: layer.grad.taylor  the limits are among its cases
 * A gain of 0 switches backward off, and the gradient of b with it. */
#include "layer.h"

static void backward(const nn_layer_context *c)
{
    if (nn_param_real(c->params, GAIN) > 0) {
        good_backward(c);
        return;
    }
    nn_fill(c->ops, &c->input_deltas[0], 0.0);
    nn_fill(c->ops, &c->gradients[FACTOR], 0.0);
    nn_fill(c->ops, &c->gradients[OFFSET], 0.0);
}

ZOO_LAYER(layer_grad_limits, .backward = backward);
