/* SPDX-License-Identifier: MIT */
/* calls.c - that a hook works at the events that it wants, whatever the logs
 * hold, and what it returns. */
#include <math.h>
#include <string.h>
#include <time.h>

#include "conformance/hook/checks.h"
#include "conformance/hook/run.h"

/* ---- hook.events ------------------------------------------------------- */

static void judge_interface(const run *r)
{
    const uint32_t known = NN_AT_START | NN_AT_UPDATE | NN_AT_EPOCH |
                           NN_AT_END | NN_AT_ALWAYS;
    const uint32_t events = r->f.events;
    uint32_t i;

    trial_tested(r->t, 1);
    if (!(events & (known & ~NN_AT_ALWAYS)) || events & ~known)
        trial_fail(r->t, "events", "one of NN_AT_... or more",
                   trial_text(r->t, "%u", events));
    if (events & NN_AT_ALWAYS && !(events & (NN_AT_UPDATE | NN_AT_EPOCH)))
        trial_fail(r->t, "events", "NN_AT_ALWAYS beside UPDATE or EPOCH",
                   trial_text(r->t, "%u", events));
    for (i = 0; r->f.requests && r->f.requests[i]; ++i)
        if (!*r->f.requests[i])
            trial_fail(r->t, "requests", "patterns of buffers", "an empty one");
}

/* A run without anything unusual: no call of it is an error. */
static void usual_run(trial *t, const char *text, int sure, int updates)
{
    run_options options = {0};
    run r;

    options.updates = updates;
    if (run_open(t, text, sure, &options, &r))
        return;
    judge_interface(&r);
    run_whole(&r);
    trial_tested(t, 1 + r.calls);
    if (r.error)
        trial_fail(t, trial_text(t, "a usual run with %s", text), "no error",
                   trial_text(t, "%d: %s", r.error, r.error_text));
    if (!r.calls)
        trial_fail(t, trial_text(t, "a usual run with %s", text),
                   "a call at some event", "none");
    run_close(&r);
}

static void events_text(trial *t, const char *text, int sure)
{
    usual_run(t, text, sure, 0);
    usual_run(t, text, sure, 1);
}

static void run_events(trial *t)
{
    run_each(t, events_text);
}

const check hook_events = {
    "hook.events",
    NN_KIND_HOOK,
    LEVEL_BASIC,
    "a usual run gets through, with the calls that the hook asks for",
    "a negative code ends training with an error; a hook that asks for no "
    "event is never called, and does so in silence",
    0,
    run_events,
};

/* ---- hook.stop --------------------------------------------------------- */

/* Goes on whatever the hook returns, as another hook may want it. */
static void stubborn_run(trial *t, const char *text, int sure,
                         const run_options *given)
{
    run_options options = *given;
    run r;

    options.judge = RUN_JUDGE_CODES;
    if (run_open(t, text, sure, &options, &r))
        return;
    run_call(&r, NN_AT_START);
    while (r.epoch < r.options.epochs) {
        run_epoch(&r);
        if (r.code == NN_HOOK_STOP && run_call(&r, NN_AT_EPOCH) < 0)
            trial_fail(t, trial_text(t, "a call after STOP with %s", text),
                       "STOP again, or CONTINUE",
                       trial_text(t, "%d: %s", r.code,
                                  check_host_message(&r.host)));
    }
    run_call(&r, NN_AT_END);
    trial_tested(t, 1 + r.calls);
    run_close(&r);
}

static void stop_text(trial *t, const char *text, int sure)
{
    run_options options = {0};

    options.epochs = 8;
    stubborn_run(t, text, sure, &options);
    options.odd = NAN;
    stubborn_run(t, text, sure, &options);
    options.odd = 0;
    options.epochs = -1; /* END right after START */
    stubborn_run(t, text, sure, &options);
    options.epochs = 2;
    options.infinite = 1;
    stubborn_run(t, text, sure, &options);
}

static void run_stop(trial *t)
{
    run_each(t, stop_text);
}

const check hook_stop = {
    "hook.stop",
    NN_KIND_HOOK,
    LEVEL_BASIC,
    "call returns CONTINUE, STOP or a code with a message, again after STOP "
    "too",
    "another value is no documented wish, and the trainer takes it for an "
    "error of its own; after a stop the hook is called once more, at END",
    0,
    run_stop,
};

/* ---- hook.logs --------------------------------------------------------- */

static void odd_run(trial *t, const char *text, const char *what,
                    const run_options *options)
{
    run r;

    if (run_open(t, text, 0, options, &r))
        return;
    run_whole(&r);
    trial_tested(t, 1);
    if (r.error && r.error != NN_NOT_FINITE)
        trial_fail(t, trial_text(t, "a run with %s and %s", what, text),
                   "no error, but NN_NOT_FINITE",
                   trial_text(t, "%d: %s", r.error, r.error_text));
    run_close(&r);
}

static void logs_text(trial *t, const char *text, int sure)
{
    run_options options;
    int updates;

    (void)sure;
    for (updates = 0; updates < 2; ++updates) {
        memset(&options, 0, sizeof options);
        options.updates = updates;
        options.silent = 1;
        odd_run(t, text, "no logs", &options);
        options.silent = 0;
        options.odd = NAN;
        odd_run(t, text, "NaN in the logs", &options);
        options.odd = INFINITY;
        odd_run(t, text, "infinity in the logs", &options);
        options.odd = 0;
        options.epochs = -1;
        odd_run(t, text, "no epochs", &options);
        options.epochs = 7;
        options.resumed = 5;
        odd_run(t, text, "a resume at epoch 5 without logs", &options);
        options.unknown_length = 1;
        odd_run(t, text, "a length that is not known", &options);
    }
}

static void run_logs(trial *t)
{
    run_each(t, logs_text);
}

const check hook_logs = {
    "hook.logs",
    NN_KIND_HOOK,
    LEVEL_BASIC,
    "no logs, missing names, NaN, no epochs and a late start are no surprise",
    "the log that a hook watches may come from a hook that was not called yet; "
    "a hook that reads the last of 0 values ends a run of hours",
    0,
    run_logs,
};

/* ---- hook.time --------------------------------------------------------- */

#define LONG_EPOCHS 1000

#define SLOW 0.05 /* seconds of a call that a reader should know of */

static double seconds(void)
{
    struct timespec now = {0, 0};

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* An epoch of calls; their time if it is longer than MOST. */
static double timed_epoch(run *r, double most)
{
    double before = seconds();
    double passed;

    run_epoch(r);
    run_forget(r);
    passed = seconds() - before;
    return passed > most ? passed : most;
}

static void run_time(trial *t)
{
    const text_set *set = run_texts(t);
    run_options options = {0};
    double most = 0;
    run r;

    options.epochs = LONG_EPOCHS;
    options.updates = 2;
    if (set->missing)
        trial_skip(t, "%s", set->missing);
    if (!set->count || run_open(t, set->items[0], 1, &options, &r))
        return;
    run_call(&r, NN_AT_START);
    while (r.epoch < LONG_EPOCHS && r.code >= 0)
        most = timed_epoch(&r, most);
    run_call(&r, NN_AT_END);
    if (most > SLOW)
        trial_note(t, "the calls of one epoch took %.2g s", most);
    trial_tested(t, 1 + r.calls);
    run_close(&r);
}

const check hook_time = {
    "hook.time",
    NN_KIND_HOOK,
    LEVEL_STANDARD,
    "a thousand epochs of calls take no time to speak of",
    "training waits for its hooks; one that reads its whole log at every call "
    "gets slower with every epoch, and one that waits for a network stops it",
    5,
    run_time,
};
