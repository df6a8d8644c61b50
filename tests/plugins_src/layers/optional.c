/* SPDX-License-Identifier: MIT */
/* optional.c - a weighted sum, to show an optional and a variadic input.
 *
 * Forward:   y = x + 2 e + sum over i of (3 + i) v_i
 * Backward:  dx = dy,  de = 2 dy,  dv_i = (3 + i) dy
 *
 * Letters: x, e, v_0, v_1, ... inputs of one shape; e may be absent; y the
 * output. */
#include <nn/shape.h>

enum { INPUT, EXTRA, MORE }; /* inputs; MORE is the first of many */

/* Factor of input INDEX. */
static double factor(uint32_t index)
{
    return 1.0 + index;
}

static int32_t setup_layer(nn_setup *setup)
{
    nn_buffer y = nn_buffer_like("default", &setup->inputs[INPUT]);
    int32_t code;
    uint32_t i;

    for (i = EXTRA; i < setup->n_inputs; ++i) {
        if (setup->inputs[i].ndim == 0)
            continue;
        code = nn_shape_need(setup, i == EXTRA ? "extra" : "more",
                             &setup->inputs[INPUT], &setup->inputs[i]);
        if (code)
            return code;
    }
    code = setup->declare(setup, NN_DECLARE_OUTPUT, &y);
    return code < 0 ? code : NN_OK;
}

static void forward(const nn_layer_context *context)
{
    const nn_array *y = &context->outputs[0];
    uint32_t i;

    nn_copy(context->ops, &context->inputs[INPUT], y);
    if (!nn_wanted(y))
        return;
    for (i = EXTRA; i < context->n_inputs; ++i)
        if (nn_present(&context->inputs[i]))
            nn_axpby_tt(context->ops, 1.0, y, factor(i), &context->inputs[i],
                        y);
}

static void backward(const nn_layer_context *context)
{
    const nn_array *dy = &context->output_deltas[0];
    uint32_t i;

    for (i = 0; i < context->n_inputs; ++i) {
        const nn_array *dx = &context->input_deltas[i];

        if (!nn_wanted(dx))
            continue;
        if (nn_wanted(dy))
            nn_mult_ts(context->ops, dy, factor(i), dx);
        else
            nn_fill(context->ops, dx, 0.0);
    }
}

static const nn_port extra = {
    .size = NN_SIZEOF(nn_port, doc),
    .flags = NN_PORT_OPTIONAL,
    .dtypes = 1u << NN_REAL,
    .name = "extra",
    .doc = "e: the shape of x",
};

static const nn_port more = {
    .size = NN_SIZEOF(nn_port, doc),
    .flags = NN_PORT_VARIADIC,
    .dtypes = 1u << NN_REAL,
    .name = "more",
    .doc = "v_i: the shape of x",
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

static const nn_port *const inputs[] = {
    [INPUT] = &input, [EXTRA] = &extra, [MORE] = &more};
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
    .name = "optional",
    .summary = "A weighted sum of its inputs",
    .doc = "A weighted sum of its inputs.",
    .interface = &interface,
    .n_inputs = sizeof inputs / sizeof *inputs,
    .n_outputs = sizeof outputs / sizeof *outputs,
    .inputs = inputs,
    .outputs = outputs,
};

static const nn_component *const components[] = {&component};

NN_PLUGIN_ENTRY(test_optional) = {
    NN_PLUGIN_HEAD,
    .id = "org.nervenet.test.optional",
    .name = "optional",
    .version = "0.1.0",
    .license = "MIT",
    .author = "Nervenet contributors",
    .summary = "A weighted sum of its inputs",
    .n_components = 1,
    .components = components,
};
