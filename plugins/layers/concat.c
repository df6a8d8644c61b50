/* SPDX-License-Identifier: MIT */
/* concat.c - its inputs side by side on the last axis.
 *
 * Letters: x_i (..., F_i) input i; y (..., F) the output, F = sum of the F_i;
 * o_i = F_0 + ... + F_(i-1) the first column of input i; d. the derivative of
 * the loss by what follows.
 *
 * Forward:   y[..., o_i : o_i + F_i] = x_i
 * Backward:  dx_i = dy[..., o_i : o_i + F_i]
 *
 * The core may lay an input out as its columns of the output; both copies are
 * then copies of a view onto itself, which do nothing. */
#include <nn/shape.h>

/* Refuses input INDEX if only its last axis may differ from the first's. */
static int32_t check_input(nn_setup *setup, uint32_t index)
{
    const nn_shape *first = &setup->inputs[0];
    const nn_shape *x = &setup->inputs[index];
    char mine[NN_SHAPE_ROOM];
    char theirs[NN_SHAPE_ROOM];

    if (x->ndim > 0 && nn_shape_columns(x) < 1)
        return nn_shape_fail(setup, "default", "(T, B, features...)", x);
    if (x->ndim > 0 && x->ndim == first->ndim &&
        nn_shape_agree(x, first, x->ndim - 1))
        return NN_OK;
    return nn_fail(setup->host, NN_SHAPE, "layer.shape",
                   "layer '%s': input number %u, %s, and the first input, %s, "
                   "may differ in the last axis only",
                   setup->layer, (unsigned)index + 1, nn_shape_text(x, mine),
                   nn_shape_text(first, theirs));
}

static int32_t setup_concat(nn_setup *setup)
{
    nn_buffer y = nn_buffer_like("default", &setup->inputs[0]);
    int64_t columns = 0;
    int32_t code;
    uint32_t i;

    for (i = 0; i < setup->n_inputs; ++i) {
        int64_t more;

        code = check_input(setup, i);
        if (code)
            return code;
        more = nn_shape_columns(&setup->inputs[i]);
        if (more > INT64_MAX - columns)
            return nn_fail(setup->host, NN_SHAPE, "layer.shape",
                           "layer '%s': the last axis is too long",
                           setup->layer);
        columns += more;
    }
    y.shape.dims[y.shape.ndim - 1] = columns;
    code = setup->declare(setup, NN_DECLARE_OUTPUT, &y);
    return code < 0 ? code : NN_OK;
}

static void forward(const nn_layer_context *context)
{
    int64_t first = 0;
    uint32_t i;

    for (i = 0; i < context->n_inputs; ++i) {
        const nn_array *x = &context->inputs[i];
        nn_array part = nn_column_slice(&context->outputs[0], first,
                                        nn_columns(x));

        nn_copy(context->ops, x, &part);
        first += nn_columns(x);
    }
}

static void backward(const nn_layer_context *context)
{
    const nn_array *dy = &context->output_deltas[0];
    int64_t first = 0;
    uint32_t i;

    for (i = 0; i < context->n_inputs; ++i) {
        int64_t columns = nn_columns(&context->inputs[i]);
        nn_array part = nn_column_slice(dy, first, columns);

        if (nn_wanted(dy))
            nn_copy(context->ops, &part, &context->input_deltas[i]);
        else
            nn_fill(context->ops, &context->input_deltas[i], 0.0);
        first += columns;
    }
}

static const nn_port input = {
    .size = NN_SIZEOF(nn_port, doc),
    .flags = NN_PORT_VARIADIC,
    .dtypes = 1u << NN_REAL,
    .name = "default",
    .doc = "x_i: any number of arrays that differ in the last axis only",
};

static const nn_port output = {
    .size = NN_SIZEOF(nn_port, doc),
    .dtypes = 1u << NN_REAL,
    .name = "default",
    .doc = "y: the inputs side by side on the last axis",
};

static const nn_port *const inputs[] = {&input};
static const nn_port *const outputs[] = {&output};

static const nn_layer_interface interface = {
    .size = NN_SIZEOF(nn_layer_interface, backward),
    .setup = setup_concat,
    .forward = forward,
    .backward = backward,
};

static const nn_component component = {
    .size = NN_SIZEOF(nn_component, outputs),
    .kind = NN_KIND_LAYER,
    .flags = NN_LAYER_CONCATENATION,
    .name = "concat",
    .summary = "Its inputs side by side on the last axis",
    .doc = "Forward: y[..., o_i : o_i + F_i] = x_i.  Backward: dx_i = dy[..., "
           "o_i : o_i + F_i].  x_i (..., F_i) is input i, o_i = F_0 + ... + "
           "F_(i-1) its first column, y (..., F) the output with F the sum of "
           "all F_i.  All other axes agree.",
    .interface = &interface,
    .n_inputs = 1,
    .n_outputs = 1,
    .inputs = inputs,
    .outputs = outputs,
};

static const nn_component *const components[] = {&component};

NN_PLUGIN_ENTRY(layer_concat) = {
    NN_PLUGIN_HEAD,
    .id = "org.nervenet.layer.concat",
    .name = "concat",
    .version = "0.1.0",
    .license = "MIT",
    .author = "Nervenet contributors",
    .summary = "Its inputs side by side on the last axis",
    .n_components = 1,
    .components = components,
};
