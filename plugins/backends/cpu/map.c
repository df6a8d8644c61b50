/* SPDX-License-Identifier: MIT */
/* map.c - element-wise operations: rows of arrays to kernels, on all threads.
 *
 * Arrays without gaps are one long row.  A row or a group of rows is a task;
 * every element is computed by itself, so the split changes no result. */
#include <math.h>

#include "handler.h"

void cpu_map_init(cpu_map *map, cpu_row_fn run, const nn_array *x,
                  const nn_array *z, const nn_array *c, const nn_array *y)
{
    *map = (cpu_map){.run = run};
    map->bytes = nn_dtype_bytes(y->dtype);
    map->rows = nn_rows(y);
    map->columns = nn_columns(y);
    map->row.y = cpu_data(y);
    map->row.add = y->mode == NN_ADD;
    map->y_pitch = cpu_pitch_bytes(y);
    if (x) {
        map->row.x = cpu_data(x);
        map->x_pitch = cpu_pitch_bytes(x);
    }
    if (z) {
        map->row.z = cpu_data(z);
        map->z_pitch = cpu_pitch_bytes(z);
    }
    if (c) {
        map->row.c = cpu_data(c);
        map->c_pitch = cpu_pitch_bytes(c);
    }
}

static const void *at_byte(const void *base, int64_t bytes)
{
    return base ? (const char *)base + bytes : NULL;
}

void cpu_map_rows(const cpu_map *map, int64_t begin, int64_t end)
{
    int64_t i;

    for (i = begin; i < end; ++i) {
        cpu_row row = map->row;

        row.x = at_byte(row.x, i * map->x_pitch);
        row.z = at_byte(row.z, i * map->z_pitch);
        row.c = at_byte(row.c, i * map->c_pitch);
        row.y = (char *)row.y + i * map->y_pitch;
        row.n = map->columns;
        map->run(&row);
    }
}

static void run_rows(void *context, int64_t begin, int64_t end)
{
    cpu_map_rows(context, begin, end);
}

/* Elements BEGIN to END - 1 of the only row. */
static void run_part(void *context, int64_t begin, int64_t end)
{
    const cpu_map *map = context;
    cpu_row row = map->row;

    row.x = at_byte(row.x, begin * map->bytes);
    if (!row.z_repeated)
        row.z = at_byte(row.z, begin * map->bytes);
    row.c = at_byte(row.c, begin * map->bytes);
    row.y = (char *)row.y + begin * map->bytes;
    row.n = end - begin;
    map->run(&row);
}

static int has_gaps(const cpu_map *map)
{
    int64_t dense = map->columns * map->bytes;
    int z_is_dense = map->row.z_repeated ? !map->z_pitch
                                         : map->z_pitch == dense;

    return map->y_pitch != dense || (map->row.x && map->x_pitch != dense) ||
           (map->row.z && !z_is_dense) || (map->row.c && map->c_pitch != dense);
}

void cpu_map_run(nn_handler *handler, const cpu_map *map)
{
    cpu_map all = *map;

    if (all.rows == 1 || !has_gaps(&all)) {
        all.columns *= all.rows;
        cpu_pool_for(handler->pool, all.columns, CPU_GRAIN, run_part, &all);
    } else {
        int64_t grain = CPU_GRAIN / all.columns;

        cpu_pool_for(handler->pool, all.rows, grain ? grain : 1, run_rows,
                     &all);
    }
}

/* How many operands the element-wise operations read, besides writing one. */
static int inputs_of(uint32_t operation)
{
    switch (operation) {
    case NN_OP_SELECT_TTT:
        return 3;
    case NN_OP_ADD_TT:
    case NN_OP_SUBTRACT_TT:
    case NN_OP_MULT_TT:
    case NN_OP_DIVIDE_TT:
    case NN_OP_MAXIMUM_TT:
    case NN_OP_MINIMUM_TT:
    case NN_OP_AXPBY_TT:
    case NN_OP_LESS_TT:
    case NN_OP_LESS_EQUAL_TT:
    case NN_OP_EQUAL_TT:
        return 2;
    default:
        return 1;
    }
}

void cpu_element_wise(nn_handler *handler, uint32_t operation,
                      const nn_array *const *operands,
                      const nn_attributes *with)
{
    int inputs = inputs_of(operation);
    const nn_array *y = operands[inputs];
    cpu_row_fn run = cpu_kernels_for(handler, y->dtype)->map[operation];
    cpu_map map;

    if (inputs == 3)
        cpu_map_init(&map, run, operands[1], operands[2], operands[0], y);
    else
        cpu_map_init(&map, run, operands[0], inputs == 2 ? operands[1] : NULL,
                     NULL, y);
    map.row.a = with->a;
    map.row.b = with->b;
    cpu_map_run(handler, &map);
}

/* V is a row for all rows, a number for each row, or one number. */
void cpu_matrix_vector(nn_handler *handler, uint32_t operation,
                       const nn_array *const *operands,
                       const nn_attributes *with)
{
    int has_matrix = operation != NN_OP_BROADCAST_T;
    const nn_array *v = operands[has_matrix];
    const nn_array *y = operands[has_matrix + 1];
    cpu_row_fn run = cpu_kernels_for(handler, y->dtype)->map[operation];
    cpu_map map;

    (void)with;
    cpu_map_init(&map, run, has_matrix ? operands[0] : NULL, v, NULL, y);
    if (nn_rows(v) == 1)
        map.z_pitch = 0;
    if (nn_columns(v) == 1 && (nn_columns(y) > 1 || nn_rows(v) == 1))
        map.row.z_repeated = 1;
    cpu_map_run(handler, &map);
}

void cpu_activation(nn_handler *handler, uint32_t operation,
                    const nn_array *const *operands, const nn_attributes *with)
{
    const cpu_kernels *kernels = cpu_kernels_for(handler, operands[1]->dtype);
    cpu_map map;

    (void)operation;
    if (with->kind >= NN_ACTIVATION_COUNT) {
        cpu_fail(handler, NN_UNSUPPORTED, "cpu.activation",
                 "activation_t: unknown kind %u", with->kind);
        return;
    }
    cpu_map_init(&map, kernels->activation[with->kind], operands[0], NULL, NULL,
                 operands[1]);
    map.row.a = with->a;
    cpu_map_run(handler, &map);
}

/* Operands x (may be absent), y, dy, dx; all derivatives follow from y. */
void cpu_activation_backward(nn_handler *handler, uint32_t operation,
                             const nn_array *const *operands,
                             const nn_attributes *with)
{
    const cpu_kernels *kernels = cpu_kernels_for(handler, operands[3]->dtype);
    cpu_map map;

    (void)operation;
    if (with->kind >= NN_ACTIVATION_COUNT) {
        cpu_fail(handler, NN_UNSUPPORTED, "cpu.activation",
                 "activation_backward_t: unknown kind %u", with->kind);
        return;
    }
    cpu_map_init(&map, kernels->activation_backward[with->kind], operands[1],
                 operands[2], NULL, operands[3]);
    map.row.a = with->a;
    cpu_map_run(handler, &map);
}

/* x to the power a through the C library, which is right in all corners; the
 * common powers have kernels that give the same numbers. */
static void power_f32(const cpu_row *row)
{
    const float *x = row->x;
    float *y = row->y;
    int64_t i;

    for (i = 0; i < row->n; ++i) {
        float power = (float)pow((double)x[i], row->a);

        y[i] = row->add ? y[i] + power : power;
    }
}

static void power_f64(const cpu_row *row)
{
    const double *x = row->x;
    double *y = row->y;
    int64_t i;

    for (i = 0; i < row->n; ++i) {
        double power = pow(x[i], row->a);

        y[i] = row->add ? y[i] + power : power;
    }
}

void cpu_power(nn_handler *handler, uint32_t operation,
               const nn_array *const *operands, const nn_attributes *with)
{
    const nn_array *y = operands[1];
    const cpu_kernels *kernels = cpu_kernels_for(handler, y->dtype);
    cpu_row_fn run = y->dtype == NN_FLOAT64 ? power_f64 : power_f32;
    cpu_map map;

    (void)operation;
    if (with->a == 2)
        run = kernels->map[NN_OP_SQUARE_T];
    else if (with->a == 1)
        run = kernels->map[NN_OP_COPY];
    cpu_map_init(&map, run, operands[0], NULL, NULL, y);
    map.row.a = with->a;
    cpu_map_run(handler, &map);
}
