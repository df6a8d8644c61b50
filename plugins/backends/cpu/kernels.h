/* SPDX-License-Identifier: MIT */
/* kernels.h - the inner loops of the handler, one table an instruction set.
 *
 * Each loop works on one dense run of numbers; splitting arrays into runs and
 * runs over threads is the caller's job (map.h).  kernels_body.h holds the
 * text, which is compiled once for each set and real type. */
#ifndef CPU_KERNELS_H
#define CPU_KERNELS_H

#include <stdint.h>

#include <nn/operations.h>
#include <nn/optimizer.h>

#include "gemm.h"

/* One run of an element-wise operation: y[i] = or += f(x[i], z[i], c[i]). */
typedef struct cpu_row {
    const void *x;
    const void *z;
    const void *c;
    void *y;
    int64_t n;
    int z_repeated; /* z is one number for all i */
    int add;
    double a;
    double b;
    const uint32_t *words; /* random ones, one an element */
    uint64_t events;       /* words below it are events */
} cpu_row;

typedef void (*cpu_row_fn)(const cpu_row *row);

/* One run of an optimizer.  The corrections are 1 - b^t. */
typedef struct cpu_update {
    void *w;
    const void *g;
    void *vectors[NN_OPTIMIZER_MAX_OPERANDS - NN_OPTIMIZER_VECTOR];
    int64_t n;
    double rate;
    double momentum;
    double rho;
    double epsilon;
    double decay;
    double correction1;
    double correction2;
    int inside; /* epsilon stands under the root */
} cpu_update;

typedef void (*cpu_update_fn)(const cpu_update *update);

/* Kernels of one real type.  x, z, y are arrays of it. */
typedef struct cpu_kernels {
    cpu_row_fn map[NN_OP_COUNT]; /* NULL where not element-wise */
    cpu_row_fn activation[NN_ACTIVATION_COUNT];
    cpu_row_fn activation_backward[NN_ACTIVATION_COUNT]; /* x is y, z is dy */
    cpu_row_fn softmax[NN_OP_COUNT]; /* of one row: the softmax operations */
    cpu_update_fn update[NN_OPTIMIZER_ROWS];

    /* The sum of N numbers, or of their squares, added in float64. */
    double (*sum)(const void *x, int64_t n);
    double (*sum_squares)(const void *x, int64_t n);

    /* sums[i] += x[i], or its square. */
    void (*add_to_sums)(const void *x, int64_t n, double *sums);
    void (*add_squares_to_sums)(const void *x, int64_t n, double *sums);

    /* The largest of N >= 1 numbers, NaN if one is. */
    double (*largest)(const void *x, int64_t n);
} cpu_kernels;

/* Everything that depends on the instruction set. */
typedef struct cpu_set {
    const char *name;  /* as in NN_CPU_KERNELS */
    const char *title; /* for people */
    const cpu_kernels *float32;
    const cpu_kernels *float64;
    const cpu_gemm_kernels *gemm; /* NULL: OpenBLAS for float32 as well */

    /* The words of random.h for N positions from FIRST on, where `first` of
     * RANDOM is already part of FIRST. */
    void (*words)(const nn_random *random, uint64_t first, int64_t n,
                  uint32_t *words);
} cpu_set;

extern const cpu_kernels cpu_kernels_plain_f32;
extern const cpu_kernels cpu_kernels_plain_f64;
extern const cpu_kernels cpu_kernels_avx2_f32;
extern const cpu_kernels cpu_kernels_avx2_f64;
extern const cpu_kernels cpu_kernels_avx512_f32;
extern const cpu_kernels cpu_kernels_avx512_f64;

void cpu_words_plain(const nn_random *random, uint64_t first, int64_t n,
                     uint32_t *words);
void cpu_words_avx2(const nn_random *random, uint64_t first, int64_t n,
                    uint32_t *words);
void cpu_words_avx512(const nn_random *random, uint64_t first, int64_t n,
                      uint32_t *words);

/* The set with NAME ("plain", "avx2", "avx512"), or the best one that this
 * processor has for NULL.  NULL if the name is unknown or the processor lacks
 * it.  [any] */
const cpu_set *cpu_set_find(const char *name);

#endif
