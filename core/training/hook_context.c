/* SPDX-License-Identifier: MIT */
/* hook_context.c - the functions that a hook finds in its context. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/training/trainer.h"
#include "core/util/error.h"

static nn_hooked *hooked_of(const nn_hook_context *context)
{
    return (nn_hooked *)(uintptr_t)context;
}

static nn_trainer *trainer_of(const nn_hook_context *context)
{
    return hooked_of(context)->trainer;
}

/* ---- logs -------------------------------------------------------------- */

static double log_at(const nn_hook_context *context, const char *name,
                     int64_t index)
{
    const nn_series *series = nn_logs_find(&trainer_of(context)->logs, name);

    return series && index >= 0 && index < series->count ? series->values[index]
                                                         : NAN;
}

static double log_last(const nn_hook_context *context, const char *name,
                       int64_t *count)
{
    const nn_series *series = nn_logs_find(&trainer_of(context)->logs, name);
    int64_t n = series ? series->count : 0;

    if (count)
        *count = n;
    return n ? series->values[n - 1] : NAN;
}

static int32_t append_log(const nn_hook_context *context, const char *name,
                          double value)
{
    return nn_logs_append(&trainer_of(context)->logs, name, value);
}

static void log_new(const nn_hook_context *context,
                    void (*visit)(void *self, const char *name, double value),
                    void *self)
{
    const nn_hooked *hooked = hooked_of(context);
    const nn_logs *logs = &hooked->trainer->logs;
    uint32_t i;

    for (i = 0; i < logs->count; ++i) {
        const nn_series *series = &logs->items[i];

        if (series->count > (i < hooked->n_seen ? hooked->seen[i] : 0))
            visit(self, series->name, series->values[series->count - 1]);
    }
}

int32_t nn_hook_make_room(nn_hooked *hooked)
{
    uint32_t count = hooked->trainer->logs.count;
    int64_t *grown;

    if (hooked->n_seen >= count)
        return NN_OK;
    grown = realloc(hooked->seen, count * sizeof *grown);
    if (!grown)
        return nn_error_no_memory("a hook", count * sizeof *grown);
    hooked->seen = grown;
    while (hooked->n_seen < count)
        grown[hooked->n_seen++] = 0;
    return NN_OK;
}

int32_t nn_hook_saw(nn_hooked *hooked)
{
    const nn_logs *logs = &hooked->trainer->logs;
    int32_t code = nn_hook_make_room(hooked);
    uint32_t i;

    for (i = 0; i < logs->count && !code; ++i)
        hooked->seen[i] = logs->items[i].count;
    return code;
}

/* ---- what it does to the run ------------------------------------------- */

static int32_t evaluate(const nn_hook_context *context, const char *name,
                        const nn_value *scorers)
{
    return nn_trainer_evaluate(trainer_of(context), name, scorers);
}

static int32_t save(const nn_hook_context *context, const char *path)
{
    nn_trainer *trainer = trainer_of(context);
    char *whole = nn_appended_path(&trainer->files, path);
    int32_t code = whole ? nn_trainer_write(trainer, whole) : nn_error_code();

    free(whole);
    return code;
}

static int32_t append(const nn_hook_context *context, const char *path,
                      const char *bytes, size_t count)
{
    return nn_appended_write(&trainer_of(context)->files, path, bytes, count);
}

/* A file that cannot be written becomes an error of the hook's call, since
 * emit returns nothing. */
static void emit(const nn_hook_context *context, const char *text)
{
    nn_trainer *trainer = trainer_of(context);
    nn_hooked *hooked = hooked_of(context);
    const char *file = hooked->extra->output;

    if (file && !hooked->emit_code)
        hooked->emit_code = nn_appended_write(&trainer->files, file, text,
                                              strlen(text));
    else if (!file && trainer->options.emit)
        trainer->options.emit(trainer->options.self, text);
}

void nn_trainer_show(const nn_trainer *trainer)
{
    nn_trainer_status status;

    if (!trainer->options.progress)
        return;
    memset(&status, 0, sizeof status);
    status.size = sizeof status;
    status.epoch = trainer->epoch;
    status.epochs = trainer->epochs;
    status.update = trainer->update;
    status.batch = trainer->batch;
    status.batches = trainer->train->info.n_batches;
    status.samples = trainer->samples;
    status.seconds = nn_trainer_clock() - trainer->started;
    status.loss = trainer->loss;
    trainer->options.progress(trainer->options.self, &status);
}

static void show_progress(const nn_hook_context *context)
{
    nn_trainer_show(trainer_of(context));
}

static int32_t all_finite(const nn_hook_context *context, const char *what,
                          const char **name)
{
    nn_trainer *trainer = trainer_of(context);
    int gradients = !strcmp(what, "gradients");
    const char *first;
    int32_t code;

    if (!gradients && strcmp(what, "parameters"))
        return nn_error_set(NN_INVALID_ARGUMENT, "hook.finite",
                            "'%s' is neither parameters nor gradients", what);
    first = nn_runs_not_finite(&trainer->runs, trainer->network, gradients,
                               &code);
    if (code)
        return code;
    if (first && name)
        *name = first;
    return first ? 0 : 1;
}

static int32_t tune(const nn_hook_context *context, const char *path,
                    double value)
{
    return nn_tuning_set(&trainer_of(context)->tuning, path, value);
}

/* ---- what it remembers ------------------------------------------------- */

static nn_memory_of *memory_of(const nn_hooked *hooked, const char *key)
{
    uint32_t i;

    for (i = 0; i < hooked->n_memories; ++i)
        if (!strcmp(hooked->memories[i].key, key))
            return &hooked->memories[i];
    return NULL;
}

int32_t nn_hook_remember(nn_hooked *hooked, const char *key, double value)
{
    nn_memory_of *memory = memory_of(hooked, key);
    nn_memory_of *grown;

    if (!memory) {
        grown = realloc(hooked->memories,
                        (hooked->n_memories + 1) * sizeof *grown);
        if (!grown)
            return nn_error_no_memory("a hook", sizeof *grown);
        hooked->memories = grown;
        memory = &grown[hooked->n_memories];
        memory->key = strdup(key);
        if (!memory->key)
            return nn_error_no_memory("a hook", strlen(key) + 1);
        ++hooked->n_memories;
    }
    memory->value = value;
    return NN_OK;
}

static int32_t remember(const nn_hook_context *context, const char *key,
                        double value)
{
    return nn_hook_remember(hooked_of(context), key, value);
}

static double recall(const nn_hook_context *context, const char *key)
{
    const nn_memory_of *memory = memory_of(hooked_of(context), key);

    return memory ? memory->value : NAN;
}

/* Element INDEX of a buffer on the host. */
static double number_at(const nn_host_array *array, int64_t index)
{
    switch (array->dtype) {
    case NN_FLOAT32:
        return (double)((const float *)array->data)[index];
    case NN_FLOAT64:
        return ((const double *)array->data)[index];
    case NN_INT32:
        return ((const int32_t *)array->data)[index];
    default:
        return ((const uint8_t *)array->data)[index];
    }
}

static int32_t read_buffer(const nn_hook_context *context, const char *path,
                           double *values, int64_t room, int64_t *count)
{
    nn_host_array copy;
    int32_t code = nn_network_snapshot(trainer_of(context)->network, path,
                                       &copy);
    int64_t i;
    uint32_t axis;

    *count = 0;
    if (code)
        return code;
    *count = 1;
    for (axis = 0; axis < copy.ndim; ++axis)
        *count *= copy.shape[axis];
    for (i = 0; i < *count && i < room; ++i)
        values[i] = number_at(&copy, i);
    nn_free(copy.data);
    return NN_OK;
}

void nn_hook_context_init(nn_hooked *hooked)
{
    nn_hook_context *context = &hooked->context;

    context->size = NN_SIZEOF(nn_hook_context, read);
    context->host = hooked->trainer->config->host;
    context->params = hooked->extra->named.params;
    context->name = hooked->extra->name;
    context->log_last = log_last;
    context->log_at = log_at;
    context->log = append_log;
    context->log_new = log_new;
    context->evaluate = evaluate;
    context->save = save;
    context->append = append;
    context->emit = emit;
    context->show_progress = show_progress;
    context->all_finite = all_finite;
    context->tune = tune;
    context->remember = remember;
    context->recall = recall;
    context->read = read_buffer;
}
