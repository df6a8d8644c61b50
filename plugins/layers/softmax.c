/* SPDX-License-Identifier: MIT */
/* softmax.c - numbers that are positive and sum to 1.
 *
 * Letters: x (..., K) the input and y the output, of one shape; K the length of
 * the last axis; d. the derivative of the loss by what follows.
 *
 * Forward:   y_k = exp(x_k) / sum over j of exp(x_j), after subtracting the
 *            largest x_j from all, which changes nothing but avoids overflow
 * Backward:  dx_k = y_k (dy_k - sum over j of y_j dy_j)
 *
 * Source: Bridle, "Probabilistic Interpretation of Feedforward Classification
 * Network Outputs, with Relationships to Statistical Pattern Recognition",
 * 1990. */
#include <nn/shape.h>

static int32_t setup_softmax(nn_setup *setup)
{
    nn_buffer y = nn_buffer_like("default", &setup->inputs[0]);
    int32_t code = nn_shape_need_features(setup, "default", &setup->inputs[0]);

    if (!code)
        code = setup->declare(setup, NN_DECLARE_OUTPUT, &y);
    return code < 0 ? code : NN_OK;
}

static void forward(const nn_layer_context *context)
{
    nn_softmax_m(context->ops, &context->inputs[0], &context->outputs[0]);
}

static void backward(const nn_layer_context *context)
{
    if (nn_wanted(&context->output_deltas[0]))
        nn_softmax_backward_m(context->ops, &context->outputs[0],
                              &context->output_deltas[0],
                              &context->input_deltas[0]);
    else
        nn_fill(context->ops, &context->input_deltas[0], 0.0);
}

static const nn_port input = {
    .size = NN_SIZEOF(nn_port, doc),
    .dtypes = 1u << NN_REAL,
    .name = "default",
    .doc = "x: (T, B, ..., K)",
};

static const nn_port output = {
    .size = NN_SIZEOF(nn_port, doc),
    .flags = NN_PORT_IN_PLACE,
    .dtypes = 1u << NN_REAL,
    .name = "default",
    .doc = "y: the shape of x; each row sums to 1",
};

static const nn_port *const inputs[] = {&input};
static const nn_port *const outputs[] = {&output};

static const nn_layer_interface interface = {
    .size = NN_SIZEOF(nn_layer_interface, backward),
    .setup = setup_softmax,
    .forward = forward,
    .backward = backward,
};

static const nn_component component = {
    .size = NN_SIZEOF(nn_component, outputs),
    .kind = NN_KIND_LAYER,
    .name = "softmax",
    .summary = "Turns each row into numbers that are positive and sum to 1",
    .doc =
        "Forward: y_k = exp(x_k) / sum over j of exp(x_j).  Backward: dx_k = "
        "y_k (dy_k - sum over j of y_j dy_j).  x (..., K) is the input, y "
        "the output of the same shape; k and j count the K columns of a "
        "row.  Source: Bridle, \"Probabilistic Interpretation of Feedforward "
        "Classification Network Outputs, with Relationships to Statistical "
        "Pattern Recognition\", 1990.",
    .interface = &interface,
    .n_inputs = 1,
    .n_outputs = 1,
    .inputs = inputs,
    .outputs = outputs,
};

static const nn_component *const components[] = {&component};

NN_PLUGIN_ENTRY(layer_softmax) = {
    NN_PLUGIN_HEAD,
    .id = "org.nervenet.layer.softmax",
    .name = "softmax",
    .version = "0.1.0",
    .license = "MIT",
    .author = "Nervenet contributors",
    .summary = "Turns each row into numbers that are positive and sum to 1",
    .n_components = 1,
    .components = components,
};
