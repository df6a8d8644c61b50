/* SPDX-License-Identifier: MIT */
/* flow.c - which deltas exist, which layers run backward, who writes first.
 *
 *   differentiable(o)  an output o that a parameter, or a kept input delta,
 *                      can be reached from backwards;
 *   wanted(o)          o has a delta: it is part of the loss, or an active
 *                      layer reads it;
 *   active(l)          layer l runs backward: one of its outputs is wanted and
 *                      one of its inputs or parameters is differentiable.
 *
 * Backward runs from the last layer to the first.  The first writer of a delta
 * gets WRITE if it covers the whole of it; otherwise the delta is zeroed before
 * and all writers ADD.  The same holds for gradients that are shared. */
#include "core/memory/layout.h"

#include <stdio.h>
#include <string.h>

/* What is known of one record while modes are given out. */
typedef struct flow {
    nn_layout *layout;
    nn_graph_layout *own;
    int child;          /* 1: the graph of a child */
    uint8_t **reach;    /* by layer and output: differentiable */
    uint8_t **wanted;   /* the same */
    uint8_t *written;   /* by record: a writer was seen */
} flow;

static const nn_graph_layer *layer_of(const flow *f, int32_t i)
{
    return &f->own->graph->layers[i];
}

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

/* 1 if the layer hands a delta to what input K reads. */
static int differentiable_input(const flow *f, int32_t i, uint32_t k)
{
    const nn_graph_layer *layer = layer_of(f, i);
    const nn_link *link = &layer->inputs[k];
    const nn_port *port = nn_graph_input_port(layer, k);

    return link->layer >= 0 && !(port->flags & NN_PORT_NO_DELTA) &&
           f->reach[link->layer][link->output];
}

static int differentiable_reference(const flow *f, int32_t i, uint32_t k)
{
    const nn_reference_link *link = &layer_of(f, i)->references[k];

    if (link->sort == NN_REFER_PARAMETER)
        return 1;
    return link->sort == NN_REFER_OUTPUT && f->reach[link->layer][link->index];
}

static int has_delta_port(const flow *f, int32_t i, uint32_t output)
{
    const nn_graph_layer *layer = layer_of(f, i);
    const nn_buffer *buffer = &layer->outputs.items[output];
    const nn_port *port = nn_graph_output_port(layer, output);

    return buffer->shape.dtype == f->layout->real &&
           !(buffer->flags & NN_BUFFER_NO_DELTA) &&
           !(port && (port->flags & NN_PORT_NO_DELTA));
}

/* 1 if the user asked to keep the delta of this output. */
static int delta_kept(const flow *f, int32_t i, uint32_t output)
{
    char path[768];
    uint32_t k;

    snprintf(path, sizeof path, "%s.output_deltas.%s", layer_of(f, i)->path,
             layer_of(f, i)->outputs.items[output].name);
    for (k = 0; k < f->layout->n_keep; ++k)
        if (nn_pattern_matches(f->layout->keep[k], path))
            return 1;
    return 0;
}

/* Whether anything behind layer I (towards the inputs) can be trained. */
static int reaches_parameters(const flow *f, int32_t i)
{
    const nn_graph_layer *layer = layer_of(f, i);
    uint32_t k;

    if (i == 0 || !layer->interface.backward)
        return 0;
    if (has_parameters(layer))
        return 1;
    for (k = 0; k < layer->n_inputs; ++k)
        if (differentiable_input(f, i, k))
            return 1;
    for (k = 0; k < layer->n_references; ++k)
        if (differentiable_reference(f, i, k))
            return 1;
    return 0;
}

static int32_t find_reach(flow *f)
{
    int32_t n = f->own->graph->n_layers;
    int32_t i;
    uint32_t o;

    f->reach = nn_arena_alloc(f->layout->arena, n, sizeof *f->reach);
    f->wanted = nn_arena_alloc(f->layout->arena, n, sizeof *f->wanted);
    if (!f->reach || !f->wanted)
        return NN_NO_MEMORY;
    for (i = 0; i < n; ++i) {
        uint32_t count = layer_of(f, i)->outputs.count;
        int reach = reaches_parameters(f, i);

        f->reach[i] = nn_arena_alloc(f->layout->arena, count, 1);
        f->wanted[i] = nn_arena_alloc(f->layout->arena, count, 1);
        if (!f->reach[i] || !f->wanted[i])
            return NN_NO_MEMORY;
        for (o = 0; o < count; ++o) {
            int here = reach || (i == 0 && (f->child || delta_kept(f, i, o)));

            f->reach[i][o] = here && has_delta_port(f, i, o);
        }
    }
    return NN_OK;
}

static int is_read(const flow *f, int32_t layer, uint32_t output)
{
    int32_t i;
    uint32_t k;

    for (i = layer + 1; i < f->own->graph->n_layers; ++i)
        for (k = 0; k < layer_of(f, i)->n_inputs; ++k)
            if (layer_of(f, i)->inputs[k].layer == layer &&
                layer_of(f, i)->inputs[k].output == output)
                return 1;
    return 0;
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

/* The losses: LOSS outputs that nothing reads.  A child's last layer takes its
 * deltas from the parent. */
static int32_t find_losses(flow *f)
{
    int32_t n = f->own->graph->n_layers;
    int32_t i;
    int32_t code = NN_OK;
    uint32_t o;

    if (f->child) {
        memcpy(f->wanted[n - 1], f->reach[n - 1],
               layer_of(f, n - 1)->outputs.count);
        return NN_OK;
    }
    for (i = 1; i < n; ++i)
        for (o = 0; o < layer_of(f, i)->outputs.count && !code; ++o) {
            const nn_port *port = nn_graph_output_port(layer_of(f, i), o);

            if (!port || !(port->flags & NN_PORT_LOSS) || is_read(f, i, o))
                continue;
            code = add_loss(f->layout, i, o, weight_of(layer_of(f, i)));
            f->wanted[i][o] = f->reach[i][o];
        }
    return code;
}

static void find_active(flow *f)
{
    int32_t i;
    uint32_t k;

    for (i = f->own->graph->n_layers - 1; i > 0; --i) {
        const nn_graph_layer *layer = layer_of(f, i);

        for (k = 0; k < layer->outputs.count; ++k)
            if (f->wanted[i][k])
                f->own->layers[i].active = 1;
        if (!f->own->layers[i].active)
            continue;
        for (k = 0; k < layer->n_inputs; ++k)
            if (differentiable_input(f, i, k))
                f->wanted[layer->inputs[k].layer][layer->inputs[k].output] = 1;
        for (k = 0; k < layer->n_references; ++k) {
            const nn_reference_link *link = &layer->references[k];

            if (link->sort == NN_REFER_OUTPUT &&
                differentiable_reference(f, i, k))
                f->wanted[link->layer][link->index] = 1;
        }
    }
}

/* Records of the deltas that are wanted. */
static int32_t make_deltas(flow *f)
{
    int32_t i;
    int32_t code = NN_OK;
    uint32_t o;

    for (i = 0; i < f->own->graph->n_layers; ++i)
        for (o = 0; o < layer_of(f, i)->outputs.count && !code; ++o) {
            nn_view *delta = &f->own->layers[i].output_deltas[o];
            const nn_buffer *buffer = &layer_of(f, i)->outputs.items[o];
            nn_record *record;

            if (!f->wanted[i][o])
                continue;
            if (f->child && i == 0) {
                delta->record = -2 - (int32_t)o;
                continue;
            }
            code = nn_layout_new_record(f->layout, layer_of(f, i)->path,
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
static void alias_deltas(flow *f)
{
    const nn_graph *graph = f->own->graph;
    int32_t i;
    uint32_t k;

    for (i = graph->n_layers - 1; i > 0 && !f->child; --i) {
        nn_layer_layout *own = &f->own->layers[i];

        if (!(graph->layers[i].component->flags & NN_LAYER_CONCATENATION) ||
            own->output_deltas[0].record < 0)
            continue;
        for (k = 0; k < graph->layers[i].n_inputs; ++k) {
            const nn_link *link = &graph->layers[i].inputs[k];
            const nn_view *output = &f->own->layers[link->layer]
                                         .outputs[link->output];
            int32_t delta = f->own->layers[link->layer]
                                .output_deltas[link->output]
                                .record;
            const nn_record *slice = &f->layout->records[output->record];

            if (delta < 0 || slice->alias != own->outputs[0].record ||
                !slice->strided ||
                nn_layout_readers(f->layout, output->record) != 1)
                continue;
            f->layout->records[delta].alias = own->output_deltas[0].record;
            f->layout->records[delta].alias_offset = slice->alias_offset;
            f->layout->records[delta].strided = 1;
        }
    }
}

/* ---- modes ------------------------------------------------------------- */

/* Notes that RECORD is zeroed before the backward of layer I. */
static int32_t zero_before(flow *f, int32_t i, int32_t record)
{
    nn_layer_layout *own = &f->own->layers[i];
    int32_t *grown = nn_arena_alloc(f->layout->arena, own->n_zeros + 1,
                                    sizeof *grown);

    if (!grown)
        return NN_NO_MEMORY;
    if (own->n_zeros)
        memcpy(grown, own->zeros, own->n_zeros * sizeof *grown);
    grown[own->n_zeros++] = record;
    own->zeros = grown;
    return NN_OK;
}

/* The mode for a writer of RECORD in layer I, which covers it whole or not. */
static int32_t write_mode(flow *f, int32_t i, int32_t record, int whole,
                          uint32_t *mode)
{
    int32_t code = NN_OK;
    int32_t slot = record >= 0 ? record : f->layout->n_records - 1 - record;

    *mode = NN_ADD;
    if (!f->written[slot] && whole)
        *mode = NN_WRITE;
    else if (!f->written[slot])
        code = zero_before(f, i, record);
    f->written[slot] = 1;
    return code;
}

/* Whether layer I reads the source of input K more than once, or refers to
 * it: then the order of its writes is its own affair. */
static int reads_twice(const flow *f, int32_t i, uint32_t k)
{
    const nn_graph_layer *layer = layer_of(f, i);
    const nn_link *link = &layer->inputs[k];
    uint32_t j;

    for (j = 0; j < layer->n_inputs; ++j)
        if (j != k && layer->inputs[j].layer == link->layer &&
            layer->inputs[j].output == link->output)
            return 1;
    for (j = 0; j < layer->n_references; ++j)
        if (layer->references[j].sort == NN_REFER_OUTPUT &&
            layer->references[j].layer == link->layer &&
            layer->references[j].index == link->output)
            return 1;
    return 0;
}

static int32_t input_delta(flow *f, int32_t i, uint32_t k)
{
    const nn_link *link = &layer_of(f, i)->inputs[k];
    nn_layer_layout *own = &f->own->layers[i];
    nn_view *delta = &own->input_deltas[k];
    nn_record *copy;
    int32_t record;
    int32_t code;

    delta->mode = NN_DISCARD;
    if (!own->active || !differentiable_input(f, i, k))
        return NN_OK;
    *delta = f->own->layers[link->layer].output_deltas[link->output];
    delta->first = link->first;
    delta->count = link->count;
    code = write_mode(f, i, delta->record,
                      link->count == 0 && !reads_twice(f, i, k), &delta->mode);
    if (code || own->sources[k].record == -1)
        return code;
    code = nn_layout_new_record(f->layout, layer_of(f, i)->path,
                                "input_deltas",
                                nn_graph_input_port(layer_of(f, i), k)->name,
                                NN_SORT_INPUT_COPY, NN_BLOCK_ARENA, &record);
    if (code)
        return code;
    copy = &f->layout->records[record];
    copy->shape = layer_of(f, i)->input_shapes[k];
    own->source_deltas[k] = *delta;
    *delta = (nn_view){record, NN_WRITE, 0, 0};
    return NN_OK;
}

static int32_t reference_delta(flow *f, int32_t i, uint32_t k)
{
    const nn_reference_link *link = &layer_of(f, i)->references[k];
    nn_layer_layout *own = &f->own->layers[i];
    const nn_layer_layout *other = &f->own->layers[link->layer];
    nn_view *delta = &own->reference_deltas[k];

    delta->mode = NN_DISCARD;
    if (!own->active || !differentiable_reference(f, i, k))
        return NN_OK;
    *delta = link->sort == NN_REFER_PARAMETER
                 ? other->gradients[link->index]
                 : other->output_deltas[link->index];
    return write_mode(f, i, delta->record, 0, &delta->mode);
}

/* Gradients of the layer itself; a child's are zeroed and added to. */
static int32_t gradient_modes(flow *f, int32_t i)
{
    const nn_graph_layer *layer = layer_of(f, i);
    nn_layer_layout *own = &f->own->layers[i];
    int32_t code = NN_OK;
    uint32_t k;

    for (k = 0; k < layer->parameters.count && !code; ++k) {
        nn_view *gradient = &own->gradients[k];

        if (!own->active)
            gradient->mode = NN_DISCARD;
        else if (f->child)
            gradient->mode = NN_ADD;
        else
            code = write_mode(f, i, gradient->record, 1, &gradient->mode);
    }
    for (k = 0; k < layer->n_groups && !code; ++k) {
        uint32_t member = 0;

        while (!layer->parameters.items[member].group ||
               strcmp(layer->parameters.items[member].group,
                      layer->groups[k]))
            ++member;
        own->gradient_groups[k].mode = own->gradients[member].mode;
    }
    return code;
}

/* Zeroes the gradients of all layers of children before the parent's
 * backward. */
static int32_t zero_children(flow *f, int32_t i, const nn_layer_layout *own,
                             const nn_graph_layer *layer)
{
    int32_t code = NN_OK;
    uint32_t c;
    int32_t j;
    uint32_t k;

    for (c = 0; c < layer->n_children; ++c) {
        const nn_graph_layout *child = own->children[c];

        for (j = 1; j < child->graph->n_layers && !code; ++j) {
            const nn_graph_layer *inner = &child->graph->layers[j];

            for (k = 0; k < inner->parameters.count && !code; ++k)
                code = zero_before(f, i, child->layers[j].gradients[k].record);
            if (!code)
                code = zero_children(f, i, &child->layers[j], inner);
        }
    }
    return code;
}

static int32_t give_modes(flow *f)
{
    const nn_layout *layout = f->layout;
    int32_t code = NN_OK;
    int32_t i;
    uint32_t k;

    f->written = nn_arena_alloc(layout->arena,
                                layout->n_records + 2 * 10000, 1);
    if (!f->written)
        return NN_NO_MEMORY;
    for (k = 0; k < layout->n_losses && !f->child; ++k) {
        int32_t record = f->own->layers[layout->losses[k].layer]
                             .output_deltas[layout->losses[k].output]
                             .record;

        if (record >= 0)
            f->written[record] = 1;
    }
    for (i = f->own->graph->n_layers - 1; i > 0 && !code; --i) {
        const nn_graph_layer *layer = layer_of(f, i);

        for (k = 0; k < layer->n_inputs && !code; ++k)
            code = input_delta(f, i, k);
        for (k = 0; k < layer->n_references && !code; ++k)
            code = reference_delta(f, i, k);
        if (!code)
            code = gradient_modes(f, i);
        if (!code && f->own->layers[i].active && !f->child)
            code = zero_children(f, i, &f->own->layers[i], layer);
    }
    return code;
}

/* Gradients of the top graph that no active layer writes. */
static int32_t find_unwritten(flow *f)
{
    nn_layout *layout = f->layout;
    int32_t i;

    layout->unwritten = nn_arena_alloc(layout->arena, layout->n_records,
                                       sizeof *layout->unwritten);
    if (!layout->unwritten)
        return NN_NO_MEMORY;
    for (i = 0; i < layout->n_records; ++i) {
        const nn_record *record = &layout->records[i];

        if (record->sort == NN_SORT_GRADIENT && record->declared &&
            !f->written[i])
            layout->unwritten[layout->n_unwritten++] = i;
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
            code = nn_layout_flow(layout, own->layers[i].children[c], 1);
    return code;
}

int32_t nn_layout_flow(nn_layout *layout, nn_graph_layout *own, int child)
{
    flow f = {layout, own, child, NULL, NULL, NULL};
    int32_t code = find_reach(&f);

    if (!code)
        code = find_losses(&f);
    if (!code && layout->training) {
        find_active(&f);
        code = make_deltas(&f);
        if (!code)
            alias_deltas(&f);
        if (!code)
            code = flow_children(layout, own);
        if (!code)
            code = give_modes(&f);
        if (!code && !child)
            code = find_unwritten(&f);
    }
    return code;
}
