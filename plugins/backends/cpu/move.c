/* SPDX-License-Identifier: MIT */
/* move.c - copy, cast, fill and transpose. */
#include <string.h>

#include "handler.h"

#define CHUNK 256
#define TILE 16 /* rows and columns of a transposed tile */

/* Rows of X (may be NULL) and Y in bytes, for copying and casting. */
typedef struct move {
    const nn_array *x;
    const nn_array *y;
    int64_t columns; /* of a task's row: all elements if there are no gaps */
    double value;    /* fill */
} move;

/* X limited to LOW ... HIGH; NaN becomes 0. */
static double saturate(double x, double low, double high)
{
    if (x != x)
        return 0;
    return x < low ? low : x > high ? high : x;
}

/* target[i] = CONVERT, a formula of source[i], for COUNT elements. */
#define CONVERT(from_type, from, to_type, to, convert)                         \
    {                                                                          \
        const from_type *source = (from);                                      \
        to_type *target = (to);                                                \
        int64_t i;                                                             \
                                                                               \
        for (i = 0; i < count; ++i)                                            \
            target[i] = (to_type)(convert);                                    \
    }

/* Elements FROM to FROM + COUNT - 1 of DATA as doubles. */
static void load_doubles(const void *data, uint32_t dtype, int64_t from,
                         int64_t count, double *to)
{
    switch (dtype) {
    case NN_FLOAT64:
        CONVERT(double, (const double *)data + from, double, to, source[i])
        break;
    case NN_FLOAT32:
        CONVERT(float, (const float *)data + from, double, to, source[i])
        break;
    case NN_INT32:
        CONVERT(int32_t, (const int32_t *)data + from, double, to, source[i])
        break;
    default:
        CONVERT(uint8_t, (const uint8_t *)data + from, double, to, source[i])
    }
}

/* Writes elements TO to TO + COUNT - 1 of DATA, or adds to them. */
static void store_doubles(const double *from, int64_t count, void *data,
                          uint32_t dtype, int64_t to, int add)
{
    switch (dtype) {
    case NN_FLOAT64:
        if (add)
            CONVERT(double, from, double, (double *)data + to,
                    target[i] + source[i])
        else
            CONVERT(double, from, double, (double *)data + to, source[i])
        break;
    case NN_FLOAT32:
        if (add)
            CONVERT(double, from, float, (float *)data + to,
                    (double)target[i] + source[i])
        else
            CONVERT(double, from, float, (float *)data + to, source[i])
        break;
    case NN_INT32:
        CONVERT(double, from, int32_t, (int32_t *)data + to,
                saturate(source[i], INT32_MIN, INT32_MAX))
        break;
    default:
        CONVERT(double, from, uint8_t, (uint8_t *)data + to,
                saturate(source[i], 0, 255))
    }
}

/* Runs RUN over the rows, or over parts of the one long row, of MOVE. */
static void run_move(nn_handler *handler, move *all, cpu_range_fn run_rows,
                     cpu_range_fn run_part)
{
    int64_t rows = nn_rows(all->y);
    int64_t grain;

    all->columns = nn_columns(all->y);
    if ((!all->x || nn_is_dense(all->x)) && nn_is_dense(all->y)) {
        cpu_pool_for(handler->pool, rows * all->columns, CPU_GRAIN, run_part,
                     all);
        return;
    }
    grain = CPU_GRAIN / all->columns;
    cpu_pool_for(handler->pool, rows, grain ? grain : 1, run_rows, all);
}

static void copy_part(void *context, int64_t begin, int64_t end)
{
    const move *all = context;
    int64_t bytes = nn_dtype_bytes(all->y->dtype);

    memcpy((char *)cpu_data(all->y) + begin * bytes,
           (const char *)cpu_data(all->x) + begin * bytes,
           (size_t)((end - begin) * bytes));
}

static void copy_rows(void *context, int64_t begin, int64_t end)
{
    const move *all = context;
    int64_t bytes = all->columns * nn_dtype_bytes(all->y->dtype);
    int64_t i;

    for (i = begin; i < end; ++i)
        memcpy((char *)cpu_data(all->y) + i * cpu_pitch_bytes(all->y),
               (const char *)cpu_data(all->x) + i * cpu_pitch_bytes(all->x),
               (size_t)bytes);
}

void cpu_copy(nn_handler *handler, uint32_t operation,
              const nn_array *const *operands, const nn_attributes *with)
{
    move all = {.x = operands[0], .y = operands[1]};

    if (all.y->mode == NN_ADD)
        cpu_element_wise(handler, operation, operands, with);
    else if (cpu_data(all.x) != cpu_data(all.y))
        run_move(handler, &all, copy_rows, copy_part);
}

/* COUNT elements from element FROM of x to element TO of y. */
static void cast_elements(const move *all, int64_t from, int64_t to,
                          int64_t count)
{
    double chunk[CHUNK];
    int64_t i;

    for (i = 0; i < count; i += CHUNK) {
        int64_t some = count - i < CHUNK ? count - i : CHUNK;

        load_doubles(cpu_data(all->x), all->x->dtype, from + i, some, chunk);
        store_doubles(chunk, some, cpu_data(all->y), all->y->dtype, to + i,
                      all->y->mode == NN_ADD);
    }
}

static void cast_part(void *context, int64_t begin, int64_t end)
{
    cast_elements(context, begin, begin, end - begin);
}

static void cast_rows(void *context, int64_t begin, int64_t end)
{
    const move *all = context;
    int64_t i;

    for (i = begin; i < end; ++i)
        cast_elements(all, i * all->x->pitch, i * all->y->pitch, all->columns);
}

void cpu_cast(nn_handler *handler, uint32_t operation,
              const nn_array *const *operands, const nn_attributes *with)
{
    move all = {.x = operands[0], .y = operands[1]};

    (void)operation;
    (void)with;
    run_move(handler, &all, cast_rows, cast_part);
}

static void fill_part(void *context, int64_t begin, int64_t end)
{
    const move *all = context;
    double chunk[CHUNK];
    int64_t i;

    for (i = 0; i < CHUNK; ++i)
        chunk[i] = all->value;
    for (i = begin; i < end; i += CHUNK)
        store_doubles(chunk, end - i < CHUNK ? end - i : CHUNK,
                      cpu_data(all->y), all->y->dtype, i, 0);
}

static void fill_rows(void *context, int64_t begin, int64_t end)
{
    const move *all = context;
    int64_t i;

    for (i = begin; i < end; ++i)
        fill_part(context, i * all->y->pitch, i * all->y->pitch + all->columns);
}

void cpu_fill(nn_handler *handler, uint32_t operation,
              const nn_array *const *operands, const nn_attributes *with)
{
    move all = {.y = operands[0], .value = with->a};
    cpu_map map;

    if (NN_MASK(all.y->dtype) & NN_MASK_REAL) {
        cpu_map_init(&map,
                     cpu_kernels_for(handler, all.y->dtype)->map[operation],
                     NULL, NULL, NULL, all.y);
        map.row.a = with->a;
        cpu_map_run(handler, &map);
    } else {
        run_move(handler, &all, fill_rows, fill_part);
    }
}

/* Rows FIRST to END - 1 of x become columns of y, in tiles that fit in the
 * first-level cache. */
static void transpose_rows(void *context, int64_t first, int64_t end)
{
    const move *all = context;
    const nn_array *x = all->x;
    const nn_array *y = all->y;
    int64_t columns = nn_columns(x);
    double value[TILE];
    int64_t column;
    int64_t i;

    for (column = 0; column < columns; column += TILE) {
        int64_t some = columns - column < TILE ? columns - column : TILE;
        int64_t j;

        for (i = first; i < end; ++i) {
            load_doubles(cpu_data(x), x->dtype, i * x->pitch + column, some,
                         value);
            for (j = 0; j < some; ++j)
                store_doubles(value + j, 1, cpu_data(y), y->dtype,
                              (column + j) * y->pitch + i, y->mode == NN_ADD);
        }
    }
}

/* The same through the transposing pack of the product. */
static void transpose_packed(nn_handler *handler, const move *all,
                             int64_t first, int64_t end)
{
    const cpu_gemm_kernels *kernels = handler->set->gemm;
    int64_t i;

    for (i = first; i < end; i += kernels->lanes) {
        int32_t some = (int32_t)(end - i < kernels->lanes ? end - i
                                                          : kernels->lanes);

        kernels->pack_rows((const float *)cpu_data(all->x) + i * all->x->pitch,
                           all->x->pitch, some, nn_columns(all->x),
                           (float *)cpu_data(all->y) + i, all->y->pitch, some);
    }
}

typedef struct packed_move {
    nn_handler *handler;
    move all;
} packed_move;

static void transpose_packed_rows(void *context, int64_t first, int64_t end)
{
    packed_move *packed = context;

    transpose_packed(packed->handler, &packed->all, first, end);
}

void cpu_transpose(nn_handler *handler, uint32_t operation,
                   const nn_array *const *operands, const nn_attributes *with)
{
    packed_move packed = {handler, {.x = operands[0], .y = operands[1]}};
    int64_t rows = nn_rows(operands[0]);

    (void)operation;
    (void)with;
    if (handler->set->gemm && operands[1]->dtype == NN_FLOAT32 &&
        operands[1]->mode == NN_WRITE)
        cpu_pool_for(handler->pool, rows, TILE, transpose_packed_rows, &packed);
    else
        cpu_pool_for(handler->pool, rows, TILE, transpose_rows, &packed.all);
}
