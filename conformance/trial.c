/* SPDX-License-Identifier: MIT */
/* trial.c - see check.h and trial.h.
 *
 * Everything that is said goes through the channel at once: a process that
 * dies later has said it.  Memory that is handed out hangs on a list and lives
 * as long as the trial. */
#define _GNU_SOURCE
#include "conformance/trial.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <nn/random.h>

#include "conformance/channel.h"
#include "conformance/watch.h"

#define MOST_FRAMES 200 /* failures and notes that are told, each */

/* Something that lives as long as the trial. */
struct held {
    struct held *next;
    nn_part *part;       /* to be destroyed, or NULL */
    max_align_t bytes[]; /* of the check */
};

struct trial_state {
    pthread_mutex_t lock;
    struct held *held;
    int64_t tested;
    int64_t failures;
    int64_t notes;
    int skipped;
    int broken;
    void *library; /* of dlopen */
};

/* ---- what is said ------------------------------------------------------- */

void trial_fail(trial *trial, const char *where, const char *expected,
                const char *got)
{
    const char *texts[3] = {where, expected, got};
    struct trial_state *state = trial->state;

    pthread_mutex_lock(&state->lock);
    if (++state->failures <= MOST_FRAMES)
        channel_send(FRAME_FAIL, texts, 3);
    pthread_mutex_unlock(&state->lock);
}

/* Sends one text, formatted. */
static void say(char sort, const char *format, va_list arguments)
{
    char text[4096];
    const char *texts[1] = {text};

    vsnprintf(text, sizeof text, format, arguments);
    channel_send(sort, texts, 1);
}

void trial_note(trial *trial, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    pthread_mutex_lock(&trial->state->lock);
    if (++trial->state->notes <= MOST_FRAMES)
        say(FRAME_NOTE, format, arguments);
    pthread_mutex_unlock(&trial->state->lock);
    va_end(arguments);
}

void trial_skip(trial *trial, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    say(FRAME_SKIP, format, arguments);
    va_end(arguments);
    trial->state->skipped = 1;
}

void trial_broken(trial *trial, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    say(FRAME_BROKEN, format, arguments);
    va_end(arguments);
    trial->state->broken = 1;
}

void trial_tested(trial *trial, int64_t count)
{
    pthread_mutex_lock(&trial->state->lock);
    trial->state->tested += count;
    pthread_mutex_unlock(&trial->state->lock);
}

int64_t trial_failures(const trial *trial)
{
    return trial->state->failures;
}

/* ---- what is handed out ------------------------------------------------- */

/* A held thing with room for BYTES.  Without memory the child cannot go on. */
static struct held *hold(trial *trial, size_t bytes)
{
    struct held *one = NULL;

    if (bytes < SIZE_MAX - sizeof *one)
        one = calloc(1, sizeof *one + bytes + !bytes);
    if (!one) {
        trial_broken(trial, "no memory for %zu bytes", bytes);
        fflush(NULL);
        _exit(4);
    }
    pthread_mutex_lock(&trial->state->lock);
    one->next = trial->state->held;
    trial->state->held = one;
    pthread_mutex_unlock(&trial->state->lock);
    return one;
}

void *trial_alloc(trial *trial, size_t bytes)
{
    return hold(trial, bytes)->bytes;
}

const char *trial_text(trial *trial, const char *format, ...)
{
    va_list arguments;
    char *text;
    int length;

    va_start(arguments, format);
    length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (length < 0)
        return "";
    text = trial_alloc(trial, (size_t)length + 1);
    va_start(arguments, format);
    vsnprintf(text, (size_t)length + 1, format, arguments);
    va_end(arguments);
    return text;
}

double trial_uniform(trial *trial)
{
    const nn_random random = {.seed = trial->seed, .stream = 1};

    return nn_random_uniform(&random, trial->draws++);
}

int64_t trial_integer(trial *trial, int64_t first, int64_t last)
{
    const nn_random random = {.seed = trial->seed, .stream = 2};
    uint64_t span = (uint64_t)last - (uint64_t)first + 1;

    return (int64_t)((uint64_t)first +
                     nn_random_below(&random, trial->draws++,
                                     span ? span : UINT64_MAX));
}

const nn_plugin *trial_open(trial *trial)
{
    struct trial_state *state = trial->state;
    const nn_plugin *entry;

    if (!state->library)
        state->library = dlopen(trial->path, RTLD_NOW | RTLD_LOCAL);
    if (!state->library) {
        trial_fail(trial, "dlopen(RTLD_NOW | RTLD_LOCAL)", "the file opens",
                   dlerror());
        return NULL;
    }
    entry = dlsym(state->library, "nn_plugin_v1");
    if (!entry)
        trial_fail(trial, "nn_plugin_v1", "the file exports it",
                   "it has no such symbol");
    return entry;
}

nn_part *trial_part(trial *trial, const char *text, const nn_host *host,
                    int32_t *code)
{
    const nn_component *component;
    struct held *held;
    const char *whole;

    if (!trial->component) {
        trial_broken(trial, "this check is for the file: it has no component");
        *code = NN_INVALID_ARGUMENT;
        return NULL;
    }
    component = trial->component->component;
    whole = text && *text ? trial_text(trial, "{%s: %s}", component->name, text)
                          : trial_text(trial, "%s", component->name);
    held = hold(trial, 0);
    *code = nn_part_create(trial->plugins, component->kind, whole, host,
                           &held->part);
    return held->part;
}

void trial_enter(trial *trial, const char *name)
{
    (void)trial;
    watch_enter(name);
}

void trial_leave(trial *trial)
{
    (void)trial;
    watch_leave();
}

/* ---- its life ----------------------------------------------------------- */

static void release(trial *trial)
{
    struct held *one = trial->state->held;
    struct held *next;

    for (; one; one = next) {
        next = one->next;
        nn_part_destroy(one->part);
        free(one);
    }
    trial->state->held = NULL;
}

void trial_run(trial *trial)
{
    struct trial_state state;
    char tested[32];
    char failures[32];
    const char *texts[2] = {tested, failures};

    memset(&state, 0, sizeof state);
    pthread_mutex_init(&state.lock, NULL);
    trial->state = &state;
    trial->draws = 0;
    trial->check->run(trial);
    watch_leave();
    release(trial);
    fflush(NULL);
    snprintf(tested, sizeof tested, "%lld", (long long)state.tested);
    snprintf(failures, sizeof failures, "%lld", (long long)state.failures);
    channel_send(FRAME_DONE, texts, 2);
    trial->state = NULL;
    pthread_mutex_destroy(&state.lock);
}
