/* SPDX-License-Identifier: MIT */
/* save_best.c - saves a checkpoint whenever a log reaches a new best value.
 *
 * Each call looks at the last value of `log`, which a hook before this one
 * wrote for the parameters of this moment.  If it is better than the value of
 * the checkpoint saved last, `path` is replaced.  Equal is not better, and NaN
 * is never better than anything.  The best value so far is kept with every
 * checkpoint, so that a resumed run replaces the file only by a better one.
 *
 * Other libraries: the same; Keras' ModelCheckpoint starts anew when a run is
 * resumed. */
#include "criterion.h"
#include "line.h"

#define LOG 0u
#define CRITERION 1u
#define PATH 2u

static const nn_param log_name =
    NN_STRING_PARAM("log", NN_PARAM_REQUIRED | NN_PARAM_MAIN, NULL,
                    "log to watch, such as validation.accuracy");
static const nn_param criterion = CRITERION_PARAM;
static const nn_param path = NN_STRING_PARAM(
    "path", 0, "best.nn", "file of the checkpoint, in the run's folder");

static const nn_param *const params[] = {&log_name, &criterion, &path};

static int32_t create(const nn_host *host, const nn_params *given,
                      nn_hook **hook)
{
    *hook = NULL;
    return criterion_check(host, "save_best", nn_param_int(given, CRITERION),
                           nn_param_text(given, LOG));
}

static void tell(const nn_hook_context *context, double value)
{
    char bytes[600];
    nn_text line = nn_text_in(bytes, sizeof bytes);

    line_begin(&line, context);
    line_add(&line, nn_param_text(context->params, LOG), value);
    nn_text_add(&line, " is the best so far, saved as ");
    nn_text_add(&line, nn_param_text(context->params, PATH));
    nn_text_add(&line, "\n");
    context->emit(context, bytes);
}

/* The checkpoint itself knows that it is the best one; if it cannot be
 * written, the one before stays the best. */
static int32_t save(const nn_hook_context *context, double value, double best)
{
    int32_t code = context->remember(context, "best", value);

    if (code == NN_OK)
        code = context->save(context, nn_param_text(context->params, PATH));
    if (code == NN_OK)
        tell(context, value);
    else
        context->remember(context, "best", best);
    return code;
}

static int32_t call(nn_hook *hook, const nn_hook_context *context)
{
    const char *log = nn_param_text(context->params, LOG);
    const int sign = criterion_sign(nn_param_int(context->params, CRITERION),
                                    log);
    const double best = context->recall(context, "best");
    const double value = context->log_last(context, log, NULL);

    (void)hook;
    if (context->when == NN_AT_END) {
        criterion_warn(context, log);
        return NN_HOOK_CONTINUE;
    }
    if (!criterion_better(sign, value, best))
        return NN_HOOK_CONTINUE;
    return save(context, value, best);
}

static const nn_hook_interface interface = {
    .size = NN_SIZEOF(nn_hook_interface, call),
    .events = NN_AT_UPDATE | NN_AT_EPOCH | NN_AT_END,
    .create = create,
    .call = call,
};

static const nn_component component = {
    .size = NN_SIZEOF(nn_component, outputs),
    .kind = NN_KIND_HOOK,
    .n_params = sizeof params / sizeof *params,
    .name = "save_best",
    .summary = "Saves a checkpoint whenever a log reaches a new best value",
    .doc = "Writes a checkpoint to `path` whenever the last value of `log`"
           " is better than that of the last checkpoint. Equal is not "
           "better, NaN never is. The hook that writes the log comes "
           "before this one.",
    .params = params,
    .interface = &interface,
};

static const nn_component *const components[] = {&component};

NN_PLUGIN_ENTRY(hook_save_best) = {
    NN_PLUGIN_HEAD,
    .id = "org.nervenet.hook.save_best",
    .name = "save_best",
    .version = "0.1.0",
    .license = "MIT",
    .author = "Nervenet contributors",
    .summary = "Saves a checkpoint whenever a log reaches a new best value",
    .n_components = 1,
    .components = components,
};
