/* SPDX-License-Identifier: MIT */
/* layer.c - a layer to copy: squares its input and learns a factor.
 *
 * What you change, in the order of this file: the formulas, `setup`, `forward`,
 * `backward`, the parameters of the config, the ports, and the names at the
 * end.  `make` builds the plugin, `make check` says whether it is right; a config
 * then names the layer: `{square: {start: 2}}`.
 *
 * Letters: x the input and y the output, of one shape; a (1) the factor, which
 * is trained; dx, dy, da the derivatives of the loss by x, y and a.
 *
 * Forward:   y = a x^2
 * Backward:  dx = 2 a x dy
 *            da = sum over all elements of x^2 dy
 */
#include <nn/shape.h>

/* Indices, in the order in which things are described or declared below. */
enum { START };   /* parameters of the config */
enum { FACTOR };  /* trained parameters: a */
enum { PRODUCT }; /* internals: scratch for x dy */

/* Declares every buffer.  T and B are still open: the shape of the input is
 * for example (T, B, 28, 28, 1) with NN_T and NN_B as its first two sizes. */
static int32_t setup(nn_setup *setup)
{
    const nn_shape *x = &setup->inputs[0];
    nn_buffer y = nn_buffer_like("default", x);
    nn_buffer factor = nn_buffer_named("factor");
    nn_buffer product = nn_buffer_like("product", x);
    int32_t code;

    /* A layer that cannot use a shape says so, with names and shapes: */
    code = nn_shape_need_features(setup, "default", x);
    if (code)
        return code;

    /* An output has a delta of its own; the core makes it. */
    code = setup->declare(setup, NN_DECLARE_OUTPUT, &y);
    if (code < 0)
        return code;

    /* A trained parameter starts at a value, or by an initializer that the
     * config can override: factor.initializer = "{gaussian: {}}". */
    factor.shape.ndim = 1;
    factor.shape.dims[0] = 1;
    factor.value = nn_param_real(setup->params, START);
    code = setup->declare(setup, NN_DECLARE_PARAMETER, &factor);
    if (code < 0)
        return code;

    /* Scratch that only backward needs takes no memory in other passes. */
    product.flags = NN_BUFFER_BACKWARD_ONLY;
    code = setup->declare(setup, NN_DECLARE_INTERNAL, &product);
    return code < 0 ? code : NN_OK;
}

/* All work is done by operations of the handler, so the layer runs on every
 * device.  Nothing is allocated here, and no error is checked: the core asks
 * the handler after each layer. */
static void forward(const nn_layer_context *context)
{
    const nn_operations *ops = context->ops;
    const nn_array *x = &context->inputs[0];
    const nn_array *a = &context->parameters[FACTOR];
    const nn_array *y = &context->outputs[0];

    if (!nn_wanted(y)) /* an array is not read after it was not written */
        return;
    nn_square_t(ops, x, y);
    nn_mult_mv(ops, y, a, y);
}

/* Each input delta and gradient is written once, by an operation that knows
 * whether it is to set, to add or to do nothing: the array says so.  To write
 * one a second time, use nn_adding(). */
static void backward(const nn_layer_context *context)
{
    const nn_operations *ops = context->ops;
    const nn_array *x = &context->inputs[0];
    const nn_array *a = &context->parameters[FACTOR];
    const nn_array *dy = &context->output_deltas[0];
    nn_array input_delta = context->input_deltas[0];
    const nn_array *dx = &input_delta;
    const nn_array *da = &context->gradients[FACTOR];
    const nn_array *product = &context->internals[PRODUCT];

    if (!nn_wanted(dy)) { /* nobody reads y: its delta counts as zero */
        nn_fill(ops, dx, 0.0);
        nn_fill(ops, da, 0.0);
        return;
    }
    nn_mult_tt(ops, x, dy, product);
    nn_mult_mv(ops, product, a, product);
    nn_mult_ts(ops, product, 2.0, dx);
    nn_mult_tt(ops, x, dy, product);
    nn_mult_tt(ops, product, x, product);
    nn_sum_t(ops, product, NN_AXIS_ALL, da);
}

/* The rest is data.  The core checks configs against it, prints it as help and
 * makes the cases of nn-conformance of it, without calling the functions. */
static const nn_param start = {
    .size = NN_SIZEOF(nn_param, fields),
    .type = NN_PARAM_REAL,
    .flags = NN_PARAM_MAIN, /* {square: 2} means {square: {start: 2}} */
    .name = "start",
    .doc = "value of the factor before training",
    .default_text = "1",
};

static const nn_param *const params[] = {[START] = &start};

static const nn_port input = {
    .size = NN_SIZEOF(nn_port, doc),
    .dtypes = 1u << NN_REAL, /* the network's float32 or float64 */
    .name = "default",
    .doc = "x: (T, B, features...)",
};

static const nn_port output = {
    .size = NN_SIZEOF(nn_port, doc),
    .dtypes = 1u << NN_REAL,
    .name = "default",
    .doc = "y: the shape of x",
};

static const nn_port *const inputs[] = {&input};
static const nn_port *const outputs[] = {&output};

static const nn_layer_interface interface = {
    .size = NN_SIZEOF(nn_layer_interface, backward),
    .setup = setup,
    .forward = forward,
    .backward = backward,
};

/* Configurations that work: examples for readers, and cases for
 * nn-conformance, which makes further ones of the parameters and ports. */
static const nn_case doubled = {
    .size = NN_SIZEOF(nn_case, inputs),
    .params = "{start: 2}",
};

static const nn_case *const cases[] = {&doubled, NULL};

static const nn_component component = {
    .size = NN_SIZEOF(nn_component, cases),
    .kind = NN_KIND_LAYER,
    .n_params = sizeof params / sizeof *params,
    .name = "square",
    .summary = "Squares its input and learns a factor",
    .doc = "Forward: y = a x^2.  Backward: dx = 2 a x dy, da = sum over all "
           "elements of x^2 dy.  x is the input, y the output of the same "
           "shape, a the trained factor.",
    .params = params,
    .interface = &interface,
    .n_inputs = sizeof inputs / sizeof *inputs,
    .n_outputs = sizeof outputs / sizeof *outputs,
    .inputs = inputs,
    .outputs = outputs,
    .cases = cases,
};

static const nn_component *const components[] = {&component};

NN_PLUGIN_ENTRY(layer_square) = {
    NN_PLUGIN_HEAD,
    .id = "org.example.layer.square", /* a domain of yours, in reverse */
    .name = "square",
    .version = "1.0.0",
    .license = "MIT",
    .author = "Your name",
    .summary = "Squares its input and learns a factor",
    .n_components = 1,
    .components = components,
};
