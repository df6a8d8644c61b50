/* SPDX-License-Identifier: MIT */
/* reserve.c - looks into what another layer's plan kept, to show references to
 * a reserve.
 *
 * Forward:   y = x,  bytes = the first n bytes of the reserve, 0 behind its end
 * Backward:  dx = dy
 *
 * Letters: x, y input and output of one shape; n the parameter `bytes`. */
#include <nn/shape.h>

enum { OF, BYTES };        /* parameters */
enum { COPY_OF_X, SHOWN }; /* outputs */
enum { RESERVE };          /* references */

static int32_t setup_layer(nn_setup *setup)
{
    nn_buffer y = nn_buffer_like("default", &setup->inputs[0]);
    nn_buffer shown = nn_buffer_named("bytes");
    char path[256];
    int32_t code;
    int length = snprintf(path, sizeof path, "%s.reserve.0",
                          nn_param_text(setup->params, OF));

    if (length < 0 || (size_t)length >= sizeof path)
        return nn_fail(setup->host, NN_INVALID_ARGUMENT, "reserve.of",
                       "layer '%s': the name in `of` is too long",
                       setup->layer);
    code = setup->reference(setup, path, NULL);
    if (code < 0)
        return code;
    shown.flags = NN_BUFFER_NO_DELTA;
    shown.shape.ndim = 1;
    shown.shape.dims[0] = nn_param_int(setup->params, BYTES);
    code = setup->declare(setup, NN_DECLARE_OUTPUT, &y);
    if (code >= 0)
        code = setup->declare(setup, NN_DECLARE_OUTPUT, &shown);
    return code < 0 ? code : NN_OK;
}

static void forward(const nn_layer_context *context)
{
    const nn_array *shown = &context->outputs[SHOWN];
    nn_array kept = context->references[RESERVE];
    nn_array part;
    int64_t count;

    nn_copy(context->ops, &context->inputs[0], &context->outputs[COPY_OF_X]);
    nn_fill(context->ops, shown, 0.0);
    if (!nn_present(&kept))
        return;
    count = nn_columns(&kept);
    if (count > nn_columns(shown))
        count = nn_columns(shown);
    kept = nn_slice(&kept, 0, count);
    part = nn_slice(shown, 0, count);
    nn_cast(context->ops, &kept, &part);
}

static void backward(const nn_layer_context *context)
{
    if (nn_wanted(&context->output_deltas[COPY_OF_X]))
        nn_copy(context->ops, &context->output_deltas[COPY_OF_X],
                &context->input_deltas[0]);
    else
        nn_fill(context->ops, &context->input_deltas[0], 0.0);
}

static const nn_param of = {
    .size = NN_SIZEOF(nn_param, fields),
    .type = NN_PARAM_STRING,
    .flags = NN_PARAM_REQUIRED | NN_PARAM_MAIN,
    .name = "of",
    .doc = "name of the layer whose reserve is shown",
};

static const nn_param bytes = {
    .size = NN_SIZEOF(nn_param, fields),
    .type = NN_PARAM_INT,
    .flags = NN_PARAM_RANGED,
    .name = "bytes",
    .doc = "how many bytes n are shown",
    .default_text = "4",
    .minimum = 1,
    .maximum = 1000000,
};

static const nn_param *const params[] = {[OF] = &of, [BYTES] = &bytes};

static const nn_port shown = {
    .size = NN_SIZEOF(nn_port, doc),
    .flags = NN_PORT_NO_DELTA,
    .dtypes = 1u << NN_REAL,
    .name = "bytes",
    .doc = "(n): the bytes as numbers",
};

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
static const nn_port *const outputs[] = {
    [COPY_OF_X] = &output, [SHOWN] = &shown};

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
    .name = "reserve",
    .summary = "Looks into what another layer's plan kept",
    .doc = "Looks into what another layer's plan kept.",
    .interface = &interface,
    .n_inputs = sizeof inputs / sizeof *inputs,
    .n_outputs = sizeof outputs / sizeof *outputs,
    .inputs = inputs,
    .outputs = outputs,
};

static const nn_component *const components[] = {&component};

NN_PLUGIN_ENTRY(test_reserve) = {
    NN_PLUGIN_HEAD,
    .id = "org.nervenet.test.reserve",
    .name = "reserve",
    .version = "0.1.0",
    .license = "MIT",
    .author = "Nervenet contributors",
    .summary = "Looks into what another layer's plan kept",
    .n_components = 1,
    .components = components,
};
