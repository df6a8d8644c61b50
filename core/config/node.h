/* SPDX-License-Identifier: MIT */
/* node.h - what the files of core/config share about nodes. */
#ifndef NN_CORE_CONFIG_NODE_H
#define NN_CORE_CONFIG_NODE_H

#include "core/config/description.h"

/* An empty list or map (TEXT NULL, LENGTH 0), or a scalar of LENGTH bytes.
 * NULL with a message if memory is exhausted. */
nn_node *nn_node_create(uint32_t kind, const char *text, size_t length);

/* Appends VALUE to a list (KEY NULL) or, unchecked, to a map.  Takes VALUE and
 * the heap string KEY, also on failure; PLACE may be NULL. */
int32_t nn_node_add(nn_node *node, char *key, const nn_place *place,
                    nn_node *value);

#endif
