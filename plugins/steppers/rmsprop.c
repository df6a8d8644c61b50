/* SPDX-License-Identifier: MIT */
/* rmsprop.c - the gradient divided by its running root mean square.
 *
 *     q = d q + (1 - d) g g
 *     w -= r g / (sqrt(q) + e) + r decay w          or, with epsilon_inside,
 *     w -= r g / sqrt(q + e) + r decay w
 *
 * w parameters, g gradient, q mean_square (starts as 0), r learning_rate
 * (0.001), d rho (0.9), e epsilon (1e-8), decay the decoupled weight decay (0).
 *
 * Tieleman, Hinton, "Lecture 6.5: rmsprop", Neural Networks for Machine
 * Learning, 2012; the lecture has d = 0.9, r = 0.001 and no e.
 *
 * Other libraries: outside the root in PyTorch (which calls d alpha, 0.99, and
 * has r = 0.01), inside in Lasagne (e = 1e-6, r = 1) and TensorFlow 1
 * (e = 1e-10).  The same e means far more inside: the root of 1e-8 is 1e-4. */
#include <nn/stepper.h>

static const nn_param learning_rate = NN_STEPPER_LEARNING_RATE_PARAM(0,
                                                                     "0.001");
static const nn_param decay = NN_STEPPER_DECAY_PARAM;
static const nn_param rho = NN_STEPPER_SHARE_PARAM(
    "rho", 0, "0.9", "d, the share of the mean square that is kept");
static const nn_param epsilon =
    NN_STEPPER_EPSILON_PARAM("1e-8", "e, keeps the divisor above 0");
static const nn_param epsilon_inside = NN_STEPPER_INSIDE_PARAM;

static const nn_param *const params[] = {
    &learning_rate, &decay, &rho, &epsilon, &epsilon_inside,
};

static nn_optimizer_attributes rule(const nn_stepper_context *context)
{
    nn_optimizer_attributes result = nn_stepper_attributes(context);

    result.rho = nn_param_real(context->params, NN_STEPPER_OWN);
    result.epsilon = nn_param_real(context->params, NN_STEPPER_OWN + 1);
    if (nn_param_int(context->params, NN_STEPPER_OWN + 2))
        result.flags |= NN_OPTIMIZER_EPSILON_INSIDE;
    return result;
}

static int32_t prepare(const nn_stepper_context *context)
{
    return nn_stepper_plan(context, NN_OPTIMIZER_RMSPROP, rule(context));
}

static void step(const nn_stepper_context *context)
{
    nn_stepper_run(context, rule(context));
}

static const char *const vectors[] = {"mean_square"};

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
    .name = "rmsprop",
    .summary = "Gradient divided by its running root mean square",
    .doc = "q = d q + (1-d) g g; w -= r g / (sqrt(q) + e) + r decay w, or "
           "r g / sqrt(q + e) with epsilon_inside, with w parameters, g "
           "gradient, r learning_rate, d rho, e epsilon. Tieleman, Hinton,"
           " \"Lecture 6.5: rmsprop\", 2012.",
    .params = params,
    .interface = &interface,
};

static const nn_component *const components[] = {&component};

NN_PLUGIN_ENTRY(stepper_rmsprop) = {
    NN_PLUGIN_HEAD,
    .id = "org.nervenet.stepper.rmsprop",
    .name = "rmsprop",
    .version = "0.1.0",
    .license = "MIT",
    .author = "Nervenet contributors",
    .summary = "Gradient divided by its running root mean square",
    .n_components = 1,
    .components = components,
};
