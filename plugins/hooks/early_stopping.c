/* SPDX-License-Identifier: MIT */
/* early_stopping.c - stops when a log has not improved for a while.
 *
 * Training stops when `patience` (1) values of `log` in a row were no better
 * than the best one before them.  With one value an epoch, as the monitors
 * write them, this is: stop when patience epochs passed without improvement.
 * Losses 1.0, 0.9, 0.95, 0.96 stop after the fourth with patience 2 and after
 * the third with patience 1.  Equal is not better: 1.0, 1.0, 1.0 stop after the
 * third with patience 2.  NaN is never better than anything.  Best value,
 * values waited and values seen are kept with every checkpoint.
 *
 * Prechelt, "Early Stopping - But When?", 1998, criterion UP.
 *
 * Other libraries: Keras the same; others stop one epoch later, when more than
 * patience epochs passed. */
#include "criterion.h"
#include "line.h"

#define LOG 0u
#define PATIENCE 1u
#define CRITERION 2u

static const nn_param log_name =
    NN_STRING_PARAM("log", NN_PARAM_REQUIRED | NN_PARAM_MAIN, NULL,
                    "log to watch, such as validation.loss");
static const nn_param patience =
    NN_INT_PARAM("patience", NN_PARAM_RANGED, "1", 1, INFINITY,
                 "values without improvement after which training stops");
static const nn_param criterion = CRITERION_PARAM;

static const nn_param *const params[] = {&log_name, &patience, &criterion};

static int32_t create(const nn_host *host, const nn_params *given,
                      nn_hook **hook)
{
    *hook = NULL;
    return criterion_check(host, "early_stopping",
                           nn_param_int(given, CRITERION),
                           nn_param_text(given, LOG));
}

/* What is kept between calls. */
typedef struct watch {
    double best;    /* NaN before the first value */
    int64_t waited; /* values since the best one */
    int64_t seen;   /* values of the log that were looked at */
} watch;

static int64_t recall_count(const nn_hook_context *context, const char *key)
{
    const double count = context->recall(context, key);

    return isnan(count) ? 0 : (int64_t)count;
}

/* Looks at the values that are new since the last call. */
static watch look(const nn_hook_context *context)
{
    const char *log = nn_param_text(context->params, LOG);
    const int sign = criterion_sign(nn_param_int(context->params, CRITERION),
                                    log);
    watch now = {.best = context->recall(context, "best"),
                 .waited = recall_count(context, "waited"),
                 .seen = recall_count(context, "seen")};
    int64_t count = 0;

    context->log_last(context, log, &count);
    if (now.seen > count) /* the log has begun anew */
        now.seen = 0;
    for (; now.seen < count; ++now.seen) {
        const double value = context->log_at(context, log, now.seen);

        if (criterion_better(sign, value, now.best)) {
            now.best = value;
            now.waited = 0;
        } else {
            ++now.waited;
        }
    }
    return now;
}

static int32_t keep(const nn_hook_context *context, const watch *now)
{
    int32_t code = context->remember(context, "best", now->best);

    if (code == NN_OK)
        code = context->remember(context, "waited", (double)now->waited);
    if (code == NN_OK)
        code = context->remember(context, "seen", (double)now->seen);
    return code;
}

static void tell(const nn_hook_context *context, const watch *now)
{
    char bytes[600];
    nn_text line = nn_text_in(bytes, sizeof bytes);

    line_begin(&line, context);
    nn_text_add(&line, "stopping, the best ");
    line_add(&line, nn_param_text(context->params, LOG), now->best);
    nn_text_add(&line, " is ");
    nn_text_add_int(&line, now->waited);
    nn_text_add(&line, now->waited == 1 ? " value ago\n" : " values ago\n");
    context->emit(context, bytes);
}

static int32_t call(nn_hook *hook, const nn_hook_context *context)
{
    watch now;
    int32_t code;

    (void)hook;
    if (context->when == NN_AT_END) {
        criterion_warn(context, nn_param_text(context->params, LOG));
        return NN_HOOK_CONTINUE;
    }
    now = look(context);
    code = keep(context, &now);
    if (code)
        return code;
    if (now.waited < nn_param_int(context->params, PATIENCE))
        return NN_HOOK_CONTINUE;
    tell(context, &now);
    return NN_HOOK_STOP;
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
    .name = "early_stopping",
    .summary = "Stops when a log has not improved for a while",
    .doc = "Stops when `patience` values of `log` in a row were no better "
           "than the best before them; with one value an epoch, when that "
           "many epochs passed without improvement. Equal is not better, "
           "NaN never is. The hook that writes the log comes before this "
           "one.",
    .params = params,
    .interface = &interface,
};

static const nn_component *const components[] = {&component};

NN_PLUGIN_ENTRY(hook_early_stopping) = {
    NN_PLUGIN_HEAD,
    .id = "org.nervenet.hook.early_stopping",
    .name = "early_stopping",
    .version = "0.1.0",
    .license = "MIT",
    .author = "Nervenet contributors",
    .summary = "Stops when a log has not improved for a while",
    .n_components = 1,
    .components = components,
};
