/* SPDX-License-Identifier: MIT */
/* linear.c - nn.linear/1: product, bias, residual and activation.
 *
 * Forward: bias, residual and activation are put on each block of y as soon as
 * the product has finished it.  Backward: a = dy f'(y) is made once, together
 * with its sums over the rows (db); then dx = a W and dW = a' x.  Letters: M
 * rows, K inputs, N units.  The workspace holds a (or, forward, the product if
 * y is added to) and behind it what the products want. */
#include <nn/rows.h>

#include "handler.h"

#define STRIP 64     /* columns of a task that sums over rows */
#define MIN_STRIPS 8 /* with fewer the rows are split instead */

/* Bytes of a dense matrix like ARRAY, to the next multiple of 64. */
static int64_t temporary_bytes(const nn_array *array)
{
    return (nn_elements(array) * nn_dtype_bytes(array->dtype) + 63) / 64 * 64;
}

/* A dense matrix like ARRAY at the start of WORKSPACE. */
static nn_array temporary(const nn_array *array, const nn_array *workspace)
{
    nn_array result = nn_as_matrix(array);

    result.memory = workspace->memory;
    result.offset = workspace->offset;
    result.pitch = result.shape[1];
    result.mode = NN_WRITE;
    result.flags = 0;
    return result;
}

static int32_t answer(nn_handler *handler, const nn_plan_request *request,
                      const char *name, int64_t bytes, nn_plan_result *result)
{
    nn_linear_attributes with = nn_linear_attributes_of(request->attributes);

    if (with.activation >= NN_ACTIVATION_COUNT)
        return nn_fail(handler->host, NN_UNSUPPORTED, "cpu.activation",
                       "%s: unknown activation %u", name, with.activation);
    if (request->byte_limit && bytes > request->byte_limit)
        return nn_fail(handler->host, NN_NO_MEMORY, "cpu.workspace",
                       "%s: needs %lld bytes of workspace, %lld are allowed",
                       name, (long long)bytes, (long long)request->byte_limit);
    result->plan = NULL;
    result->workspace_bytes = bytes;
    result->reserve_bytes = 0;
    return NN_OK;
}

/* True if the product cannot be made in y itself. */
static int needs_temporary(const nn_array *y, const nn_linear_attributes *with)
{
    return y->mode == NN_ADD && with->activation != NN_ACTIVATION_LINEAR;
}

static int32_t plan_forward(nn_handler *handler, const nn_plan_request *request,
                            nn_plan_result *result)
{
    const nn_array *x = request->operands[NN_LINEAR_X];
    const nn_array *y = request->operands[NN_LINEAR_Y];
    nn_linear_attributes with = nn_linear_attributes_of(request->attributes);
    int64_t bytes = cpu_product_workspace(handler, y->dtype, nn_rows(y),
                                          nn_columns(x));

    if (needs_temporary(y, &with))
        bytes += temporary_bytes(y);
    return answer(handler, request, "linear_forward", bytes, result);
}

/* What follows the product: t = product, y = f(t + bias + residual). */
typedef struct finish {
    cpu_epilogue epilogue; /* first: the product hands it back */
    const cpu_kernels *kernels;
    nn_array t;
    nn_array y;
    const nn_array *bias;
    const nn_array *residual;
    nn_linear_attributes with;
} finish;

static char *element(const nn_array *array, int64_t row, int64_t column)
{
    return (char *)cpu_data(array) +
           (row * array->pitch + column) * nn_dtype_bytes(array->dtype);
}

static void finish_block(const cpu_epilogue *epilogue, int64_t row,
                         int64_t rows, int64_t first, int64_t columns)
{
    const finish *all = (const finish *)epilogue;
    cpu_row_fn add = all->kernels->map[NN_OP_ADD_TT];
    uint32_t kind = all->with.activation;
    int64_t i;

    for (i = row; i < row + rows; ++i) {
        char *t = element(&all->t, i, first);
        cpu_row put = {.x = t, .y = t, .n = columns, .a = all->with.alpha};

        if (all->bias) {
            put.z = element(all->bias, 0, first);
            add(&put);
        }
        if (all->residual) {
            put.z = element(all->residual, i, first);
            add(&put);
        }
        if (kind != NN_ACTIVATION_LINEAR) {
            put.y = element(&all->y, i, first);
            put.add = all->y.mode == NN_ADD;
            all->kernels->activation[kind](&put);
        }
    }
}

static void run_forward(nn_handler *handler, nn_handler_plan *plan,
                        const nn_array *const *operands, uint32_t n_operands,
                        const void *attributes, const nn_array *workspace,
                        const nn_array *reserve)
{
    const nn_array *x = operands[NN_LINEAR_X];
    const nn_array *w = operands[NN_LINEAR_W];
    const nn_array *y = operands[NN_LINEAR_Y];
    finish after = {.epilogue = {finish_block}};
    cpu_gemm product = {.transpose_b = 1};
    char *bytes = workspace ? cpu_data(workspace) : NULL;

    (void)plan;
    (void)n_operands;
    (void)reserve;
    if (handler->code || !nn_wanted(y))
        return;
    after.kernels = cpu_kernels_for(handler, y->dtype);
    after.with = nn_linear_attributes_of(attributes);
    after.y = nn_as_matrix(y);
    after.t = after.y;
    if (nn_present(operands[NN_LINEAR_BIAS]))
        after.bias = operands[NN_LINEAR_BIAS];
    if (nn_present(operands[NN_LINEAR_RESIDUAL]))
        after.residual = operands[NN_LINEAR_RESIDUAL];
    if (needs_temporary(y, &after.with)) {
        after.t = temporary(y, workspace);
        bytes += temporary_bytes(y);
    }
    product.m = nn_rows(y);
    product.n = nn_columns(y);
    product.k = nn_columns(x);
    product.a = cpu_data(x);
    product.a_pitch = x->pitch;
    product.b = cpu_data(w);
    product.b_pitch = w->pitch;
    product.c = cpu_data(&after.t);
    product.c_pitch = after.t.pitch;
    product.add = after.t.mode == NN_ADD;
    if (after.bias || after.residual ||
        after.with.activation != NN_ACTIVATION_LINEAR)
        product.epilogue = &after.epilogue;
    cpu_product_run(handler, y->dtype, &product, bytes);
}

static int32_t plan_backward(nn_handler *handler,
                             const nn_plan_request *request,
                             nn_plan_result *result)
{
    const nn_array *x = request->operands[NN_LINEAR_BACKWARD_X];
    const nn_array *dy = request->operands[NN_LINEAR_BACKWARD_DY];
    nn_linear_attributes with = nn_linear_attributes_of(request->attributes);
    int64_t units = nn_columns(dy);
    int64_t rows = nn_rows(dy);
    int64_t bytes = cpu_product_workspace(handler, x->dtype, rows, units);
    int64_t other = cpu_product_workspace(handler, x->dtype, units, rows);

    if (bytes < other)
        bytes = other;
    if (with.activation != NN_ACTIVATION_LINEAR)
        bytes += temporary_bytes(dy);
    return answer(handler, request, "linear_backward", bytes, result);
}

/* The pass that makes a = dy f'(y) and db. */
typedef struct delta {
    nn_handler *handler;
    const cpu_kernels *kernels;
    cpu_map map;        /* y, dy -> a; run NULL if a is dy */
    const nn_array *db; /* NULL if it is not wanted */
    const nn_array *a;
} delta;

/* Writes db = or += SUMS of columns FIRST to END - 1. */
static void put_sums(const nn_array *db, int64_t first, int64_t end,
                     const double *sums)
{
    int add = db->mode == NN_ADD;
    int64_t i;

    for (i = first; i < end; ++i)
        if (db->dtype == NN_FLOAT64) {
            double *to = (double *)cpu_data(db) + i;

            *to = add ? *to + sums[i - first] : sums[i - first];
        } else {
            float *to = (float *)cpu_data(db) + i;

            *to = (float)((add ? (double)*to : 0) + sums[i - first]);
        }
}

/* Columns FIRST to END - 1 of a, and their sums. */
static void make_strip(void *context, int64_t first, int64_t end)
{
    const delta *all = context;
    const cpu_map *map = &all->map;
    double sums[STRIP] = {0};
    int64_t offset = first * nn_dtype_bytes(all->a->dtype);
    int64_t i;

    for (i = 0; i < nn_rows(all->a); ++i) {
        if (map->run) {
            cpu_row row = map->row;

            row.x = (const char *)row.x + i * map->x_pitch + offset;
            row.z = (const char *)row.z + i * map->z_pitch + offset;
            row.y = (char *)row.y + i * map->y_pitch + offset;
            row.n = end - first;
            map->run(&row);
        }
        all->kernels->add_to_sums(element(all->a, i, first), end - first, sums);
    }
    put_sums(all->db, first, end, sums);
}

/* Makes a and db.  Wide layers are cut into strips of columns; a narrow one's
 * sums are left to sum_t, which cuts the rows. */
static void make_delta(const delta *all)
{
    nn_handler *handler = all->handler;
    const nn_array *operands[2] = {all->a, all->db};
    nn_attributes rows = nn_no_attributes();

    if (all->db && nn_columns(all->a) >= STRIP * MIN_STRIPS) {
        cpu_pool_for(handler->pool, nn_columns(all->a), STRIP, make_strip,
                     (void *)all);
        return;
    }
    if (all->map.run)
        cpu_map_run(handler, &all->map);
    rows.axis = NN_AXIS_ROWS;
    if (all->db)
        cpu_reduce(handler, NN_OP_SUM_T, operands, &rows);
}

static void run_products(nn_handler *handler, const nn_array *a,
                         const nn_array *const *operands, void *workspace)
{
    const nn_array *x = operands[NN_LINEAR_BACKWARD_X];
    const nn_array *w = operands[NN_LINEAR_BACKWARD_W];
    const nn_array *dx = operands[NN_LINEAR_BACKWARD_DX];
    const nn_array *dw = operands[NN_LINEAR_BACKWARD_DW];

    if (nn_wanted(dx)) {
        cpu_gemm product = {
            .m = nn_rows(dx),
            .n = nn_columns(dx),
            .k = nn_columns(a),
            .a = cpu_data(a),
            .a_pitch = a->pitch,
            .b = cpu_data(w),
            .b_pitch = w->pitch,
            .c = cpu_data(dx),
            .c_pitch = dx->pitch,
            .add = dx->mode == NN_ADD,
        };

        cpu_product_run(handler, a->dtype, &product, workspace);
    }
    if (nn_wanted(dw)) {
        cpu_gemm product = {
            .m = nn_rows(dw),
            .n = nn_columns(dw),
            .k = nn_rows(a),
            .a = cpu_data(a),
            .a_pitch = a->pitch,
            .b = cpu_data(x),
            .b_pitch = x->pitch,
            .c = cpu_data(dw),
            .c_pitch = dw->pitch,
            .transpose_a = 1,
            .add = dw->mode == NN_ADD,
        };

        cpu_product_run(handler, a->dtype, &product, workspace);
    }
}

static void run_backward(nn_handler *handler, nn_handler_plan *plan,
                         const nn_array *const *operands, uint32_t n_operands,
                         const void *attributes, const nn_array *workspace,
                         const nn_array *reserve)
{
    const nn_array *dy = operands[NN_LINEAR_BACKWARD_DY];
    const nn_array *dresidual = operands[NN_LINEAR_BACKWARD_DRESIDUAL];
    const cpu_kernels *kernels = cpu_kernels_for(handler, dy->dtype);
    nn_linear_attributes with = nn_linear_attributes_of(attributes);
    nn_array a = nn_as_matrix(dy);
    delta all = {.handler = handler, .kernels = kernels, .a = &a};
    char *bytes = workspace ? cpu_data(workspace) : NULL;

    (void)plan;
    (void)n_operands;
    (void)reserve;
    if (handler->code)
        return;
    if (with.activation != NN_ACTIVATION_LINEAR) {
        a = temporary(dy, workspace);
        bytes += temporary_bytes(dy);
        cpu_map_init(&all.map, kernels->activation_backward[with.activation],
                     operands[NN_LINEAR_BACKWARD_Y], dy, NULL, &a);
        all.map.row.a = with.alpha;
    }
    if (nn_wanted(operands[NN_LINEAR_BACKWARD_DB]))
        all.db = operands[NN_LINEAR_BACKWARD_DB];
    make_delta(&all);
    if (nn_wanted(dresidual)) {
        cpu_map copy;

        cpu_map_init(&copy, kernels->map[NN_OP_COPY], &a, NULL, NULL,
                     dresidual);
        cpu_map_run(handler, &copy);
    }
    run_products(handler, &a, operands, bytes);
}

static const nn_row forward = {
    .size = NN_SIZEOF(nn_row, doc),
    .n_operands = NN_LINEAR_FORWARD_OPERANDS,
    .attributes_size = NN_SIZEOF(nn_linear_attributes, alpha),
    .name = "linear_forward",
    .operands = nn_linear_forward_operands,
    .plan = plan_forward,
    .run = run_forward,
    .doc = "y = f(x W' + b + residual)",
};

static const nn_row backward = {
    .size = NN_SIZEOF(nn_row, doc),
    .n_operands = NN_LINEAR_BACKWARD_OPERANDS,
    .attributes_size = NN_SIZEOF(nn_linear_attributes, alpha),
    .name = "linear_backward",
    .operands = nn_linear_backward_operands,
    .plan = plan_backward,
    .run = run_backward,
    .doc = "with a = dy f'(y): dx = a W, dW = a' x, db = sum over rows of a, "
           "dresidual = a",
};

static const nn_row *const rows[NN_LINEAR_ROWS] = {
    [NN_LINEAR_FORWARD] = &forward,
    [NN_LINEAR_BACKWARD] = &backward,
};

const nn_extension cpu_linear = {
    .size = NN_SIZEOF(nn_extension, rows),
    .n_rows = NN_LINEAR_ROWS,
    .id = NN_LINEAR,
    .rows = rows,
};
