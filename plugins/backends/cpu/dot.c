/* SPDX-License-Identifier: MIT */
/* dot.c - dot_mm, and the choice of who computes a product. */
#include <limits.h>

#include "handler.h"

/* True if kernels of our own compute products of REAL: they are at least as
 * fast as OpenBLAS in float32; OpenBLAS has float64 and other processors. */
static const cpu_gemm_kernels *own_kernels(const nn_handler *handler,
                                           uint32_t real)
{
    return real == NN_FLOAT32 ? handler->set->gemm : NULL;
}

int64_t cpu_product_workspace(const nn_handler *handler, uint32_t real,
                              int64_t m, int64_t k)
{
    const cpu_gemm_kernels *kernels = own_kernels(handler, real);

    if (!kernels)
        return 0;
    return cpu_gemm_workspace(kernels, m, k, cpu_pool_threads(handler->pool));
}

/* OpenBLAS counts in int. */
static int fits_blas(const cpu_gemm *product)
{
    return product->m <= INT_MAX && product->n <= INT_MAX &&
           product->k <= INT_MAX && product->a_pitch <= INT_MAX &&
           product->b_pitch <= INT_MAX && product->c_pitch <= INT_MAX;
}

void cpu_product_run(nn_handler *handler, uint32_t real,
                     const cpu_gemm *product, void *workspace)
{
    const cpu_gemm_kernels *kernels = own_kernels(handler, real);

    if (kernels)
        cpu_gemm_run(kernels, handler->pool, product, workspace);
    else if (fits_blas(product))
        cpu_blas_run(real, handler->pool, product);
    else
        cpu_fail(handler, NN_UNSUPPORTED, "cpu.blas-size",
                 "dot_mm: a size or pitch of 2^31 or more");
}

void cpu_dot(nn_handler *handler, uint32_t operation,
             const nn_array *const *operands, const nn_attributes *with)
{
    const nn_array *x = operands[0];
    const nn_array *z = operands[1];
    const nn_array *y = operands[2];
    cpu_gemm product = {
        .m = nn_rows(y),
        .n = nn_columns(y),
        .a = cpu_data(x),
        .a_pitch = x->pitch,
        .b = cpu_data(z),
        .b_pitch = z->pitch,
        .c = cpu_data(y),
        .c_pitch = y->pitch,
        .transpose_a = (with->flags & NN_TRANSPOSE_A) != 0,
        .transpose_b = (with->flags & NN_TRANSPOSE_B) != 0,
        .add = y->mode == NN_ADD,
    };
    int64_t bytes;
    void *workspace = NULL;

    (void)operation;
    product.k = product.transpose_a ? nn_rows(x) : nn_columns(x);
    bytes = cpu_product_workspace(handler, y->dtype, product.m, product.k);
    if (bytes) {
        workspace = cpu_scratch(handler, bytes);
        if (!workspace)
            return;
    }
    cpu_product_run(handler, y->dtype, &product, workspace);
}
