/* SPDX-License-Identifier: MIT */
/* watch.h - what the code of the plugin asked the system for.
 *
 * nn-conformance defines functions of the C library itself, and the dynamic
 * linker binds a plugin's calls to the first definition that it finds, which is
 * the program's.  Each one notes who called and goes on to the C library.  Only
 * calls whose return address lies in the plugin's own segments count: what
 * libnervenet, a handler of another file or a library like OpenBLAS does is not
 * the plugin's doing.  A call that is the last thing a function does returns to
 * that function's caller: if that is libnervenet, while something is entered,
 * the call counts too where the library itself never makes one.  A plugin that
 * makes system calls of its own, or reaches the C library through another
 * library, is not seen.
 *
 * Watching begins before the plugin is opened, so that its constructors are
 * seen too, under the name "load". */
#ifndef NN_CONFORMANCE_WATCH_H
#define NN_CONFORMANCE_WATCH_H

#include <stdint.h>
#include <stdio.h>

/* What a call is about. */
enum watch_group {
    WATCH_MEMORY,  /* malloc, calloc, realloc, posix_memalign, aligned_alloc,
                      new */
    WATCH_FREE,    /* free */
    WATCH_FILE,    /* open and fopen for writing, creat, mkdir, unlink, rename,
                      mkstemp, tmpfile, symlink, ... */
    WATCH_SOCKET,  /* socket */
    WATCH_PROCESS, /* fork, posix_spawn, system, popen, execve */
    WATCH_THREAD,  /* pthread_create */
    WATCH_EXIT,    /* exit, _exit, _Exit, quick_exit, abort */
    WATCH_SIGNAL,  /* signal, sigaction */
    WATCH_SETTING, /* setlocale, chdir, umask, setenv, putenv, unsetenv */
    WATCH_RANDOM,  /* rand, random, srand, drand48, getrandom, ... */
    WATCH_CLOCK,   /* time, clock, gettimeofday, clock_gettime */
    WATCH_LIBRARY, /* dlopen */
    WATCH_GROUPS
};

/* Calls of one function while one name was entered. */
typedef struct watch_event {
    enum watch_group group;
    const char *name;    /* "pthread_create" */
    char entered[48];    /* "forward" of trial_enter; "" outside, "load" while
                            the file is being opened */
    char detail[128];    /* of the first call: the path, the variable; or "" */
    const void *address; /* where the first call came from */
    uint64_t count;
} watch_event;

/* Begins to watch the plugin at PATH, absolute.  [setup] */
void watch_start(const char *path);

/* 1 if memory is counted: not in a program with sanitizers, which have
 * functions of their own in its place.  [any] */
int watch_memory(void);

/* How many calls there were: of function NAME, or of a GROUP, in all or while
 * ENTERED (NULL: whenever).  [any] */
uint64_t watch_count(const char *name, const char *entered);
uint64_t watch_group_count(enum watch_group group, const char *entered);

/* Event INDEX, in the order in which they were first seen; NULL past the end.
 * What it points to may still count on.  [any] */
const watch_event *watch_event_at(uint32_t index);

/* The allocations of all code, this program's and the libraries' too, since the
 * process began.  [any] */
uint64_t watch_allocations(void);

/* Bytes that the process has printed so far, its buffered output written
 * out first.  0 if stdout and stderr are not captured (--in-process).
 * [any] */
uint64_t watch_printed(void);

/* What trial_enter and trial_leave are for the watch. */
void watch_enter(const char *name);
void watch_leave(void);
const char *watch_entered(void);

#endif
