/* SPDX-License-Identifier: MIT */
/* layer.c - small questions about one layer of a graph. */
#include <stdio.h>
#include <string.h>

#include <nn/shape.h>

#include "core/graph/graph.h"

char *nn_graph_shape_text(const nn_shape *shape, char *text, size_t size)
{
    size_t used = 0;
    uint32_t i;

    used += (size_t)snprintf(text, size, "(");
    for (i = 0; i < shape->ndim && used < size; ++i) {
        const char *comma = i ? ", " : "";

        if (shape->dims[i] == NN_T)
            used += (size_t)snprintf(text + used, size - used, "%sT", comma);
        else if (shape->dims[i] == NN_B)
            used += (size_t)snprintf(text + used, size - used, "%sB", comma);
        else
            used += (size_t)snprintf(text + used, size - used, "%s%lld", comma,
                                     (long long)shape->dims[i]);
    }
    if (used < size)
        snprintf(text + used, size - used, ")");
    return text;
}

int nn_graph_needs_dense(const nn_graph_layer *layer, uint32_t k)
{
    const nn_shape *shape = &layer->input_shapes[k];

    if (layer->n_children)
        return 1;
    return (nn_graph_input_port(layer, k)->flags & NN_PORT_DENSE) &&
           shape->ndim > nn_shape_open(shape) + 1;
}

nn_layer_interface nn_graph_interface(const nn_component *component)
{
    nn_layer_interface full;
    const nn_layer_interface *theirs = component->interface;
    size_t size = theirs->size < sizeof full ? theirs->size : sizeof full;

    memset(&full, 0, sizeof full);
    memcpy(&full, theirs, size);
    return full;
}

const nn_port *nn_graph_input_port(const nn_graph_layer *layer, uint32_t index)
{
    const nn_component *component = layer->component;

    if (!component || component->n_inputs == 0)
        return NULL;
    if (index >= component->n_inputs)
        index = component->n_inputs - 1;
    return component->inputs[index];
}

const nn_port *nn_graph_output_port(const nn_graph_layer *layer, uint32_t index)
{
    const nn_component *component = layer->component;

    if (!component || component->n_outputs == 0)
        return NULL;
    if (index >= component->n_outputs)
        index = component->n_outputs - 1;
    return component->outputs[index];
}
