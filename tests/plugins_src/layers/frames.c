/* SPDX-License-Identifier: MIT */
/* frames.c - a running sum over time, to show frames of context.
 *
 * The output has one frame before frame 0, the scratch of the backward pass one
 * after frame T - 1; both are zero or carried, so no step is special.
 *
 * Forward:   y[t] = x[t] + y[t-1]
 * Backward:  h[t] = dy[t] + h[t+1],  dx = h
 *
 * Letters: x, y (T, B, F) input and output; h (T, B, F) the derivative of the
 * loss by y[t] through all later steps. */
#include <nn/shape.h>

enum { FLOW }; /* internals: h */

static int32_t setup_layer(nn_setup *setup)
{
    const nn_shape *x = &setup->inputs[0];
    nn_buffer y = nn_buffer_like("default", x);
    nn_buffer flow = nn_buffer_like("flow", x);
    int32_t code = nn_shape_need_features(setup, "default", x);

    if (code)
        return code;
    y.context_before = 1;
    flow.context_after = 1;
    flow.flags = NN_BUFFER_BACKWARD_ONLY;
    code = setup->declare(setup, NN_DECLARE_OUTPUT, &y);
    if (code >= 0)
        code = setup->declare(setup, NN_DECLARE_INTERNAL, &flow);
    return code < 0 ? code : NN_OK;
}

static void forward(const nn_layer_context *context)
{
    int64_t t;

    for (t = 0; t < context->T; ++t) {
        nn_array x = nn_slice(&context->inputs[0], t, 1);
        nn_array y = nn_slice(&context->outputs[0], t, 1);
        nn_array before = nn_slice(&context->outputs[0], t - 1, 1);

        nn_add_tt(context->ops, &x, &before, &y);
    }
}

static void backward(const nn_layer_context *context)
{
    const nn_array *flow = &context->internals[FLOW];
    const nn_array *dy = &context->output_deltas[0];
    int64_t t;

    if (!nn_wanted(dy)) {
        nn_fill(context->ops, &context->input_deltas[0], 0.0);
        return;
    }
    for (t = context->T - 1; t >= 0; --t) {
        nn_array delta = nn_slice(dy, t, 1);
        nn_array h = nn_slice(flow, t, 1);
        nn_array after = nn_slice(flow, t + 1, 1);

        nn_add_tt(context->ops, &delta, &after, &h);
    }
    nn_copy(context->ops, flow, &context->input_deltas[0]);
}

static const nn_port input = {
    .size = NN_SIZEOF(nn_port, doc),
    .dtypes = 1u << NN_REAL,
    .name = "default",
    .doc = "x: (T, B, features...)",
};

static const nn_port output = {
    .size = NN_SIZEOF(nn_port, doc),
    .dtypes = 1u << NN_REAL,
    .name = "default",
    .doc = "y",
};

static const nn_port *const inputs[] = {&input};
static const nn_port *const outputs[] = {&output};

static const nn_layer_interface interface = {
    .size = NN_SIZEOF(nn_layer_interface, backward),
    .setup = setup_layer,
    .forward = forward,
    .backward = backward,
};

static const nn_component component = {
    .size = NN_SIZEOF(nn_component, outputs),
    .kind = NN_KIND_LAYER,
    .name = "frames",
    .summary = "A running sum over time",
    .doc = "A running sum over time.",
    .interface = &interface,
    .n_inputs = sizeof inputs / sizeof *inputs,
    .n_outputs = sizeof outputs / sizeof *outputs,
    .inputs = inputs,
    .outputs = outputs,
};

static const nn_component *const components[] = {&component};

NN_PLUGIN_ENTRY(test_frames) = {
    NN_PLUGIN_HEAD,
    .id = "org.nervenet.test.frames",
    .name = "frames",
    .version = "0.1.0",
    .license = "MIT",
    .author = "Nervenet contributors",
    .summary = "A running sum over time",
    .n_components = 1,
    .components = components,
};
