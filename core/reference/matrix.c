/* SPDX-License-Identifier: MIT */
/* matrix.c - a matrix and a vector, and the product of two matrices.
 *
 * *_mv:   y[m,n] = m[m,n] op v, where v is v[n], v[m] or one number.
 * dot_mm: y[m,n] = sum over k = 0 ... K-1, in this order, of x[m,k] z[k,n].
 *         A block of the result is summed as doubles: for each k, a strip of
 *         row k of z times some numbers of column k of x.  A transposed factor
 *         is the same with its two strides exchanged. */
#include <string.h>

#include "core/reference/call.h"

/* Rows and columns of a block of the product. */
#define BLOCK_ROWS 8
#define BLOCK_COLUMNS 128

/* OUT = V for COUNT columns from FIRST of row ROW of a matrix with COLUMNS
 * columns. */
static void load_vector(const nn_view *v, int64_t columns, int64_t row,
                        int64_t first, int64_t count, double *out)
{
    int64_t i;

    if (v->rows == 1 && v->columns == columns) {
        nn_view_load(v, first, 1, count, out);
        return;
    }
    out[0] = nn_view_get(v, v->rows == 1 ? 0 : row);
    for (i = 1; i < count; ++i)
        out[i] = out[0];
}

int32_t nn_call_vector(nn_call *call)
{
    const uint32_t has_matrix = call->n_operands == 3;
    const nn_view *v = &call->views[has_matrix];
    const nn_view *y = &call->views[call->n_operands - 1];
    const nn_elementwise_fn loop = nn_elementwise_loop(call->operation);
    double chunks[3][NN_CHUNK];
    const double *in[2] = {chunks[0], chunks[1]};
    int64_t row;
    int64_t first;

    for (row = 0; row < y->rows; ++row)
        for (first = 0; first < y->columns; first += NN_CHUNK) {
            int64_t count = y->columns - first;

            if (count > NN_CHUNK)
                count = NN_CHUNK;
            if (has_matrix)
                nn_view_load(&call->views[0],
                             row * call->views[0].pitch + first, 1, count,
                             chunks[0]);
            load_vector(v, y->columns, row, first, count, chunks[has_matrix]);
            loop(in, chunks[2], count, &call->with);
            nn_view_store(y, row * y->pitch + first, count, chunks[2]);
        }
    return NN_OK;
}

/* A factor: element (k, i) is at k * along + i * across; for x, i is the row
 * of the product, for z its column. */
typedef struct factor {
    const nn_view *view;
    int64_t along;
    int64_t across;
} factor;

/* SUM[i][j] = sum over k of x[k, m + i] z[k, n + j].  Columns beyond COLUMNS
 * are computed with zeros, so that the inner loop has a constant length. */
static void sum_block(const factor *x, const factor *z, int64_t terms,
                      int64_t m, int64_t n, int64_t rows, int64_t columns,
                      double sum[BLOCK_ROWS][BLOCK_COLUMNS])
{
    double left[BLOCK_ROWS];
    double right[BLOCK_COLUMNS] = {0};
    int64_t k;
    int64_t i;
    int j;

    memset(sum, 0, BLOCK_ROWS * sizeof *sum);
    for (k = 0; k < terms; ++k) {
        nn_view_load(x->view, k * x->along + m * x->across, x->across, rows,
                     left);
        nn_view_load(z->view, k * z->along + n * z->across, z->across, columns,
                     right);
        for (i = 0; i < rows; ++i)
            for (j = 0; j < BLOCK_COLUMNS; ++j)
                sum[i][j] += left[i] * right[j];
    }
}

int32_t nn_call_dot(nn_call *call)
{
    const nn_view *y = &call->views[2];
    const int a = (call->with.flags & NN_TRANSPOSE_A) != 0;
    const int b = (call->with.flags & NN_TRANSPOSE_B) != 0;
    const factor x = {&call->views[0], a ? call->views[0].pitch : 1,
                      a ? 1 : call->views[0].pitch};
    const factor z = {&call->views[1], b ? 1 : call->views[1].pitch,
                      b ? call->views[1].pitch : 1};
    const int64_t terms = a ? call->views[0].rows : call->views[0].columns;
    double sum[BLOCK_ROWS][BLOCK_COLUMNS];
    int64_t m;
    int64_t n;
    int64_t i;

    for (n = 0; n < y->columns; n += BLOCK_COLUMNS)
        for (m = 0; m < y->rows; m += BLOCK_ROWS) {
            int64_t rows = y->rows - m;
            int64_t columns = y->columns - n;

            if (rows > BLOCK_ROWS)
                rows = BLOCK_ROWS;
            if (columns > BLOCK_COLUMNS)
                columns = BLOCK_COLUMNS;
            sum_block(&x, &z, terms, m, n, rows, columns, sum);
            for (i = 0; i < rows; ++i)
                nn_view_store(y, (m + i) * y->pitch + n, columns, sum[i]);
        }
    return NN_OK;
}
