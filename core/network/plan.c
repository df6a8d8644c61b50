/* SPDX-License-Identifier: MIT */
/* plan.c - a row of an extension, planned for fixed shapes. */
#include "core/network/network.h"

#include <stdlib.h>
#include <string.h>

#include "core/util/error.h"

/* Asks SLOT for a plan.  NN_UNSUPPORTED sets no message of its own. */
static int32_t ask(const nn_row_slot *slot, const nn_plan_request *request,
                   nn_plan_result *result)
{
    memset(result, 0, sizeof *result);
    result->size = NN_SIZEOF(nn_plan_result, reserve_bytes);
    if (!slot->row || !slot->row->plan || !slot->row->run)
        return NN_UNSUPPORTED;
    return slot->row->plan(slot->self, request, result);
}

static int32_t copy_attributes(nn_plan *plan, const void *attributes)
{
    uint32_t bytes = plan->slot.row->attributes_size;
    uint32_t theirs;

    if (!attributes || bytes < sizeof theirs)
        return NN_OK;
    /* Every attribute struct begins with its size. */
    memcpy(&theirs, attributes, sizeof theirs);
    plan->attributes = calloc(1, bytes > theirs ? bytes : theirs);
    if (!plan->attributes)
        return nn_error_no_memory("a plan", bytes);
    memcpy(plan->attributes, attributes, theirs);
    return NN_OK;
}

int32_t nn_plan_create(nn_network *network, const char *id, uint32_t row,
                       const nn_array *const *operands, uint32_t n_operands,
                       const void *attributes, int64_t workspace_limit,
                       int64_t reserve_limit, nn_plan **out)
{
    nn_plan_request request = {NN_SIZEOF(nn_plan_request, reserve_limit),
                               n_operands,
                               operands,
                               attributes,
                               workspace_limit,
                               reserve_limit};
    nn_plan_result result;
    nn_row_slot slot = nn_completed_row(network->completed, id, row);
    nn_plan *plan;
    int32_t code;

    *out = NULL;
    code = ask(&slot, &request, &result);
    if (code == NN_UNSUPPORTED) {
        slot = nn_composed_row(network->completed, id, row);
        nn_error_clear();
        code = ask(&slot, &request, &result);
    }
    if (code)
        return nn_error_set(code, "plan.refused",
                            "neither the handler nor the core can run row %u "
                            "of '%s' for these shapes",
                            row, id);
    plan = calloc(1, sizeof *plan);
    if (!plan) {
        if (slot.row->destroy)
            slot.row->destroy(slot.self, result.plan);
        return nn_error_no_memory("a plan", sizeof *plan);
    }
    plan->network = network;
    plan->slot = slot;
    plan->plan = result.plan;
    plan->workspace_bytes = result.workspace_bytes;
    plan->reserve_bytes = result.reserve_bytes;
    code = copy_attributes(plan, attributes);
    if (!code && (result.workspace_bytes < 0 || result.reserve_bytes < 0))
        code = nn_error_set(NN_INTERNAL, "plan.bytes",
                            "the plan of row %u of '%s' wants a negative "
                            "number of bytes",
                            row, id);
    if (!code &&
        ((workspace_limit && result.workspace_bytes > workspace_limit) ||
         (reserve_limit && result.reserve_bytes > reserve_limit)))
        code = nn_error_set(NN_INTERNAL, "plan.limit",
                            "the plan of row %u of '%s' wants more memory for "
                            "a smaller batch than for the largest",
                            row, id);
    if (code)
        nn_plan_destroy(plan);
    else
        *out = plan;
    return code;
}

void nn_plan_destroy(nn_plan *plan)
{
    if (!plan)
        return;
    if (plan->slot.row->destroy)
        plan->slot.row->destroy(plan->slot.self, plan->plan);
    free(plan->attributes);
    free(plan);
}

void nn_plan_run(const nn_plan *plan, const nn_array *const *operands,
                 uint32_t n_operands, const void *attributes)
{
    const nn_array *workspace = plan->workspace.ndim ? &plan->workspace : NULL;
    const nn_array *reserve = plan->reserve.ndim ? &plan->reserve : NULL;

    plan->slot.row->run(plan->slot.self, plan->plan, operands, n_operands,
                        attributes ? attributes : plan->attributes, workspace,
                        reserve);
}
