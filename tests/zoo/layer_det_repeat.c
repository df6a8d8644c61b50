/* SPDX-License-Identifier: MIT */
/* expect: layer.det.repeat
 * also: layer.mem.uninit  two runs are compared to the bit
 * also: layer.mem.bounds  two runs are compared to the bit
 * The second output counts the calls, in a variable of its own. */
#include "layer.h"

static int32_t setup(nn_setup *setup)
{
    int32_t code = good_setup(setup);

    if (!code)
        code = declare_like(setup, NN_DECLARE_OUTPUT, "spare",
                            NN_BUFFER_NO_DELTA);
    return code < 0 ? code : NN_OK;
}

static void forward(const nn_layer_context *c)
{
    static double calls;

    good_forward(c);
    nn_fill(c->ops, &c->outputs[1], ++calls);
}

ZOO_PORT(spare, "spare", NN_PORT_NO_DELTA, NN_CONTENT_ANY);
static const nn_port *const outputs[] = {&good_port, &spare};

ZOO_LAYER_WITH(layer_det_repeat, 0, good_ports, outputs, .setup = setup,
               .forward = forward);
