/* SPDX-License-Identifier: MIT */
/* monitor_scores.c - loss and scores over a set of data, logged as DATA.loss
 * and DATA.SCORER.
 *
 * Each call evaluates all of the data named by `data` ("validation") with the
 * `scorers` and emits
 *
 *     epoch 3: validation.loss 0.31 validation.accuracy 0.8893
 */
#include <nn/describe.h>

#include "monitor.h"

static const nn_param scorer =
    NN_COMPONENT_PARAM("scorer", NN_PARAM_REQUIRED, NN_KIND_SCORER,
                       "compares predictions with targets");
static const nn_param scorers =
    NN_LIST_PARAM("scorers", NN_PARAM_REQUIRED | NN_PARAM_MAIN, &scorer,
                  "scores to compute besides the loss");
static const nn_param data = NN_STRING_PARAM(
    "data", 0, "validation", "name of the data that are evaluated");

static const nn_param *const params[] = {&scorers, &data};

static int32_t call(nn_hook *hook, const nn_hook_context *context)
{
    (void)hook;
    return monitor(context, nn_param_text(context->params, 1),
                   nn_param_value(context->params, 0));
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
    .name = "monitor_scores",
    .summary = "Loss and scores over a set of data",
    .doc = "Computes the losses and the scores over all of the data and "
           "logs them as DATA.loss and DATA.SCORER; training is not "
           "disturbed. Emits a line with them.",
    .params = params,
    .interface = &interface,
};

static const nn_component *const components[] = {&component};

NN_PLUGIN_ENTRY(hook_monitor_scores) = {
    NN_PLUGIN_HEAD,
    .id = "org.nervenet.hook.monitor_scores",
    .name = "monitor_scores",
    .version = "0.1.0",
    .license = "MIT",
    .author = "Nervenet contributors",
    .summary = "Loss and scores over a set of data",
    .n_components = 1,
    .components = components,
};
