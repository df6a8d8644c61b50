/* SPDX-License-Identifier: MIT */
/* expect: layer.grad.discarded-output
 * Without an output delta backward does nothing. */
#include "layer.h"

static void backward(const nn_layer_context *c)
{
    if (nn_wanted(&c->output_deltas[0]))
        good_backward(c);
}

ZOO_LAYER(layer_grad_discarded_output, .backward = backward);
