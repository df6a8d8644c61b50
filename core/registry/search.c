/* SPDX-License-Identifier: MIT */
/* search.c - see search.h.
 *
 * An absent default folder is as good as an empty one; one that the user named
 * and that cannot be read is kept with the reason, to be shown. */
#define _GNU_SOURCE
#include "core/registry/search.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/registry/owner.h"
#include "core/util/error.h"

#define FOLDER "/nervenet/plugins-1"

int32_t nn_search_is_strict(enum nn_named_by source)
{
    return source == NN_SOURCE_CONFIG || source == NN_SOURCE_HOME ||
           source == NN_SOURCE_INSTALLATION;
}

const char *nn_search_source_name(enum nn_named_by source)
{
    static const char *const names[] = {
        [NN_SOURCE_USER] = "named by the user",
        [NN_SOURCE_ENVIRONMENT] = "NN_PLUGIN_PATH",
        [NN_SOURCE_CONFIG] = "plugin_path of the config",
        [NN_SOURCE_HOME] = "XDG_DATA_HOME",
        [NN_SOURCE_INSTALLATION] = "installation",
        [NN_SOURCE_BUILD] = "build",
        [NN_SOURCE_PROGRAM] = "built in",
    };

    return names[source];
}

const char *nn_search_absolute(const char *path, nn_arena *arena)
{
    nn_text whole = {0};
    const char *result = NULL;
    char *here;

    if (path[0] == '/')
        return nn_arena_string(arena, path);
    here = getcwd(NULL, 0);
    if (!here) {
        nn_error_set(NN_IO, "registry.directory",
                     "the current directory is not to be found: %s",
                     strerror(errno));
        return NULL;
    }
    nn_text_format(&whole, "%s/%s", here, path);
    free(here);
    if (!nn_text_status(&whole))
        result = nn_arena_string(arena, nn_text_string(&whole));
    nn_text_finish(&whole);
    return result;
}

const char *nn_search_shown(const char *path, char buffer[1024])
{
    size_t length = strlen(path);

    if (length < 1024)
        return path;
    path += length - 1000;
    while ((*path & 0xc0) == 0x80)
        ++path;
    snprintf(buffer, 1024, "...%s", path);
    return buffer;
}

void nn_search_base(const char *name, const char *default_path,
                    const char *tail, nn_text *out)
{
    const char *base = secure_getenv(name);
    const char *home = secure_getenv("HOME");

    if (base && base[0] == '/')
        nn_text_format(out, "%s%s", base, tail);
    else if (home && home[0] == '/')
        nn_text_format(out, "%s%s%s", home, default_path, tail);
}

/* ---- one folder --------------------------------------------------------- */

/* REASON as a string of ARENA, emptied; NULL with a message on failure. */
static const char *keep(nn_arena *arena, nn_text *reason)
{
    const char *kept = nn_text_status(reason)
                           ? NULL
                           : nn_arena_string(arena, nn_text_string(reason));

    nn_text_finish(reason);
    return kept;
}

/* Judges ownership of a folder that exists. */
static int32_t judge(nn_directory *directory, nn_arena *arena)
{
    nn_text reason = {0};
    const char *kept;

    if (nn_owner_check(directory->path, &reason) == 1)
        return NN_OK;
    kept = keep(arena, &reason);
    if (!kept)
        return NN_NO_MEMORY;
    if (nn_search_is_strict(directory->source))
        directory->reason = kept;
    else
        directory->warning = kept;
    return NN_OK;
}

/* Fills all but path and source. */
static int32_t look(nn_directory *directory, nn_arena *arena)
{
    struct stat status;
    int32_t code;

    if (directory->path[0] != '/') {
        directory->reason = directory->path[0] ? "it is not an absolute path"
                                               : "it is empty";
        return NN_OK;
    }
    if (stat(directory->path, &status) && errno == ENOENT) {
        directory->missing = 1;
        directory->reason = "there is no such folder";
        return NN_OK;
    }
    code = nn_loader_list(directory->path, arena, &directory->names);
    if (code == NN_IO) {
        directory->reason = nn_arena_string(arena, nn_loader_error());
        return directory->reason ? NN_OK : NN_NO_MEMORY;
    }
    return code ? code : judge(directory, arena);
}

/* ---- the list ----------------------------------------------------------- */

/* Number of elements of LIST, separated by colons; 0 for NULL and "". */
static uint32_t count_elements(const char *list)
{
    uint32_t count = 1;

    if (!list || !list[0])
        return 0;
    for (; *list; ++list)
        count += *list == ':';
    return count;
}

/* Adds a folder of LENGTH bytes at PATH. */
static int32_t add(nn_directories *list, enum nn_named_by source,
                   const char *path, size_t length, nn_arena *arena)
{
    nn_directory *directory = &list->items[list->count];
    char *copy = nn_arena_alloc(arena, (int64_t)length + 1, 1);

    if (!copy)
        return NN_NO_MEMORY;
    memcpy(copy, path, length);
    directory->path = copy;
    directory->source = source;
    ++list->count;
    return look(directory, arena);
}

static int32_t add_elements(nn_directories *list, enum nn_named_by source,
                            const char *elements, nn_arena *arena)
{
    uint32_t count = count_elements(elements);
    int32_t code = NN_OK;
    size_t length;

    for (; !code && count; --count) {
        length = strcspn(elements, ":");
        code = add(list, source, elements, length, arena);
        elements += length + 1;
    }
    return code;
}

static int32_t add_home(nn_directories *list, nn_arena *arena)
{
    nn_text path = {0};
    int32_t code;

    nn_search_base("XDG_DATA_HOME", "/.local/share", FOLDER, &path);
    code = nn_text_status(&path);
    if (!code && path.length)
        code = add(list, NN_SOURCE_HOME, path.data, path.length, arena);
    nn_text_finish(&path);
    return code;
}

int32_t nn_search_directories(const char *const *config, uint32_t n_config,
                              nn_arena *arena, nn_directories *list)
{
    const char *named = secure_getenv("NN_PLUGIN_PATH");
    const char *build = secure_getenv("NN_BUILD_PLUGINS");
    int64_t most = (int64_t)count_elements(named) + n_config +
                   count_elements(build) + 2;
    int32_t code;
    uint32_t i;

    list->count = 0;
    list->items = nn_arena_alloc(arena, most, sizeof *list->items);
    if (!list->items)
        return NN_NO_MEMORY;
    code = add_elements(list, NN_SOURCE_ENVIRONMENT, named, arena);
    for (i = 0; !code && i < n_config; ++i)
        code = add(list, NN_SOURCE_CONFIG, config[i], strlen(config[i]), arena);
    if (!code)
        code = add_home(list, arena);
    if (!code && count_elements(build))
        code = add_elements(list, NN_SOURCE_BUILD, build, arena);
    else if (!code)
        code = add(list, NN_SOURCE_INSTALLATION, NN_PLUGIN_DIR,
                   strlen(NN_PLUGIN_DIR), arena);
    return code;
}
