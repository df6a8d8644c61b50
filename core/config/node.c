/* SPDX-License-Identifier: MIT */
/* node.c - making, copying and comparing the trees of description.h.
 *
 * The text of a scalar lies in the same allocation as its node.  Invariant:
 * a scalar that is not quoted is plain in the sense of nn_node_is_plain, or is
 * the empty value of `key:`; so the writer never has to add quotes. */
#define _GNU_SOURCE
#include "core/config/description.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/config/node.h"
#include "core/util/error.h"
#include "core/util/number.h"

void nn_node_destroy(nn_node *node)
{
    int64_t i;

    if (!node)
        return;
    for (i = 0; i < node->count; ++i) {
        nn_node_destroy(node->entries[i].node);
        nn_source_release(node->entries[i].key_place.source);
        free(node->entries[i].key);
    }
    nn_source_release(node->place.source);
    free(node->entries);
    free(node);
}

nn_node *nn_node_create(uint32_t kind, const char *text, size_t length)
{
    nn_node *node = NULL;

    if (length < SIZE_MAX - sizeof *node)
        node = calloc(1, sizeof *node + length + 1);
    if (!node) {
        nn_error_no_memory("a node of a config", length);
        return NULL;
    }
    node->kind = kind;
    if (kind == NN_NODE_SCALAR) {
        node->text = (char *)(node + 1);
        memcpy(node->text, text, length);
    }
    return node;
}

static int is_utf8(const char *text, size_t length)
{
    size_t at = 0;
    uint32_t code;

    while (at < length) {
        size_t bytes = nn_utf8_next(text + at, length - at, &code);

        if (bytes == 0)
            return 0;
        at += bytes;
    }
    return 1;
}

nn_node *nn_node_quoted(const char *text)
{
    size_t length = strlen(text);
    nn_node *node;

    if (!is_utf8(text, length)) {
        nn_error_set(NN_INVALID_ARGUMENT, "config.utf8",
                     "a text for a config is not UTF-8");
        return NULL;
    }
    node = nn_node_create(NN_NODE_SCALAR, text, length);
    if (node)
        node->quoted = 1;
    return node;
}

nn_node *nn_node_scalar(const char *text)
{
    nn_node *node = nn_node_quoted(text);

    if (node)
        node->quoted = !nn_node_is_plain(text, 0);
    return node;
}

nn_node *nn_node_int(int64_t value)
{
    char text[32];

    snprintf(text, sizeof text, "%" PRId64, value);
    return nn_node_scalar(text);
}

nn_node *nn_node_real(double value)
{
    char text[32];

    return nn_node_scalar(nn_number_format(value, text));
}

nn_node *nn_node_list(void)
{
    return nn_node_create(NN_NODE_LIST, NULL, 0);
}

nn_node *nn_node_map(void)
{
    return nn_node_create(NN_NODE_MAP, NULL, 0);
}

/* Makes room for one more entry. */
static int32_t grow(nn_node *node)
{
    int64_t capacity = node->capacity ? 2 * node->capacity : 4;
    nn_entry *entries;

    if (node->count < node->capacity)
        return NN_OK;
    entries = reallocarray(node->entries, (size_t)capacity, sizeof *entries);
    if (!entries)
        return nn_error_no_memory("a config",
                                  (uint64_t)capacity * sizeof *entries);
    node->entries = entries;
    node->capacity = capacity;
    return NN_OK;
}

/* Why a node is NULL: the error that its making set. */
static int32_t missing_code(void)
{
    return nn_error_code() ? nn_error_code() : NN_INTERNAL;
}

int32_t nn_node_add(nn_node *node, char *key, const nn_place *place,
                    nn_node *value)
{
    int32_t code = value ? grow(node) : missing_code();
    nn_entry *entry;

    if (code) {
        nn_node_destroy(value);
        free(key);
        return code;
    }
    entry = &node->entries[node->count++];
    memset(entry, 0, sizeof *entry);
    entry->key = key;
    entry->node = value;
    if (place) {
        entry->key_place = *place;
        nn_source_hold(place->source);
    }
    return NN_OK;
}

int32_t nn_node_append(nn_node *list, nn_node *item)
{
    return nn_node_add(list, NULL, NULL, item);
}

int32_t nn_node_put(nn_node *map, const char *key, nn_node *value)
{
    return nn_node_put_at(map, key, NULL, value);
}

/* NN_OK if KEY may be the key of a map. */
static int32_t check_key(const char *key)
{
    size_t length = strlen(key);

    if (length == 0 || length > NN_NODE_KEY || !is_utf8(key, length))
        return nn_error_set(NN_INVALID_ARGUMENT, "config.key",
                            "a key of a config must be UTF-8 text of 1 to %d "
                            "bytes",
                            NN_NODE_KEY);
    return NN_OK;
}

int32_t nn_node_put_at(nn_node *map, const char *key, const nn_place *place,
                       nn_node *value)
{
    nn_entry *entry = (nn_entry *)nn_node_entry(map, key);
    int32_t code = value ? check_key(key) : missing_code();
    char *copy;

    if (code) {
        nn_node_destroy(value);
        return code;
    }
    if (entry) {
        nn_node_destroy(entry->node);
        entry->node = value;
        nn_source_release(entry->key_place.source);
        memset(&entry->key_place, 0, sizeof entry->key_place);
        if (place)
            entry->key_place = *place;
        nn_source_hold(entry->key_place.source);
        return NN_OK;
    }
    copy = strdup(key);
    if (!copy) {
        nn_node_destroy(value);
        return nn_error_no_memory("a key", strlen(key));
    }
    return nn_node_add(map, copy, place, value);
}

nn_node *nn_node_copy(const nn_node *node)
{
    const char *text = node->text ? node->text : "";
    nn_node *copy = nn_node_create(node->kind, text, strlen(text));
    int64_t i;
    int32_t code = NN_OK;

    if (!copy)
        return NULL;
    copy->quoted = node->quoted;
    copy->place = node->place;
    copy->end_line = node->end_line;
    copy->end_column = node->end_column;
    nn_source_hold(copy->place.source);
    for (i = 0; i < node->count && !code; ++i) {
        const nn_entry *entry = &node->entries[i];
        char *key = entry->key ? strdup(entry->key) : NULL;

        if (entry->key && !key)
            code = nn_error_no_memory("a key", strlen(entry->key));
        else
            code = nn_node_add(copy, key, &entry->key_place,
                               nn_node_copy(entry->node));
    }
    if (!code)
        return copy;
    nn_node_destroy(copy);
    return NULL;
}

int nn_node_equal(const nn_node *a, const nn_node *b)
{
    int64_t i;

    if (a->kind != b->kind || a->quoted != b->quoted || a->count != b->count)
        return 0;
    if (a->kind == NN_NODE_SCALAR)
        return strcmp(a->text, b->text) == 0;
    for (i = 0; i < a->count; ++i) {
        const nn_entry *x = &a->entries[i];
        const nn_entry *y = &b->entries[i];

        if (a->kind == NN_NODE_MAP && strcmp(x->key, y->key) != 0)
            return 0;
        if (!nn_node_equal(x->node, y->node))
            return 0;
    }
    return 1;
}

int32_t nn_node_depth(const nn_node *node)
{
    int32_t deepest = 0;
    int64_t i;

    if (node->kind == NN_NODE_SCALAR)
        return 0;
    for (i = 0; i < node->count; ++i) {
        int32_t depth = nn_node_depth(node->entries[i].node);

        if (depth > deepest)
            deepest = depth;
    }
    return deepest + 1;
}

const nn_entry *nn_node_entry(const nn_node *node, const char *key)
{
    int64_t i;

    if (!node || node->kind != NN_NODE_MAP)
        return NULL;
    for (i = 0; i < node->count; ++i)
        if (strcmp(node->entries[i].key, key) == 0)
            return &node->entries[i];
    return NULL;
}

nn_node *nn_node_find(const nn_node *node, const char *key)
{
    const nn_entry *entry = nn_node_entry(node, key);

    return entry ? entry->node : NULL;
}

const char *nn_node_say(const nn_node *node, char buffer[64])
{
    if (node->kind == NN_NODE_LIST)
        snprintf(buffer, 64, "a list");
    else if (node->kind == NN_NODE_MAP)
        snprintf(buffer, 64, "a map");
    else if (node->text[0] == '\0' && !node->quoted)
        snprintf(buffer, 64, "an empty value");
    else if (strlen(node->text) < 40)
        snprintf(buffer, 64, "'%s'", node->text);
    else
        snprintf(buffer, 64, "'%.36s...'", node->text);
    return buffer;
}
