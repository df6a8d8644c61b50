/* SPDX-License-Identifier: MIT */
/* dropout.c - sets a random part of the elements to 0 while training.
 *
 * Letters: x the input and y the output, of one shape; p the probability of
 * being dropped; k a mask that is drawn anew in every pass, 0 with probability
 * p and 1 otherwise; d. the derivative of the loss by what follows.
 *
 * Forward, training:  y = k x / (1 - p), and 0 for p = 1
 * Backward, training: dx = k dy / (1 - p), with the same k: random numbers are
 *                     a function of position and update, so k is drawn again
 *                     and never stored
 * Otherwise:          y = x and dx = dy, bit by bit
 *
 * Dividing in training rather than multiplying later keeps the expected value
 * of y equal to x in both modes.  Source: Srivastava, Hinton, Krizhevsky,
 * Sutskever and Salakhutdinov, "Dropout: A Simple Way to Prevent Neural
 * Networks from Overfitting", 2014. */
#include <nn/shape.h>

enum { PROBABILITY }; /* parameters */

static int32_t setup_dropout(nn_setup *setup)
{
    nn_buffer y = nn_buffer_like("default", &setup->inputs[0]);
    int32_t code = setup->declare(setup, NN_DECLARE_OUTPUT, &y);

    return code < 0 ? code : NN_OK;
}

/* Both passes are the same linear map. */
static void apply(const nn_layer_context *context, const nn_array *from,
                  const nn_array *to)
{
    double probability = nn_param_real(context->params, PROBABILITY);

    if ((context->flags & NN_PASS_TRAIN) && probability > 0.0)
        nn_dropout_t(context->ops, from, probability,
                     nn_layer_random(context, 0), to);
    else
        nn_copy(context->ops, from, to);
}

static void forward(const nn_layer_context *context)
{
    apply(context, &context->inputs[0], &context->outputs[0]);
}

static void backward(const nn_layer_context *context)
{
    if (nn_wanted(&context->output_deltas[0]))
        apply(context, &context->output_deltas[0], &context->input_deltas[0]);
    else
        nn_fill(context->ops, &context->input_deltas[0], 0.0);
}

static const nn_param probability = {
    .size = NN_SIZEOF(nn_param, fields),
    .type = NN_PARAM_REAL,
    .flags = NN_PARAM_MAIN | NN_PARAM_RANGED,
    .name = "probability",
    .doc = "probability p of an element to be dropped; 1 drops all of them",
    .default_text = "0.5",
    .minimum = 0,
    .maximum = 1,
};

static const nn_param *const params[] = {[PROBABILITY] = &probability};

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
    .setup = setup_dropout,
    .forward = forward,
    .backward = backward,
};

static const nn_component component = {
    .size = NN_SIZEOF(nn_component, outputs),
    .kind = NN_KIND_LAYER,
    .flags = NN_LAYER_RANDOM,
    .n_params = sizeof params / sizeof *params,
    .name = "dropout",
    .summary = "Sets a random part of the elements to 0 while training",
    .doc = "Forward, training: y = k x / (1 - p), and 0 for p = 1.  Backward, "
           "training: dx = k dy / (1 - p).  In other passes y = x and dx = dy. "
           "x is the input, y the output of the same shape, p the probability "
           "of being dropped, k a mask that is drawn in every pass: 0 with "
           "probability p, else 1.  Source: Srivastava, Hinton, Krizhevsky, "
           "Sutskever and Salakhutdinov, \"Dropout: A Simple Way to Prevent "
           "Neural Networks from Overfitting\", 2014.",
    .params = params,
    .interface = &interface,
    .n_inputs = 1,
    .n_outputs = 1,
    .inputs = inputs,
    .outputs = outputs,
};

static const nn_component *const components[] = {&component};

NN_PLUGIN_ENTRY(layer_dropout) = {
    NN_PLUGIN_HEAD,
    .id = "org.nervenet.layer.dropout",
    .name = "dropout",
    .version = "0.1.0",
    .license = "MIT",
    .author = "Nervenet contributors",
    .summary = "Sets a random part of the elements to 0 while training",
    .n_components = 1,
    .components = components,
};
