/* SPDX-License-Identifier: MIT */
/* watch.c - see watch.h; what notes the calls.  The functions that are defined
 * in the C library's place are in watch_calls.c and watch_memory.c.
 *
 * Events stand in a table that only grows.  A new one is added under a spin
 * lock, counts are atomic.  The segments of the plugin are looked up once it is
 * open, which the program's own dlopen notices; until then every caller outside
 * the program is looked up anew. */
#define _GNU_SOURCE
#include "conformance/watch.h"

#include <dlfcn.h>
#include <link.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "conformance/watch_note.h"

#define MOST_EVENTS 256u
#define MOST_SEGMENTS 16u

struct event {
    watch_event shown;
    atomic_uint_fast64_t count;
};

struct segment {
    uintptr_t first;
    uintptr_t end;
};

static struct event events[MOST_EVENTS];
static atomic_uint n_events;
static atomic_flag adding = ATOMIC_FLAG_INIT;

static struct segment segments[MOST_SEGMENTS];
static atomic_uint n_segments;
static struct stat watched;
static void *library; /* libnervenet begins here */
static int watching;
static char *shared; /* of run.h; NULL: none */

static char entered[48];
static _Thread_local int opening;

/* ---- whose call it is --------------------------------------------------- */

/* Takes the segments of the watched file. */
static int take_segments(struct dl_phdr_info *info, size_t size, void *self)
{
    struct stat status;
    uint32_t count = 0;
    int i;

    (void)size;
    (void)self;
    if (!info->dlpi_name || !info->dlpi_name[0] ||
        stat(info->dlpi_name, &status) || status.st_dev != watched.st_dev ||
        status.st_ino != watched.st_ino)
        return 0;
    for (i = 0; i < info->dlpi_phnum && count < MOST_SEGMENTS; ++i) {
        if (info->dlpi_phdr[i].p_type != PT_LOAD)
            continue;
        segments[count].first = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
        segments[count].end = segments[count].first +
                              info->dlpi_phdr[i].p_memsz;
        ++count;
    }
    atomic_store(&n_segments, count);
    return 1;
}

void watch_opening(int begins)
{
    opening += begins ? 1 : -1;
    if (watching && !begins)
        dl_iterate_phdr(take_segments, NULL);
}

int watch_is_opening(void)
{
    return opening > 0;
}

int watch_is_plugin(const void *address)
{
    uintptr_t at = (uintptr_t)address;
    uint32_t count = atomic_load(&n_segments);
    uint32_t i;

    for (i = 0; i < count; ++i)
        if (at >= segments[i].first && at < segments[i].end)
            return 1;
    return 0;
}

/* 1 if ADDRESS lies in libnervenet, and it is not the library that does what
 * GROUP is. */
static int is_last_call(enum watch_group group, const void *address)
{
    Dl_info info;

    if (!entered[0] || !library ||
        (group != WATCH_RANDOM && group != WATCH_SOCKET &&
         group != WATCH_SIGNAL && group != WATCH_SETTING))
        return 0;
    return dladdr(address, &info) && info.dli_fbase == library;
}

/* ---- the table ---------------------------------------------------------- */

/* The event of NAME while WHERE, or NULL. */
static struct event *find(const char *name, const char *where)
{
    uint32_t count = atomic_load(&n_events);
    uint32_t i;

    for (i = 0; i < count; ++i)
        if (!strcmp(events[i].shown.name, name) &&
            !strcmp(events[i].shown.entered, where))
            return &events[i];
    return NULL;
}

static void copy(char *to, size_t room, const char *from)
{
    size_t length = from ? strnlen(from, room - 1) : 0;

    if (length)
        memcpy(to, from, length);
    to[length] = '\0';
}

void watch_note(enum watch_group group, const char *name, const char *detail,
                const void *address)
{
    const char *where = opening ? "load" : entered;
    struct event *one;

    if (!watching)
        return;
    if (opening && !watch_is_plugin(address) && group != WATCH_MEMORY &&
        group != WATCH_FREE)
        dl_iterate_phdr(take_segments, NULL);
    if (!watch_is_plugin(address) && !is_last_call(group, address))
        return;
    one = find(name, where);
    if (!one) {
        while (atomic_flag_test_and_set(&adding))
            continue;
        one = find(name, where);
        if (!one && atomic_load(&n_events) < MOST_EVENTS) {
            one = &events[atomic_load(&n_events)];
            one->shown.group = group;
            one->shown.name = name;
            one->shown.address = address;
            copy(one->shown.entered, sizeof one->shown.entered, where);
            copy(one->shown.detail, sizeof one->shown.detail, detail);
            atomic_fetch_add(&n_events, 1);
        }
        atomic_flag_clear(&adding);
    }
    if (one)
        atomic_fetch_add(&one->count, 1);
}

/* ---- what checks ask ---------------------------------------------------- */

void watch_start(const char *path)
{
    void *inside = dlsym(RTLD_DEFAULT, "nn_version");
    Dl_info info;

    if (inside && dladdr(inside, &info))
        library = info.dli_fbase;
    watching = !stat(path, &watched);
}

const watch_event *watch_event_at(uint32_t index)
{
    if (index >= atomic_load(&n_events))
        return NULL;
    events[index].shown.count = atomic_load(&events[index].count);
    return &events[index].shown;
}

uint64_t watch_count(const char *name, const char *while_entered)
{
    const watch_event *one;
    uint64_t sum = 0;
    uint32_t i;

    for (i = 0; (one = watch_event_at(i)); ++i)
        if (!strcmp(one->name, name) &&
            (!while_entered || !strcmp(one->entered, while_entered)))
            sum += one->count;
    return sum;
}

uint64_t watch_group_count(enum watch_group group, const char *while_entered)
{
    const watch_event *one;
    uint64_t sum = 0;
    uint32_t i;

    for (i = 0; (one = watch_event_at(i)); ++i)
        if (one->group == group &&
            (!while_entered || !strcmp(one->entered, while_entered)))
            sum += one->count;
    return sum;
}

uint64_t watch_printed(void)
{
    struct stat status;
    uint64_t sum = 0;
    int file;

    fflush(stdout);
    fflush(stderr);
    for (file = 1; file <= 2; ++file)
        if (!fstat(file, &status) && S_ISREG(status.st_mode))
            sum += (uint64_t)status.st_size;
    return sum;
}

/* ---- what is entered ---------------------------------------------------- */

void watch_share(char *memory)
{
    shared = memory;
}

void watch_enter(const char *name)
{
    copy(entered, sizeof entered, name);
    if (shared)
        copy(shared, sizeof entered, name);
}

void watch_leave(void)
{
    watch_enter("");
}

const char *watch_entered(void)
{
    return opening ? "load" : entered;
}
