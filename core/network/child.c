/* SPDX-License-Identifier: MIT */
/* child.c - runs the graph of a child for some frames of its parent's pass.
 *
 * The buffers of a child's layers hold all T frames; a run sees a part of
 * them: every array with a time axis becomes the slice of its frames, in a
 * second context that each layer of a child has for this purpose.  The inputs
 * and input deltas of the whole child are arrays of the parent. */
#include "core/network/network.h"

#include <string.h>

#include <nn/random.h>

/* Frames FIRST to FIRST + FRAMES - 1 of ARRAY if its shape has a time axis. */
static nn_array part_of(const nn_array *array, const nn_shape *shape,
                        int64_t first, int64_t frames)
{
    nn_array part = *array;

    if (!array->ndim || shape->ndim == 0 || shape->dims[0] != NN_T)
        return part;
    if (array->memory)
        return nn_slice(array, first, frames);
    part.shape[0] = frames;
    return part;
}

/* Copies COUNT arrays whose shapes are those of BUFFERS to *AT. */
static const nn_array *part_buffers(nn_array **at, const nn_array *arrays,
                                    const nn_buffers *buffers, int64_t first,
                                    int64_t frames)
{
    nn_array *start = *at;
    uint32_t i;

    for (i = 0; i < buffers->count; ++i)
        *(*at)++ = part_of(&arrays[i], &buffers->items[i].shape, first,
                           frames);
    return start;
}

static const nn_array *part_inputs(nn_array **at, const nn_array *arrays,
                                   const nn_graph_layer *layer, int64_t first,
                                   int64_t frames)
{
    nn_array *start = *at;
    uint32_t i;

    for (i = 0; i < layer->n_inputs; ++i)
        *(*at)++ = part_of(&arrays[i], &layer->input_shapes[i], first,
                           frames);
    return start;
}

void nn_child_part(nn_layer_binding *own, int64_t first, int64_t frames)
{
    const nn_graph_layer *layer = own->layer;
    const nn_layer_context *whole = &own->context;
    nn_layer_context *part = &own->part;
    nn_array *at = own->part_arrays;

    *part = *whole;
    part->T = frames;
    part->inputs = part_inputs(&at, whole->inputs, layer, first, frames);
    part->input_deltas = part_inputs(&at, whole->input_deltas, layer, first,
                                     frames);
    part->outputs = part_buffers(&at, whole->outputs, &layer->outputs, first,
                                 frames);
    part->output_deltas = part_buffers(&at, whole->output_deltas,
                                       &layer->outputs, first, frames);
    part->internals = part_buffers(&at, whole->internals, &layer->internals,
                                   first, frames);
}

static nn_graph_binding *find_child(const nn_layer_context *context,
                                    const nn_child *child)
{
    const nn_layer_binding *own = context->core;
    uint32_t i;

    for (i = 0; i < own->layer->n_children; ++i)
        if (own->layer->children[i].child == child)
            return own->children[i];
    return NULL;
}

/* Replaces what the part of LAYER takes from the child's parent. */
static void take_parents(nn_layer_binding *own, const nn_array *inputs,
                         const nn_array *deltas, uint32_t n_inputs)
{
    nn_array *mine = (nn_array *)(uintptr_t)own->part.inputs;
    nn_array *mine_deltas = (nn_array *)(uintptr_t)own->part.input_deltas;
    uint32_t k;

    for (k = 0; k < own->layer->n_inputs; ++k) {
        const nn_view *view = &own->layout->inputs[k];
        const nn_view *delta = &own->layout->input_deltas[k];
        uint32_t input = (uint32_t)(-2 - view->record);

        if (view->record > -2 || input >= n_inputs)
            continue;
        mine[k] = inputs[input];
        if (view->count)
            mine[k] = nn_column_slice(&mine[k], view->first, view->count);
        if (!deltas || delta->record > -2)
            continue;
        mine_deltas[k] = deltas[input];
        if (delta->count)
            mine_deltas[k] = nn_column_slice(&mine_deltas[k], delta->first,
                                             delta->count);
        if (delta->mode == NN_ADD)
            mine_deltas[k] = nn_adding(&mine_deltas[k]);
    }
}

void nn_child_forward(const nn_layer_context *context, nn_child *child,
                      const nn_array *inputs, uint32_t n_inputs, int64_t first)
{
    nn_graph_binding *graph = find_child(context, child);
    const nn_layer_binding *parent = context->core;
    nn_network *network = parent->network;
    int32_t i;

    for (i = 1; graph && i < graph->layout->graph->n_layers; ++i) {
        nn_layer_binding *own = &graph->layers[i];

        own->context.flags = network->flags;
        own->context.random.seed = network->seed;
        own->context.random.stream = nn_hash_name(own->layer->path);
        own->context.random.offset = network->update;
        /* Every frame draws from a range of positions of its own. */
        own->context.random.first = (uint64_t)first << 40;
        nn_child_part(own, first, graph->frames);
        take_parents(own, inputs, NULL, n_inputs);
        own->layer->interface.forward(&own->part);
    }
}

/* Zeroes a delta before the first of its writers, which all add. */
static void zero_delta(const nn_layer_binding *own, int32_t record,
                       const nn_array *deltas, uint32_t n_inputs,
                       int64_t first, int64_t frames)
{
    nn_network *network = own->network;
    nn_array array;

    if (record <= -2) {
        uint32_t input = (uint32_t)(-2 - record);

        if (input < n_inputs && deltas[input].mode == NN_WRITE)
            nn_fill(own->context.ops, &deltas[input], 0);
        return;
    }
    array = nn_network_array(network, record);
    array = part_of(&array, &network->layout->records[record].shape, first,
                    frames);
    nn_fill(own->context.ops, &array, 0);
}

/* An input delta of the child that no layer of it writes is zero. */
static void zero_unwritten(const nn_graph_binding *graph,
                           const nn_operations *ops, const nn_array *deltas,
                           uint32_t n_inputs)
{
    uint32_t k;

    for (k = 0; k < n_inputs; ++k)
        if (deltas[k].mode == NN_WRITE &&
            graph->layout->layers[0].output_deltas[k].record == -1)
            nn_fill(ops, &deltas[k], 0);
}

void nn_child_backward(const nn_layer_context *context, nn_child *child,
                       const nn_array *inputs, const nn_array *input_deltas,
                       uint32_t n_inputs, int64_t first)
{
    nn_graph_binding *graph = find_child(context, child);
    int32_t i;
    uint32_t k;

    if (!graph)
        return;
    zero_unwritten(graph, context->ops, input_deltas, n_inputs);
    for (i = graph->layout->graph->n_layers - 1; i > 0; --i) {
        nn_layer_binding *own = &graph->layers[i];

        if (!own->layout->active)
            continue;
        own->context.random.first = (uint64_t)first << 40;
        for (k = 0; k < own->layout->n_zeros; ++k)
            zero_delta(own, own->layout->zeros[k], input_deltas, n_inputs,
                       first, graph->frames);
        nn_child_part(own, first, graph->frames);
        take_parents(own, inputs, input_deltas, n_inputs);
        own->layer->interface.backward(&own->part);
    }
}

nn_array nn_child_output(const nn_layer_context *context, nn_child *child,
                         uint32_t index)
{
    const nn_graph_binding *graph = find_child(context, child);
    nn_array none;

    memset(&none, 0, sizeof none);
    if (!graph)
        return none;
    return graph->layers[graph->layout->graph->n_layers - 1]
        .context.outputs[index];
}

nn_array nn_child_output_delta(const nn_layer_context *context,
                               nn_child *child, uint32_t index)
{
    const nn_graph_binding *graph = find_child(context, child);
    nn_array none;

    memset(&none, 0, sizeof none);
    if (!graph)
        return none;
    return graph->layers[graph->layout->graph->n_layers - 1]
        .context.output_deltas[index];
}
