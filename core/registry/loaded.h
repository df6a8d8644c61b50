/* SPDX-License-Identifier: MIT */
/* loaded.h - the plugins that are open in this process.
 *
 * One table for the whole process, whatever registries there are: a plugin is
 * opened once, initialized once, and stays. */
#ifndef NN_CORE_REGISTRY_LOADED_H
#define NN_CORE_REGISTRY_LOADED_H

#include <sys/stat.h>

#include "core/registry/entry.h"

/* Opens the plugin at PATH unless it is open already, and calls its init
 * unless that was done.  STATUS is the file's state when it was scanned: if it
 * has changed since, nothing is opened.  *ENTRY lives as long as the process.
 * Returns 0 or a code with a message that names the path.  [any] */
int32_t nn_loaded_open(const char *path, const struct stat *status,
                       const nn_plugin_data **entry);

/* The same for RAW, which is part of the program and called NAME.  [any] */
int32_t nn_loaded_open_static(const char *name, const nn_plugin *raw,
                              const nn_plugin_data **entry);

/* Calls deinit of all plugins whose init was called, the last one first; after
 * this none can be opened.  The orderly end of a program.  [setup] */
void nn_loaded_finish(void);

#endif
