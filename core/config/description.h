/* SPDX-License-Identifier: MIT */
/* description.h - a config as a tree, before anybody says what it means.
 *
 * A node is a scalar, a list or a map.  Scalars are text: what `3`, `no` or
 * `1/255` means is decided by the schema that checks them, not here.  Maps
 * keep the order of their keys, and every node and key knows the place where
 * it was written.  Trees come from YAML (so from JSON as well) or are built in
 * the program, and are written back as YAML that reads as an equal tree.
 *
 * Every node has one owner: the list or map that holds it, or else the
 * caller.  Functions that take a node say so; they take it even if they
 * fail.  A tree is at most NN_NODE_DEPTH deep. */
#ifndef NN_CORE_CONFIG_DESCRIPTION_H
#define NN_CORE_CONFIG_DESCRIPTION_H

#include <nn/base.h>

#include "core/util/diagnostics.h"
#include "core/util/text.h"

#define NN_NODE_SCALAR 1u
#define NN_NODE_LIST 2u
#define NN_NODE_MAP 3u

/* What a text that is read may have at most. */
#define NN_NODE_DEPTH 64                         /* lists and maps in others */
#define NN_NODE_LIMIT (1 << 20)                  /* nodes */
#define NN_NODE_BYTES ((size_t)16 * 1024 * 1024) /* of text */
#define NN_NODE_KEY 200                          /* bytes of a key */

typedef struct nn_node nn_node;

/* One member of a list (key NULL) or map. */
typedef struct nn_entry {
    char *key;
    nn_place key_place; /* holds its source */
    nn_node *node;
} nn_entry;

/* Read it freely; change it through the functions below. */
struct nn_node {
    uint32_t kind;     /* NN_NODE_... */
    uint32_t quoted;   /* scalar: was not written plain */
    nn_place place;    /* where it begins; holds its source */
    uint32_t end_line; /* the character behind it */
    uint32_t end_column;
    char *text;    /* scalar: UTF-8 without NUL; else NULL */
    int64_t count; /* list, map: entries */
    int64_t capacity;
    nn_entry *entries;
};

/* Reads LENGTH bytes of YAML text, which messages call NAME, into *OUT (owned
 * by the caller); a byte order mark before it is skipped.  Refused with a place: broken YAML and UTF-8, anchors,
 * aliases, tags, keys that are repeated or no scalars, a second document, an
 * empty text, and more than the limits above.  All errors go to DIAGNOSTICS
 * (may be NULL); the first one's code is returned and *OUT is NULL.  [any] */
int32_t nn_node_read(const char *text, size_t length, const char *name,
                     nn_diagnostics *diagnostics, nn_node **out);

/* The same for bytes OFFSET to the end of SOURCE, with places in SOURCE.
 * [any] */
int32_t nn_node_read_source(nn_source *source, size_t offset,
                            nn_diagnostics *diagnostics, nn_node **out);

/* The same for a regular file of at most NN_NODE_BYTES.  [any] */
int32_t nn_node_read_file(const char *path, nn_diagnostics *diagnostics,
                          nn_node **out);

/* Frees NODE and all below it.  NULL is fine.  [any] */
void nn_node_destroy(nn_node *node);

/* New nodes; NULL with a message if memory is exhausted or TEXT is no UTF-8.
 * A scalar is quoted only if its text needs it.  [any] */
nn_node *nn_node_scalar(const char *text);
nn_node *nn_node_quoted(const char *text);
nn_node *nn_node_int(int64_t value);
nn_node *nn_node_real(double value);
nn_node *nn_node_list(void);
nn_node *nn_node_map(void);

/* Appends ITEM to a list, or sets KEY of a map, in place of the value that it
 * has or at the end.  Takes the node; one that is NULL (because making it
 * failed) returns the error of the thread, so calls can be nested.  [any] */
int32_t nn_node_append(nn_node *list, nn_node *item);
int32_t nn_node_put(nn_node *map, const char *key, nn_node *value);

/* As nn_node_put, with the place of the key.  [any] */
int32_t nn_node_put_at(nn_node *map, const char *key, const nn_place *place,
                       nn_node *value);

/* A deep copy with the same places; NULL with a message.  [any] */
nn_node *nn_node_copy(const nn_node *node);

/* True if A and B have equal kinds, texts, quotes, keys and order; places do
 * not matter.  [any] */
int nn_node_equal(const nn_node *a, const nn_node *b);

/* Lists and maps around the deepest node, counting NODE: 0 for a scalar.
 * [any] */
int32_t nn_node_depth(const nn_node *node);

/* The entry or value of KEY in a map; NULL if it has none, or NODE is no map or
 * NULL.  Takes time in proportion to the size of the map.  [any] */
const nn_entry *nn_node_entry(const nn_node *node, const char *key);
nn_node *nn_node_find(const nn_node *node, const char *key);

/* "a list", "a map", "'text'", "an empty value": NODE for a message, written
 * into BUFFER.  [any] */
const char *nn_node_say(const nn_node *node, char buffer[64]);

/* The node at a dotted path such as "net.layers.h1.size".  A part is a key of
 * a map (the longest that fits, so keys may contain dots), or the index of a
 * list's element from 0, or the name of the element: the key of one that is a
 * map of one key, its text if it is a scalar, or the value of its key `name`,
 * which may stand one map deeper: `- linear: {name: h1}`.  What does not exist
 * is NN_NOT_FOUND, at PLACE (may be NULL), with the part and a suggestion.
 * [any] */
int32_t nn_node_get(nn_node *root, const char *path, const nn_place *place,
                    nn_diagnostics *diagnostics, nn_node **out);

/* Puts VALUE (taken) at a path.  All but the last part must exist; the last
 * one may be a new key of a map.  [any] */
int32_t nn_node_set(nn_node *root, const char *path, const nn_place *place,
                    nn_node *value, nn_diagnostics *diagnostics);

/* Carries out "path=value", as `--set` has it, where the value is YAML; NAME
 * is what messages call the assignment.  [any] */
int32_t nn_node_assign(nn_node *root, const char *assignment, const char *name,
                       nn_diagnostics *diagnostics);

/* Appends NODE as YAML: block style, with short lists and maps on one line,
 * quotes where they are needed.  What it writes reads as an equal tree.
 * [any] */
int32_t nn_node_write(const nn_node *node, nn_text *out);

/* True if TEXT can stand without quotes; FLOW: also within [] and {}.
 * [any] */
int nn_node_is_plain(const char *text, int flow);

#endif
