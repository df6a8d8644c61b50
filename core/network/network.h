/* SPDX-License-Identifier: MIT */
/* network.h - a graph with memory, ready to run.
 *
 * A network has a handler, the blocks of memory of its layout, and for every
 * (T, B, flags) that it met a binding: the contexts of all layers with their
 * arrays and plans.  The memory is sized once, for the largest T and B; a
 * smaller batch is views into it.  One thread at a time uses a network;
 * different networks are independent. */
#ifndef NN_CORE_NETWORK_NETWORK_H
#define NN_CORE_NETWORK_NETWORK_H

#include <nervenet.h>
#include <nn/handler.h>
#include <nn/track.h>

#include "core/memory/layout.h"
#include "core/reference/complete.h"

#define NN_PLAN_SLOTS 64u

/* A planned row; nn_plan of layer.h. */
struct nn_plan {
    nn_network *network;
    nn_row_slot slot;
    nn_handler_plan *plan;
    void *attributes; /* copy, malloc'd; NULL if none */
    int64_t workspace_bytes;
    int64_t reserve_bytes;
    nn_array workspace; /* ndim 0 if no bytes were asked for */
    nn_array reserve;
};

typedef struct nn_graph_binding nn_graph_binding;

/* What plans in slots 2 k and 2 k + 1 keep from forward to backward. */
typedef struct nn_reserve {
    int32_t record; /* -1: none */
    int64_t bytes;  /* of one run */
} nn_reserve;

/* One layer, bound to T and B.  `context` is first: the functions behind it
 * find the rest. */
typedef struct nn_layer_binding {
    nn_layer_context context;
    nn_network *network;
    const nn_graph_layer *layer;
    const nn_layer_layout *layout;
    nn_graph_binding *graph; /* that it belongs to */
    int32_t home;            /* index of the top layer that it belongs to */
    int64_t first;   /* of the frames that it sees, counted in the whole pass */
    uint64_t stream; /* of its random numbers */
    nn_array *arrays;             /* behind the context's pointers */
    const nn_array *outputs;      /* as forward sees them */
    const nn_array *outputs_read; /* as backward does: read only */
    const nn_array *writes;       /* gradients as the layout has them */
    const nn_array *adds;         /* the same with WRITE as ADD */
    const nn_array *group_writes; /* the same for groups */
    const nn_array *group_adds;
    nn_array *sources;       /* copied to inputs before forward */
    nn_array *source_deltas; /* input deltas are added to them */
    nn_plan *plans[NN_PLAN_SLOTS];
    nn_reserve *reserves;        /* NN_PLAN_SLOTS / 2; of the first binding */
    nn_graph_binding **children; /* layer->n_children */
    int32_t reserving;           /* 1: a plan has a reserve */
    nn_random drawn;             /* what its last forward drew with */
    int32_t shown;         /* 1 + NN_PASS_..._OF: the caller has its context */
    nn_layer_context part; /* of a child's layer: some frames of `context` */
    nn_array *part_arrays;
    nn_array *part_sources; /* the frames of `sources` and `source_deltas` */
    nn_array *part_source_deltas;
} nn_layer_binding;

struct nn_graph_binding {
    const nn_graph_layout *layout;
    int64_t frames;           /* at a time; of a child, else 0 */
    int64_t first;            /* of the last run, counted in the whole pass */
    nn_layer_binding *layers; /* [0] is used only in a network */
};

/* All layers for one T and B. */
typedef struct nn_binding {
    nn_arena *arena; /* owns all of it */
    int64_t T;
    int64_t B;
    uint32_t flags; /* NN_PASS_... */
    nn_graph_binding *top;
    struct nn_binding *next; /* most recently made first */
} nn_binding;

struct nn_network {
    const nn_host *host;
    const nn_graph *graph; /* the caller's */
    nn_layout *layout;
    nn_handler_interface interface; /* full size */
    nn_handler *handler;            /* the caller's */
    nn_completed *completed;
    nn_track track; /* the handler's; its functions are NULL if it has none */
    nn_memory *blocks[NN_BLOCKS];
    int64_t allocated; /* bytes of all blocks */
    uint32_t real;
    uint64_t seed;
    uint64_t update;  /* number that random draws use */
    uint64_t drawing; /* that of the pass that runs or ran last */
    nn_binding *bindings;
    nn_binding *now;   /* of the pass that runs or ran last; NULL at first */
    uint32_t flags;    /* of that pass */
    int32_t begun;     /* 1: `flags` and `now` are those of a pass */
    int32_t shown;     /* 1: the caller has the context of a layer of `now` */
    int32_t forwarded; /* 1: a forward pass is complete; 2: backward too */
    int32_t carrying;  /* 1: the frames to carry are valid */
    int64_t carried_B;
    int32_t planned;   /* 1: workspace and reserves have their sizes */
    int32_t workspace; /* record of the one workspace, or -1 */
    int32_t losses;    /* record of the losses' sums, or -1 */
};

/* What a network is made with. */
typedef struct nn_network_options {
    const nn_host *host;
    const nn_handler_interface *interface; /* by the rule of sizes */
    nn_handler *handler;                   /* outlives the network */
    int training;                          /* 1: with backward */
    int deltas;                            /* 1: as in nn_model_options */
    int64_t T;                             /* largest that will come */
    int64_t B;
    uint64_t seed;
    const char *const *keep; /* patterns of buffers that stay readable */
    uint32_t n_keep;
} nn_network_options;

/* Lays GRAPH out, plans and allocates.  The graph outlives the network.
 * `nn_network_plan` stops before memory is allocated: its layout tells how
 * much it would be.  [setup] */
int32_t nn_network_create(const nn_graph *graph,
                          const nn_network_options *options, nn_network **out);
int32_t nn_network_plan(const nn_graph *graph,
                        const nn_network_options *options, nn_network **out);
int32_t nn_network_allocate(nn_network *network);
void nn_network_destroy(nn_network *network);

/* Bytes that the blocks have (or, before allocation, will have).  [any] */
int64_t nn_network_bytes(const nn_network *network);

/* Passes and most of the access to buffers are public: <nervenet.h>. */

/* The handler's error as the thread's message, which names LAYER (may be
 * NULL); 0 if there is none.  What was told is over: unless the device is lost,
 * the handler works again.  [compute] */
int32_t nn_network_check(nn_network *network, const char *layer);

/* Fills all parameters.  RULES is the config's `initialize` map or NULL;
 * patterns are tried from its last entry to its first, then the layer's own
 * `initialize`, then what the layer declares.  Resets state.  [setup] */
int32_t nn_network_initialize(nn_network *network, const nn_node *rules,
                              nn_diagnostics *diagnostics);

/* A whole block as one vector: reals, or bytes for state and carried frames.
 * [compute] */
nn_array nn_network_block(const nn_network *network, uint32_t block);

/* The array of RECORD with its memory.  [compute] */
nn_array nn_network_array(const nn_network *network, int32_t record);

/* Sets RECORD to 0.  [compute] */
void nn_network_zero(const nn_network *network, int32_t record);

/* The frames of RECORD, which has some to carry, as they lie in their block, for
 * the T and B of now.  [compute] */
nn_array nn_network_carried(const nn_network *network, int32_t record);

/* Tells a handler that tracks memory (track.h) whose operations come next: of
 * WHOSE (NN_TRACK_OUTSIDE, ...), called NAME (may be NULL), in the update of the
 * last pass.  NAME lives until the next call.  [compute] */
static inline void nn_network_track(const nn_network *network, uint32_t whose,
                                    const char *name)
{
    if (network->track.step)
        network->track.step(network->handler, whose, name, network->drawing);
}

/* Tells it that BYTES at OFFSET of MEMORY are the buffer PATH, of DTYPE, and
 * what happens to it: WHAT is NN_TRACK_PLACED, BORN or DEAD.  PATH lives as long
 * as the memory.  [compute] */
void nn_network_track_buffer(const nn_network *network, uint32_t what,
                             nn_memory *memory, int64_t offset, int64_t bytes,
                             uint32_t dtype, const char *path);

/* ---- between the files of this folder ---------------------------------- */

/* Fills network->track. */
void nn_track_find(nn_network *network);

/* All buffers have their places; those outside the arena are zeroed anew. */
int32_t nn_track_place(nn_network *network);

/* Before and after the operations of STEP of a pass (layout.h): buffers of the
 * arena whose life begins or ends with it. */
void nn_track_begin(const nn_network *network, int32_t step);
void nn_track_end(const nn_network *network, int32_t step);

/* Before the backward of a top layer: gradients that it does not add to. */
void nn_track_gradients(const nn_layer_binding *own);

/* Before the forward or backward (PASS) of a top layer that runs alone: what it
 * writes. */
void nn_track_alone(const nn_layer_binding *own, uint32_t pass);

int32_t nn_plan_create(nn_network *network, const char *id, uint32_t row,
                       const nn_array *const *operands, uint32_t n_operands,
                       const void *attributes, int64_t workspace_limit,
                       int64_t reserve_limit, nn_plan **out);
void nn_plan_destroy(nn_plan *plan);
void nn_plan_run(const nn_plan *plan, const nn_array *const *operands,
                 uint32_t n_operands, const void *attributes);

/* Contexts and plans for T, B and FLAGS, without memory until
 * nn_binding_attach; the result is network->now. */
int32_t nn_binding_create(nn_network *network, int64_t T, int64_t B,
                          uint32_t flags, nn_binding **out);
void nn_binding_attach(nn_network *network, nn_binding *binding);
void nn_binding_destroy(nn_binding *binding);

/* Gives the context of OWN, of network->now, its own members back. */
void nn_binding_restore(nn_layer_binding *own);

/* Calls VISIT for every layer binding, children included. */
void nn_binding_visit(const nn_graph_binding *graph,
                      void (*visit)(void *self, nn_layer_binding *layer),
                      void *self);

/* Points own->part at the frames of one run, from FIRST on, counted in the
 * whole pass. */
void nn_child_part(nn_layer_binding *own, int64_t first);

/* What the core does around a layer: CONTEXT is own->context with own->sources
 * and own->source_deltas, or the same of a part. */
void nn_layer_forward(const nn_layer_binding *own,
                      const nn_layer_context *context, const nn_array *sources);
void nn_layer_backward(const nn_layer_binding *own,
                       const nn_layer_context *context,
                       const nn_array *source_deltas);

/* Makes OWN ready for a forward pass; or for the backward that follows it, FLAGS
 * as in nn_network_backward. */
void nn_layer_begin(nn_layer_binding *own);
void nn_layer_turn(nn_layer_binding *own, uint32_t flags);

/* The frames of context of a top layer and its children, before its forward or
 * (PASS) backward: zero, or carried where CARRY and BEGINS say so; and after
 * its forward their last ones for the next pass. */
void nn_layer_frames(const nn_layer_binding *own, uint32_t pass, int carry,
                     const uint8_t *begins);
void nn_layer_save_frames(const nn_layer_binding *own);

/* Takes back the contexts that nn_network_layer handed out. */
void nn_layers_restore(nn_network *network);

/* The functions of nn_layer_context that drive children. */
void nn_child_forward(const nn_layer_context *context, nn_child *child,
                      const nn_array *inputs, uint32_t n_inputs, int64_t first);
void nn_child_backward(const nn_layer_context *context, nn_child *child,
                       const nn_array *inputs, const nn_array *input_deltas,
                       uint32_t n_inputs, int64_t first);
nn_array nn_child_output(const nn_layer_context *context, nn_child *child,
                         uint32_t index);
nn_array nn_child_output_delta(const nn_layer_context *context, nn_child *child,
                               uint32_t index);

#endif
