/* SPDX-License-Identifier: MIT */
/* setup.c - runs the setup of one layer and keeps what it declares.
 *
 * The layer sees an nn_setup; the core's part behind it knows the graph and
 * the layer.  Everything that a plugin declares is checked here, so that the
 * parts below can rely on it. */
#include "core/graph/graph.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/util/checked.h"
#include "core/util/error.h"

/* What the functions of nn_setup find behind the visible part. */
typedef struct setup_state {
    nn_setup visible; /* first: the plugin holds a pointer to it */
    nn_graph *graph;
    nn_graph_layer *layer;
} setup_state;

static const char *const sort_names[] = {"", "output", "parameter", "internal",
                                         "state"};

static nn_buffers *buffers_of(nn_graph_layer *layer, uint32_t what)
{
    switch (what) {
    case NN_DECLARE_OUTPUT:
        return &layer->outputs;
    case NN_DECLARE_PARAMETER:
        return &layer->parameters;
    case NN_DECLARE_INTERNAL:
        return &layer->internals;
    case NN_DECLARE_STATE:
        return &layer->state;
    default:
        return NULL;
    }
}

int32_t nn_graph_check_shape(const nn_graph *graph, const char *path,
                             const char *what, const char *name, int open,
                             const nn_shape *shape)
{
    uint32_t dtype = shape->dtype == NN_REAL ? graph->real : shape->dtype;
    int64_t elements = 1;
    uint32_t i;

    if (shape->ndim < 1 || shape->ndim > NN_MAX_DIMS)
        return nn_error_set(NN_SHAPE, "layer.rank",
                            "layer '%s': %s '%s' has %u axes, not 1 to %u",
                            path, what, name, shape->ndim, NN_MAX_DIMS);
    if (dtype != graph->real && dtype != NN_INT32 && dtype != NN_UINT8)
        return nn_error_set(NN_UNSUPPORTED, "layer.dtype",
                            "layer '%s': %s '%s' has a type (code %u) that "
                            "no buffer of this network can have",
                            path, what, name, dtype);
    for (i = 0; i < shape->ndim; ++i) {
        int64_t dim = shape->dims[i];

        if (open && ((dim == NN_T && i == 0) || (dim == NN_B && i <= 1)))
            continue;
        if (dim < 1)
            return nn_error_set(NN_SHAPE, "layer.size",
                                "layer '%s': axis %u of %s '%s' has size %lld; "
                                "it must be at least 1",
                                path, i, what, name, (long long)dim);
        if (!nn_checked_mult(elements, dim, &elements) ||
            elements > INT64_MAX / 16)
            return nn_error_set(NN_NO_MEMORY, "layer.too-large",
                                "layer '%s': %s '%s' is too large for any "
                                "memory",
                                path, what, name);
    }
    return NN_OK;
}

/* Frames of context belong to rows in time: (T, B, ...). */
static int32_t check_context(const nn_graph_layer *layer, uint32_t what,
                             const nn_buffer *buffer)
{
    const nn_shape *shape = &buffer->shape;

    if (!buffer->context_before && !buffer->context_after)
        return NN_OK;
    if (buffer->context_before >= 0 && buffer->context_after >= 0 &&
        shape->ndim > 1 && shape->dims[0] == NN_T && shape->dims[1] == NN_B &&
        (what == NN_DECLARE_OUTPUT || what == NN_DECLARE_INTERNAL))
        return NN_OK;
    return nn_error_set(NN_INTERNAL, "layer.context",
                        "layer '%s': frames of context stand around an output "
                        "or internal (T, B, ...), which '%s' is not",
                        layer->path, buffer->name);
}

static int32_t check_buffer(const setup_state *state, uint32_t what,
                            const nn_buffer *buffer)
{
    const nn_graph *graph = state->graph;
    nn_graph_layer *layer = state->layer;
    const nn_buffers *all = buffers_of(layer, what);
    int open = what != NN_DECLARE_PARAMETER && what != NN_DECLARE_STATE;
    uint32_t dtype = buffer->shape.dtype;
    int32_t code;
    uint32_t i;

    if (!buffer->name || !*buffer->name ||
        strlen(buffer->name) >= NN_GRAPH_NAME)
        return nn_error_set(NN_INTERNAL, "layer.unnamed",
                            "layer '%s' declares a buffer without a name, or "
                            "with one of more than %d characters",
                            layer->path, NN_GRAPH_NAME - 1);
    for (i = 0; i < all->count; ++i)
        if (!strcmp(all->items[i].name, buffer->name))
            return nn_error_set(NN_INTERNAL, "layer.repeated-buffer",
                                "layer '%s' declares %s '%s' twice",
                                layer->path, sort_names[what], buffer->name);
    code = nn_graph_check_shape(graph, layer->path, sort_names[what],
                                buffer->name, open, &buffer->shape);
    if (!code && what == NN_DECLARE_PARAMETER && dtype != NN_REAL &&
        dtype != graph->real)
        code = nn_error_set(NN_INTERNAL, "layer.dtype",
                            "layer '%s': parameter '%s' is not real",
                            layer->path, buffer->name);
    return code ? code : check_context(layer, what, buffer);
}

/* The group's number, in the order of first mention. */
static int32_t note_group(setup_state *state, const nn_buffer *buffer)
{
    nn_graph_layer *layer = state->layer;
    const char **grown;
    uint32_t i;

    for (i = 0; i < layer->n_groups; ++i)
        if (!strcmp(layer->groups[i], buffer->group))
            return NN_OK;
    grown = nn_arena_alloc(state->graph->arena, layer->n_groups + 1,
                           sizeof *grown);
    if (!grown)
        return NN_NO_MEMORY;
    if (layer->n_groups)
        memcpy(grown, layer->groups, layer->n_groups * sizeof *grown);
    grown[layer->n_groups] = nn_arena_string(state->graph->arena,
                                             buffer->group);
    if (!grown[layer->n_groups])
        return NN_NO_MEMORY;
    layer->groups = grown;
    ++layer->n_groups;
    return NN_OK;
}

/* Members of a group must agree in all axes but the first. */
static int32_t check_group(const nn_graph_layer *layer, const nn_buffer *buffer)
{
    uint32_t i;

    for (i = 0; i < layer->parameters.count; ++i) {
        const nn_buffer *other = &layer->parameters.items[i];
        size_t bytes = (buffer->shape.ndim - 1) * sizeof(int64_t);

        if (!other->group || strcmp(other->group, buffer->group))
            continue;
        if (other->shape.ndim != buffer->shape.ndim ||
            memcmp(other->shape.dims + 1, buffer->shape.dims + 1, bytes))
            return nn_error_set(NN_SHAPE, "layer.group",
                                "layer '%s': '%s' and '%s' of group '%s' "
                                "differ behind their first axis",
                                layer->path, other->name, buffer->name,
                                buffer->group);
    }
    return NN_OK;
}

/* SHAPE with a concrete type and zeros where nothing stands, so that equal
 * shapes are equal to the byte. */
static nn_shape plain_shape(const nn_graph *graph, const nn_shape *shape)
{
    nn_shape plain;

    memset(&plain, 0, sizeof plain);
    plain.size = NN_SIZEOF(nn_shape, dims);
    plain.dtype = shape->dtype == NN_REAL ? graph->real : shape->dtype;
    plain.ndim = shape->ndim;
    memcpy(plain.dims, shape->dims, shape->ndim * sizeof *shape->dims);
    return plain;
}

static int32_t append_buffer(nn_graph *graph, nn_buffers *buffers,
                             const nn_buffer *buffer)
{
    nn_buffer *copy;

    if (buffers->count == buffers->capacity) {
        uint32_t capacity = buffers->capacity ? 2 * buffers->capacity : 4;
        nn_buffer *grown = nn_arena_alloc(graph->arena, capacity,
                                          sizeof *grown);

        if (!grown)
            return NN_NO_MEMORY;
        if (buffers->count)
            memcpy(grown, buffers->items, buffers->count * sizeof *grown);
        buffers->items = grown;
        buffers->capacity = capacity;
    }
    copy = &buffers->items[buffers->count];
    *copy = *buffer;
    copy->name = nn_arena_string(graph->arena, buffer->name);
    if (buffer->group)
        copy->group = nn_arena_string(graph->arena, buffer->group);
    if (buffer->initializer)
        copy->initializer = nn_arena_string(graph->arena, buffer->initializer);
    if (!copy->name || (buffer->group && !copy->group) ||
        (buffer->initializer && !copy->initializer))
        return NN_NO_MEMORY;
    copy->shape = plain_shape(graph, &buffer->shape);
    return (int32_t)buffers->count++;
}

static int32_t declare(nn_setup *setup, uint32_t what, const nn_buffer *theirs)
{
    setup_state *state = (setup_state *)setup;
    nn_buffers *buffers = buffers_of(state->layer, what);
    nn_buffer buffer;
    int32_t code;

    if (!buffers)
        return nn_error_set(NN_INTERNAL, "layer.declare",
                            "layer '%s' declares something of unknown sort %u",
                            state->layer->path, what);
    memset(&buffer, 0, sizeof buffer);
    memcpy(&buffer, theirs,
           theirs->size < sizeof buffer ? theirs->size : sizeof buffer);
    code = check_buffer(state, what, &buffer);
    if (!code && what == NN_DECLARE_PARAMETER && buffer.group) {
        code = check_group(state->layer, &buffer);
        if (!code)
            code = note_group(state, &buffer);
    }
    return code ? code : append_buffer(state->graph, buffers, &buffer);
}

static int32_t set_up_child(nn_setup *setup, nn_child *child,
                            const nn_shape *inputs, uint32_t n_inputs,
                            int64_t frames)
{
    setup_state *state = (setup_state *)setup;
    nn_graph_layer *layer = state->layer;
    nn_graph_child *grown;
    nn_graph *graph = NULL;
    int32_t code;

    if (!child || frames < 0)
        return nn_error_set(NN_INVALID_ARGUMENT, "layer.child",
                            "layer '%s' sets up no child, or one to be run "
                            "%lld time steps at a time",
                            layer->path, (long long)frames);
    code = nn_graph_create_child(state->graph, layer, child, inputs, n_inputs,
                                 &graph);
    if (code)
        return code;
    grown = nn_arena_alloc(state->graph->arena, layer->n_children + 1,
                           sizeof *grown);
    if (!grown)
        return NN_NO_MEMORY;
    if (layer->n_children)
        memcpy(grown, layer->children, layer->n_children * sizeof *grown);
    grown[layer->n_children].child = child;
    grown[layer->n_children].graph = graph;
    grown[layer->n_children].frames = frames;
    layer->children = grown;
    ++layer->n_children;
    return NN_OK;
}

static int32_t child_output(nn_setup *setup, nn_child *child, uint32_t index,
                            nn_shape *shape)
{
    setup_state *state = (setup_state *)setup;
    uint32_t i;

    for (i = 0; i < state->layer->n_children; ++i) {
        const nn_graph_child *known = &state->layer->children[i];
        const nn_graph_layer *last;

        if (known->child != child)
            continue;
        last = &known->graph->layers[known->graph->n_layers - 1];
        if (index >= last->outputs.count)
            break;
        *shape = last->outputs.items[index].shape;
        return NN_OK;
    }
    return nn_error_set(NN_NOT_FOUND, "layer.child-output",
                        "layer '%s' asks for output %u of a child that has "
                        "none such",
                        state->layer->path, index);
}

/* Splits "layer.sort.name" at its last two points. */
static int split_path(const char *path, char parts[3][128])
{
    const char *last = strrchr(path, '.');
    const char *middle = last;

    if (!last)
        return 0;
    while (middle > path && middle[-1] != '.')
        --middle;
    if (middle == path || last[1] == '\0')
        return 0;
    return snprintf(parts[0], 128, "%.*s", (int)(middle - 1 - path), path) <
               128 &&
           snprintf(parts[1], 128, "%.*s", (int)(last - middle), middle) <
               128 &&
           snprintf(parts[2], 128, "%s", last + 1) < 128;
}

static int32_t find_buffer(const nn_buffers *buffers, const char *name)
{
    uint32_t i;

    for (i = 0; i < buffers->count; ++i)
        if (!strcmp(buffers->items[i].name, name))
            return (int32_t)i;
    return -1;
}

/* Fills SORT, INDEX and SHAPE of a reference to LAYER.  Returns 0 if LAYER has
 * nothing of that name. */
static int resolve_reference(const nn_graph_layer *layer, char parts[3][128],
                             nn_reference_link *link, nn_shape *shape)
{
    static const struct {
        const char *name;
        uint32_t sort;
    } sorts[] = {{"parameters", NN_REFER_PARAMETER},
                 {"outputs", NN_REFER_OUTPUT},
                 {"internals", NN_REFER_INTERNAL},
                 {"state", NN_REFER_STATE}};
    const nn_buffers *all[] = {&layer->parameters, &layer->outputs,
                               &layer->internals, &layer->state};
    int32_t index;
    size_t i;

    if (!strcmp(parts[1], "reserve")) {
        link->sort = NN_REFER_RESERVE;
        link->index = (uint32_t)strtoul(parts[2], NULL, 10);
        memset(shape, 0, sizeof *shape);
        shape->size = NN_SIZEOF(nn_shape, dims);
        return strspn(parts[2], "0123456789") == strlen(parts[2]) &&
               link->index < 64;
    }
    for (i = 0; i < sizeof sorts / sizeof *sorts; ++i) {
        if (strcmp(parts[1], sorts[i].name))
            continue;
        index = find_buffer(all[i], parts[2]);
        if (index < 0)
            return 0;
        link->sort = sorts[i].sort;
        link->index = (uint32_t)index;
        *shape = all[i]->items[index].shape;
        return 1;
    }
    return 0;
}

static int32_t refer(nn_setup *setup, const char *path, nn_shape *shape)
{
    setup_state *state = (setup_state *)setup;
    nn_graph_layer *layer = state->layer;
    nn_reference_link *grown;
    nn_reference_link link = {0, -1, 0};
    nn_shape found;
    char parts[3][128];

    if (split_path(path, parts))
        link.layer = nn_graph_find(state->graph, parts[0]);
    if (link.layer < 0 || &state->graph->layers[link.layer] >= layer ||
        !resolve_reference(&state->graph->layers[link.layer], parts, &link,
                           &found))
        return nn_error_set(NN_NOT_FOUND, "layer.reference",
                            "layer '%s' refers to '%s', which no layer before "
                            "it has",
                            layer->path, path);
    grown = nn_arena_alloc(state->graph->arena, layer->n_references + 1,
                           sizeof *grown);
    if (!grown)
        return NN_NO_MEMORY;
    if (layer->n_references)
        memcpy(grown, layer->references, layer->n_references * sizeof *grown);
    grown[layer->n_references] = link;
    layer->references = grown;
    if (shape)
        *shape = found;
    return (int32_t)layer->n_references++;
}

/* Losses are real, and what weighs them is one real number. */
static int32_t check_losses(const nn_graph *graph, const nn_graph_layer *layer)
{
    uint32_t i;

    for (i = 0; i < layer->outputs.count; ++i) {
        const nn_port *port = nn_graph_output_port(layer, i);
        const nn_shape *shape = &layer->outputs.items[i].shape;
        int loss = (port->flags & NN_PORT_LOSS) != 0;
        int weight = (port->flags & NN_PORT_WEIGHT) != 0;

        if ((!loss && !weight) ||
            (shape->dtype == graph->real &&
             (!weight || nn_shape_product(shape, 0) == 1)))
            continue;
        return nn_error_set(NN_INTERNAL, "layer.loss",
                            "layer '%s': output '%s' is a loss that is not "
                            "real, or a weight that is not one real number",
                            layer->path, layer->outputs.items[i].name);
    }
    return NN_OK;
}

/* Every output port needs its declaration; a variadic last one any number. */
static int32_t check_outputs(const nn_graph *graph, const nn_graph_layer *layer)
{
    uint32_t ports = layer->component->n_outputs;
    uint32_t count = layer->outputs.count;
    const nn_port *last = ports ? layer->component->outputs[ports - 1] : NULL;
    int variadic = last && (last->flags & NN_PORT_VARIADIC);

    if (count == ports || (variadic && count + 1 >= ports))
        return check_losses(graph, layer);
    return nn_error_set(NN_INTERNAL, "layer.outputs",
                        "layer '%s' declared %u outputs, its description has "
                        "%u",
                        layer->path, count, ports);
}

/* Shapes of a shared layer's parameters must be those of its owner. */
static int32_t check_share(const nn_graph *graph, const nn_graph_layer *layer)
{
    const nn_graph_layer *owner;
    uint32_t i;

    if (layer->share < 0)
        return NN_OK;
    owner = &graph->layers[layer->share];
    if (layer->n_children)
        return nn_error_set(NN_UNSUPPORTED, "layer.share",
                            "layer '%s' owns other layers and can not share "
                            "parameters with '%s'",
                            layer->path, owner->path);
    if (owner->n_groups != layer->n_groups)
        return nn_error_set(NN_SHAPE, "layer.share",
                            "layer '%s' shares with '%s', whose parameters "
                            "form other groups",
                            layer->path, owner->path);
    if (owner->parameters.count != layer->parameters.count)
        return nn_error_set(NN_SHAPE, "layer.share",
                            "layer '%s' shares with '%s', which has %u "
                            "parameters instead of %u",
                            layer->path, owner->path, owner->parameters.count,
                            layer->parameters.count);
    for (i = 0; i < layer->parameters.count; ++i) {
        const nn_buffer *mine = &layer->parameters.items[i];
        const nn_buffer *theirs = &owner->parameters.items[i];
        char a[160];
        char b[160];

        if (!strcmp(mine->name, theirs->name) &&
            !memcmp(&mine->shape, &theirs->shape, sizeof mine->shape))
            continue;
        return nn_error_set(NN_SHAPE, "layer.share",
                            "layer '%s' shares with '%s', but needs %s %s "
                            "where that has %s %s",
                            layer->path, owner->path, mine->name,
                            nn_graph_shape_text(&mine->shape, a, sizeof a),
                            theirs->name,
                            nn_graph_shape_text(&theirs->shape, b, sizeof b));
    }
    return NN_OK;
}

/* The code of the plugin, with a message even if it set none. */
static int32_t run_setup(setup_state *state)
{
    int32_t code = state->layer->interface.setup(&state->visible);

    if (code < 0 && !nn_error_code())
        nn_error_set(code, "layer.setup",
                     "layer '%s': setup failed with code %d and no message",
                     state->layer->path, code);
    return code < 0 ? code : NN_OK;
}

int32_t nn_graph_setup_layer(nn_graph *graph, int32_t index)
{
    nn_graph_layer *layer = &graph->layers[index];
    setup_state state;
    int32_t code;

    memset(&state, 0, sizeof state);
    state.graph = graph;
    state.layer = layer;
    if (layer->interface.instance_bytes) {
        layer->instance = nn_arena_alloc(graph->arena, 1,
                                         layer->interface.instance_bytes);
        if (!layer->instance)
            return NN_NO_MEMORY;
    }
    state.visible.size = NN_SIZEOF(nn_setup, reference);
    state.visible.n_inputs = layer->n_inputs;
    state.visible.host = graph->host;
    state.visible.params = layer->params;
    state.visible.layer = layer->path;
    state.visible.instance = layer->instance;
    state.visible.inputs = layer->input_shapes;
    state.visible.real = graph->real;
    state.visible.declare = declare;
    state.visible.child = set_up_child;
    state.visible.child_output = child_output;
    state.visible.reference = refer;
    code = run_setup(&state);
    if (!code)
        code = check_outputs(graph, layer);
    if (!code)
        code = check_share(graph, layer);
    return code;
}
