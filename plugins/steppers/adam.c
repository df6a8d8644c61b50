/* SPDX-License-Identifier: MIT */
/* adam.c - adaptive moment estimation.
 *
 *     p = b1 p + (1 - b1) g
 *     q = b2 q + (1 - b2) g g
 *     w -= r (p / (1 - b1^t)) / (sqrt(q / (1 - b2^t)) + e) + r decay w
 *
 * w parameters, g gradient, p mean and q mean_square (start as 0), t number of
 * the update from 1, r learning_rate (0.001), b1 beta1 (0.9), b2 beta2 (0.999),
 * e epsilon (1e-8), decay the decoupled weight decay (0).
 *
 * Kingma, Ba, "Adam: A Method for Stochastic Optimization", 2015, algorithm 1;
 * with decay: Loshchilov, Hutter, "Decoupled Weight Decay Regularization", 2019
 * (AdamW).
 *
 * Other libraries: PyTorch the same.  Lasagne, and TensorFlow and Keras at
 * first, use the paper's shorter form with "epsilon-hat": r sqrt(1 - b2^t) /
 * (1 - b1^t) p / (sqrt(q) + e), which weakens tiny gradients more in the first
 * updates.  weight_decay of PyTorch's Adam is an L2 term in the gradient: that
 * is the modifier l2 here; weight_decay of its AdamW is `decay`. */
#include <nn/stepper.h>

static const nn_param learning_rate = NN_STEPPER_LEARNING_RATE_PARAM(0,
                                                                     "0.001");
static const nn_param decay = NN_STEPPER_DECAY_PARAM;
static const nn_param beta1 = NN_STEPPER_BETA1_PARAM;
static const nn_param beta2 = NN_STEPPER_BETA2_PARAM("mean square");
static const nn_param epsilon = NN_STEPPER_EPSILON_PARAM(
    "1e-8", "e, keeps the divisor above 0; added to the corrected root");

static const nn_param *const params[] = {
    &learning_rate, &decay, &beta1, &beta2, &epsilon,
};

static int32_t prepare(const nn_stepper_context *context)
{
    return nn_stepper_plan(context, NN_OPTIMIZER_ADAM,
                           nn_stepper_adam_attributes(context));
}

static void step(const nn_stepper_context *context)
{
    nn_stepper_run(context, nn_stepper_adam_attributes(context));
}

static const char *const vectors[] = {"mean", "mean_square"};

static const nn_stepper_interface interface = {
    .size = NN_SIZEOF(nn_stepper_interface, step),
    .n_vectors = 2,
    .vector_names = vectors,
    .prepare = prepare,
    .step = step,
};

static const nn_component component = {
    .size = NN_SIZEOF(nn_component, outputs),
    .kind = NN_KIND_STEPPER,
    .n_params = sizeof params / sizeof *params,
    .name = "adam",
    .summary = "Adaptive moment estimation",
    .doc = "p = b1 p + (1-b1) g; q = b2 q + (1-b2) g g; w -= r (p / "
           "(1-b1^t)) / (sqrt(q / (1-b2^t)) + e) + r decay w, with w "
           "parameters, g gradient, t number of the update from 1, r "
           "learning_rate, b1 beta1, b2 beta2, e epsilon. Kingma, Ba, "
           "\"Adam: A Method for Stochastic Optimization\", 2015, algorithm "
           "1; with decay Loshchilov, Hutter, \"Decoupled Weight Decay "
           "Regularization\", 2019.",
    .params = params,
    .interface = &interface,
};

static const nn_component *const components[] = {&component};

NN_PLUGIN_ENTRY(stepper_adam) = {
    NN_PLUGIN_HEAD,
    .id = "org.nervenet.stepper.adam",
    .name = "adam",
    .version = "0.1.0",
    .license = "MIT",
    .author = "Nervenet contributors",
    .summary = "Adaptive moment estimation",
    .n_components = 1,
    .components = components,
};
