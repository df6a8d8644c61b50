/* SPDX-License-Identifier: MIT */
/* alone.h - runs one layer from shapes, without a network, on the reference.
 *
 *     alone *a = alone_create(&component, params, NN_FLOAT64, 3, 2);
 *     alone_input(a, NN_FLOAT64, 3, NN_T, NN_B, 5);
 *     assert_int_equal(alone_setup(a), 0);
 *     alone_check_gradients(a, NN_PASS_TRAIN);
 *     alone_destroy(a);
 *
 * Every array has a block of memory of its own, so that a sanitizer sees what
 * leaves it.  Inputs and outputs have gaps between their rows unless the port
 * forbids it.  What a pass is to write holds NaN before it. */
#ifndef NN_TESTS_ALONE_H
#define NN_TESTS_ALONE_H

#include <nn/layer.h>

#include "core/reference/complete.h"

#define ALONE_MAX 16
#define ALONE_PLANS 4

/* A declared buffer with its memory. */
typedef struct alone_buffer {
    nn_buffer declared;
    char name[32];
    char group[32];
    nn_array array; /* frames 0 to T - 1 */
    nn_array delta; /* outputs; gradient of a parameter */
} alone_buffer;

typedef struct alone_buffers {
    uint32_t n;
    alone_buffer list[ALONE_MAX];
    nn_array arrays[ALONE_MAX]; /* as handed to the layer */
    nn_array deltas[ALONE_MAX];
} alone_buffers;

typedef struct alone {
    nn_setup setup; /* first: the callbacks find the rest through it */
    nn_layer_context context;
    const nn_component *component;
    const nn_layer_interface *interface;
    uint32_t real;
    int64_t T;
    int64_t B;
    nn_completed *completed;
    nn_shape input_shapes[ALONE_MAX];
    uint32_t n_inputs;
    nn_array inputs[ALONE_MAX];
    nn_array input_deltas[ALONE_MAX];
    alone_buffers outputs;
    alone_buffers parameters;
    alone_buffers internals;
    alone_buffers state;
    uint32_t n_groups;
    nn_array groups[ALONE_MAX];
    nn_array group_gradients[ALONE_MAX];
    uint32_t n_references;
    const char *paths[ALONE_MAX];
    nn_shape reference_shapes[ALONE_MAX];
    nn_array references[ALONE_MAX];
    nn_array reference_deltas[ALONE_MAX];
    struct nn_plan *plans[ALONE_PLANS];
    uint32_t n_children;
    nn_child *children[4];
} alone;

/* A child: layers one after the other. */
struct nn_child {
    uint32_t n;
    int64_t frames; /* that it runs at a time; 0: all */
    alone *layers[4];
};

/* A child made of N layers; owned by the parent's alone once it is set up. */
nn_child *alone_child(uint32_t n, alone *const *layers);

/* COMPONENT for batches of T and B.  PARAMS has a value for each parameter and
 * outlives it. */
alone *alone_create(const nn_component *component, const nn_params *params,
                    uint32_t real, int64_t T, int64_t B);
void alone_destroy(alone *a);

/* Appends an input of NDIM int sizes; ndim 0: absent. */
void alone_input(alone *a, uint32_t dtype, uint32_t ndim, ...);

/* A buffer of another layer, zeroed, of NDIM int sizes. */
void alone_reference(alone *a, const char *path, uint32_t dtype, uint32_t ndim,
                     ...);

/* Runs setup and allocates.  Returns its code; alone_message() is the text. */
int32_t alone_setup(alone *a);
const char *alone_message(void);

/* One pass.  Returns the kept error of the operations. */
int32_t alone_forward(alone *a, uint32_t flags);
int32_t alone_backward(alone *a);

/* State as declared, context frames zero. */
void alone_reset(alone *a);

/* Memory of its own for frames -BEFORE to T + AFTER - 1 of SHAPE, zeroed, rows
 * PAD elements apart; the array is frames 0 to T - 1.  alone_drop frees it. */
nn_array alone_make(const alone *a, const nn_shape *shape, int64_t before,
                    int64_t after, int64_t pad);
void alone_drop(nn_array *array);
void alone_drop_plans(alone *a);

extern const nn_handler_interface alone_handler;
extern const nn_host alone_host;

/* Element I in C order. */
double alone_get(const nn_array *array, int64_t i);
void alone_set(const nn_array *array, int64_t i, double value);
void alone_fill(const nn_array *array, double value);
void alone_values(const nn_array *array, const double *values);

/* Uniform numbers that suit CONTENT (of NN_CONTENT_...), K classes. */
void alone_random(const nn_array *array, uint32_t content, int64_t classes);

/* All inputs, by the content of their ports, and all parameters. */
void alone_randomize(alone *a);

/* Whether output INDEX has a delta. */
void alone_want_output_delta(alone *a, uint32_t index, int wanted);

/* Compares backward with central differences, for random output deltas, every
 * subset of outputs that have one, and all modes; asserts that outputs are
 * written whole and that backward leaves alone what it only reads. */
void alone_check_gradients(alone *a, uint32_t flags);

/* The values of a component. */
nn_value alone_int(int64_t value);
nn_value alone_real(double value);
nn_value alone_none(void);
nn_value alone_text(const char *value);
nn_value alone_owned(nn_child *child);
nn_value alone_list(uint32_t type, uint32_t n, const nn_value *items,
                    const char *const *keys);

/* N values as parameters; they and their items are freed by alone_params_free.
 */
nn_params *alone_params(uint32_t n, const nn_value *values);
void alone_params_free(nn_params *params);

#endif
