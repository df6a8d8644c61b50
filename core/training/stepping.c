/* SPDX-License-Identifier: MIT */
/* stepping.c - memory and plans of the stepper, and its calls.
 *
 * Every vector of the stepper has the layout of the parameters, so that a run
 * has the same place in all of them.  All memory is taken here, before the
 * first update. */
#include "core/training/stepping.h"

#include <string.h>

#include "core/util/checked.h"
#include "core/util/error.h"

/* ---- plans ------------------------------------------------------------- */

static int32_t make_plan(const nn_stepper_context *context, uint32_t slot,
                         const char *id, uint32_t row,
                         const nn_array *const *operands, uint32_t n_operands,
                         const void *attributes)
{
    nn_step *step = (nn_step *)(uintptr_t)context;

    if (slot >= NN_PLAN_SLOTS)
        return nn_error_set(NN_INVALID_ARGUMENT, "plan.slot",
                            "it plans in slot %u; there are %u", slot,
                            NN_PLAN_SLOTS);
    nn_plan_destroy(step->plans[slot]);
    step->plans[slot] = NULL;
    return nn_plan_create(step->owner->network, id, row, operands, n_operands,
                          attributes, 0, 0, &step->plans[slot]);
}

/* Memory of BYTES as an array of bytes; absent for 0. */
static int32_t take(nn_stepping *stepping, int64_t bytes, nn_array *out)
{
    nn_network *network = stepping->network;
    nn_memory **memory = &stepping->memories[stepping->n_memories];
    int32_t code;

    memset(out, 0, sizeof *out);
    if (!bytes)
        return NN_OK;
    code = network->interface.allocate(network->handler, bytes, memory);
    if (code)
        return code;
    ++stepping->n_memories;
    out->memory = *memory;
    out->dtype = NN_UINT8;
    out->ndim = 1;
    out->shape[0] = out->pitch = bytes;
    return NN_OK;
}

/* One workspace for all plans, a reserve for each that wants one. */
static int32_t equip_plans(nn_stepping *stepping, nn_arena *arena)
{
    int64_t workspace_bytes = 0;
    int64_t reserves = 0;
    nn_array workspace;
    int32_t code;
    uint32_t i;
    uint32_t slot;

    for (i = 0; i < stepping->n_steps; ++i)
        for (slot = 0; slot < NN_PLAN_SLOTS; ++slot) {
            const nn_plan *plan = stepping->steps[i].plans[slot];

            if (plan && plan->workspace_bytes > workspace_bytes)
                workspace_bytes = plan->workspace_bytes;
            reserves += plan && plan->reserve_bytes;
        }
    stepping->memories = nn_arena_alloc(arena, reserves + 1,
                                        sizeof *stepping->memories);
    if (!stepping->memories)
        return NN_NO_MEMORY;
    code = take(stepping, workspace_bytes, &workspace);
    for (i = 0; i < stepping->n_steps; ++i)
        for (slot = 0; slot < NN_PLAN_SLOTS && !code; ++slot) {
            nn_plan *plan = stepping->steps[i].plans[slot];

            if (!plan)
                continue;
            if (plan->workspace_bytes)
                plan->workspace = workspace;
            code = take(stepping, plan->reserve_bytes, &plan->reserve);
        }
    return code;
}

/* ---- creation ---------------------------------------------------------- */

static nn_array range_of(const nn_network *network, nn_memory *memory,
                         const nn_run_of *run, int64_t base)
{
    nn_array array;

    memset(&array, 0, sizeof array);
    array.memory = memory;
    array.offset = base + run->first * nn_dtype_bytes(network->real);
    array.dtype = network->real;
    array.ndim = 1;
    array.shape[0] = array.pitch = run->count;
    return array;
}

static int32_t prepare_step(nn_stepping *stepping, const nn_host *host,
                            const nn_runs *runs, uint32_t index,
                            nn_arena *arena)
{
    nn_network *network = stepping->network;
    const nn_run_of *run = &runs->items[index];
    nn_step *step = &stepping->steps[index];
    nn_stepper_context *context = &step->context;
    int32_t code;
    uint32_t v;

    step->owner = stepping;
    step->parameters = range_of(network, network->blocks[NN_BLOCK_PARAMETERS],
                                run, 0);
    step->gradients = range_of(network, network->blocks[NN_BLOCK_GRADIENTS],
                               run, 0);
    step->gradients.flags = NN_READ_ONLY;
    step->vectors = nn_arena_alloc(arena, stepping->interface.n_vectors,
                                   sizeof *step->vectors);
    if (!step->vectors)
        return NN_NO_MEMORY;
    for (v = 0; v < stepping->interface.n_vectors; ++v)
        step->vectors[v] = range_of(network, stepping->vectors, run,
                                    v * stepping->vector_bytes);
    context->size = NN_SIZEOF(nn_stepper_context, run);
    context->n_vectors = stepping->interface.n_vectors;
    context->host = host;
    context->params = &runs->settings[run->settings].params;
    context->ops = nn_completed_operations(network->completed);
    context->parameters = &step->parameters;
    context->gradients = &step->gradients;
    context->vectors = step->vectors;
    context->update = 1;
    context->plans = step->plans;
    context->plan = make_plan;
    context->run = nn_plan_run;
    if (!stepping->interface.prepare)
        return NN_OK;
    code = stepping->interface.prepare(context);
    if (code < 0 && !nn_error_code())
        nn_error_set(code, "stepper.prepare",
                     "it failed with code %d and no message", code);
    return code < 0 ? code : NN_OK;
}

static int32_t make_vectors(nn_stepping *stepping)
{
    nn_network *network = stepping->network;
    nn_array all;
    int64_t bytes;
    int32_t code;

    stepping->vector_bytes = network->layout->bytes[NN_BLOCK_PARAMETERS];
    if (!nn_checked_mult(stepping->vector_bytes, stepping->interface.n_vectors,
                         &bytes))
        return nn_error_no_memory("the stepper", UINT64_MAX);
    if (!bytes)
        return NN_OK;
    code = network->interface.allocate(network->handler, bytes,
                                       &stepping->vectors);
    if (code)
        return nn_error_prefix(code, "vectors of the stepper (%lld bytes): ",
                               (long long)bytes);
    memset(&all, 0, sizeof all);
    all.memory = stepping->vectors;
    all.dtype = NN_UINT8;
    all.ndim = 1;
    all.shape[0] = all.pitch = bytes;
    nn_network_track(network, NN_TRACK_CORE, NULL);
    nn_fill(nn_completed_operations(network->completed), &all, 0);
    nn_network_track(network, NN_TRACK_OUTSIDE, NULL);
    return nn_network_check(network, NULL);
}

static int32_t init(nn_model *model, const nn_runs *runs, nn_arena *arena,
                    nn_stepping *out)
{
    const nn_stepper_interface *theirs = out->component->interface;
    int32_t code;
    uint32_t i;

    memcpy(&out->interface, theirs,
           theirs->size < sizeof out->interface ? theirs->size
                                                : sizeof out->interface);
    out->steps = nn_arena_alloc(arena, runs->count, sizeof *out->steps);
    if (!out->steps)
        return NN_NO_MEMORY;
    code = make_vectors(out);
    for (i = 0; i < runs->count && !code; ++i) {
        ++out->n_steps;
        code = prepare_step(out, model->config->host, runs, i, arena);
    }
    return code ? code : equip_plans(out, arena);
}

int32_t nn_stepping_init(nn_model *model, const nn_runs *runs, nn_arena *arena,
                         nn_stepping *out)
{
    const nn_value *stepper =
        model->config->training->values[NN_TRAINING_STEPPER];
    int32_t code;

    memset(out, 0, sizeof *out);
    out->network = model->network;
    out->component = stepper->child->component;
    code = init(model, runs, arena, out);
    return code ? nn_error_prefix(code, "stepper '%s': ", out->component->name)
                : NN_OK;
}

void nn_stepping_finish(nn_stepping *stepping)
{
    const nn_network *network = stepping->network;
    uint32_t i;
    uint32_t slot;

    for (i = 0; i < stepping->n_steps; ++i)
        for (slot = 0; slot < NN_PLAN_SLOTS; ++slot)
            nn_plan_destroy(stepping->steps[i].plans[slot]);
    for (i = 0; i < stepping->n_memories; ++i)
        network->interface.release(network->handler, stepping->memories[i]);
    if (stepping->vectors)
        network->interface.release(network->handler, stepping->vectors);
    memset(stepping, 0, sizeof *stepping);
}

/* ---- an update --------------------------------------------------------- */

int32_t nn_stepping_step(nn_stepping *stepping, int64_t update)
{
    int32_t code;
    uint32_t i;

    nn_network_track(stepping->network, NN_TRACK_STEP,
                     stepping->component->name);
    for (i = 0; i < stepping->n_steps; ++i) {
        stepping->steps[i].context.update = update;
        stepping->interface.step(&stepping->steps[i].context);
    }
    nn_network_track(stepping->network, NN_TRACK_OUTSIDE, NULL);
    code = nn_network_check(stepping->network, NULL);
    return code ? nn_error_prefix(code,
                                  "stepper '%s': ", stepping->component->name)
                : NN_OK;
}

nn_array nn_stepping_vector(const nn_stepping *stepping, uint32_t index,
                            const nn_parameter *parameter)
{
    nn_array array = parameter->parameter;

    array.memory = stepping->vectors;
    array.offset += index * stepping->vector_bytes;
    return array;
}
