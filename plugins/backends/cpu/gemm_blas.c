/* SPDX-License-Identifier: MIT */
/* gemm_blas.c - products through OpenBLAS, split over our own threads.
 *
 * OpenBLAS runs on one thread, since two thread pools on the same cores get in
 * each other's way.  The longer side
 * of C is cut into blocks, and each is one call; the cut depends on the sizes
 * alone, so results do not depend on the number of threads. */
#include "gemm.h"

#include <cblas.h>

#include <nn/base.h>

#define MAX_BLOCKS 16
#define BLOCK 64 /* rows or columns of a block at least */
#define ROUND 32 /* blocks are multiples of it */

typedef struct run {
    const cpu_gemm *product;
    uint32_t real;
    int by_rows;
    int64_t block; /* rows or columns of one */
} run;

static const char *advance(const void *matrix, int64_t elements, uint32_t real)
{
    return (const char *)matrix + elements * nn_dtype_bytes(real);
}

/* One block of op(A) op(B), M rows by N columns. */
static void call(const run *at, int64_t m, int64_t n, const void *a,
                 const void *b, void *c)
{
    const cpu_gemm *product = at->product;
    CBLAS_TRANSPOSE ta = product->transpose_a ? CblasTrans : CblasNoTrans;
    CBLAS_TRANSPOSE tb = product->transpose_b ? CblasTrans : CblasNoTrans;
    int k = (int)product->k;
    int lda = (int)product->a_pitch;
    int ldb = (int)product->b_pitch;
    int ldc = (int)product->c_pitch;

    if (at->real == NN_FLOAT64)
        cblas_dgemm(CblasRowMajor, ta, tb, (int)m, (int)n, k, 1.0, a, lda, b,
                    ldb, product->add ? 1.0 : 0.0, c, ldc);
    else
        cblas_sgemm(CblasRowMajor, ta, tb, (int)m, (int)n, k, 1.0f, a, lda, b,
                    ldb, product->add ? 1.0f : 0.0f, c, ldc);
}

static void run_block(void *context, int64_t task, int32_t thread)
{
    const run *at = context;
    const cpu_gemm *product = at->product;
    int64_t first = task * at->block;
    int64_t row = at->by_rows ? first : 0;
    int64_t column = at->by_rows ? 0 : first;
    int64_t rows = product->m - row;
    int64_t columns = product->n - column;
    int64_t a_offset = product->transpose_a ? row : row * product->a_pitch;
    int64_t b_offset = product->transpose_b ? column * product->b_pitch
                                            : column;

    (void)thread;
    if (at->by_rows && rows > at->block)
        rows = at->block;
    if (!at->by_rows && columns > at->block)
        columns = at->block;
    call(at, rows, columns, advance(product->a, a_offset, at->real),
         advance(product->b, b_offset, at->real),
         (char *)product->c +
             (row * product->c_pitch + column) * nn_dtype_bytes(at->real));
    if (product->epilogue)
        product->epilogue->run(product->epilogue, row, rows, column, columns);
}

const char *cpu_blas_init(void)
{
    openblas_set_num_threads(1);
    return openblas_get_config();
}

void cpu_blas_run(uint32_t real, cpu_pool *pool, const cpu_gemm *product)
{
    run at = {.product = product, .real = real};
    int64_t length;

    at.by_rows = product->m >= product->n;
    length = at.by_rows ? product->m : product->n;
    at.block = (length + MAX_BLOCKS - 1) / MAX_BLOCKS;
    if (at.block < BLOCK)
        at.block = BLOCK;
    at.block = (at.block + ROUND - 1) / ROUND * ROUND;
    cpu_pool_run(pool, (length + at.block - 1) / at.block, run_block, &at);
}
