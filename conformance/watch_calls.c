/* SPDX-License-Identifier: MIT */
/* watch_calls.c - functions in the C library's place that note who called.
 *
 * Each hands its arguments on to the next definition, which is the C library's
 * or a sanitizer's. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <locale.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "conformance/channel.h"
#include "conformance/watch_note.h"

/* The function NAME behind this one, as `next`. */
#define NEXT(name)                                                             \
    static __typeof__(name) *next;                                             \
    if (!next)                                                                 \
    *(void **)&next = dlsym(RTLD_NEXT, #name)

#pragma GCC visibility push(default)

/* ---- the plugin itself -------------------------------------------------- */

void *dlopen(const char *path, int mode)
{
    void *library;

    NEXT(dlopen);
    watch_note(WATCH_LIBRARY, "dlopen", path, CALLER);
    watch_opening(1);
    library = next(path, mode);
    watch_opening(0);
    return library;
}

/* ---- memory of C++ ------------------------------------------------------ */

extern void *_Znwm(size_t bytes);
extern void *_Znam(size_t bytes);

/* A process without the C++ library has no next one, and needs none. */
#define NEW(name, shown)                                                       \
    void *name(size_t bytes)                                                   \
    {                                                                          \
        NEXT(name);                                                            \
        watch_note(WATCH_MEMORY, shown, NULL, CALLER);                         \
        return next ? next(bytes) : malloc(bytes ? bytes : 1);                 \
    }
NEW(_Znwm, "new")
NEW(_Znam, "new[]")

/* ---- files -------------------------------------------------------------- */

#define WRITES (O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | O_APPEND)

/* The mode behind FLAGS, which is only there if a file may be made. */
#define TAKE_MODE(mode, flags)                                                 \
    if ((flags) & (O_CREAT | __O_TMPFILE)) {                                   \
        va_list rest;                                                          \
        va_start(rest, flags);                                                 \
        mode = va_arg(rest, mode_t);                                           \
        va_end(rest);                                                          \
    }

static void note_open(const char *name, const char *path, int flags,
                      const void *caller)
{
    if (flags & WRITES)
        watch_note(WATCH_FILE, name, path, caller);
}

int open(const char *path, int flags, ...)
{
    mode_t mode = 0;

    NEXT(open);
    TAKE_MODE(mode, flags)
    note_open("open", path, flags, CALLER);
    return next(path, flags, mode);
}

int open64(const char *path, int flags, ...)
{
    mode_t mode = 0;

    NEXT(open64);
    TAKE_MODE(mode, flags)
    note_open("open", path, flags, CALLER);
    return next(path, flags, mode);
}

int openat(int folder, const char *path, int flags, ...)
{
    mode_t mode = 0;

    NEXT(openat);
    TAKE_MODE(mode, flags)
    note_open("openat", path, flags, CALLER);
    return next(folder, path, flags, mode);
}

int openat64(int folder, const char *path, int flags, ...)
{
    mode_t mode = 0;

    NEXT(openat64);
    TAKE_MODE(mode, flags)
    note_open("openat", path, flags, CALLER);
    return next(folder, path, flags, mode);
}

int creat(const char *path, mode_t mode)
{
    NEXT(creat);
    watch_note(WATCH_FILE, "creat", path, CALLER);
    return next(path, mode);
}

FILE *fopen(const char *path, const char *mode)
{
    NEXT(fopen);
    if (strpbrk(mode, "wa+"))
        watch_note(WATCH_FILE, "fopen", path, CALLER);
    return next(path, mode);
}

FILE *fopen64(const char *path, const char *mode)
{
    NEXT(fopen64);
    if (strpbrk(mode, "wa+"))
        watch_note(WATCH_FILE, "fopen", path, CALLER);
    return next(path, mode);
}

/* A function NAME that takes PARAMETERS, PATH among them. */
#define WATCH_PATH(type, name, parameters, arguments, path)                    \
    type name parameters                                                       \
    {                                                                          \
        NEXT(name);                                                            \
        watch_note(WATCH_FILE, #name, path, CALLER);                           \
        return next arguments;                                                 \
    }

WATCH_PATH(int, mkdir, (const char *path, mode_t mode), (path, mode), path)
WATCH_PATH(int, unlink, (const char *path), (path), path)
WATCH_PATH(int, remove, (const char *path), (path), path)
WATCH_PATH(int, rmdir, (const char *path), (path), path)
WATCH_PATH(int, truncate, (const char *path, off_t size), (path, size), path)
WATCH_PATH(int, rename, (const char *from, const char *to), (from, to), from)
WATCH_PATH(int, link, (const char *from, const char *to), (from, to), to)
WATCH_PATH(int, symlink, (const char *from, const char *to), (from, to), to)
WATCH_PATH(int, mkstemp, (char *path), (path), path)
WATCH_PATH(char *, mkdtemp, (char *path), (path), path)
WATCH_PATH(FILE *, tmpfile, (void), (), NULL)
WATCH_PATH(FILE *, freopen, (const char *path, const char *mode, FILE *file),
           (path, mode, file), path)

/* ---- the world ---------------------------------------------------------- */

int socket(int domain, int type, int protocol)
{
    NEXT(socket);
    watch_note(WATCH_SOCKET, "socket", NULL, CALLER);
    return next(domain, type, protocol);
}

pid_t fork(void)
{
    NEXT(fork);
    watch_note(WATCH_PROCESS, "fork", NULL, CALLER);
    return next();
}

int posix_spawn(pid_t *pid, const char *path,
                const posix_spawn_file_actions_t *actions,
                const posix_spawnattr_t *attributes, char *const arguments[],
                char *const variables[])
{
    NEXT(posix_spawn);
    watch_note(WATCH_PROCESS, "posix_spawn", path, CALLER);
    return next(pid, path, actions, attributes, arguments, variables);
}

int posix_spawnp(pid_t *pid, const char *path,
                 const posix_spawn_file_actions_t *actions,
                 const posix_spawnattr_t *attributes, char *const arguments[],
                 char *const variables[])
{
    NEXT(posix_spawnp);
    watch_note(WATCH_PROCESS, "posix_spawnp", path, CALLER);
    return next(pid, path, actions, attributes, arguments, variables);
}

int system(const char *command)
{
    NEXT(system);
    watch_note(WATCH_PROCESS, "system", command, CALLER);
    return next(command);
}

FILE *popen(const char *command, const char *mode)
{
    NEXT(popen);
    watch_note(WATCH_PROCESS, "popen", command, CALLER);
    return next(command, mode);
}

int execve(const char *path, char *const arguments[], char *const variables[])
{
    NEXT(execve);
    watch_note(WATCH_PROCESS, "execve", path, CALLER);
    return next(path, arguments, variables);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                   void *(*start)(void *), void *argument)
{
    NEXT(pthread_create);
    watch_note(WATCH_THREAD, "pthread_create", NULL, CALLER);
    return next(thread, attributes, start, argument);
}

/* ---- the end of the process --------------------------------------------- */

/* Tells the parent that CALLER, who is not this program, ends the process. */
static void note_end(const char *name, int status, const void *caller)
{
    extern const char __executable_start;
    extern const char etext;
    char call[48];
    const char *texts[3] = {call, watch_entered(), NULL};
    Dl_info info;

    watch_note(WATCH_EXIT, name, NULL, caller);
    if ((const char *)caller >= &__executable_start &&
        (const char *)caller < &etext)
        return;
    snprintf(call, sizeof call, "%s(%d)", name, status);
    if (dladdr(caller, &info))
        texts[2] = info.dli_fname;
    channel_send(FRAME_ENDED, texts, 3);
}

void exit(int status)
{
    NEXT(exit);
    note_end("exit", status, CALLER);
    next(status);
    __builtin_unreachable();
}

void _exit(int status)
{
    NEXT(_exit);
    note_end("_exit", status, CALLER);
    next(status);
    __builtin_unreachable();
}

void _Exit(int status)
{
    NEXT(_Exit);
    note_end("_Exit", status, CALLER);
    next(status);
    __builtin_unreachable();
}

void quick_exit(int status)
{
    NEXT(quick_exit);
    note_end("quick_exit", status, CALLER);
    next(status);
    __builtin_unreachable();
}

void abort(void)
{
    NEXT(abort);
    watch_note(WATCH_EXIT, "abort", NULL, CALLER);
    next();
    __builtin_unreachable();
}

/* ---- settings of the process -------------------------------------------- */

__sighandler_t signal(int number, __sighandler_t handler)
{
    NEXT(signal);
    watch_note(WATCH_SIGNAL, "signal", strsignal(number), CALLER);
    return next(number, handler);
}

int sigaction(int number, const struct sigaction *action,
              struct sigaction *before)
{
    NEXT(sigaction);
    if (action)
        watch_note(WATCH_SIGNAL, "sigaction", strsignal(number), CALLER);
    return next(number, action, before);
}

char *setlocale(int category, const char *locale)
{
    NEXT(setlocale);
    if (locale)
        watch_note(WATCH_SETTING, "setlocale", locale, CALLER);
    return next(category, locale);
}

int chdir(const char *path)
{
    NEXT(chdir);
    watch_note(WATCH_SETTING, "chdir", path, CALLER);
    return next(path);
}

mode_t umask(mode_t mask)
{
    NEXT(umask);
    watch_note(WATCH_SETTING, "umask", NULL, CALLER);
    return next(mask);
}

int setenv(const char *name, const char *value, int replace)
{
    NEXT(setenv);
    watch_note(WATCH_SETTING, "setenv", name, CALLER);
    return next(name, value, replace);
}

int putenv(char *text)
{
    NEXT(putenv);
    watch_note(WATCH_SETTING, "putenv", text, CALLER);
    return next(text);
}

int unsetenv(const char *name)
{
    NEXT(unsetenv);
    watch_note(WATCH_SETTING, "unsetenv", name, CALLER);
    return next(name);
}

/* ---- chance and clocks -------------------------------------------------- */

/* A function NAME of GROUP that takes PARAMETERS and hands on ARGUMENTS. */
#define WATCH(group, type, name, parameters, arguments)                        \
    type name parameters                                                       \
    {                                                                          \
        NEXT(name);                                                            \
        watch_note(group, #name, NULL, CALLER);                                \
        return next arguments;                                                 \
    }
#define WATCH_VOID(group, name, parameters, arguments)                         \
    void name parameters                                                       \
    {                                                                          \
        NEXT(name);                                                            \
        watch_note(group, #name, NULL, CALLER);                                \
        next arguments;                                                        \
    }

WATCH(WATCH_RANDOM, int, rand, (void), ())
WATCH(WATCH_RANDOM, long, random, (void), ())
WATCH(WATCH_RANDOM, int, rand_r, (unsigned int *seed), (seed))
WATCH(WATCH_RANDOM, double, drand48, (void), ())
WATCH(WATCH_RANDOM, long, lrand48, (void), ())
WATCH(WATCH_RANDOM, long, mrand48, (void), ())
WATCH(WATCH_RANDOM, double, erand48, (unsigned short seed[3]), (seed))
WATCH_VOID(WATCH_RANDOM, srand, (unsigned int seed), (seed))
WATCH_VOID(WATCH_RANDOM, srandom, (unsigned int seed), (seed))
WATCH_VOID(WATCH_RANDOM, srand48, (long seed), (seed))
WATCH(WATCH_RANDOM, ssize_t, getrandom,
      (void *bytes, size_t length, unsigned int flags), (bytes, length, flags))
WATCH(WATCH_CLOCK, time_t, time, (time_t * out), (out))
WATCH(WATCH_CLOCK, clock_t, clock, (void), ())
WATCH(WATCH_CLOCK, int, gettimeofday,
      (struct timeval *restrict out, void *restrict zone), (out, zone))
WATCH(WATCH_CLOCK, int, clock_gettime, (clockid_t which, struct timespec *out),
      (which, out))

#pragma GCC visibility pop
