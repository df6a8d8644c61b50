/* SPDX-License-Identifier: MIT */
/* chain.c - a layer made of a list of layers, to show a child network.
 *
 * Forward:   y = n(x), all frames at once
 * Backward:  dx = what n passes back for dy
 *
 * Letters: x the input; n the child network; y a copy of its output. */
#include <nn/shape.h>

enum { LAYERS }; /* parameters */

static int32_t setup_layer(nn_setup *setup)
{
    nn_child *child = nn_param_child(setup->params, LAYERS);
    nn_buffer y;
    nn_shape result;
    int32_t code = setup->child(setup, child, &setup->inputs[0], 1, 0);

    if (code >= 0)
        code = setup->child_output(setup, child, 0, &result);
    if (code < 0)
        return code;
    y = nn_buffer_like("default", &result);
    code = setup->declare(setup, NN_DECLARE_OUTPUT, &y);
    return code < 0 ? code : NN_OK;
}

static void forward(const nn_layer_context *context)
{
    nn_child *child = nn_param_child(context->params, LAYERS);
    nn_array result = context->child_output(context, child, 0);

    context->child_forward(context, child, &context->inputs[0], 1, 0);
    nn_copy(context->ops, &result, &context->outputs[0]);
}

static void backward(const nn_layer_context *context)
{
    nn_child *child = nn_param_child(context->params, LAYERS);
    nn_array delta = context->child_output_delta(context, child, 0);

    if (!nn_wanted(&context->output_deltas[0])) {
        nn_fill(context->ops, &context->input_deltas[0], 0.0);
        return;
    }
    nn_copy(context->ops, &context->output_deltas[0], &delta);
    context->child_backward(context, child, &context->inputs[0],
                            &context->input_deltas[0], 1, 0);
}

static const nn_param layers = {
    .size = NN_SIZEOF(nn_param, fields),
    .type = NN_PARAM_NETWORK,
    .flags = NN_PARAM_REQUIRED | NN_PARAM_MAIN,
    .name = "layers",
    .doc = "the child network n",
};

static const nn_param *const params[] = {[LAYERS] = &layers};

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
    .name = "chain",
    .summary = "A layer made of a list of layers",
    .doc = "A layer made of a list of layers.",
    .interface = &interface,
    .n_inputs = sizeof inputs / sizeof *inputs,
    .n_outputs = sizeof outputs / sizeof *outputs,
    .inputs = inputs,
    .outputs = outputs,
};

static const nn_component *const components[] = {&component};

NN_PLUGIN_ENTRY(test_chain) = {
    NN_PLUGIN_HEAD,
    .id = "org.nervenet.test.chain",
    .name = "chain",
    .version = "0.1.0",
    .license = "MIT",
    .author = "Nervenet contributors",
    .summary = "A layer made of a list of layers",
    .n_components = 1,
    .components = components,
};
