/* SPDX-License-Identifier: MIT */
/* tuning.c - see tuning.h. */
#include "core/training/tuning.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/util/error.h"
#include "core/util/number.h"
#include "core/util/suggest.h"

/* Longest key of a checkpoint that is made here. */
#define KEY 512

int32_t nn_tuned_copy(const nn_params *params, nn_arena *arena, nn_tuned *out)
{
    const nn_value **values = nn_arena_alloc(arena, params->count,
                                             sizeof *values);
    uint32_t i;

    out->settings = nn_arena_alloc(arena, params->count, sizeof *out->settings);
    if (!values || !out->settings)
        return NN_NO_MEMORY;
    for (i = 0; i < params->count; ++i) {
        out->settings[i] = *nn_setting_of(params->values[i]);
        values[i] = &out->settings[i].value;
    }
    out->params.size = params->size;
    out->params.count = params->count;
    out->params.values = values;
    return NN_OK;
}

nn_setting *nn_tuned_find(const nn_tuned *tuned, const char *name)
{
    uint32_t i;

    for (i = 0; i < tuned->params.count; ++i)
        if (!strcmp(tuned->settings[i].param->name, name))
            return &tuned->settings[i];
    return NULL;
}

void nn_tuning_init(nn_tuning *tuning, const nn_host *host, nn_arena *arena)
{
    tuning->host = host;
    tuning->arena = arena;
    tuning->first = NULL;
    tuning->end = &tuning->first;
}

int32_t nn_tuning_add(nn_tuning *tuning, const char *prefix,
                      nn_setting *setting)
{
    nn_tunable *one;
    char path[KEY];

    if (!(setting->param->flags & NN_PARAM_TUNABLE))
        return NN_OK;
    one = nn_arena_alloc(tuning->arena, 1, sizeof *one);
    if (!one)
        return NN_NO_MEMORY;
    snprintf(path, sizeof path, "%s.%s", prefix, setting->param->name);
    one->path = nn_arena_string(tuning->arena, path);
    one->setting = setting;
    *tuning->end = one;
    tuning->end = &one->next;
    return one->path ? NN_OK : NN_NO_MEMORY;
}

/* ---- changing ---------------------------------------------------------- */

/* Refuses what the parameter's description does not allow. */
static int32_t check_range(const nn_tunable *one, double value)
{
    const nn_param *param = one->setting->param;
    char text[32];
    int good = isfinite(value);

    if (good && (param->flags & NN_PARAM_RANGED))
        good = (param->flags & NN_PARAM_ABOVE_MINIMUM
                    ? value > param->minimum
                    : value >= param->minimum) &&
               (param->flags & NN_PARAM_BELOW_MAXIMUM
                    ? value < param->maximum
                    : value <= param->maximum);
    if (good)
        return NN_OK;
    return nn_error_set(NN_INVALID_ARGUMENT, "tuning.range",
                        "%s may not become %s", one->path,
                        nn_number_format(value, text));
}

/* The value of ONE for PROGRESS. */
static int32_t follow(const nn_tuning *tuning, nn_tunable *one,
                      const nn_progress *progress)
{
    const nn_child *child = one->setting->value.child;
    const nn_schedule_interface *schedule = child->component->interface;
    double value = NAN;
    int32_t code;

    code = schedule->value(tuning->host, child->params, progress, &value);
    if (!code)
        code = check_range(one, value);
    else if (!nn_error_code())
        nn_error_set(code, "tuning.schedule",
                     "it failed with code %d and no message", code);
    if (code)
        return nn_error_prefix(code,
                               "schedule '%s' of %s: ", child->component->name,
                               one->path);
    one->setting->value.real = value;
    return NN_OK;
}

int32_t nn_tuning_follow(const nn_tuning *tuning, const nn_progress *progress)
{
    nn_tunable *one;
    int32_t code = NN_OK;

    for (one = tuning->first; one && !code; one = one->next)
        if (one->setting->value.child && !one->set)
            code = follow(tuning, one, progress);
    return code;
}

int32_t nn_tuning_set(nn_tuning *tuning, const char *path, double value)
{
    nn_suggest suggest;
    nn_tunable *one;
    char tail[128];
    int found = 0;

    nn_suggest_start(&suggest, path);
    for (one = tuning->first; one; one = one->next) {
        nn_suggest_offer(&suggest, one->path);
        if (strcmp(one->path, path))
            continue;
        if (check_range(one, value))
            return NN_INVALID_ARGUMENT;
        one->setting->value.real = value;
        one->set = 1;
        found = 1;
    }
    if (found)
        return NN_OK;
    return nn_error_set(NN_NOT_FOUND, "tuning.path",
                        "there is no tunable value '%s'%s", path,
                        nn_suggest_tail(&suggest, tail));
}

/* ---- checkpoints ------------------------------------------------------- */

static const char *key_of(const nn_tunable *one, char key[KEY])
{
    snprintf(key, KEY, "tunable/%s", one->path);
    return key;
}

/* 1 if a value before ONE has the same path. */
static int is_repeated(const nn_tuning *tuning, const nn_tunable *one)
{
    const nn_tunable *other;

    for (other = tuning->first; other != one; other = other->next)
        if (!strcmp(other->path, one->path))
            return 1;
    return 0;
}

int32_t nn_tuning_store(const nn_tuning *tuning, nn_checkpoint_writer *writer)
{
    const nn_tunable *one;
    char key[KEY];
    int32_t code = NN_OK;

    for (one = tuning->first; one && !code; one = one->next)
        if (one->set && !is_repeated(tuning, one))
            code = nn_checkpoint_put_real(writer, key_of(one, key),
                                          one->setting->value.real);
    return code;
}

void nn_tuning_restore(nn_tuning *tuning, const nn_checkpoint *checkpoint)
{
    nn_tunable *one;
    char key[KEY];
    double value;

    for (one = tuning->first; one; one = one->next) {
        if (nn_checkpoint_get_real(checkpoint, key_of(one, key), &value))
            continue;
        one->setting->value.real = value;
        one->set = 1;
    }
}
