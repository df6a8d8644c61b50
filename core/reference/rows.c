/* SPDX-License-Identifier: MIT */
/* rows.c - what the composed rows of extensions have in common: the check of
 * their operands, the answer to a plan, temporaries in the workspace. */
#include "core/reference/compose.h"
#include "core/reference/signature.h"
#include "core/util/checked.h"
#include "core/util/error.h"

int32_t nn_composed_check(const nn_row *row, const nn_plan_request *request)
{
    char text[NN_COMPLETED_TEXT] = "";
    nn_report report = {row->name, text, sizeof text, NULL};
    nn_signature signature;
    int32_t code;

    if (request->n_operands != row->n_operands)
        return nn_error_set(NN_INVALID_ARGUMENT, "operation.argument",
                            "%s: %u operands where there are %u", row->name,
                            request->n_operands, row->n_operands);
    nn_signature_from_row(row, &signature);
    code = nn_signature_check(&signature, request->operands, 0, &report);
    if (!code)
        return NN_OK;
    return nn_error_set(code,
                        code == NN_SHAPE ? "operation.shape"
                                         : "operation.argument",
                        "%s", text);
}

int32_t nn_composed_plan(const nn_row *row, const nn_plan_request *request,
                         int64_t bytes, nn_plan_result *result)
{
    if (bytes < 0 || (request->byte_limit && bytes > request->byte_limit))
        return nn_error_set(NN_NO_MEMORY, "operation.workspace",
                            "%s: the workspace of %lld bytes does not fit in "
                            "%lld",
                            row->name, (long long)bytes,
                            (long long)request->byte_limit);
    result->plan = NULL;
    result->workspace_bytes = bytes;
    result->reserve_bytes = 0;
    return NN_OK;
}

int64_t nn_temporary_bytes(const nn_array *like)
{
    int64_t bytes;

    if (!nn_checked_mult(nn_elements(like), nn_dtype_bytes(like->dtype),
                         &bytes) ||
        bytes > INT64_MAX - 64)
        return -1;
    return nn_align_up(bytes, 64);
}

nn_array nn_temporary_make(const nn_array *workspace, const nn_array *like,
                           uint32_t number)
{
    nn_array made = *like;

    made.memory = workspace->memory;
    made.offset = workspace->offset + number * nn_temporary_bytes(like);
    made.pitch = nn_columns(like);
    made.mode = NN_WRITE;
    made.flags = 0;
    return made;
}
