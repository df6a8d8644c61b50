/* SPDX-License-Identifier: MIT */
/* adadelta.c - Adagrad with a window, and steps in units of the parameters.
 *
 *     q = d q + (1 - d) g g
 *     u = g sqrt(s + e) / sqrt(q + e)
 *     w -= r u + r decay w
 *     s = d s + (1 - d) u u
 *
 * w parameters, g gradient, q mean_square and s mean_square_step (start as 0),
 * r learning_rate (1), d rho (0.95), e epsilon (1e-6), decay the decoupled
 * weight decay (0).
 *
 * Zeiler, "ADADELTA: An Adaptive Learning Rate Method", 2012, which has r = 1.
 *
 * Other libraries: the same rule; Keras has r = 0.001 and e = 1e-7, TensorFlow
 * 1 e = 1e-8 and d = 0.95, PyTorch d = 0.9. */
#include <nn/stepper.h>

static const nn_param learning_rate = NN_STEPPER_LEARNING_RATE_PARAM(0, "1");
static const nn_param decay = NN_STEPPER_DECAY_PARAM;
static const nn_param rho = NN_STEPPER_SHARE_PARAM(
    "rho", 0, "0.95", "d, the share of the mean square that is kept");
static const nn_param epsilon = NN_STEPPER_EPSILON_PARAM(
    "1e-6", "e, added inside both roots; sets the first steps");

static const nn_param *const params[] = {
    &learning_rate,
    &decay,
    &rho,
    &epsilon,
};

static nn_optimizer_attributes rule(const nn_stepper_context *context)
{
    nn_optimizer_attributes result = nn_stepper_attributes(context);

    result.rho = nn_param_real(context->params, NN_STEPPER_OWN);
    result.epsilon = nn_param_real(context->params, NN_STEPPER_OWN + 1);
    return result;
}

static int32_t prepare(const nn_stepper_context *context)
{
    return nn_stepper_plan(context, NN_OPTIMIZER_ADADELTA, rule(context));
}

static void step(const nn_stepper_context *context)
{
    nn_stepper_run(context, rule(context));
}

static const char *const vectors[] = {"mean_square", "mean_square_step"};

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
    .name = "adadelta",
    .summary = "Adagrad with a window, and steps in units of the parameters",
    .doc = "q = d q + (1-d) g g; u = g sqrt(s + e) / sqrt(q + e); w -= r u"
           " + r decay w; s = d s + (1-d) u u, with w parameters, g "
           "gradient, r learning_rate, d rho, e epsilon. Zeiler, "
           "\"ADADELTA: An Adaptive Learning Rate Method\", 2012.",
    .params = params,
    .interface = &interface,
};

static const nn_component *const components[] = {&component};

NN_PLUGIN_ENTRY(stepper_adadelta) = {
    NN_PLUGIN_HEAD,
    .id = "org.nervenet.stepper.adadelta",
    .name = "adadelta",
    .version = "0.1.0",
    .license = "MIT",
    .author = "Nervenet contributors",
    .summary = "Adagrad with a window, and steps in units of the parameters",
    .n_components = 1,
    .components = components,
};
