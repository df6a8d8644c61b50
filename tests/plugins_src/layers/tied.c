/* SPDX-License-Identifier: MIT */
/* tied.c - the transpose of another layer's weights, to show references to
 * parameters and their gradients.
 *
 * Forward:   y = x W
 * Backward:  dx = dy W',  dW += x' dy
 *
 * Letters: x (T, B, N) the input; W (N, K) the parameter W of the layer `of`; y
 * (T, B, K) the output. */
#include <nn/shape.h>

enum { OF };      /* parameters */
enum { WEIGHTS }; /* references */

static int32_t setup_layer(nn_setup *setup)
{
    const nn_shape *x = &setup->inputs[0];
    nn_buffer y = nn_buffer_like("default", x);
    nn_shape weights;
    char path[256];
    int32_t code;
    int length = snprintf(path, sizeof path, "%s.parameters.W",
                          nn_param_text(setup->params, OF));

    if (length < 0 || (size_t)length >= sizeof path)
        return nn_fail(setup->host, NN_INVALID_ARGUMENT, "tied.of",
                       "layer '%s': the name in `of` is too long",
                       setup->layer);
    code = setup->reference(setup, path, &weights);
    if (code < 0)
        return code;
    if (weights.ndim != 2 || x->ndim != 3 || x->dims[2] != weights.dims[0])
        return nn_shape_fail(setup, "default",
                             "(T, B, units of the other layer)", x);
    y.shape.dims[2] = weights.dims[1];
    code = setup->declare(setup, NN_DECLARE_OUTPUT, &y);
    return code < 0 ? code : NN_OK;
}

static void forward(const nn_layer_context *context)
{
    nn_dot_mm(context->ops, &context->inputs[0], &context->references[WEIGHTS],
              &context->outputs[0], 0);
}

static void backward(const nn_layer_context *context)
{
    const nn_array *dy = &context->output_deltas[0];

    if (!nn_wanted(dy)) {
        nn_fill(context->ops, &context->input_deltas[0], 0.0);
        return;
    }
    nn_dot_mm(context->ops, dy, &context->references[WEIGHTS],
              &context->input_deltas[0], NN_TRANSPOSE_B);
    nn_dot_mm(context->ops, &context->inputs[0], dy,
              &context->reference_deltas[WEIGHTS], NN_TRANSPOSE_A);
}

static const nn_param of = {
    .size = NN_SIZEOF(nn_param, fields),
    .type = NN_PARAM_STRING,
    .flags = NN_PARAM_REQUIRED | NN_PARAM_MAIN,
    .name = "of",
    .doc = "name of the layer whose W is used",
};

static const nn_param *const params[] = {[OF] = &of};

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
    .name = "tied",
    .summary = "The transpose of another layer's weights",
    .doc = "The transpose of another layer's weights.",
    .interface = &interface,
    .n_inputs = sizeof inputs / sizeof *inputs,
    .n_outputs = sizeof outputs / sizeof *outputs,
    .inputs = inputs,
    .outputs = outputs,
};

static const nn_component *const components[] = {&component};

NN_PLUGIN_ENTRY(test_tied) = {
    NN_PLUGIN_HEAD,
    .id = "org.nervenet.test.tied",
    .name = "tied",
    .version = "0.1.0",
    .license = "MIT",
    .author = "Nervenet contributors",
    .summary = "The transpose of another layer's weights",
    .n_components = 1,
    .components = components,
};
