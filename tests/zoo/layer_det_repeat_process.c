/* SPDX-License-Identifier: MIT */
/* expect: layer.det.repeat
 * The second output holds a number that is another one in every process. */
#include "layer.h"

#include <unistd.h>

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
    good_forward(c);
    nn_fill(c->ops, &c->outputs[1], (double)getpid());
}

ZOO_PORT(spare, "spare", NN_PORT_NO_DELTA, NN_CONTENT_ANY);
static const nn_port *const outputs[] = {&good_port, &spare};

ZOO_LAYER_WITH(layer_det_repeat_process, 0, good_ports, outputs, .setup = setup,
               .forward = forward);
