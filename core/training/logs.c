/* SPDX-License-Identifier: MIT */
/* logs.c - series in the order in which they were made, found by name from
 * the first to the last: there are few. */
#include "core/training/logs.h"

#include <stdlib.h>
#include <string.h>

#include "core/util/error.h"

#define GROUP "logs"

void nn_logs_finish(nn_logs *logs)
{
    uint32_t i;

    for (i = 0; i < logs->count; ++i) {
        free(logs->items[i].name);
        free(logs->items[i].values);
    }
    free(logs->items);
    memset(logs, 0, sizeof *logs);
}

const nn_series *nn_logs_find(const nn_logs *logs, const char *name)
{
    uint32_t i;

    for (i = 0; i < logs->count; ++i)
        if (!strcmp(logs->items[i].name, name))
            return &logs->items[i];
    return NULL;
}

/* A new empty series, or NULL. */
static nn_series *add_series(nn_logs *logs, const char *name)
{
    nn_series *one;

    if (logs->count == logs->room) {
        uint32_t room = logs->room ? 2 * logs->room : 8;
        nn_series *grown = realloc(logs->items, room * sizeof *grown);

        if (!grown)
            return NULL;
        logs->items = grown;
        logs->room = room;
    }
    one = &logs->items[logs->count];
    memset(one, 0, sizeof *one);
    one->name = strdup(name);
    if (!one->name)
        return NULL;
    ++logs->count;
    return one;
}

/* Makes room for COUNT values; 0 if memory is exhausted. */
static int make_room(nn_series *series, int64_t count)
{
    int64_t room = series->room ? series->room : 64;
    double *grown;

    while (room < count)
        room *= 2;
    if (room == series->room)
        return 1;
    grown = realloc(series->values, (size_t)room * sizeof *grown);
    if (!grown)
        return 0;
    series->values = grown;
    series->room = room;
    return 1;
}

int32_t nn_logs_append(nn_logs *logs, const char *name, double value)
{
    nn_series *series = (nn_series *)(uintptr_t)nn_logs_find(logs, name);

    if (!series)
        series = add_series(logs, name);
    if (!series || !make_room(series, series->count + 1))
        return nn_error_no_memory("a log", sizeof value);
    series->values[series->count++] = value;
    return NN_OK;
}

void nn_logs_freeze(nn_logs *logs)
{
    uint32_t i;

    for (i = 0; i < logs->count; ++i)
        logs->items[i].kept = logs->items[i].count;
    logs->frozen = 1;
}

/* A series that was made after the freezing is gone as a whole. */
void nn_logs_thaw(nn_logs *logs)
{
    uint32_t i;

    for (i = 0; i < logs->count && logs->frozen; ++i)
        logs->items[i].count = logs->items[i].kept;
    while (logs->count && !logs->items[logs->count - 1].count) {
        --logs->count;
        free(logs->items[logs->count].name);
        free(logs->items[logs->count].values);
    }
    logs->frozen = 0;
}

int32_t nn_logs_store(const nn_logs *logs, nn_checkpoint_writer *writer)
{
    int32_t code = NN_OK;
    uint32_t i;

    for (i = 0; i < logs->count && !code; ++i) {
        const nn_series *series = &logs->items[i];
        nn_tensor tensor;

        memset(&tensor, 0, sizeof tensor);
        tensor.name = series->name;
        tensor.group = GROUP;
        tensor.dtype = NN_FLOAT64;
        tensor.ndim = 1;
        tensor.shape[0] = logs->frozen ? series->kept : series->count;
        tensor.data = series->values;
        tensor.bytes = tensor.shape[0] * (int64_t)sizeof(double);
        if (tensor.shape[0])
            code = nn_checkpoint_put_tensor(writer, &tensor);
    }
    return code;
}

static int32_t restore_series(nn_logs *logs, const nn_tensor *tensor)
{
    nn_series *series = add_series(logs, tensor->name);

    if (!series || !make_room(series, tensor->shape[0]))
        return nn_error_no_memory("a log", (uint64_t)tensor->bytes);
    series->count = tensor->shape[0];
    memcpy(series->values, tensor->data, (size_t)tensor->bytes);
    return NN_OK;
}

int32_t nn_logs_restore(nn_logs *logs, const nn_checkpoint *checkpoint)
{
    nn_tensor tensor;
    int32_t code = NN_OK;
    uint32_t i;

    for (i = 0; !code && nn_checkpoint_tensor(checkpoint, i, &tensor); ++i) {
        if (strcmp(tensor.group, GROUP))
            continue;
        if (tensor.dtype != NN_FLOAT64 || tensor.ndim != 1)
            return nn_error_set(NN_FORMAT, "resume.log",
                                "%s: the log '%s' is no series of numbers",
                                nn_checkpoint_path(checkpoint), tensor.name);
        code = restore_series(logs, &tensor);
    }
    return code;
}
