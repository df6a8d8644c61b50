/* SPDX-License-Identifier: MIT */
/* hook.c - a hook to copy: stops training when a log has fallen far enough.
 *
 *     hooks:
 *       - monitor_loss: validation
 *       - stop_below: {log: validation.loss, threshold: 0.05}
 *
 * What you change, in the order of this file: the parameters, `call`, and the
 * names at the end.  `make` builds the plugin, `make check` says whether
 * it is right.
 *
 * A hook may look at the logs, at the loss and at the progress of training;
 * evaluate data; write logs, files and checkpoints; emit lines; set parameters
 * that are TUNABLE; and stop training.  <nn/hook.h> has the whole list.  The
 * parameters timescale, interval and output are the core's: every hook has
 * them.
 */
#include <nn/describe.h>
#include <nn/hook.h>
#include <nn/text.h>

/* Places of the parameters in `params`, by which their values are read. */
enum { LOG, THRESHOLD };

static const nn_param log_name = NN_STRING_PARAM("log", NN_PARAM_MAIN,
                                                 "training.loss",
                                                 "log that is watched");
static const nn_param threshold =
    NN_REAL_PARAM("threshold", NN_PARAM_REQUIRED, NULL, 0, 0,
                  "training stops once the log is not above it");

static const nn_param *const params[] = {&log_name, &threshold};

/* Lines go through emit, and the user decides where they are shown. */
static void tell(const nn_hook_context *context, double value, double calls)
{
    char bytes[300];
    nn_text line = nn_text_in(bytes, sizeof bytes);

    nn_text_add(&line, context->name);
    nn_text_add(&line, ": reached ");
    nn_text_add_real(&line, value, 4);
    nn_text_add(&line, " after ");
    nn_text_add_real(&line, calls, 0);
    nn_text_add(&line, " calls\n");
    context->emit(context, bytes);
}

/* This hook keeps nothing between calls, so it has no `create` and HOOK is
 * NULL.  What must survive the end of the program, here the number of calls,
 * is remembered with the checkpoint; recall gives NaN the first time. */
static int32_t call(nn_hook *hook, const nn_hook_context *context)
{
    const char *log = nn_param_text(context->params, LOG);
    const double value = context->log_last(context, log, NULL);
    double calls = context->recall(context, "calls");
    int32_t code;

    (void)hook;
    calls = isnan(calls) ? 1 : calls + 1;
    code = context->remember(context, "calls", calls);
    if (code)
        return code; /* the message is set; training ends with it */
    if (!(value <= nn_param_real(context->params, THRESHOLD)))
        return NN_HOOK_CONTINUE; /* also while there is no value: NaN */
    tell(context, value, calls);
    return NN_HOOK_STOP;
}

static const nn_hook_interface interface = {
    .size = NN_SIZEOF(nn_hook_interface, call),
    .events = NN_AT_UPDATE | NN_AT_EPOCH,
    .call = call,
};

static const nn_component component = {
    .size = NN_SIZEOF(nn_component, cases),
    .kind = NN_KIND_HOOK,
    .n_params = sizeof params / sizeof *params,
    .name = "stop_below",
    .summary = "Stops training when a log has fallen far enough",
    .doc = "Training stops once the last value of `log` is not above "
           "`threshold`.",
    .params = params,
    .interface = &interface,
};

static const nn_component *const components[] = {&component};

NN_PLUGIN_ENTRY(hook_stop_below) = {
    NN_PLUGIN_HEAD,
    .id = "org.example.stop_below",
    .name = "stop_below",
    .version = "1.0",
    .license = "MIT",
    .author = "Your name",
    .summary = "Stops training when a log has fallen far enough",
    .n_components = 1,
    .components = components,
};
