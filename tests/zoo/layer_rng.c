/* SPDX-License-Identifier: MIT */
/* expect: layer.rng
 * Dropout that does not scale what it keeps. */
#define FLAGS NN_LAYER_RANDOM
#define FORWARD forward
#define BACKWARD backward
#define SETUP setup
#include "plugin.h"

static int32_t setup(nn_setup *s)
{
    nn_buffer mask = nn_buffer_like("mask", &s->inputs[0]);
    int32_t code = good_setup(s);

    if (!code)
        code = s->declare(s, NN_DECLARE_INTERNAL, &mask);
    return code < 0 ? code : NN_OK;
}

static void forward(const nn_layer_context *context)
{
    const nn_array *mask = &context->internals[1];

    good_forward(context);
    if (!(context->flags & NN_PASS_TRAIN)) {
        nn_fill(context->ops, mask, 1);
        return;
    }
    nn_fill_bernoulli(context->ops, mask, 0.5, 1, nn_layer_random(context, 0));
    nn_mult_tt(context->ops, &context->outputs[0], mask, &context->outputs[0]);
}

static void backward(const nn_layer_context *context)
{
    const nn_operations *ops = context->ops;
    const nn_array *dy = &context->output_deltas[0];
    const nn_array *product = &context->internals[0];

    if (!nn_wanted(dy)) {
        good_backward(context);
        return;
    }
    nn_mult_tt(ops, dy, &context->internals[1], product);
    nn_mult_mv(ops, product, &context->parameters[0],
               &context->input_deltas[0]);
    nn_mult_tt(ops, product, &context->inputs[0], product);
    nn_sum_t(ops, product, NN_AXIS_ALL, &context->gradients[0]);
}

ZOO_PLUGIN(layer_rng);
