/* SPDX-License-Identifier: MIT */
/* entry.h - reading and judging the constant data of a plugin.
 *
 * A plugin may have been built with older or newer headers, so none of its
 * structs has a size that is known here.  Reading copies them into structs of
 * this host's size: a member that theirs does not reach is zero, one that ours
 * lacks is dropped.  Everybody above sees only the copies.  Nothing of the
 * plugin is called. */
#ifndef NN_CORE_REGISTRY_ENTRY_H
#define NN_CORE_REGISTRY_ENTRY_H

#include <nn/plugin.h>

#include "core/util/arena.h"
#include "core/util/text.h"

/* The symbol that a plugin exports. */
#define NN_ENTRY_SYMBOL "nn_plugin_v1"

/* Longest texts, in bytes without the end. */
#define NN_ENTRY_NAME 64
#define NN_ENTRY_LINE 1024
#define NN_ENTRY_DOC 65536

/* Most components of a plugin; params, choices, fields, ports of one list. */
#define NN_ENTRY_COMPONENTS 4096
#define NN_ENTRY_ITEMS 1024

/* Lists and records within each other. */
#define NN_ENTRY_DEPTH 8

/* A plugin's data at this host's size. */
typedef struct nn_plugin_data {
    nn_plugin plugin;           /* lists that were NULL are empty, never NULL */
    const char *const *reasons; /* one a component: NULL, or why this host
                                   cannot use it (it is of a kind, or has a
                                   parameter of a type, that came later) */
    uint32_t has_init; /* of a description, whose `init` is NULL: 1 if the
                          plugin has one */
} nn_plugin_data;

/* Copies RAW, which nn_plugin_v1 is, into ARENA.  Texts, interfaces and
 * functions are not copied: they live as long as the plugin.  With
 * DESCRIPTION 1 interfaces and functions are not looked at and become NULL.
 * Returns 0; NN_UNSUPPORTED if it needs a newer host or NN_FORMAT if it is
 * malformed, with the reason appended to REASON; or NN_NO_MEMORY.  Sets no
 * message but the last.  [any] */
int32_t nn_entry_read(const void *raw, int32_t description, nn_arena *arena,
                      nn_plugin_data **entry, nn_text *reason);

/* Opens the shared object at PATH, which was checked (elf.h), and returns what
 * its symbol nn_plugin_v1 is, or NULL with the reason appended to REASON.
 * Runs the constructors of the file and of what it needs.  [any] */
const void *nn_entry_open(const char *path, nn_text *reason);

/* 1 if NAME is [a-z][a-z0-9_]* of at most NN_ENTRY_NAME bytes.  [any] */
int32_t nn_entry_is_name(const char *name);

#endif
