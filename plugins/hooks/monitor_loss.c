/* SPDX-License-Identifier: MIT */
/* monitor_loss.c - the loss over a set of data, logged as DATA.loss.
 *
 * Each call evaluates all of the data named by `data` ("validation") and emits
 *
 *     epoch 3: validation.loss 0.31
 */
#include <nn/describe.h>

#include "monitor.h"

static const nn_param data = NN_STRING_PARAM(
    "data", NN_PARAM_MAIN, "validation", "name of the data that are evaluated");

static const nn_param *const params[] = {&data};

static int32_t call(nn_hook *hook, const nn_hook_context *context)
{
    (void)hook;
    return monitor(context, nn_param_text(context->params, 0), NULL);
}

static const nn_hook_interface interface = {
    .size = NN_SIZEOF(nn_hook_interface, call),
    .events = NN_AT_UPDATE | NN_AT_EPOCH,
    .call = call,
};

static const nn_component component = {
    .size = NN_SIZEOF(nn_component, outputs),
    .kind = NN_KIND_HOOK,
    .n_params = sizeof params / sizeof *params,
    .name = "monitor_loss",
    .summary = "Loss over a set of data",
    .doc = "Computes the losses over all of the data and logs them as "
           "DATA.loss; training is not disturbed. Emits a line with them.",
    .params = params,
    .interface = &interface,
};

static const nn_component *const components[] = {&component};

NN_PLUGIN_ENTRY(hook_monitor_loss) = {
    NN_PLUGIN_HEAD,
    .id = "org.nervenet.hook.monitor_loss",
    .name = "monitor_loss",
    .version = "0.1.0",
    .license = "MIT",
    .author = "Nervenet contributors",
    .summary = "Loss over a set of data",
    .n_components = 1,
    .components = components,
};
