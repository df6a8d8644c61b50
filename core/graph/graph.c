/* SPDX-License-Identifier: MIT */
/* graph.c - from the list of layers to a sorted graph that is set up.
 *
 * 1. read    every entry: component, values, name, reserved keys;
 * 2. link    `from` and `share` become indices;
 * 3. sort    by depth-first search in the order of the config, so that an order
 *            that already works is kept; a cycle is printed;
 * 4. set up  each layer in turn, so that shapes flow from the inputs. */
#include "core/graph/graph.h"

#include <stdio.h>
#include <string.h>

#include "core/graph/link.h"
#include "core/util/error.h"
#include "core/util/suggest.h"

static const char *const layer_keys[] = {"name", "from", "share", "initialize",
                                         NULL};

/* ---- reading ----------------------------------------------------------- */

/* Component and values of every entry. */
static int32_t read_components(nn_graph *graph, const nn_node *list,
                               nn_named *named)
{
    int32_t code = NN_OK;
    int64_t i;

    for (i = 0; i < list->count; ++i) {
        nn_graph_layer *layer = &graph->layers[graph->n_layers + i];
        int32_t result;

        layer->share = -1;
        layer->place = list->entries[i].node->place;
        result = nn_schema_component(graph->catalog, NN_KIND_LAYER,
                                     list->entries[i].node, "layer", layer_keys,
                                     graph->arena, graph->diagnostics,
                                     &named[i]);
        if (!result && (named[i].component->flags & NN_LAYER_INPUT))
            result = nn_diagnostics_error(
                graph->diagnostics, NN_INVALID_ARGUMENT, "graph.input-layer",
                &named[i].place,
                "'%s' stands for what 'inputs' describes and is no layer of a "
                "network",
                named[i].name);
        if (result) {
            code = code ? code : result;
            continue;
        }
        layer->component = named[i].component;
        layer->interface = nn_graph_interface(layer->component);
        layer->params = named[i].params;
    }
    return code;
}

static int32_t read_share(nn_graph *graph, int32_t index, const nn_node *node)
{
    nn_graph_layer *layer = &graph->layers[index];
    nn_suggest suggest;
    char tail[128];
    int32_t owner;
    int32_t i;

    if (!node)
        return NN_OK;
    owner = node->kind == NN_NODE_SCALAR ? nn_graph_find(graph, node->text)
                                         : -1;
    if (owner > 0 && owner != index &&
        graph->layers[owner].component == layer->component) {
        layer->share = owner;
        return NN_OK;
    }
    nn_suggest_start(&suggest, node->text ? node->text : "");
    for (i = 1; i < graph->n_layers; ++i)
        if (i != index && graph->layers[i].component == layer->component)
            nn_suggest_offer(&suggest, graph->layers[i].name);
    return nn_diagnostics_error(graph->diagnostics, NN_NOT_FOUND, "graph.share",
                                &node->place,
                                "layer '%s' can share only with another layer "
                                "of type '%s'%s",
                                layer->name, layer->component->name,
                                nn_suggest_tail(&suggest, tail));
}

/* ---- sorting ----------------------------------------------------------- */

typedef struct sorter {
    nn_graph *graph;
    int32_t *order; /* result: old indices in the new order */
    int32_t *place; /* old index -> new one, -1 while open */
    int32_t *stack; /* path of the search, without recursion */
    uint32_t *next; /* next input to look at, by old index */
    uint8_t *open;  /* 1 while on the stack */
    int32_t n_order;
    int32_t n_stack;
} sorter;

/* Predecessor number K of LAYER: inputs first, then the owner that it shares
 * with (so that the owner of a parameter stands first).  -2: no more. */
static int32_t predecessor(const nn_graph_layer *layer, uint32_t k)
{
    if (k < layer->n_inputs)
        return layer->inputs[k].layer;
    if (k == layer->n_inputs)
        return layer->share;
    return -2;
}

/* "a <- b shares a": who reads whom, and whose parameters. */
static int32_t report_cycle(const sorter *s, int32_t again)
{
    char text[1024];
    size_t used = 0;
    int32_t i = 0;

    while (s->stack[i] != again)
        ++i;
    for (; i < s->n_stack && used < sizeof text; ++i) {
        const nn_graph_layer *layer = &s->graph->layers[s->stack[i]];
        int shares = s->next[s->stack[i]] == layer->n_inputs + 1;

        used += (size_t)snprintf(text + used, sizeof text - used, "%s %s ",
                                 layer->name, shares ? "shares" : "<-");
    }
    if (used < sizeof text)
        snprintf(text + used, sizeof text - used, "%s",
                 s->graph->layers[again].name);
    return nn_diagnostics_error(s->graph->diagnostics, NN_INVALID_ARGUMENT,
                                "graph.cycle", &s->graph->layers[again].place,
                                "the layers form a cycle: %s", text);
}

/* Depth-first from START, predecessors first. */
static int32_t visit(sorter *s, int32_t start)
{
    s->stack[s->n_stack++] = start;
    s->open[start] = 1;
    while (s->n_stack) {
        int32_t top = s->stack[s->n_stack - 1];
        int32_t before = predecessor(&s->graph->layers[top], s->next[top]++);

        if (before == -2) {
            s->open[top] = 0;
            s->place[top] = s->n_order;
            s->order[s->n_order++] = top;
            --s->n_stack;
        } else if (before >= 0 && s->open[before]) {
            return report_cycle(s, before);
        } else if (before >= 0 && s->place[before] < 0) {
            s->stack[s->n_stack++] = before;
            s->open[before] = 1;
        }
    }
    return NN_OK;
}

/* Moves the layers into the new order and renumbers links. */
static int32_t reorder(sorter *s)
{
    nn_graph *graph = s->graph;
    nn_graph_layer *sorted;
    int32_t i;
    uint32_t k;

    sorted = nn_arena_alloc(graph->arena, graph->n_layers, sizeof *sorted);
    if (!sorted)
        return NN_NO_MEMORY;
    for (i = 0; i < graph->n_layers; ++i) {
        nn_graph_layer *layer = &sorted[i];

        *layer = graph->layers[s->order[i]];
        for (k = 0; k < layer->n_inputs; ++k)
            if (layer->inputs[k].layer >= 0)
                layer->inputs[k].layer = s->place[layer->inputs[k].layer];
        if (layer->share >= 0)
            layer->share = s->place[layer->share];
    }
    graph->layers = sorted;
    nn_graph_note_names(graph);
    return NN_OK;
}

static int32_t sort_layers(nn_graph *graph)
{
    sorter s;
    int32_t code = NN_OK;
    int32_t n = graph->n_layers;
    int32_t i;

    memset(&s, 0, sizeof s);
    s.graph = graph;
    s.order = nn_arena_alloc(graph->arena, n, sizeof *s.order);
    s.place = nn_arena_alloc(graph->arena, n, sizeof *s.place);
    s.stack = nn_arena_alloc(graph->arena, n, sizeof *s.stack);
    s.next = nn_arena_alloc(graph->arena, n, sizeof *s.next);
    s.open = nn_arena_alloc(graph->arena, n, sizeof *s.open);
    if (!s.order || !s.place || !s.stack || !s.next || !s.open)
        return NN_NO_MEMORY;
    for (i = 0; i < n; ++i)
        s.place[i] = -1;
    for (i = 0; i < n && !code; ++i)
        if (s.place[i] < 0)
            code = visit(&s, i);
    return code ? code : reorder(&s);
}

/* ---- setting up -------------------------------------------------------- */

/* Columns FIRST to FIRST + COUNT - 1 of SHAPE; all of them are no slice. */
static int32_t cut(nn_graph *graph, const nn_graph_layer *layer, nn_link *link,
                   nn_shape *shape)
{
    int64_t *columns = &shape->dims[shape->ndim - 1];

    if (link->count < 0)
        link->count = *columns - link->first;
    if (*columns < 1 || link->count < 1 || link->first > *columns - link->count)
        return nn_diagnostics_error(graph->diagnostics, NN_SHAPE, "graph.slice",
                                    &layer->place,
                                    "layer '%s' reads columns %lld to %lld of "
                                    "'%s', which has %lld",
                                    layer->path, (long long)link->first,
                                    (long long)(link->first + link->count),
                                    graph->layers[link->layer].name,
                                    *columns < 1 ? 0LL : (long long)*columns);
    if (link->count == *columns)
        link->count = 0;
    else
        *columns = link->count;
    return NN_OK;
}

/* The shape that input K gets, its slice checked.  What the source, a child's
 * parent, does not have itself is as if it were not connected. */
static int32_t input_shape(nn_graph *graph, nn_graph_layer *layer, uint32_t k)
{
    nn_link *link = &layer->inputs[k];
    nn_shape *shape = &layer->input_shapes[k];
    const nn_port *port = nn_graph_input_port(layer, k);
    const nn_graph_layer *source;

    memset(shape, 0, sizeof *shape);
    shape->size = NN_SIZEOF(nn_shape, dims);
    if (link->layer < 0)
        return NN_OK;
    source = &graph->layers[link->layer];
    if (link->output < source->outputs.count)
        *shape = source->outputs.items[link->output].shape;
    if (shape->ndim)
        return link->count ? cut(graph, layer, link, shape) : NN_OK;
    link->layer = -1;
    if (port->flags & NN_PORT_OPTIONAL)
        return NN_OK;
    return nn_diagnostics_error(graph->diagnostics, NN_INVALID_ARGUMENT,
                                "graph.open-input", &layer->place,
                                "layer '%s' (%s): there is nothing for input "
                                "'%s'",
                                layer->path, layer->component->name,
                                port->name);
}

/* The dtype must be one that the port accepts. */
static int32_t check_dtype(nn_graph *graph, const nn_graph_layer *layer,
                           uint32_t index)
{
    static const char *const names[] = {"real",  "float32", "float64", "int32",
                                        "uint8", "float16", "bfloat16"};
    const nn_port *port = nn_graph_input_port(layer, index);
    uint32_t dtype = layer->input_shapes[index].dtype;
    uint32_t accepted = port->dtypes;

    if (accepted & (1u << NN_REAL))
        accepted |= 1u << graph->real;
    if (accepted == 0 || layer->inputs[index].layer < 0 ||
        (accepted & (1u << dtype)))
        return NN_OK;
    return nn_diagnostics_error(graph->diagnostics, NN_INVALID_ARGUMENT,
                                "graph.dtype", &layer->place,
                                "layer '%s' (%s): input '%s' does not take "
                                "%s",
                                layer->name, layer->component->name, port->name,
                                dtype < 7 ? names[dtype] : "this");
}

int32_t nn_graph_set_up(nn_graph *graph, int32_t index)
{
    nn_graph_layer *layer = &graph->layers[index];
    int64_t reported;
    int32_t code = NN_OK;
    uint32_t k;

    for (k = 0; k < layer->n_inputs && !code; ++k) {
        code = input_shape(graph, layer, k);
        if (!code)
            code = check_dtype(graph, layer, k);
    }
    if (code)
        return code;
    reported = graph->diagnostics ? graph->diagnostics->errors : 0;
    code = nn_graph_setup_layer(graph, index);
    if (code && graph->diagnostics && graph->diagnostics->errors == reported) {
        char text[NN_ERROR_TEXT];

        snprintf(text, sizeof text, "%s", nn_error_text());
        nn_diagnostics_error(graph->diagnostics, code, nn_error_id(),
                             &layer->place, "%s", text);
    }
    return code;
}

/* ---- building ---------------------------------------------------------- */

int32_t nn_graph_check_list(nn_graph *graph, const nn_node *list)
{
    char said[64];

    if (list->kind == NN_NODE_LIST && list->count > 0)
        return NN_OK;
    return nn_diagnostics_error(graph->diagnostics, NN_INVALID_ARGUMENT,
                                "graph.layers", &list->place,
                                "a network is a list of at least one layer, "
                                "not %s",
                                nn_node_say(list, said));
}

int32_t nn_graph_build(nn_graph *graph, const nn_node *list, const char *prefix)
{
    nn_named *named;
    int32_t first = graph->n_layers;
    int32_t code;
    int32_t result;
    int32_t i;

    named = nn_arena_alloc(graph->arena, list->count, sizeof *named);
    if (!named)
        return NN_NO_MEMORY;
    code = read_components(graph, list, named);
    graph->n_layers += (int32_t)list->count;
    result = nn_graph_name_layers(graph, first, named, list->count, prefix);
    code = code ? code : result;
    for (i = first; i < graph->n_layers; ++i) {
        const nn_node *body = named[i - first].body;

        if (!graph->layers[i].component)
            continue;
        result = nn_graph_link_layer(graph, i, nn_node_find(body, "from"));
        code = code ? code : result;
        result = read_share(graph, i, nn_node_find(body, "share"));
        code = code ? code : result;
    }
    if (!code)
        code = sort_layers(graph);
    for (i = first; i < graph->n_layers && !code; ++i)
        code = nn_graph_set_up(graph, i);
    return code;
}

/* Layer 0 of a network; its first parameter is the map of the inputs. */
static int32_t read_inputs(nn_graph *graph, const nn_component *component,
                           const nn_node *inputs)
{
    nn_graph_layer *layer = &graph->layers[0];
    nn_node *wrapped;
    int32_t code;
    uint32_t i;

    layer->component = component;
    wrapped = nn_node_map();
    code = nn_node_put(wrapped, layer->component->params[0]->name,
                       nn_node_copy(inputs));
    if (!code)
        code = nn_schema_params(graph->catalog, layer->component->params,
                                layer->component->n_params, wrapped,
                                &inputs->place, "inputs", NULL, graph->arena,
                                graph->diagnostics, &layer->params);
    nn_node_destroy(wrapped);
    if (code)
        return code;
    layer->interface = nn_graph_interface(layer->component);
    layer->name = layer->path = "inputs";
    layer->place = inputs->place;
    layer->share = -1;
    graph->n_layers = 1;
    code = nn_graph_set_up(graph, 0);
    for (i = 0; i < layer->outputs.count && !code; ++i)
        if (!nn_graph_is_name(layer->outputs.items[i].name))
            code = nn_diagnostics_error(graph->diagnostics, NN_INVALID_ARGUMENT,
                                        "graph.name", &inputs->place,
                                        "'%s' is no name for an input: it has "
                                        "letters, digits and '_', starts with "
                                        "no digit and is not 'none'",
                                        layer->outputs.items[i].name);
    return code;
}

int32_t nn_graph_create(const nn_catalog *catalog, const nn_host *host,
                        const nn_component *input, const nn_node *inputs,
                        const nn_node *layers, uint32_t real,
                        nn_diagnostics *diagnostics, nn_graph **out)
{
    nn_graph *graph = NULL;
    nn_arena *arena = NULL;
    int32_t code = nn_arena_create(&arena);

    *out = NULL;
    if (code)
        return code;
    graph = nn_arena_alloc(arena, 1, sizeof *graph);
    if (!graph) {
        nn_arena_destroy(arena);
        return NN_NO_MEMORY;
    }
    graph->arena = arena;
    graph->catalog = catalog;
    graph->host = host;
    graph->real = real;
    graph->diagnostics = diagnostics;
    code = nn_graph_check_list(graph, layers);
    if (!code) {
        graph->layers = nn_arena_alloc(arena, layers->count + 1,
                                       sizeof *graph->layers);
        code = graph->layers ? read_inputs(graph, input, inputs) : NN_NO_MEMORY;
    }
    if (!code)
        code = nn_graph_build(graph, layers, "");
    graph->diagnostics = NULL;
    if (code) {
        nn_graph_destroy(graph);
        return code;
    }
    *out = graph;
    return NN_OK;
}

void nn_graph_destroy(nn_graph *graph)
{
    if (graph)
        nn_arena_destroy(graph->arena);
}
