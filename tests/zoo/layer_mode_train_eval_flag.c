/* SPDX-License-Identifier: MIT */
/* expect: layer.mode.train-eval
 * The second output is random with TRAIN, and nothing says NN_LAYER_RANDOM. */
#include "layer.h"

static int32_t setup(nn_setup *setup)
{
    int32_t code = good_setup(setup);

    if (!code)
        code = declare_like(setup, NN_DECLARE_OUTPUT, "noise",
                            NN_BUFFER_NO_DELTA);
    return code < 0 ? code : NN_OK;
}

static void forward(const nn_layer_context *c)
{
    good_forward(c);
    nn_fill(c->ops, &c->outputs[1], 0.0);
    if (c->flags & NN_PASS_TRAIN)
        nn_fill_uniform(c->ops, &c->outputs[1], 0.0, 1.0, c->random);
}

ZOO_PORT(noise, "noise", NN_PORT_NO_DELTA, NN_CONTENT_ANY);
static const nn_port *const outputs[] = {&good_port, &noise};

ZOO_LAYER_WITH(layer_mode_train_eval_flag, 0, good_ports, outputs,
               .setup = setup, .forward = forward);
