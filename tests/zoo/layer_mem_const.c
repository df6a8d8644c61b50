/* SPDX-License-Identifier: MIT */
/* expect: layer.mem.const
 * Backward clears the output. */
#include "layer.h"

static void backward(const nn_layer_context *c)
{
    nn_array y = c->outputs[0];

    y.flags = 0;
    nn_fill(c->ops, &y, 0.0);
    good_backward(c);
}

ZOO_LAYER(layer_mem_const, .backward = backward);
