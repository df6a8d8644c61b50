/* SPDX-License-Identifier: MIT */
/* expect: layer.mode.train-eval
 * Elements are dropped without TRAIN as well. */
#include "layer.h"

static void forward(const nn_layer_context *c)
{
    good_forward(c);
    nn_dropout_t(c->ops, &c->outputs[0], 0.5, c->random, &c->outputs[0]);
}

static void backward(const nn_layer_context *c)
{
    nn_layer_context with = *c;
    nn_array dy = c->output_deltas[0];

    if (no_delta(c))
        return;
    nn_dropout_t(c->ops, &dy, 0.5, c->random, &c->internals[1]);
    dy = c->internals[1];
    with.output_deltas = &dy;
    good_backward(&with);
}

static int32_t setup(nn_setup *setup)
{
    int32_t code = good_setup(setup);

    if (!code)
        code = declare_like(setup, NN_DECLARE_INTERNAL, "kept",
                            NN_BUFFER_BACKWARD_ONLY);
    return code < 0 ? code : NN_OK;
}

ZOO_LAYER_WITH(layer_mode_train_eval, NN_LAYER_RANDOM, good_ports, good_ports,
               .setup = setup, .forward = forward, .backward = backward);
