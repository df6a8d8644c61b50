/* SPDX-License-Identifier: MIT */
/* stop_on_nan.c - ends training when a number is not finite.
 *
 * After an update the loss of the batch is checked; after an epoch the loss of
 * the epoch (log training.loss, or the last batch where there is no such log)
 * and, unless `parameters` is false, every parameter.  NaN and infinity end
 * training with the error NN_NOT_FINITE, which names what and when. */
#include <nn/describe.h>
#include <nn/hook.h>

static const nn_param parameters = NN_BOOL_PARAM(
    "parameters", 0, "true", "check all parameters after an epoch as well");

static const nn_param *const params[] = {&parameters};

static int32_t check_loss(const nn_hook_context *context)
{
    double loss = context->loss;

    if (context->when == NN_AT_EPOCH) {
        int64_t count = 0;
        const double mean = context->log_last(context, "training.loss", &count);

        loss = count ? mean : loss;
    }
    if (isfinite(loss))
        return NN_HOOK_CONTINUE;
    return nn_fail(context->host, NN_NOT_FINITE, "stop-on-nan.loss",
                   "loss is %s after update %lld", isnan(loss) ? "nan" : "inf",
                   (long long)context->progress.update);
}

static int32_t check_parameters(const nn_hook_context *context)
{
    const char *name = NULL;
    int32_t finite = context->all_finite(context, "parameters", &name);

    if (finite < 0)
        return finite;
    if (finite)
        return NN_HOOK_CONTINUE;
    return nn_fail(context->host, NN_NOT_FINITE, "stop-on-nan.parameter",
                   "parameter %s is not finite after update %lld",
                   name ? name : "(unnamed)",
                   (long long)context->progress.update);
}

static int32_t call(nn_hook *hook, const nn_hook_context *context)
{
    int32_t code = check_loss(context);

    (void)hook;
    if (code == NN_HOOK_CONTINUE && context->when == NN_AT_EPOCH &&
        nn_param_int(context->params, 0))
        code = check_parameters(context);
    return code;
}

static const nn_hook_interface interface = {
    .size = NN_SIZEOF(nn_hook_interface, call),
    .events = NN_AT_UPDATE | NN_AT_EPOCH | NN_AT_ALWAYS,
    .call = call,
};

static const nn_component component = {
    .size = NN_SIZEOF(nn_component, outputs),
    .kind = NN_KIND_HOOK,
    .n_params = sizeof params / sizeof *params,
    .name = "stop_on_nan",
    .summary = "Ends training when the loss or a parameter is not finite",
    .doc = "Training ends with an error when the loss of the last batch or"
           " epoch, or after an epoch a parameter, is NaN or infinite. The"
           " message names what and when.",
    .params = params,
    .interface = &interface,
};

static const nn_component *const components[] = {&component};

NN_PLUGIN_ENTRY(hook_stop_on_nan) = {
    NN_PLUGIN_HEAD,
    .id = "org.nervenet.hook.stop_on_nan",
    .name = "stop_on_nan",
    .version = "0.1.0",
    .license = "MIT",
    .author = "Nervenet contributors",
    .summary = "Ends training when the loss or a parameter is not finite",
    .n_components = 1,
    .components = components,
};
