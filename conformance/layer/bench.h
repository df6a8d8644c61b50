/* SPDX-License-Identifier: MIT */
/* bench.h - a layer set up alone, with everything that it reads and writes in
 * hand.
 *
 * A bench is a network of one layer, `subject`, made with deltas for its inputs
 * and outputs, whose buffers all stay readable.  Its arrays are read and
 * written as doubles, whatever their type and layout.  It runs forward and
 * backward alone, any number of times: the state of the layer, the random
 * numbers that it draws and its frames of context are the same before every
 * run, so that runs differ only in what the check changes.
 *
 *     bench *b = bench_create(trial, one, NULL);
 *     bench_draw(b, 1);                           inputs, parameters, deltas
 *     if (bench_forward(b) || bench_backward(b))  the failure was said
 *         ...
 *     bench_get(b, BENCH_INPUT_DELTA, 0, values);
 *     bench_destroy(b);
 */
#ifndef NN_CONFORMANCE_LAYER_BENCH_H
#define NN_CONFORMANCE_LAYER_BENCH_H

#include "conformance/layer/cases.h"

/* What a bench's arrays are for.  The first three are the variables of which
 * the outputs are functions; their derivatives come in the same order. */
enum bench_sort {
    BENCH_INPUT,
    BENCH_PARAMETER, /* own ones, then those of children */
    BENCH_REFERENCE, /* what the layer reads of another layer */
    BENCH_INPUT_DELTA,
    BENCH_GRADIENT,
    BENCH_REFERENCE_DELTA,
    BENCH_OUTPUT,
    BENCH_OUTPUT_DELTA,
    BENCH_INTERNAL,
    BENCH_STATE, /* own ones, then those of children */
    BENCH_SORTS
};

#define BENCH_VARIABLES 3     /* sorts that outputs depend on */
#define BENCH_DERIVATIVE_OF 3 /* from such a sort to its derivative */
#define BENCH_FIXED 1u        /* of a child: its mode is always ADD */
#define BENCH_OWN 2u          /* memory of the bench, not of the network */
#define BENCH_UNWANTED 4u     /* a delta that the core does not ask for */

#define BENCH_VALUES 64u /* of one sort, at most */
#define BENCH_BLOCKS 64u

/* One array. */
typedef struct bench_value {
    nn_array array;   /* where it lies in the pass begun */
    const char *name; /* "default", "W" */
    int64_t count;    /* elements; 0: absent */
    uint32_t mode;    /* of derivatives: in the next backward, NN_WRITE at
                         first; of output deltas NN_DISCARD: none is given */
    uint32_t flags;   /* BENCH_... */
    int32_t group;    /* of parameters and gradients, or -1 */
    double *kept;     /* inputs, state: what every run starts from; output
                         deltas: what was drawn */
} bench_value;

typedef struct bench_values {
    bench_value *items;
    uint32_t count;
    uint32_t own; /* before those of children */
} bench_values;

/* How a bench is made; zero is the usual. */
typedef struct bench_options {
    const char *handler; /* NULL: "reference", which is the truth */
    int on_handler;      /* 1: the trial's handler, for checks that compare a
                            layer with itself */
    uint32_t real;       /* NN_FLOAT32; 0: NN_FLOAT64 */
    int shared;          /* 1: inputs have another reader, so that plans are
                            made for deltas that are added to; needed where
                            these are ADD or DISCARD */
    int sliced;          /* 1: inputs are columns of wider ones */
    int64_t T;           /* largest that will be begun, besides the case's */
    int64_t B;
    const nn_host *host; /* handed to the component; NULL: the library's */
    int guarded;         /* 1: the handler of guard.h */
} bench_options;

typedef struct bench {
    trial *trial;
    const layer_case *one;
    nn_config *config;
    nn_part *part;
    nn_device *inner; /* if guarded: what the device is around */
    nn_device *device;
    nn_model *model;
    nn_network *network;
    nn_layer_context *context; /* of the last run */
    int64_t T;                 /* of the pass begun */
    int64_t B;
    uint32_t flags;
    bench_values sorts[BENCH_SORTS];
    int sliced;
    int backward;   /* 1: see bench_has_backward */
    int aliased;    /* 1: inputs lie in the memory of outputs */
    int keep_state; /* set it to 1: state goes on from run to run */
    int in_place;   /* set it to 1: output 0 lies in the memory of input 0 */
    int discard_memory; /* set it to 1: what is DISCARD has memory all the
                           same, so that a write to it is seen */
    nn_array outputs[BENCH_VALUES]; /* as handed to the layer, if in_place */
    nn_array input_deltas[CASE_INPUTS]; /* as handed to the layer */
    nn_array output_deltas[BENCH_VALUES];
    nn_array gradients[BENCH_VALUES];
    nn_array groups[BENCH_VALUES];
    nn_memory *blocks[BENCH_BLOCKS]; /* of the bench */
    uint32_t n_blocks;
    double *started[BENCH_VALUES]; /* state as the network was made */
    double *scratch;
    int64_t room;
} bench;

/* Makes a bench of ONE and begins a pass with TRAIN and BACKWARD; OPTIONS may
 * be NULL.  NULL after saying a failure. */
bench *bench_create(trial *trial, const layer_case *one,
                    const bench_options *options);
void bench_destroy(bench *b);

/* Makes a bench of every case of the trial's level, one after the other, with
 * values drawn from the trial's seed, and calls RUN with it, until there are
 * three failures.  Says a skip if there is no case; with BACKWARD 1 also if the
 * layer has no derivative. */
void bench_each(trial *trial, const bench_options *options, int backward,
                void (*run)(bench *b));

/* Begins a pass of other sizes or FLAGS (NN_PASS_...), with the state as it was
 * at first.  All other values must be set again.  Returns 0 after success, else
 * says a failure. */
int bench_begin(bench *b, int64_t T, int64_t B, uint32_t flags);

/* Sets inputs, parameters, references and output deltas to random numbers, a
 * function of SEED, the name and the position alone. */
void bench_draw(bench *b, uint64_t seed);

/* The same for one of them. */
void bench_draw_value(bench *b, enum bench_sort sort, uint32_t index,
                      uint64_t seed);

/* COUNT normal numbers of (SEED, STREAM). */
void bench_random(uint64_t seed, uint64_t stream, double *values,
                  int64_t count);

/* Elements of value INDEX as doubles, or all of it set to VALUES; or to one
 * number, as bit pattern of its type if it is NaN. */
void bench_get(bench *b, enum bench_sort sort, uint32_t index, double *values);
void bench_set(bench *b, enum bench_sort sort, uint32_t index,
               const double *values);
void bench_fill(bench *b, enum bench_sort sort, uint32_t index, double value);

/* Runs forward or backward once, outputs and internals filled with `poison`
 * before forward.  Derivatives are written or added to as their `mode` says;
 * what is ADD the caller has set before.  Returns 0, or says a failure. */
int bench_forward(bench *b);
int bench_backward(bench *b);

/* The same with outputs and internals filled with POISON first. */
int bench_forward_on(bench *b, double poison);

/* Sets the mode of every derivative that the core asks for. */
void bench_modes(bench *b, uint32_t mode);

/* 1 if the layer has a backward and an output that has a delta. */
int bench_has_backward(const bench *b);

/* 1 if value INDEX of SORT has memory of real type. */
int bench_is_real(const bench *b, enum bench_sort sort, uint32_t index);

/* Sum over all outputs of output * output delta, the function whose derivatives
 * backward computes; *SCALE (may be NULL) gets the sum of absolute values. */
double bench_sum(bench *b, double *scale);

/* "input_deltas.default[t=1,b=2,f=3] of case {size: 3} of (T, B, 5)"; ELEMENT
 * -1: the whole. */
const char *bench_say(bench *b, enum bench_sort sort, uint32_t index,
                      int64_t element);

/* "input_deltas.default". */
const char *bench_name(bench *b, enum bench_sort sort, uint32_t index);

/* Memory of the trial. */
double *bench_numbers(bench *b, int64_t count);

#endif
