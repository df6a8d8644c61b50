/* SPDX-License-Identifier: MIT */
/* test_watch.c - calls of a library opened with RTLD_LOCAL are seen, with the
 * name of what was entered, and calls of others are not. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "conformance/channel.h"
#include "conformance/watch.h"

static void (*do_it)(const char *name);
static void (*end_it)(void);
static char folder[] = "/tmp/nn-watch-XXXXXX";

static int open_library(void **state)
{
    const char *build = getenv("abs_top_builddir");
    char path[4096];
    void *library;

    (void)state;
    snprintf(path, sizeof path, "%s/tests/conformance/.libs/caller.so",
             build ? build : ".");
    watch_start(path);
    library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library || !mkdtemp(folder) || chdir(folder)) {
        fprintf(stderr, "%s\n", library ? folder : dlerror());
        return -1;
    }
    *(void **)&do_it = dlsym(library, "do_it");
    *(void **)&end_it = dlsym(library, "end_it");
    return do_it && end_it ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    unlink("opened");
    rmdir("made");
    return chdir("/") || rmdir(folder);
}

/* Does NAME while `forward` is entered. */
static void enter(const char *name)
{
    watch_enter(name);
    do_it(name);
    watch_leave();
}

static void constructors_are_seen_as_load(void **state)
{
    (void)state;
    assert_int_equal(watch_count("umask", "load"), 2);
}

static void files_are_seen_when_written_only(void **state)
{
    (void)state;
    enter("files");
    assert_int_equal(watch_count("fopen", "files"), 1);
    assert_int_equal(watch_count("open", "files"), 1);
    assert_int_equal(watch_count("mkdir", NULL), 1);
    assert_int_equal(watch_count("rename", NULL), 1);
    assert_int_equal(watch_count("unlink", NULL), 1);
    assert_int_equal(watch_group_count(WATCH_FILE, NULL), 5);
}

static void the_first_path_is_kept(void **state)
{
    const watch_event *one;
    uint32_t i;

    (void)state;
    for (i = 0; (one = watch_event_at(i)); ++i)
        if (!strcmp(one->name, "fopen"))
            break;
    assert_non_null(one);
    assert_string_equal(one->detail, "written");
    assert_string_equal(one->entered, "files");
}

static void threads_processes_sockets_are_seen(void **state)
{
    (void)state;
    enter("thread");
    enter("process");
    enter("socket");
    assert_int_equal(watch_count("pthread_create", "thread"), 1);
    assert_int_equal(watch_count("fork", "process"), 1);
    assert_int_equal(watch_count("socket", "socket"), 1);
}

static void settings_and_signals_are_seen(void **state)
{
    (void)state;
    enter("settings");
    enter("signals");
    assert_int_equal(watch_count("setlocale", NULL), 1);
    assert_int_equal(watch_count("setenv", NULL), 1);
    assert_int_equal(watch_count("unsetenv", NULL), 1);
    assert_int_equal(watch_count("chdir", NULL), 1);
    assert_int_equal(watch_count("signal", NULL), 1);
    assert_int_equal(watch_count("sigaction", NULL), 1);
}

static void chance_and_clocks_are_seen(void **state)
{
    (void)state;
    enter("chance");
    enter("clock");
    assert_int_equal(watch_group_count(WATCH_RANDOM, "chance"), 4);
    assert_int_equal(watch_group_count(WATCH_CLOCK, "clock"), 2);
}

static void memory_is_counted(void **state)
{
    (void)state;
    if (!watch_memory())
        skip();
    enter("memory");
    assert_int_equal(watch_group_count(WATCH_MEMORY, "memory"), 3);
    assert_int_equal(watch_group_count(WATCH_FREE, "memory"), 2);
}

static void calls_of_others_are_not_the_plugins(void **state)
{
    uint64_t before = watch_group_count(WATCH_CLOCK, NULL) +
                      watch_group_count(WATCH_FILE, NULL) +
                      watch_group_count(WATCH_MEMORY, NULL);
    struct timespec now;
    FILE *file = fopen("/dev/null", "w");

    (void)state;
    assert_non_null(file);
    fclose(file);
    free(malloc(5));
    clock_gettime(CLOCK_MONOTONIC, &now);
    assert_int_equal(watch_group_count(WATCH_CLOCK, NULL) +
                         watch_group_count(WATCH_FILE, NULL) +
                         watch_group_count(WATCH_MEMORY, NULL),
                     before);
}

static void the_end_of_the_process_is_told(void **state)
{
    const char *texts[3];
    char bytes[4096];
    ssize_t length;
    size_t at = 0;
    int ends[2];
    pid_t pid;

    (void)state;
    assert_int_equal(pipe(ends), 0);
    pid = fork();
    assert_true(pid >= 0);
    if (!pid) {
        channel_open(ends[1]);
        watch_enter("backward");
        end_it();
    }
    close(ends[1]);
    length = read(ends[0], bytes, sizeof bytes);
    close(ends[0]);
    waitpid(pid, NULL, 0);
    assert_true(length > 0);
    assert_int_equal(channel_next(bytes, (size_t)length, &at, texts, 3),
                     FRAME_ENDED);
    assert_string_equal(texts[0], "exit(0)");
    assert_string_equal(texts[1], "backward");
    assert_non_null(strstr(texts[2], "caller.so"));
    assert_int_equal(channel_next(bytes, (size_t)length, &at, texts, 3), 0);
}

static void frames_that_are_cut_end_the_reading(void **state)
{
    static const char *const said[2] = {"one", "two"};
    const char *texts[2];
    char bytes[64];
    size_t whole;
    size_t at;
    size_t i;
    int ends[2];

    (void)state;
    assert_int_equal(pipe(ends), 0);
    channel_open(ends[1]);
    channel_send(FRAME_NOTE, said, 2);
    channel_open(-1);
    whole = (size_t)read(ends[0], bytes, sizeof bytes);
    close(ends[0]);
    close(ends[1]);
    for (i = 0; i < whole; ++i) {
        at = 0;
        assert_int_equal(channel_next(bytes, i, &at, texts, 2), 0);
    }
    at = 0;
    assert_int_equal(channel_next(bytes, whole, &at, texts, 2), FRAME_NOTE);
    assert_string_equal(texts[1], "two");
    bytes[0] = (char)0xff;
    at = 0;
    assert_int_equal(channel_next(bytes, whole, &at, texts, 2), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(constructors_are_seen_as_load),
        cmocka_unit_test(files_are_seen_when_written_only),
        cmocka_unit_test(the_first_path_is_kept),
        cmocka_unit_test(threads_processes_sockets_are_seen),
        cmocka_unit_test(settings_and_signals_are_seen),
        cmocka_unit_test(chance_and_clocks_are_seen),
        cmocka_unit_test(memory_is_counted),
        cmocka_unit_test(calls_of_others_are_not_the_plugins),
        cmocka_unit_test(the_end_of_the_process_is_told),
        cmocka_unit_test(frames_that_are_cut_end_the_reading),
    };

    return cmocka_run_group_tests(tests, open_library, remove_folder);
}
