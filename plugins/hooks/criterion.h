/* SPDX-License-Identifier: MIT */
/* criterion.h - which of two values of a log is the better one.
 *
 * The criterion is max or min, or auto: then the last part of the log's name
 * decides, "validation.accuracy" is to grow and "validation.loss" to fall, and
 * a name that says neither is an error when the hook is made.  NaN is never
 * better than anything, and equal is not better. */
#ifndef NN_HOOKS_CRITERION_H
#define NN_HOOKS_CRITERION_H

#include <string.h>

#include <nn/describe.h>
#include <nn/hook.h>

/* The numbers of the choices. */
#define CRITERION_AUTO 0
#define CRITERION_MAX 1
#define CRITERION_MIN 2

static const char *const criterion_choices[] = {"auto", "max", "min", NULL};

#define CRITERION_PARAM                                                        \
    NN_CHOICE_PARAM("criterion", 0, "auto", criterion_choices,                 \
                    "whether larger or smaller is better; auto: by the log's " \
                    "name")

/* True if PART is one of the NULL-terminated WORDS or holds it. */
static inline int criterion_holds(const char *part, const char *const *words)
{
    for (; *words; ++words)
        if (strstr(part, *words))
            return 1;
    return 0;
}

/* 1 if larger is better, -1 if smaller is, 0 if auto cannot tell. */
static inline int criterion_sign(int64_t choice, const char *log)
{
    static const char *const growing[] = {"accuracy", "hamming", "score",
                                          "precision", NULL};
    static const char *const falling[] = {"loss", "error", "perplexity", NULL};
    const char *dot = strrchr(log, '.');
    const char *part = dot ? dot + 1 : log;

    if (choice != CRITERION_AUTO)
        return choice == CRITERION_MAX ? 1 : -1;
    if (criterion_holds(part, falling))
        return -1;
    return criterion_holds(part, growing) ? 1 : 0;
}

/* Error if auto cannot tell; HOOK is for the message. */
static inline int32_t criterion_check(const nn_host *host, const char *hook,
                                      int64_t choice, const char *log)
{
    if (criterion_sign(choice, log))
        return NN_OK;
    return nn_fail(host, NN_INVALID_ARGUMENT, "criterion.unclear",
                   "%s: the name of log %s does not tell whether larger or "
                   "smaller is better: set criterion to max or min",
                   hook, log);
}

/* True if VALUE is better than BEST, which is NaN before the first value. */
static inline int criterion_better(int sign, double value, double best)
{
    if (isnan(value))
        return 0;
    return isnan(best) || sign * value > sign * best;
}

/* A warning at the end if the log never got a value: its name may be wrong. */
static inline void criterion_warn(const nn_hook_context *context,
                                  const char *log)
{
    char text[512];
    int64_t count = 0;

    context->log_last(context, log, &count);
    if (count || context->progress.epoch == 0)
        return;
    snprintf(text, sizeof text, "%s: there is no log %s", context->name, log);
    context->host->log(context->host, NN_LOG_WARNING, text);
}

#endif
