/* SPDX-License-Identifier: MIT */
/* manners.c - what a hook does with things that are not its own. */
#define _GNU_SOURCE
#include <dirent.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "conformance/hook/checks.h"
#include "conformance/hook/run.h"

/* ---- hook.readonly ----------------------------------------------------- */

/* A number for all values that the hook was given. */
static uint64_t sum_params(const nn_params *params)
{
    uint64_t sum = params->count;
    uint32_t i;

    for (i = 0; i < params->count; ++i) {
        const unsigned char *bytes = (const unsigned char *)(const void *)
                                         params->values[i];
        size_t k;

        for (k = 0; k < sizeof(nn_value); ++k)
            sum = sum * 1099511628211u + bytes[k];
    }
    return sum;
}

static void readonly_text(trial *t, const char *text, int sure)
{
    run_options options = {0};
    uint64_t before;
    run r;

    options.updates = 2;
    if (run_open(t, text, sure, &options, &r))
        return;
    r.locked = 1;
    before = sum_params(nn_part_params(r.part));
    run_whole(&r);
    trial_tested(t, 1 + r.calls);
    if (sum_params(nn_part_params(r.part)) != before)
        trial_fail(t, trial_text(t, "parameters of the hook with %s", text),
                   "what they were", "other values");
    run_close(&r);
}

static void run_readonly(trial *t)
{
    run_each(t, readonly_text);
}

const check hook_readonly = {
    "hook.readonly",
    NN_KIND_HOOK,
    LEVEL_BASIC,
    "a hook only reads what it is given",
    "a hook watches; the context is write-protected during this check, so one "
    "that writes to it dies of signal 11",
    0,
    run_readonly,
};

/* ---- hook.output ------------------------------------------------------- */

/* Standard output and error, led to a file in memory meanwhile. */
typedef struct capture {
    int file;
    int kept[2];
} capture;

static int capture_begin(capture *c)
{
    fflush(NULL);
    c->file = memfd_create("output", 0);
    c->kept[0] = dup(1);
    c->kept[1] = dup(2);
    return c->file < 0 || dup2(c->file, 1) < 0 || dup2(c->file, 2) < 0;
}

/* Bytes that came. */
static int64_t capture_end(capture *c)
{
    int64_t bytes;

    fflush(NULL);
    bytes = lseek(c->file, 0, SEEK_END);
    dup2(c->kept[0], 1);
    dup2(c->kept[1], 2);
    close(c->kept[0]);
    close(c->kept[1]);
    close(c->file);
    return bytes;
}

static int64_t count_files(const char *folder)
{
    DIR *dir = opendir(folder);
    int64_t count = 0;

    while (dir && readdir(dir))
        ++count;
    if (dir)
        closedir(dir);
    return count;
}

static void speak(trial *t, const char *text, int sure, double odd)
{
    run_options options = {0};
    run r;

    options.updates = 2;
    options.odd = odd;
    options.judge = RUN_JUDGE_OUTPUT;
    if (run_open(t, text, sure, &options, &r))
        return;
    run_whole(&r);
    trial_tested(t, 1 + r.calls);
    run_close(&r);
}

static void output_text(trial *t, const char *text, int sure)
{
    int64_t files = count_files(t->folder);
    capture output;
    int64_t bytes;

    if (capture_begin(&output)) {
        trial_broken(t, "standard output cannot be led away");
        return;
    }
    speak(t, text, sure, 0);
    speak(t, text, sure, NAN);
    bytes = capture_end(&output);
    if (bytes > 0)
        trial_fail(t, trial_text(t, "stdout and stderr with %s", text),
                   "nothing: texts go through emit",
                   trial_text(t, "%" PRId64 " bytes", bytes));
    if (count_files(t->folder) != files)
        trial_fail(t, trial_text(t, "the current folder with %s", text),
                   "no new file: they go through save and append", "one more");
}

static void run_output(trial *t)
{
    run_each(t, output_text);
}

const check hook_output = {
    "hook.output",
    NN_KIND_HOOK,
    LEVEL_BASIC,
    "a hook speaks in whole lines through emit, and writes by save and append",
    "the program decides where texts and files go; printf breaks its progress "
    "line and --json; a file that append does not know is not cut on a resume",
    0,
    run_output,
};

/* ---- hook.failures ----------------------------------------------------- */

static void failures_text(trial *t, const char *text, int sure)
{
    run_options options;
    int function;
    int odd;

    for (function = RUN_EVALUATE; function < RUN_FUNCTIONS; ++function)
        for (odd = 0; odd < 2; ++odd) {
            run r;

            memset(&options, 0, sizeof options);
            options.fails = (enum run_function)function;
            options.judge = RUN_JUDGE_FAILURES;
            options.updates = 2;
            options.infinite = odd;
            if (run_open(t, text, sure, &options, &r))
                return;
            run_whole(&r);
            trial_tested(t, 1);
            run_close(&r);
        }
}

static void run_failures(trial *t)
{
    run_each(t, failures_text);
}

const check hook_failures = {
    "hook.failures",
    NN_KIND_HOOK,
    LEVEL_BASIC,
    "a function of the context that fails is told, by a code or a message",
    "a disk that is full on the third day: the checkpoint is not there, and "
    "nobody knows until it is needed",
    0,
    run_failures,
};

/* ---- hook.leak --------------------------------------------------------- */

static void judge_blocks(trial *t, const run *r, const char *when)
{
    trial_tested(t, 1);
    if (r->host.blocks)
        trial_fail(t, when, "all memory of the host is returned",
                   trial_text(t, "%lld blocks are not",
                              (long long)r->host.blocks));
}

/* Creates and runs while allocation N fails.  Returns 1 if it was reached. */
static int fail_at(trial *t, const char *text, int64_t n)
{
    const char *where = trial_text(t, "allocation %" PRId64 " fails", n);
    int32_t code = NN_OK;
    int reached;
    run r;

    memset(&r, 0, sizeof r);
    if (run_try(t, text, NULL, &r))
        return 0;
    /* A second instance, of the same part. */
    if (NN_HAS(&r.f, destroy) && r.f.destroy)
        r.f.destroy(r.hook);
    r.hook = NULL;
    judge_blocks(t, &r, "destroy");
    check_host_clear(&r.host);
    check_host_fail_after(&r.host, n);
    if (r.f.create)
        code = r.f.create(&r.host.host, nn_part_params(r.part), &r.hook);
    check_host_code(t, &r.host, where, code);
    if (code == NN_OK)
        run_whole(&r);
    else
        r.hook = NULL;
    reached = r.host.allocations >= r.host.fail_at;
    run_close(&r);
    judge_blocks(t, &r, where);
    return reached;
}

static void leak_text(trial *t, const char *text, int sure)
{
    int64_t n;

    (void)sure;
    for (n = 1; n < 100 && fail_at(t, text, n) && trial_failures(t) < 4; ++n)
        ;
}

static void run_leak(trial *t)
{
    run_each(t, leak_text);
}

const check hook_leak = {
    "hook.leak",
    NN_KIND_HOOK,
    LEVEL_BASIC,
    "destroy returns all memory, also after an allocation failed",
    "a program may make and destroy a hook for each of a thousand networks",
    0,
    run_leak,
};
