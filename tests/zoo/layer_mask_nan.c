/* SPDX-License-Identifier: MIT */
/* expect: layer.mask
 * Masked rows are multiplied away, and NaN in them is not. */
#include "layer.h"

static int32_t setup(nn_setup *setup)
{
    nn_shape rows = nn_shape_rows(&setup->inputs[0]);
    int32_t code = nn_shape_need(setup, "mask", &rows, &setup->inputs[1]);

    if (!code)
        code = declare_like(setup, NN_DECLARE_OUTPUT, "default", 0);
    return code < 0 ? code : NN_OK;
}

static void forward(const nn_layer_context *c)
{
    nn_mult_mv(c->ops, &c->inputs[0], &c->inputs[1], &c->outputs[0]);
}

static void backward(const nn_layer_context *c)
{
    if (!no_delta(c))
        nn_mult_mv(c->ops, &c->output_deltas[0], &c->inputs[1],
                   &c->input_deltas[0]);
}

ZOO_PORT(mask, "mask", NN_PORT_NO_DELTA, NN_CONTENT_MASK);
static const nn_port *const inputs[] = {&good_port, &mask};

ZOO_LAYER_WITH(layer_mask_nan, 0, inputs, good_ports, .setup = setup,
               .forward = forward, .backward = backward);
