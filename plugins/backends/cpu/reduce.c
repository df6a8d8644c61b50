/* SPDX-License-Identifier: MIT */
/* reduce.c - sums and extremes over an axis, softmax, and argmax.
 *
 * Sums are made in float64 whatever the type is.  x is cut into blocks that
 * depend on its shape alone; each block is reduced by one thread, and the
 * blocks are put together in order: results do not depend on threads.  An axis
 * that is not the last is reduced row by row into a strip of up to STRIP
 * columns.  A strip's element is a double for sums and a number of x's own type
 * for extremes. */
#include <math.h>
#include <string.h>

#include "handler.h"

#define STRIP 256
#define BLOCK 65536    /* elements of a block of a long run */
#define MAX_BLOCKS 512 /* of a long run */
#define MAX_PARTS 256  /* strips of partial results at a time */
#define PART 16384     /* elements of a partial result at least */

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t ceil_div(int64_t a, int64_t b)
{
    return (a + b - 1) / b;
}

/* Total and one more value. */
static double combine(uint32_t operation, double total, double value)
{
    if (operation != NN_OP_MAX_T)
        return total + value;
    return value > total || value != value ? value : total;
}

static double reduce_run(const cpu_kernels *kernels, uint32_t operation,
                         const void *x, int64_t n)
{
    switch (operation) {
    case NN_OP_SUM_T:
        return kernels->sum(x, n);
    case NN_OP_SUM_SQUARES_T:
        return kernels->sum_squares(x, n);
    default:
        return kernels->largest(x, n);
    }
}

static void put(const nn_array *y, int64_t index, double value)
{
    int64_t place = cpu_place(y, index);
    int add = y->mode == NN_ADD;

    if (y->dtype == NN_FLOAT64) {
        double *to = (double *)cpu_data(y) + place;

        *to = add ? *to + value : value;
    } else {
        float *to = (float *)cpu_data(y) + place;

        *to = (float)(add ? (double)*to + value : value);
    }
}

/* Within rows ------------------------------------------------------------- */

typedef struct within {
    const cpu_kernels *kernels;
    uint32_t operation;
    const nn_array *x;
    const nn_array *y;
    const char *from; /* first element of the run */
    int64_t columns;  /* of a row of the run */
    int64_t rows;
    int64_t block; /* of columns if there is one row, else of rows */
    double *partial;
} within;

static void reduce_rows(void *context, int64_t begin, int64_t end)
{
    const within *all = context;
    int64_t i;

    for (i = begin; i < end; ++i)
        put(all->y, i,
            reduce_run(all->kernels, all->operation,
                       (char *)cpu_data(all->x) + i * cpu_pitch_bytes(all->x),
                       all->columns));
}

static void reduce_block(void *context, int64_t task, int32_t thread)
{
    const within *all = context;
    int64_t bytes = nn_dtype_bytes(all->x->dtype);
    int64_t first = task * all->block;
    int64_t i;

    (void)thread;
    if (all->rows == 1) {
        all->partial[task] = reduce_run(all->kernels, all->operation,
                                        all->from + first * bytes,
                                        smaller(all->block,
                                                all->columns - first));
        return;
    }
    for (i = first; i < smaller(first + all->block, all->rows); ++i) {
        double value = reduce_run(all->kernels, all->operation,
                                  all->from + i * cpu_pitch_bytes(all->x),
                                  all->columns);

        all->partial[task] = i == first ? value
                                        : combine(all->operation,
                                                  all->partial[task], value);
    }
}

/* All of the run in blocks. */
static double reduce_all(nn_handler *handler, within *all)
{
    double partial[MAX_BLOCKS];
    int64_t length = all->rows == 1 ? all->columns : all->rows;
    int64_t least = all->rows == 1 ? BLOCK : ceil_div(BLOCK, all->columns);
    int64_t blocks;
    int64_t i;

    all->block = ceil_div(length, MAX_BLOCKS);
    if (all->block < least)
        all->block = least;
    all->partial = partial;
    blocks = ceil_div(length, all->block);
    cpu_pool_run(handler->pool, blocks, reduce_block, all);
    for (i = 1; i < blocks; ++i)
        partial[0] = combine(all->operation, partial[0], partial[i]);
    return partial[0];
}

static void reduce_within(nn_handler *handler, within *all, int whole)
{
    int64_t rows = nn_rows(all->x);
    int64_t grain = CPU_GRAIN / all->columns;
    int64_t i;

    if (whole) {
        all->rows = rows;
        if (nn_is_dense(all->x)) {
            all->columns *= rows;
            all->rows = 1;
        }
        put(all->y, 0, reduce_all(handler, all));
    } else if (all->columns > 2 * BLOCK) {
        all->rows = 1;
        for (i = 0; i < rows; ++i) {
            put(all->y, i, reduce_all(handler, all));
            all->from += cpu_pitch_bytes(all->x);
        }
    } else {
        cpu_pool_for(handler->pool, rows, grain ? grain : 1, reduce_rows, all);
    }
}

/* Across rows ------------------------------------------------------------- */

/* x as (outer, length, inner) rows; row (o, i) of y is the reduction of rows
 * (o, 0 ... length - 1, i).  Narrow rows without gaps are taken `fold` at a
 * time as one row. */
typedef struct across {
    const cpu_kernels *kernels;
    uint32_t operation;
    const nn_array *x;
    const nn_array *y;
    int64_t length;
    int64_t inner;
    int64_t fold;
    int64_t strips; /* of a row */
    int64_t parts;  /* of the length */
    char *partial;  /* parts strips of STRIP doubles for each strip of y */
} across;

static void start_strip(const across *all, void *strip, int64_t n)
{
    int64_t i;

    if (all->operation != NN_OP_MAX_T)
        memset(strip, 0, (size_t)n * sizeof(double));
    else if (all->x->dtype == NN_FLOAT64)
        for (i = 0; i < n; ++i)
            ((double *)strip)[i] = -INFINITY;
    else
        for (i = 0; i < n; ++i)
            ((float *)strip)[i] = -INFINITY;
}

static void add_to_strip(const across *all, const void *x, int64_t n,
                         void *strip)
{
    cpu_row row = {.x = x, .z = strip, .y = strip, .n = n};

    switch (all->operation) {
    case NN_OP_SUM_T:
        all->kernels->add_to_sums(x, n, strip);
        break;
    case NN_OP_SUM_SQUARES_T:
        all->kernels->add_squares_to_sums(x, n, strip);
        break;
    default:
        all->kernels->map[NN_OP_MAXIMUM_TT](&row);
    }
}

static double strip_element(const across *all, const void *strip, int64_t i)
{
    if (all->operation == NN_OP_MAX_T && all->x->dtype == NN_FLOAT32)
        return (double)((const float *)strip)[i];
    return ((const double *)strip)[i];
}

/* Element I of the strip takes element J as well. */
static void merge_elements(const across *all, void *strip, int64_t i,
                           const void *from, int64_t j)
{
    double value = combine(all->operation, strip_element(all, strip, i),
                           strip_element(all, from, j));

    if (all->operation == NN_OP_MAX_T && all->x->dtype == NN_FLOAT32)
        ((float *)strip)[i] = (float)value;
    else
        ((double *)strip)[i] = value;
}

/* Entries BEGIN to END - 1 of the length, columns FIRST to FIRST + N - 1 of
 * row ROW of y, into STRIP. */
static void reduce_strip(const across *all, int64_t row, int64_t first,
                         int64_t n, int64_t begin, int64_t end, void *strip)
{
    int64_t bytes = nn_dtype_bytes(all->x->dtype);
    int64_t start = row / all->inner * all->length * all->inner +
                    row % all->inner;
    const char *from = (char *)cpu_data(all->x) + first * bytes;
    int64_t pitch = cpu_pitch_bytes(all->x);
    int64_t wide = begin + (end - begin) / all->fold * all->fold;
    int64_t l;
    int64_t i;

    start_strip(all, strip, n * all->fold);
    for (l = begin; l < wide; l += all->fold)
        add_to_strip(all, from + (start + l * all->inner) * pitch,
                     n * all->fold, strip);
    for (; l < end; ++l)
        add_to_strip(all, from + (start + l * all->inner) * pitch, n, strip);
    for (i = n; i < n * all->fold; ++i)
        merge_elements(all, strip, i % n, strip, i);
}

/* Writes a finished strip of row ROW of y. */
static void put_strip(const across *all, int64_t row, int64_t first, int64_t n,
                      const void *strip)
{
    int64_t columns = nn_columns(all->x);
    int64_t i;

    for (i = 0; i < n; ++i)
        put(all->y, row * columns + first + i, strip_element(all, strip, i));
}

/* Part PART of strip STRIP of y. */
static void run_strip(const across *all, int64_t strip, int64_t part)
{
    int64_t row = strip / all->strips;
    int64_t first = strip % all->strips * STRIP;
    int64_t n = smaller(STRIP, nn_columns(all->x) - first);
    int64_t share = ceil_div(all->length, all->parts);
    int64_t begin = smaller(part * share, all->length);
    int64_t end = smaller(begin + share, all->length);
    double local[STRIP];

    if (all->parts == 1) {
        reduce_strip(all, row, first, n, 0, all->length, local);
        put_strip(all, row, first, n, local);
    } else {
        reduce_strip(all, row, first, n, begin, end,
                     all->partial + (strip * all->parts + part) * STRIP *
                                        (int64_t)sizeof(double));
    }
}

static void run_strips(void *context, int64_t begin, int64_t end)
{
    const across *all = context;
    int64_t i;

    for (i = begin; i < end; ++i)
        run_strip(all, i / all->parts, i % all->parts);
}

/* Puts the parts of each strip of y together in order. */
static void merge_parts(const across *all, int64_t n_strips)
{
    int64_t bytes = STRIP * (int64_t)sizeof(double);
    int64_t strip;
    int64_t part;
    int64_t i;

    for (strip = 0; strip < n_strips; ++strip) {
        char *whole = all->partial + strip * all->parts * bytes;
        int64_t first = strip % all->strips * STRIP;
        int64_t n = smaller(STRIP, nn_columns(all->x) - first);

        for (part = 1; part < all->parts; ++part)
            for (i = 0; i < n; ++i)
                merge_elements(all, whole, i, whole + part * bytes, i);
        put_strip(all, strip / all->strips, first, n, whole);
    }
}

static void reduce_across(nn_handler *handler, across *all)
{
    int64_t columns = nn_columns(all->x);
    int64_t grain = CPU_GRAIN / (smaller(columns, STRIP) * all->length);
    int64_t n_strips;

    all->strips = ceil_div(columns, STRIP);
    n_strips = nn_rows(all->x) / all->length * all->strips;
    all->parts = smaller(MAX_PARTS / smaller(n_strips, MAX_PARTS),
                         all->length * smaller(columns, STRIP) / PART);
    if (all->parts < 1)
        all->parts = 1;
    all->fold = 1;
    if (all->inner == 1 && nn_is_dense(all->x) && columns <= STRIP / 2)
        all->fold = STRIP / columns;
    if (all->parts > 1) {
        all->partial = cpu_scratch(handler,
                                   MAX_PARTS * STRIP * (int64_t)sizeof(double));
        if (!all->partial)
            return;
    }
    cpu_pool_for(handler->pool, n_strips * all->parts, grain ? grain : 1,
                 run_strips, all);
    if (all->parts > 1)
        merge_parts(all, n_strips);
}

void cpu_reduce(nn_handler *handler, uint32_t operation,
                const nn_array *const *operands, const nn_attributes *with)
{
    const nn_array *x = operands[0];
    const cpu_kernels *kernels = cpu_kernels_for(handler, x->dtype);
    across rows = {.kernels = kernels,
                   .operation = operation,
                   .x = x,
                   .y = operands[1],
                   .inner = 1};
    int64_t axis = with->axis;
    uint32_t i;

    if (axis == NN_AXIS_ALL || axis == (int64_t)x->ndim - 1) {
        within run = {.kernels = kernels,
                      .operation = operation,
                      .x = x,
                      .y = operands[1],
                      .from = cpu_data(x),
                      .columns = nn_columns(x)};

        reduce_within(handler, &run, axis == NN_AXIS_ALL);
        return;
    }
    rows.length = nn_rows(x);
    if (axis != NN_AXIS_ROWS) {
        rows.length = x->shape[axis];
        for (i = (uint32_t)axis + 1; i + 1 < x->ndim; ++i)
            rows.inner *= x->shape[i];
    }
    reduce_across(handler, &rows);
}

/* Rows -------------------------------------------------------------------- */

static void argmax_rows(void *context, int64_t begin, int64_t end)
{
    const within *all = context;
    int64_t i;

    for (i = begin; i < end; ++i) {
        const char *x = (char *)cpu_data(all->x) + i * cpu_pitch_bytes(all->x);
        double best = all->kernels->largest(x, all->columns);
        int64_t found;

        for (found = 0; found < all->columns - 1; ++found) {
            double value = all->x->dtype == NN_FLOAT64
                               ? ((const double *)(const void *)x)[found]
                               : (double)((
                                     const float *)(const void *)x)[found];

            if (value == best || value != value)
                break;
        }
        ((int32_t *)cpu_data(all->y))[cpu_place(all->y, i)] = (int32_t)found;
    }
}

void cpu_argmax(nn_handler *handler, uint32_t operation,
                const nn_array *const *operands, const nn_attributes *with)
{
    const nn_array *x = operands[0];
    within all = {.kernels = cpu_kernels_for(handler, x->dtype),
                  .x = x,
                  .y = operands[1],
                  .columns = nn_columns(x)};
    int64_t grain = CPU_GRAIN / all.columns;

    (void)operation;
    (void)with;
    cpu_pool_for(handler->pool, nn_rows(x), grain ? grain : 1, argmax_rows,
                 &all);
}

static void softmax_rows(void *context, int64_t begin, int64_t end)
{
    cpu_map_rows(context, begin, end);
}

/* softmax_m, log_softmax_m (x, y) and softmax_backward_m (y, dy, dx). */
void cpu_softmax(nn_handler *handler, uint32_t operation,
                 const nn_array *const *operands, const nn_attributes *with)
{
    int backward = operation == NN_OP_SOFTMAX_BACKWARD_M;
    const nn_array *y = operands[backward ? 2 : 1];
    const cpu_kernels *kernels = cpu_kernels_for(handler, y->dtype);
    int64_t grain = CPU_GRAIN / 4 / nn_columns(y);
    cpu_map map;

    (void)with;
    cpu_map_init(&map, kernels->softmax[operation], operands[0],
                 backward ? operands[1] : NULL, NULL, y);
    cpu_pool_for(handler->pool, map.rows, grain ? grain : 1, softmax_rows,
                 &map);
}
