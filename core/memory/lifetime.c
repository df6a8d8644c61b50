/* SPDX-License-Identifier: MIT */
/* lifetime.c - during which steps of a pass each record lives.
 *
 * With a backward pass a layer's outputs, internals and inputs live from its
 * forward to its backward, since backward may read all of them; its deltas
 * live from the first backward that writes them to its own. */
#include "core/memory/layout.h"

/* The step at which the backward of layer I of the top graph ends. */
static int32_t backward_step(const nn_layout *layout, int32_t i)
{
    return layout->training ? 2 * layout->graph->n_layers - i : i;
}

static void live(nn_layout *layout, int32_t record, int32_t first, int32_t last)
{
    nn_record *one;

    if (record < 0)
        return;
    one = &layout->records[record];
    if (one->first < 0 || first < one->first)
        one->first = first;
    if (last > one->last)
        one->last = last;
}

static void live_views(nn_layout *layout, const nn_view *views, uint32_t count,
                       int32_t first, int32_t last)
{
    uint32_t i;

    for (i = 0; i < count; ++i)
        live(layout, views[i].record, first, last);
}

/* Records that layer OWN of the step STEP reads, writes, or leaves behind; of
 * a child's layer all live from the owner's forward to its backward. */
static void live_layer(nn_layout *layout, const nn_graph_layer *layer,
                       const nn_layer_layout *own, int32_t step)
{
    int32_t back = backward_step(layout, step);
    uint32_t i;
    int32_t j;

    live_views(layout, own->inputs, layer->n_inputs, step, back);
    live_views(layout, own->sources, layer->n_inputs, step, back);
    live_views(layout, own->outputs, layer->outputs.count, step, back);
    live_views(layout, own->internals, layer->internals.count, step, back);
    live_views(layout, own->references, layer->n_references, step, back);
    if (layout->training) {
        live_views(layout, own->output_deltas, layer->outputs.count, back,
                   back);
        if (own->active) {
            live_views(layout, own->input_deltas, layer->n_inputs, back, back);
            live_views(layout, own->source_deltas, layer->n_inputs, back, back);
            live_views(layout, own->reference_deltas, layer->n_references, back,
                       back);
        }
    }
    for (i = 0; i < layer->n_children; ++i) {
        const nn_graph_layout *child = own->children[i];

        for (j = 0; j < child->graph->n_layers; ++j)
            live_layer(layout, &child->graph->layers[j], &child->layers[j],
                       step);
    }
}

/* A loss has a delta from its seed on; where the caller may set it, it stays to
 * the end of the pass, as do the others that nothing reads. */
static void live_ends(nn_layout *layout)
{
    int32_t n = layout->graph->n_layers;
    int32_t last = layout->deltas ? 2 * n : n;
    uint32_t k;

    for (k = 0; k < layout->n_losses; ++k) {
        const nn_loss_place *loss = &layout->losses[k];
        const nn_layer_layout *own = &layout->top->layers[loss->layer];

        live(layout, own->output_deltas[loss->output].record, n, last);
    }
    for (k = 0; k < layout->n_unread; ++k)
        live(layout, layout->unread[k], n, last);
}

/* Outputs that no input reads, network inputs and what is kept stay to the end
 * of the pass. */
static int pin(nn_layout *layout)
{
    int32_t n = layout->graph->n_layers;
    int32_t end = layout->training ? 2 * n : n;
    uint8_t *read = nn_arena_alloc(layout->arena, layout->n_records, 1);
    int32_t i;
    uint32_t k;

    if (!read)
        return 0;
    for (i = 0; i < n; ++i)
        for (k = 0; k < layout->graph->layers[i].n_inputs; ++k) {
            const nn_layer_layout *own = &layout->top->layers[i];
            int32_t source = own->sources[k].record;

            if (source < 0)
                source = own->inputs[k].record;
            if (source >= 0)
                read[source] = 1;
        }
    for (i = 0; i < n; ++i)
        for (k = 0; k < layout->graph->layers[i].outputs.count; ++k) {
            int32_t record = layout->top->layers[i].outputs[k].record;

            if (i == 0 || (record >= 0 && !read[record]))
                live(layout, record, i == 0 ? 0 : end, end);
        }
    for (i = 0; i < layout->n_records; ++i)
        if (layout->records[i].kept)
            live(layout, i, end, end);
    for (k = 0; k < layout->n_losses; ++k) {
        const nn_loss_place *loss = &layout->losses[k];
        const nn_layer_layout *own = &layout->top->layers[loss->layer];

        if (loss->weight >= 0)
            live(layout, own->outputs[loss->weight].record, end, end);
    }
    if (layout->training)
        live_ends(layout);
    return 1;
}

/* An alias lives in its root: the root lives as long as all of them. */
static void extend_roots(nn_layout *layout)
{
    int32_t i;

    for (i = 0; i < layout->n_records; ++i) {
        int32_t root = i;

        while (layout->records[root].alias >= 0)
            root = layout->records[root].alias;
        if (root != i && layout->records[i].first >= 0)
            live(layout, root, layout->records[i].first,
                 layout->records[i].last);
    }
}

int32_t nn_layout_live(nn_layout *layout)
{
    int32_t i;

    for (i = 0; i < layout->n_records; ++i)
        layout->records[i].first = layout->records[i].last = -1;
    for (i = 0; i < layout->graph->n_layers; ++i)
        live_layer(layout, &layout->graph->layers[i], &layout->top->layers[i],
                   i);
    if (!pin(layout))
        return NN_NO_MEMORY;
    extend_roots(layout);
    return NN_OK;
}
