/* SPDX-License-Identifier: MIT */
/* context.c - see context.h.
 *
 * Paths are judged here, wherever they come from: within the run's folder, and
 * no other. */
#include "conformance/hook/context.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static run *of(const nn_hook_context *context)
{
    return ((const run_page *)(const void *)context)->run;
}

void context_say(run *r, const char *format, ...)
{
    char line[1200];
    va_list arguments;
    size_t length;

    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    length = strlen(line);
    if (r->used + length + 2 > r->room) {
        r->room = 2 * (r->room + length + 1024);
        r->said = realloc(r->said, r->room);
        if (!r->said)
            abort();
    }
    memcpy(r->said + r->used, line, length);
    r->used += length;
    r->said[r->used++] = '\n';
    r->said[r->used] = '\0';
}

/* Notes a call of FUNCTION.  Returns its code. */
static int32_t ask(const nn_hook_context *context, enum run_function function)
{
    run *r = of(context);

    ++r->asked[function];
    if (r->options.fails != function)
        return NN_OK;
    return r->host.host.set_error(&r->host.host, NN_IO, "trial.failure",
                                  "the trial lets this fail");
}

static void judge_path(run *r, const char *what, const char *path)
{
    if (!(r->options.judge & RUN_JUDGE_OUTPUT))
        return;
    trial_tested(r->t, 1);
    if (path && *path && *path != '/' && !strstr(path, ".."))
        return;
    trial_fail(r->t, what, "a path within the run's folder",
               path ? path : "NULL");
}

/* ---- logs -------------------------------------------------------------- */

static run_log *find_log(const run *r, const char *name)
{
    uint32_t i;

    for (i = 0; i < r->n_logs; ++i)
        if (!strcmp(r->logs[i].name, name))
            return &r->logs[i];
    return NULL;
}

void context_append(run *r, const char *name, double value)
{
    run_log *log = find_log(r, name);

    if (!log && r->n_logs < RUN_LOGS) {
        log = &r->logs[r->n_logs++];
        snprintf(log->name, sizeof log->name, "%s", name);
    }
    if (log && log->count < (int64_t)(sizeof log->values / sizeof(double)))
        log->values[log->count++] = value;
}

double context_last(const run *r, const char *name, int64_t *count)
{
    const run_log *log = find_log(r, name);

    if (count)
        *count = log ? log->count : 0;
    return log && log->count ? log->values[log->count - 1] : NAN;
}

static double log_last(const nn_hook_context *context, const char *name,
                       int64_t *count)
{
    return context_last(of(context), name, count);
}

static double log_at(const nn_hook_context *context, const char *name,
                     int64_t index)
{
    const run_log *log = find_log(of(context), name);

    return log && index >= 0 && index < log->count ? log->values[index] : NAN;
}

static int32_t log_value(const nn_hook_context *context, const char *name,
                         double value)
{
    int32_t code = ask(context, RUN_LOG);

    context_say(of(context), "log %s %.17g", name, value);
    if (!code)
        context_append(of(context), name, value);
    return code;
}

static void log_new(const nn_hook_context *context,
                    void (*visit)(void *self, const char *name, double value),
                    void *self)
{
    run *r = of(context);
    uint32_t i;

    for (i = 0; i < r->n_logs; ++i) {
        char name[96];

        snprintf(name, sizeof name, "%s", r->logs[i].name);
        if (r->logs[i].count > r->logs[i].seen)
            visit(self, name, r->logs[i].values[r->logs[i].count - 1]);
        memset(name, '?', sizeof name - 1);
    }
}

/* ---- what a hook does -------------------------------------------------- */

static int32_t evaluate(const nn_hook_context *context, const char *name,
                        const nn_value *scorers)
{
    run *r = of(context);
    int32_t code = ask(context, RUN_EVALUATE);
    char log[96];
    uint32_t i;

    context_say(r, "evaluate %s", name);
    if (code)
        return code;
    snprintf(log, sizeof log, "%.40s.loss", name);
    context_append(r, log, 1.0 / (double)(2 + r->update));
    for (i = 0; scorers && i < scorers->count; ++i) {
        snprintf(log, sizeof log, "%.40s.%.40s", name,
                 scorers->items[i]->text ? scorers->items[i]->text : "score");
        context_append(r, log, 0.5);
    }
    return NN_OK;
}

static int32_t save(const nn_hook_context *context, const char *path)
{
    run *r = of(context);
    int32_t code = ask(context, RUN_SAVE);

    judge_path(r, "save", path);
    context_say(r, "save %s at %" PRId64 "%s", path ? path : "", r->update,
                code ? " fails" : "");
    return code;
}

static void judge_text(run *r, const char *text)
{
    size_t length = text ? strlen(text) : 0;
    size_t i;

    trial_tested(r->t, 1);
    if (!length || text[length - 1] != '\n')
        trial_fail(r->t, "emit", "whole lines",
                   length ? trial_text(r->t, "\"%s\"", text) : "no text");
    for (i = 0; i < length; ++i)
        if ((unsigned char)text[i] < ' ' && text[i] != '\n' &&
            text[i] != '\t') {
            trial_fail(r->t, "emit", "a text without control characters",
                       trial_text(r->t, "byte %u", (unsigned char)text[i]));
            return;
        }
}

static void emit(const nn_hook_context *context, const char *text)
{
    run *r = of(context);

    ++r->spoken;
    if (r->options.judge & RUN_JUDGE_OUTPUT)
        judge_text(r, text);
    context_say(r, "emit %s", text ? text : "");
}

static void show_progress(const nn_hook_context *context)
{
    ++of(context)->spoken;
}

static int32_t append(const nn_hook_context *context, const char *path,
                      const char *bytes, size_t count)
{
    run *r = of(context);
    int32_t code = ask(context, RUN_APPEND);

    judge_path(r, "append", path);
    context_say(r, "append %s %.*s", path ? path : "",
                (int)(count < 1000 ? count : 1000), bytes);
    return code;
}

static int32_t all_finite(const nn_hook_context *context, const char *what,
                          const char **name)
{
    run *r = of(context);
    int32_t code = ask(context, RUN_ALL_FINITE);

    context_say(r, "all_finite %s", what ? what : "");
    if (!what || (strcmp(what, "parameters") && strcmp(what, "gradients")))
        trial_fail(r->t, "all_finite", "\"parameters\" or \"gradients\"",
                   what ? what : "NULL");
    if (code)
        return code;
    if (r->options.infinite && name)
        *name = "hidden.W";
    return !r->options.infinite;
}

static int32_t tune(const nn_hook_context *context, const char *path,
                    double value)
{
    int32_t code = ask(context, RUN_TUNE);

    context_say(of(context), "tune %s %.17g", path, value);
    return code;
}

static int32_t remember(const nn_hook_context *context, const char *key,
                        double value)
{
    run *r = of(context);
    int32_t code = ask(context, RUN_REMEMBER);
    uint32_t i = 0;

    if (code)
        return code;
    context_say(r, "remember %s %.17g", key, value);
    while (i < r->n_keys && strcmp(r->keys[i].key, key))
        ++i;
    if (i == RUN_KEYS)
        return NN_OK;
    if (i == r->n_keys)
        ++r->n_keys;
    snprintf(r->keys[i].key, sizeof r->keys[i].key, "%s", key);
    r->keys[i].value = value;
    return NN_OK;
}

static double recall(const nn_hook_context *context, const char *key)
{
    const run *r = of(context);
    uint32_t i;

    for (i = 0; i < r->n_keys; ++i)
        if (!strcmp(r->keys[i].key, key))
            return r->keys[i].value;
    return NAN;
}

static int32_t read_buffer(const nn_hook_context *context, const char *path,
                           double *values, int64_t room, int64_t *count)
{
    int32_t code = ask(context, RUN_READ);
    int64_t i;

    (void)path;
    *count = code ? 0 : 6;
    for (i = 0; i < room && i < *count; ++i)
        values[i] = 0.25 * (double)i;
    return code;
}

void context_functions(nn_hook_context *context)
{
    context->size = NN_SIZEOF(nn_hook_context, read);
    context->log_last = log_last;
    context->log_at = log_at;
    context->log = log_value;
    context->log_new = log_new;
    context->evaluate = evaluate;
    context->save = save;
    context->emit = emit;
    context->show_progress = show_progress;
    context->append = append;
    context->all_finite = all_finite;
    context->tune = tune;
    context->remember = remember;
    context->recall = recall;
    context->read = read_buffer;
}
