/* SPDX-License-Identifier: MIT */
/* counter.c - counts its training passes, to show state.
 *
 * Forward:   n += 1 in a TRAIN pass, then y = x + n
 * Backward:  dx = dy
 *
 * Letters: x, y input and output of one shape; n (1) the state, 0 at first. */
#include <nn/shape.h>

enum { COUNT }; /* state: n */

static int32_t setup_layer(nn_setup *setup)
{
    nn_buffer y = nn_buffer_like("default", &setup->inputs[0]);
    nn_buffer count = nn_buffer_named("count");
    int32_t code = setup->declare(setup, NN_DECLARE_OUTPUT, &y);

    count.shape.ndim = 1;
    count.shape.dims[0] = 1;
    if (code >= 0)
        code = setup->declare(setup, NN_DECLARE_STATE, &count);
    return code < 0 ? code : NN_OK;
}

static void forward(const nn_layer_context *context)
{
    const nn_array *count = &context->state[COUNT];

    if (context->flags & NN_PASS_TRAIN)
        nn_add_ts(context->ops, count, 1.0, count);
    nn_add_mv(context->ops, &context->inputs[0], count, &context->outputs[0]);
}

static void backward(const nn_layer_context *context)
{
    if (nn_wanted(&context->output_deltas[0]))
        nn_copy(context->ops, &context->output_deltas[0],
                &context->input_deltas[0]);
    else
        nn_fill(context->ops, &context->input_deltas[0], 0.0);
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
    .name = "counter",
    .summary = "Counts its training passes",
    .doc = "Counts its training passes.",
    .interface = &interface,
    .n_inputs = sizeof inputs / sizeof *inputs,
    .n_outputs = sizeof outputs / sizeof *outputs,
    .inputs = inputs,
    .outputs = outputs,
};

static const nn_component *const components[] = {&component};

NN_PLUGIN_ENTRY(test_counter) = {
    NN_PLUGIN_HEAD,
    .id = "org.nervenet.test.counter",
    .name = "counter",
    .version = "0.1.0",
    .license = "MIT",
    .author = "Nervenet contributors",
    .summary = "Counts its training passes",
    .n_components = 1,
    .components = components,
};
