/* SPDX-License-Identifier: MIT */
/* index.c - rows and columns chosen by integers.
 *
 * All indices are judged before anything is written.  Sums into one place are
 * made in the order of m: scattered rows are split over threads by columns,
 * never by rows. */
#include <string.h>

#include "handler.h"

#define STRIP 64 /* columns of a task that scatters rows */

/* The operands of one operation: matrices X and Y, indices V. */
typedef struct lookup {
    const nn_array *x;
    const nn_array *v;
    const nn_array *y;
    cpu_row_fn copy;
} lookup;

static int64_t index_at(const nn_array *v, int64_t m)
{
    return ((const int32_t *)cpu_data(v))[cpu_place(v, m)];
}

static int check_indices(nn_handler *handler, const char *operation,
                         const nn_array *v, int64_t limit)
{
    int64_t count = nn_elements(v);
    int64_t m;

    for (m = 0; m < count; ++m) {
        int64_t index = index_at(v, m);

        if (index < 0 || index >= limit) {
            cpu_fail(handler, NN_INVALID_ARGUMENT, "cpu.index",
                     "%s: v[%lld] = %lld is not in 0 to %lld", operation,
                     (long long)m, (long long)index, (long long)limit - 1);
            return 0;
        }
    }
    return 1;
}

/* Columns FIRST to END - 1 of row TO of y take those of row FROM of x. */
static void move_row(const lookup *all, int64_t from, int64_t to, int64_t first,
                     int64_t end)
{
    int64_t bytes = nn_dtype_bytes(all->y->dtype);
    cpu_row row = {
        .x = (char *)cpu_data(all->x) + (from * all->x->pitch + first) * bytes,
        .y = (char *)cpu_data(all->y) + (to * all->y->pitch + first) * bytes,
        .n = end - first,
        .add = all->y->mode == NN_ADD,
    };

    all->copy(&row);
}

static void gather_rows(void *context, int64_t begin, int64_t end)
{
    const lookup *all = context;
    int64_t m;

    for (m = begin; m < end; ++m)
        move_row(all, index_at(all->v, m), m, 0, nn_columns(all->y));
}

void cpu_gather(nn_handler *handler, uint32_t operation,
                const nn_array *const *operands, const nn_attributes *with)
{
    lookup all = {operands[0], operands[1], operands[2], NULL};
    int64_t grain = CPU_GRAIN / nn_columns(all.y);

    (void)operation;
    (void)with;
    all.copy = cpu_kernels_for(handler, all.y->dtype)->map[NN_OP_COPY];
    if (check_indices(handler, "gather_m_by_v", all.v, nn_rows(all.x)))
        cpu_pool_for(handler->pool, nn_rows(all.y), grain ? grain : 1,
                     gather_rows, &all);
}

static void scatter_columns(void *context, int64_t first, int64_t end)
{
    const lookup *all = context;
    int64_t rows = nn_rows(all->x);
    int64_t m;

    for (m = 0; m < rows; ++m)
        move_row(all, m, index_at(all->v, m), first, end);
}

void cpu_scatter_rows(nn_handler *handler, uint32_t operation,
                      const nn_array *const *operands,
                      const nn_attributes *with)
{
    lookup all = {operands[0], operands[1], operands[2], NULL};

    (void)operation;
    (void)with;
    all.copy = cpu_kernels_for(handler, all.y->dtype)->map[NN_OP_COPY];
    if (check_indices(handler, "scatter_m_by_v", all.v, nn_rows(all.y)))
        cpu_pool_for(handler->pool, nn_columns(all.y), STRIP, scatter_columns,
                     &all);
}

/* y = or += VALUE at PLACE. */
static void put(const nn_array *y, int64_t place, double value)
{
    int add = y->mode == NN_ADD;

    if (y->dtype == NN_FLOAT64) {
        double *to = (double *)cpu_data(y) + place;

        *to = add ? *to + value : value;
    } else {
        float *to = (float *)cpu_data(y) + place;

        *to = (float)(add ? (double)*to + value : value);
    }
}

static double get(const nn_array *x, int64_t place)
{
    return x->dtype == NN_FLOAT64 ? ((const double *)cpu_data(x))[place]
                                  : (double)((const float *)cpu_data(x))[place];
}

static void index_rows(void *context, int64_t begin, int64_t end)
{
    const lookup *all = context;
    int64_t m;

    for (m = begin; m < end; ++m)
        put(all->y, cpu_place(all->y, m),
            get(all->x, m * all->x->pitch + index_at(all->v, m)));
}

void cpu_index(nn_handler *handler, uint32_t operation,
               const nn_array *const *operands, const nn_attributes *with)
{
    lookup all = {operands[0], operands[1], operands[2], NULL};

    (void)operation;
    (void)with;
    if (check_indices(handler, "index_m_by_v", all.v, nn_columns(all.x)))
        cpu_pool_for(handler->pool, nn_rows(all.x), CPU_GRAIN, index_rows,
                     &all);
}

static void scatter_elements(void *context, int64_t begin, int64_t end)
{
    const lookup *all = context;
    int64_t m;

    for (m = begin; m < end; ++m)
        put(all->y, m * all->y->pitch + index_at(all->v, m),
            get(all->x, cpu_place(all->x, m)));
}

void cpu_scatter(nn_handler *handler, uint32_t operation,
                 const nn_array *const *operands, const nn_attributes *with)
{
    lookup all = {operands[0], operands[1], operands[2], NULL};

    (void)operation;
    (void)with;
    if (check_indices(handler, "scatter_v_by_v", all.v, nn_columns(all.y)))
        cpu_pool_for(handler->pool, nn_rows(all.y), CPU_GRAIN, scatter_elements,
                     &all);
}

static void one_hot_rows(void *context, int64_t begin, int64_t end)
{
    const lookup *all = context;
    const nn_array *y = all->y;
    int64_t bytes = nn_dtype_bytes(y->dtype);
    int64_t columns = nn_columns(y);
    int64_t m;

    for (m = begin; m < end; ++m) {
        if (y->mode == NN_WRITE)
            memset((char *)cpu_data(y) + m * y->pitch * bytes, 0,
                   (size_t)(columns * bytes));
        put(y, m * y->pitch + index_at(all->v, m), 1);
    }
}

void cpu_one_hot(nn_handler *handler, uint32_t operation,
                 const nn_array *const *operands, const nn_attributes *with)
{
    lookup all = {NULL, operands[0], operands[1], NULL};
    int64_t grain = CPU_GRAIN / nn_columns(all.y);

    (void)operation;
    (void)with;
    if (check_indices(handler, "one_hot_v", all.v, nn_columns(all.y)))
        cpu_pool_for(handler->pool, nn_rows(all.y), grain ? grain : 1,
                     one_hot_rows, &all);
}
