/* SPDX-License-Identifier: MIT */
/* flow.h - what flow.c finds out of one graph and modes.c goes on with. */
#ifndef NN_CORE_MEMORY_FLOW_H
#define NN_CORE_MEMORY_FLOW_H

#include "core/memory/layout.h"

typedef struct nn_flow {
    nn_layout *layout;
    nn_graph_layout *own;
    uint8_t **reach;         /* by layer and output: differentiable */
    uint8_t **wanted;        /* the same */
    uint8_t *written;        /* by record: a writer was seen */
    uint8_t *parent_written; /* by input of a child, for its delta */
} nn_flow;

static inline const nn_graph_layer *nn_flow_layer(const nn_flow *f, int32_t i)
{
    return &f->own->graph->layers[i];
}

/* 1 if layer I hands a delta to what input K reads. */
int nn_flow_differentiable_input(const nn_flow *f, int32_t i, uint32_t k);

/* 1 if layer I hands a delta or gradient to what reference K points at. */
int nn_flow_differentiable_reference(const nn_flow *f, int32_t i, uint32_t k);

/* Gives modes to all deltas and gradients of the graph. */
int32_t nn_flow_modes(nn_flow *f);

#endif
