/* SPDX-License-Identifier: MIT */
/* iso.c - what a component does to the process that it lives in.
 *
 * Each check lets it live once (exercise.h) and looks at what it asked the
 * system for (watch.h). */
#define _GNU_SOURCE
#include <fenv.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "conformance/plugin/checks.h"
#include "conformance/plugin/exercise.h"
#include "conformance/plugin/fpu.h"
#include "conformance/watch.h"

/* Fails for each call of GROUP. */
static void judge_group(trial *t, enum watch_group group, const char *expected)
{
    const watch_event *one;
    uint32_t i;

    trial_tested(t, 1);
    for (i = 0; (one = watch_event_at(i)); ++i) {
        if (one->group != group)
            continue;
        trial_fail(t,
                   trial_text(t, "%s%s%s", one->name,
                              *one->entered ? " in " : "", one->entered),
                   expected,
                   trial_text(t, "%" PRIu64 " calls%s%s", one->count,
                              *one->detail ? ", the first with " : "",
                              one->detail));
    }
}

/* ---- iso.output --------------------------------------------------------- */

static uint64_t printed;

static void judge_output(trial *t, const char *call)
{
    uint64_t now = watch_printed();

    if (now > printed)
        trial_fail(t, call, "nothing on stdout and stderr",
                   trial_text(t, "%" PRIu64 " bytes", now - printed));
    printed = now;
}

static void run_output(trial *t)
{
    printed = 0; /* what opening it printed counts */
    exercise(t, NULL, judge_output);
    judge_output(t, "opening the file");
}

const check iso_output = {
    .id = "iso.output",
    .kind = KIND_ANY,
    .level = LEVEL_STANDARD,
    .what = "it prints nothing",
    .why = "stdout and stderr are the program's: what a plugin has to say goes "
           "through the host's log, a hook's through emit",
    .run = run_output,
};

/* ---- iso.files, iso.threads, iso.process, iso.network ------------------- */

static void run_files(trial *t)
{
    exercise(t, NULL, NULL);
    judge_group(t, WATCH_FILE, "no file is made, written, renamed or removed");
}

const check iso_files = {
    .id = "iso.files",
    .kind = KIND_ANY,
    .level = LEVEL_STANDARD,
    .what = "it writes no files of its own",
    .why = "a run's files are in its folder, written by the host, so that a "
           "resumed run finds and cuts them",
    .run = run_files,
};

static void run_threads(trial *t)
{
    if (t->component->component->flags & NN_COMPONENT_THREADS) {
        trial_skip(t, "its description says NN_COMPONENT_THREADS");
        return;
    }
    exercise(t, NULL, NULL);
    judge_group(t, WATCH_THREAD,
                "no thread, as its description lacks NN_COMPONENT_THREADS");
}

const check iso_threads = {
    .id = "iso.threads",
    .kind = KIND_ANY,
    .level = LEVEL_STANDARD,
    .what = "it starts no thread that its description does not announce",
    .why = "there is one budget of threads in a process, and a thread that "
           "nobody knows of outlives what it works on",
    .run = run_threads,
};

static void run_process(trial *t)
{
    char folder[4096];
    mode_t mask = umask(022);
    const char *changed = NULL;

    umask(mask);
    exercise(t, NULL, NULL);
    judge_group(t, WATCH_PROCESS, "no process is started");
    judge_group(t, WATCH_EXIT, "the program is not ended");
    judge_group(t, WATCH_SIGNAL, "signals are the program's");
    judge_group(t, WATCH_SETTING, "locale, folder, umask and environment stay");
    if (!getcwd(folder, sizeof folder) || strcmp(folder, t->folder) != 0)
        changed = "the current folder";
    if (umask(mask) != mask)
        changed = "the umask";
    if (changed && !trial_failures(t))
        trial_fail(t, changed, "as before", "changed");
}

const check iso_process = {
    .id = "iso.process",
    .kind = KIND_ANY,
    .level = LEVEL_STANDARD,
    .what = "it leaves processes, signals, locale, folder and environment "
            "alone",
    .why = "they belong to the program, and all plugins share them",
    .run = run_process,
};

static void run_network(trial *t)
{
    exercise(t, NULL, NULL);
    judge_group(t, WATCH_SOCKET, "no socket");
}

const check iso_network = {
    .id = "iso.network",
    .kind = KIND_ANY,
    .level = LEVEL_STANDARD,
    .what = "it opens no socket",
    .why = "training with private data must not reach the network without "
           "that the user asked for it",
    .run = run_network,
};

/* ---- iso.fenv ----------------------------------------------------------- */

static fpu_state fpu;

static void judge_fpu(trial *t, const char *call)
{
    fpu_judge(t, call, fpu);
}

static void run_fenv(trial *t)
{
    fpu = fpu_look();
    exercise(t, NULL, judge_fpu);
}

const check iso_fenv = {
    .id = "iso.fenv",
    .kind = KIND_ANY,
    .level = LEVEL_STANDARD,
    .what = "rounding, flushing of denormals and traps stay as they were",
    .why = "a plugin that is linked with -ffast-math, or sets a faster mode "
           "for itself, changes the results of all others",
    .run = run_fenv,
};
