/* SPDX-License-Identifier: MIT */
/* modes.c - who writes each delta and gradient first.
 *
 * Backward runs from the last layer to the first.  The first writer of a delta
 * gets WRITE if it covers the whole of it; otherwise the delta is zeroed before
 * it and all writers ADD.  The same holds for gradients that several layers
 * share or refer to, and for groups, whose members have one mode.
 *
 * In a child, which may run many times in one backward pass of its parent,
 * gradients are zeroed before that pass and added to, and so are the deltas of
 * its last layer, which the parent writes or leaves alone. */
#include "core/memory/flow.h"

#include <string.h>

/* Notes that RECORD is zeroed before the backward of layer I. */
static int32_t zero_before(nn_flow *f, int32_t i, int32_t record)
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
static int32_t write_mode(nn_flow *f, int32_t i, int32_t record, int whole,
                          uint32_t *mode)
{
    uint8_t *written = record >= 0 ? &f->written[record]
                                   : &f->parent_written[-2 - record];
    int32_t code = NN_OK;

    *mode = NN_ADD;
    if (!*written && whole)
        *mode = NN_WRITE;
    else if (!*written)
        code = zero_before(f, i, record);
    *written = 1;
    return code;
}

/* Whether layer I reads the source of input K more than once, or refers to
 * it: then the order of its writes is its own affair. */
static int reads_twice(const nn_flow *f, int32_t i, uint32_t k)
{
    const nn_graph_layer *layer = nn_flow_layer(f, i);
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

/* The delta of a dense copy, which is called as the copy is. */
static int32_t copy_delta(nn_flow *f, int32_t i, uint32_t k)
{
    nn_layer_layout *own = &f->own->layers[i];
    int32_t source = own->inputs[k].record;
    const char *name = strrchr(f->layout->records[source].path, '.') + 1;
    nn_record *copy;
    int32_t record;
    int32_t code;

    code = nn_layout_new_record(f->layout, nn_flow_layer(f, i)->path,
                                "input_deltas", name, NN_SORT_INPUT_COPY,
                                NN_BLOCK_ARENA, &record);
    if (code)
        return code;
    copy = &f->layout->records[record];
    copy->shape = f->layout->records[source].shape;
    own->input_deltas[k] = (nn_view){record, NN_WRITE, 0, 0};
    return NN_OK;
}

static int32_t input_delta(nn_flow *f, int32_t i, uint32_t k)
{
    const nn_link *link = &nn_flow_layer(f, i)->inputs[k];
    nn_layer_layout *own = &f->own->layers[i];
    nn_view *delta = &own->input_deltas[k];
    int32_t code;

    delta->mode = NN_DISCARD;
    if (!own->active || !nn_flow_differentiable_input(f, i, k))
        return NN_OK;
    *delta = f->own->layers[link->layer].output_deltas[link->output];
    delta->first = link->first;
    delta->count = link->count;
    code = write_mode(f, i, delta->record,
                      link->count == 0 && !reads_twice(f, i, k), &delta->mode);
    if (code || own->sources[k].record == -1)
        return code;
    own->source_deltas[k] = *delta;
    return copy_delta(f, i, k);
}

static int32_t reference_delta(nn_flow *f, int32_t i, uint32_t k)
{
    const nn_reference_link *link = &nn_flow_layer(f, i)->references[k];
    nn_layer_layout *own = &f->own->layers[i];
    const nn_layer_layout *other = &f->own->layers[link->layer];
    nn_view *delta = &own->reference_deltas[k];

    delta->mode = NN_DISCARD;
    if (!own->active || !nn_flow_differentiable_reference(f, i, k))
        return NN_OK;
    *delta = link->sort == NN_REFER_PARAMETER
                 ? other->gradients[link->index]
                 : other->output_deltas[link->index];
    if (f->own->child && link->sort == NN_REFER_PARAMETER) {
        delta->mode = NN_ADD;
        return NN_OK;
    }
    return write_mode(f, i, delta->record, 0, &delta->mode);
}

static int in_group(const nn_graph_layer *layer, uint32_t k, const char *group)
{
    const char *own = layer->parameters.items[k].group;

    return own && !strcmp(own, group);
}

/* One mode for all members of a group, and for the group: if somebody else
 * wrote one of them before, all are added to. */
static int32_t group_mode(nn_flow *f, int32_t i, uint32_t number)
{
    const nn_graph_layer *layer = nn_flow_layer(f, i);
    nn_layer_layout *own = &f->own->layers[i];
    const char *group = layer->groups[number];
    uint32_t mode = NN_WRITE;
    int32_t code = NN_OK;
    uint32_t k;

    for (k = 0; k < layer->parameters.count; ++k)
        if (in_group(layer, k, group) && own->gradients[k].mode != NN_WRITE)
            mode = own->gradients[k].mode;
    for (k = 0; k < layer->parameters.count && !code; ++k) {
        if (!in_group(layer, k, group) || own->gradients[k].mode == mode)
            continue;
        own->gradients[k].mode = mode;
        code = zero_before(f, i, own->gradients[k].record);
    }
    own->gradient_groups[number].mode = mode;
    return code;
}

/* Gradients of the layer itself; a child's are zeroed and added to. */
static int32_t gradient_modes(nn_flow *f, int32_t i)
{
    const nn_graph_layer *layer = nn_flow_layer(f, i);
    nn_layer_layout *own = &f->own->layers[i];
    int32_t code = NN_OK;
    uint32_t k;

    for (k = 0; k < layer->parameters.count && !code; ++k) {
        nn_view *gradient = &own->gradients[k];

        if (!own->active)
            gradient->mode = NN_DISCARD;
        else if (f->own->child)
            gradient->mode = NN_ADD;
        else
            code = write_mode(f, i, gradient->record, 1, &gradient->mode);
    }
    for (k = 0; k < layer->n_groups && !code; ++k)
        code = group_mode(f, i, k);
    return code;
}

static int32_t zero_children(nn_flow *f, int32_t i, const nn_layer_layout *own,
                             const nn_graph_layer *layer);

/* Zeroes the gradients of CHILD, and the deltas of its outputs, before the
 * backward of layer I of the network. */
static int32_t zero_child(nn_flow *f, int32_t i, const nn_graph_layout *child)
{
    int32_t last = child->graph->n_layers - 1;
    int32_t code = NN_OK;
    int32_t j;
    uint32_t k;

    for (j = 1; j <= last && !code; ++j) {
        const nn_graph_layer *inner = &child->graph->layers[j];

        for (k = 0; k < inner->parameters.count && !code; ++k) {
            int32_t record = child->layers[j].gradients[k].record;

            if (!f->written[record])
                code = zero_before(f, i, record);
            f->written[record] = 1;
        }
        if (!code)
            code = zero_children(f, i, &child->layers[j], inner);
    }
    for (k = 0; k < child->graph->layers[last].outputs.count && !code; ++k)
        if (child->layers[last].output_deltas[k].record >= 0)
            code = zero_before(f, i,
                               child->layers[last].output_deltas[k].record);
    return code;
}

static int32_t zero_children(nn_flow *f, int32_t i, const nn_layer_layout *own,
                             const nn_graph_layer *layer)
{
    int32_t code = NN_OK;
    uint32_t c;

    for (c = 0; c < layer->n_children && !code; ++c)
        code = zero_child(f, i, own->children[c]);
    return code;
}

/* What was written before the backward of any layer: deltas of losses, and in
 * a child those that the parent writes. */
static int32_t begin(nn_flow *f)
{
    const nn_layout *layout = f->layout;
    int64_t inputs = nn_flow_layer(f, 0)->outputs.count;
    uint32_t k;

    f->written = nn_arena_alloc(layout->arena, layout->n_records, 1);
    f->parent_written = nn_arena_alloc(layout->arena, inputs, 1);
    if (!f->written || !f->parent_written)
        return NN_NO_MEMORY;
    for (k = 0; k < layout->n_losses && !f->own->child; ++k) {
        int32_t record = f->own->layers[layout->losses[k].layer]
                             .output_deltas[layout->losses[k].output]
                             .record;

        if (record >= 0)
            f->written[record] = 1;
    }
    return NN_OK;
}

/* Gradients of the network that no active layer writes; those of children are
 * among them, since a parent that is not active zeroes none. */
static int32_t find_unwritten(nn_flow *f, int32_t n_records)
{
    nn_layout *layout = f->layout;
    int32_t i;

    layout->unwritten = nn_arena_alloc(layout->arena, n_records,
                                       sizeof *layout->unwritten);
    if (!layout->unwritten)
        return NN_NO_MEMORY;
    for (i = 0; i < n_records; ++i) {
        const nn_record *record = &layout->records[i];

        if (record->sort == NN_SORT_GRADIENT && record->declared &&
            !f->written[i])
            layout->unwritten[layout->n_unwritten++] = i;
    }
    return NN_OK;
}

int32_t nn_flow_modes(nn_flow *f)
{
    int32_t n_records = f->layout->n_records;
    int32_t code = begin(f);
    int32_t i;
    uint32_t k;

    for (i = f->own->graph->n_layers - 1; i > 0 && !code; --i) {
        const nn_graph_layer *layer = nn_flow_layer(f, i);
        const nn_layer_layout *own = &f->own->layers[i];

        for (k = 0; k < layer->n_inputs && !code; ++k)
            code = input_delta(f, i, k);
        for (k = 0; k < layer->n_references && !code; ++k)
            code = reference_delta(f, i, k);
        if (!code)
            code = gradient_modes(f, i);
        if (!code && own->active && !f->own->child)
            code = zero_children(f, i, own, layer);
    }
    return code || f->own->child ? code : find_unwritten(f, n_records);
}
