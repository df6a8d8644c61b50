/* SPDX-License-Identifier: MIT */
/* nesterov.c - gradient descent with Nesterov's accelerated gradient.
 *
 *     v = m v - r g
 *     w += m v - r g - r decay w
 *
 * w parameters, g gradient at w, v velocity (starts as 0), r learning_rate
 * (required), m momentum (0.9), decay the decoupled weight decay (0).
 *
 * Nesterov, "A method of solving a convex programming problem with convergence
 * rate O(1/k^2)", 1983, in the form of Bengio, Boulanger-Lewandowski, Pascanu,
 * "Advances in Optimizing Recurrent Networks", 2012: w are the parameters of
 * the look-ahead, so that the gradient is taken where w is.
 *
 * Other libraries: here, in Lasagne and in Keras the velocity holds the
 * learning rate; in PyTorch and mlx it does not (v = m v + g,
 * w -= r (g + m v)).  They agree while r is constant.  Brainstorm scales g by
 * r (1 - m) unless told otherwise. */
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
    return nn_stepper_plan(context, NN_OPTIMIZER_NESTEROV,
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
    .name = "nesterov",
    .summary = "Gradient descent with Nesterov's momentum",
    .doc = "v = m v - r g; w += m v - r g - r decay w, with w parameters "
           "(of the look-ahead), g gradient at w, v velocity, r "
           "learning_rate, m momentum. The velocity holds the learning "
           "rate. Nesterov 1983 in the form of Bengio, Boulanger-"
           "Lewandowski, Pascanu, \"Advances in Optimizing Recurrent "
           "Networks\", 2012.",
    .params = params,
    .interface = &interface,
};

static const nn_component *const components[] = {&component};

NN_PLUGIN_ENTRY(stepper_nesterov) = {
    NN_PLUGIN_HEAD,
    .id = "org.nervenet.stepper.nesterov",
    .name = "nesterov",
    .version = "0.1.0",
    .license = "MIT",
    .author = "Nervenet contributors",
    .summary = "Gradient descent with Nesterov's momentum",
    .n_components = 1,
    .components = components,
};
