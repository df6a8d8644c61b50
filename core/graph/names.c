/* SPDX-License-Identifier: MIT */
/* names.c - what layers are called, and finding them by name.
 *
 * A graph has a table of its names with open addressing: a name stands in the
 * slot of its hash or in the next free one behind it.  At most half of the
 * slots are taken, so looking up takes the same time in a network of 20000
 * layers as in one of two. */
#include "core/graph/graph.h"

#include <stdio.h>
#include <string.h>

#include <nn/random.h>

#include "core/util/error.h"

/* ---- the table --------------------------------------------------------- */

/* The slot of NAME, or the free one where it belongs. */
static int32_t *slot_of(const nn_graph *graph, const char *name)
{
    uint64_t mask = (uint64_t)graph->n_slots - 1;
    uint64_t at = nn_hash_name(name) & mask;

    while (graph->slots[at] &&
           strcmp(graph->layers[graph->slots[at] - 1].name, name))
        at = (at + 1) & mask;
    return &graph->slots[at];
}

int32_t nn_graph_find(const nn_graph *graph, const char *name)
{
    return graph->n_slots ? *slot_of(graph, name) - 1 : -1;
}

static void note_name(nn_graph *graph, int32_t index)
{
    *slot_of(graph, graph->layers[index].name) = index + 1;
}

void nn_graph_note_names(nn_graph *graph)
{
    int32_t i;

    memset(graph->slots, 0, (size_t)graph->n_slots * sizeof *graph->slots);
    for (i = 0; i < graph->n_layers; ++i)
        note_name(graph, i);
}

/* A table for all layers that the graph counts. */
static int32_t make_table(nn_graph *graph)
{
    graph->n_slots = 4;
    while (graph->n_slots < 2 * (int64_t)graph->n_layers)
        graph->n_slots *= 2;
    graph->slots = nn_arena_alloc(graph->arena, graph->n_slots,
                                  sizeof *graph->slots);
    if (graph->slots)
        return NN_OK;
    graph->n_slots = 0;
    return NN_NO_MEMORY;
}

/* ---- names ------------------------------------------------------------- */

int nn_graph_is_name(const char *text)
{
    size_t i;

    for (i = 0; text[i]; ++i) {
        char c = text[i];
        int letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                     c == '_';

        if (!letter && (i == 0 || c < '0' || c > '9'))
            return 0;
    }
    return i > 0 && i < 100 && strcmp(text, "none") != 0;
}

const char *nn_graph_join(nn_graph *graph, const char *prefix, const char *name)
{
    size_t room = strlen(prefix) + strlen(name) + 2;
    char *path;

    if (!*prefix)
        return name;
    if (room > NN_GRAPH_PATH) {
        nn_error_set(NN_INVALID_ARGUMENT, "graph.path",
                     "the path '%.100s...' of a layer in layers is longer "
                     "than %d characters",
                     prefix, NN_GRAPH_PATH - 1);
        return NULL;
    }
    path = nn_arena_alloc(graph->arena, (int64_t)room, 1);
    if (path)
        snprintf(path, room, "%s.%s", prefix, name);
    return path;
}

/* The place of NAME among the layers, or behind them among the inputs; -1 if
 * it is free. */
static int32_t holder(const nn_graph *graph, const char *name)
{
    const nn_buffers *inputs = &graph->layers[0].outputs;
    int32_t found = nn_graph_find(graph, name);
    uint32_t i;

    for (i = 0; found < 0 && i < inputs->count; ++i)
        if (!strcmp(inputs->items[i].name, name))
            found = graph->n_layers + (int32_t)i;
    return found;
}

/* The component's name, with _2, _3, ... if it is taken.  NEXT has for every
 * holder of a name how often it was wanted, so that no number is tried
 * twice. */
static const char *default_name(nn_graph *graph, const char *base,
                                int32_t *next)
{
    int32_t held = holder(graph, base);
    char name[NN_GRAPH_NAME + 16];

    snprintf(name, sizeof name, "%s", base);
    while (holder(graph, name) >= 0)
        snprintf(name, sizeof name, "%s_%d", base, 2 + next[held]++);
    return nn_arena_string(graph->arena, name);
}

static int32_t given_name(nn_graph *graph, nn_graph_layer *layer,
                          const nn_node *node)
{
    int32_t held;

    if (node->kind != NN_NODE_SCALAR || !nn_graph_is_name(node->text))
        return nn_diagnostics_error(graph->diagnostics, NN_INVALID_ARGUMENT,
                                    "graph.name", &node->place,
                                    "the name of a layer has letters, digits "
                                    "and '_', starts with no digit and is not "
                                    "'none'");
    held = holder(graph, node->text);
    if (held >= 0)
        return nn_diagnostics_error(graph->diagnostics, NN_INVALID_ARGUMENT,
                                    "graph.repeated-name", &node->place,
                                    held < graph->n_layers
                                        ? "another layer is called '%s' "
                                          "already"
                                        : "an input is called '%s' already",
                                    node->text);
    layer->name = nn_arena_string(graph->arena, node->text);
    return layer->name ? NN_OK : NN_NO_MEMORY;
}

/* Gives layer INDEX its name; "?" after an error. */
static int32_t name_layer(nn_graph *graph, int32_t index, const nn_named *named,
                          const char *prefix, int32_t *next)
{
    nn_graph_layer *layer = &graph->layers[index];
    const nn_node *node = nn_node_find(named->body, "name");
    int32_t code = NN_OK;

    layer->body = named->body;
    layer->initialize = nn_node_find(named->body, "initialize");
    if (node)
        code = given_name(graph, layer, node);
    else
        layer->name = default_name(graph, layer->component->name, next);
    if (!code && !layer->name)
        code = NN_NO_MEMORY;
    if (!code)
        note_name(graph, index);
    else
        layer->name = "?";
    layer->path = nn_graph_join(graph, prefix, layer->name);
    if (layer->path)
        return code;
    layer->path = "?";
    return code ? code : nn_error_code();
}

int32_t nn_graph_name_layers(nn_graph *graph, int32_t first,
                             const nn_named *named, int64_t count,
                             const char *prefix)
{
    int64_t room = graph->n_layers + (int64_t)graph->layers[0].outputs.count;
    int32_t *next = nn_arena_alloc(graph->arena, room, sizeof *next);
    int32_t code = make_table(graph);
    int64_t i;
    int pass;

    if (code || !next)
        return NN_NO_MEMORY;
    note_name(graph, 0);
    /* Explicit names first, so that a default never takes one away. */
    for (pass = 0; pass < 2; ++pass)
        for (i = 0; i < count; ++i) {
            int given = nn_node_find(named[i].body, "name") != NULL;
            int32_t result;

            if (!graph->layers[first + i].component || given != (pass == 0))
                continue;
            result = name_layer(graph, first + (int32_t)i, &named[i], prefix,
                                next);
            code = code ? code : result;
        }
    return code;
}
