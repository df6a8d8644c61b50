/* SPDX-License-Identifier: MIT */
/* passes.c - plans and passes of alone.h, those of children as well. */
#include "tests/plugins/layers/alone.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/util/error.h"

/* ------------------------------------------------------------------- plans */

struct nn_plan {
    nn_row_slot slot;
    nn_plan_result result;
    nn_array workspace;
    char attributes[64];
};

static alone *of_context(const nn_layer_context *context)
{
    return (alone *)(void *)((char *)(uintptr_t)context -
                             offsetof(alone, context));
}

static void plan_free(alone *a, uint32_t slot)
{
    nn_plan *plan = a->plans[slot];

    if (!plan)
        return;
    if (plan->slot.row->destroy)
        plan->slot.row->destroy(plan->slot.self, plan->result.plan);
    alone_drop(&plan->workspace);
    free(plan);
    a->plans[slot] = NULL;
}

void alone_drop_plans(alone *a)
{
    uint32_t i;

    for (i = 0; i < ALONE_PLANS; ++i)
        plan_free(a, i);
}

static int32_t make_plan(const nn_layer_context *context, uint32_t slot,
                         const char *id, uint32_t row,
                         const nn_array *const *operands, uint32_t n_operands,
                         const void *attributes)
{
    alone *a = of_context(context);
    nn_plan *plan = calloc(1, sizeof *plan);
    nn_plan_request request = {NN_SIZEOF(nn_plan_request, reserve_limit),
                               n_operands,
                               operands,
                               attributes,
                               0,
                               0};
    nn_shape shape = {NN_SIZEOF(nn_shape, dims), NN_UINT8, 1, 0, {0}};
    int32_t code;

    plan_free(a, slot);
    plan->slot = nn_completed_row(a->completed, id, row);
    assert_non_null(plan->slot.row);
    plan->result.size = NN_SIZEOF(nn_plan_result, reserve_bytes);
    code = plan->slot.row->plan(plan->slot.self, &request, &plan->result);
    assert_string_equal(nn_error_text(), "");
    assert_int_equal(code, 0);
    memcpy(plan->attributes, attributes, plan->slot.row->attributes_size);
    shape.dims[0] = plan->result.workspace_bytes;
    if (shape.dims[0])
        plan->workspace = alone_make(a, &shape, 0, 0, 0);
    a->plans[slot] = plan;
    return NN_OK;
}

static void run_plan(const nn_plan *plan, const nn_array *const *operands,
                     uint32_t n_operands, const void *attributes)
{
    plan->slot.row->run(plan->slot.self, plan->result.plan, operands,
                        n_operands, attributes ? attributes : plan->attributes,
                        plan->workspace.ndim ? &plan->workspace : NULL, NULL);
}

/* ------------------------------------------------------------------ passes */

/* Hands over frames FIRST to FIRST + FRAMES - 1 of what has a time axis. */
static void view_all(alone_buffers *all, int64_t first, int64_t frames)
{
    uint32_t i;

    for (i = 0; i < all->n; ++i) {
        alone_buffer *b = &all->list[i];

        all->arrays[i] = b->array;
        all->deltas[i] = b->delta;
        if (b->declared.shape.dims[0] == NN_T) {
            all->arrays[i] = nn_slice(&b->array, first, frames);
            all->deltas[i] = nn_slice(&b->delta, first, frames);
        }
        if (b->delta.mode == NN_DISCARD)
            all->deltas[i].memory = NULL;
    }
}

static nn_array child_output(const nn_layer_context *context, nn_child *child,
                             uint32_t index)
{
    (void)context;
    return child->layers[child->n - 1]->outputs.list[index].array;
}

static nn_array child_output_delta(const nn_layer_context *context,
                                   nn_child *child, uint32_t index)
{
    (void)context;
    return child->layers[child->n - 1]->outputs.list[index].delta;
}

static void fill_context(alone *a, const nn_array *inputs,
                         const nn_array *input_deltas, int64_t first,
                         int64_t frames);

static void child_forward(const nn_layer_context *context, nn_child *child,
                          const nn_array *inputs, uint32_t n_inputs,
                          int64_t first)
{
    int64_t frames = child->frames ? child->frames : context->T;
    uint32_t i;

    (void)n_inputs;
    for (i = 0; i < child->n; ++i) {
        alone *layer = child->layers[i];
        nn_array dx = nn_slice(&layer->input_deltas[0], first, frames);
        nn_array between;

        layer->context.flags = context->flags;
        fill_context(layer, inputs, &dx, first, frames);
        if (layer->interface->prepare)
            assert_int_equal(layer->interface->prepare(&layer->context), 0);
        layer->interface->forward(&layer->context);
        between = nn_slice(&layer->outputs.list[0].array, first, frames);
        layer->inputs[ALONE_MAX - 1] = between;
        inputs = &layer->inputs[ALONE_MAX - 1];
    }
}

static void child_backward(const nn_layer_context *context, nn_child *child,
                           const nn_array *inputs, const nn_array *input_deltas,
                           uint32_t n_inputs, int64_t first)
{
    int64_t frames = child->frames ? child->frames : context->T;
    uint32_t i;

    (void)n_inputs;
    for (i = child->n; i-- > 0;) {
        alone *layer = child->layers[i];
        nn_array x = inputs[0];
        nn_array dx = input_deltas[0];

        if (i > 0) {
            alone *before = child->layers[i - 1];

            x = nn_slice(&before->outputs.list[0].array, first, frames);
            dx = nn_slice(&before->outputs.list[0].delta, first, frames);
        }
        layer->context.flags = context->flags;
        fill_context(layer, &x, &dx, first, frames);
        if (layer->interface->prepare)
            assert_int_equal(layer->interface->prepare(&layer->context), 0);
        layer->interface->backward(&layer->context);
    }
}

static void fill_context(alone *a, const nn_array *inputs,
                         const nn_array *input_deltas, int64_t first,
                         int64_t frames)
{
    nn_layer_context *c = &a->context;

    view_all(&a->outputs, first, frames);
    view_all(&a->parameters, first, frames);
    view_all(&a->internals, first, frames);
    view_all(&a->state, first, frames);
    c->size = NN_SIZEOF(nn_layer_context, child_output_delta);
    c->host = &alone_host;
    c->params = a->setup.params;
    c->layer = a->setup.layer;
    c->instance = a->setup.instance;
    c->ops = nn_completed_operations(a->completed);
    c->T = frames;
    c->B = a->B;
    c->random.seed = 7;
    c->random.stream = 11;
    c->inputs = inputs;
    c->input_deltas = input_deltas;
    c->outputs = a->outputs.arrays;
    c->output_deltas = a->outputs.deltas;
    c->parameters = a->parameters.arrays;
    c->gradients = a->parameters.deltas;
    c->internals = a->internals.arrays;
    c->state = a->state.arrays;
    c->parameter_groups = a->groups;
    c->gradient_groups = a->group_gradients;
    c->references = a->references;
    c->reference_deltas = a->reference_deltas;
    c->n_inputs = a->n_inputs;
    c->n_outputs = a->outputs.n;
    c->n_parameters = a->parameters.n;
    c->n_internals = a->internals.n;
    c->n_state = a->state.n;
    c->n_parameter_groups = a->n_groups;
    c->n_references = a->n_references;
    c->n_plans = ALONE_PLANS;
    c->plans = a->plans;
    c->plan = make_plan;
    c->run = run_plan;
    c->child_forward = child_forward;
    c->child_backward = child_backward;
    c->child_output = child_output;
    c->child_output_delta = child_output_delta;
}

/* NaN in everything that the pass is to write, in the children as well. */
static void poison(alone *a)
{
    uint32_t i;
    uint32_t j;

    for (i = 0; i < a->outputs.n; ++i)
        if (a->outputs.list[i].array.mode != NN_DISCARD)
            alone_fill(&a->outputs.list[i].array, NAN);
    for (i = 0; i < a->internals.n; ++i)
        alone_fill(&a->internals.list[i].array, NAN);
    for (i = 0; i < a->n_children; ++i)
        for (j = 0; j < a->children[i]->n; ++j)
            poison(a->children[i]->layers[j]);
}

/* A child computes with its parent's operations. */
static void adopt(alone *a)
{
    uint32_t i;
    uint32_t j;

    for (i = 0; i < a->n_children; ++i)
        for (j = 0; j < a->children[i]->n; ++j) {
            alone *layer = a->children[i]->layers[j];

            if (layer->completed != a->completed)
                nn_completed_destroy(layer->completed);
            layer->completed = a->completed;
            adopt(layer);
        }
}

/* The inputs' deltas as the layer sees them. */
static const nn_array *seen_deltas(alone *a, nn_array *seen)
{
    uint32_t i;

    for (i = 0; i < a->n_inputs; ++i) {
        seen[i] = a->input_deltas[i];
        if (seen[i].mode == NN_DISCARD)
            seen[i].memory = NULL;
    }
    return seen;
}

int32_t alone_forward(alone *a, uint32_t flags)
{
    nn_array seen[ALONE_MAX];

    adopt(a);
    poison(a);
    nn_completed_clear(a->completed);
    a->context.flags = flags;
    fill_context(a, a->inputs, seen_deltas(a, seen), 0, a->T);
    if (a->interface->prepare)
        assert_int_equal(a->interface->prepare(&a->context), 0);
    a->interface->forward(&a->context);
    return nn_completed_error(a->completed, NULL, NULL);
}

static void clear_child_gradients(alone *a)
{
    uint32_t i;
    uint32_t j;
    uint32_t k;

    for (i = 0; i < a->n_children; ++i)
        for (j = 0; j < a->children[i]->n; ++j) {
            alone *layer = a->children[i]->layers[j];

            for (k = 0; k < layer->parameters.n; ++k) {
                layer->parameters.list[k].delta.mode = NN_ADD;
                alone_fill(&layer->parameters.list[k].delta, 0.0);
            }
            clear_child_gradients(layer);
        }
}

int32_t alone_backward(alone *a)
{
    nn_array seen[ALONE_MAX];

    clear_child_gradients(a);
    fill_context(a, a->inputs, seen_deltas(a, seen), 0, a->T);
    if (a->interface->prepare)
        assert_int_equal(a->interface->prepare(&a->context), 0);
    a->interface->backward(&a->context);
    return nn_completed_error(a->completed, NULL, NULL);
}
