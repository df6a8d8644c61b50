/* SPDX-License-Identifier: MIT */
/* keeping.c - what a hook keeps: for itself alone, and across a resume. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "conformance/hook/checks.h"
#include "conformance/hook/run.h"

/* The first line in which A and B differ, of A; "" if they are equal. */
static const char *first_difference(trial *t, const char *a, const char *b)
{
    size_t line = 0;
    size_t i = 0;

    while (a[i] && a[i] == b[i]) {
        ++i;
        if (a[i - 1] == '\n')
            line = i;
    }
    if (!a[i] && !b[i])
        return "";
    return trial_text(t, "%.*s", (int)strcspn(a + line, "\n"), a + line);
}

static void compare(trial *t, const char *where, const run *wanted,
                    const run *got)
{
    const char *a = wanted->said ? wanted->said : "";
    const char *b = got->said ? got->said : "";

    trial_tested(t, 1);
    if (!strcmp(a, b))
        return;
    trial_fail(t, where, trial_text(t, "\"%s\"", first_difference(t, a, b)),
               trial_text(t, "\"%s\"", first_difference(t, b, a)));
}

/* ---- hook.state -------------------------------------------------------- */

static void finish(run *r)
{
    while (r->epoch < r->options.epochs && !r->stopped)
        run_epoch(r);
    run_call(r, NN_AT_END);
}

/* Runs to epoch AT, and from there on with the same instance and with a fresh
 * one.  Returns -1 if the hook ended the run before. */
static int split(trial *t, const char *text, const run_options *options,
                 int64_t at)
{
    run one;
    run fresh;
    int ended;

    if (run_open(t, text, 0, options, &one))
        return -1;
    run_call(&one, NN_AT_START);
    while (one.epoch < at && !one.stopped)
        run_epoch(&one);
    ended = one.stopped;
    if (!ended && !run_open(t, text, 1, options, &fresh)) {
        run_resume(&fresh, &one);
        run_call(&fresh, NN_AT_START);
        run_forget(&fresh);
        run_forget(&one);
        finish(&one);
        finish(&fresh);
        compare(t,
                trial_text(t, "resumed after epoch %" PRId64 " with %s", at,
                           text),
                &one, &fresh);
        run_close(&fresh);
    }
    run_close(&one);
    return ended ? -1 : 0;
}

static void state_text(trial *t, const char *text, int sure)
{
    run_options options = {0};
    int64_t at;

    (void)sure;
    options.epochs = 8;
    for (at = 1; at < 8 && !split(t, text, &options, at); ++at)
        ;
    options.updates = 1;
    for (at = 1; at < 8 && !split(t, text, &options, at); at += 3)
        ;
    options.odd = NAN;
    split(t, text, &options, 3);
    options.updates = 0;
    split(t, text, &options, 3);
    trial_tested(t, 1);
}

static void run_state(trial *t)
{
    run_each(t, state_text);
}

const check hook_state = {
    "hook.state",
    NN_KIND_HOOK,
    LEVEL_BASIC,
    "a run that is resumed anywhere does what the run in one piece does",
    "what an instance keeps is gone after a resume; counters and best values "
    "belong into remember, from which they come back",
    0,
    run_state,
};

/* ---- hook.repeat ------------------------------------------------------- */

static void repeat_text(trial *t, const char *text, int sure)
{
    run_options usual = {0};
    run_options odd = {0};
    run alone;
    run one;
    run other;

    (void)sure;
    odd.odd = 0.1;
    odd.resumed = 1;
    if (run_open(t, text, 0, &usual, &alone))
        return;
    if (run_open(t, text, 1, &usual, &one))
        goto out;
    if (run_open(t, text, 1, &odd, &other)) {
        run_close(&one);
        goto out;
    }
    run_whole(&alone);
    run_call(&one, NN_AT_START);
    run_call(&other, NN_AT_START);
    while (one.epoch < one.options.epochs && !one.stopped) {
        run_epoch(&other);
        run_epoch(&one);
    }
    run_call(&other, NN_AT_END);
    run_call(&one, NN_AT_END);
    compare(t, trial_text(t, "beside another instance with %s", text), &alone,
            &one);
    run_close(&other);
    run_close(&one);
out:
    run_close(&alone);
}

static void run_repeat(trial *t)
{
    run_each(t, repeat_text);
}

const check hook_repeat = {
    "hook.repeat",
    NN_KIND_HOOK,
    LEVEL_BASIC,
    "two instances in one program do not know of each other",
    "a config may name a hook twice, and a program may train two networks; a "
    "static variable is shared by all of them",
    0,
    run_repeat,
};
