/* SPDX-License-Identifier: MIT */
/* gemm.h - products of matrices.
 *
 * C (m, n) = op(A) (m, k) op(B) (k, n), all row-major with a pitch.  float64
 * goes to OpenBLAS; float32 to kernels of our own where there are some.  A is
 * packed into panels of up to `max_rows` rows, B into slivers of up to
 * max_vectors * lanes columns; a tile is a panel times a sliver, its elements
 * in registers.  Letters: m rows, n columns, k the summed axis. */
#ifndef CPU_GEMM_H
#define CPU_GEMM_H

#include <stdint.h>

#include "pool.h"

/* The parts of the product that depend on the instruction set.  A packed block
 * has `step` floats for every index of the summed axis. */
typedef struct cpu_gemm_kernels {
    int32_t max_rows;
    int32_t max_vectors;
    int32_t lanes; /* floats of a vector */

    /* C (rows, columns) = or += panel times sliver over DEPTH.  The panel has
     * step ROWS, the sliver step VECTORS * lanes. */
    void (*tile)(int32_t rows, int32_t vectors, int64_t depth,
                 const float *panel, const float *sliver, float *c,
                 int64_t pitch, int64_t columns, int add);

    /* Packs COUNT <= lanes rows of DEPTH numbers that lie PITCH apart so that
     * number d of row i is at packed[d * step + i].  Writes WIDTH floats for
     * each d, COUNT <= WIDTH <= lanes; those past COUNT are any numbers. */
    void (*pack_rows)(const float *source, int64_t pitch, int32_t count,
                      int64_t depth, float *packed, int64_t step,
                      int32_t width);

    /* Copies COUNT numbers of each of DEPTH rows: number i of row d goes to
     * packed[d * step + i]. */
    void (*pack_columns)(const float *source, int64_t pitch, int32_t count,
                         int64_t depth, float *packed, int64_t step);
} cpu_gemm_kernels;

extern const cpu_gemm_kernels cpu_gemm_avx2;
extern const cpu_gemm_kernels cpu_gemm_avx512;

/* What is done to ROWS rows from ROW on and COLUMNS columns from FIRST on of C
 * as soon as they are finished, while they are in the cache. */
typedef struct cpu_epilogue {
    void (*run)(const struct cpu_epilogue *epilogue, int64_t row, int64_t rows,
                int64_t first, int64_t columns);
} cpu_epilogue;

/* One product. */
typedef struct cpu_gemm {
    int64_t m;
    int64_t n;
    int64_t k;
    const void *a; /* (m, k), or (k, m) if transpose_a */
    int64_t a_pitch;
    const void *b; /* (k, n), or (n, k) if transpose_b */
    int64_t b_pitch;
    void *c; /* (m, n) */
    int64_t c_pitch;
    int transpose_a;
    int transpose_b;
    int add;                      /* C += instead of C = */
    const cpu_epilogue *epilogue; /* or NULL */
} cpu_gemm;

/* Bytes of workspace that a product of m rows and summed axis k wants.  It
 * never falls when m or k grows, and has an upper bound. */
int64_t cpu_gemm_workspace(const cpu_gemm_kernels *kernels, int64_t m,
                           int64_t k, int32_t threads);

/* Computes PRODUCT in float32.  WORKSPACE is 64-byte aligned and as large as
 * cpu_gemm_workspace says.  [compute] */
void cpu_gemm_run(const cpu_gemm_kernels *kernels, cpu_pool *pool,
                  const cpu_gemm *product, void *workspace);

/* Makes OpenBLAS run on the thread that calls it, and returns what it says of
 * itself.  Before the first cpu_blas_run.  [setup] */
const char *cpu_blas_init(void);

/* Computes PRODUCT, elements of REAL (NN_FLOAT32 or NN_FLOAT64), with OpenBLAS
 * in blocks that depend on the sizes alone.  Sizes and pitches are below 2^31.
 * [compute] */
void cpu_blas_run(uint32_t real, cpu_pool *pool, const cpu_gemm *product);

#endif
