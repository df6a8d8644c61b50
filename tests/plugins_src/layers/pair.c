/* SPDX-License-Identifier: MIT */
/* pair.c - a layer around a layer, to show a child that runs step by step.
 *
 * Forward:   y[t] = c(x[t]) + x[t]
 * Backward:  dx[t] = dy[t] + what c passes back for dc[t] = dy[t]
 *
 * Letters: x, y (T, B, F) input and output; c the child, a layer from the
 * config whose output has the shape of its input. */
#include <nn/shape.h>

enum { INNER }; /* parameters */

static int32_t setup_layer(nn_setup *setup)
{
    const nn_shape *x = &setup->inputs[0];
    nn_child *child = nn_param_child(setup->params, INNER);
    nn_buffer y = nn_buffer_like("default", x);
    nn_shape result;
    int32_t code = setup->child(setup, child, x, 1, 1);

    if (code >= 0)
        code = setup->child_output(setup, child, 0, &result);
    if (code >= 0)
        code = nn_shape_need(setup, "output of inner", x, &result);
    if (code >= 0)
        code = setup->declare(setup, NN_DECLARE_OUTPUT, &y);
    return code < 0 ? code : NN_OK;
}

static void forward(const nn_layer_context *context)
{
    nn_child *child = nn_param_child(context->params, INNER);
    nn_array all = context->child_output(context, child, 0);
    int64_t t;

    for (t = 0; t < context->T; ++t) {
        nn_array x = nn_slice(&context->inputs[0], t, 1);
        nn_array y = nn_slice(&context->outputs[0], t, 1);
        nn_array c = nn_slice(&all, t, 1);

        context->child_forward(context, child, &x, 1, t);
        nn_add_tt(context->ops, &c, &x, &y);
    }
}

static void backward(const nn_layer_context *context)
{
    nn_child *child = nn_param_child(context->params, INNER);
    nn_array dc = context->child_output_delta(context, child, 0);
    const nn_array *dy = &context->output_deltas[0];
    nn_array adding = nn_adding(&context->input_deltas[0]);
    int64_t t;

    if (!nn_wanted(dy)) {
        nn_fill(context->ops, &context->input_deltas[0], 0.0);
        return;
    }
    nn_copy(context->ops, dy, &dc);
    nn_copy(context->ops, dy, &context->input_deltas[0]);
    for (t = context->T - 1; t >= 0; --t) {
        nn_array x = nn_slice(&context->inputs[0], t, 1);
        nn_array dx = nn_slice(&adding, t, 1);

        context->child_backward(context, child, &x, &dx, 1, t);
    }
}

static const nn_param inner = {
    .size = NN_SIZEOF(nn_param, fields),
    .type = NN_PARAM_COMPONENT,
    .flags = NN_PARAM_REQUIRED | NN_PARAM_MAIN,
    .kind = NN_KIND_LAYER,
    .name = "inner",
    .doc = "the child c",
};

static const nn_param *const params[] = {[INNER] = &inner};

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
    .n_params = sizeof params / sizeof *params,
    .params = params,
    .name = "pair",
    .summary = "A layer around a layer, run step by step",
    .doc = "A layer around a layer, run step by step.",
    .interface = &interface,
    .n_inputs = sizeof inputs / sizeof *inputs,
    .n_outputs = sizeof outputs / sizeof *outputs,
    .inputs = inputs,
    .outputs = outputs,
};

static const nn_component *const components[] = {&component};

NN_PLUGIN_ENTRY(test_pair) = {
    NN_PLUGIN_HEAD,
    .id = "org.nervenet.test.pair",
    .name = "pair",
    .version = "0.1.0",
    .license = "MIT",
    .author = "Nervenet contributors",
    .summary = "A layer around a layer, run step by step",
    .n_components = 1,
    .components = components,
};
