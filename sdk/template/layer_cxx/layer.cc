/* SPDX-License-Identifier: MIT */
/* layer.cc - a layer to copy, in C++17: squares its input and learns a factor.
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

namespace {

/* Declares every buffer.  T and B are still open: the shape of the input is
 * for example (T, B, 28, 28, 1) with NN_T and NN_B as its first two sizes. */
int32_t setup(nn_setup *setup)
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
 * the handler after each layer.  An exception must not leave a function of the
 * interface: code that could throw one catches it here. */
void forward(const nn_layer_context *context)
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
void backward(const nn_layer_context *context)
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
 * makes the cases of nn-conformance of it, without calling the functions.  C++17
 * has no designated initializers: members come in the order of the headers. */
const nn_param start = {
    NN_SIZEOF(nn_param, fields),
    NN_PARAM_REAL,
    NN_PARAM_MAIN, /* {square: 2} means {square: {start: 2}} */
    0,
    "start",
    "value of the factor before training",
    "1",
    0,
    0,
    nullptr,
    nullptr,
    nullptr,
};

const nn_param *const params[] = {&start};

const nn_port input = {
    NN_SIZEOF(nn_port, doc),
    0,
    1u << NN_REAL, /* the network's float32 or float64 */
    NN_CONTENT_ANY,
    "default",
    "x: (T, B, features...)",
};

const nn_port output = {
    NN_SIZEOF(nn_port, doc), 0,         1u << NN_REAL,
    NN_CONTENT_ANY,          "default", "y: the shape of x",
};

const nn_port *const inputs[] = {&input};
const nn_port *const outputs[] = {&output};

/* Configurations that work: examples for readers, and cases for
 * nn-conformance, which makes further ones of the parameters and ports. */
const nn_case doubled = {NN_SIZEOF(nn_case, inputs), 0, "{start: 2}", nullptr};
const nn_case *const cases[] = {&doubled, nullptr};

const nn_layer_interface interface = {
    NN_SIZEOF(nn_layer_interface, backward),
    0, /* bytes of an instance */
    setup,
    nullptr, /* prepare */
    forward,
    backward,
};

const nn_component component = {
    NN_SIZEOF(nn_component, cases),
    NN_KIND_LAYER,
    0,
    sizeof params / sizeof *params,
    "square",
    "Squares its input and learns a factor",
    "Forward: y = a x^2.  Backward: dx = 2 a x dy, da = sum over all "
    "elements of x^2 dy.  x is the input, y the output of the same "
    "shape, a the trained factor.",
    params,
    &interface,
    sizeof inputs / sizeof *inputs,
    sizeof outputs / sizeof *outputs,
    inputs,
    outputs,
    cases,
};

const nn_component *const components[] = {&component};

} // namespace

NN_PLUGIN_ENTRY(layer_square) = {
    NN_PLUGIN_HEAD,
    "org.example.layer.square", /* a domain of yours, in reverse */
    "square",
    "1.0.0",
    "MIT",
    "Your name",
    "Squares its input and learns a factor",
    nullptr, /* its home */
    nullptr, /* libraries that it opens */
    nullptr, /* CPU features that it needs */
    sizeof components / sizeof *components,
    0,
    components,
    nullptr, /* init */
    nullptr, /* deinit */
};
