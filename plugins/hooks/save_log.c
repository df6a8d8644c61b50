/* SPDX-License-Identifier: MIT */
/* save_log.c - appends new log values to a file, one JSON object a line.
 *
 *     {"epoch": 3, "update": 1407, "training.loss": 0.3123, ...}
 *
 * epoch and update are the complete ones; then follow all logs that got a value
 * since the call before, and after an update "loss", that of its batch.  A call
 * without such values after an epoch or at the end writes nothing.  Numbers are
 * written so that they read back as the same double, with a point whatever the
 * locale.  JSON has no NaN and no infinity: they become the strings "nan",
 * "inf" and "-inf".
 *
 * A line longer than BUFFER bytes is appended in parts.  A resumed run first
 * cuts the file to what its checkpoint knew. */
#include <nn/describe.h>
#include <nn/hook.h>
#include <nn/text.h>

#define BUFFER 8000
#define LONGEST_NAME 1000

static const nn_param path = NN_STRING_PARAM("path", NN_PARAM_MAIN,
                                             "metrics.jsonl",
                                             "file in the run's folder");

static const nn_param *const params[] = {&path};

/* The line that is being written. */
typedef struct line {
    const nn_hook_context *context;
    int32_t code;   /* of the first append that failed */
    int64_t values; /* in this line so far */
    char bytes[BUFFER];
    nn_text text;
} line;

static void flush(line *to)
{
    if (to->code == NN_OK && to->text.used)
        to->code = to->context->append(to->context,
                                       nn_param_text(to->context->params, 0),
                                       to->bytes, to->text.used);
    to->text = nn_text_in(to->bytes, sizeof to->bytes);
}

static void add(line *to, const char *piece)
{
    nn_text_add(&to->text, piece);
    if (to->text.full) {
        flush(to);
        nn_text_add(&to->text, piece);
    }
}

static void visit(void *self, const char *name, double value)
{
    line *to = self;
    char bytes[LONGEST_NAME + 100];
    nn_text piece = nn_text_in(bytes, sizeof bytes);

    nn_text_add(&piece, ", ");
    nn_text_add_json(&piece, name);
    nn_text_add(&piece, ": ");
    nn_text_add_json_real(&piece, value);
    if (piece.full) {
        to->code = nn_fail(to->context->host, NN_UNSUPPORTED, "save-log.name",
                           "save_log: the name of a log is longer than %d "
                           "bytes",
                           LONGEST_NAME);
        return;
    }
    add(to, bytes);
    ++to->values;
}

static void add_head(line *to, const nn_progress *progress)
{
    to->text = nn_text_in(to->bytes, sizeof to->bytes);
    nn_text_add(&to->text, "{\"epoch\": ");
    nn_text_add_int(&to->text, progress->epoch);
    nn_text_add(&to->text, ", \"update\": ");
    nn_text_add_int(&to->text, progress->update);
}

static int32_t call(nn_hook *hook, const nn_hook_context *context)
{
    line to = {.context = context};

    (void)hook;
    add_head(&to, &context->progress);
    if (context->when == NN_AT_UPDATE)
        visit(&to, "loss", context->loss);
    context->log_new(context, visit, &to);
    if (to.values == 0)
        return NN_HOOK_CONTINUE;
    add(&to, "}\n");
    flush(&to);
    return to.code;
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
    .name = "save_log",
    .summary = "Appends new log values to a file, one JSON object a line",
    .doc = "Appends to `path` one JSON object a call, with epoch, update "
           "and every log that got a value since the call before; after an"
           " update also loss, that of the batch. Numbers read back "
           "exactly; what is not finite is the string \"nan\", \"inf\" or "
           "\"-inf\".",
    .params = params,
    .interface = &interface,
};

static const nn_component *const components[] = {&component};

NN_PLUGIN_ENTRY(hook_save_log) = {
    NN_PLUGIN_HEAD,
    .id = "org.nervenet.hook.save_log",
    .name = "save_log",
    .version = "0.1.0",
    .license = "MIT",
    .author = "Nervenet contributors",
    .summary = "Appends new log values to a file, one JSON object a line",
    .n_components = 1,
    .components = components,
};
