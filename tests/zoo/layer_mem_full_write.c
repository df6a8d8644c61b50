/* SPDX-License-Identifier: MIT */
/* expect: layer.mem.full-write
 * also: layer.mem.uninit  what stood there before is a result
 * The second output is written only in its first time step. */
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
    nn_array first = nn_slice(&c->outputs[1], 0, 1);

    good_forward(c);
    nn_fill(c->ops, &first, 1.0);
}

ZOO_PORT(spare, "spare", NN_PORT_NO_DELTA, NN_CONTENT_ANY);
static const nn_port *const outputs[] = {&good_port, &spare};

ZOO_LAYER_WITH(layer_mem_full_write, 0, good_ports, outputs, .setup = setup,
               .forward = forward);
