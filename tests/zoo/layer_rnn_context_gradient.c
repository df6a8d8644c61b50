/* SPDX-License-Identifier: MIT */
/* expect: layer.rnn.context
 * y[t] = x[t] + a y[t-1], and the gradient of a leaves out step 0, where y[-1]
 * is zero unless it was carried. */
#include "layer.h"

static int32_t setup(nn_setup *setup)
{
    nn_buffer y = nn_buffer_like("default", &setup->inputs[0]);
    int32_t code = nn_shape_need_features(setup, "default", &setup->inputs[0]);

    y.context_before = 1;
    if (!code)
        code = setup->declare(setup, NN_DECLARE_OUTPUT, &y);
    if (code >= 0)
        code = declare_row(setup, NN_DECLARE_PARAMETER, "a", 1);
    if (code >= 0)
        code = declare_like(setup, NN_DECLARE_INTERNAL, "flow",
                            NN_BUFFER_BACKWARD_ONLY);
    return code < 0 ? code : NN_OK;
}

/* TO[t] = FROM[t] + a BEFORE. */
static void step(const nn_layer_context *c, const nn_array *from,
                 const nn_array *before, const nn_array *to, int64_t t)
{
    nn_array x = nn_slice(from, t, 1);
    nn_array y = nn_slice(to, t, 1);

    nn_mult_mv(c->ops, before, &c->parameters[0], &y);
    nn_add_tt(c->ops, &y, &x, &y);
}

static void forward(const nn_layer_context *c)
{
    int64_t t;

    for (t = 0; t < c->T; ++t) {
        nn_array before = nn_slice(&c->outputs[0], t - 1, 1);

        step(c, &c->inputs[0], &before, &c->outputs[0], t);
    }
}

static void backward(const nn_layer_context *c)
{
    const nn_array *flow = &c->internals[0];
    nn_array last = nn_slice(flow, c->T - 1, 1);
    nn_array dy = nn_slice(&c->output_deltas[0], c->T - 1, 1);
    nn_array y = nn_slice(&c->outputs[0], 0, c->T - 1);
    nn_array later = nn_slice(flow, 1, c->T - 1);
    int64_t t;

    if (no_delta(c))
        return;
    nn_copy(c->ops, &dy, &last);
    for (t = c->T - 2; t >= 0; --t) {
        nn_array after = nn_slice(flow, t + 1, 1);

        step(c, &c->output_deltas[0], &after, flow, t);
    }
    nn_copy(c->ops, flow, &c->input_deltas[0]);
    nn_fill(c->ops, &c->gradients[0], 0.0);
    if (c->T == 1)
        return;
    nn_array gradient = nn_adding(&c->gradients[0]);
    nn_mult_tt(c->ops, &later, &y, &later);
    nn_sum_t(c->ops, &later, NN_AXIS_ROWS, &gradient);
}

ZOO_LAYER(layer_rnn_context_gradient, .setup = setup, .forward = forward,
          .backward = backward);
