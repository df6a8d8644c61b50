/* SPDX-License-Identifier: MIT */
/* expect: layer.grad.flags
 * The second input changes nothing, and its port does not say NO_DELTA. */
#include "layer.h"

static int32_t setup(nn_setup *setup)
{
    int32_t code = nn_shape_need(setup, "spare", &setup->inputs[0],
                                 &setup->inputs[1]);

    return code ? code : good_setup(setup);
}

static void backward(const nn_layer_context *c)
{
    nn_fill(c->ops, &c->input_deltas[1], 0.0);
    good_backward(c);
}

ZOO_PORT(spare, "spare", 0, NN_CONTENT_ANY);
static const nn_port *const inputs[] = {&good_port, &spare};

ZOO_LAYER_WITH(layer_grad_flags, 0, inputs, good_ports, .setup = setup,
               .backward = backward);
