/* SPDX-License-Identifier: MIT */
/* findings.c - what is wrong, said once and counted.
 *
 * The id of a finding is NN-<operation>-<what>; the words that `what` can be are
 * those of the table below, with which docs/debug.md agrees. */
#define _GNU_SOURCE
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "debug.h"

static const char *const dtypes[] = {"real",  "float32", "float64", "int32",
                                     "uint8", "float16", "bfloat16"};
static const char *const modes[] = {"", " ADD", " DISCARD"};

/* ---- texts ------------------------------------------------------------- */

/* Appends to TEXT of SIZE bytes; what does not fit is cut. */
__attribute__((format(printf, 3, 4))) static void append(char *text,
                                                         size_t size,
                                                         const char *format,
                                                         ...)
{
    size_t used = strlen(text);
    va_list arguments;

    va_start(arguments, format);
    if (used < size)
        vsnprintf(text + used, size - used, format, arguments);
    va_end(arguments);
}

static void append_operand(char *text, size_t size,
                           const struct operand *operand,
                           const nn_handler *handler)
{
    const nn_array *array = operand->array;
    uint32_t i;

    append(text, size, "%s%s ", text[0] ? ", " : "", operand->name);
    if (!nn_present(array)) {
        append(text, size, "absent");
        return;
    }
    append(text, size, "(");
    for (i = 0; i < array->ndim && i < NN_MAX_DIMS; ++i)
        append(text, size, "%s%lld", i ? ", " : "", (long long)array->shape[i]);
    append(text, size, ") %s%s",
           array->dtype < sizeof dtypes / sizeof *dtypes ? dtypes[array->dtype]
                                                         : "unknown",
           (operand->role & 3u) == NN_ROLE_OUT && array->mode < 3
               ? modes[array->mode]
               : "");
    if (array->memory && debug_memory_is_own(handler, array->memory))
        append(text, size, " of '%s'",
               debug_memory_path(array->memory, array->offset));
}

const char *debug_findings_place(const nn_handler *handler, char text[256])
{
    static const char *const whose[] = {"outside of any pass", "the core",
                                        "forward", "backward", "step"};

    text[0] = '\0';
    if (!handler->began || handler->whose > NN_TRACK_STEP)
        return text;
    append(text, 256, ", in %s", whose[handler->whose]);
    if (handler->layer)
        append(text, 256, " of '%s'", handler->layer);
    append(text, 256, ", update %llu", (unsigned long long)handler->update);
    return text;
}

/* ---- muting and counting ----------------------------------------------- */

/* 1 if TEXT matches PATTERN, in which '*' is any text. */
static int matches(const char *pattern, const char *text)
{
    for (; *pattern; ++pattern, ++text) {
        if (*pattern == '*') {
            while (pattern[1] == '*')
                ++pattern;
            for (; *text; ++text)
                if (matches(pattern + 1, text))
                    return 1;
            return pattern[1] == '\0';
        }
        if (*pattern != *text)
            return 0;
    }
    return *text == '\0';
}

static int is_muted(const nn_handler *handler, const char *id)
{
    const nn_value *mute = nn_param_value(handler->params, MUTE);
    uint32_t i;

    for (i = 0; i < mute->count; ++i)
        if (matches(mute->items[i]->text, id))
            return 1;
    return 0;
}

static void count(nn_handler *handler, const char *id)
{
    struct count *one;

    for (one = handler->counts; one; one = one->next)
        if (!strcmp(one->id, id)) {
            ++one->times;
            return;
        }
    one = handler->host->alloc(handler->host, sizeof *one);
    if (!one)
        return;
    snprintf(one->id, sizeof one->id, "%s", id);
    one->times = 1;
    one->next = handler->counts;
    handler->counts = one;
}

/* ---- telling ----------------------------------------------------------- */

/* Makes the finding the handler's error, if it is to be one; 1 if it is. */
static int keep(nn_handler *handler, int32_t code, const char *id,
                const char *text)
{
    if (handler->code || nn_param_int(handler->params, STOP) != 0)
        return 0;
    handler->code = code;
    snprintf(handler->id, sizeof handler->id, "%s", id);
    snprintf(handler->text, sizeof handler->text, "%s", text);
    return 1;
}

static void tell(nn_handler *handler, const char *text)
{
    int64_t limit = nn_param_int(handler->params, LIMIT);

    if (handler->found <= limit)
        handler->host->log(handler->host, NN_LOG_WARNING, text);
    if (handler->found == limit + 1)
        handler->host->log(handler->host, NN_LOG_WARNING,
                           "NN-debug-limit: further findings are only counted");
}

void debug_finding(nn_handler *handler, const struct call *call,
                   const char *name, int32_t code, const char *what,
                   const char *format, ...)
{
    char operands[640] = "";
    char place[256];
    char text[1024];
    char id[96];
    va_list arguments;
    uint32_t i;

    snprintf(id, sizeof id, "NN-%s-%s", name, what);
    if (is_muted(handler, id))
        return;
    snprintf(text, sizeof text, "%s: ", id);
    va_start(arguments, format);
    vsnprintf(text + strlen(text), sizeof text - strlen(text), format,
              arguments);
    va_end(arguments);
    for (i = 0; call && i < call->n; ++i)
        append_operand(operands, sizeof operands, &call->operands[i], handler);
    if (call)
        append(text, sizeof text, " [%s]", operands);
    append(text, sizeof text, "%s", debug_findings_place(handler, place));
    count(handler, id);
    ++handler->found;
    if (!keep(handler, code, id, text)) /* an error is told by the core */
        tell(handler, text);
}

void debug_findings_finish(nn_handler *handler)
{
    char text[1024] = "";
    struct count *one = handler->counts;
    struct count *next;

    for (; one; one = next) {
        next = one->next;
        append(text, sizeof text, "%s%s %lld", text[0] ? ", " : "", one->id,
               (long long)one->times);
        handler->host->free(handler->host, one);
    }
    handler->counts = NULL;
    if (handler->found > 1) {
        char line[1100];

        snprintf(line, sizeof line, "debug: %lld findings: %s",
                 (long long)handler->found, text);
        handler->host->log(handler->host, NN_LOG_WARNING, line);
    }
}
