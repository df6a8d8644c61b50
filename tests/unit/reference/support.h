/* SPDX-License-Identifier: MIT */
/* support.h - arrays with guarded gaps, and a toy handler, for these tests.
 *
 * A tensor is an array in a block of its own: bytes before it, after it and
 * between its rows hold a pattern that must survive every operation. */
#ifndef NN_TESTS_REFERENCE_SUPPORT_H
#define NN_TESTS_REFERENCE_SUPPORT_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <nn/handler.h>

#define TENSOR_MAX 64 /* elements of a tensor that is set by a list */

struct nn_memory {
    unsigned char *bytes;
    int64_t size;
    int mapped; /* mappings of the toy handler that are open */
};

typedef struct tensor {
    nn_array array;
    nn_memory memory;
} tensor;

/* A tensor of SHAPE with GAP elements behind each row, all elements NaN (77
 * for integers).  Released by tensor_free. */
tensor *tensor_make(uint32_t dtype, int64_t gap, uint32_t ndim,
                    const int64_t *shape);
void tensor_free(tensor *t);

/* Address of the first element. */
void *tensor_data(tensor *t);

/* Logical element I in C order. */
double tensor_get(const tensor *t, int64_t i);
void tensor_put(tensor *t, int64_t i, double value);
void tensor_set(tensor *t, const double *values);
void tensor_fill(tensor *t, double value);

/* Fails if a byte outside the elements has changed. */
void tensor_check_guards(const tensor *t);

/* The toy handler: memory in tensors, and those operations that `native`
 * names, each run by the reference and counted. */
struct nn_handler {
    nn_handler_interface interface;
    nn_operation_fn operations[NN_OP_COUNT + 8];
    unsigned calls[NN_OP_COUNT];
    unsigned maps;
    unsigned unmaps;
    uint32_t last_access; /* of the last map */
    int64_t last_bytes;   /* the same */
    int refuse_map;       /* map returns NULL and keeps no error */
    int32_t code;
    const char *text;
    const nn_extension *extension;
};

/* A toy that knows N operations in all and has those that NATIVE lists, up to
 * NN_OP_COUNT. */
void toy_init(nn_handler *toy, uint32_t n_operations, const uint32_t *native);

#endif
