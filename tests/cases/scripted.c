/* SPDX-License-Identifier: MIT */
/* scripted.c - a hook that logs numbers of the config, one an epoch, as if
 * they had been measured. */
#include <nn/describe.h>
#include <nn/hook.h>

#define LOG 0u
#define VALUES 1u

static const nn_param log_name = NN_STRING_PARAM("log", 0, "validation.loss",
                                                 "log that gets the numbers");
static const nn_param value = NN_REAL_PARAM("value", 0, NULL, 0, 0,
                                            "number of an epoch");
static const nn_param values = NN_LIST_PARAM(
    "values", NN_PARAM_REQUIRED | NN_PARAM_MAIN, &value, "numbers by epoch");

static const nn_param *const params[] = {&log_name, &values};

static int32_t call(nn_hook *hook, const nn_hook_context *context)
{
    const nn_value *list = nn_param_value(context->params, VALUES);
    int64_t index = context->progress.epoch - 1;

    (void)hook;
    if (index < 0 || index >= (int64_t)list->count)
        return NN_HOOK_CONTINUE;
    return context->log(context, nn_param_text(context->params, LOG),
                        list->items[index]->real);
}

static const nn_hook_interface interface = {
    .size = NN_SIZEOF(nn_hook_interface, call),
    .events = NN_AT_EPOCH,
    .call = call,
};

static const nn_component component = {
    .size = NN_SIZEOF(nn_component, outputs),
    .kind = NN_KIND_HOOK,
    .n_params = sizeof params / sizeof *params,
    .name = "scripted",
    .summary = "Logs numbers of the config, one an epoch",
    .doc = "Epoch n logs the n-th number.",
    .params = params,
    .interface = &interface,
};

static const nn_component *const components[] = {&component};

NN_PLUGIN_ENTRY(scripted) = {
    NN_PLUGIN_HEAD,
    .id = "org.example.scripted",
    .name = "scripted",
    .version = "1.0",
    .license = "MIT",
    .summary = "Logs numbers of the config",
    .n_components = 1,
    .components = components,
};
