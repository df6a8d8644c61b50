/* SPDX-License-Identifier: MIT */
/* path.c - nodes by dotted path, as `--set data.train.limit=1280` names them.
 *
 * At each step the names that the list or map offers are compared with what
 * is left of the path; a name fits if the rest begins with it and goes on with
 * a dot or ends.  Of several that fit the longest is taken, so a key may
 * contain dots; of equally long ones in a list none is, since the path could
 * mean any of them.  What a step finds is a slot: the pointer in the tree that
 * holds the node, which nn_node_set exchanges. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "core/config/description.h"
#include "core/util/error.h"
#include "core/util/number.h"
#include "core/util/suggest.h"

/* A name by which a path may call what SLOT holds. */
struct name {
    const char *text;
    nn_node **slot;
};

/* A walk along a path. */
struct walk {
    const char *path; /* all of it */
    const char *rest; /* what is not yet found */
    nn_node **slot;   /* what the part before `rest` is */
    nn_place place;   /* of the path, for messages */
    nn_diagnostics *diagnostics;
};

/* Up to three names of a list's element; returns how many. */
static int names_of(nn_entry *element, struct name names[3])
{
    nn_node *node = element->node;
    nn_node *name = nn_node_find(node, "name");
    int count = 0;

    if (node->kind == NN_NODE_SCALAR)
        names[count++] = (struct name){node->text, &element->node};
    if (name && name->kind == NN_NODE_SCALAR)
        names[count++] = (struct name){name->text, &element->node};
    if (node->kind != NN_NODE_MAP || node->count != 1)
        return count;
    names[count++] = (struct name){node->entries[0].key,
                                   &node->entries[0].node};
    name = nn_node_find(node->entries[0].node, "name");
    if (name && name->kind == NN_NODE_SCALAR)
        names[count++] = (struct name){name->text, &node->entries[0].node};
    return count;
}

/* All names of entry I of NODE. */
static int names_at(nn_node *node, int64_t i, struct name names[3])
{
    nn_entry *entry = &node->entries[i];

    if (node->kind == NN_NODE_LIST)
        return names_of(entry, names);
    names[0] = (struct name){entry->key, &entry->node};
    return 1;
}

/* Bytes of the part that REST begins with, for numbers and messages. */
static size_t part_length(const char *rest)
{
    return strcspn(rest, ".");
}

/* Bytes of NAME if REST begins with it as a whole, else 0. */
static size_t fit(const char *rest, const char *name)
{
    size_t length = strlen(name);

    if (strncmp(rest, name, length) != 0)
        return 0;
    return rest[length] == '.' || rest[length] == '\0' ? length : 0;
}

/* Goes behind the LENGTH bytes that SLOT was found by. */
static void advance(struct walk *walk, nn_node **slot, size_t length)
{
    walk->slot = slot;
    walk->rest += length;
    walk->rest += *walk->rest == '.';
}

/* Writes the tail of a message about WORD, which NODE does not have. */
static const char *suggestion(nn_node *node, const char *word, char tail[128])
{
    nn_suggest suggest;
    struct name names[3];
    int64_t i;
    int n;

    nn_suggest_start(&suggest, word);
    for (i = 0; i < node->count; ++i)
        for (n = names_at(node, i, names); n-- > 0;)
            nn_suggest_offer(&suggest, names[n].text);
    return nn_suggest_tail(&suggest, tail);
}

/* An error about the part at `rest`: that the node before it has none such. */
static int32_t not_found(const struct walk *walk)
{
    nn_node *node = *walk->slot;
    size_t length = part_length(walk->rest);
    int before = (int)(walk->rest - walk->path);
    nn_place place = walk->place;
    char word[NN_NODE_KEY + 1] = "";
    char tail[128];
    char say[64];

    place.column += place.column ? (uint32_t)before : 0;
    memcpy(word, walk->rest, length > NN_NODE_KEY ? NN_NODE_KEY : length);
    if (before == 0)
        return nn_diagnostics_error(walk->diagnostics, NN_NOT_FOUND,
                                    "config.no-such-path", &place,
                                    "there is no '%s' at the top%s", word,
                                    suggestion(node, word, tail));
    if (node->kind == NN_NODE_SCALAR)
        return nn_diagnostics_error(walk->diagnostics, NN_NOT_FOUND,
                                    "config.no-such-path", &place,
                                    "there is no '%s' in '%.*s', which is %s",
                                    word, before - 1, walk->path,
                                    nn_node_say(node, say));
    return nn_diagnostics_error(walk->diagnostics, NN_NOT_FOUND,
                                "config.no-such-path", &place,
                                "there is no '%s' in '%.*s'%s", word,
                                before - 1, walk->path,
                                suggestion(node, word, tail));
}

/* Goes to the element of a list whose index the path gives; 0 if the part is
 * no index of NODE. */
static int step_index(struct walk *walk, nn_node *node)
{
    size_t length = part_length(walk->rest);
    int64_t index;

    if (node->kind != NN_NODE_LIST ||
        nn_number_parse_int(walk->rest, length, &index) != NN_OK || index < 0 ||
        index >= node->count)
        return 0;
    advance(walk, &node->entries[index].node, length);
    return 1;
}

/* Goes one step along the path. */
static int32_t step(struct walk *walk)
{
    nn_node *node = *walk->slot;
    nn_node **found = NULL;
    size_t longest = 0;
    struct name names[3];
    int64_t i;
    int n;

    if (step_index(walk, node))
        return NN_OK;
    for (i = 0; i < node->count; ++i)
        for (n = names_at(node, i, names); n-- > 0;) {
            size_t length = fit(walk->rest, names[n].text);

            if (length && length == longest && names[n].slot != found)
                return nn_diagnostics_error(
                    walk->diagnostics, NN_INVALID_ARGUMENT,
                    "config.ambiguous-path", &walk->place,
                    "several elements are called '%.*s'; use an index from 0",
                    (int)length, walk->rest);
            if (length > longest) {
                longest = length;
                found = names[n].slot;
            }
        }
    if (!found)
        return not_found(walk);
    advance(walk, found, longest);
    return NN_OK;
}

static void start(struct walk *walk, nn_node **root, const char *path,
                  const nn_place *place, nn_diagnostics *diagnostics)
{
    memset(walk, 0, sizeof *walk);
    walk->path = path;
    walk->rest = path;
    walk->slot = root;
    walk->diagnostics = diagnostics;
    if (place)
        walk->place = *place;
}

int32_t nn_node_get(nn_node *root, const char *path, const nn_place *place,
                    nn_diagnostics *diagnostics, nn_node **out)
{
    struct walk walk;
    int32_t code = NN_OK;

    *out = NULL;
    start(&walk, &root, path, place, diagnostics);
    while (*walk.rest && !code)
        code = step(&walk);
    if (!code)
        *out = *walk.slot;
    return code;
}

/* NN_OK if PATH is well formed and VALUE does not get too deep with it. */
static int32_t check_set(const struct walk *walk, const nn_node *value)
{
    int32_t depth = nn_node_depth(value);
    const char *dot;

    if (walk->path[0] == '\0' || walk->path[0] == '.' ||
        walk->path[strlen(walk->path) - 1] == '.' || strstr(walk->path, ".."))
        return nn_diagnostics_error(walk->diagnostics, NN_INVALID_ARGUMENT,
                                    "config.path", &walk->place,
                                    "'%s' is no path such as training.epochs",
                                    walk->path);
    for (dot = walk->path; dot; dot = strchr(dot + 1, '.'))
        depth += 2; /* a part may step through a list's element and its map */
    if (depth > NN_NODE_DEPTH)
        return nn_diagnostics_error(walk->diagnostics, NN_INVALID_ARGUMENT,
                                    "config.too-deep", &walk->place,
                                    "'%s' is nested too deep", walk->path);
    return NN_OK;
}

int32_t nn_node_set(nn_node *root, const char *path, const nn_place *place,
                    nn_node *value, nn_diagnostics *diagnostics)
{
    struct walk walk;
    int32_t code;

    start(&walk, &root, path, place, diagnostics);
    code = check_set(&walk, value);
    while (!code && *walk.rest) {
        nn_node *node = *walk.slot;

        if (node->kind == NN_NODE_MAP && !strchr(walk.rest, '.') &&
            !nn_node_find(node, walk.rest))
            return nn_node_put_at(node, walk.rest, place, value);
        code = step(&walk);
    }
    if (code) {
        nn_node_destroy(value);
        return code;
    }
    nn_node_destroy(*walk.slot);
    *walk.slot = value;
    return NN_OK;
}

/* The copied text from START to END without blanks around it. */
static char *trimmed(const char *start, const char *end)
{
    while (start < end && *start == ' ')
        ++start;
    while (start < end && end[-1] == ' ')
        --end;
    return strndup(start, (size_t)(end - start));
}

/* Carries out the assignment that SOURCE holds, whose '=' is at EQUALS. */
static int32_t assign(nn_node *root, nn_source *source, const char *equals,
                      nn_diagnostics *diagnostics)
{
    size_t length;
    const char *text = nn_source_text(source, &length);
    nn_place place = nn_source_place(source, strspn(text, " "));
    nn_node *value = NULL;
    char *path;
    int32_t code;

    code = nn_node_read_source(source, (size_t)(equals - text) + 1, diagnostics,
                               &value);
    if (code)
        return code;
    path = trimmed(text, equals);
    if (path) {
        code = nn_node_set(root, path, &place, value, diagnostics);
    } else {
        nn_node_destroy(value);
        code = nn_error_no_memory("a path", length);
    }
    free(path);
    return code;
}

int32_t nn_node_assign(nn_node *root, const char *assignment, const char *name,
                       nn_diagnostics *diagnostics)
{
    nn_place place = {NULL, 1, 1};
    const char *text;
    const char *equals;
    size_t length;
    int32_t code;

    code = nn_source_create(name, assignment, strlen(assignment),
                            &place.source);
    if (code)
        return code;
    text = nn_source_text(place.source, &length);
    equals = strchr(text, '=');
    if (!equals || equals[1 + strspn(equals + 1, " ")] == '\0')
        code = nn_diagnostics_error(diagnostics, NN_INVALID_ARGUMENT,
                                    "config.assignment", &place,
                                    "expected path=value");
    else
        code = assign(root, place.source, equals, diagnostics);
    nn_source_release(place.source);
    return code;
}
