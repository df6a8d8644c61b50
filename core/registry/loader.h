/* SPDX-License-Identifier: MIT */
/* loader.h - shared objects: the only door to libltdl.
 *
 * Five functions.  What is opened stays in memory until the process ends. */
#ifndef NN_CORE_REGISTRY_LOADER_H
#define NN_CORE_REGISTRY_LOADER_H

#include <nn/base.h>

#include "core/util/arena.h"

/* An opened shared object. */
typedef struct nn_module nn_module;

/* Names of a folder. */
typedef struct nn_module_names {
    uint32_t count;
    const char *const *names; /* without the folder, sorted by bytes */
} nn_module_names;

/* Opens the shared object at PATH, an absolute path that ends in ".so", with
 * all its symbols bound and none visible to others.  Runs its constructors.
 * NULL on failure: see nn_loader_error.  [any] */
nn_module *nn_loader_open(const char *path);

/* The data or function NAME that MODULE itself defines, or NULL: see
 * nn_loader_error.  [any] */
const void *nn_loader_symbol(nn_module *module, const char *name);

/* Why the last call of this thread failed, as the dynamic linker says it,
 * without the path in front.  Never NULL.  [any] */
const char *nn_loader_error(void);

/* The names in folder DIRECTORY that end in ".so" and do not start with a dot,
 * in memory of ARENA.  Files in subfolders are not looked at.  On failure a
 * code and nn_loader_error.  [any] */
int32_t nn_loader_list(const char *directory, nn_arena *arena,
                       nn_module_names *names);

/* Forgets MODULE, whose code and data stay where they are.  NULL is fine.
 * [any] */
void nn_loader_close(nn_module *module);

#endif
