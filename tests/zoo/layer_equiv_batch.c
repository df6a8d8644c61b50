/* SPDX-License-Identifier: MIT */
/* expect: layer.equiv.batch
 * The output is multiplied by the number of samples. */
#define FORWARD forward
#define BACKWARD backward
#include "plugin.h"

static void forward(const nn_layer_context *context)
{
    scaled_forward(context, (double)context->B);
}

static void backward(const nn_layer_context *context)
{
    const nn_operations *ops = context->ops;
    const nn_array *dy = &context->output_deltas[0];
    const nn_array *scaled = &context->internals[0];

    if (!nn_wanted(dy)) {
        good_backward(context);
        return;
    }
    nn_mult_ts(ops, dy, (double)context->B, scaled);
    nn_mult_mv(ops, scaled, &context->parameters[0], &context->input_deltas[0]);
    nn_mult_tt(ops, &context->inputs[0], scaled, scaled);
    nn_sum_t(ops, scaled, NN_AXIS_ALL, &context->gradients[0]);
}

ZOO_PLUGIN(layer_equiv_batch);
