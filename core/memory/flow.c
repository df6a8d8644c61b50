/* SPDX-License-Identifier: MIT */
/* flow.c - which deltas exist, which layers run backward, who writes first.
 *
 *   differentiable(o)  an output o that a parameter, or an input delta that is
 *                      kept or asked for, can be reached from backwards;
 *   wanted(o)          o has a delta: it is part of the loss, or an active
 *                      layer reads it, or no layer reads it and such deltas
 *                      are asked for;
 *   active(l)          layer l runs backward: one of its outputs is wanted.
 *
 * Losses are the LOSS outputs of the network's own layers that no layer reads;
 * in a child a LOSS output is an output like others. */
#include "core/memory/flow.h"

#include <stdio.h>
#include <string.h>

/* 1 if LAYER or a child of it has parameters of its own. */
static int has_parameters(const nn_graph_layer *layer)
{
    uint32_t c;
    int32_t i;

    if (layer->parameters.count)
        return 1;
    for (c = 0; c < layer->n_children; ++c)
        for (i = 0; i < layer->children[c].graph->n_layers; ++i)
            if (has_parameters(&layer->children[c].graph->layers[i]))
                return 1;
    return 0;
}

int nn_flow_differentiable_input(const nn_flow *f, int32_t i, uint32_t k)
{
    const nn_graph_layer *layer = nn_flow_layer(f, i);
    const nn_link *link = &layer->inputs[k];
    const nn_port *port = nn_graph_input_port(layer, k);

    return link->layer >= 0 && !(port->flags & NN_PORT_NO_DELTA) &&
           f->reach[link->layer][link->output];
}

int nn_flow_differentiable_reference(const nn_flow *f, int32_t i, uint32_t k)
{
    const nn_reference_link *link = &nn_flow_layer(f, i)->references[k];

    if (link->sort == NN_REFER_PARAMETER)
        return 1;
    return link->sort == NN_REFER_OUTPUT && f->reach[link->layer][link->index];
}

static int has_delta_port(const nn_flow *f, int32_t i, uint32_t output)
{
    const nn_graph_layer *layer = nn_flow_layer(f, i);
    const nn_buffer *buffer = &layer->outputs.items[output];
    const nn_port *port = nn_graph_output_port(layer, output);

    return buffer->shape.dtype == f->layout->real &&
           !(buffer->flags & NN_BUFFER_NO_DELTA) &&
           !(port && (port->flags & NN_PORT_NO_DELTA));
}

/* 1 if the user asked to keep the delta of this output. */
static int delta_kept(const nn_flow *f, int32_t i, uint32_t output)
{
    const nn_graph_layer *layer = nn_flow_layer(f, i);
    char path[NN_GRAPH_PATH + NN_GRAPH_NAME + 64];
    uint32_t k;

    snprintf(path, sizeof path, "%s.output_deltas.%s", layer->path,
             layer->outputs.items[output].name);
    for (k = 0; k < f->layout->n_keep; ++k)
        if (nn_pattern_matches(f->layout->keep[k], path))
            return 1;
    return 0;
}

/* Whether anything behind layer I (towards the inputs) can be trained. */
static int reaches_parameters(const nn_flow *f, int32_t i)
{
    const nn_graph_layer *layer = nn_flow_layer(f, i);
    uint32_t k;

    if (i == 0 || !layer->interface.backward)
        return 0;
    if (has_parameters(layer))
        return 1;
    for (k = 0; k < layer->n_inputs; ++k)
        if (nn_flow_differentiable_input(f, i, k))
            return 1;
    for (k = 0; k < layer->n_references; ++k)
        if (nn_flow_differentiable_reference(f, i, k))
            return 1;
    return 0;
}

static int32_t find_reach(nn_flow *f)
{
    int32_t n = f->own->graph->n_layers;
    int32_t i;
    uint32_t o;

    f->reach = nn_arena_alloc(f->layout->arena, n, sizeof *f->reach);
    f->wanted = nn_arena_alloc(f->layout->arena, n, sizeof *f->wanted);
    if (!f->reach || !f->wanted)
        return NN_NO_MEMORY;
    for (i = 0; i < n; ++i) {
        uint32_t count = nn_flow_layer(f, i)->outputs.count;
        int reach = reaches_parameters(f, i);

        f->reach[i] = nn_arena_alloc(f->layout->arena, count, 1);
        f->wanted[i] = nn_arena_alloc(f->layout->arena, count, 1);
        if (!f->reach[i] || !f->wanted[i])
            return NN_NO_MEMORY;
        for (o = 0; o < count; ++o) {
            if (i == 0)
                reach = f->own->child || f->layout->deltas ||
                        delta_kept(f, i, o);
            f->reach[i][o] = reach && has_delta_port(f, i, o);
        }
    }
    return NN_OK;
}

/* The output of LAYER that weighs its loss, or -1. */
static int32_t weight_of(const nn_graph_layer *layer)
{
    uint32_t o;

    for (o = 0; o < layer->outputs.count; ++o) {
        const nn_port *port = nn_graph_output_port(layer, o);

        if (port && (port->flags & NN_PORT_WEIGHT))
            return (int32_t)o;
    }
    return -1;
}

static int32_t add_loss(nn_layout *layout, int32_t layer, uint32_t output,
                        int32_t weight)
{
    nn_loss_place *grown = nn_arena_alloc(layout->arena, layout->n_losses + 1,
                                          sizeof *grown);

    if (!grown)
        return NN_NO_MEMORY;
    if (layout->n_losses)
        memcpy(grown, layout->losses, layout->n_losses * sizeof *grown);
    grown[layout->n_losses++] = (nn_loss_place){layer, output, weight};
    layout->losses = grown;
    return NN_OK;
}

/* Output O of layer I, which nothing reads: it is a part of the loss, or may
 * have a delta all the same. */
static int32_t find_end(nn_flow *f, int32_t i, uint32_t o)
{
    const nn_graph_layer *layer = nn_flow_layer(f, i);
    const nn_port *port = nn_graph_output_port(layer, o);

    f->wanted[i][o] = f->layout->deltas && layer->interface.backward &&
                      has_delta_port(f, i, o);
    if (!port || !(port->flags & NN_PORT_LOSS))
        return NN_OK;
    f->wanted[i][o] |= f->reach[i][o];
    return add_loss(f->layout, i, o, weight_of(layer));
}

/* Where deltas begin: at outputs that nothing reads.  A child's last layer
 * takes its deltas from the parent. */
static int32_t find_ends(nn_flow *f)
{
    int32_t n = f->own->graph->n_layers;
    int32_t i;
    int32_t code = NN_OK;
    uint32_t o;

    if (f->own->child) {
        memcpy(f->wanted[n - 1], f->reach[n - 1],
               nn_flow_layer(f, n - 1)->outputs.count);
        return NN_OK;
    }
    for (i = 1; i < n; ++i)
        for (o = 0; o < nn_flow_layer(f, i)->outputs.count && !code; ++o)
            if (!f->layout->readers[f->own->layers[i].outputs[o].record])
                code = find_end(f, i, o);
    return code;
}

static void find_active(nn_flow *f)
{
    int32_t i;
    uint32_t k;

    for (i = f->own->graph->n_layers - 1; i > 0; --i) {
        const nn_graph_layer *layer = nn_flow_layer(f, i);

        for (k = 0; k < layer->outputs.count; ++k)
            if (f->wanted[i][k])
                f->own->layers[i].active = 1;
        if (!f->own->layers[i].active)
            continue;
        for (k = 0; k < layer->n_inputs; ++k)
            if (nn_flow_differentiable_input(f, i, k))
                f->wanted[layer->inputs[k].layer][layer->inputs[k].output] = 1;
        for (k = 0; k < layer->n_references; ++k) {
            const nn_reference_link *link = &layer->references[k];

            if (link->sort == NN_REFER_OUTPUT &&
                nn_flow_differentiable_reference(f, i, k))
                f->wanted[link->layer][link->index] = 1;
        }
    }
}

/* Records of the deltas that are wanted. */
static int32_t make_deltas(nn_flow *f)
{
    int32_t i;
    int32_t code = NN_OK;
    uint32_t o;

    for (i = 0; i < f->own->graph->n_layers; ++i)
        for (o = 0; o < nn_flow_layer(f, i)->outputs.count && !code; ++o) {
            nn_view *delta = &f->own->layers[i].output_deltas[o];
            const nn_buffer *buffer = &nn_flow_layer(f, i)->outputs.items[o];
            nn_record *record;

            if (!f->wanted[i][o])
                continue;
            if (f->own->child && i == 0) {
                delta->record = -2 - (int32_t)o;
                continue;
            }
            code = nn_layout_new_record(f->layout, nn_flow_layer(f, i)->path,
                                        "output_deltas", buffer->name,
                                        NN_SORT_OUTPUT_DELTA, NN_BLOCK_ARENA,
                                        &delta->record);
            if (code)
                break;
            record = &f->layout->records[delta->record];
            record->shape = buffer->shape;
            record->context_before = buffer->context_before;
            record->context_after = buffer->context_after;
        }
    return code;
}

/* The delta of what a concatenation alone reads is a slice of its own. */
static void alias_deltas(nn_flow *f)
{
    const nn_graph *graph = f->own->graph;
    int32_t i;
    uint32_t k;

    for (i = graph->n_layers - 1; i > 0 && !f->own->child; --i) {
        nn_layer_layout *own = &f->own->layers[i];

        if (!(graph->layers[i].component->flags & NN_LAYER_CONCATENATION) ||
            own->output_deltas[0].record < 0)
            continue;
        for (k = 0; k < graph->layers[i].n_inputs; ++k) {
            const nn_link *link = &graph->layers[i].inputs[k];
            const nn_layer_layout *from = &f->own->layers[link->layer];
            int32_t output = own->inputs[k].record;
            const nn_record *slice = &f->layout->records[output];
            int32_t delta;

            if (output < 0 || !slice->strided ||
                slice->alias != own->outputs[0].record ||
                f->layout->readers[output] != 1)
                continue;
            delta = from->output_deltas[link->output].record;
            if (delta < 0)
                continue;
            f->layout->records[delta].alias = own->output_deltas[0].record;
            f->layout->records[delta].alias_offset = slice->alias_offset;
            f->layout->records[delta].strided = 1;
        }
    }
}

/* 1 if output O of layer I of the network is a part of the loss. */
static int is_loss(const nn_layout *layout, int32_t i, uint32_t o)
{
    uint32_t k;

    for (k = 0; k < layout->n_losses; ++k)
        if (layout->losses[k].layer == i && layout->losses[k].output == o)
            return 1;
    return 0;
}

/* Lists the deltas that no layer writes and no loss is behind. */
static int32_t list_unread(nn_flow *f)
{
    nn_layout *layout = f->layout;
    int32_t i;
    uint32_t o;

    layout->unread = nn_arena_alloc(layout->arena, layout->n_records,
                                    sizeof *layout->unread);
    if (!layout->unread)
        return NN_NO_MEMORY;
    for (i = 1; i < f->own->graph->n_layers; ++i)
        for (o = 0; o < nn_flow_layer(f, i)->outputs.count; ++o) {
            const nn_layer_layout *own = &f->own->layers[i];

            if (f->wanted[i][o] && !layout->readers[own->outputs[o].record] &&
                !is_loss(layout, i, o))
                layout->unread[layout->n_unread++] =
                    own->output_deltas[o].record;
        }
    return NN_OK;
}

static int32_t flow_children(nn_layout *layout, nn_graph_layout *own)
{
    int32_t code = NN_OK;
    int32_t i;
    uint32_t c;

    for (i = 1; i < own->graph->n_layers; ++i)
        for (c = 0; c < own->graph->layers[i].n_children && !code; ++c)
            code = nn_layout_flow(layout, own->layers[i].children[c]);
    return code;
}

int32_t nn_layout_flow(nn_layout *layout, nn_graph_layout *own)
{
    nn_flow f = {layout, own, NULL, NULL, NULL, NULL};
    int32_t code = find_reach(&f);

    if (!code)
        code = find_ends(&f);
    if (code || !layout->training)
        return code;
    find_active(&f);
    code = make_deltas(&f);
    if (!code)
        alias_deltas(&f);
    if (!code && !own->child)
        code = list_unread(&f);
    if (!code)
        code = flow_children(layout, own);
    return code ? code : nn_flow_modes(&f);
}
