/* SPDX-License-Identifier: MIT */
/* loaded.c - see loaded.h.
 *
 * A file is known by device and inode, since one file may have many names; as
 * long as it is mapped, its inode is not given to another.  One lock covers
 * opening and init, so of two threads that want the same plugin one waits for
 * the other.  A failed init is final; a failed opening is tried again. */
#define _GNU_SOURCE
#include "core/registry/loaded.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "core/registry/elf.h"
#include "core/registry/host.h"
#include "core/registry/search.h"
#include "core/util/error.h"

typedef struct loaded {
    struct loaded *next; /* in the table: the one opened before */
    const void *raw;     /* what nn_plugin_v1 is */
    struct stat status;  /* zero for a static plugin */
    nn_arena *arena;
    nn_plugin_data *entry;
    char *failure; /* NULL, or why init failed */
    int32_t code;  /* of the failure */
    int32_t initialized;
} loaded;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static loaded *table;    /* guarded by lock */
static int32_t finished; /* guarded by lock */

static int32_t same_version(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino &&
           a->st_size == b->st_size && a->st_mtim.tv_sec == b->st_mtim.tv_sec &&
           a->st_mtim.tv_nsec == b->st_mtim.tv_nsec &&
           a->st_ctim.tv_sec == b->st_ctim.tv_sec &&
           a->st_ctim.tv_nsec == b->st_ctim.tv_nsec;
}

static loaded *find_file(const struct stat *status)
{
    loaded *one;

    for (one = table; one; one = one->next)
        if (one->status.st_ino == status->st_ino &&
            one->status.st_dev == status->st_dev && one->status.st_ino)
            return one;
    return NULL;
}

static loaded *find_static(const void *raw)
{
    loaded *one;

    for (one = table; one; one = one->next)
        if (one->raw == raw)
            return one;
    return NULL;
}

static void destroy(loaded *one)
{
    if (!one)
        return;
    nn_arena_destroy(one->arena);
    free(one);
}

/* Reads RAW into a new place of the table. */
static int32_t add(const char *path, const void *raw, const struct stat *status,
                   loaded **out)
{
    char shown[1024];
    nn_text reason = {0};
    loaded *one = calloc(1, sizeof *one);
    int32_t code;

    if (!one)
        return nn_error_no_memory("a plugin", sizeof *one);
    one->raw = raw;
    if (status)
        one->status = *status;
    code = nn_arena_create(&one->arena);
    if (!code)
        code = nn_entry_read(raw, 0, one->arena, &one->entry, &reason);
    if (code) {
        nn_error_set(code, "registry.entry", "%s: %s",
                     nn_search_shown(path, shown), nn_text_string(&reason));
        destroy(one);
    } else {
        one->next = table;
        table = one;
        *out = one;
    }
    nn_text_finish(&reason);
    return code;
}

/* Opens a file that is not in the table. */
static int32_t open_file(const char *path, const struct stat *expected,
                         loaded **out)
{
    char shown[1024];
    nn_text reason = {0};
    struct stat status;
    const void *raw = NULL;
    int32_t code = nn_elf_check(path, &status, &reason);

    if (!code && !same_version(&status, expected)) {
        nn_text_append(&reason, "it was changed after it was examined");
        code = NN_STATE;
    }
    if (!code) {
        raw = nn_entry_open(path, &reason);
        code = raw ? NN_OK : NN_FORMAT;
    }
    if (code)
        nn_error_set(code, "registry.open", "%s: %s",
                     nn_search_shown(path, shown), nn_text_string(&reason));
    else
        code = add(path, raw, &status, out);
    nn_text_finish(&reason);
    return code;
}

/* Calls init once, and says again what came of it. */
static int32_t initialize(loaded *one, const char *path)
{
    const nn_plugin *plugin = &one->entry->plugin;
    char shown[1024];

    if (!one->initialized && plugin->init) {
        nn_error_clear();
        one->code = plugin->init(nn_host_process());
        if (one->code > 0)
            one->code = NN_INTERNAL;
        if (one->code)
            one->failure = nn_arena_string(one->arena,
                                           nn_error_code()
                                               ? nn_error_text()
                                               : "its init gave no reason");
        nn_error_clear();
    }
    one->initialized = 1;
    if (!one->code)
        return NN_OK;
    return nn_error_set(one->code, "registry.init", "%s: %s is off: %s",
                        nn_search_shown(path, shown), plugin->id,
                        one->failure ? one->failure : "");
}

static int32_t check_running(void)
{
    return finished ? nn_error_set(NN_STATE, "registry.finished",
                                   "the plugins were ended")
                    : NN_OK;
}

int32_t nn_loaded_open(const char *path, const struct stat *status,
                       const nn_plugin_data **entry)
{
    char shown[1024];
    loaded *one;
    int32_t code;

    pthread_mutex_lock(&lock);
    one = find_file(status);
    code = check_running();
    if (!code && one && !same_version(&one->status, status))
        code = nn_error_set(NN_STATE, "registry.changed",
                            "%s: an older version of this file is in use; "
                            "start the program again",
                            nn_search_shown(path, shown));
    if (!code && !one)
        code = open_file(path, status, &one);
    if (!code)
        code = initialize(one, path);
    if (!code)
        *entry = one->entry;
    pthread_mutex_unlock(&lock);
    return code;
}

int32_t nn_loaded_open_static(const char *name, const nn_plugin *raw,
                              const nn_plugin_data **entry)
{
    loaded *one;
    int32_t code;

    pthread_mutex_lock(&lock);
    one = find_static(raw);
    code = check_running();
    if (!code && !one)
        code = add(name, raw, NULL, &one);
    if (!code)
        code = initialize(one, name);
    if (!code)
        *entry = one->entry;
    pthread_mutex_unlock(&lock);
    return code;
}

void nn_loaded_finish(void)
{
    loaded *one;

    pthread_mutex_lock(&lock);
    for (one = table; one && !finished; one = one->next)
        if (one->initialized && !one->code && one->entry->plugin.deinit)
            one->entry->plugin.deinit();
    finished = 1;
    pthread_mutex_unlock(&lock);
}
