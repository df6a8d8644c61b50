/* SPDX-License-Identifier: MIT */
/* expect: layer.mem.bounds
 * Scratch is filled one column too far, where no other buffer begins. */
#include "layer.h"

static void backward(const nn_layer_context *c)
{
    nn_array product = c->internals[PRODUCT];
    nn_array wide = nn_column_slice(&product, 1, nn_columns(&product));

    if (nn_elements(&product) % 8 != 0)
        nn_fill(c->ops, &wide, 0.0);
    good_backward(c);
}

ZOO_LAYER(layer_mem_bounds, .backward = backward);
