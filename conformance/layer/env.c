/* SPDX-License-Identifier: MIT */
/* env.c - a layer in a process that is not as usual. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "conformance/layer/compare.h"
#include "conformance/layer/more.h"
#include "conformance/plugin/fpu.h"

#define MOST_CASES 6u
#define GONE "gone" /* a folder that is removed while it is the current one */

/* How the process is; each member 1: unusual. */
typedef struct surroundings {
    const char *name;
    const char *locale; /* NULL: as it is */
    int gone;           /* the current folder does not exist */
    int closed;         /* stdout is closed */
    int mask;           /* umask 077 */
    int flushes;        /* denormal results become 0 */
} surroundings;

/* What it was before. */
typedef struct before {
    int output;
    mode_t mask;
    fpu_state fpu;
} before;

static void enter(const surroundings *s, before *b)
{
    memset(b, 0, sizeof *b);
    b->fpu = fpu_look();
    b->mask = umask(s->mask ? 077 : 022);
    if (s->locale)
        setlocale(LC_ALL, s->locale);
    if (s->gone && !mkdir(GONE, 0700) && !chdir(GONE))
        rmdir("../" GONE);
    fflush(stdout);
    b->output = dup(STDOUT_FILENO);
    if (s->closed)
        close(STDOUT_FILENO);
    if (s->flushes)
        fpu_flush(1);
}

/* Fails for what is no longer as ENTER made it, and makes it usual again. */
static void leave(trial *t, const surroundings *s, const before *b)
{
    const char *locale = setlocale(LC_ALL, NULL);
    fpu_state usual = b->fpu;
    char folder[4096];
    mode_t mask;

    trial_tested(t, 1);
    usual.flushes = s->flushes ? fpu_look().flushes : b->fpu.flushes;
    fpu_judge(t, s->name, usual);
    fpu_flush(b->fpu.flushes);
    if (s->locale && (!locale || strcmp(locale, s->locale) != 0))
        trial_fail(t, s->name, "the locale stays", locale);
    setlocale(LC_ALL, "C");
    if (s->closed && fcntl(STDOUT_FILENO, F_GETFD) >= 0)
        trial_fail(t, s->name, "stdout stays closed", "it is open");
    dup2(b->output, STDOUT_FILENO);
    close(b->output);
    mask = umask(b->mask);
    if (mask != (s->mask ? 077 : 022))
        trial_fail(t, s->name, "the umask stays", trial_text(t, "%03o", mask));
    if (s->gone && getcwd(folder, sizeof folder) && folder[0] == '/')
        trial_fail(t, s->name, "the current folder stays", folder);
    if (chdir(t->folder))
        trial_broken(t, "the folder of the trial cannot be entered");
}

/* Everything from setup to backward. */
static const snapshot *run_once(trial *t, const layer_case *one, bench **keep)
{
    bench *b = bench_create(t, one, NULL);

    *keep = b;
    if (!b)
        return NULL;
    bench_draw(b, t->seed);
    return more_run(b);
}

static void run_in(trial *t, const surroundings *s, const layer_case *one,
                   const snapshot *expected)
{
    bench *b = NULL;
    const snapshot *got;
    before usual;

    enter(s, &usual);
    got = run_once(t, one, &b);
    leave(t, s, &usual);
    if (got)
        compare_exact(b, expected, got,
                      trial_text(t, "as without: %s", s->name));
    bench_destroy(b);
}

/* A locale with a decimal comma, or else another one than C. */
static const char *find_locale(trial *t)
{
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8",
                                        "fr_FR.UTF-8", "fr_FR.utf8", NULL};
    uint32_t i;

    for (i = 0; names[i]; ++i)
        if (setlocale(LC_ALL, names[i])) {
            setlocale(LC_ALL, "C");
            return names[i];
        }
    trial_note(t, "this machine has no locale with a decimal comma: C.UTF-8 "
                  "stands for it");
    return setlocale(LC_ALL, "C.UTF-8") ? "C.UTF-8" : NULL;
}

static void run_env(trial *t)
{
    surroundings all[] = {
        {.name = "a locale with a decimal comma", .locale = "C"},
        {.name = "a current folder that is gone", .gone = 1},
        {.name = "stdout is closed", .closed = 1},
        {.name = "umask 077", .mask = 1},
        {.name = "denormals are flushed", .flushes = 1},
    };
    const layer_cases *cases = layer_cases_or_skip(t);
    uint32_t i;
    size_t k;

    all[0].locale = find_locale(t);
    setlocale(LC_ALL, "C");
    for (i = 0; i < cases->count && i < MOST_CASES; ++i) {
        bench *b = NULL;
        const snapshot *expected = run_once(t, &cases->items[i], &b);

        for (k = 0;
             expected && k < sizeof all / sizeof *all && trial_failures(t) < 3;
             ++k)
            run_in(t, &all[k], &cases->items[i], expected);
        bench_destroy(b);
    }
}

const check layer_env = {
    .id = "layer.env",
    .kind = NN_KIND_LAYER,
    .level = LEVEL_STRICT,
    .what = "locale, folder, stdout, umask and denormals change no result",
    .why = "programs differ in all of these, and the same model must not",
    .run = run_env,
};
