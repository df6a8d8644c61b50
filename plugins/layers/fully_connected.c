/* SPDX-License-Identifier: MIT */
/* fully_connected.c - every unit sees every input.
 *
 * Letters: x (M, K) the input, M = T B rows and K features (all feature axes as
 * one); W (N, K) the weights, one row a unit; b (N) the biases; f the
 * activation function; y (M, N) the output; d. the derivative of the loss by
 * what follows.
 *
 * Forward:   y = f(x W' + b)
 * Backward:  a = dy * f'(y),  dx = a W,  dW = a' x,  db = sum over rows of a
 *
 * Weights start after Glorot and Bengio, "Understanding the Difficulty of
 * Training Deep Feedforward Neural Networks", 2010, or, before units that do
 * not saturate for large inputs, after He, Zhang, Ren and Sun, "Delving Deep
 * into Rectifiers", 2015. */
#include <math.h>

#include <nn/activation.h>
#include <nn/linear.h>
#include <nn/shape.h>

enum { SIZE, ACTIVATION, ALPHA, BIAS }; /* parameters of the config */
enum { WEIGHTS, BIASES };               /* trained parameters */
enum { FORWARD, BACKWARD };             /* plans */

/* What setup finds out. */
typedef struct instance {
    uint32_t open; /* axes of the input before its features */
} instance;

static const char *initializer(uint32_t kind)
{
    switch (kind) {
    case NN_ACTIVATION_RELU:
    case NN_ACTIVATION_ELU:
    case NN_ACTIVATION_SOFTPLUS:
    case NN_ACTIVATION_LEAKY_RELU:
        return "{he: {}}";
    default:
        return "{glorot: {}}";
    }
}

static int32_t declare_parameters(nn_setup *setup, int64_t units,
                                  int64_t inputs)
{
    nn_buffer weights = nn_buffer_named("W");
    nn_buffer biases = nn_buffer_named("bias");
    int32_t code;

    weights.shape.ndim = 2;
    weights.shape.dims[0] = units;
    weights.shape.dims[1] = inputs;
    weights.initializer = initializer(
        (uint32_t)nn_param_int(setup->params, ACTIVATION));
    code = setup->declare(setup, NN_DECLARE_PARAMETER, &weights);
    if (code < 0 || !nn_param_int(setup->params, BIAS))
        return code < 0 ? code : NN_OK;
    biases.shape.ndim = 1;
    biases.shape.dims[0] = units;
    biases.tags = NN_TAG_BIAS;
    code = setup->declare(setup, NN_DECLARE_PARAMETER, &biases);
    return code < 0 ? code : NN_OK;
}

static int32_t setup_fully_connected(nn_setup *setup)
{
    const nn_shape *x = &setup->inputs[0];
    instance *self = setup->instance;
    int64_t units = nn_param_int(setup->params, SIZE);
    nn_buffer y = nn_buffer_like("default", x);
    int32_t code = nn_activation_check(
        setup, (uint32_t)nn_param_int(setup->params, ACTIVATION), ALPHA);

    if (!code)
        code = nn_shape_need_features(setup, "default", x);
    if (code)
        return code;
    self->open = nn_shape_open(x);
    y.shape.ndim = self->open + 1;
    y.shape.dims[self->open] = units;
    code = setup->declare(setup, NN_DECLARE_OUTPUT, &y);
    if (code < 0)
        return code;
    return declare_parameters(setup, units, nn_shape_product(x, self->open));
}

/* The operands of both rows; what is optional and absent stays NULL. */
typedef struct operands {
    nn_array x;
    nn_array y;
    nn_array dx;
    nn_array dy;
    const nn_array *forward[NN_LINEAR_FORWARD_OPERANDS];
    const nn_array *backward[NN_LINEAR_BACKWARD_OPERANDS];
} operands;

/* ARRAY (T, B, features...) as a matrix of rows and features. */
static nn_array as_rows(const nn_layer_context *context, const nn_array *array)
{
    const instance *self = context->instance;
    nn_array flat = nn_flatten(array, self->open);

    return nn_as_matrix(&flat);
}

static void collect_forward(const nn_layer_context *context, operands *o)
{
    o->x = as_rows(context, &context->inputs[0]);
    o->y = nn_as_matrix(&context->outputs[0]);
    o->forward[NN_LINEAR_X] = &o->x;
    o->forward[NN_LINEAR_W] = &context->parameters[WEIGHTS];
    o->forward[NN_LINEAR_BIAS] = context->n_parameters > BIASES
                                     ? &context->parameters[BIASES]
                                     : NULL;
    o->forward[NN_LINEAR_RESIDUAL] = NULL;
    o->forward[NN_LINEAR_Y] = &o->y;
}

static void collect_backward(const nn_layer_context *context, operands *o)
{
    o->x = as_rows(context, &context->inputs[0]);
    o->y = nn_as_matrix(&context->outputs[0]);
    if (nn_wanted(&context->input_deltas[0])) {
        o->dx = as_rows(context, &context->input_deltas[0]);
        o->backward[NN_LINEAR_BACKWARD_DX] = &o->dx;
    } else {
        o->backward[NN_LINEAR_BACKWARD_DX] = NULL;
    }
    o->dy = nn_as_matrix(&context->output_deltas[0]);
    o->backward[NN_LINEAR_BACKWARD_X] = &o->x;
    o->backward[NN_LINEAR_BACKWARD_W] = &context->parameters[WEIGHTS];
    o->backward[NN_LINEAR_BACKWARD_Y] = &o->y;
    o->backward[NN_LINEAR_BACKWARD_DY] = &o->dy;
    o->backward[NN_LINEAR_BACKWARD_DW] = &context->gradients[WEIGHTS];
    o->backward[NN_LINEAR_BACKWARD_DB] = context->n_parameters > BIASES
                                             ? &context->gradients[BIASES]
                                             : NULL;
    o->backward[NN_LINEAR_BACKWARD_DRESIDUAL] = NULL;
}

static int32_t prepare(const nn_layer_context *context)
{
    uint32_t kind = (uint32_t)nn_param_int(context->params, ACTIVATION);
    nn_linear_attributes attributes = {NN_SIZEOF(nn_linear_attributes, alpha),
                                       kind,
                                       nn_activation_alpha(context->params,
                                                           kind, ALPHA)};
    operands o;
    int32_t code;

    collect_forward(context, &o);
    code = context->plan(context, FORWARD, NN_LINEAR, NN_LINEAR_FORWARD,
                         o.forward, NN_LINEAR_FORWARD_OPERANDS, &attributes);
    if (code || !(context->flags & NN_PASS_BACKWARD) ||
        !nn_wanted(&context->output_deltas[0]))
        return code;
    collect_backward(context, &o);
    return context->plan(context, BACKWARD, NN_LINEAR, NN_LINEAR_BACKWARD,
                         o.backward, NN_LINEAR_BACKWARD_OPERANDS, &attributes);
}

static void forward(const nn_layer_context *context)
{
    operands o;

    collect_forward(context, &o);
    nn_run_plan(context, FORWARD, o.forward, NN_LINEAR_FORWARD_OPERANDS);
}

static void backward(const nn_layer_context *context)
{
    operands o;
    uint32_t i;

    if (!nn_wanted(&context->output_deltas[0])) {
        nn_fill(context->ops, &context->input_deltas[0], 0.0);
        for (i = 0; i < context->n_parameters; ++i)
            nn_fill(context->ops, &context->gradients[i], 0.0);
        return;
    }
    collect_backward(context, &o);
    nn_run_plan(context, BACKWARD, o.backward, NN_LINEAR_BACKWARD_OPERANDS);
}

static const char *const activations[] = NN_ACTIVATION_CHOICES;

static const nn_param size = {
    .size = NN_SIZEOF(nn_param, fields),
    .type = NN_PARAM_INT,
    .flags = NN_PARAM_REQUIRED | NN_PARAM_MAIN | NN_PARAM_RANGED,
    .name = "size",
    .doc = "number of units N",
    .minimum = 1,
    .maximum = INFINITY,
};

static const nn_param activation = {
    .size = NN_SIZEOF(nn_param, fields),
    .type = NN_PARAM_CHOICE,
    .name = "activation",
    .doc = "function f of every unit",
    .default_text = "linear",
    .choices = activations,
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

static const nn_param bias = {
    .size = NN_SIZEOF(nn_param, fields),
    .type = NN_PARAM_BOOL,
    .name = "bias",
    .doc = "whether b exists",
    .default_text = "true",
};

static const nn_param *const params[] = {[SIZE] = &size,
                                         [ACTIVATION] = &activation,
                                         [ALPHA] = &alpha,
                                         [BIAS] = &bias};

static const nn_port input = {
    .size = NN_SIZEOF(nn_port, doc),
    .flags = NN_PORT_DENSE,
    .dtypes = 1u << NN_REAL,
    .name = "default",
    .doc = "x: (T, B, features...); all features are seen as one axis",
};

static const nn_port output = {
    .size = NN_SIZEOF(nn_port, doc),
    .flags = NN_PORT_MAY_CONSUME_DELTA,
    .dtypes = 1u << NN_REAL,
    .name = "default",
    .doc = "y: (T, B, size)",
};

static const nn_port *const inputs[] = {&input};
static const nn_port *const outputs[] = {&output};

static const nn_layer_interface interface = {
    .size = NN_SIZEOF(nn_layer_interface, backward),
    .instance_bytes = sizeof(instance),
    .setup = setup_fully_connected,
    .prepare = prepare,
    .forward = forward,
    .backward = backward,
};

static const nn_component component = {
    .size = NN_SIZEOF(nn_component, outputs),
    .kind = NN_KIND_LAYER,
    .n_params = sizeof params / sizeof *params,
    .name = "fully_connected",
    .summary = "Every unit sees every input: y = f(x W' + b)",
    .doc = "Forward: y = f(x W' + b).  Backward: a = dy * f'(y), dx = a W, "
           "dW = a' x, db = sum over rows of a.  x (M, K) is the input with "
           "all feature axes as one, M time steps times samples, K features; "
           "W (N, K) the weights, one row a unit; b (N) the biases; f the "
           "activation function; y (M, N) the output.  W starts after Glorot "
           "and Bengio, \"Understanding the Difficulty of Training Deep "
           "Feedforward Neural Networks\", 2010; with relu, elu, softplus and "
           "leaky_relu after He, Zhang, Ren and Sun, \"Delving Deep into "
           "Rectifiers\", 2015; b starts at 0.",
    .params = params,
    .interface = &interface,
    .n_inputs = 1,
    .n_outputs = 1,
    .inputs = inputs,
    .outputs = outputs,
};

static const nn_component *const components[] = {&component};

NN_PLUGIN_ENTRY(layer_fully_connected) = {
    NN_PLUGIN_HEAD,
    .id = "org.nervenet.layer.fully_connected",
    .name = "fully_connected",
    .version = "0.1.0",
    .license = "MIT",
    .author = "Nervenet contributors",
    .summary = "Every unit sees every input: y = f(x W' + b)",
    .n_components = 1,
    .components = components,
};
