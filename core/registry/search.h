/* SPDX-License-Identifier: MIT */
/* search.h - where plugins are looked for, and in which order.
 *
 * Files that the user names; the folders of NN_PLUGIN_PATH; plugin_path of the
 * config; $XDG_DATA_HOME/nervenet/plugins-1; the installation's folder, or the
 * build's instead of it; what is linked into the program.  Never the current
 * directory, never a subfolder. */
#ifndef NN_CORE_REGISTRY_SEARCH_H
#define NN_CORE_REGISTRY_SEARCH_H

#include "core/registry/loader.h"
#include "core/util/text.h"

/* Who named a file or folder. */
enum nn_named_by {
    NN_SOURCE_USER,         /* --plugin, or a call */
    NN_SOURCE_ENVIRONMENT,  /* NN_PLUGIN_PATH */
    NN_SOURCE_CONFIG,       /* plugin_path */
    NN_SOURCE_HOME,         /* $XDG_DATA_HOME */
    NN_SOURCE_INSTALLATION, /* the library's own folder */
    NN_SOURCE_BUILD,        /* NN_BUILD_PLUGINS, of a program not installed */
    NN_SOURCE_PROGRAM       /* linked in */
};

/* A folder that is searched. */
typedef struct nn_directory {
    const char *path;
    enum nn_named_by source;
    const char *reason;    /* NULL, or why none of it is used */
    const char *warning;   /* NULL, or who else could change it */
    uint32_t missing;      /* 1: it is not there */
    nn_module_names names; /* of its candidates */
} nn_directory;

typedef struct nn_directories {
    uint32_t count;
    nn_directory *items;
} nn_directories;

/* The folders in order, each listed and its ownership judged, in memory of
 * ARENA.  CONFIG has N_CONFIG absolute paths.  Returns 0 or NN_NO_MEMORY.
 * Reads the environment.  [setup] */
int32_t nn_search_directories(const char *const *config, uint32_t n_config,
                              nn_arena *arena, nn_directories *directories);

/* PATH, or if it is relative the current directory and PATH, in memory of
 * ARENA.  NULL with a message on failure.  [any] */
const char *nn_search_absolute(const char *path, nn_arena *arena);

/* PATH for a message: of a very long one the end, behind "...", so that the
 * reason behind it is not cut off.  [any] */
const char *nn_search_shown(const char *path, char buffer[1024]);

/* 1 if others' reach refuses what SOURCE named; 0 if it is a warning.  [any] */
int32_t nn_search_is_strict(enum nn_named_by source);

/* "NN_PLUGIN_PATH", "plugin_path", ...: who named it.  [any] */
const char *nn_search_source_name(enum nn_named_by source);

/* The folder that environment variable NAME (XDG_DATA_HOME, XDG_CACHE_HOME)
 * states, or $HOME and DEFAULT_PATH; then TAIL, appended to OUT.  Nothing if
 * neither is absolute, or the program runs with others' rights.  [any] */
void nn_search_base(const char *name, const char *default_path,
                    const char *tail, nn_text *out);

#endif
