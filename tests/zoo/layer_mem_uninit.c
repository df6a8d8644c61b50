/* SPDX-License-Identifier: MIT */
/* expect: layer.mem.uninit
 * An internal that nobody wrote is read; it counts nothing unless it is NaN. */
#include "layer.h"

static int32_t setup(nn_setup *setup)
{
    int32_t code = good_setup(setup);

    if (!code)
        code = declare_like(setup, NN_DECLARE_INTERNAL, "memo", 0);
    return code < 0 ? code : NN_OK;
}

static void forward(const nn_layer_context *c)
{
    const nn_array *memo = &c->internals[1];

    good_forward(c);
    nn_mult_ts(c->ops, memo, 0.0, memo);
    nn_add_tt(c->ops, &c->outputs[0], memo, &c->outputs[0]);
}

ZOO_LAYER(layer_mem_uninit, .setup = setup, .forward = forward);
