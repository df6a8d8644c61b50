/* SPDX-License-Identifier: MIT */
/* talk.c - see talk.h. */
#include "talk.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <nervenet.h>

#include "command.h"

static const char *who = "nn";
static int32_t is_quiet;
static void (*wipe_first)(void);

void talk_begin(const char *name)
{
    who = name;
}

void talk_quiet(int32_t quiet)
{
    is_quiet = quiet;
}

void talk_wipe(void (*wipe)(void))
{
    wipe_first = wipe;
}

static void wipe(void)
{
    if (wipe_first)
        wipe_first();
}

/* "nn train: LEVEL: ..." */
static void say(const char *level, const char *format, va_list arguments)
{
    wipe();
    fprintf(stderr, "%s: %s", who, level);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
}

void talk_note(const char *format, ...)
{
    va_list arguments;

    if (is_quiet)
        return;
    va_start(arguments, format);
    say("", format, arguments);
    va_end(arguments);
}

void talk_text(const char *text)
{
    if (!is_quiet)
        talk_messages(text);
}

void talk_messages(const char *text)
{
    if (!*text)
        return;
    wipe();
    fputs(text, stderr);
}

void talk_warning(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    say("warning: ", format, arguments);
    va_end(arguments);
}

int talk_error(int status, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    say("error: ", format, arguments);
    va_end(arguments);
    return status;
}

int talk_usage(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    say("error: ", format, arguments);
    va_end(arguments);
    fprintf(stderr, "Try '%s --help'.\n", who);
    return STATUS_USAGE;
}

/* Errors, by the beginning of their id, that have a status of their own
 * wherever they happen. */
static const struct {
    const char *id;
    int status;
} known[] = {
    {"registry.", STATUS_PLUGIN},
    {"config.component-off", STATUS_PLUGIN},
    {"checkpoint.", STATUS_CHECKPOINT},
    {"resume.", STATUS_CHECKPOINT},
    {"model.missing-tensor", STATUS_CHECKPOINT},
    {"model.other-", STATUS_CHECKPOINT},
    {"data.", STATUS_DATA},
    {"model.batch", STATUS_DATA},
    {"training.no-batches", STATUS_DATA},
    {"training.pattern", STATUS_USAGE},
    {"config.no-data", STATUS_USAGE},
};

int talk_status(int status)
{
    const char *id = NULL;
    uint32_t i;

    if (nn_error(&id, NULL) == NN_NO_MEMORY)
        return STATUS_FAILED;
    for (i = 0; id && i < sizeof known / sizeof *known; ++i)
        if (!strncmp(id, known[i].id, strlen(known[i].id)))
            return known[i].status;
    return status;
}

int talk_failure(int status)
{
    const char *text = NULL;

    nn_error(NULL, &text);
    return talk_error(talk_status(status), "%s",
                      text && *text ? text : "it failed without a message");
}

void talk_log(void *self, uint32_t level, const char *text)
{
    (void)self;
    if (level <= NN_LOG_WARNING)
        talk_warning("%s", text);
}
