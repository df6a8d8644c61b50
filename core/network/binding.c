/* SPDX-License-Identifier: MIT */
/* binding.c - the contexts of all layers for one T and B.
 *
 * A binding is made without memory: arrays have shapes, pitches and modes, and
 * `prepare` makes its plans from them.  When the blocks exist, attach points
 * every array at its block; for later bindings both happen at once. */
#include "core/network/network.h"

#include <stdlib.h>
#include <string.h>

#include "core/util/error.h"

/* ---- arrays of one layer ----------------------------------------------- */

/* Where the arrays of one member of the context come from. */
typedef struct member {
    const nn_view *views;
    uint32_t count;
    const nn_array **array; /* the context's pointer */
} member;

#define MEMBERS 12

static void list_members(nn_layer_binding *own, member list[MEMBERS])
{
    const nn_graph_layer *layer = own->layer;
    const nn_layer_layout *layout = own->layout;
    nn_layer_context *context = &own->context;
    member all[MEMBERS] = {
        {layout->inputs, layer->n_inputs, &context->inputs},
        {layout->outputs, layer->outputs.count, &context->outputs},
        {layout->parameters, layer->parameters.count, &context->parameters},
        {layout->internals, layer->internals.count, &context->internals},
        {layout->state, layer->state.count, &context->state},
        {layout->input_deltas, layer->n_inputs, &context->input_deltas},
        {layout->output_deltas, layer->outputs.count, &context->output_deltas},
        {layout->gradients, layer->parameters.count, &context->gradients},
        {layout->parameter_groups, layer->n_groups,
         &context->parameter_groups},
        {layout->gradient_groups, layer->n_groups, &context->gradient_groups},
        {layout->references, layer->n_references, &context->references},
        {layout->reference_deltas, layer->n_references,
         &context->reference_deltas}};

    memcpy(list, all, sizeof all);
}

/* A shape to stand for an array that is DISCARDed or the parent's. */
static nn_array shaped(const nn_shape *shape, int64_t T, int64_t B,
                       uint32_t mode)
{
    nn_array array;
    uint32_t i;

    memset(&array, 0, sizeof array);
    array.dtype = shape->dtype;
    array.ndim = shape->ndim;
    array.mode = mode;
    for (i = 0; i < shape->ndim; ++i) {
        int64_t dim = shape->dims[i];

        array.shape[i] = dim == NN_T ? T : dim == NN_B ? B : dim;
    }
    if (array.ndim)
        array.pitch = nn_columns(&array);
    return array;
}

static nn_array place(const nn_network *network, const nn_view *view,
                      const nn_shape *shape, uint32_t missing)
{
    int64_t T = network->now->T;
    int64_t B = network->now->B;
    nn_array array;

    if (view->record < 0)
        return shaped(shape, T, B,
                      view->record == -1 ? missing : view->mode);
    array = nn_layout_view(network->layout, view, T, B);
    array.memory =
        network->blocks[network->layout->records[view->record].block];
    return array;
}

/* (Re)computes all arrays of a layer, with memory if there is some. */
static void place_arrays(nn_layer_binding *own)
{
    nn_network *network = own->network;
    const nn_graph_layer *layer = own->layer;
    nn_layer_context *c = &own->context;
    const nn_shape none = {NN_SIZEOF(nn_shape, dims), 0, 0, 0, {0}};
    int backward = network->now->backward;
    member members[MEMBERS];
    nn_array *at = own->arrays;
    uint32_t i;
    uint32_t k;

    list_members(own, members);
    for (i = 0; i < MEMBERS; ++i) {
        *members[i].array = at;
        for (k = 0; k < members[i].count; ++k, ++at) {
            const nn_shape *shape = &none;
            uint32_t missing = NN_DISCARD;

            if (members[i].array == &c->inputs ||
                members[i].array == &c->input_deltas)
                shape = &layer->input_shapes[k];
            else if (members[i].array == &c->outputs ||
                     members[i].array == &c->output_deltas)
                shape = &layer->outputs.items[k].shape;
            else if (members[i].array == &c->gradients)
                shape = &layer->parameters.items[k].shape;
            if (members[i].array == &c->inputs)
                missing = NN_WRITE;
            *at = place(network, &members[i].views[k], shape, missing);
            if (members[i].array == &c->internals && !backward &&
                (layer->internals.items[k].flags & NN_BUFFER_BACKWARD_ONLY))
                memset(at, 0, sizeof *at);
        }
    }
    own->writes = c->gradients;
    own->group_writes = c->gradient_groups;
    own->adds = at;
    for (k = 0; k < layer->parameters.count; ++k)
        *at++ = nn_adding(&own->writes[k]);
    own->group_adds = at;
    for (k = 0; k < layer->n_groups; ++k)
        *at++ = nn_adding(&own->group_writes[k]);
    own->sources = at;
    own->source_deltas = at + layer->n_inputs;
    for (k = 0; k < layer->n_inputs; ++k) {
        own->sources[k] = place(network, &own->layout->sources[k], &none,
                                NN_DISCARD);
        own->source_deltas[k] = place(network,
                                      &own->layout->source_deltas[k], &none,
                                      NN_DISCARD);
    }
}

static size_t count_arrays(const nn_graph_layer *layer)
{
    return 4 * (size_t)layer->n_inputs + 2 * (size_t)layer->outputs.count +
           3 * (size_t)layer->parameters.count + layer->internals.count +
           layer->state.count + 3 * (size_t)layer->n_groups +
           2 * (size_t)layer->n_references + 1;
}

/* ---- plans ------------------------------------------------------------- */

static int32_t make_plan(const nn_layer_context *context, uint32_t slot,
                         const char *id, uint32_t row,
                         const nn_array *const *operands, uint32_t n_operands,
                         const void *attributes)
{
    nn_layer_binding *own = context->core;
    nn_network *network = own->network;
    int64_t workspace = 0;
    int64_t reserve = 0;

    if (slot >= NN_PLAN_SLOTS)
        return nn_error_set(NN_INVALID_ARGUMENT, "plan.slot",
                            "layer '%s' plans in slot %u; there are %u",
                            own->layer->path, slot, NN_PLAN_SLOTS);
    nn_plan_destroy(own->plans[slot]);
    own->plans[slot] = NULL;
    if (network->blocks[NN_BLOCK_ARENA]) {
        workspace = network->workspace >= 0
                        ? network->layout->records[network->workspace].bytes
                        : 1;
        reserve = own->reserves[slot] >= 0
                      ? network->layout->records[own->reserves[slot]].bytes
                      : 1;
    }
    return nn_plan_create(network, id, row, operands, n_operands, attributes,
                          workspace, reserve, &own->plans[slot]);
}

/* FRAMES is how many a child's layer sees at a time, 0: this is no child. */
static int32_t prepare(nn_layer_binding *own, int64_t frames)
{
    nn_layer_context *context = &own->context;
    int32_t code;

    if (!own->layer->interface.prepare)
        return NN_OK;
    if (frames) {
        nn_child_part(own, 0, frames);
        context = &own->part;
    }
    code = own->layer->interface.prepare(context);
    if (code >= 0)
        return NN_OK;
    if (!nn_error_code())
        nn_error_set(code, "layer.prepare", "prepare failed with code %d and "
                                            "no message",
                     code);
    return nn_error_prefix(code, "layer '%s': ", own->layer->path);
}

/* ---- building ---------------------------------------------------------- */

static int32_t bind_graph(nn_network *network, const nn_graph_layout *layout,
                          int64_t frames, const nn_graph_binding *like,
                          nn_graph_binding **out);

static int32_t bind_children(nn_layer_binding *own,
                             const nn_layer_binding *like)
{
    const nn_graph_layer *layer = own->layer;
    int32_t code = NN_OK;
    uint32_t i;

    own->children = nn_arena_alloc(own->network->now->arena, layer->n_children,
                                   sizeof *own->children);
    if (!own->children)
        return NN_NO_MEMORY;
    for (i = 0; i < layer->n_children && !code; ++i)
        code = bind_graph(own->network, own->layout->children[i],
                          layer->children[i].frames ? layer->children[i].frames
                                                    : own->network->now->T,
                          like ? like->children[i] : NULL, &own->children[i]);
    return code;
}

static void fill_context(nn_layer_binding *own, int backward)
{
    nn_layer_context *c = &own->context;
    const nn_graph_layer *layer = own->layer;
    nn_network *network = own->network;

    c->size = NN_SIZEOF(nn_layer_context, child_output_delta);
    c->flags = backward ? NN_PASS_BACKWARD | NN_PASS_TRAIN : 0;
    c->host = network->host;
    c->params = layer->params;
    c->layer = layer->path;
    c->instance = layer->instance;
    c->ops = nn_completed_operations(network->completed);
    c->T = network->now->T;
    c->B = network->now->B;
    c->n_inputs = layer->n_inputs;
    c->n_outputs = layer->outputs.count;
    c->n_parameters = layer->parameters.count;
    c->n_internals = layer->internals.count;
    c->n_state = layer->state.count;
    c->n_parameter_groups = layer->n_groups;
    c->n_references = layer->n_references;
    c->core = own;
    c->plans = own->plans;
    c->n_plans = NN_PLAN_SLOTS;
    c->plan = make_plan;
    c->run = nn_plan_run;
    c->child_forward = nn_child_forward;
    c->child_backward = nn_child_backward;
    c->child_output = nn_child_output;
    c->child_output_delta = nn_child_output_delta;
}

/* LIKE is the same layer in the first binding, whose reserves are laid out. */
static int32_t bind_layer(nn_network *network, const nn_graph_layer *layer,
                          const nn_layer_layout *layout, int64_t frames,
                          const nn_layer_binding *like, nn_layer_binding *own)
{
    uint32_t i;
    int32_t code;

    own->network = network;
    own->layer = layer;
    own->layout = layout;
    own->arrays = nn_arena_alloc(network->now->arena,
                                 (int64_t)count_arrays(layer),
                                 sizeof(nn_array));
    own->reserves = like ? like->reserves
                         : nn_arena_alloc(network->now->arena, NN_PLAN_SLOTS,
                                          sizeof(int32_t));
    own->part_arrays = nn_arena_alloc(network->now->arena,
                                      frames ? (int64_t)count_arrays(layer)
                                             : 0,
                                      sizeof(nn_array));
    if (!own->arrays || !own->reserves || !own->part_arrays)
        return NN_NO_MEMORY;
    for (i = 0; i < NN_PLAN_SLOTS && !like; ++i)
        own->reserves[i] = -1;
    fill_context(own, network->now->backward);
    place_arrays(own);
    code = bind_children(own, like);
    if (!code && layer->component)
        code = prepare(own, frames);
    return code;
}

/* FRAMES as in prepare. */
static int32_t bind_graph(nn_network *network, const nn_graph_layout *layout,
                          int64_t frames, const nn_graph_binding *like,
                          nn_graph_binding **out)
{
    nn_graph_binding *own = nn_arena_alloc(network->now->arena, 1, sizeof *own);
    const nn_graph *graph = layout->graph;
    int32_t code = NN_OK;
    int32_t i;

    if (!own)
        return NN_NO_MEMORY;
    own->layout = layout;
    own->frames = frames;
    own->layers = nn_arena_alloc(network->now->arena, graph->n_layers,
                                 sizeof *own->layers);
    if (!own->layers)
        return NN_NO_MEMORY;
    *out = own;
    for (i = frames ? 1 : 0; i < graph->n_layers && !code; ++i)
        code = bind_layer(network, &graph->layers[i], &layout->layers[i],
                          frames, like ? &like->layers[i] : NULL, &own->layers[i]);
    return code;
}

/* The binding made first, whose plans were laid out. */
static const nn_binding *first_binding(const nn_network *network)
{
    const nn_binding *one = network->bindings;

    while (one && one->next)
        one = one->next;
    return one;
}

int32_t nn_binding_create(nn_network *network, int64_t T, int64_t B,
                          int backward, nn_binding **out)
{
    const nn_binding *first = first_binding(network);
    nn_binding *before = network->now;
    nn_binding *binding;
    nn_arena *arena = NULL;
    int32_t code = nn_arena_create(&arena);

    *out = NULL;
    if (code)
        return code;
    binding = nn_arena_alloc(arena, 1, sizeof *binding);
    if (!binding) {
        nn_arena_destroy(arena);
        return NN_NO_MEMORY;
    }
    binding->arena = arena;
    binding->T = T;
    binding->B = B;
    binding->backward = backward;
    network->now = binding;
    code = bind_graph(network, network->layout->top, 0,
                      first ? first->top : NULL, &binding->top);
    if (code) {
        network->now = before;
        nn_binding_destroy(binding);
        return code;
    }
    *out = binding;
    return NN_OK;
}

void nn_binding_visit(const nn_graph_binding *graph,
                      void (*visit)(void *self, nn_layer_binding *layer),
                      void *self)
{
    int32_t i;
    uint32_t c;

    for (i = 0; graph && i < graph->layout->graph->n_layers; ++i) {
        nn_layer_binding *own = &graph->layers[i];

        if (!own->network)
            continue;
        visit(self, own);
        for (c = 0; own->children && c < own->layer->n_children; ++c)
            nn_binding_visit(own->children[c], visit, self);
    }
}

/* ---- memory ------------------------------------------------------------ */

static nn_array bytes_of(const nn_network *network, int32_t record,
                         int64_t bytes)
{
    nn_array array;

    memset(&array, 0, sizeof array);
    if (record < 0 || bytes == 0)
        return array;
    array = nn_layout_array(network->layout, record, 1, 1);
    array.memory = network->blocks[NN_BLOCK_ARENA];
    array.shape[0] = array.pitch = bytes;
    return array;
}

/* The reserve that a reference of LAYER points at. */
static void attach_reserve_references(nn_layer_binding *own)
{
    nn_network *network = own->network;
    nn_array *references = (nn_array *)(uintptr_t)own->context.references;
    uint32_t k;

    for (k = 0; k < own->layer->n_references; ++k) {
        const nn_reference_link *link = &own->layer->references[k];
        const nn_layer_binding *other;

        if (link->sort != NN_REFER_RESERVE)
            continue;
        other = &network->now->top->layers[link->layer];
        if (other->plans[link->index])
            references[k] = other->plans[link->index]->reserve;
    }
}

static void attach_layer(void *self, nn_layer_binding *own)
{
    nn_network *network = self;
    uint32_t i;

    place_arrays(own);
    for (i = 0; i < NN_PLAN_SLOTS; ++i) {
        nn_plan *plan = own->plans[i];

        if (!plan)
            continue;
        plan->workspace = bytes_of(network, network->workspace,
                                   plan->workspace_bytes);
        plan->reserve = bytes_of(network, own->reserves[i],
                                 plan->reserve_bytes);
    }
    attach_reserve_references(own);
}

void nn_binding_attach(nn_network *network, nn_binding *binding)
{
    network->now = binding;
    nn_binding_visit(binding->top, attach_layer, network);
}

static void destroy_layer(void *self, nn_layer_binding *own)
{
    uint32_t i;

    (void)self;
    for (i = 0; i < NN_PLAN_SLOTS; ++i)
        nn_plan_destroy(own->plans[i]);
}

void nn_binding_destroy(nn_binding *binding)
{
    if (!binding)
        return;
    nn_binding_visit(binding->top, destroy_layer, NULL);
    nn_arena_destroy(binding->arena);
}
