/* SPDX-License-Identifier: MIT */
/* amsgrad.c - Adam whose divisor never shrinks.
 *
 *     p = b1 p + (1 - b1) g
 *     q = b2 q + (1 - b2) g g
 *     s = max(s, q)
 *     w -= r (p / (1 - b1^t)) / (sqrt(s / (1 - b2^t)) + e) + r decay w
 *
 * w parameters, g gradient, p mean, q mean_square and s largest_mean_square
 * (start as 0), t number of the update from 1, r learning_rate (0.001),
 * b1 beta1 (0.9), b2 beta2 (0.999), e epsilon (1e-8), decay the decoupled
 * weight decay (0).
 *
 * Reddi, Kale, Kumar, "On the Convergence of Adam and Beyond", 2018, which has
 * no correction of the means; here they are corrected as in Adam.
 *
 * Other libraries: PyTorch the same (the maximum is of the uncorrected q).
 * Lasagne corrects through the learning rate, so that its e weighs more in the
 * first updates. */
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
    return nn_stepper_plan(context, NN_OPTIMIZER_AMSGRAD,
                           nn_stepper_adam_attributes(context));
}

static void step(const nn_stepper_context *context)
{
    nn_stepper_run(context, nn_stepper_adam_attributes(context));
}

static const char *const vectors[] = {"mean", "mean_square",
                                      "largest_mean_square"};

static const nn_stepper_interface interface = {
    .size = NN_SIZEOF(nn_stepper_interface, step),
    .n_vectors = 3,
    .vector_names = vectors,
    .prepare = prepare,
    .step = step,
};

static const nn_component component = {
    .size = NN_SIZEOF(nn_component, outputs),
    .kind = NN_KIND_STEPPER,
    .n_params = sizeof params / sizeof *params,
    .name = "amsgrad",
    .summary = "Adam whose divisor never shrinks",
    .doc = "p = b1 p + (1-b1) g; q = b2 q + (1-b2) g g; s = max(s, q); w "
           "-= r (p / (1-b1^t)) / (sqrt(s / (1-b2^t)) + e) + r decay w, "
           "with w parameters, g gradient, t number of the update from 1, "
           "r learning_rate, b1 beta1, b2 beta2, e epsilon. Reddi, Kale, "
           "Kumar, \"On the Convergence of Adam and Beyond\", 2018.",
    .params = params,
    .interface = &interface,
};

static const nn_component *const components[] = {&component};

NN_PLUGIN_ENTRY(stepper_amsgrad) = {
    NN_PLUGIN_HEAD,
    .id = "org.nervenet.stepper.amsgrad",
    .name = "amsgrad",
    .version = "0.1.0",
    .license = "MIT",
    .author = "Nervenet contributors",
    .summary = "Adam whose divisor never shrinks",
    .n_components = 1,
    .components = components,
};
