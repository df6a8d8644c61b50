/* SPDX-License-Identifier: MIT */
/* expect: layer.grad.multi-out
 * also: layer.grad.taylor  the forgotten term is missing there too
 * There is a second output, x itself, whose delta is forgotten. */
#include "layer.h"

static int32_t setup(nn_setup *setup)
{
    int32_t code = good_setup(setup);

    if (!code)
        code = declare_like(setup, NN_DECLARE_OUTPUT, "copy", 0);
    return code < 0 ? code : NN_OK;
}

static void forward(const nn_layer_context *c)
{
    good_forward(c);
    nn_copy(c->ops, &c->inputs[0], &c->outputs[1]);
}

ZOO_PORT(copy, "copy", 0, NN_CONTENT_ANY);
static const nn_port *const outputs[] = {&good_port, &copy};

ZOO_LAYER_WITH(layer_grad_multi_out, 0, good_ports, outputs, .setup = setup,
               .forward = forward);
