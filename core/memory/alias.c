/* SPDX-License-Identifier: MIT */
/* alias.c - which records are views of others, and which ports need a copy. */
#include "core/memory/layout.h"

#include <string.h>

/* Layers that read record R whole or in part, counted; *DENSE is 1 if one of
 * them could not take gaps between the rows. */
static int count_readers(const nn_layout *layout, int32_t r, int *dense)
{
    const nn_graph *graph = layout->graph;
    int count = 0;
    int32_t i;
    uint32_t k;

    *dense = 0;
    for (i = 0; i < graph->n_layers; ++i) {
        const nn_graph_layer *layer = &graph->layers[i];

        for (k = 0; k < layer->n_inputs; ++k) {
            if (layout->top->layers[i].inputs[k].record != r)
                continue;
            ++count;
            if (nn_graph_input_port(layer, k)->flags & NN_PORT_DENSE)
                *dense = 1;
        }
        for (k = 0; k < layer->n_references; ++k)
            if (layout->top->layers[i].references[k].record == r)
                ++count;
    }
    return count;
}

/* 1 if output record R, written by its layer, may become a slice. */
static int may_be_slice(const nn_layout *layout, int32_t r)
{
    const nn_record *record = &layout->records[r];
    const nn_port *port;
    int dense;
    uint32_t k;

    if (record->alias >= 0 || record->context_before ||
        record->context_after || record->sort != NN_SORT_OUTPUT ||
        record->layer == &layout->graph->layers[0])
        return 0;
    for (k = 0; k < record->layer->outputs.count; ++k)
        if (&record->layer->outputs.items[k] == record->declared) {
            port = nn_graph_output_port(record->layer, k);
            if (record->shape.ndim > 3 && port &&
                (port->flags & NN_PORT_DENSE))
                return 0;
        }
    count_readers(layout, r, &dense);
    return !(dense && record->shape.ndim > 3);
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
        const nn_shape *shape = &layer->input_shapes[k];
        int64_t columns = shape->dims[shape->ndim - 1];

        if (input->record >= 0 && input->count == 0 &&
            may_be_slice(layout, input->record) &&
            shape->dtype == layout->records[whole].shape.dtype) {
            nn_record *record = &layout->records[input->record];

            record->alias = whole;
            record->strided = 1;
            record->alias_offset = column * nn_dtype_bytes(shape->dtype);
        }
        column += columns;
    }
}

int nn_layout_readers(const nn_layout *layout, int32_t record)
{
    int dense;

    return count_readers(layout, record, &dense);
}

/* Without a backward pass an output may replace the input it comes from. */
static void alias_in_place(nn_layout *layout, int32_t index)
{
    const nn_graph_layer *layer = &layout->graph->layers[index];
    const nn_layer_layout *own = &layout->top->layers[index];
    const nn_port *port = nn_graph_output_port(layer, 0);
    nn_record *output;
    nn_record *input;
    int dense;

    if (!port || !(port->flags & NN_PORT_IN_PLACE) || layer->n_inputs == 0 ||
        own->inputs[0].record < 0 || own->inputs[0].count)
        return;
    output = &layout->records[own->outputs[0].record];
    input = &layout->records[own->inputs[0].record];
    if (output->alias >= 0 || output->context_before ||
        output->context_after || input->context_before ||
        input->context_after || input->kept || input->alias >= 0 ||
        input->layer == &layout->graph->layers[0] ||
        memcmp(&input->shape, &output->shape, sizeof input->shape) ||
        count_readers(layout, own->inputs[0].record, &dense) != 1)
        return;
    output->alias = own->inputs[0].record;
}

/* Gives a DENSE port that would see gaps a copy of its own. */
static int32_t copy_strided(nn_layout *layout, int32_t index, uint32_t k)
{
    const nn_graph_layer *layer = &layout->graph->layers[index];
    nn_layer_layout *own = &layout->top->layers[index];
    const nn_port *port = nn_graph_input_port(layer, k);
    nn_record *copy;
    int32_t record;
    int32_t code;

    if (!(port->flags & NN_PORT_DENSE) || own->inputs[k].record < 0 ||
        layer->input_shapes[k].ndim <= 3 || own->inputs[k].count == 0)
        return NN_OK;
    code = nn_layout_new_record(layout, layer->path, "inputs", port->name,
                                NN_SORT_INPUT_COPY, NN_BLOCK_ARENA, &record);
    if (code)
        return code;
    copy = &layout->records[record];
    copy->shape = layer->input_shapes[k];
    own->sources[k] = own->inputs[k];
    own->inputs[k] = (nn_view){record, NN_WRITE, 0, 0};
    return NN_OK;
}

int32_t nn_layout_share(nn_layout *layout)
{
    int32_t n = layout->graph->n_layers;
    int32_t code = NN_OK;
    int32_t i;
    uint32_t k;

    for (i = n - 1; i > 0; --i)
        if (layout->graph->layers[i].component->flags & NN_LAYER_CONCATENATION)
            alias_concatenation(layout, i);
    for (i = 1; i < n && !layout->training; ++i)
        alias_in_place(layout, i);
    for (i = 1; i < n && !code; ++i)
        for (k = 0; k < layout->graph->layers[i].n_inputs && !code; ++k)
            code = copy_strided(layout, i, k);
    return code;
}
