/* SPDX-License-Identifier: MIT */
/* scan.c - see scan.h.
 *
 * A child leads a process group of its own, reads /dev/null, and has nothing
 * open but its pipe.  It is over when the process has ended, not when the pipe
 * is closed: what a plugin leaves running may hold the pipe open for ever.
 * While the ended child is not yet waited for, its number cannot be given to
 * another process, so that the group can be killed safely. */
#define _GNU_SOURCE
#include "core/registry/scan.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/registry/description.h"
#include "core/util/pack.h"

/* Children at once. */
#define MOST_CHILDREN 4

/* Bytes that a child may write: a description and a reason. */
#define MOST_BYTES ((size_t)NN_DESCRIPTION_BYTES + 65536)

extern char **environ;

typedef struct child {
    nn_scan_job *job; /* NULL: not in use */
    pid_t pid;
    int pipe;         /* end to read from; -1 after its end */
    int64_t deadline; /* in ms of `now` */
    int32_t late;     /* 1: killed because of the deadline */
    nn_text output;
} child;

static int64_t now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

/* ---- the beginning of a child ------------------------------------------- */

/* The pipe and three times /dev/null.  0 or an errno. */
static int set_files(posix_spawn_file_actions_t *files, int pipe)
{
    /* The pipe first: it may be one of the descriptors that are opened. */
    int error = posix_spawn_file_actions_adddup2(files, pipe, NN_SCAN_FILE);
    int file;

    for (file = 0; !error && file < NN_SCAN_FILE; ++file)
        error = posix_spawn_file_actions_addopen(files, file, "/dev/null",
                                                 file ? O_WRONLY : O_RDONLY, 0);
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

/* Starts PROGRAM with PIPE as its NN_SCAN_FILE.  0 or an errno. */
static int spawn(const char *program, const char *path, int pipe, pid_t *pid)
{
    char *arguments[3] = {(char *)"nn-scan", (char *)path, NULL};
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    int error = posix_spawn_file_actions_init(&files);

    if (error)
        return error;
    error = posix_spawnattr_init(&attributes);
    if (!error) {
        set_attributes(&attributes);
        error = set_files(&files, pipe);
        if (!error)
            error = posix_spawn(pid, program, &files, &attributes, arguments,
                                environ);
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&files);
    return error;
}

/* Starts a child for JOB, or settles the job with the reason. */
static void begin(child *one, const char *program, nn_scan_job *job,
                  uint32_t seconds)
{
    int ends[2];
    int error;

    job->code = NN_FORMAT;
    job->passing = 1;
    if (access(program, X_OK)) {
        nn_text_format(&job->reason, "cannot run %s: %s", program,
                       strerror(errno));
        return;
    }
    if (pipe2(ends, O_CLOEXEC)) {
        nn_text_format(&job->reason, "no pipe: %s", strerror(errno));
        return;
    }
    error = spawn(program, job->path, ends[1], &one->pid);
    close(ends[1]);
    if (error) {
        close(ends[0]);
        nn_text_format(&job->reason, "cannot run %s: %s", program,
                       strerror(error));
        return;
    }
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    one->job = job;
    one->pipe = ends[0];
    one->deadline = now() + (int64_t)seconds * 1000;
    one->late = 0;
    memset(&one->output, 0, sizeof one->output);
}

/* ---- the end of a child ------------------------------------------------- */

/* Reads what is in the pipe. */
static void drain(child *one)
{
    char bytes[4096];
    ssize_t got;

    while (one->pipe >= 0) {
        got = read(one->pipe, bytes, sizeof bytes);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0 && errno == EAGAIN)
            return;
        if (got <= 0 || one->output.length + (size_t)got > MOST_BYTES) {
            close(one->pipe);
            one->pipe = -1;
            return;
        }
        nn_text_append_bytes(&one->output, bytes, (size_t)got);
    }
}

/* Where its result starts in the output, or 0 if it was not written in full. */
static size_t find_result(const nn_text *output)
{
    const char *text = nn_text_string(output);
    size_t mark = strlen(NN_SCAN_END);
    size_t start = strspn(text, (char[]){NN_SCAN_OPENS, NN_SCAN_READS, 0});

    if (text[start] != NN_SCAN_RESULT || output->length < start + 1 + mark ||
        memcmp(text + output->length - mark, NN_SCAN_END, mark))
        return 0;
    return start + 1;
}

/* Takes the result that starts at byte START of the output. */
static void take_result(const nn_text *output, size_t start, nn_scan_job *job)
{
    nn_unpack in;
    const char *reason;
    const char *description;
    size_t n_reason;
    size_t n_description;
    int64_t code;

    nn_unpack_start(&in, output->data + start,
                    output->length - start - strlen(NN_SCAN_END), 1);
    nn_unpack_array(&in, 3);
    code = nn_unpack_int(&in);
    reason = nn_unpack_bytes(&in, &n_reason);
    description = nn_unpack_bytes(&in, &n_description);
    if (!nn_unpack_finished(&in) || code > 0 || code < INT32_MIN) {
        nn_text_append(&job->reason, "nn-scan gave no proper answer");
        return;
    }
    /* Its memory is not ours. */
    job->passing = code == NN_NO_MEMORY;
    job->code = job->passing ? NN_FORMAT : (int32_t)code;
    nn_text_append_bytes(&job->reason, reason, n_reason);
    nn_text_append_bytes(&job->description, description, n_description);
}

/* Says why there is no result. */
static void explain(const child *one, const siginfo_t *end, const char *program)
{
    nn_text *reason = &one->job->reason;
    const char *text = nn_text_string(&one->output);
    const char *phase = strchr(text, NN_SCAN_READS)
                            ? "while its description was read"
                            : "while it was opened";

    if (!end->si_code && !one->late)
        nn_text_format(reason,
                       "ended %s; the program's own handling of "
                       "SIGCHLD took how",
                       phase);
    else if (!one->output.length && !one->late)
        nn_text_format(reason, "%s ended without looking at it (%s %d)",
                       program, end->si_code == CLD_EXITED ? "exit" : "signal",
                       end->si_status);
    else if (one->late)
        nn_text_format(reason, "took longer than %d s %s", one->late, phase);
    else if (end->si_code == CLD_EXITED)
        nn_text_format(reason, "called exit(%d) %s", end->si_status, phase);
    else
        nn_text_format(reason, "killed by signal %d (%s) %s", end->si_status,
                       strsignal(end->si_status), phase);
    one->job->passing = !one->output.length && !one->late;
}

/* The child has ended as END says; END is zero if the program ignores SIGCHLD
 * or waits for children that are not its own. */
static void settle(child *one, const siginfo_t *end, const char *program)
{
    size_t start;

    drain(one);
    if (end->si_pid) {
        kill(-one->pid, SIGKILL);
        while (waitpid(one->pid, NULL, 0) < 0 && errno == EINTR)
            continue;
    }
    start = find_result(&one->output);
    if (start)
        take_result(&one->output, start, one->job);
    else
        explain(one, end, program);
    if (nn_text_status(&one->output) || nn_text_status(&one->job->reason) ||
        nn_text_status(&one->job->description))
        one->job->code = NN_NO_MEMORY;
    if (one->pipe >= 0)
        close(one->pipe);
    nn_text_finish(&one->output);
    one->job = NULL;
}

/* ---- all of them -------------------------------------------------------- */

/* Waits until a pipe has something, or it is time to look again. */
static void wait_for_any(child *children, int64_t time)
{
    struct pollfd files[MOST_CHILDREN];
    nfds_t n = 0;
    int64_t longest = 50;
    uint32_t i;

    for (i = 0; i < MOST_CHILDREN; ++i) {
        if (!children[i].job)
            continue;
        if (children[i].deadline - time < longest)
            longest = children[i].deadline - time;
        if (children[i].pipe < 0) {
            longest = 1;
            continue;
        }
        files[n].fd = children[i].pipe;
        files[n].events = POLLIN;
        ++n;
    }
    poll(files, n, longest < 1 ? 1 : (int)longest);
}

/* Reads, kills and settles as the state of the child wants it. */
static void attend(child *one, const char *program, uint32_t seconds)
{
    siginfo_t end;
    int32_t gone;

    drain(one);
    if (!one->late && now() >= one->deadline) {
        one->late = (int32_t)seconds;
        kill(-one->pid, SIGKILL);
    }
    memset(&end, 0, sizeof end);
    gone = waitid(P_PID, (id_t)one->pid, &end, WEXITED | WNOHANG | WNOWAIT) <
               0 &&
           errno == ECHILD;
    if (end.si_pid == one->pid || gone)
        settle(one, &end, program);
}

void nn_scan_run(const char *program, nn_scan_job *jobs, uint32_t count,
                 uint32_t seconds)
{
    child children[MOST_CHILDREN];
    uint32_t next = 0;
    uint32_t running;
    uint32_t i;

    memset(children, 0, sizeof children);
    do {
        running = 0;
        for (i = 0; i < MOST_CHILDREN; ++i) {
            while (!children[i].job && next < count)
                begin(&children[i], program, &jobs[next++], seconds);
            running += children[i].job != NULL;
        }
        if (!running)
            break;
        wait_for_any(children, now());
        for (i = 0; i < MOST_CHILDREN; ++i)
            if (children[i].job)
                attend(&children[i], program, seconds);
    } while (running);
}
