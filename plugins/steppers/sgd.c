/* SPDX-License-Identifier: MIT */
/* sgd.c - stochastic gradient descent.
 *
 *     w -= r g + r decay w
 *
 * w parameters, g gradient of the mean loss of the batch, r learning_rate
 * (required), decay the decoupled weight decay (0).
 *
 * Robbins, Monro, "A Stochastic Approximation Method", 1951.
 *
 * Other libraries: the same.  For this rule decoupled decay and an L2 term in
 * the gradient (modifier l2) are one thing. */
#include <nn/stepper.h>

static const nn_param learning_rate =
    NN_STEPPER_LEARNING_RATE_PARAM(NN_PARAM_REQUIRED, NULL);
static const nn_param decay = NN_STEPPER_DECAY_PARAM;

static const nn_param *const params[] = {
    &learning_rate,
    &decay,
};

static int32_t prepare(const nn_stepper_context *context)
{
    return nn_stepper_plan(context, NN_OPTIMIZER_SGD,
                           nn_stepper_attributes(context));
}

static void step(const nn_stepper_context *context)
{
    nn_stepper_run(context, nn_stepper_attributes(context));
}

static const nn_stepper_interface interface = {
    .size = NN_SIZEOF(nn_stepper_interface, step),
    .prepare = prepare,
    .step = step,
};

static const nn_component component = {
    .size = NN_SIZEOF(nn_component, outputs),
    .kind = NN_KIND_STEPPER,
    .n_params = sizeof params / sizeof *params,
    .name = "sgd",
    .summary = "Gradient descent: a step against the gradient",
    .doc = "w -= r g + r decay w, with w parameters, g gradient, r "
           "learning_rate. Robbins, Monro, \"A Stochastic Approximation "
           "Method\", 1951.",
    .params = params,
    .interface = &interface,
};

static const nn_component *const components[] = {&component};

NN_PLUGIN_ENTRY(stepper_sgd) = {
    NN_PLUGIN_HEAD,
    .id = "org.nervenet.stepper.sgd",
    .name = "sgd",
    .version = "0.1.0",
    .license = "MIT",
    .author = "Nervenet contributors",
    .summary = "Gradient descent: a step against the gradient",
    .n_components = 1,
    .components = components,
};
