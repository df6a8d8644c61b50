/* SPDX-License-Identifier: MIT */
/* child.c - runs the graph of a child for some frames of its parent's pass.
 *
 * The buffers of a child's layers hold all T frames; a run sees a part of
 * them, in a second context that each layer of a child has for this purpose:
 * of every array with a time axis its frames, of every other one the copy of
 * this run.  Frames are counted in the whole pass, so that a child of a child
 * finds its own.  The inputs and input deltas of the whole child are arrays of
 * the parent, without gaps between their rows, as the plans expect. */
#include "core/network/network.h"

#include <stdio.h>
#include <string.h>

#include "core/reference/compose.h"

/* ---- the part that a run sees ------------------------------------------ */

/* The part of ARRAY, of SHAPE, from FIRST on; RUN_BYTES lie between the copies
 * of what has no time axis. */
static nn_array part_of(const nn_graph_binding *graph, const nn_array *array,
                        const nn_shape *shape, int64_t run_bytes, int64_t first)
{
    nn_array part = *array;

    if (!array->ndim)
        return part;
    if (shape->dims[0] != NN_T) {
        part.offset += first / graph->frames * run_bytes;
        return part;
    }
    if (array->memory)
        return nn_slice(array, first, graph->frames);
    part.shape[0] = graph->frames;
    return part;
}

/* Parts of COUNT arrays that VIEWS describe, at *AT; SHAPES stand for those
 * without a record, STEP bytes apart. */
static const nn_array *parts(const nn_layer_binding *own, nn_array **at,
                             const nn_array *arrays, const nn_view *views,
                             uint32_t count, const nn_shape *shapes,
                             size_t step, int64_t first)
{
    const nn_layout *layout = own->network->layout;
    const nn_binding *now = own->network->now;
    nn_array *start = *at;
    uint32_t i;

    for (i = 0; i < count; ++i) {
        const nn_shape *shape =
            (const nn_shape *)(const void *)((const char *)shapes + i * step);
        int64_t run_bytes = 0;

        if (views[i].record >= 0) {
            shape = &layout->records[views[i].record].shape;
            run_bytes = nn_layout_run_bytes(&layout->records[views[i].record],
                                            now->T, now->B);
        }
        *(*at)++ = part_of(own->graph, &arrays[i], shape, run_bytes, first);
    }
    return start;
}

/* Reserves of other layers, of this run. */
static void part_reserves(const nn_layer_binding *own, nn_array *references,
                          int64_t first)
{
    uint32_t k;

    for (k = 0; k < own->layer->n_references; ++k) {
        const nn_reference_link *link = &own->layer->references[k];
        const nn_reserve *reserve;

        if (link->sort != NN_REFER_RESERVE || !references[k].ndim)
            continue;
        reserve = &own->graph->layers[link->layer].reserves[link->index / 2];
        references[k].offset +=
            first / own->graph->frames *
            nn_layout_run_bytes(&own->network->layout->records[reserve->record],
                                1, 1);
    }
}

/* Points the plans at the reserves of this run. */
static void place_reserves(nn_layer_binding *own, int64_t first)
{
    const nn_layout *layout = own->network->layout;
    uint32_t i;

    for (i = 0; own->reserving && i < NN_PLAN_SLOTS; ++i) {
        nn_plan *plan = own->plans[i];
        const nn_record *record;

        if (!plan || !plan->reserve.ndim)
            continue;
        record = &layout->records[own->reserves[i / 2].record];
        plan->reserve.offset = record->offset +
                               first / own->graph->frames *
                                   nn_layout_run_bytes(record, 1, 1);
    }
}

void nn_child_part(nn_layer_binding *own, int64_t first)
{
    static const nn_shape none = {NN_SIZEOF(nn_shape, dims), 0, 0, 0, {0}};
    const size_t buffer = sizeof(nn_buffer);
    const nn_graph_layer *layer = own->layer;
    const nn_layer_layout *views = own->layout;
    const nn_layer_context *whole = &own->context;
    const nn_shape *inputs = layer->input_shapes;
    const nn_shape *outputs = layer->outputs.count
                                  ? &layer->outputs.items[0].shape
                                  : &none;
    nn_layer_context *part = &own->part;
    nn_array *at = own->part_arrays;

    *part = *whole;
    part->T = own->graph->frames;
    own->first = first;
    /* Every frame draws from a range of positions of its own. */
    part->random.first = (uint64_t)first << 40;
    part->inputs = parts(own, &at, whole->inputs, views->inputs,
                         layer->n_inputs, inputs, sizeof *inputs, first);
    part->input_deltas = parts(own, &at, whole->input_deltas,
                               views->input_deltas, layer->n_inputs, inputs,
                               sizeof *inputs, first);
    part->outputs = parts(own, &at, whole->outputs, views->outputs,
                          layer->outputs.count, outputs, buffer, first);
    part->output_deltas = parts(own, &at, whole->output_deltas,
                                views->output_deltas, layer->outputs.count,
                                outputs, buffer, first);
    part->internals = parts(own, &at, whole->internals, views->internals,
                            layer->internals.count, &none, 0, first);
    part->references = parts(own, &at, whole->references, views->references,
                             layer->n_references, &none, 0, first);
    part->reference_deltas = parts(own, &at, whole->reference_deltas,
                                   views->reference_deltas, layer->n_references,
                                   &none, 0, first);
    own->part_sources = at;
    parts(own, &at, own->sources, views->sources, layer->n_inputs, &none, 0,
          first);
    own->part_source_deltas = at;
    parts(own, &at, own->source_deltas, views->source_deltas, layer->n_inputs,
          &none, 0, first);
    part_reserves(own, (nn_array *)(uintptr_t)part->references, first);
    place_reserves(own, first);
}

/* ---- what the parent hands over ---------------------------------------- */

static nn_array handed(const nn_array *arrays, const nn_view *view)
{
    nn_array array = arrays[-2 - view->record];

    if (nn_rows(&array) == 1)
        array.pitch = nn_columns(&array);
    return view->count ? nn_column_slice(&array, view->first, view->count)
                       : array;
}

/* Replaces what the part of OWN takes from the child's parent; DELTAS is NULL
 * in a forward pass. */
static void hand_over(nn_layer_binding *own, const nn_array *inputs,
                      const nn_array *deltas)
{
    nn_array *mine = (nn_array *)(uintptr_t)own->part.inputs;
    nn_array *mine_deltas = (nn_array *)(uintptr_t)own->part.input_deltas;
    uint32_t k;

    for (k = 0; k < own->layer->n_inputs; ++k) {
        const nn_view *view = &own->layout->inputs[k];
        const nn_view *delta = &own->layout->input_deltas[k];
        nn_array *to = &mine_deltas[k];

        if (own->layout->sources[k].record < -1)
            own->part_sources[k] = handed(inputs, &own->layout->sources[k]);
        if (view->record < -1) {
            mine[k] = handed(inputs, view);
            mine[k].flags |= NN_READ_ONLY;
        }
        if (own->layout->source_deltas[k].record < -1) {
            delta = &own->layout->source_deltas[k];
            to = &own->part_source_deltas[k];
        }
        if (!deltas || delta->record > -2)
            continue;
        *to = handed(deltas, delta);
        if (delta->mode == NN_ADD)
            *to = nn_adding(to);
    }
}

/* ---- running ----------------------------------------------------------- */

static nn_graph_binding *find_child(const nn_layer_binding *parent,
                                    const nn_child *child)
{
    uint32_t i;

    for (i = 0; i < parent->layer->n_children; ++i)
        if (parent->layer->children[i].child == child)
            return parent->children[i];
    return NULL;
}

static int all_dense(const nn_array *arrays, uint32_t count)
{
    uint32_t k;

    for (k = 0; k < count; ++k)
        if (nn_wanted(&arrays[k]) && !nn_is_dense(&arrays[k]))
            return 0;
    return 1;
}

/* The binding of CHILD for a run from FIRST on, which is counted in the frames
 * that the parent sees; NULL, and a sticky error, if that is impossible.
 * DELTAS may be NULL. */
static nn_graph_binding *start(const nn_layer_context *context,
                               const nn_child *child, const nn_array *inputs,
                               const nn_array *deltas, uint32_t n_inputs,
                               int64_t first)
{
    const nn_layer_binding *parent = context->core;
    nn_graph_binding *graph = find_child(parent, child);
    const char *why = NULL;
    char text[NN_GRAPH_PATH + 100];

    if (!graph)
        why = "runs a child that it did not set up";
    else if (n_inputs != graph->layout->graph->layers[0].outputs.count)
        why = "hands a child another number of inputs than in setup";
    else if (first < 0 || first % graph->frames ||
             first > context->T - graph->frames)
        why = "runs a child for frames that it does not have";
    else if (!all_dense(inputs, n_inputs) ||
             (deltas && !all_dense(deltas, n_inputs)))
        why = "hands a child an array with gaps between its rows";
    if (!why) {
        graph->first = parent->first + first;
        return graph;
    }
    snprintf(text, sizeof text, "layer '%s' %s", parent->layer->path, why);
    nn_completed_fail(parent->network->completed, NN_INVALID_ARGUMENT,
                      "layer.child-run", text);
    return NULL;
}

/* After a run of a child: the operations are its parent's again. */
static void track_parent(const nn_layer_context *context, uint32_t whose)
{
    const nn_layer_binding *parent = context->core;

    nn_network_track(parent->network, whose, parent->layer->path);
}

void nn_child_forward(const nn_layer_context *context, nn_child *child,
                      const nn_array *inputs, uint32_t n_inputs, int64_t first)
{
    nn_graph_binding *graph = start(context, child, inputs, NULL, n_inputs,
                                    first);
    int32_t i;

    for (i = 1; graph && i < graph->layout->graph->n_layers; ++i) {
        nn_layer_binding *own = &graph->layers[i];

        nn_layer_begin(own);
        nn_child_part(own, graph->first);
        hand_over(own, inputs, NULL);
        nn_layer_forward(own, &own->part, own->part_sources);
    }
    if (graph)
        track_parent(context, NN_TRACK_FORWARD);
}

/* Zeroes a delta, of this run, before the first of its writers, which all add;
 * a parent's that is added to or not wanted stays as it is. */
static void zero_delta(const nn_layer_binding *own, int32_t record,
                       const nn_array *deltas)
{
    const nn_network *network = own->network;
    nn_array array;

    if (record < -1) {
        if (deltas[-2 - record].mode == NN_WRITE)
            nn_fill(own->context.ops, &deltas[-2 - record], 0);
        return;
    }
    array = nn_network_array(network, record);
    array = part_of(own->graph, &array, &network->layout->records[record].shape,
                    0, own->graph->first);
    nn_fill(own->context.ops, &array, 0);
}

/* An input delta of the child that no layer of it writes is zero. */
static void zero_unwritten(const nn_graph_binding *graph,
                           const nn_operations *ops, const nn_array *deltas,
                           uint32_t n_inputs)
{
    uint32_t k;

    for (k = 0; k < n_inputs; ++k)
        if (nn_present(&deltas[k]) && deltas[k].mode == NN_WRITE &&
            graph->layout->layers[0].output_deltas[k].record == -1)
            nn_fill(ops, &deltas[k], 0);
}

void nn_child_backward(const nn_layer_context *context, nn_child *child,
                       const nn_array *inputs, const nn_array *input_deltas,
                       uint32_t n_inputs, int64_t first)
{
    nn_graph_binding *graph = start(context, child, inputs, input_deltas,
                                    n_inputs, first);
    int32_t i;
    uint32_t k;

    if (!graph)
        return;
    nn_network_track(((const nn_layer_binding *)context->core)->network,
                     NN_TRACK_CORE, NULL);
    zero_unwritten(graph, context->ops, input_deltas, n_inputs);
    for (i = graph->layout->graph->n_layers - 1; i > 0; --i) {
        nn_layer_binding *own = &graph->layers[i];

        if (!own->layout->active)
            continue;
        for (k = 0; k < own->layout->n_zeros; ++k)
            zero_delta(own, own->layout->zeros[k], input_deltas);
        own->context.outputs = own->outputs_read;
        nn_child_part(own, graph->first);
        hand_over(own, inputs, input_deltas);
        nn_layer_backward(own, &own->part, own->part_source_deltas);
    }
    track_parent(context, NN_TRACK_BACKWARD);
}

/* ---- what the child puts out ------------------------------------------- */

/* Output INDEX of the last layer of CHILD, or its delta: the frames that the
 * parent sees; without a time axis that of the last run. */
static nn_array output(const nn_layer_context *context, const nn_child *child,
                       uint32_t index, int delta)
{
    const nn_layer_binding *parent = context->core;
    const nn_graph_binding *graph = find_child(parent, child);
    const nn_layer_binding *last;
    nn_array array;

    memset(&array, 0, sizeof array);
    if (!graph)
        return array;
    last = &graph->layers[graph->layout->graph->n_layers - 1];
    if (index >= last->layer->outputs.count)
        return array;
    array = delta ? last->context.output_deltas[index]
                  : last->outputs_read[index];
    if (last->layer->outputs.items[index].shape.dims[0] == NN_T) {
        if (array.memory)
            return nn_slice(&array, parent->first, context->T);
        array.shape[0] = context->T;
    } else if (array.memory && !delta) {
        int32_t record = last->layout->outputs[index].record;

        array.offset +=
            graph->first / graph->frames *
            nn_layout_run_bytes(&parent->network->layout->records[record],
                                context->T, context->B);
    }
    return array;
}

nn_array nn_child_output(const nn_layer_context *context, nn_child *child,
                         uint32_t index)
{
    return output(context, child, index, 0);
}

nn_array nn_child_output_delta(const nn_layer_context *context, nn_child *child,
                               uint32_t index)
{
    nn_array array = output(context, child, index, 1);

    array.flags &= ~NN_READ_ONLY;
    return array;
}
