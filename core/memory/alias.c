/* SPDX-License-Identifier: MIT */
/* alias.c - which records are views of others, and which ports need a copy.
 *
 * A record is put into another one only if nobody can tell the difference:
 *   - what a concatenation reads is written straight into its columns, unless
 *     a reader takes no gaps between rows, or it stands in another one already;
 *   - without a backward pass, and without redzones, an output replaces its
 *     input, if nothing else reads the input or what was put into it. */
#include "core/memory/layout.h"

#include <stdio.h>
#include <string.h>

#include <nn/shape.h>

/* ---- readers ----------------------------------------------------------- */

static void count_reader(nn_layout *layout, int32_t record, int dense)
{
    if (record < 0)
        return;
    ++layout->readers[record];
    if (dense)
        layout->dense_readers[record] = 1;
}

static int32_t count_readers(nn_layout *layout)
{
    const nn_graph *graph = layout->graph;
    int32_t i;
    uint32_t k;

    layout->n_counted = layout->n_records;
    layout->readers = nn_arena_alloc(layout->arena, layout->n_records,
                                     sizeof *layout->readers);
    layout->dense_readers = nn_arena_alloc(layout->arena, layout->n_records, 1);
    if (!layout->readers || !layout->dense_readers)
        return NN_NO_MEMORY;
    for (i = 1; i < graph->n_layers; ++i) {
        const nn_graph_layer *layer = &graph->layers[i];
        const nn_layer_layout *own = &layout->top->layers[i];

        for (k = 0; k < layer->n_inputs; ++k)
            count_reader(layout, own->inputs[k].record,
                         nn_graph_needs_dense(layer, k));
        for (k = 0; k < layer->n_references; ++k)
            count_reader(layout, own->references[k].record, 0);
    }
    return NN_OK;
}

/* ---- concatenations ---------------------------------------------------- */

/* The port of output record R. */
static const nn_port *port_of(const nn_record *record)
{
    size_t index = (size_t)(record->declared - record->layer->outputs.items);

    return nn_graph_output_port(record->layer, (uint32_t)index);
}

/* 1 if output record R, written by its layer, may become a slice. */
static int may_be_slice(const nn_layout *layout, int32_t r)
{
    const nn_record *record = &layout->records[r];
    const nn_shape *shape = &record->shape;

    if (record->alias >= 0 || record->context_before || record->context_after ||
        record->sort != NN_SORT_OUTPUT ||
        record->layer == &layout->graph->layers[0] || layout->dense_readers[r])
        return 0;
    return shape->ndim <= nn_shape_open(shape) + 1 ||
           !(port_of(record)->flags & NN_PORT_DENSE);
}

/* 1 if the output of LAYER really is its inputs side by side. */
static int is_concatenation(const nn_graph_layer *layer)
{
    const nn_shape *whole;
    int64_t columns = 0;
    uint32_t k;

    if (!(layer->component->flags & NN_LAYER_CONCATENATION) ||
        layer->outputs.count == 0)
        return 0;
    whole = &layer->outputs.items[0].shape;
    for (k = 0; k < layer->n_inputs; ++k) {
        const nn_shape *shape = &layer->input_shapes[k];

        if (shape->ndim != whole->ndim || shape->dtype != whole->dtype ||
            !nn_shape_agree(shape, whole, whole->ndim - 1) ||
            nn_shape_columns(shape) < 1)
            return 0;
        columns += nn_shape_columns(shape);
    }
    return columns == nn_shape_columns(whole);
}

/* Lets what a concatenation reads be written into its output. */
static void alias_concatenation(nn_layout *layout, int32_t index)
{
    const nn_graph_layer *layer = &layout->graph->layers[index];
    nn_layer_layout *own = &layout->top->layers[index];
    int32_t whole = own->outputs[0].record;
    int64_t column = 0;
    uint32_t k;

    for (k = 0; k < layer->n_inputs; ++k) {
        const nn_view *input = &own->inputs[k];

        if (input->count == 0 && may_be_slice(layout, input->record)) {
            nn_record *record = &layout->records[input->record];

            record->alias = whole;
            record->strided = 1;
            record->alias_offset = column * nn_dtype_bytes(record->shape.dtype);
        }
        column += nn_shape_columns(&layer->input_shapes[k]);
    }
}

/* ---- in place ---------------------------------------------------------- */

/* Marks what may not be overwritten by its reader because somebody else needs
 * a part of it: its pieces have readers besides the concatenation, or are
 * kept. */
static uint8_t *find_shared(nn_layout *layout)
{
    uint8_t *shared = nn_arena_alloc(layout->arena, layout->n_records, 1);
    int32_t r;

    for (r = 0; shared && r < layout->n_records; ++r) {
        int32_t whole = layout->records[r].alias;
        int more = layout->readers[r] > 1 || layout->records[r].kept;

        for (; more && whole >= 0; whole = layout->records[whole].alias)
            shared[whole] = 1;
    }
    return shared;
}

/* Without a backward pass an output may replace the input it comes from. */
static void alias_in_place(nn_layout *layout, const uint8_t *shared,
                           int32_t index)
{
    const nn_graph_layer *layer = &layout->graph->layers[index];
    const nn_layer_layout *own = &layout->top->layers[index];
    const nn_port *port = nn_graph_output_port(layer, 0);
    int32_t r = layer->n_inputs ? own->inputs[0].record : -1;
    nn_record *output;
    nn_record *input;

    if (!port || !(port->flags & NN_PORT_IN_PLACE) || r < 0 ||
        own->inputs[0].count)
        return;
    output = &layout->records[own->outputs[0].record];
    input = &layout->records[r];
    if (output->alias >= 0 || output->context_before || output->context_after ||
        input->context_before || input->context_after || input->kept ||
        input->alias >= 0 || input->layer == &layout->graph->layers[0] ||
        shared[r] ||
        memcmp(&input->shape, &output->shape, sizeof input->shape) ||
        layout->readers[r] != 1)
        return;
    output->alias = r;
}

/* ---- dense copies ------------------------------------------------------ */

/* Gives input K of a layer that would see gaps a copy of its own. */
static int32_t copy_strided(nn_layout *layout, const nn_graph_layer *layer,
                            const nn_graph_layout *graph, int32_t index,
                            uint32_t k)
{
    nn_layer_layout *own = &graph->layers[index];
    const nn_port *port = nn_graph_input_port(layer, k);
    uint32_t ports = layer->component->n_inputs;
    nn_record *copy;
    char name[NN_GRAPH_NAME + 16];
    int32_t record;
    int32_t code;

    if (k < ports)
        snprintf(name, sizeof name, "%s", port->name);
    else
        snprintf(name, sizeof name, "%s_%u", port->name, k - ports + 2);
    code = nn_layout_new_record(layout, layer->path, "inputs", name,
                                NN_SORT_INPUT_COPY, NN_BLOCK_ARENA, &record);
    if (code)
        return code;
    copy = &layout->records[record];
    copy->shape = layer->input_shapes[k];
    if (copy->shape.dims[0] != NN_T)
        copy->frames = graph->frames;
    own->sources[k] = own->inputs[k];
    own->inputs[k] = (nn_view){record, NN_WRITE, 0, 0};
    return NN_OK;
}

static int32_t copy_all(nn_layout *layout, const nn_graph_layout *graph)
{
    int32_t code = NN_OK;
    int32_t i;
    uint32_t k;

    for (i = 1; i < graph->graph->n_layers && !code; ++i) {
        const nn_graph_layer *layer = &graph->graph->layers[i];
        const nn_layer_layout *own = &graph->layers[i];

        for (k = 0; k < layer->n_inputs && !code; ++k)
            if (own->inputs[k].record != -1 && own->inputs[k].count &&
                nn_graph_needs_dense(layer, k))
                code = copy_strided(layout, layer, graph, i, k);
        for (k = 0; k < layer->n_children && !code; ++k)
            code = copy_all(layout, own->children[k]);
    }
    return code;
}

int32_t nn_layout_share(nn_layout *layout)
{
    const nn_graph *graph = layout->graph;
    uint8_t *shared;
    int32_t code = count_readers(layout);
    int32_t i;

    if (code)
        return code;
    for (i = graph->n_layers - 1; i > 0; --i)
        if (is_concatenation(&graph->layers[i]))
            alias_concatenation(layout, i);
    shared = find_shared(layout);
    if (!shared)
        return NN_NO_MEMORY;
    for (i = 1; i < graph->n_layers && !layout->training && !layout->redzone;
         ++i)
        alias_in_place(layout, shared, i);
    return copy_all(layout, layout->top);
}
