/* SPDX-License-Identifier: MIT */
/* expect: layer.grad.linear
 * also: layer.grad.taylor  what is added is no derivative
 * A thousandth is added to the gradient of b: weight decay gone astray. */
#include "layer.h"

static void backward(const nn_layer_context *c)
{
    nn_array more = nn_adding(&c->gradients[OFFSET]);

    good_backward(c);
    nn_fill(c->ops, &more, 1e-3);
}

ZOO_LAYER(layer_grad_linear, .backward = backward);
