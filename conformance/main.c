/* SPDX-License-Identifier: MIT */
/* main.c - nn-conformance: what comes before and after the checks.
 *
 * The program has two roles.  The one that the user starts plans, spawns and
 * reports, and never opens a plugin; with `--run` it is the process of one
 * check (child.h). */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "conformance/catalogue.h"
#include "conformance/channel.h"
#include "conformance/child.h"
#include "conformance/folder.h"
#include "conformance/known.h"
#include "conformance/memory.h"
#include "conformance/report.h"
#include "conformance/run.h"

/* A run under way. */
struct run {
    plan plan;
    const reporter *reporter;
    known *known;
    uint32_t reported; /* items */
    uint32_t refused;
    int progress; /* 1: a line on the terminal */
};

static double seconds(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* ---- lists -------------------------------------------------------------- */

static int list_all(void)
{
    const check *one;
    uint32_t i;

    for (i = 0; (one = catalogue_at(i)); ++i)
        printf("%s %s %s\n", one->id, level_name(one->level),
               catalogue_kind(one));
    return 0;
}

static int explain(const char *id)
{
    const check *one = catalogue_find(id);

    printf("%s (%s, level %s)\nright is: %s\nwhy: %s\n", one->id,
           catalogue_kind(one), level_name(one->level), one->what, one->why);
    return 0;
}

static int list(const plan *plan)
{
    const plan_item *item;
    uint32_t i;

    for (i = 0; i < plan->n_items; ++i) {
        item = &plan->items[i];
        printf("%-32s %-9s %-24s %s\n", item->check->id,
               level_name(item->check->level),
               *item->component ? item->component : "file", item->check->what);
    }
    for (i = 0; i < plan->n_files; ++i)
        if (plan->files[i].refused) {
            fprintf(stderr, "nn-conformance: %s\n", plan->files[i].refused);
            return 3;
        }
    return plan->n_items ? 0 : 77;
}

/* ---- runs --------------------------------------------------------------- */

/* The line on the terminal: how far it is; or its end. */
static void show_progress(const struct run *run, int over)
{
    uint32_t done = 0;
    uint32_t i;

    if (!run->progress)
        return;
    for (i = 0; i < run->plan.n_items; ++i)
        done += run->plan.items[i].settled != 0;
    if (over)
        fprintf(stderr, "\r\033[K");
    else
        fprintf(stderr, "\r\033[K[%u/%u] %s", done, run->plan.n_items,
                run->reported < run->plan.n_items
                    ? run->plan.items[run->reported].check->id
                    : "");
    fflush(stderr);
}

/* Reports what is settled, in the order of the plan. */
static void report(void *self)
{
    struct run *run = self;
    plan_item *item;

    show_progress(run, 1);
    while (run->reported < run->plan.n_items) {
        item = &run->plan.items[run->reported];
        if (!item->settled)
            break;
        known_apply(run->known, item);
        ++run->reported;
        run->reporter->item(&run->plan, item, run->refused + run->reported);
    }
    fflush(stdout);
    show_progress(run, run->reported == run->plan.n_items);
}

/* ITEM in this process; what it says goes to a file without a name. */
static void run_one_here(const plan *plan, plan_item *item)
{
    const ending ended = {CLD_EXITED, 0, 0, ""};
    task task = {item->check,   item->component,
                 item->handler, plan->options->level,
                 item->seed,    item->seconds,
                 NULL,          item->file->path};
    char *folder = folder_create();
    int file = memfd_create("channel", MFD_CLOEXEC);
    char *bytes;
    off_t length;

    task.folder = folder;
    channel_open(file);
    child_perform(&task);
    channel_open(-1);
    length = lseek(file, 0, SEEK_END);
    bytes = take((size_t)length + 1, 1);
    if (pread(file, bytes, (size_t)length, 0) != length)
        give_up("the channel cannot be read: %s", strerror(errno));
    close(file);
    result_read(&item->result, bytes, (size_t)length, take(1, 1), take(1, 1),
                &ended);
    item->settled = 1;
    folder_remove(folder);
    free(folder);
}

static void run_here(struct run *run)
{
    plan_item *item;
    uint32_t i;

    for (i = 0; i < run->plan.n_items; ++i) {
        item = &run->plan.items[i];
        if (item->skip) {
            result_say(&item->result, STATUS_SKIP, item->skip);
            item->settled = 1;
        } else {
            run_one_here(&run->plan, item);
        }
        report(run);
    }
}

/* The exit status that says what came of PLAN. */
static int judge(const plan *plan, const totals *totals)
{
    uint32_t unusable = 0;
    uint32_t bad = 0;
    uint32_t i;

    for (i = 0; i < STATUSES; ++i)
        if (status_is_bad((enum status)i))
            bad += totals->of[i];
    for (i = 0; i < plan->n_items; ++i)
        unusable += plan->items[i].skip != NULL;
    if (totals->of[STATUS_BROKEN])
        return 4;
    if (totals->refused)
        return 3;
    if (bad)
        return 1;
    if (unusable == plan->n_items)
        return 77;
    return totals->of[STATUS_PASS] + totals->of[STATUS_XFAIL] ? 0 : 1;
}

static int finish(struct run *run, double start)
{
    totals totals;
    uint32_t i;

    memset(&totals, 0, sizeof totals);
    for (i = 0; i < run->reported; ++i)
        ++totals.of[run->plan.items[i].result.status];
    totals.refused = run->refused;
    totals.seconds = seconds() - start;
    totals.exit = judge(&run->plan, &totals);
    run->reporter->end(&run->plan, &totals);
    if (fflush(stdout) || ferror(stdout)) {
        fprintf(stderr, "nn-conformance: stdout: %s\n", strerror(errno));
        return 4;
    }
    return totals.exit;
}

static void begin(struct run *run)
{
    const options *options = run->plan.options;
    const plan_file *file;
    uint32_t i;

    run->reporter = reporters[options->format];
    run->progress = options->format == FORMAT_HUMAN && !options->in_process &&
                    isatty(STDERR_FILENO) && isatty(STDOUT_FILENO);
    run->reporter->begin(&run->plan);
    for (i = 0; i < run->plan.n_files; ++i) {
        file = &run->plan.files[i];
        if (file->refused)
            run->reporter->refused(&run->plan, file, ++run->refused);
    }
}

/* What cannot be told apart: --reproduce is for one check alone. */
static int check_reproduce(const plan *plan)
{
    if (!plan->options->reproduce || plan->n_items <= 1)
        return 0;
    fprintf(stderr,
            "nn-conformance: --reproduce %s: %s and %s have this check; "
            "--component says which\n",
            plan->options->reproduce, plan->items[0].component,
            plan->items[1].component);
    return 2;
}

static int run_plan(struct run *run)
{
    double start = seconds();
    int stopped = 0;
    int status = check_reproduce(&run->plan);

    if (!status && run->plan.options->known)
        status = known_read(run->plan.options->known, &run->known);
    if (status)
        return status;
    begin(run);
    fflush(stdout);
    if (run->plan.options->in_process)
        run_here(run);
    else
        stopped = run_items(&run->plan, report, run);
    if (stopped) {
        run_finish();
        signal(stopped, SIG_DFL);
        raise(stopped);
    }
    return finish(run, start);
}

/* ---- the program -------------------------------------------------------- */

/* How the user can call this program again: that of a build folder has a script
 * beside its plugins. */
static char *own_name(void)
{
    const char *scan = getenv("NN_BUILD_SCAN");
    const char *end = scan ? strrchr(scan, '/') : NULL;
    char *name;

    while (end && end > scan && end[-1] != '/')
        --end;
    if (!end)
        return text_of("nn-conformance");
    name = text_of("%.*snn-conformance", (int)(end - scan), scan);
    if (!access(name, X_OK))
        return name;
    free(name);
    return text_of("nn-conformance");
}

static int act(const options *options, const char *program)
{
    struct run run;
    char *name;
    int status;

    memset(&run, 0, sizeof run);
    name = own_name();
    plan_set_program(name);
    run_prepare(program);
    plan_create(&run.plan, options);
    status = options->action == ACTION_LIST ? list(&run.plan) : run_plan(&run);
    plan_destroy(&run.plan);
    known_destroy(run.known);
    run_finish();
    free(name);
    return status;
}

int main(int argc, char **argv)
{
    options options;
    int status;

    if (argc > 1 && !strcmp(argv[1], "--run"))
        return child_main(argc, argv);
    status = options_read(&options, argc, argv);
    if (!status) {
        switch (options.action) {
        case ACTION_HELP:
            options_help();
            break;
        case ACTION_VERSION:
            printf("nn-conformance %s\n", nn_version());
            break;
        case ACTION_LIST_ALL:
            status = list_all();
            break;
        case ACTION_EXPLAIN:
            status = explain(options.explain);
            break;
        default:
            status = act(&options, argv[0]);
            break;
        }
    }
    options_finish(&options);
    return status;
}
