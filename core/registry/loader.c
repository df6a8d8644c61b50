/* SPDX-License-Identifier: MIT */
/* loader.c - see loader.h.
 *
 * libltdl 2.4.7 by itself binds lazily and answers every failure with "file
 * not found".  So it is given a loader of our own, put before its others, that
 * opens with RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE and keeps dlerror().
 *
 * When a loader fails, libltdl asks the next one, which would open the same
 * file lazily after all.  Ours therefore never fails: it answers with a module
 * that holds the reason, and nn_loader_open looks inside.  It answers only
 * while nn_loader_open is at work (`request`), so that a program which uses
 * libltdl for purposes of its own is served by libltdl's loaders as before.
 *
 * libltdl knows no threads: one mutex stands around every call of it.  The
 * dynamic linker has locks of its own, but constructors run under ours; they
 * must not come back here. */
#define _GNU_SOURCE
#include "core/registry/loader.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libltdl/lt_dlloader.h>
#include <ltdl.h>

#include "core/util/error.h"
#include "core/util/text.h"

struct nn_module {
    void *object;       /* of dlopen; NULL if it failed */
    char reason[1024];  /* why it failed */
    lt_dlhandle handle; /* of libltdl */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static __thread char last_error[1100];

/* The module that the call at work wants opened, and whether our loader was
 * asked for it.  Guarded by `lock`. */
static struct {
    nn_module *module;
    int32_t answered;
} request;

static void keep_error(const char *format, const char *detail)
{
    snprintf(last_error, sizeof last_error, format, detail);
}

const char *nn_loader_error(void)
{
    return last_error;
}

/* dlerror() without the path in front, which our messages carry already. */
static void keep_reason(char *reason, size_t size, const char *path)
{
    const char *text = dlerror();
    size_t length = strlen(path);

    if (!text)
        text = "the dynamic linker gives no reason";
    if (!strncmp(text, path, length) && !strncmp(text + length, ": ", 2))
        text += length + 2;
    snprintf(reason, size, "%s", text);
}

/* ---- the loader that libltdl calls -------------------------------------- */

static lt_module module_open(lt_user_data data, const char *path,
                             lt_dladvise advise)
{
    nn_module *module = request.module;

    (void)data;
    (void)advise;
    if (!module || !path)
        return NULL;
    request.answered = 1;
    module->object = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!module->object)
        keep_reason(module->reason, sizeof module->reason, path);
    return module;
}

static int module_close(lt_user_data data, lt_module opened)
{
    (void)data;
    (void)opened;
    return 0;
}

/* dlsym also searches what the object depends on; a plugin that links to
 * another must not pass for it. */
static void *find_symbol(lt_user_data data, lt_module opened, const char *name)
{
    nn_module *module = opened;
    struct link_map *own = NULL;
    struct link_map *owner = NULL;
    Dl_info info;
    void *symbol;

    (void)data;
    dlerror();
    symbol = dlsym(module->object, name);
    if (!symbol || dlinfo(module->object, RTLD_DI_LINKMAP, &own) ||
        !dladdr1(symbol, &info, (void **)&owner, RTLD_DL_LINKMAP))
        return symbol;
    return own == owner ? symbol : NULL;
}

static const lt_dlvtable loader = {
    .name = "nervenet",
    .module_open = module_open,
    .module_close = module_close,
    .find_sym = find_symbol,
    .priority = LT_DLLOADER_PREPEND,
};

/* Starts libltdl, which is never ended.  Under the lock. */
static int32_t start(void)
{
    static int32_t started;

    if (!started && !lt_dlinit() && !lt_dlloader_add(&loader))
        started = 1;
    return started;
}

/* ---- the five functions ------------------------------------------------- */

/* Opens PATH into MODULE, under the lock.  1 if the object is there. */
static int32_t open_locked(nn_module *module, const char *path)
{
    if (!start()) {
        keep_error("libltdl cannot be started: %s", lt_dlerror());
        return 0;
    }
    request.module = module;
    request.answered = 0;
    module->handle = lt_dlopenadvise(path, NULL);
    request.module = NULL;
    if (!module->handle)
        keep_error("libltdl: %s", lt_dlerror());
    else if (!request.answered)
        keep_error("%s", "another file of this name was opened before; start "
                         "the program again to use the new one");
    else if (!module->object)
        keep_error("%s", module->reason);
    else
        return 1;
    if (module->handle)
        lt_dlclose(module->handle);
    return 0;
}

/* libltdl reads ".la" files, which redirect to any path, and searches for what
 * has no folder: it gets neither. */
static int32_t is_plain_path(const char *path)
{
    size_t length = strlen(path);

    return path[0] == '/' && length > 4 && !strcmp(path + length - 3, ".so") &&
           path[length - 4] != '/';
}

nn_module *nn_loader_open(const char *path)
{
    nn_module *module;
    int32_t opened;

    if (!is_plain_path(path)) {
        keep_error("%s", "not an absolute path that ends in .so");
        return NULL;
    }
    module = calloc(1, sizeof *module);
    if (!module) {
        keep_error("%s", strerror(ENOMEM));
        return NULL;
    }
    pthread_mutex_lock(&lock);
    opened = open_locked(module, path);
    pthread_mutex_unlock(&lock);
    if (opened)
        return module;
    free(module);
    return NULL;
}

const void *nn_loader_symbol(nn_module *module, const char *name)
{
    const void *symbol;

    pthread_mutex_lock(&lock);
    symbol = lt_dlsym(module->handle, name);
    pthread_mutex_unlock(&lock);
    if (!symbol)
        keep_error("no symbol %s", name);
    return symbol;
}

void nn_loader_close(nn_module *module)
{
    if (!module)
        return;
    pthread_mutex_lock(&lock);
    lt_dlclose(module->handle);
    pthread_mutex_unlock(&lock);
    free(module);
}

/* ---- list --------------------------------------------------------------- */

/* Our own folders are read with readdir: lt_dlforeachfile hands out names
 * without extension for any file, and is silent about a folder that it cannot
 * read. */

static int32_t is_candidate(const char *name)
{
    size_t length = strlen(name);

    return name[0] != '.' && length > 3 && !strcmp(name + length - 3, ".so");
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Appends the candidates of FOLDER to LIST, an array of COUNT strings. */
static int32_t read_names(DIR *folder, nn_arena *arena, nn_text *list,
                          uint32_t *count)
{
    struct dirent *entry;
    char *name;

    for (;;) {
        errno = 0;
        entry = readdir(folder);
        if (!entry)
            break;
        if (!is_candidate(entry->d_name))
            continue;
        name = nn_arena_string(arena, entry->d_name);
        if (!name)
            return NN_NO_MEMORY;
        nn_text_append_bytes(list, (const char *)&name, sizeof name);
        ++*count;
    }
    if (errno) {
        keep_error("%s", strerror(errno));
        return NN_IO;
    }
    return nn_text_status(list);
}

int32_t nn_loader_list(const char *directory, nn_arena *arena,
                       nn_module_names *names)
{
    nn_text list = {0};
    DIR *folder = opendir(directory);
    const char **sorted;
    uint32_t count = 0;
    int32_t code;

    names->count = 0;
    names->names = NULL;
    if (!folder) {
        keep_error("%s", strerror(errno));
        return NN_IO;
    }
    code = read_names(folder, arena, &list, &count);
    if (!code && count) {
        sorted = nn_arena_alloc(arena, count, sizeof *sorted);
        code = sorted ? NN_OK : NN_NO_MEMORY;
        if (sorted) {
            memcpy(sorted, list.data, count * sizeof *sorted);
            qsort(sorted, count, sizeof *sorted, compare_names);
            names->count = count;
            names->names = sorted;
        }
    }
    if (code == NN_NO_MEMORY)
        keep_error("%s", nn_error_text());
    nn_text_finish(&list);
    closedir(folder);
    return code;
}
