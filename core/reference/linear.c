/* SPDX-License-Identifier: MIT */
/* linear.c - nn.linear/1 of base operations.
 *
 * Forward:  s = x W' + b + residual, y = f(s).  s is y itself if y is WRITE,
 *           else a temporary.
 * Backward: a = dy f'(y), a temporary unless f is the identity;
 *           dx = a W, dW = a' x, db = sum of a over rows, dresidual = a.
 * All arrays are seen as matrices: M rows, K inputs, N units. */
#include <nn/rows.h>

#include "core/reference/compose.h"
#include "core/util/error.h"

/* The bias is a vector, so that no operation can take it for a column. */
static int32_t check(const nn_row *row, const nn_plan_request *request,
                     uint32_t bias)
{
    const nn_linear_attributes with = nn_linear_attributes_of(
        request->attributes);
    const nn_array *b = request->operands[bias];
    int32_t code = nn_composed_check(row, request);

    if (code)
        return code;
    if (nn_present(b) && b->ndim != 1)
        return nn_error_set(NN_SHAPE, "operation.shape",
                            "%s: %s has %u axes; a bias has one", row->name,
                            row->operands[bias]->name, b->ndim);
    if (with.activation >= NN_ACTIVATION_COUNT)
        return nn_error_set(NN_UNSUPPORTED, "operation.unsupported",
                            "%s: activation %u is unknown", row->name,
                            with.activation);
    return NN_OK;
}

static const nn_row forward;
static const nn_row backward;

static int32_t forward_plan(nn_handler *self, const nn_plan_request *request,
                            nn_plan_result *result)
{
    int32_t code = check(&forward, request, NN_LINEAR_BIAS);
    const nn_array *y;

    (void)self;
    if (code)
        return code;
    y = request->operands[NN_LINEAR_Y];
    return nn_composed_plan(&forward, request,
                            y->mode == NN_ADD ? nn_temporary_bytes(y) : 0,
                            result);
}

static void forward_run(nn_handler *self, nn_handler_plan *plan,
                        const nn_array *const *operands, uint32_t n_operands,
                        const void *attributes, const nn_array *workspace,
                        const nn_array *reserve)
{
    const nn_operations *ops = &nn_completed_of(self)->operations;
    const nn_linear_attributes with = nn_linear_attributes_of(attributes);
    nn_array x = nn_as_matrix(operands[NN_LINEAR_X]);
    nn_array weights = nn_as_matrix(operands[NN_LINEAR_W]);
    nn_array y = nn_as_matrix(operands[NN_LINEAR_Y]);
    nn_array s = y;

    (void)plan;
    (void)n_operands;
    (void)reserve;
    if (!nn_wanted(&y))
        return;
    if (y.mode == NN_ADD)
        s = nn_temporary_make(workspace, &y, 0);
    nn_dot_mm(ops, &x, &weights, &s, NN_TRANSPOSE_B);
    if (nn_present(operands[NN_LINEAR_BIAS]))
        nn_add_mv(ops, &s, operands[NN_LINEAR_BIAS], &s);
    if (nn_present(operands[NN_LINEAR_RESIDUAL])) {
        nn_array residual = nn_as_matrix(operands[NN_LINEAR_RESIDUAL]);

        nn_add_tt(ops, &s, &residual, &s);
    }
    if (with.activation != NN_ACTIVATION_LINEAR || y.mode == NN_ADD)
        nn_activation_t(ops, with.activation, with.alpha, &s, &y);
}

static int32_t backward_plan(nn_handler *self, const nn_plan_request *request,
                             nn_plan_result *result)
{
    int32_t code = check(&backward, request, NN_LINEAR_BACKWARD_DB);
    int64_t bytes = 0;

    (void)self;
    if (code)
        return code;
    if (nn_linear_attributes_of(request->attributes).activation !=
        NN_ACTIVATION_LINEAR)
        bytes = nn_temporary_bytes(request->operands[NN_LINEAR_BACKWARD_DY]);
    return nn_composed_plan(&backward, request, bytes, result);
}

/* The outputs of backward from A, the delta before the activation. */
static void backward_from(const nn_operations *ops, const nn_array *a,
                          const nn_array *const *operands)
{
    const nn_array *db = operands[NN_LINEAR_BACKWARD_DB];
    nn_array x = nn_as_matrix(operands[NN_LINEAR_BACKWARD_X]);
    nn_array weights = nn_as_matrix(operands[NN_LINEAR_BACKWARD_W]);
    nn_array dw = nn_as_matrix(operands[NN_LINEAR_BACKWARD_DW]);

    if (nn_wanted(operands[NN_LINEAR_BACKWARD_DX])) {
        nn_array dx = nn_as_matrix(operands[NN_LINEAR_BACKWARD_DX]);

        nn_dot_mm(ops, a, &weights, &dx, 0);
    }
    if (nn_wanted(&dw))
        nn_dot_mm(ops, a, &x, &dw, NN_TRANSPOSE_A);
    if (nn_wanted(db))
        nn_sum_t(ops, a, NN_AXIS_ROWS, db);
    if (nn_wanted(operands[NN_LINEAR_BACKWARD_DRESIDUAL])) {
        nn_array dresidual = nn_as_matrix(
            operands[NN_LINEAR_BACKWARD_DRESIDUAL]);

        nn_copy(ops, a, &dresidual);
    }
}

static void backward_run(nn_handler *self, nn_handler_plan *plan,
                         const nn_array *const *operands, uint32_t n_operands,
                         const void *attributes, const nn_array *workspace,
                         const nn_array *reserve)
{
    const nn_operations *ops = &nn_completed_of(self)->operations;
    const nn_linear_attributes with = nn_linear_attributes_of(attributes);
    nn_array y = nn_as_matrix(operands[NN_LINEAR_BACKWARD_Y]);
    nn_array dy = nn_as_matrix(operands[NN_LINEAR_BACKWARD_DY]);
    nn_array a = dy;

    (void)plan;
    (void)n_operands;
    (void)reserve;
    if (with.activation != NN_ACTIVATION_LINEAR) {
        a = nn_temporary_make(workspace, &dy, 0);
        nn_activation_backward_t(ops, with.activation, with.alpha, NULL, &y,
                                 &dy, &a);
    }
    backward_from(ops, &a, operands);
}

static const nn_row forward = {
    .size = NN_SIZEOF(nn_row, doc),
    .n_operands = NN_LINEAR_FORWARD_OPERANDS,
    .attributes_size = NN_SIZEOF(nn_linear_attributes, alpha),
    .name = "linear_forward",
    .operands = nn_linear_forward_operands,
    .plan = forward_plan,
    .run = forward_run,
    .doc = "y = f(x W' + b + residual)",
};

static const nn_row backward = {
    .size = NN_SIZEOF(nn_row, doc),
    .n_operands = NN_LINEAR_BACKWARD_OPERANDS,
    .attributes_size = NN_SIZEOF(nn_linear_attributes, alpha),
    .name = "linear_backward",
    .operands = nn_linear_backward_operands,
    .plan = backward_plan,
    .run = backward_run,
    .doc = "with a = dy f'(y): dx = a W, dW = a' x, db = sum of a, "
           "dresidual = a",
};

static const nn_row *const rows[NN_LINEAR_ROWS] = {
    [NN_LINEAR_FORWARD] = &forward,
    [NN_LINEAR_BACKWARD] = &backward,
};

const nn_extension nn_composed_linear = {
    .size = NN_SIZEOF(nn_extension, rows),
    .n_rows = NN_LINEAR_ROWS,
    .id = NN_LINEAR,
    .rows = rows,
};
