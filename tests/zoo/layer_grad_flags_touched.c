/* SPDX-License-Identifier: MIT */
/* expect: layer.grad.flags
 * also: layer.grad.modes  it is the delta of another array that changes
 * The delta of an input that says NO_DELTA is written. */
#include "layer.h"

static int32_t setup(nn_setup *setup)
{
    int32_t code = nn_shape_need(setup, "spare", &setup->inputs[0],
                                 &setup->inputs[1]);

    return code ? code : good_setup(setup);
}

static void backward(const nn_layer_context *c)
{
    nn_array spare = c->input_deltas[1];

    good_backward(c);
    spare.mode = NN_WRITE;
    if (spare.memory)
        nn_fill(c->ops, &spare, 0.0);
}

ZOO_PORT(spare, "spare", NN_PORT_NO_DELTA, NN_CONTENT_ANY);
static const nn_port *const inputs[] = {&good_port, &spare};

ZOO_LAYER_WITH(layer_grad_flags_touched, 0, inputs, good_ports, .setup = setup,
               .backward = backward);
