/* SPDX-License-Identifier: MIT */
/* caller.c - a library that does what plugins should not, to be watched. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <locale.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

__attribute__((visibility("default"))) void do_it(const char *name);
__attribute__((visibility("default"))) void end_it(void);

static volatile int started;

__attribute__((constructor)) static void when_opened(void)
{
    mode_t before = umask(077);

    umask(before);
    started = 1; /* so that the call above is not the last thing done */
}

static void *begun(void *self)
{
    return self;
}

static void start_thread(void)
{
    pthread_t thread;

    if (!pthread_create(&thread, NULL, begun, NULL))
        pthread_join(thread, NULL);
}

static void make_files(void)
{
    FILE *file = fopen("written", "w");

    if (file)
        fclose(file);
    close(open("opened", O_CREAT | O_WRONLY, 0600));
    close(open("opened", O_RDONLY));
    file = fopen("written", "r");
    if (file)
        fclose(file);
    mkdir("made", 0700);
    rename("written", "renamed");
    unlink("renamed");
}

static void make_process(void)
{
    pid_t pid = fork();

    if (!pid)
        _exit(0);
    waitpid(pid, NULL, 0);
}

static void change_settings(void)
{
    setlocale(LC_ALL, "C");
    setenv("NN_TEST_WATCH", "1", 1);
    unsetenv("NN_TEST_WATCH");
    if (chdir("."))
        abort();
}

static void handle_signals(void)
{
    struct sigaction action;

    signal(SIGUSR1, SIG_IGN);
    memset(&action, 0, sizeof action);
    action.sa_handler = SIG_DFL;
    sigaction(SIGUSR1, &action, NULL);
    sigaction(SIGUSR1, NULL, &action);
}

static void take_memory(void)
{
    void *volatile memory = malloc(3);
    void *volatile more;

    memory = realloc(memory, 300);
    more = calloc(2, 2);
    free(memory);
    free(more);
}

static void take_chance(void)
{
    unsigned char byte;

    srand(1);
    (void)rand();
    (void)drand48();
    if (getrandom(&byte, 1, 0) != 1)
        abort();
}

static void look_at_clock(void)
{
    struct timespec now;

    (void)time(NULL);
    clock_gettime(CLOCK_MONOTONIC, &now);
}

static void open_socket(void)
{
    int file = socket(AF_UNIX, SOCK_STREAM, 0);

    if (file >= 0)
        close(file);
}

void do_it(const char *name)
{
    static const struct {
        const char *name;
        void (*function)(void);
    } all[] = {
        {"thread", start_thread},    {"files", make_files},
        {"process", make_process},   {"settings", change_settings},
        {"signals", handle_signals}, {"memory", take_memory},
        {"chance", take_chance},     {"clock", look_at_clock},
        {"socket", open_socket},
    };
    size_t i;

    for (i = 0; i < sizeof all / sizeof *all; ++i)
        if (!strcmp(all[i].name, name))
            all[i].function();
}

void end_it(void)
{
    exit(0);
}
