/* SPDX-License-Identifier: MIT */
/* link.c - see link.h.
 *
 * Names are resolved before shapes are known: a link holds the layer's index
 * in the order of the config and the output's number, which for the layer of
 * the inputs are known from its set-up.  Slices are checked against the shape
 * later, when the layer is set up. */
#include "core/graph/link.h"

#include <string.h>

#include "core/util/number.h"
#include "core/util/suggest.h"

static int copy_part(const char *from, size_t length, char to[128])
{
    if (length == 0 || length >= 128)
        return 0;
    memcpy(to, from, length);
    to[length] = '\0';
    return 1;
}

/* The number from FIRST to END, at least LEAST. */
static int parse_bound(const char *first, const char *end, int64_t least,
                       int64_t *out)
{
    return !nn_number_parse_int(first, (size_t)(end - first), out) &&
           *out >= least;
}

/* "[a:b]" at TEXT, either end may be left out. */
static int parse_slice(const char *text, nn_origin *out)
{
    const char *colon = strchr(text, ':');
    const char *end = strchr(text, ']');

    out->first = 0;
    out->end = -1;
    out->sliced = 1;
    if (!colon || !end || colon > end || end[1] != '\0')
        return 0;
    if (colon > text + 1 && !parse_bound(text + 1, colon, 0, &out->first))
        return 0;
    return end == colon + 1 ||
           parse_bound(colon + 1, end, out->first + 1, &out->end);
}

int32_t nn_origin_parse(const char *text, nn_origin *out)
{
    const char *bracket = strchr(text, '[');
    size_t length = bracket ? (size_t)(bracket - text) : strlen(text);
    const char *dot = memchr(text, '.', length);

    memset(out, 0, sizeof *out);
    if (bracket && !parse_slice(bracket, out))
        return NN_FORMAT;
    if (!dot)
        return copy_part(text, length, out->layer) ? NN_OK : NN_FORMAT;
    return copy_part(text, (size_t)(dot - text), out->layer) &&
                   copy_part(dot + 1, length - (size_t)(dot + 1 - text),
                             out->port)
               ? NN_OK
               : NN_FORMAT;
}

/* The output of LAYER called PORT; the first one for an empty name; -1. */
static int32_t find_output(const nn_graph_layer *layer, const char *port)
{
    uint32_t i;

    if (layer->outputs.count) { /* layer 0, which is set up already */
        if (!*port)
            return 0;
        for (i = 0; i < layer->outputs.count; ++i)
            if (!strcmp(layer->outputs.items[i].name, port))
                return (int32_t)i;
        return -1;
    }
    if (!*port)
        return layer->component->n_outputs ? 0 : -1;
    for (i = 0; i < layer->component->n_outputs; ++i)
        if (!strcmp(layer->component->outputs[i]->name, port))
            return (int32_t)i;
    return -1;
}

/* "; did you mean ...?" among the layers and inputs, into TAIL. */
static const char *nearest(const nn_graph *graph, const char *name,
                           char tail[128])
{
    const nn_buffers *inputs = &graph->layers[0].outputs;
    nn_suggest suggest;
    uint32_t i;
    int32_t j;

    nn_suggest_start(&suggest, name);
    for (i = 0; i < inputs->count; ++i)
        nn_suggest_offer(&suggest, inputs->items[i].name);
    for (j = 1; j < graph->n_layers; ++j)
        nn_suggest_offer(&suggest, graph->layers[j].name);
    return nn_suggest_tail(&suggest, tail);
}

static int32_t unknown_source(nn_graph *graph, const nn_graph_layer *layer,
                              const nn_origin *source)
{
    char tail[128];
    int32_t i;

    /* It may be the name of a layer that could not be read. */
    for (i = 1; i < graph->n_layers; ++i)
        if (!graph->layers[i].component)
            return NN_NOT_FOUND;
    return nn_diagnostics_error(
        graph->diagnostics, NN_NOT_FOUND, "graph.unknown-source",
        source->node ? &source->node->place : &layer->place,
        "layer '%s' reads '%s', which is neither a layer nor an input%s",
        layer->name, source->layer, nearest(graph, source->layer, tail));
}

static int32_t resolve(nn_graph *graph, const nn_graph_layer *layer,
                       const nn_origin *source, nn_link *link)
{
    int32_t input = find_output(&graph->layers[0], source->layer);
    int32_t found = nn_graph_find(graph, source->layer);
    int32_t output;

    if (found <= 0 && input >= 0 && !*source->port) {
        link->layer = 0;
        link->output = (uint32_t)input;
    } else if (found >= 0) {
        output = find_output(&graph->layers[found], source->port);
        if (output < 0)
            return nn_diagnostics_error(
                graph->diagnostics, NN_NOT_FOUND, "graph.unknown-output",
                source->node ? &source->node->place : &layer->place,
                "layer '%s' reads output '%s' of '%s', which has none such",
                layer->name, source->port, source->layer);
        link->layer = found;
        link->output = (uint32_t)output;
    } else {
        return unknown_source(graph, layer, source);
    }
    link->first = source->sliced ? source->first : 0;
    link->count = 0;
    if (source->sliced)
        link->count = source->end < 0 ? -1 : source->end - source->first;
    return NN_OK;
}

/* Reads one source of port NUMBER into its place. */
static int32_t read_source(nn_graph *graph, nn_graph_layer *layer,
                           const nn_node *node, uint32_t place)
{
    nn_origin source;
    char said[64];

    if (node->kind != NN_NODE_SCALAR)
        return nn_diagnostics_error(graph->diagnostics, NN_FORMAT,
                                    "graph.source", &node->place,
                                    "layer '%s': a source is a layer, "
                                    "layer.port or layer[a:b], not %s",
                                    layer->name, nn_node_say(node, said));
    if (!strcmp(node->text, "none")) {
        layer->inputs[place].layer = -1;
        return NN_OK;
    }
    if (nn_origin_parse(node->text, &source))
        return nn_diagnostics_error(graph->diagnostics, NN_FORMAT,
                                    "graph.source", &node->place,
                                    "layer '%s': '%s' is no source; write "
                                    "layer, layer.port or layer[first:end]",
                                    layer->name, node->text);
    source.node = node;
    return resolve(graph, layer, &source, &layer->inputs[place]);
}

static int variadic(const nn_component *component)
{
    uint32_t count = component->n_inputs;

    return count && (component->inputs[count - 1]->flags & NN_PORT_VARIADIC);
}

/* Room for COUNT inputs, all open. */
static int32_t make_room(nn_graph *graph, nn_graph_layer *layer, uint32_t count)
{
    uint32_t i;

    layer->inputs = nn_arena_alloc(graph->arena, count, sizeof(nn_link));
    layer->input_shapes = nn_arena_alloc(graph->arena, count, sizeof(nn_shape));
    if (!layer->inputs || !layer->input_shapes)
        return NN_NO_MEMORY;
    layer->n_inputs = count;
    for (i = 0; i < count; ++i)
        layer->inputs[i].layer = -1;
    return NN_OK;
}

static int32_t link_list(nn_graph *graph, nn_graph_layer *layer,
                         const nn_node *from)
{
    uint32_t ports = layer->component->n_inputs;
    uint32_t count = (uint32_t)from->count;
    int32_t code;
    int64_t i;

    if (from->count > (int64_t)ports && !variadic(layer->component))
        return nn_diagnostics_error(graph->diagnostics, NN_INVALID_ARGUMENT,
                                    "graph.too-many-sources", &from->place,
                                    "layer '%s' has %u inputs, not %lld",
                                    layer->name, ports, (long long)from->count);
    code = make_room(graph, layer, count > ports ? count : ports);
    for (i = 0; i < from->count && !code; ++i)
        code = read_source(graph, layer, from->entries[i].node, (uint32_t)i);
    return code;
}

static int32_t port_number(nn_graph *graph, const nn_graph_layer *layer,
                           const nn_entry *entry)
{
    const nn_component *component = layer->component;
    nn_suggest suggest;
    char tail[128];
    uint32_t i;

    nn_suggest_start(&suggest, entry->key);
    for (i = 0; i < component->n_inputs; ++i) {
        if (!strcmp(component->inputs[i]->name, entry->key))
            return (int32_t)i;
        nn_suggest_offer(&suggest, component->inputs[i]->name);
    }
    return nn_diagnostics_error(graph->diagnostics, NN_NOT_FOUND,
                                "graph.unknown-input", &entry->key_place,
                                "layer '%s' (%s) has no input '%s'%s",
                                layer->name, component->name, entry->key,
                                nn_suggest_tail(&suggest, tail));
}

/* Entries that a map gives the variadic last port, at least 1. */
static uint32_t tail_length(const nn_component *component, const nn_node *from)
{
    const nn_node *tail;

    if (!variadic(component))
        return 1;
    tail = nn_node_find(from, component->inputs[component->n_inputs - 1]->name);
    return tail && tail->kind == NN_NODE_LIST && tail->count > 0
               ? (uint32_t)tail->count
               : 1;
}

static int32_t link_map(nn_graph *graph, nn_graph_layer *layer,
                        const nn_node *from)
{
    uint32_t ports = layer->component->n_inputs;
    int32_t code;
    int64_t i;
    int64_t j;

    code = make_room(graph, layer,
                     ports ? ports - 1 + tail_length(layer->component, from)
                           : 0);
    for (i = 0; i < from->count && !code; ++i) {
        const nn_entry *entry = &from->entries[i];
        int32_t port = port_number(graph, layer, entry);

        if (port < 0)
            return port;
        if (entry->node->kind != NN_NODE_LIST ||
            !(layer->component->inputs[port]->flags & NN_PORT_VARIADIC)) {
            code = read_source(graph, layer, entry->node, (uint32_t)port);
            continue;
        }
        for (j = 0; j < entry->node->count && !code; ++j)
            code = read_source(graph, layer, entry->node->entries[j].node,
                               (uint32_t)(port + j));
    }
    return code;
}

/* The layer before, or the first input. */
static int32_t link_default(nn_graph *graph, int32_t index)
{
    nn_graph_layer *layer = &graph->layers[index];
    const nn_graph_layer *before = &graph->layers[index - 1];
    int32_t code = make_room(graph, layer, layer->component->n_inputs);

    if (code || layer->n_inputs == 0)
        return code;
    if (before->component ? !before->component->n_outputs
                          : index == 1 && !before->outputs.count)
        return nn_diagnostics_error(graph->diagnostics, NN_INVALID_ARGUMENT,
                                    "graph.no-output", &layer->place,
                                    "layer '%s' follows '%s', which has no "
                                    "outputs; name its source in 'from'",
                                    layer->name, before->name);
    layer->inputs[0].layer = index - 1;
    layer->inputs[0].output = 0;
    return NN_OK;
}

/* Ports that are still open must be optional. */
static int32_t check_open(nn_graph *graph, const nn_graph_layer *layer)
{
    uint32_t i;

    for (i = 0; i < layer->n_inputs; ++i) {
        const nn_port *port = nn_graph_input_port(layer, i);

        if (layer->inputs[i].layer >= 0 || (port->flags & NN_PORT_OPTIONAL))
            continue;
        return nn_diagnostics_error(graph->diagnostics, NN_INVALID_ARGUMENT,
                                    "graph.open-input", &layer->place,
                                    "layer '%s' (%s): input '%s' is not "
                                    "connected; name its source in 'from'",
                                    layer->name, layer->component->name,
                                    port->name);
    }
    return NN_OK;
}

int32_t nn_graph_link_layer(nn_graph *graph, int32_t index, const nn_node *from)
{
    nn_graph_layer *layer = &graph->layers[index];
    int32_t code;

    if (!from)
        code = link_default(graph, index);
    else if (from->kind == NN_NODE_LIST)
        code = link_list(graph, layer, from);
    else if (from->kind == NN_NODE_MAP)
        code = link_map(graph, layer, from);
    else {
        code = make_room(graph, layer, layer->component->n_inputs);
        if (!code && layer->n_inputs == 0)
            code = nn_diagnostics_error(graph->diagnostics, NN_INVALID_ARGUMENT,
                                        "graph.no-input", &from->place,
                                        "layer '%s' (%s) has no inputs",
                                        layer->name, layer->component->name);
        if (!code)
            code = read_source(graph, layer, from, 0);
    }
    return code ? code : check_open(graph, layer);
}
