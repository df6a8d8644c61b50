/* SPDX-License-Identifier: MIT */
/* link.h - reads `from`: which output, and which columns of it, feeds what.
 *
 * A source is `layer`, `layer.port`, the name of a network input, or one of
 * these with a slice, `hidden[0:10]`; `none` leaves an optional port open.
 * `from` is one source (for the first port), a list (one a port; for a
 * variadic port all that follow), or a map from ports to sources or lists. */
#ifndef NN_CORE_GRAPH_LINK_H
#define NN_CORE_GRAPH_LINK_H

#include "core/graph/graph.h"

/* A source as written: names only. */
typedef struct nn_origin {
    char layer[128];     /* or the name of a network input */
    char port[128];      /* empty: the first output */
    int64_t first;       /* of the slice */
    int64_t end;         /* behind it; -1: to the end */
    int32_t sliced;      /* 1 if there is a slice */
    const nn_node *node; /* where it is written; may be NULL */
} nn_origin;

/* Parses TEXT.  Returns 0, or NN_FORMAT without a message.  [any] */
int32_t nn_origin_parse(const char *text, nn_origin *out);

/* Fills layer->inputs and n_inputs of layer INDEX from FROM (NULL: the layer
 * before, or the first input).  Ports that stay open must be optional.
 * [setup] */
int32_t nn_graph_link_layer(nn_graph *graph, int32_t index,
                            const nn_node *from);

#endif
