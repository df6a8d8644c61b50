/* SPDX-License-Identifier: MIT */
/* layout.c - records and views of every layer, and which of them are slices.
 *
 * A record is a buffer; a view is how one layer sees it.  Views of layers that
 * share parameters name the same records.  The records of a child's layers
 * live as long as their owner is at work, from its forward to its backward. */
#include "core/memory/layout.h"

#include <stdio.h>
#include <string.h>

#include "core/util/error.h"

int nn_pattern_matches(const char *pattern, const char *path)
{
    const char *star = NULL;
    const char *resume = NULL;

    while (*path) {
        if (*pattern == '*') {
            star = pattern++;
            resume = path;
        } else if (*pattern == *path) {
            ++pattern;
            ++path;
        } else if (star) {
            pattern = star + 1;
            path = ++resume;
        } else {
            return 0;
        }
    }
    while (*pattern == '*')
        ++pattern;
    return !*pattern;
}

static int is_kept(const nn_layout *layout, const char *path)
{
    uint32_t i;

    for (i = 0; i < layout->n_keep; ++i)
        if (nn_pattern_matches(layout->keep[i], path))
            return 1;
    return 0;
}

static int32_t grow(nn_layout *layout)
{
    int32_t capacity = layout->capacity ? 2 * layout->capacity : 64;
    nn_record *grown = nn_arena_alloc(layout->arena, capacity, sizeof *grown);

    if (!grown)
        return NN_NO_MEMORY;
    if (layout->n_records)
        memcpy(grown, layout->records,
               (size_t)layout->n_records * sizeof *grown);
    layout->records = grown;
    layout->capacity = capacity;
    return NN_OK;
}

int32_t nn_layout_new_record(nn_layout *layout, const char *prefix,
                             const char *sort_name, const char *name,
                             uint32_t sort, uint32_t block, int32_t *record)
{
    nn_record *new_one;
    /* The graph limits paths and names. */
    char path[NN_GRAPH_PATH + NN_GRAPH_NAME + 64];
    int32_t code;

    if (layout->n_records == layout->capacity) {
        code = grow(layout);
        if (code)
            return code;
    }
    snprintf(path, sizeof path, "%s.%s.%s", prefix, sort_name, name);
    *record = layout->n_records++;
    new_one = &layout->records[*record];
    new_one->path = nn_arena_string(layout->arena, path);
    new_one->sort = sort;
    new_one->block = block;
    new_one->alias = -1;
    new_one->carry = -1;
    if (!new_one->path)
        return NN_NO_MEMORY;
    new_one->kept = is_kept(layout, new_one->path);
    return NN_OK;
}

int32_t nn_layout_add(nn_layout *layout, const char *path, uint32_t sort,
                      int64_t bytes, int64_t frames, int32_t first,
                      int32_t last, int32_t *record)
{
    nn_record *added;
    int32_t code;

    if (layout->n_records == layout->capacity) {
        code = grow(layout);
        if (code)
            return code;
    }
    *record = layout->n_records++;
    added = &layout->records[*record];
    added->path = nn_arena_string(layout->arena, path);
    added->sort = sort;
    added->alias = -1;
    added->carry = -1;
    added->fixed_bytes = bytes;
    added->frames = frames;
    added->shape.size = NN_SIZEOF(nn_shape, dims);
    added->shape.dtype = NN_UINT8;
    added->shape.ndim = 1;
    added->shape.dims[0] = bytes;
    added->first = first;
    added->last = last;
    return added->path ? NN_OK : NN_NO_MEMORY;
}

/* One record for each of BUFFERS, with its view.  FRAMES is how many time
 * steps a child runs at a time. */
static int32_t declare_all(nn_layout *layout, const nn_graph_layer *layer,
                           const nn_buffers *buffers, const char *sort_name,
                           uint32_t sort, uint32_t block, int64_t frames,
                           nn_view *views)
{
    uint32_t i;

    for (i = 0; i < buffers->count; ++i) {
        const nn_buffer *buffer = &buffers->items[i];
        nn_record *record;
        int32_t code;

        views[i].mode = NN_WRITE;
        views[i].record = -1;
        if (sort == NN_SORT_INTERNAL && !layout->training &&
            (buffer->flags & NN_BUFFER_BACKWARD_ONLY))
            continue;
        code = nn_layout_new_record(layout, layer->path, sort_name,
                                    buffer->name, sort, block,
                                    &views[i].record);
        if (code)
            return code;
        record = &layout->records[views[i].record];
        record->shape = buffer->shape;
        record->context_before = buffer->context_before;
        record->context_after = buffer->context_after;
        record->tags = buffer->tags;
        record->declared = buffer;
        record->layer = layer;
        if (buffer->shape.dims[0] != NN_T)
            record->frames = frames;
    }
    return NN_OK;
}

/* Bytes of one entry of the first axis of a parameter. */
static int64_t row_bytes(const nn_shape *shape)
{
    return nn_shape_product(shape, 1) * nn_dtype_bytes(shape->dtype);
}

/* The record of group NUMBER, which its members alias. */
static int32_t make_group(nn_layout *layout, const nn_graph_layer *layer,
                          uint32_t number, uint32_t sort, uint32_t block,
                          const nn_view *members, nn_view *view)
{
    const char *name = layer->groups[number];
    const char *sort_name = sort == NN_SORT_PARAMETER ? "parameter_groups"
                                                      : "gradient_groups";
    int64_t rows = 0;
    int32_t code;
    uint32_t i;

    code = nn_layout_new_record(layout, layer->path, sort_name, name, sort,
                                block, &view->record);
    if (code)
        return code;
    for (i = 0; i < layer->parameters.count; ++i) {
        const nn_buffer *buffer = &layer->parameters.items[i];
        nn_record *group = &layout->records[view->record];
        nn_record *member = &layout->records[members[i].record];

        if (!buffer->group || strcmp(buffer->group, name))
            continue;
        if (rows > INT64_MAX / 16 / row_bytes(&buffer->shape))
            return nn_error_set(NN_NO_MEMORY, "layout.too-large",
                                "out of memory: buffer '%s' is too large for "
                                "any memory",
                                group->path);
        member->alias = view->record;
        member->alias_offset = rows * row_bytes(&buffer->shape);
        rows += buffer->shape.dims[0];
        group->shape = buffer->shape;
        group->shape.dims[0] = rows;
    }
    return NN_OK;
}

static int32_t declare_parameters(nn_layout *layout,
                                  const nn_graph_layer *layer,
                                  nn_layer_layout *own)
{
    uint32_t i;
    int32_t code;

    code = declare_all(layout, layer, &layer->parameters, "parameters",
                       NN_SORT_PARAMETER, NN_BLOCK_PARAMETERS, 0,
                       own->parameters);
    if (!code && layout->training)
        code = declare_all(layout, layer, &layer->parameters, "gradients",
                           NN_SORT_GRADIENT, NN_BLOCK_GRADIENTS, 0,
                           own->gradients);
    for (i = 0; i < layer->n_groups && !code; ++i) {
        code = make_group(layout, layer, i, NN_SORT_PARAMETER,
                          NN_BLOCK_PARAMETERS, own->parameters,
                          &own->parameter_groups[i]);
        if (!code && layout->training)
            code = make_group(layout, layer, i, NN_SORT_GRADIENT,
                              NN_BLOCK_GRADIENTS, own->gradients,
                              &own->gradient_groups[i]);
    }
    return code;
}

/* Room for all views, absent. */
static int32_t make_views(nn_layout *layout, const nn_graph_layer *layer,
                          nn_layer_layout *own)
{
    struct {
        nn_view **views;
        uint32_t count;
    } all[] = {{&own->inputs, layer->n_inputs},
               {&own->sources, layer->n_inputs},
               {&own->input_deltas, layer->n_inputs},
               {&own->source_deltas, layer->n_inputs},
               {&own->outputs, layer->outputs.count},
               {&own->output_deltas, layer->outputs.count},
               {&own->internals, layer->internals.count},
               {&own->state, layer->state.count},
               {&own->parameters, layer->parameters.count},
               {&own->gradients, layer->parameters.count},
               {&own->parameter_groups, layer->n_groups},
               {&own->gradient_groups, layer->n_groups},
               {&own->references, layer->n_references},
               {&own->reference_deltas, layer->n_references}};
    size_t i;
    uint32_t k;

    for (i = 0; i < sizeof all / sizeof *all; ++i) {
        *all[i].views = nn_arena_alloc(layout->arena, all[i].count,
                                       sizeof(nn_view));
        if (!*all[i].views)
            return NN_NO_MEMORY;
        for (k = 0; k < all[i].count; ++k)
            (*all[i].views)[k].record = -1;
    }
    return NN_OK;
}

/* Points the parameter views of a sharing layer at its owner's. */
static void share_parameters(const nn_graph_layout *top,
                             const nn_graph_layer *layer, nn_layer_layout *own)
{
    const nn_layer_layout *owner = &top->layers[layer->share];
    size_t bytes = layer->parameters.count * sizeof(nn_view);
    size_t group_bytes = layer->n_groups * sizeof(nn_view);

    if (bytes) {
        memcpy(own->parameters, owner->parameters, bytes);
        memcpy(own->gradients, owner->gradients, bytes);
    }
    if (group_bytes) {
        memcpy(own->parameter_groups, owner->parameter_groups, group_bytes);
        memcpy(own->gradient_groups, owner->gradient_groups, group_bytes);
    }
}

static void link_inputs(const nn_graph_layer *layer,
                        const nn_graph_layout *graph_layout,
                        nn_layer_layout *own)
{
    uint32_t k;

    for (k = 0; k < layer->n_inputs; ++k) {
        const nn_link *link = &layer->inputs[k];

        if (link->layer < 0)
            continue;
        own->inputs[k] =
            graph_layout->layers[link->layer].outputs[link->output];
        own->inputs[k].first = link->first;
        own->inputs[k].count = link->count;
    }
}

static void link_references(const nn_graph_layer *layer,
                            const nn_graph_layout *graph_layout,
                            nn_layer_layout *own)
{
    uint32_t k;

    for (k = 0; k < layer->n_references; ++k) {
        const nn_reference_link *link = &layer->references[k];
        const nn_layer_layout *other = &graph_layout->layers[link->layer];

        if (link->sort == NN_REFER_PARAMETER)
            own->references[k] = other->parameters[link->index];
        else if (link->sort == NN_REFER_OUTPUT)
            own->references[k] = other->outputs[link->index];
        else if (link->sort == NN_REFER_INTERNAL)
            own->references[k] = other->internals[link->index];
        else if (link->sort == NN_REFER_STATE)
            own->references[k] = other->state[link->index];
    }
}

static int32_t lay_out_graph(nn_layout *layout, const nn_graph *graph,
                             int child, int64_t frames, nn_graph_layout **out);

/* FRAMES of a child within those of its parent; 0 is all of them. */
static int64_t frames_within(int64_t frames, int64_t parent)
{
    return frames == 0 || (parent && frames > parent) ? parent : frames;
}

static int32_t lay_out_children(nn_layout *layout, const nn_graph_layer *layer,
                                int64_t frames, nn_layer_layout *own)
{
    int32_t code = NN_OK;
    uint32_t i;

    own->children = nn_arena_alloc(layout->arena, layer->n_children,
                                   sizeof *own->children);
    if (!own->children)
        return NN_NO_MEMORY;
    for (i = 0; i < layer->n_children && !code; ++i)
        code = lay_out_graph(layout, layer->children[i].graph, 1,
                             frames_within(layer->children[i].frames, frames),
                             &own->children[i]);
    return code;
}

static int32_t lay_out_layer(nn_layout *layout, nn_graph_layout *graph_layout,
                             int32_t index)
{
    int64_t frames = graph_layout->frames;
    const nn_graph_layer *layer = &graph_layout->graph->layers[index];
    nn_layer_layout *own = &graph_layout->layers[index];
    int32_t code = make_views(layout, layer, own);
    uint32_t k;

    if (code)
        return code;
    if (graph_layout->child && index == 0) {
        for (k = 0; k < layer->outputs.count; ++k)
            own->outputs[k].record = -2 - (int32_t)k;
        return NN_OK;
    }
    code = declare_all(layout, layer, &layer->outputs, "outputs",
                       NN_SORT_OUTPUT, NN_BLOCK_ARENA, frames, own->outputs);
    if (!code)
        code = declare_all(layout, layer, &layer->internals, "internals",
                           NN_SORT_INTERNAL, NN_BLOCK_ARENA, frames,
                           own->internals);
    if (!code)
        code = declare_all(layout, layer, &layer->state, "state", NN_SORT_STATE,
                           NN_BLOCK_STATE, 0, own->state);
    if (!code && layer->share >= 0)
        share_parameters(graph_layout, layer, own);
    else if (!code)
        code = declare_parameters(layout, layer, own);
    if (code)
        return code;
    link_inputs(layer, graph_layout, own);
    link_references(layer, graph_layout, own);
    return lay_out_children(layout, layer, frames, own);
}

static int32_t lay_out_graph(nn_layout *layout, const nn_graph *graph,
                             int child, int64_t frames, nn_graph_layout **out)
{
    nn_graph_layout *own = nn_arena_alloc(layout->arena, 1, sizeof *own);
    int32_t code = NN_OK;
    int32_t i;

    if (!own)
        return NN_NO_MEMORY;
    own->graph = graph;
    own->child = child;
    own->frames = frames;
    own->layers = nn_arena_alloc(layout->arena, graph->n_layers,
                                 sizeof *own->layers);
    if (!own->layers)
        return NN_NO_MEMORY;
    for (i = 0; i < graph->n_layers && !code; ++i)
        code = lay_out_layer(layout, own, i);
    *out = own;
    return code;
}

/* ---- the whole --------------------------------------------------------- */

int32_t nn_layout_create(const nn_graph *graph,
                         const nn_layout_options *options, nn_layout **out)
{
    nn_layout *layout;
    nn_arena *arena = NULL;
    int32_t code = nn_arena_create(&arena);

    *out = NULL;
    if (code)
        return code;
    layout = nn_arena_alloc(arena, 1, sizeof *layout);
    if (!layout) {
        nn_arena_destroy(arena);
        return NN_NO_MEMORY;
    }
    layout->arena = arena;
    layout->graph = graph;
    layout->training = options->training;
    layout->deltas = options->training && options->deltas;
    layout->redzone = options->redzone;
    layout->real = graph->real;
    layout->keep = options->keep;
    layout->n_keep = options->n_keep;
    code = lay_out_graph(layout, graph, 0, 0, &layout->top);
    if (!code)
        code = nn_layout_share(layout);
    if (!code)
        code = nn_layout_flow(layout, layout->top);
    if (!code)
        code = nn_layout_live(layout);
    if (code) {
        nn_layout_destroy(layout);
        return code;
    }
    *out = layout;
    return NN_OK;
}

void nn_layout_destroy(nn_layout *layout)
{
    if (layout)
        nn_arena_destroy(layout->arena);
}
