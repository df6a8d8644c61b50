/* SPDX-License-Identifier: MIT */
/* layout.h - where every buffer of a graph lies, before any memory exists.
 *
 * A layout is made in three steps:
 *   1. nn_layout_create finds out which deltas and gradients exist, who writes
 *      each one first (and so its mode), which buffers are views of others, and
 *      during which steps each lives;
 *   2. nn_layout_add adds what plans ask for;
 *   3. nn_layout_assign gives every record its offset for the largest T and B.
 *
 * Steps of a pass over n layers: forward of layer i is step i, the losses are
 * seeded at step n, backward of layer i is step 2 n - i. */
#ifndef NN_CORE_MEMORY_LAYOUT_H
#define NN_CORE_MEMORY_LAYOUT_H

#include "core/graph/graph.h"

/* Blocks of memory. */
#define NN_BLOCK_ARENA 0u      /* activations, deltas, ..., by lifetime */
#define NN_BLOCK_PARAMETERS 1u /* one contiguous real array */
#define NN_BLOCK_GRADIENTS 2u  /* the same layout */
#define NN_BLOCK_STATE 3u      /* integers and statistics, by bytes */
#define NN_BLOCK_CARRY 4u      /* frames carried to the next pass */
#define NN_BLOCKS 5u

/* What a record is. */
#define NN_SORT_OUTPUT 0u
#define NN_SORT_OUTPUT_DELTA 1u
#define NN_SORT_INTERNAL 2u
#define NN_SORT_STATE 3u
#define NN_SORT_PARAMETER 4u
#define NN_SORT_GRADIENT 5u
#define NN_SORT_INPUT_COPY 6u /* dense copy of a slice, for a DENSE port */
#define NN_SORT_RESERVE 7u
#define NN_SORT_WORKSPACE 8u
#define NN_SORTS 9u

/* One buffer. */
typedef struct nn_record {
    const char *path; /* "hidden.outputs.default" */
    uint32_t sort;
    uint32_t block;
    nn_shape shape; /* T and B open, without frames of context */
    int32_t context_before;
    int32_t context_after;
    int32_t alias; /* record that holds its memory, or -1 */
    int32_t first; /* steps during which it lives, both inclusive */
    int32_t last;
    int32_t kept;         /* 1: pinned to the end of the pass */
    uint32_t tags;        /* of a parameter */
    uint32_t strided;     /* 1: a slice of the alias's last axis */
    int64_t alias_offset; /* bytes from the alias's first element */
    int64_t fixed_bytes;  /* RESERVE, WORKSPACE: size; else 0 */
    int64_t frames;       /* of a child that runs so many time steps at a time:
                             one copy a run of what has no time axis and lasts
                             from forward to backward; else 0 */
    int64_t offset;       /* in its block, of the whole with context */
    int64_t bytes;        /* for the largest T and B, with context */
    int64_t carry;        /* offset in the CARRY block, or -1 */
    const nn_buffer *declared;   /* by a layer; NULL for others */
    const nn_graph_layer *layer; /* that declared it; NULL for others */
} nn_record;

/* How a layer sees a record. */
typedef struct nn_view {
    int32_t record; /* -1: absent; -2 - k: input k of a child's parent */
    uint32_t mode;  /* NN_WRITE, ... */
    int64_t first;  /* columns, as in nn_link */
    int64_t count;  /* 0: all */
} nn_view;

typedef struct nn_graph_layout nn_graph_layout;

/* All views of one layer, in the order of its context's members. */
typedef struct nn_layer_layout {
    nn_view *inputs;
    nn_view *sources; /* inputs before the dense copy; record -1: no copy */
    nn_view *input_deltas;
    nn_view *source_deltas; /* where the copy's delta is added */
    nn_view *outputs;
    nn_view *output_deltas;
    nn_view *internals;
    nn_view *state;
    nn_view *parameters;
    nn_view *gradients;
    nn_view *parameter_groups;
    nn_view *gradient_groups;
    nn_view *references;
    nn_view *reference_deltas;
    int32_t *zeros; /* records to zero before its backward */
    uint32_t n_zeros;
    int32_t active; /* 1: its backward runs */
    nn_graph_layout **children;
} nn_layer_layout;

struct nn_graph_layout {
    const nn_graph *graph;
    nn_layer_layout *layers;
    int32_t child;  /* 1: of a child */
    int64_t frames; /* that it runs at a time; 0: all T */
};

/* An output that is part of the network's loss. */
typedef struct nn_loss_place {
    int32_t layer;
    uint32_t output;
    int32_t weight; /* output that weighs it, or -1 */
} nn_loss_place;

typedef struct nn_layout {
    nn_arena *arena;
    const nn_graph *graph;
    nn_graph_layout *top;
    nn_record *records;
    int32_t n_records;
    int32_t capacity;
    int32_t training; /* 1: with backward */
    int32_t deltas;   /* 1: inputs, and outputs that nothing reads, have deltas
                         as others do */
    uint32_t real;
    nn_loss_place *losses;
    uint32_t n_losses;
    int32_t *unread; /* deltas of outputs that nothing reads, which are no
                          losses */
    uint32_t n_unread;
    uint32_t n_keep;
    const char *const *keep; /* patterns of records that stay */
    int32_t *unwritten;      /* gradients that no layer writes */
    int32_t n_unwritten;
    int32_t n_counted;      /* records when readers were counted */
    int32_t *readers;       /* by record: inputs and references of the top
                                graph that read it */
    uint8_t *dense_readers; /* by record: 1 if one of them takes no gaps */
    int64_t redzone;        /* bytes around each buffer */
    int64_t T;              /* largest, after assign */
    int64_t B;
    int64_t bytes[NN_BLOCKS];
} nn_layout;

/* What a layout is made for. */
typedef struct nn_layout_options {
    int training;    /* 1: with backward */
    int deltas;      /* 1, with training: as in nn_layout */
    int64_t redzone; /* bytes around each buffer; above 0 no two roots share
                        memory, nor do outputs stand in their inputs */
    const char *const *keep; /* patterns of records that stay */
    uint32_t n_keep;
} nn_layout_options;

/* Steps 1 to 3 above.  GRAPH and the patterns live as long as the layout.
 * [setup] */
int32_t nn_layout_create(const nn_graph *graph,
                         const nn_layout_options *options, nn_layout **out);
int32_t nn_layout_add(nn_layout *layout, const char *path, uint32_t sort,
                      int64_t bytes, int64_t frames, int32_t first,
                      int32_t last, int32_t *record);
int32_t nn_layout_assign(nn_layout *layout, int64_t T, int64_t B);
void nn_layout_destroy(nn_layout *layout);

/* The largest B for which the layout would need at most LIMIT bytes in all,
 * 0 if none.  [setup] */
int64_t nn_layout_largest_batch(nn_layout *layout, int64_t limit);

/* The array of RECORD for T and B (without frames of context), pointing into
 * its block at the right offset, memory NULL.  [any] */
nn_array nn_layout_array(const nn_layout *layout, int32_t record, int64_t T,
                         int64_t B);

/* The same for a view: its columns and mode.  Absent (ndim 0) for record -1.
 * [any] */
nn_array nn_layout_view(const nn_layout *layout, const nn_view *view, int64_t T,
                        int64_t B);

/* Elements of one frame (B samples) of RECORD.  [any] */
int64_t nn_layout_frame_elements(const nn_record *record, int64_t B);

/* Bytes of the frames of RECORD that are carried for B samples, 0 if there are
 * none.  [any] */
int64_t nn_layout_carry_bytes(const nn_record *record, int64_t B);

/* Bytes from the copy of one run to that of the next if record->frames is not
 * 0, else 0.  The array of such a record is that of its first run.  [any] */
int64_t nn_layout_run_bytes(const nn_record *record, int64_t T, int64_t B);

/* The record at PATH, or -1.  [any] */
int32_t nn_layout_find(const nn_layout *layout, const char *path);

/* True if PATH matches PATTERN, where `*` stands for any text.  [any] */
int nn_pattern_matches(const char *pattern, const char *path);

/* ---- between the files of this folder ---------------------------------- */

int32_t nn_layout_new_record(nn_layout *layout, const char *prefix,
                             const char *sort_name, const char *name,
                             uint32_t sort, uint32_t block, int32_t *record);
int32_t nn_layout_share(nn_layout *layout);
int32_t nn_layout_flow(nn_layout *layout, nn_graph_layout *own);
int32_t nn_layout_live(nn_layout *layout);

#endif
