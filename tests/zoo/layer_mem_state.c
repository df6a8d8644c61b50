/* SPDX-License-Identifier: MIT */
/* expect: layer.mem.state
 * Passes are counted in the state, those without TRAIN too. */
#include "layer.h"

static int32_t setup(nn_setup *setup)
{
    int32_t code = good_setup(setup);

    if (!code)
        code = declare_row(setup, NN_DECLARE_STATE, "passes", 0);
    return code < 0 ? code : NN_OK;
}

static void forward(const nn_layer_context *c)
{
    nn_array passes = c->state[0];

    passes.flags = 0;
    good_forward(c);
    nn_add_ts(c->ops, &passes, 1.0, &passes);
}

ZOO_LAYER(layer_mem_state, .setup = setup, .forward = forward);
