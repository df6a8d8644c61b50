/* SPDX-License-Identifier: MIT */
/* fake_run.h - a run of training for tests of hooks: logs, memory for what is
 * remembered, and a record of everything that a hook asked for. */
#ifndef NN_TESTS_PLUGINS_HOOKS_FAKE_RUN_H
#define NN_TESTS_PLUGINS_HOOKS_FAKE_RUN_H

#include <math.h>
#include <stdio.h>

#include "tests/plugins/fake_host.h"

#include <nn/hook.h>

#define FAKE_VALUES 64
#define FAKE_NAMES 40

typedef struct fake_series {
    char name[2000];
    double values[FAKE_VALUES];
    int64_t count;
    int64_t seen; /* by log_new */
} fake_series;

typedef struct fake_memory {
    char key[32];
    double value;
} fake_memory;

/* The context comes first, so that its functions find the rest. */
typedef struct fake_run {
    nn_hook_context context;
    const nn_component *component;
    fake_params given;
    fake_series logs[FAKE_NAMES];
    int n_logs;
    fake_memory memories[8];
    int n_memories;

    /* What happens. */
    double evaluation; /* the loss that evaluate finds */
    int32_t save_code;
    int32_t append_code;
    const char *not_finite; /* a parameter, or NULL */

    /* What the hook did. */
    char emitted[4000];
    char file[20000];
    char path[100]; /* of the last save or append */
    int saves;
    int appends;
    int evaluations;
    int shown;
    const nn_value *scorers;
    double saved_best; /* "best" when the last checkpoint was saved */
} fake_run;

static fake_run *run_of(const nn_hook_context *context)
{
    return (fake_run *)(uintptr_t)context;
}

static fake_series *run_log(fake_run *run, const char *name)
{
    int i;

    for (i = 0; i < run->n_logs; ++i)
        if (strcmp(run->logs[i].name, name) == 0)
            return &run->logs[i];
    return NULL;
}

/* Appends VALUE to the log NAME. */
static int32_t run_add(const nn_hook_context *context, const char *name,
                       double value)
{
    fake_run *run = run_of(context);
    fake_series *log = run_log(run, name);

    if (!log) {
        assert_true(run->n_logs < FAKE_NAMES);
        log = &run->logs[run->n_logs++];
        snprintf(log->name, sizeof log->name, "%s", name);
    }
    assert_true(log->count < FAKE_VALUES);
    log->values[log->count++] = value;
    return NN_OK;
}

static double run_at(const nn_hook_context *context, const char *name,
                     int64_t index)
{
    const fake_series *log = run_log(run_of(context), name);

    return log && index >= 0 && index < log->count ? log->values[index] : NAN;
}

static double run_last(const nn_hook_context *context, const char *name,
                       int64_t *count)
{
    const fake_series *log = run_log(run_of(context), name);

    if (count)
        *count = log ? log->count : 0;
    return log ? run_at(context, name, log->count - 1) : NAN;
}

static void run_new(const nn_hook_context *context,
                    void (*visit)(void *self, const char *name, double value),
                    void *self)
{
    fake_run *run = run_of(context);
    int i;

    for (i = 0; i < run->n_logs; ++i) {
        fake_series *log = &run->logs[i];

        if (log->seen < log->count)
            visit(self, log->name, log->values[log->count - 1]);
        log->seen = log->count;
    }
}

static int32_t run_evaluate(const nn_hook_context *context, const char *name,
                            const nn_value *scorers)
{
    fake_run *run = run_of(context);
    char log[100];
    uint32_t i;

    if (strcmp(name, "absent") == 0)
        return nn_fail(context->host, NN_NOT_FOUND, "run.data", "no such data");
    snprintf(log, sizeof log, "%s.loss", name);
    run_add(context, log, run->evaluation);
    for (i = 0; scorers && i < scorers->count; ++i) {
        snprintf(log, sizeof log, "%s.%s", name, scorers->items[i]->text);
        run_add(context, log, 0.8893);
    }
    run->scorers = scorers;
    ++run->evaluations;
    return NN_OK;
}

static double run_recall(const nn_hook_context *context, const char *key)
{
    const fake_run *run = run_of(context);
    int i;

    for (i = 0; i < run->n_memories; ++i)
        if (strcmp(run->memories[i].key, key) == 0)
            return run->memories[i].value;
    return NAN;
}

static int32_t run_remember(const nn_hook_context *context, const char *key,
                            double value)
{
    fake_run *run = run_of(context);
    int i;

    for (i = 0; i < run->n_memories; ++i)
        if (strcmp(run->memories[i].key, key) == 0)
            break;
    assert_true(i < 8);
    if (i == run->n_memories)
        ++run->n_memories;
    snprintf(run->memories[i].key, sizeof run->memories[i].key, "%s", key);
    run->memories[i].value = value;
    return NN_OK;
}

static int32_t run_save(const nn_hook_context *context, const char *path)
{
    fake_run *run = run_of(context);

    snprintf(run->path, sizeof run->path, "%s", path);
    if (run->save_code)
        return run->save_code;
    run->saved_best = run_recall(context, "best");
    ++run->saves;
    return NN_OK;
}

static void run_emit(const nn_hook_context *context, const char *text)
{
    fake_run *run = run_of(context);
    const size_t used = strlen(run->emitted);

    assert_true(text[0] && text[strlen(text) - 1] == '\n');
    snprintf(run->emitted + used, sizeof run->emitted - used, "%s", text);
}

static void run_show(const nn_hook_context *context)
{
    ++run_of(context)->shown;
}

static int32_t run_append(const nn_hook_context *context, const char *path,
                          const char *bytes, size_t count)
{
    fake_run *run = run_of(context);
    const size_t used = strlen(run->file);

    if (run->append_code)
        return run->append_code;
    assert_true(used + count < sizeof run->file);
    memcpy(run->file + used, bytes, count);
    run->file[used + count] = '\0';
    snprintf(run->path, sizeof run->path, "%s", path);
    ++run->appends;
    return NN_OK;
}

static int32_t run_finite(const nn_hook_context *context, const char *what,
                          const char **name)
{
    const fake_run *run = run_of(context);

    assert_string_equal(what, "parameters");
    *name = run->not_finite;
    return run->not_finite == NULL;
}

static int32_t run_tune(const nn_hook_context *context, const char *path,
                        double value)
{
    (void)context;
    (void)path;
    (void)value;
    return NN_OK;
}

/* A run of PLUGIN's hook, its parameters at their defaults. */
static inline void run_init(fake_run *run, const nn_plugin *plugin)
{
    memset(run, 0, sizeof *run);
    fake_clear();
    run->component = fake_component(plugin, NN_KIND_HOOK, plugin->name);
    fake_params_init(&run->given, run->component);
    run->context = (nn_hook_context){
        .size = NN_SIZEOF(nn_hook_context, recall),
        .host = &fake_host,
        .params = &run->given.params,
        .name = plugin->name,
        .progress = {.size = NN_SIZEOF(nn_progress, total_updates),
                     .updates_in_epoch = 5,
                     .total_epochs = 10,
                     .total_updates = 50},
        .loss = 0.5,
        .seconds = 12.5,
        .log_last = run_last,
        .log_at = run_at,
        .log = run_add,
        .log_new = run_new,
        .evaluate = run_evaluate,
        .save = run_save,
        .emit = run_emit,
        .show_progress = run_show,
        .append = run_append,
        .all_finite = run_finite,
        .tune = run_tune,
        .remember = run_remember,
        .recall = run_recall,
    };
}

/* Calls the hook, as the trainer would: made anew each time, which shows that
 * nothing but what it remembers is needed. */
static inline int32_t run_call(fake_run *run, uint32_t when)
{
    const nn_hook_interface *interface = run->component->interface;
    nn_hook *hook = NULL;
    int32_t code = NN_OK;

    assert_true(interface->events & when);
    if (interface->create)
        code = interface->create(&fake_host, &run->given.params, &hook);
    if (code)
        return code;
    run->context.when = when;
    code = interface->call(hook, &run->context);
    if (interface->destroy)
        interface->destroy(hook);
    return code;
}

/* The end of epoch EPOCH. */
static inline int32_t run_epoch(fake_run *run, int64_t epoch)
{
    run->context.progress.epoch = epoch;
    run->context.progress.update = 5 * epoch;
    return run_call(run, NN_AT_EPOCH);
}

static inline int32_t run_update(fake_run *run, int64_t update)
{
    run->context.progress.epoch = update / 5;
    run->context.progress.update = update;
    return run_call(run, NN_AT_UPDATE);
}

#endif
