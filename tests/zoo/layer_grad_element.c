/* SPDX-License-Identifier: MIT */
/* expect: layer.grad.element
 * also: layer.grad.taylor  any wrong element is seen along random directions
 * The input delta of the last time step is that of the first. */
#include "layer.h"

static void backward(const nn_layer_context *c)
{
    const nn_array *product = &c->internals[PRODUCT];
    nn_array first = nn_slice(product, 0, 1);
    nn_array last = nn_slice(product, c->T - 1, 1);

    if (no_delta(c))
        return;
    nn_mult_tt(c->ops, &c->inputs[0], &c->output_deltas[0], product);
    nn_mult_mv(c->ops, product, &c->parameters[FACTOR], product);
    if (c->T > 1)
        nn_copy(c->ops, &first, &last);
    nn_mult_ts(c->ops, product, 2 * nn_param_real(c->params, GAIN),
               &c->input_deltas[0]);
    factor_gradient(c, &c->gradients[FACTOR]);
    offset_gradient(c, &c->gradients[OFFSET]);
}

ZOO_LAYER(layer_grad_element, .backward = backward);
