/* SPDX-License-Identifier: MIT */
/* run.c - see run.h.
 *
 * A scan of all plugins takes longer than most checks, so children find the
 * index of earlier scans: XDG_CACHE_HOME is, for this program and its children,
 * a folder `nervenet/conformance` in the user's own one, which nothing else
 * uses.  Plugins in the user's data folder are named by NN_PLUGIN_PATH, because
 * XDG_DATA_HOME lies in the empty folder of a check. */
#define _GNU_SOURCE
#include "conformance/run.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "conformance/catalogue.h"
#include "conformance/channel.h"
#include "conformance/child.h"
#include "conformance/folder.h"
#include "conformance/memory.h"

#define HURRIED 3u /* seconds, at least, after a hang */
#define GRACE 500  /* ms between SIGTERM and SIGKILL */
#define LOWEST 10  /* descriptors of this program lie above the child's */
#define WORDS 10   /* of a child's command */

extern char **environ;

typedef struct child {
    plan_item *item; /* NULL: not in use */
    pid_t pid;
    int pipe; /* end to read from; -1 after its end */
    char *page;
    char *folder;
    char *bytes; /* of the channel so far */
    size_t length;
    int64_t start; /* in ms of `now` */
    int64_t deadline;
    uint32_t seconds; /* that it may take */
    uint32_t late;    /* the same, if it was told to end because of them */
} child;

static char *program; /* its own file */
static char *root;
static volatile sig_atomic_t stopped;

static int64_t now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

/* ---- before and after --------------------------------------------------- */

static void set_cache(void)
{
    const char *base = getenv("XDG_CACHE_HOME");
    const char *home = getenv("HOME");
    char *path;

    if (base && base[0] == '/')
        path = text_of("%s/nervenet/conformance", base);
    else
        path = text_of("%s/.cache/nervenet/conformance",
                       home && home[0] == '/' ? home : root);
    if (folder_make(path)) {
        free(path);
        path = text_of("%s/cache", root);
        folder_make(path);
    }
    setenv("XDG_CACHE_HOME", path, 1);
    free(path);
}

static void set_plugin_path(void)
{
    const char *before = getenv("NN_PLUGIN_PATH");
    const char *base = getenv("XDG_DATA_HOME");
    const char *home = getenv("HOME");
    char *own;
    char *path;

    if (base && base[0] == '/')
        own = text_of("%s/nervenet/plugins-1", base);
    else
        own = text_of("%s/.local/share/nervenet/plugins-1",
                      home && home[0] == '/' ? home : "");
    path = before && *before ? text_of("%s:%s", before, own)
                             : text_of("%s", own);
    if (!access(own, R_OK))
        setenv("NN_PLUGIN_PATH", path, 1);
    free(own);
    free(path);
}

void run_prepare(const char *name)
{
    char path[4096];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);

    if (length > 0) {
        path[length] = '\0';
        program = text_of("%s", path);
    } else {
        program = text_of("%s", name);
    }
    root = folder_create();
    atexit(run_finish);
    set_cache();
    set_plugin_path();
}

void run_finish(void)
{
    if (root)
        folder_remove(root);
    free(root);
    free(program);
    root = program = NULL;
}

/* ---- the beginning of a child ------------------------------------------- */

/* Files of the child; 0 or an errno. */
static int set_files(posix_spawn_file_actions_t *files, const char *folder,
                     int pipe, int page)
{
    char *out = text_of("%s/out", folder);
    char *err = text_of("%s/err", folder);
    int flags = O_WRONLY | O_CREAT | O_APPEND;
    int error = posix_spawn_file_actions_adddup2(files, pipe, CHILD_CHANNEL);

    if (!error)
        error = posix_spawn_file_actions_adddup2(files, page, CHILD_PAGE);
    if (!error)
        error = posix_spawn_file_actions_addopen(files, 0, "/dev/null",
                                                 O_RDONLY, 0);
    if (!error)
        error = posix_spawn_file_actions_addopen(files, 1, out, flags, 0600);
    if (!error)
        error = posix_spawn_file_actions_addopen(files, 2, err, flags, 0600);
    free(out);
    free(err);
    return error;
}

/* A group of its own, and signals as at the start of a program. */
static void set_attributes(posix_spawnattr_t *attributes)
{
    sigset_t all;
    sigset_t none;

    sigfillset(&all);
    sigemptyset(&none);
    posix_spawnattr_setpgroup(attributes, 0);
    posix_spawnattr_setsigmask(attributes, &none);
    posix_spawnattr_setsigdefault(attributes, &all);
    posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETPGROUP |
                                             POSIX_SPAWN_SETSIGMASK |
                                             POSIX_SPAWN_SETSIGDEF);
}

/* 0 or an errno. */
static int spawn(child *one, char *const *words, int pipe, int page)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    int error = posix_spawn_file_actions_init(&files);

    if (error)
        return error;
    error = posix_spawnattr_init(&attributes);
    if (!error) {
        set_attributes(&attributes);
        error = set_files(&files, one->folder, pipe, page);
        if (!error)
            error = posix_spawn(&one->pid, program, &files, &attributes, words,
                                environ);
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&files);
    return error;
}

/* The command of child.h; the caller frees the list, and words 6, 7 and 8. */
static char **command(const plan *plan, const child *one)
{
    const plan_item *item = one->item;
    char **words = take(WORDS + 1, sizeof *words);

    words[0] = (char *)"nn-conformance";
    words[1] = (char *)"--run";
    words[2] = (char *)item->check->id;
    words[3] = item->component;
    words[4] = (char *)item->handler;
    words[5] = (char *)level_name(plan->options->level);
    words[6] = text_of("%llu", (unsigned long long)item->seed);
    words[7] = text_of("%u", item->seconds);
    words[8] = text_of("%s/here", one->folder);
    words[9] = item->file->path;
    return words;
}

/* Descriptor FILE moved above those of a child. */
static int lift(int file)
{
    int higher = fcntl(file, F_DUPFD_CLOEXEC, LOWEST);

    if (file >= 0)
        close(file);
    if (higher < 0)
        give_up("no descriptor: %s", strerror(errno));
    return higher;
}

/* Makes folder, pipe and page of ONE; the child's ends in *PIPE and *PAGE. */
static void equip(child *one, uint32_t number, int *pipe, int *page)
{
    char *here;
    int ends[2];

    one->folder = text_of("%s/%u", root, number);
    here = text_of("%s/here", one->folder);
    if (folder_make(here))
        give_up("no folder %s: %s", here, strerror(errno));
    free(here);
    if (pipe2(ends, O_CLOEXEC))
        give_up("no pipe: %s", strerror(errno));
    one->pipe = lift(ends[0]);
    *pipe = lift(ends[1]);
    fcntl(one->pipe, F_SETFL, O_NONBLOCK);
    *page = lift(memfd_create("entered", MFD_CLOEXEC));
    if (ftruncate(*page, CHILD_ENTERED))
        give_up("no memory for a page");
    one->page = mmap(NULL, CHILD_ENTERED, PROT_READ, MAP_SHARED, *page, 0);
    if (one->page == MAP_FAILED)
        give_up("no memory for a page");
}

static void begin(child *one, const plan *plan, plan_item *item)
{
    char **words;
    int pipe;
    int page;
    int error;
    int i;

    memset(one, 0, sizeof *one);
    one->item = item;
    equip(one, (uint32_t)(item - plan->items), &pipe, &page);
    words = command(plan, one);
    error = spawn(one, words, pipe, page);
    close(pipe);
    close(page);
    for (i = 6; i < 9; ++i)
        free(words[i]);
    free(words);
    if (error)
        give_up("cannot run %s: %s", program, strerror(error));
    one->start = now();
    one->seconds = item->seconds;
    one->deadline = one->start + (int64_t)one->seconds * 1000;
}

/* ---- the end of a child ------------------------------------------------- */

static void drain(child *one)
{
    char bytes[65536];
    ssize_t got;

    while (one->pipe >= 0) {
        got = read(one->pipe, bytes, sizeof bytes);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0 && errno == EAGAIN)
            return;
        if (got <= 0 || one->length + (size_t)got > CHANNEL_BYTES) {
            close(one->pipe);
            one->pipe = -1;
            return;
        }
        one->bytes = retake(one->bytes, one->length + (size_t)got, 1);
        memcpy(one->bytes + one->length, bytes, (size_t)got);
        one->length += (size_t)got;
    }
}

/* What hung once will hang in most checks: the others of this component need
 * not wait as long. */
static void hurry(plan *plan, const plan_item *late)
{
    plan_item *one;
    uint32_t i;

    for (i = 0; i < plan->n_items; ++i) {
        one = &plan->items[i];
        if (one->file == late->file && one->seconds > HURRIED &&
            !strcmp(one->component, late->component))
            one->seconds = one->seconds / 10 > HURRIED ? one->seconds / 10
                                                       : HURRIED;
    }
}

static void settle(child *one, const siginfo_t *end)
{
    char entered[CHILD_ENTERED + 1] = "";
    ending ended = {end->si_code, end->si_status, one->late, entered};
    char *out = text_of("%s/out", one->folder);
    char *err = text_of("%s/err", one->folder);
    plan_item *item = one->item;

    drain(one);
    kill(-one->pid, SIGKILL);
    while (waitpid(one->pid, NULL, 0) < 0 && errno == EINTR)
        continue;
    memcpy(entered, one->page, CHILD_ENTERED);
    result_read(&item->result, one->bytes, one->length, folder_read(out),
                folder_read(err), &ended);
    item->result.seconds = (double)(now() - one->start) * 1e-3;
    item->settled = 1;
    if (one->pipe >= 0)
        close(one->pipe);
    munmap(one->page, CHILD_ENTERED);
    folder_remove(one->folder);
    free(out);
    free(err);
    free(one->folder);
    one->item = NULL;
}

/* ---- all of them -------------------------------------------------------- */

static void wait_for_any(const child *children, uint32_t n)
{
    struct pollfd *files = take(n, sizeof *files);
    int64_t time = now();
    int64_t longest = 50;
    nfds_t open = 0;
    uint32_t i;

    for (i = 0; i < n; ++i) {
        if (!children[i].item)
            continue;
        if (children[i].deadline - time < longest)
            longest = children[i].deadline - time;
        if (children[i].pipe < 0) {
            longest = 1;
            continue;
        }
        files[open].fd = children[i].pipe;
        files[open].events = POLLIN;
        ++open;
    }
    poll(files, open, longest < 1 ? 1 : (int)longest);
    free(files);
}

/* Reads, ends and settles as the state of the child wants it; 1 if it is
 * settled. */
static int attend(child *one)
{
    siginfo_t end;

    drain(one);
    if (now() >= one->deadline) {
        kill(-one->pid, one->late ? SIGKILL : SIGTERM);
        one->late = one->seconds;
        one->deadline = now() + GRACE;
    }
    memset(&end, 0, sizeof end);
    if (waitid(P_PID, (id_t)one->pid, &end, WEXITED | WNOHANG | WNOWAIT) < 0)
        give_up("a child is lost: %s", strerror(errno));
    if (end.si_pid != one->pid)
        return 0;
    settle(one, &end);
    return 1;
}

static void stop(int number)
{
    stopped = number;
}

/* Ends what still runs. */
static void end_all(child *children, uint32_t n)
{
    uint32_t i;

    for (i = 0; i < n; ++i)
        if (children[i].item) {
            kill(-children[i].pid, SIGKILL);
            while (waitpid(children[i].pid, NULL, 0) < 0 && errno == EINTR)
                continue;
        }
}

/* Items that are not to be run at all. */
static void skip_items(plan *plan)
{
    uint32_t i;

    for (i = 0; i < plan->n_items; ++i)
        if (plan->items[i].skip) {
            result_say(&plan->items[i].result, STATUS_SKIP,
                       plan->items[i].skip);
            plan->items[i].settled = 1;
        }
}

static void catch_signals(void)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action;
    size_t i;

    memset(&action, 0, sizeof action);
    action.sa_handler = stop;
    for (i = 0; i < sizeof numbers / sizeof *numbers; ++i)
        sigaction(numbers[i], &action, NULL);
    signal(SIGCHLD, SIG_DFL);
}

int run_items(plan *plan, void (*settled)(void *self), void *self)
{
    uint32_t jobs = plan->options->jobs;
    child *children = take(jobs, sizeof *children);
    plan_item *item;
    uint32_t next = 0;
    uint32_t running;
    uint32_t i;

    catch_signals();
    skip_items(plan);
    do {
        running = 0;
        for (i = 0; i < jobs; ++i) {
            while (next < plan->n_items && plan->items[next].settled)
                ++next;
            if (!children[i].item && next < plan->n_items)
                begin(&children[i], plan, &plan->items[next++]);
            running += children[i].item != NULL;
        }
        if (running)
            wait_for_any(children, jobs);
        for (i = 0; i < jobs; ++i)
            if ((item = children[i].item) && attend(&children[i])) {
                if (item->result.status == STATUS_TIMEOUT)
                    hurry(plan, item);
                settled(self);
            }
    } while (running && !stopped);
    end_all(children, jobs);
    settled(self);
    free(children);
    return stopped;
}
