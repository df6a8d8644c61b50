/* SPDX-License-Identifier: MIT */
/* expect: layer.rnn.context
 * A sum over time, y[t] = x[t] + y[t-1], that forgets y[-1] in step 0. */
#include "layer.h"

static int32_t setup(nn_setup *setup)
{
    nn_buffer y = nn_buffer_like("default", &setup->inputs[0]);
    int32_t code = nn_shape_need_features(setup, "default", &setup->inputs[0]);

    y.context_before = 1;
    if (!code)
        code = setup->declare(setup, NN_DECLARE_OUTPUT, &y);
    if (code >= 0)
        code = declare_like(setup, NN_DECLARE_INTERNAL, "flow",
                            NN_BUFFER_BACKWARD_ONLY);
    return code < 0 ? code : NN_OK;
}

/* TO[t] = FROM[t] + TO[t - STEP], from FIRST on. */
static void sum_up(const nn_layer_context *c, const nn_array *from,
                   const nn_array *to, int64_t first, int64_t step)
{
    int64_t i;

    nn_copy(c->ops, from, to);
    for (i = 1; i < c->T; ++i) {
        nn_array one = nn_slice(to, first + i * step, 1);
        nn_array before = nn_slice(to, first + (i - 1) * step, 1);

        nn_add_tt(c->ops, &one, &before, &one);
    }
}

static void forward(const nn_layer_context *c)
{
    sum_up(c, &c->inputs[0], &c->outputs[0], 0, 1);
}

static void backward(const nn_layer_context *c)
{
    if (no_delta(c))
        return;
    sum_up(c, &c->output_deltas[0], &c->internals[0], c->T - 1, -1);
    nn_copy(c->ops, &c->internals[0], &c->input_deltas[0]);
}

ZOO_LAYER(layer_rnn_context, .setup = setup, .forward = forward,
          .backward = backward);
