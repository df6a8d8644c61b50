/* SPDX-License-Identifier: MIT */
/* activation.c - a function of every element.
 *
 * Letters: x the input and y the output, of one shape; f the function with its
 * alpha; d. the derivative of the loss by what follows.
 *
 * Forward:   y = f(x)
 * Backward:  dx = dy * f'(x), computed from y alone, so that y may lie in the
 *            memory of x
 *
 * relu: Nair and Hinton, "Rectified Linear Units Improve Restricted Boltzmann
 * Machines", 2010; leaky_relu: Maas, Hannun and Ng, "Rectifier Nonlinearities
 * Improve Neural Network Acoustic Models", 2013; elu: Clevert, Unterthiner and
 * Hochreiter, "Fast and Accurate Deep Network Learning by Exponential Linear
 * Units", 2016; softplus: Dugas, Bengio, Belisle, Nadeau and Garcia,
 * "Incorporating Second-Order Functional Knowledge for Better Option Pricing",
 * 2001. */
#include <math.h>

#include <nn/activation.h>
#include <nn/shape.h>

enum { KIND, ALPHA }; /* parameters */

static int32_t setup_activation(nn_setup *setup)
{
    nn_buffer y = nn_buffer_like("default", &setup->inputs[0]);
    int32_t code = nn_activation_check(
        setup, (uint32_t)nn_param_int(setup->params, KIND), ALPHA);

    if (!code)
        code = setup->declare(setup, NN_DECLARE_OUTPUT, &y);
    return code < 0 ? code : NN_OK;
}

static void forward(const nn_layer_context *context)
{
    uint32_t kind = (uint32_t)nn_param_int(context->params, KIND);
    double alpha = nn_activation_alpha(context->params, kind, ALPHA);

    nn_activation_t(context->ops, kind, alpha, &context->inputs[0],
                    &context->outputs[0]);
}

static void backward(const nn_layer_context *context)
{
    uint32_t kind = (uint32_t)nn_param_int(context->params, KIND);
    double alpha = nn_activation_alpha(context->params, kind, ALPHA);
    const nn_array *dy = &context->output_deltas[0];
    const nn_array *dx = &context->input_deltas[0];

    if (nn_wanted(dy))
        nn_activation_backward_t(context->ops, kind, alpha, NULL,
                                 &context->outputs[0], dy, dx);
    else
        nn_fill(context->ops, dx, 0.0);
}

static const char *const kinds[] = NN_ACTIVATION_CHOICES;

static const nn_param kind = {
    .size = NN_SIZEOF(nn_param, fields),
    .type = NN_PARAM_CHOICE,
    .flags = NN_PARAM_REQUIRED | NN_PARAM_MAIN,
    .name = "kind",
    .doc = "the function: x, max(x, 0), tanh x, 1 / (1 + exp(-x)), x > 0 ? x : "
           "alpha (exp(x) - 1), log(1 + exp(x)), or x > 0 ? x : alpha x",
    .choices = kinds,
};

static const nn_param alpha = {
    .size = NN_SIZEOF(nn_param, fields),
    .type = NN_PARAM_REAL,
    .flags = NN_PARAM_NULLABLE | NN_PARAM_RANGED,
    .name = "alpha",
    .doc = "alpha of elu (1 if none) and of leaky_relu (0.01 if none)",
    .minimum = 0,
    .maximum = INFINITY,
};

static const nn_param *const params[] = {[KIND] = &kind, [ALPHA] = &alpha};

static const nn_port input = {
    .size = NN_SIZEOF(nn_port, doc),
    .dtypes = 1u << NN_REAL,
    .name = "default",
    .doc = "x: any shape",
};

static const nn_port output = {
    .size = NN_SIZEOF(nn_port, doc),
    .flags = NN_PORT_IN_PLACE,
    .dtypes = 1u << NN_REAL,
    .name = "default",
    .doc = "y: the shape of x",
};

static const nn_port *const inputs[] = {&input};
static const nn_port *const outputs[] = {&output};

static const nn_layer_interface interface = {
    .size = NN_SIZEOF(nn_layer_interface, backward),
    .setup = setup_activation,
    .forward = forward,
    .backward = backward,
};

static const nn_component component = {
    .size = NN_SIZEOF(nn_component, outputs),
    .kind = NN_KIND_LAYER,
    .n_params = sizeof params / sizeof *params,
    .name = "activation",
    .summary = "A function of every element: y = f(x)",
    .doc = "Forward: y = f(x).  Backward: dx = dy * f'(x), computed from y.  x "
           "is the input, y the output of the same shape, f the function "
           "`kind` with `alpha`; relu'(0) = 0.  relu: Nair and Hinton, "
           "\"Rectified Linear Units Improve Restricted Boltzmann Machines\", "
           "2010.  leaky_relu: Maas, Hannun and Ng, \"Rectifier Nonlinearities "
           "Improve Neural Network Acoustic Models\", 2013.  elu: Clevert, "
           "Unterthiner and Hochreiter, \"Fast and Accurate Deep Network "
           "Learning by Exponential Linear Units\", 2016.  softplus: Dugas, "
           "Bengio, Belisle, Nadeau and Garcia, \"Incorporating Second-Order "
           "Functional Knowledge for Better Option Pricing\", 2001.",
    .params = params,
    .interface = &interface,
    .n_inputs = 1,
    .n_outputs = 1,
    .inputs = inputs,
    .outputs = outputs,
};

static const nn_component *const components[] = {&component};

NN_PLUGIN_ENTRY(layer_activation) = {
    NN_PLUGIN_HEAD,
    .id = "org.nervenet.layer.activation",
    .name = "activation",
    .version = "0.1.0",
    .license = "MIT",
    .author = "Nervenet contributors",
    .summary = "A function of every element: y = f(x)",
    .n_components = 1,
    .components = components,
};
