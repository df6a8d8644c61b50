/* SPDX-License-Identifier: MIT */
/* adagrad.c - the gradient divided by the root of the sum of its squares.
 *
 *     q += g g
 *     w -= r g / (sqrt(q) + e) + r decay w          or, with epsilon_inside,
 *     w -= r g / sqrt(q + e) + r decay w
 *
 * w parameters, g gradient, q sum_of_squares (starts as 0), r learning_rate
 * (0.01), e epsilon (1e-10), decay the decoupled weight decay (0).  Where g is
 * 0 the rule moves nothing.
 *
 * Duchi, Hazan, Singer, "Adaptive Subgradient Methods for Online Learning and
 * Stochastic Optimization", 2011, which gives no values of r and e; these are
 * PyTorch's.
 *
 * Other libraries: outside the root in PyTorch; inside in Lasagne (e = 1e-6,
 * r = 1); TensorFlow 1 and Keras start q at 0.1 instead of 0. */
#include <nn/stepper.h>

static const nn_param learning_rate = NN_STEPPER_LEARNING_RATE_PARAM(0, "0.01");
static const nn_param decay = NN_STEPPER_DECAY_PARAM;
static const nn_param epsilon =
    NN_STEPPER_EPSILON_PARAM("1e-10", "e, keeps the divisor above 0");
static const nn_param epsilon_inside = NN_STEPPER_INSIDE_PARAM;

static const nn_param *const params[] = {
    &learning_rate,
    &decay,
    &epsilon,
    &epsilon_inside,
};

static nn_optimizer_attributes rule(const nn_stepper_context *context)
{
    nn_optimizer_attributes result = nn_stepper_attributes(context);

    result.epsilon = nn_param_real(context->params, NN_STEPPER_OWN);
    if (nn_param_int(context->params, NN_STEPPER_OWN + 1))
        result.flags |= NN_OPTIMIZER_EPSILON_INSIDE;
    return result;
}

static int32_t prepare(const nn_stepper_context *context)
{
    return nn_stepper_plan(context, NN_OPTIMIZER_ADAGRAD, rule(context));
}

static void step(const nn_stepper_context *context)
{
    nn_stepper_run(context, rule(context));
}

static const char *const vectors[] = {"sum_of_squares"};

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
    .name = "adagrad",
    .summary = "Gradient divided by the root of the sum of its squares",
    .doc = "q += g g; w -= r g / (sqrt(q) + e) + r decay w, or r g / "
           "sqrt(q + e) with epsilon_inside, with w parameters, g "
           "gradient, q from 0, r learning_rate, e epsilon. Duchi, Hazan, "
           "Singer, \"Adaptive Subgradient Methods for Online Learning and "
           "Stochastic Optimization\", 2011.",
    .params = params,
    .interface = &interface,
};

static const nn_component *const components[] = {&component};

NN_PLUGIN_ENTRY(stepper_adagrad) = {
    NN_PLUGIN_HEAD,
    .id = "org.nervenet.stepper.adagrad",
    .name = "adagrad",
    .version = "0.1.0",
    .license = "MIT",
    .author = "Nervenet contributors",
    .summary = "Gradient divided by the root of the sum of its squares",
    .n_components = 1,
    .components = components,
};
