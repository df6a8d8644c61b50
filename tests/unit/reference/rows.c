/* SPDX-License-Identifier: MIT */
/* rows.c - see rows.h. */
#include "tests/unit/reference/rows.h"

#define MAX_OPERANDS 8

void bench_init(bench *b, uint32_t real)
{
    static const uint32_t few[] = {NN_OP_AXPBY_TT, NN_OP_DOT_MM, NN_OP_MULT_TT,
                                   NN_OP_COUNT};

    toy_init(&b->toy, NN_OP_COUNT, few);
    assert_int_equal(nn_completed_create(&b->toy.interface, &b->toy, real,
                                         &b->completed),
                     NN_OK);
}

void bench_finish(bench *b)
{
    nn_completed_destroy(b->completed);
    b->completed = NULL;
}

/* The operands as a plan sees them: no memory. */
static void describe(tensor *const *tensors, uint32_t n, nn_array *arrays,
                     const nn_array **operands)
{
    uint32_t i;

    for (i = 0; i < n; ++i) {
        operands[i] = NULL;
        if (!tensors[i])
            continue;
        arrays[i] = tensors[i]->array;
        arrays[i].memory = NULL;
        arrays[i].offset = 0;
        operands[i] = &arrays[i];
    }
}

int32_t bench_run(bench *b, const char *id, uint32_t number,
                  tensor *const *tensors, uint32_t n, const void *attributes,
                  int64_t limit, int64_t *bytes)
{
    nn_row_slot slot = nn_completed_row(b->completed, id, number);
    nn_array arrays[MAX_OPERANDS];
    const nn_array *operands[MAX_OPERANDS];
    nn_plan_request request = {NN_SIZEOF(nn_plan_request, reserve_limit),
                               n,
                               operands,
                               attributes,
                               limit,
                               0};
    nn_plan_result result = {NN_SIZEOF(nn_plan_result, reserve_bytes), 0, NULL,
                             -1, -1};
    tensor *workspace = NULL;
    uint32_t i;
    int32_t code;

    assert_non_null(slot.row);
    describe(tensors, n, arrays, operands);
    code = slot.row->plan(slot.self, &request, &result);
    if (code)
        return code;
    assert_int_equal(result.reserve_bytes, 0);
    if (bytes)
        *bytes = result.workspace_bytes;
    if (result.workspace_bytes > 0) {
        workspace = tensor_make(NN_UINT8, 0, 1, &result.workspace_bytes);
        tensor_fill(workspace, 255);
    }
    for (i = 0; i < n; ++i)
        if (tensors[i])
            operands[i] = &tensors[i]->array;
    slot.row->run(slot.self, result.plan, operands, n, attributes,
                  workspace ? &workspace->array : NULL, NULL);
    if (slot.row->destroy)
        slot.row->destroy(slot.self, result.plan);
    for (i = 0; i < n; ++i)
        if (tensors[i])
            tensor_check_guards(tensors[i]);
    if (workspace)
        tensor_check_guards(workspace);
    tensor_free(workspace);
    return nn_completed_error(b->completed, NULL, NULL);
}
