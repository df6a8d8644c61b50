/* SPDX-License-Identifier: MIT */
/* child.c - the graph of a child: layer 0 stands for what the parent hands
 * over, behind it are the layers of a NETWORK or the one of a COMPONENT. */
#include <stdio.h>
#include <string.h>

#include "core/graph/graph.h"
#include "core/util/error.h"

/* Layer 0 of a child's graph: outputs "input", "input_1", ... */
static int32_t make_parent_layer(nn_graph *graph, const nn_shape *inputs,
                                 uint32_t n_inputs, const char *prefix)
{
    nn_graph_layer *layer = &graph->layers[0];
    int32_t code = NN_OK;
    char name[32];
    uint32_t i;

    layer->name = layer->path = "";
    layer->share = -1;
    layer->outputs.items = nn_arena_alloc(graph->arena, n_inputs,
                                          sizeof(nn_buffer));
    if (!layer->outputs.items)
        return NN_NO_MEMORY;
    layer->outputs.count = layer->outputs.capacity = n_inputs;
    for (i = 0; i < n_inputs && !code; ++i) {
        nn_buffer *buffer = &layer->outputs.items[i];

        snprintf(name, sizeof name, i ? "input_%u" : "input", i);
        *buffer = nn_buffer_named(nn_arena_string(graph->arena, name));
        if (!buffer->name)
            return NN_NO_MEMORY;
        if (inputs[i].ndim == 0)
            continue;
        code = nn_graph_check_shape(graph, prefix, "input of child", name, 1,
                                    &inputs[i]);
        memcpy(buffer->shape.dims, inputs[i].dims, sizeof buffer->shape.dims);
        buffer->shape.ndim = inputs[i].ndim;
        buffer->shape.dtype = inputs[i].dtype == NN_REAL ? graph->real
                                                         : inputs[i].dtype;
    }
    graph->n_layers = 1;
    return code;
}

/* The child has a port for every input, and no port that must be connected
 * stays open. */
static int32_t check_ports(const nn_component *component, uint32_t n_inputs,
                           const char *path)
{
    uint32_t ports = component->n_inputs;
    int variadic = ports &&
                   (component->inputs[ports - 1]->flags & NN_PORT_VARIADIC);
    uint32_t i;

    if (n_inputs > ports && !variadic)
        return nn_error_set(NN_INVALID_ARGUMENT, "layer.child-inputs",
                            "layer '%s' (%s) is handed %u inputs and has %u",
                            path, component->name, n_inputs, ports);
    for (i = n_inputs; i < ports; ++i)
        if (!(component->inputs[i]->flags & NN_PORT_OPTIONAL))
            return nn_error_set(NN_INVALID_ARGUMENT, "layer.child-inputs",
                                "layer '%s' (%s): nothing is handed to input "
                                "'%s'",
                                path, component->name,
                                component->inputs[i]->name);
    return NN_OK;
}

/* The one layer of a COMPONENT child, reading input k at port k. */
static int32_t make_single_layer(nn_graph *graph, const nn_child *child,
                                 uint32_t n_inputs, const char *prefix)
{
    nn_graph_layer *layer = &graph->layers[1];
    int32_t code;
    uint32_t i;

    layer->component = child->component;
    layer->interface = nn_graph_interface(layer->component);
    layer->params = child->params;
    if (child->node)
        layer->place = child->node->place;
    layer->name = layer->component->name;
    layer->path = nn_graph_join(graph, prefix, layer->name);
    layer->share = -1;
    if (!layer->path)
        return nn_error_code();
    code = check_ports(layer->component, n_inputs, layer->path);
    if (code)
        return code;
    layer->n_inputs = n_inputs > layer->component->n_inputs
                          ? n_inputs
                          : layer->component->n_inputs;
    layer->inputs = nn_arena_alloc(graph->arena, layer->n_inputs,
                                   sizeof(nn_link));
    layer->input_shapes = nn_arena_alloc(graph->arena, layer->n_inputs,
                                         sizeof(nn_shape));
    if (!layer->inputs || !layer->input_shapes)
        return NN_NO_MEMORY;
    for (i = 0; i < layer->n_inputs; ++i) {
        layer->inputs[i].layer = i < n_inputs ? 0 : -1;
        layer->inputs[i].output = i;
    }
    graph->n_layers = 2;
    return nn_graph_set_up(graph, 1);
}

static int32_t check_child(nn_graph *graph, const nn_graph_layer *layer,
                           const nn_child *child)
{
    uint32_t i;

    for (i = 0; i < layer->n_children; ++i)
        if (layer->children[i].child == child)
            return nn_error_set(NN_INTERNAL, "layer.child-twice",
                                "layer '%s' sets child '%s' up twice",
                                layer->path, child->name);
    if (child->type == NN_PARAM_NETWORK)
        return nn_graph_check_list(graph, child->node);
    if (child->kind == NN_KIND_LAYER &&
        !(child->component->flags & NN_LAYER_INPUT))
        return NN_OK;
    return nn_error_set(NN_INVALID_ARGUMENT, "layer.child-kind",
                        "layer '%s': child '%s' is no layer that can run",
                        layer->path, child->name);
}

int32_t nn_graph_create_child(nn_graph *graph, const nn_graph_layer *layer,
                              nn_child *child, const nn_shape *inputs,
                              uint32_t n_inputs, nn_graph **out)
{
    nn_graph *own = nn_arena_alloc(graph->arena, 1, sizeof *own);
    const char *prefix = nn_graph_join(graph, layer->path, child->name);
    int network = child->type == NN_PARAM_NETWORK;
    int32_t code;

    if (!own || !prefix)
        return nn_error_code();
    *own = *graph;
    own->n_layers = 0;
    own->slots = NULL;
    own->n_slots = 0;
    code = check_child(own, layer, child);
    if (code)
        return code;
    own->layers = nn_arena_alloc(graph->arena,
                                 network ? child->node->count + 1 : 2,
                                 sizeof *own->layers);
    if (!own->layers)
        return NN_NO_MEMORY;
    code = make_parent_layer(own, inputs, n_inputs, prefix);
    if (!code)
        code = network ? nn_graph_build(own, child->node, prefix)
                       : make_single_layer(own, child, n_inputs, prefix);
    own->diagnostics = NULL;
    *out = own;
    return code;
}
