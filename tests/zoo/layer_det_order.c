/* SPDX-License-Identifier: MIT */
/* expect: layer.det.order
 * The rows of the input are taken to lie one behind the other. */
#include "layer.h"

static void forward(const nn_layer_context *c)
{
    nn_array x = c->inputs[0];

    x.pitch = nn_columns(&x);
    forward_to(c, &x, &c->outputs[0]);
}

ZOO_LAYER(layer_det_order, .forward = forward);
