/* SPDX-License-Identifier: MIT */
/* child.c - see child.h.
 *
 * The plugins are listed before the environment changes, so that an index of
 * earlier scans is found; XDG_CACHE_HOME stays as the parent has set it (run.c)
 * for the same reason.  HOME and the other folders then lie in the empty folder
 * of this check, which is also the current one.
 *
 * Every check has two threads on every machine, so that it finds the same on
 * all of them. */
#define _GNU_SOURCE
#include "conformance/child.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <signal.h>
#include <unistd.h>

#include "conformance/catalogue.h"
#include "conformance/channel.h"
#include "conformance/crash.h"
#include "conformance/memory.h"
#include "conformance/trial.h"
#include "conformance/watch_note.h"

#define THREADS 2
#define GIB ((rlim_t)1 << 30)

/* Tells the parent that the tool itself cannot go on. */
static void tell_broken(const char *what, const char *why)
{
    char text[2048];
    const char *texts[1] = {text};

    snprintf(text, sizeof text, "%s: %s", what, why);
    channel_send(FRAME_BROKEN, texts, 1);
}

/* ---- limits ------------------------------------------------------------- */

static void limit(int what, rlim_t soft, rlim_t hard)
{
    struct rlimit limits = {soft, hard};

    setrlimit(what, &limits);
}

/* Memory is limited by what is written to, not by addresses: drivers of GPUs
 * reserve hundreds of GiB of those.  Sanitizers need their own amounts. */
static void set_limits(uint32_t seconds)
{
    rlim_t cpu = (rlim_t)seconds * 8 + 10;

    limit(RLIMIT_CORE, 0, 0);
    limit(RLIMIT_FSIZE, GIB / 4, GIB / 4);
    limit(RLIMIT_CPU, cpu, cpu + 5);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    limit(RLIMIT_DATA, 8 * GIB, 8 * GIB);
#endif
}

static void set_environment(const char *folder)
{
    static const struct {
        const char *name;
        const char *below;
    } variables[] = {
        {"HOME", ""},
        {"TMPDIR", ""},
        {"XDG_CONFIG_HOME", "/.config"},
        {"XDG_DATA_HOME", "/.local/share"},
        {"XDG_STATE_HOME", "/.local/state"},
    };
    size_t i;
    char *path;

    for (i = 0; i < sizeof variables / sizeof *variables; ++i) {
        path = text_of("%s%s", folder, variables[i].below);
        setenv(variables[i].name, path, 1);
        free(path);
    }
}

/* ---- the check ---------------------------------------------------------- */

static int open_plugins(const task *task, nn_plugins **plugins)
{
    nn_plugins_options options;
    const char *text;
    int32_t code;

    memset(&options, 0, sizeof options);
    options.size = sizeof options;
    options.files = &task->file;
    options.n_files = 1;
    code = nn_plugins_create(&options, plugins);
    if (code && !task->check->kind)
        code = nn_plugins_create(NULL, plugins);
    if (code) {
        nn_error(NULL, &text);
        tell_broken("the plugins cannot be listed", text);
    }
    return !code;
}

static int find_component(const task *task, const nn_plugins *plugins,
                          nn_plugin_component *found)
{
    const char *name = strchr(task->component, ':');
    size_t kind = name ? (size_t)(name - task->component) : 0;
    uint32_t i;

    for (i = 0; name && nn_plugins_component(plugins, i, found); ++i) {
        const char *its = nn_kind_name(found->component->kind);

        if (!strcmp(found->path, task->file) && its && strlen(its) == kind &&
            !strncmp(its, task->component, kind) &&
            !strcmp(found->component->name, name + 1))
            return 1;
    }
    tell_broken("there is no such component", task->component);
    return 0;
}

void child_perform(const task *task)
{
    nn_plugin_component component;
    nn_plugins *plugins;
    trial trial;

    watch_start(task->file);
    nn_set_threads(THREADS);
    if (!open_plugins(task, &plugins))
        return;
    memset(&trial, 0, sizeof trial);
    trial.check = task->check;
    trial.path = task->file;
    trial.plugins = plugins;
    trial.handler = task->handler;
    trial.level = task->level;
    trial.seed = task->seed;
    trial.folder = task->folder;
    if (*task->component) {
        if (!find_component(task, plugins, &component)) {
            nn_plugins_destroy(plugins);
            return;
        }
        trial.component = &component;
    }
    set_environment(task->folder);
    if (chdir(task->folder))
        tell_broken(task->folder, "it cannot be entered");
    else
        trial_run(&trial);
    nn_plugins_destroy(plugins);
}

/* ---- the process -------------------------------------------------------- */

static void share_page(void)
{
    void *page = mmap(NULL, CHILD_ENTERED, PROT_READ | PROT_WRITE, MAP_SHARED,
                      CHILD_PAGE, 0);

    if (page != MAP_FAILED)
        watch_share(page);
    close(CHILD_PAGE);
}

int child_main(int argc, char **argv)
{
    task task;

    channel_open(CHILD_CHANNEL);
    memset(&task, 0, sizeof task);
    if (argc != 10 || !(task.check = catalogue_find(argv[2])) ||
        !level_find(argv[5], &task.level)) {
        fprintf(stderr, "nn-conformance: --run is for the program itself\n");
        return 2;
    }
    task.component = argv[3];
    task.handler = argv[4];
    task.seed = strtoull(argv[6], NULL, 10);
    task.seconds = (uint32_t)strtoul(argv[7], NULL, 10);
    task.folder = argv[8];
    task.file = argv[9];
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    share_page();
    set_limits(task.seconds);
    crash_catch();
    child_perform(&task);
    return 0;
}
