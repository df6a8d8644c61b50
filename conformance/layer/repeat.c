/* SPDX-License-Identifier: MIT */
/* repeat.c - the same inputs give the same bits: in every run, instance and
 * process, and wherever arrays lie.  For another process the check runs itself
 * anew, told by an environment variable to write down what it gets. */
#define _GNU_SOURCE
#include "conformance/layer/checks.h"
#include "conformance/layer/compare.h"

#include <fcntl.h>
#include <inttypes.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "conformance/child.h"

#define ALL (SORT(BENCH_OUTPUT) | SORT(BENCH_STATE) | SORTS_DERIVATIVES)

static const snapshot *run_once(bench *b)
{
    if (bench_has_backward(b)) {
        if (!derivatives(b))
            return NULL;
    } else if (bench_forward(b)) {
        return NULL;
    }
    return snapshot_take(b, ALL);
}

/* A run with other numbers in between, which must leave nothing behind. */
static const snapshot *run_after_others(bench *b, uint64_t seed)
{
    bench_draw(b, seed + 7);
    if (!run_once(b))
        return NULL;
    bench_draw(b, seed);
    return run_once(b);
}

static const snapshot *run_elsewhere(bench *b, uint64_t seed)
{
    bench *other = bench_create(b->trial, b->one, NULL);
    const snapshot *s = NULL;

    if (other) {
        bench_draw(other, seed);
        s = run_once(other);
    }
    bench_destroy(other);
    return s;
}

/* The same sizes again after others. */
static const snapshot *run_after_smaller(bench *b, uint64_t seed)
{
    int64_t T = b->T;
    int64_t B = b->B;

    if (bench_begin(b, 1, 1, b->flags))
        return NULL;
    bench_draw(b, seed);
    if (!run_once(b) || bench_begin(b, T, B, b->flags))
        return NULL;
    bench_draw(b, seed);
    return run_once(b);
}

static void test_repeat(bench *b)
{
    uint64_t seed = b->trial->seed + 3;
    const snapshot *first;
    const snapshot *again;

    bench_draw(b, seed);
    first = run_once(b);
    again = first ? run_once(b) : NULL;
    if (!again || compare_exact(b, first, again, "as in the run before"))
        return;
    again = run_after_others(b, seed);
    if (!again ||
        compare_exact(b, first, again, "as before a run with other inputs"))
        return;
    again = run_elsewhere(b, seed);
    if (!again ||
        compare_exact(b, first, again, "as in another instance of the layer"))
        return;
    again = run_after_smaller(b, seed);
    if (again)
        compare_exact(b, first, again, "as before a pass of other sizes");
}

/* ---- another process --------------------------------------------------- */

#define BITS "NN_CONFORMANCE_BITS" /* names the file for them */

/* All numbers of S behind one another; *COUNT gets how many. */
static double *flatten(bench *b, const snapshot *s, int64_t *count)
{
    double *all;
    enum bench_sort sort;
    uint32_t k;

    *count = 0;
    for (sort = 0; sort < BENCH_SORTS; ++sort)
        for (k = 0; k < b->sorts[sort].count; ++k)
            *count += s->counts[sort][k];
    all = bench_numbers(b, *count);
    *count = 0;
    for (sort = 0; sort < BENCH_SORTS; ++sort)
        for (k = 0; k < b->sorts[sort].count; ++k) {
            int64_t n = s->counts[sort][k];

            if (n)
                memcpy(all + *count, s->values[sort][k],
                       (size_t)n * sizeof *all);
            *count += n;
        }
    return all;
}

/* The first case's results: written to PATH, or with READ 1 compared with what
 * stands there. */
static void move_bits(trial *trial, const char *path, int read)
{
    const layer_cases *cases = layer_cases_make(trial, LEVEL_BASIC);
    bench *b = cases->count ? bench_create(trial, &cases->items[0], NULL)
                            : NULL;
    FILE *file = fopen(path, read ? "rb" : "wb");
    const snapshot *s = NULL;
    int64_t count = 0;

    if (b) {
        bench_draw(b, trial->seed);
        s = run_once(b);
    }
    if (s && file) {
        double *mine = flatten(b, s, &count);
        double *theirs = bench_numbers(b, count);

        if (!read)
            fwrite(mine, sizeof *mine, (size_t)count, file);
        else if (fread(theirs, sizeof *mine, (size_t)count, file) !=
                 (size_t)count)
            trial_note(trial, "another process came to no result");
        else if (memcmp(mine, theirs, (size_t)count * sizeof *mine))
            trial_fail(trial, trial_text(trial, "case %s", b->one->label),
                       "the same bits in another process", "others");
    }
    if (file)
        fclose(file);
    bench_destroy(b);
}

/* Runs this check in another process, which writes its results to PATH. */
static int run_process(trial *trial, const char *path)
{
    const nn_component *component = trial->component->component;
    const char *arguments[] = {"nn-conformance",
                               "--run",
                               trial->check->id,
                               trial_text(trial, "layer:%s", component->name),
                               trial->handler,
                               "basic",
                               trial_text(trial, "%" PRIu64, trial->seed),
                               "20",
                               trial->folder,
                               trial->path,
                               NULL};
    posix_spawn_file_actions_t actions;
    pid_t process = 0;
    int status = 0;
    int failed;

    setenv(BITS, path, 1);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, CHILD_CHANNEL, "/dev/null",
                                     O_WRONLY, 0);
    failed = posix_spawn(&process, "/proc/self/exe", &actions, NULL,
                         (char *const *)(uintptr_t)arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    unsetenv(BITS);
    if (failed || waitpid(process, &status, 0) != process)
        return -1;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : -1;
}

static void test_process(trial *trial)
{
    const char *path = trial_text(trial, "%s/bits", trial->folder);

    if (!layer_cases_make(trial, LEVEL_BASIC)->count)
        return;
    if (run_process(trial, path))
        trial_note(trial, "another process came to no end");
    else
        move_bits(trial, path, 1);
    remove(path);
}

static void run_repeat(trial *trial)
{
    const char *path = getenv(BITS);

    if (path) {
        move_bits(trial, path, 0);
        return;
    }
    bench_each(trial, NULL, 0, test_repeat);
    if (!trial_failures(trial))
        test_process(trial);
}

const check layer_det_repeat = {
    .id = "layer.det.repeat",
    .kind = NN_KIND_LAYER,
    .level = LEVEL_BASIC,
    .what = "the same inputs give the same bits, in every run and instance",
    .why = "training can then be resumed, and errors be reproduced; usual "
           "causes of a failure are a variable that outlives a call, and "
           "random numbers that are not the context's",
    .run = run_repeat,
};

/* ---- order ------------------------------------------------------------- */

static int n_sliced;

/* Inputs as columns of wider ones, and all memory at other places. */
static void test_order(bench *b)
{
    const bench_options options = {.sliced = 1};
    uint64_t seed = b->trial->seed + 5;
    const snapshot *dense;
    const snapshot *sliced;
    bench *other;
    uint32_t k;

    bench_draw(b, seed);
    dense = run_once(b);
    other = dense ? bench_create(b->trial, b->one, &options) : NULL;
    if (!other)
        return;
    for (k = 0; k < other->sorts[BENCH_INPUT].count; ++k)
        n_sliced += other->sorts[BENCH_INPUT].items[k].count &&
                    !nn_is_dense(&other->sorts[BENCH_INPUT].items[k].array);
    bench_draw(other, seed);
    sliced = run_once(other);
    if (sliced)
        compare_exact(other, dense, sliced,
                      "as with inputs and memory that lie elsewhere");
    bench_destroy(other);
}

static void run_order(trial *trial)
{
    bench_each(trial, NULL, 0, test_order);
    if (!n_sliced && !trial_failures(trial))
        trial_note(trial, "no input could be a slice of another one");
}

const check layer_det_order = {
    .id = "layer.det.order",
    .kind = NN_KIND_LAYER,
    .level = LEVEL_STRICT,
    .what = "offsets and pitches of arrays change no bit",
    .why = "an input may be some columns of another array: then pitch is not "
           "the number of columns",
    .run = run_order,
};
