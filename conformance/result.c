/* SPDX-License-Identifier: MIT */
/* result.c - see result.h. */
#define _GNU_SOURCE
#include "conformance/result.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "conformance/channel.h"
#include "conformance/memory.h"

/* What the frames say about the end. */
struct story {
    const char *broken;
    const char *skip;
    const char *call;    /* by which the process was ended */
    const char *caller;  /* its file */
    const char *entered; /* then, or at a crash */
    const char *fault;
    const char *code;
    int signal; /* of a crash, by a frame; 0: none */
    int done;
};

const char *status_name(enum status status)
{
    static const char *const names[STATUSES] = {"pass",    "fail", "crash",
                                                "timeout", "skip", "xfail",
                                                "xpass",   "error"};

    return names[status];
}

int status_is_bad(enum status status)
{
    return status == STATUS_FAIL || status == STATUS_CRASH ||
           status == STATUS_TIMEOUT || status == STATUS_XPASS;
}

/* ---- frames ------------------------------------------------------------- */

static void add_finding(result *result, const char *where, const char *expected,
                        const char *got)
{
    finding one = {where, expected, got};

    result->findings = retake(result->findings, result->n_findings + 1,
                              sizeof *result->findings);
    result->findings[result->n_findings++] = one;
}

static void add_note(result *result, const char *text)
{
    result->notes = retake(result->notes, result->n_notes + 1,
                           sizeof *result->notes);
    result->notes[result->n_notes++] = text;
}

static void take_frame(result *result, struct story *story, char sort,
                       const char **texts)
{
    switch (sort) {
    case FRAME_FAIL:
        add_finding(result, texts[0], texts[1], texts[2]);
        ++result->failures;
        break;
    case FRAME_NOTE:
        add_note(result, texts[0]);
        break;
    case FRAME_SKIP:
        story->skip = texts[0];
        break;
    case FRAME_BROKEN:
        story->broken = texts[0];
        break;
    case FRAME_ENDED:
        story->call = texts[0];
        story->entered = texts[1];
        story->caller = texts[2];
        break;
    case FRAME_CRASH:
        story->signal = (int)strtol(texts[0], NULL, 10);
        story->fault = texts[1];
        story->entered = texts[2];
        story->code = texts[3];
        break;
    case FRAME_DONE:
        story->done = 1;
        result->tested = strtoll(texts[0], NULL, 10);
        result->failures = strtoll(texts[1], NULL, 10);
        break;
    default:
        break;
    }
}

/* ---- ends --------------------------------------------------------------- */

/* A text that lives as long as the result. */
static const char *keep(result *result, char *text)
{
    if (result->n_texts == sizeof result->texts / sizeof *result->texts) {
        free(text);
        return "";
    }
    result->texts[result->n_texts++] = text;
    return text;
}

/* Adds a failure about the end of the process. */
static void add_end(result *result, enum status status, const char *entered,
                    const char *expected, char *got)
{
    const char *where = "";

    if (entered && *entered)
        where = keep(result, text_of("in %s", entered));
    ++result->failures;
    add_finding(result, where, expected, keep(result, got));
    result->ended = 1;
    result->status = status;
}

/* What the C++ library printed about an exception that nobody caught: its type
 * and message, to be freed; NULL if it did not. */
static char *exception_of(const char *err)
{
    static const char thrown[] =
        "terminate called after throwing an instance of ";
    const char *type = strstr(err, thrown);
    const char *what;

    if (!type)
        return NULL;
    type += strlen(thrown);
    what = strstr(type, "what():");
    if (!what)
        return text_of("a C++ exception %.*s", (int)strcspn(type, "\n"), type);
    what += strlen("what():");
    what += strspn(what, " ");
    return text_of("a C++ exception %.*s: %.*s", (int)strcspn(type, "\n"), type,
                   (int)strcspn(what, "\n"), what);
}

static void add_crash(result *result, const struct story *story,
                      const ending *ended, const char *entered)
{
    char *thrown = exception_of(result->err);
    int number = story->signal ? story->signal : ended->code;
    char *got;

    if (thrown) {
        add_end(result, STATUS_CRASH, entered,
                "the plugin returns codes; nothing is thrown through C",
                thrown);
        return;
    }
    got = text_of("killed by signal %d (%s)%s%s%s%s", number, strsignal(number),
                  story->fault && *story->fault ? " at " : "",
                  story->fault ? story->fault : "",
                  story->code && *story->code ? ", code in " : "",
                  story->code ? story->code : "");
    add_end(result, STATUS_CRASH, entered, "the plugin goes on", got);
}

/* Judges a process that did not end as it should; 1 if so. */
static int judge_end(result *result, const struct story *story,
                     const ending *ended)
{
    const char *entered = story->entered && *story->entered ? story->entered
                                                            : ended->entered;

    int crashed = story->signal && story->signal != SIGTERM &&
                  story->signal != SIGXCPU;

    if (ended->late && !crashed)
        add_end(result, STATUS_TIMEOUT, entered, "the check comes to its end",
                text_of("it was still running after %u s%s%s", ended->late,
                        story->code && *story->code ? ", code in " : "",
                        story->code ? story->code : ""));
    else if (story->call)
        add_end(result, STATUS_FAIL, entered,
                "a plugin leaves the process alone",
                text_of("the process was ended by %s%s%s", story->call,
                        *story->caller ? ", called in " : "", story->caller));
    else if (ended->wait != CLD_EXITED || crashed)
        add_crash(result, story, ended, entered);
    else if (!story->done)
        add_end(result, STATUS_FAIL, entered, "the check comes to its end",
                text_of("the process ended before that (exit(%d)?)",
                        ended->code));
    else if (ended->code)
        add_end(result, STATUS_FAIL, entered,
                "the process ends with status 0 after the check",
                text_of("status %d", ended->code));
    else
        return 0;
    return 1;
}

static void judge(result *result, const struct story *story,
                  const ending *ended)
{
    if (story->broken) {
        result->status = STATUS_BROKEN;
        result->reason = story->broken;
    } else if (judge_end(result, story, ended)) {
        return;
    } else if (result->failures) {
        result->status = STATUS_FAIL;
    } else if (story->skip) {
        result->status = STATUS_SKIP;
        result->reason = story->skip;
    } else if (!result->tested) {
        result->status = STATUS_FAIL;
        ++result->failures;
        add_finding(result, "", "the check tests something, or says why not",
                    "it tested nothing");
    }
}

/* ---- all of it ---------------------------------------------------------- */

/* What was printed is told beside any result. */
static void note_printed(result *result, const char *stream, const char *text)
{
    if (*text)
        add_note(result, keep(result, text_of("printed to %s: %.*s%s", stream,
                                              (int)strcspn(text, "\n"), text,
                                              strchr(text, '\n') &&
                                                      strchr(text, '\n')[1]
                                                  ? " ..."
                                                  : "")));
}

void result_read(result *result, char *bytes, size_t length, char *out,
                 char *err, const ending *ended)
{
    struct story story;
    const char *texts[4];
    size_t at = 0;
    char sort;

    memset(result, 0, sizeof *result);
    memset(&story, 0, sizeof story);
    result->reason = "";
    result->bytes = bytes;
    result->out = out;
    result->err = err;
    while ((sort = channel_next(bytes, length, &at, texts, 4)))
        take_frame(result, &story, sort, texts);
    judge(result, &story, ended);
    note_printed(result, "stdout", out);
    note_printed(result, "stderr", err);
}

void result_say(result *result, enum status status, const char *reason)
{
    memset(result, 0, sizeof *result);
    result->status = status;
    result->out = take(1, 1);
    result->err = take(1, 1);
    result->reason = keep(result, text_of("%s", reason));
}

void result_finish(result *result)
{
    uint32_t i;

    free(result->findings);
    free(result->notes);
    free(result->out);
    free(result->err);
    free(result->bytes);
    for (i = 0; i < result->n_texts; ++i)
        free(result->texts[i]);
    memset(result, 0, sizeof *result);
}
