/* SPDX-License-Identifier: MIT */
/* description.h - a plugin's constant data as bytes.
 *
 * What nn-scan hands to the program, and what the index keeps: everything of
 * nn_plugin but its functions and interfaces. */
#ifndef NN_CORE_REGISTRY_DESCRIPTION_H
#define NN_CORE_REGISTRY_DESCRIPTION_H

#include "core/registry/entry.h"

/* Longest description that is read, in bytes. */
#define NN_DESCRIPTION_BYTES (16 << 20)

/* Appends ENTRY to OUT; failure is kept by OUT.  [any] */
void nn_description_pack(const nn_plugin_data *entry, nn_text *out);

/* Reads LENGTH bytes at BYTES into ARENA, which gets copies of all texts, and
 * judges the result as nn_entry_read does.  Returns 0, or a code with the
 * reason appended to REASON.  [any] */
int32_t nn_description_unpack(const void *bytes, size_t length, nn_arena *arena,
                              nn_plugin_data **entry, nn_text *reason);

#endif
