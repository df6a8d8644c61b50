/* SPDX-License-Identifier: MIT */
/* momentum.c - gradient descent with momentum.
 *
 *     v = m v - r g
 *     w += v - r decay w
 *
 * w parameters, g gradient, v velocity (starts as 0), r learning_rate
 * (required), m momentum (0.9), decay the decoupled weight decay (0).
 *
 * Polyak, "Some methods of speeding up the convergence of iteration methods",
 * 1964.
 *
 * Other libraries: here, in Lasagne and in Keras the velocity holds the
 * learning rate, so that after a change of r the old velocity runs out at the
 * old rate; in PyTorch and mlx it does not (v = m v + g, w -= r v), and all of
 * v takes the new rate at once.  The two agree while r is constant.  Brainstorm
 * scales g by r (1 - m) unless told otherwise.  With m = 0 this is sgd, to the
 * bit. */
#include <nn/stepper.h>

static const nn_param learning_rate =
    NN_STEPPER_LEARNING_RATE_PARAM(NN_PARAM_REQUIRED, NULL);
static const nn_param decay = NN_STEPPER_DECAY_PARAM;
static const nn_param momentum = NN_STEPPER_MOMENTUM_PARAM;

static const nn_param *const params[] = {
    &learning_rate,
    &decay,
    &momentum,
};

static int32_t prepare(const nn_stepper_context *context)
{
    return nn_stepper_plan(context, NN_OPTIMIZER_MOMENTUM,
                           nn_stepper_momentum_attributes(context));
}

static void step(const nn_stepper_context *context)
{
    nn_stepper_run(context, nn_stepper_momentum_attributes(context));
}

static const char *const vectors[] = {"velocity"};

static const nn_stepper_interface interface = {
    .size = NN_SIZEOF(nn_stepper_interface, step),
    .n_vectors = 1,
    .vector_names = vectors,
    .prepare = prepare,
    .step = step,
};

static const nn_component component = {
    .size = NN_SIZEOF(nn_component, outputs),
    .kind = NN_KIND_STEPPER,
    .n_params = sizeof params / sizeof *params,
    .name = "momentum",
    .summary = "Gradient descent with momentum",
    .doc = "v = m v - r g; w += v - r decay w, with w parameters, g "
           "gradient, v velocity, r learning_rate, m momentum. The "
           "velocity holds the learning rate. Polyak, \"Some methods of "
           "speeding up the convergence of iteration methods\", 1964.",
    .params = params,
    .interface = &interface,
};

static const nn_component *const components[] = {&component};

NN_PLUGIN_ENTRY(stepper_momentum) = {
    NN_PLUGIN_HEAD,
    .id = "org.nervenet.stepper.momentum",
    .name = "momentum",
    .version = "0.1.0",
    .license = "MIT",
    .author = "Nervenet contributors",
    .summary = "Gradient descent with momentum",
    .n_components = 1,
    .components = components,
};
