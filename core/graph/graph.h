/* SPDX-License-Identifier: MIT */
/* graph.h - layers in the order in which they run, with all their buffers.
 *
 * An architecture (layers and connections by name, architecture.h) becomes a
 * graph: sorted so that every layer stands behind what it reads, each layer set
 * up from the shapes of its inputs, so that every buffer is known with T and B
 * still open.  Layer 0 is where the inputs come from: in a network the
 * component with NN_LAYER_INPUT, in a child's graph a layer without component
 * whose outputs are the parent's business.
 *
 * A layer that owns children has a graph for each; their buffers belong to it
 * and are named `parent.child.layer...`. */
#ifndef NN_CORE_GRAPH_GRAPH_H
#define NN_CORE_GRAPH_GRAPH_H

#include <nn/layer.h>

#include "core/config/child.h"
#include "core/config/schema.h"
#include "core/util/arena.h"

typedef struct nn_graph nn_graph;

/* Where an input comes from: columns FIRST to FIRST + COUNT - 1 of an output,
 * all of them if COUNT is 0. */
typedef struct nn_link {
    int32_t layer;   /* index in the graph; -1: not connected */
    uint32_t output; /* of that layer */
    int64_t first;
    int64_t count;
} nn_link;

/* Buffers of one sort, in the order in which they were declared. */
typedef struct nn_buffers {
    nn_buffer *items;
    uint32_t count;
    uint32_t capacity;
} nn_buffers;

/* What a reference of one layer to another points at. */
#define NN_REFER_PARAMETER 1u
#define NN_REFER_OUTPUT 2u
#define NN_REFER_INTERNAL 3u
#define NN_REFER_STATE 4u
#define NN_REFER_RESERVE 5u

typedef struct nn_reference_link {
    uint32_t sort;  /* NN_REFER_... */
    int32_t layer;  /* index in the same graph, below the referring one */
    uint32_t index; /* among those of its sort, or the plan's slot */
} nn_reference_link;

/* One child that a layer set up. */
typedef struct nn_graph_child {
    nn_child *child;
    int64_t frames; /* at a time; 0: all T */
    nn_graph *graph;
} nn_graph_child;

typedef struct nn_graph_layer {
    const char *name; /* within its graph */
    const char *path; /* "parent.child.name"; equal to name at the top */
    const nn_component *component; /* NULL for layer 0 of a child's graph */
    nn_layer_interface interface;  /* full size: absent members are NULL */
    const nn_params *params;
    nn_place place;            /* where it is written, for messages */
    const nn_node *body;       /* its map of parameters and of the core's
                                  keys, or NULL */
    const nn_node *initialize; /* the layer's own map, or NULL */
    int32_t share;             /* layer whose parameters it uses, or -1 */
    nn_link *inputs;
    nn_shape *input_shapes;
    uint32_t n_inputs;
    uint32_t n_groups;
    nn_buffers outputs;
    nn_buffers parameters;
    nn_buffers internals;
    nn_buffers state;
    const char **groups; /* names, in the order of first mention */
    nn_reference_link *references;
    uint32_t n_references;
    uint32_t n_children;
    nn_graph_child *children;
    void *instance;
} nn_graph_layer;

struct nn_graph {
    nn_arena *arena; /* owns everything below */
    nn_graph_layer *layers;
    int32_t n_layers;
    uint32_t real;   /* NN_FLOAT32 or NN_FLOAT64 */
    int32_t *slots;  /* table of names: index + 1 of a layer, 0: free */
    int64_t n_slots; /* a power of two */
    const nn_host *host;
    const nn_catalog *catalog;
    nn_diagnostics *diagnostics; /* while it is built */
};

/* The port that describes input INDEX of LAYER: the last one also stands for
 * all that follow.  [any] */
const nn_port *nn_graph_input_port(const nn_graph_layer *layer, uint32_t index);

/* The port of output INDEX, the last one for a variadic tail; NULL for a layer
 * without component.  [any] */
const nn_port *nn_graph_output_port(const nn_graph_layer *layer,
                                    uint32_t index);

/* The layer called NAME, or -1.  [any] */
int32_t nn_graph_find(const nn_graph *graph, const char *name);

/* 1 if input K of LAYER must have no gaps between its rows: its port is DENSE
 * and sees several feature axes, or the layer hands it to children.  [any] */
int nn_graph_needs_dense(const nn_graph_layer *layer, uint32_t k);

/* Builds the graph of a network: layer 0 of component INPUT (the one with
 * NN_LAYER_INPUT), whose first parameter is the map INPUTS, and behind it the
 * list LAYERS, for real type REAL.  Errors go to DIAGNOSTICS (may be NULL)
 * and the thread's message.  CATALOG, HOST and the nodes live as long as the
 * graph.  [setup] */
int32_t nn_graph_create(const nn_catalog *catalog, const nn_host *host,
                        const nn_component *input, const nn_node *inputs,
                        const nn_node *layers, uint32_t real,
                        nn_diagnostics *diagnostics, nn_graph **out);

/* Frees it; NULL is fine.  [setup] */
void nn_graph_destroy(nn_graph *graph);

/* Builds the graph of CHILD of LAYER for inputs of these shapes, in the arena
 * of GRAPH.  The output of the child is that of the last layer in the order of
 * execution.  [setup] */
int32_t nn_graph_create_child(nn_graph *graph, const nn_graph_layer *layer,
                              nn_child *child, const nn_shape *inputs,
                              uint32_t n_inputs, nn_graph **out);

/* Runs the setup of layer INDEX, whose predecessors have been set up.
 * [setup] */
int32_t nn_graph_setup_layer(nn_graph *graph, int32_t index);

/* Refuses a shape that no buffer can have: rank, sizes, type, or too many
 * elements.  WHAT and NAME ("output", "default") are for the message.  [any] */
int32_t nn_graph_check_shape(const nn_graph *graph, const char *path,
                             const char *what, const char *name, int open,
                             const nn_shape *shape);

/* "(T, B, 28, 28, 1)" into TEXT of SIZE bytes; returns TEXT.  [any] */
char *nn_graph_shape_text(const nn_shape *shape, char *text, size_t size);

/* Full-size copy of a layer's interface by the rule of sizes: members beyond
 * its size are NULL.  [any] */
nn_layer_interface nn_graph_interface(const nn_component *component);

/* ---- between the files of this folder ---------------------------------- */

/* Longest path of a layer, with its end, and longest name of a buffer. */
#define NN_GRAPH_PATH 512
#define NN_GRAPH_NAME 128

/* Letters, digits and '_', not starting with a digit; not `none`. */
int nn_graph_is_name(const char *text);

/* "prefix.name" in the graph's arena, NAME itself without a prefix; NULL with
 * a message. */
const char *nn_graph_join(nn_graph *graph, const char *prefix,
                          const char *name);

/* Names layers FIRST to FIRST + COUNT - 1, which the graph counts already. */
int32_t nn_graph_name_layers(nn_graph *graph, int32_t first,
                             const nn_named *named, int64_t count,
                             const char *prefix);

/* Makes the table of names anew, after layers were moved. */
void nn_graph_note_names(nn_graph *graph);

/* Reads LIST behind the layers that GRAPH has, links, sorts, sets up. */
int32_t nn_graph_build(nn_graph *graph, const nn_node *list,
                       const char *prefix);
int32_t nn_graph_check_list(nn_graph *graph, const nn_node *list);

/* Shapes of the inputs of layer INDEX, then its setup. */
int32_t nn_graph_set_up(nn_graph *graph, int32_t index);

#endif
