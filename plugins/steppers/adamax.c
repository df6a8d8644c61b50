/* SPDX-License-Identifier: MIT */
/* adamax.c - Adam with the infinity norm.
 *
 *     p = b1 p + (1 - b1) g
 *     u = max(b2 u, |g|)
 *     w -= r / (1 - b1^t) p / (u + e) + r decay w
 *
 * w parameters, g gradient, p mean and u largest (start as 0), t number of the
 * update from 1, r learning_rate (0.002), b1 beta1 (0.9), b2 beta2 (0.999),
 * e epsilon (1e-8), decay the decoupled weight decay (0).
 *
 * Kingma, Ba, "Adam: A Method for Stochastic Optimization", 2015, algorithm 2,
 * which has no e and divides 0 by 0 where g has been 0 from the start.
 *
 * Other libraries: Lasagne and Keras the same.  PyTorch takes
 * u = max(b2 u, |g| + e) and divides by u. */
#include <nn/stepper.h>

static const nn_param learning_rate = NN_STEPPER_LEARNING_RATE_PARAM(0,
                                                                     "0.002");
static const nn_param decay = NN_STEPPER_DECAY_PARAM;
static const nn_param beta1 = NN_STEPPER_BETA1_PARAM;
static const nn_param beta2 = NN_STEPPER_BETA2_PARAM("largest gradient");
static const nn_param epsilon =
    NN_STEPPER_EPSILON_PARAM("1e-8", "e, keeps the divisor above 0");

static const nn_param *const params[] = {
    &learning_rate, &decay, &beta1, &beta2, &epsilon,
};

static int32_t prepare(const nn_stepper_context *context)
{
    return nn_stepper_plan(context, NN_OPTIMIZER_ADAMAX,
                           nn_stepper_adam_attributes(context));
}

static void step(const nn_stepper_context *context)
{
    nn_stepper_run(context, nn_stepper_adam_attributes(context));
}

static const char *const vectors[] = {"mean", "largest"};

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
    .name = "adamax",
    .summary = "Adam with the largest gradient instead of the mean square",
    .doc = "p = b1 p + (1-b1) g; u = max(b2 u, |g|); w -= r / (1-b1^t) p /"
           " (u + e) + r decay w, with w parameters, g gradient, t number "
           "of the update from 1, r learning_rate, b1 beta1, b2 beta2, e "
           "epsilon. Kingma, Ba, \"Adam: A Method for Stochastic "
           "Optimization\", 2015, algorithm 2.",
    .params = params,
    .interface = &interface,
};

static const nn_component *const components[] = {&component};

NN_PLUGIN_ENTRY(stepper_adamax) = {
    NN_PLUGIN_HEAD,
    .id = "org.nervenet.stepper.adamax",
    .name = "adamax",
    .version = "0.1.0",
    .license = "MIT",
    .author = "Nervenet contributors",
    .summary = "Adam with the largest gradient instead of the mean square",
    .n_components = 1,
    .components = components,
};
