/* SPDX-License-Identifier: MIT */
/* gemm.c - the float32 product: blocks, packing and threads.
 *
 * op(A) is packed into panels once, in superblocks that bound the workspace
 * and stay in the outer caches.  A task is some panels times one sliver of
 * op(B): it packs a sliver block, at most SLIVER_BYTES, into a buffer of its
 * thread that stays in the first-level cache while all of its panels stream
 * past.  Each element of C is a sum in registers over one sliver block, and
 * the blocks are added in order: the order of every sum depends on k alone,
 * never on tiles or threads.  (The scheme is that of Goto, van de Geijn,
 * "Anatomy of High-Performance Matrix Multiplication", 2008, with the roles of
 * A and B exchanged.) */
#include "gemm.h"

/* A superblock has at most BLOCK_DEPTH of k and BLOCK_FLOATS numbers. */
#define BLOCK_DEPTH 1024
#define BLOCK_ROWS 512
#define BLOCK_FLOATS (BLOCK_ROWS * BLOCK_DEPTH)
#define SLIVER_BYTES 40960
#define ALIGNMENT 16 /* floats of 64 bytes */
#define TASKS_PER_THREAD 4

/* A product that is being run, and the superblock that it is at. */
typedef struct run {
    const cpu_gemm_kernels *kernels;
    const cpu_gemm *product;
    float *panels;         /* packed superblock of op(A) */
    float *slivers;        /* one buffer a thread */
    int64_t sliver_floats; /* of a buffer */
    int64_t sliver_depth;  /* k of a sliver block */
    int64_t columns;       /* of a sliver; the last may have fewer */
    int64_t row;           /* first row of the superblock */
    int64_t rows;
    int64_t start; /* first k of the superblock */
    int64_t depth;
    int64_t n_panels;
    int64_t groups; /* of panels: tasks per sliver */
} run;

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t ceil_div(int64_t a, int64_t b)
{
    return (a + b - 1) / b;
}

/* First index of part P when TOTAL things are spread evenly over COUNT parts.
 */
static int64_t spread(int64_t total, int64_t count, int64_t p)
{
    return total / count * p + smaller(total % count, p);
}

static int64_t block_depth(int64_t k)
{
    return ceil_div(k, ceil_div(k, BLOCK_DEPTH));
}

static int64_t block_rows(int64_t m, int64_t k)
{
    return smaller(m, BLOCK_FLOATS / block_depth(k));
}

/* No superblock of a product with at most these M and K has more, so that what
 * serves a large batch serves a smaller one. */
static int64_t panel_floats(int64_t m, int64_t k)
{
    int64_t depth = smaller(k, BLOCK_DEPTH);
    int64_t floats = m < BLOCK_FLOATS / depth ? m * depth : BLOCK_FLOATS;

    return ceil_div(floats, ALIGNMENT) * ALIGNMENT;
}

static int64_t sliver_columns(const cpu_gemm_kernels *kernels)
{
    return (int64_t)kernels->max_vectors * kernels->lanes;
}

static int64_t most_sliver_depth(const cpu_gemm_kernels *kernels)
{
    return SLIVER_BYTES / (4 * sliver_columns(kernels));
}

static int64_t sliver_floats(const cpu_gemm_kernels *kernels, int64_t k)
{
    return smaller(k, most_sliver_depth(kernels)) * sliver_columns(kernels);
}

int64_t cpu_gemm_workspace(const cpu_gemm_kernels *kernels, int64_t m,
                           int64_t k, int32_t threads)
{
    return 4 * (panel_floats(m, k) + threads * sliver_floats(kernels, k));
}

/* Packs panel P of the superblock, `rows` floats for each k. */
static void pack_panel(void *context, int64_t p, int32_t thread)
{
    const run *at = context;
    const cpu_gemm *product = at->product;
    const cpu_gemm_kernels *kernels = at->kernels;
    int64_t first = spread(at->rows, at->n_panels, p);
    int32_t rows = (int32_t)(spread(at->rows, at->n_panels, p + 1) - first);
    float *packed = at->panels + first * at->depth;
    const float *a = product->a;

    (void)thread;
    if (product->transpose_a) {
        a += at->start * product->a_pitch + at->row + first;
        kernels->pack_columns(a, product->a_pitch, rows, at->depth, packed,
                              rows);
    } else {
        a += (at->row + first) * product->a_pitch + at->start;
        kernels->pack_rows(a, product->a_pitch, rows, at->depth, packed, rows,
                           rows);
    }
}

/* Packs COLUMNS columns from COLUMN on of rows K to K + DEPTH - 1 of op(B). */
static void pack_sliver(const run *at, int64_t column, int32_t columns,
                        int64_t k, int64_t depth, float *packed)
{
    const cpu_gemm *product = at->product;
    int32_t lanes = at->kernels->lanes;
    int64_t step = ceil_div(columns, lanes) * lanes;
    const float *b = product->b;
    int32_t j;

    if (!product->transpose_b) {
        at->kernels->pack_columns(b + k * product->b_pitch + column,
                                  product->b_pitch, columns, depth, packed,
                                  step);
        return;
    }
    b += column * product->b_pitch + k;
    for (j = 0; j < columns; j += lanes)
        at->kernels->pack_rows(b + j * product->b_pitch, product->b_pitch,
                               (int32_t)smaller(columns - j, lanes), depth,
                               packed + j, step, lanes);
}

/* Panels FIRST to END - 1 times a packed sliver block; K counts within the
 * superblock. */
static void multiply(const run *at, int64_t first, int64_t end, int64_t column,
                     int32_t columns, int64_t k, int64_t depth,
                     const float *sliver)
{
    const cpu_gemm *product = at->product;
    int32_t vectors = (int32_t)ceil_div(columns, at->kernels->lanes);
    int add = product->add || at->start + k > 0;
    float *c = (float *)product->c + column;
    int64_t p;

    for (p = first; p < end; ++p) {
        int64_t row = spread(at->rows, at->n_panels, p);
        int32_t rows = (int32_t)(spread(at->rows, at->n_panels, p + 1) - row);

        at->kernels->tile(rows, vectors, depth,
                          at->panels + row * at->depth + k * rows, sliver,
                          c + (at->row + row) * product->c_pitch,
                          product->c_pitch, columns, add);
    }
}

/* A task: one group of panels times one sliver. */
static void run_task(void *context, int64_t task, int32_t thread)
{
    const run *at = context;
    const cpu_gemm *product = at->product;
    int64_t group = task % at->groups;
    int64_t column = task / at->groups * at->columns;
    int32_t columns = (int32_t)smaller(product->n - column, at->columns);
    int64_t first = spread(at->n_panels, at->groups, group);
    int64_t end = spread(at->n_panels, at->groups, group + 1);
    float *sliver = at->slivers + thread * at->sliver_floats;
    int64_t k;

    for (k = 0; k < at->depth; k += at->sliver_depth) {
        int64_t depth = smaller(at->depth - k, at->sliver_depth);

        pack_sliver(at, column, columns, at->start + k, depth, sliver);
        multiply(at, first, end, column, columns, k, depth, sliver);
    }
    if (product->epilogue && at->start + at->depth == product->k) {
        int64_t row = at->row + spread(at->rows, at->n_panels, first);
        int64_t rows = at->row + spread(at->rows, at->n_panels, end) - row;

        product->epilogue->run(product->epilogue, row, rows, column, columns);
    }
}

void cpu_gemm_run(const cpu_gemm_kernels *kernels, cpu_pool *pool,
                  const cpu_gemm *product, void *workspace)
{
    int64_t most_rows = block_rows(product->m, product->k);
    int64_t most_depth = block_depth(product->k);
    int32_t threads = cpu_pool_threads(pool);
    run at = {.kernels = kernels, .product = product, .panels = workspace};
    int64_t slivers = ceil_div(product->n, sliver_columns(kernels));

    at.slivers = at.panels + panel_floats(product->m, product->k);
    at.sliver_floats = sliver_floats(kernels, product->k);
    at.sliver_depth = ceil_div(most_depth,
                               ceil_div(most_depth,
                                        most_sliver_depth(kernels)));
    at.columns = sliver_columns(kernels);
    for (at.row = 0; at.row < product->m; at.row += at.rows) {
        at.rows = smaller(product->m - at.row, most_rows);
        at.n_panels = ceil_div(at.rows, kernels->max_rows);
        at.groups = 1;
        if (threads > 1 && slivers < TASKS_PER_THREAD * threads)
            at.groups = smaller(at.n_panels,
                                ceil_div(TASKS_PER_THREAD * threads, slivers));
        for (at.start = 0; at.start < product->k; at.start += at.depth) {
            at.depth = smaller(product->k - at.start, most_depth);
            cpu_pool_run(pool, at.n_panels, pack_panel, &at);
            cpu_pool_run(pool, slivers * at.groups, run_task, &at);
        }
    }
}
