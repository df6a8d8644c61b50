/* SPDX-License-Identifier: MIT */
/* hook.h - a good hook, to be spoiled.
 *
 * It saves a checkpoint whenever validation.loss is lower than ever before, and
 * says so. */
#ifndef ZOO_HOOK_H
#define ZOO_HOOK_H

#include <stdio.h>

#include <nn/describe.h>
#include <nn/hook.h>

struct nn_hook {
    const nn_host *host;
    double kept; /* for who needs something to keep */
};

static inline int32_t good_create(const nn_host *host, const nn_params *params,
                                  nn_hook **hook)
{
    (void)params;
    *hook = host->alloc(host, sizeof **hook);
    if (!*hook)
        return NN_NO_MEMORY;
    (*hook)->host = host;
    return NN_OK;
}

static inline void good_destroy(nn_hook *hook)
{
    if (hook)
        hook->host->free(hook->host, hook);
}

static inline int32_t good_call(nn_hook *hook, const nn_hook_context *context)
{
    double value = context->log_last(context, "validation.loss", NULL);
    double best = context->recall(context, "best");
    int32_t code;
    char line[80];

    (void)hook;
    if (context->when == NN_AT_END || !(value < best || best != best) ||
        value != value)
        return NN_HOOK_CONTINUE;
    code = context->remember(context, "best", value);
    if (code == NN_OK)
        code = context->save(context, "best.nn");
    if (code)
        return code;
    snprintf(line, sizeof line, "epoch %lld is the best so far\n",
             (long long)context->progress.epoch);
    context->emit(context, line);
    return NN_HOOK_CONTINUE;
}

/* The entry; what follows NAME replaces functions: `.call = call`. */
#define ZOO_HOOK(NAME, ...)                                                    \
    static const nn_hook_interface interface = {                               \
        .size = NN_SIZEOF(nn_hook_interface, call),                            \
        .events = NN_AT_UPDATE | NN_AT_EPOCH | NN_AT_END,                      \
        .create = good_create,                                                 \
        .destroy = good_destroy,                                               \
        .call = good_call,                                                     \
        __VA_ARGS__};                                                          \
    ZOO_ENTRY(NAME, NN_KIND_HOOK, NULL, 0)

#include "entry.h"

#endif
