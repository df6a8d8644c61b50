/* SPDX-License-Identifier: MIT */
/* binding.c - the contexts of all layers for one T and B.
 *
 * A binding is made without memory: arrays have shapes, pitches and modes, and
 * `prepare` makes its plans from them.  When the blocks exist, attach points
 * every array at its block; for later bindings both happen at once. */
#include "core/network/network.h"

#include <stdlib.h>
#include <string.h>

#include <nn/random.h>

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
        {layout->parameter_groups, layer->n_groups, &context->parameter_groups},
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

/* Input VIEW of a child's parent, which hands it over without gaps. */
static nn_array parents(const nn_layer_binding *own, const nn_view *view)
{
    const nn_graph *graph = own->graph->layout->graph;
    const nn_shape *shape =
        &graph->layers[0].outputs.items[-2 - view->record].shape;
    nn_array array = shaped(shape, own->network->now->T, own->network->now->B,
                            view->mode);

    return view->count ? nn_column_slice(&array, view->first, view->count)
                       : array;
}

static nn_array place(const nn_layer_binding *own, const nn_view *view,
                      const nn_shape *shape, uint32_t missing)
{
    const nn_network *network = own->network;
    int64_t T = network->now->T;
    int64_t B = network->now->B;
    nn_array array;

    if (view->record < -1)
        return parents(own, view);
    if (view->record < 0)
        return shaped(shape, T, B, missing);
    array = nn_layout_view(network->layout, view, T, B);
    array.memory =
        network->blocks[network->layout->records[view->record].block];
    return array;
}

/* The shape that stands for array K of MEMBER if it is not there. */
static const nn_shape *shape_of(const nn_layer_binding *own, const member *one,
                                uint32_t k)
{
    static const nn_shape none = {NN_SIZEOF(nn_shape, dims), 0, 0, 0, {0}};
    const nn_layer_context *c = &own->context;

    if (one->array == &c->inputs || one->array == &c->input_deltas)
        return &own->layer->input_shapes[k];
    if (one->array == &c->outputs || one->array == &c->output_deltas)
        return &own->layer->outputs.items[k].shape;
    if (one->array == &c->gradients)
        return &own->layer->parameters.items[k].shape;
    return &none;
}

/* 1 if the layer must not write array K of MEMBER. */
static int is_read_only(const nn_layer_binding *own, const member *one,
                        uint32_t k)
{
    const nn_layer_context *c = &own->context;
    const nn_port *port;

    if (one->array == &c->output_deltas) {
        port = nn_graph_output_port(own->layer, k);
        return port && !(port->flags & NN_PORT_MAY_CONSUME_DELTA);
    }
    if (one->array == &c->state)
        return !(own->network->now->flags & NN_PASS_TRAIN);
    return one->array == &c->inputs || one->array == &c->parameters ||
           one->array == &c->parameter_groups || one->array == &c->references;
}

/* Arrays of one member of the context at AT; returns what is behind them. */
static nn_array *place_member(nn_layer_binding *own, const member *one,
                              nn_array *at)
{
    nn_layer_context *c = &own->context;
    int backward = (own->network->now->flags & NN_PASS_BACKWARD) != 0;
    uint32_t missing = one->array == &c->inputs ? NN_WRITE : NN_DISCARD;
    uint32_t k;

    *one->array = at;
    for (k = 0; k < one->count; ++k, ++at) {
        *at = place(own, &one->views[k], shape_of(own, one, k), missing);
        if (is_read_only(own, one, k))
            at->flags = NN_READ_ONLY;
        if (one->array == &c->internals && !backward &&
            (own->layer->internals.items[k].flags & NN_BUFFER_BACKWARD_ONLY))
            memset(at, 0, sizeof *at);
    }
    return at;
}

/* Copies of COUNT arrays at *AT, to be added to or only to be read. */
static const nn_array *place_copies(nn_array **at, const nn_array *arrays,
                                    uint32_t count, int add)
{
    nn_array *start = *at;
    uint32_t k;

    for (k = 0; k < count; ++k) {
        **at = add ? nn_adding(&arrays[k]) : arrays[k];
        if (!add)
            (*at)->flags |= NN_READ_ONLY;
        ++*at;
    }
    return start;
}

/* (Re)computes all arrays of a layer, with memory if there is some. */
static void place_arrays(nn_layer_binding *own)
{
    const nn_shape none = {NN_SIZEOF(nn_shape, dims), 0, 0, 0, {0}};
    const nn_graph_layer *layer = own->layer;
    nn_layer_context *c = &own->context;
    member members[MEMBERS];
    nn_array *at = own->arrays;
    uint32_t i;

    list_members(own, members);
    for (i = 0; i < MEMBERS; ++i)
        at = place_member(own, &members[i], at);
    own->outputs = c->outputs;
    own->writes = c->gradients;
    own->group_writes = c->gradient_groups;
    own->outputs_read = place_copies(&at, c->outputs, layer->outputs.count, 0);
    own->adds = place_copies(&at, c->gradients, layer->parameters.count, 1);
    own->group_adds = place_copies(&at, c->gradient_groups, layer->n_groups, 1);
    own->sources = at;
    own->source_deltas = at + layer->n_inputs;
    for (i = 0; i < layer->n_inputs; ++i) {
        own->sources[i] = place(own, &own->layout->sources[i], &none,
                                NN_DISCARD);
        own->source_deltas[i] = place(own, &own->layout->source_deltas[i],
                                      &none, NN_DISCARD);
    }
}

static size_t count_arrays(const nn_graph_layer *layer)
{
    return 4 * (size_t)layer->n_inputs + 3 * (size_t)layer->outputs.count +
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
    if (network->planned) { /* a limit of 0 would be none */
        workspace = network->workspace >= 0
                        ? network->layout->records[network->workspace].bytes
                        : 1;
        reserve = own->reserves[slot / 2].bytes ? own->reserves[slot / 2].bytes
                                                : 1;
    }
    return nn_plan_create(network, id, row, operands, n_operands, attributes,
                          workspace, reserve, &own->plans[slot]);
}

/* What `prepare` sees: gradients, and deltas that a child's parent will hand
 * over, are added to.  A pass may also write or discard them. */
static nn_layer_context *show(nn_layer_binding *own)
{
    nn_layer_context *context = &own->context;
    uint32_t k;

    if (own->graph->frames) {
        nn_child_part(own, 0);
        context = &own->part;
        for (k = 0; k < own->layer->n_inputs; ++k) {
            nn_array *delta = (nn_array *)(uintptr_t)&context->input_deltas[k];

            if (own->layout->input_deltas[k].record < -1)
                *delta = nn_adding(delta);
        }
    }
    context->gradients = own->adds;
    context->gradient_groups = own->group_adds;
    return context;
}

static int32_t prepare(nn_layer_binding *own)
{
    int clear = !nn_error_code();
    int32_t code;

    if (!own->layer->interface.prepare)
        return NN_OK;
    code = own->layer->interface.prepare(show(own));
    own->context.gradients = own->writes;
    own->context.gradient_groups = own->group_writes;
    if (code >= 0) {
        if (clear) /* of a plan that the layer can do without */
            nn_error_clear();
        return NN_OK;
    }
    if (!nn_error_code())
        nn_error_set(code, "layer.prepare",
                     "prepare failed with code %d and "
                     "no message",
                     code);
    return nn_error_prefix(code, "layer '%s': ", own->layer->path);
}

/* ---- building ---------------------------------------------------------- */

static int32_t bind_graph(nn_network *network, const nn_graph_layout *layout,
                          int32_t home, const nn_graph_binding *like,
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
        code = bind_graph(own->network, own->layout->children[i], own->home,
                          like ? like->children[i] : NULL, &own->children[i]);
    return code;
}

static void fill_context(nn_layer_binding *own)
{
    nn_layer_context *c = &own->context;
    const nn_graph_layer *layer = own->layer;
    nn_network *network = own->network;

    c->size = NN_SIZEOF(nn_layer_context, child_output_delta);
    c->flags = network->now->flags;
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
    own->stream = nn_hash_name(layer->path);
}

/* LIKE is the same layer in the first binding, whose reserves are laid out. */
static int32_t bind_layer(nn_graph_binding *graph, int32_t index,
                          const nn_layer_binding *like, nn_layer_binding *own)
{
    nn_network *network = own->network;
    const nn_graph_layer *layer = &graph->layout->graph->layers[index];
    int64_t arrays = (int64_t)count_arrays(layer);
    nn_arena *arena = network->now->arena;
    uint32_t i;
    int32_t code;

    own->layer = layer;
    own->layout = &graph->layout->layers[index];
    own->graph = graph;
    own->arrays = nn_arena_alloc(arena, arrays, sizeof(nn_array));
    own->part_arrays = nn_arena_alloc(arena, graph->frames ? arrays : 0,
                                      sizeof(nn_array));
    own->reserves = like ? like->reserves
                         : nn_arena_alloc(arena, NN_PLAN_SLOTS / 2,
                                          sizeof *own->reserves);
    if (!own->arrays || !own->reserves || !own->part_arrays)
        return NN_NO_MEMORY;
    for (i = 0; i < NN_PLAN_SLOTS / 2 && !like; ++i)
        own->reserves[i].record = -1;
    fill_context(own);
    place_arrays(own);
    code = bind_children(own, like);
    return code || !layer->component ? code : prepare(own);
}

/* HOME is the top layer that a child's graph belongs to. */
static int32_t bind_graph(nn_network *network, const nn_graph_layout *layout,
                          int32_t home, const nn_graph_binding *like,
                          nn_graph_binding **out)
{
    nn_graph_binding *own = nn_arena_alloc(network->now->arena, 1, sizeof *own);
    const nn_graph *graph = layout->graph;
    int64_t T = network->now->T;
    int32_t code = NN_OK;
    int32_t i;

    if (!own)
        return NN_NO_MEMORY;
    own->layout = layout;
    if (layout->child)
        own->frames = layout->frames && layout->frames < T ? layout->frames : T;
    own->layers = nn_arena_alloc(network->now->arena, graph->n_layers,
                                 sizeof *own->layers);
    if (!own->layers)
        return NN_NO_MEMORY;
    *out = own;
    for (i = layout->child ? 1 : 0; i < graph->n_layers && !code; ++i) {
        own->layers[i].network = network;
        own->layers[i].home = layout->child ? home : i;
        code = bind_layer(own, i, like ? &like->layers[i] : NULL,
                          &own->layers[i]);
    }
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
                          uint32_t flags, nn_binding **out)
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
    binding->flags = flags;
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

/* The reserve that reference K of OWN points at; ndim 0 if there is none. */
static nn_array referred_reserve(const nn_layer_binding *own, uint32_t k)
{
    const nn_reference_link *link = &own->layer->references[k];
    const nn_reserve *reserve =
        &own->graph->layers[link->layer].reserves[link->index / 2];

    return bytes_of(own->network, reserve->record, reserve->bytes);
}

static void attach_layer(void *self, nn_layer_binding *own)
{
    nn_network *network = self;
    nn_array *references;
    uint32_t i;

    place_arrays(own);
    for (i = 0; i < NN_PLAN_SLOTS; ++i) {
        nn_plan *plan = own->plans[i];

        if (!plan)
            continue;
        plan->workspace = bytes_of(network, network->workspace,
                                   plan->workspace_bytes);
        plan->reserve = bytes_of(network, own->reserves[i / 2].record,
                                 plan->reserve_bytes);
        own->reserving |= plan->reserve_bytes > 0;
    }
    references = (nn_array *)(uintptr_t)own->context.references;
    for (i = 0; i < own->layer->n_references; ++i)
        if (own->layer->references[i].sort == NN_REFER_RESERVE) {
            references[i] = referred_reserve(own, i);
            references[i].flags = NN_READ_ONLY;
        }
}

void nn_binding_attach(nn_network *network, nn_binding *binding)
{
    network->now = binding;
    nn_binding_visit(binding->top, attach_layer, network);
}

void nn_binding_restore(nn_layer_binding *own)
{
    fill_context(own);
    attach_layer(own->network, own);
    own->shown = 0;
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
