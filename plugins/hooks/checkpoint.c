/* SPDX-License-Identifier: MIT */
/* checkpoint.c - saves a checkpoint at every interval, and at the end.
 *
 * The file `path` is replaced each time, atomically: it is always a whole
 * checkpoint, from which training can be resumed.  At the end, also after a
 * signal, one more is written unless the last one is of this update.  An end
 * with parameters that are not finite leaves the last good one in place. */
#include <nn/describe.h>
#include <nn/hook.h>

static const nn_param path =
    NN_STRING_PARAM("path", NN_PARAM_MAIN, "checkpoint.nn",
                    "file of the checkpoint, in the run's folder");

static const nn_param *const params[] = {&path};

/* True if the end of training has something that is worth saving. */
static int is_worth_saving(const nn_hook_context *context)
{
    const double update = (double)context->progress.update;
    const char *name = NULL;

    return update > 0 && context->recall(context, "saved") != update &&
           context->all_finite(context, "parameters", &name) == 1;
}

static int32_t call(nn_hook *hook, const nn_hook_context *context)
{
    int32_t code;

    (void)hook;
    if (context->when == NN_AT_END && !is_worth_saving(context))
        return NN_HOOK_CONTINUE;
    code = context->remember(context, "saved",
                             (double)context->progress.update);
    if (code)
        return code;
    return context->save(context, nn_param_text(context->params, 0));
}

static const nn_hook_interface interface = {
    .size = NN_SIZEOF(nn_hook_interface, call),
    .events = NN_AT_UPDATE | NN_AT_EPOCH | NN_AT_END,
    .call = call,
};

static const nn_component component = {
    .size = NN_SIZEOF(nn_component, outputs),
    .kind = NN_KIND_HOOK,
    .n_params = sizeof params / sizeof *params,
    .name = "checkpoint",
    .summary = "Saves a checkpoint at every interval and at the end",
    .doc = "Replaces the file `path` by a checkpoint at every interval, "
           "and at the end of training unless that moment is saved already"
           " or a parameter is not finite.",
    .params = params,
    .interface = &interface,
};

static const nn_component *const components[] = {&component};

NN_PLUGIN_ENTRY(hook_checkpoint) = {
    NN_PLUGIN_HEAD,
    .id = "org.nervenet.hook.checkpoint",
    .name = "checkpoint",
    .version = "0.1.0",
    .license = "MIT",
    .author = "Nervenet contributors",
    .summary = "Saves a checkpoint at every interval and at the end",
    .n_components = 1,
    .components = components,
};
