/* SPDX-License-Identifier: MIT */
/* track.c - what a handler that tracks memory is told (nn/track.h).
 *
 * Told of is every record that stands for itself: what lies in another one
 * lives and dies with it.  In the arena a record is born before anything else
 * is done in the first step of its life, and dead after its last one, unless it
 * stays to the end of the pass.  The network's inputs are written from outside
 * and never born; nor are parameters, state and carried frames.  A gradient is
 * born when a layer writes it without adding.  The workspace is born anew
 * before every layer.
 *
 * Without such a handler each of these functions is one test. */
#include "core/network/network.h"

#include <stdio.h>

#include "core/util/error.h"

/* ---- telling ----------------------------------------------------------- */

void nn_track_find(nn_network *network)
{
    const nn_handler_interface *interface = &network->interface;
    const nn_track *theirs = NULL;

    if (interface->get_interface)
        theirs = interface->get_interface(network->handler, NN_TRACK);
    if (!theirs)
        return;
    if (NN_HAS(theirs, buffer))
        network->track.buffer = theirs->buffer;
    if (NN_HAS(theirs, step))
        network->track.step = theirs->step;
}

void nn_network_track_buffer(const nn_network *network, uint32_t what,
                             nn_memory *memory, int64_t offset, int64_t bytes,
                             uint32_t dtype, const char *path)
{
    nn_tracked tracked = {NN_SIZEOF(nn_tracked, path),
                          what,
                          dtype,
                          0,
                          memory,
                          offset,
                          bytes,
                          path};

    if (network->track.buffer)
        network->track.buffer(network->handler, &tracked);
}

static void tell(const nn_network *network, uint32_t what, int32_t index)
{
    const nn_record *one = &network->layout->records[index];

    nn_network_track_buffer(network, what, network->blocks[one->block],
                            one->offset, one->bytes,
                            index == network->losses ? network->real
                                                     : one->shape.dtype,
                            one->path);
}

/* ---- places ------------------------------------------------------------ */

/* The frames of record INDEX that are carried, if there are some. */
static int32_t place_carried(nn_network *network, int32_t index)
{
    nn_layout *layout = network->layout;
    const nn_record *one = &layout->records[index];
    int64_t bytes = nn_layout_carry_bytes(one, layout->B);
    const nn_operations *ops = nn_completed_operations(network->completed);
    char name[NN_GRAPH_PATH + NN_GRAPH_NAME + 80];
    const char *path;
    nn_array frames;

    if (bytes == 0)
        return NN_OK;
    snprintf(name, sizeof name, "%s.carried", one->path);
    path = nn_arena_string(layout->arena, name);
    if (!path)
        return NN_NO_MEMORY;
    nn_network_track_buffer(network, NN_TRACK_PLACED,
                            network->blocks[NN_BLOCK_CARRY], one->carry, bytes,
                            one->shape.dtype, path);
    frames = nn_network_carried(network, index);
    nn_fill(ops, &frames, 0);
    return NN_OK;
}

int32_t nn_track_place(nn_network *network)
{
    const nn_layout *layout = network->layout;
    int32_t code = NN_OK;
    int32_t i;

    for (i = 0; network->track.buffer && i < layout->n_records && !code; ++i) {
        const nn_record *one = &layout->records[i];

        code = place_carried(network, i);
        if (one->alias >= 0 || (one->block == NN_BLOCK_ARENA && one->first < 0))
            continue;
        tell(network, NN_TRACK_PLACED, i);
        if (one->block != NN_BLOCK_ARENA)
            nn_network_zero(network, i);
    }
    return code;
}

/* ---- lives ------------------------------------------------------------- */

/* 1 if record INDEX of the arena stands for itself and is not written from
 * outside. */
static int is_own(const nn_layout *layout, int32_t index)
{
    const nn_record *one = &layout->records[index];

    return one->block == NN_BLOCK_ARENA && one->alias < 0 &&
           one->layer != &layout->graph->layers[0];
}

void nn_track_begin(const nn_network *network, int32_t step)
{
    const nn_layout *layout = network->layout;
    int32_t i;

    for (i = 0; network->track.buffer && i < layout->n_records; ++i)
        if (is_own(layout, i) &&
            (layout->records[i].first == step || i == network->workspace))
            tell(network, NN_TRACK_BORN, i);
}

void nn_track_end(const nn_network *network, int32_t step)
{
    const nn_layout *layout = network->layout;
    int32_t i;

    for (i = 0; network->track.buffer && i < layout->n_records; ++i)
        if (is_own(layout, i) && layout->records[i].last == step)
            tell(network, NN_TRACK_DEAD, i);
}

static int32_t root_of(const nn_layout *layout, int32_t index)
{
    while (layout->records[index].alias >= 0)
        index = layout->records[index].alias;
    return index;
}

void nn_track_gradients(const nn_layer_binding *own)
{
    const nn_network *network = own->network;
    int32_t before = -1;
    uint32_t k;

    for (k = 0; network->track.buffer && k < own->layer->parameters.count;
         ++k) {
        int32_t root;

        if (own->context.gradients[k].mode != NN_WRITE)
            continue;
        root = root_of(network->layout, own->layout->gradients[k].record);
        if (root != before)
            tell(network, NN_TRACK_BORN, root);
        before = root;
    }
}

/* 1 if record INDEX is the delta of something that the layer reads, and the
 * layer adds to it, leaves it alone, or writes elsewhere. */
static int is_left(const nn_layer_binding *own, int32_t index)
{
    const nn_layout *layout = own->network->layout;
    uint32_t k;

    for (k = 0; k < own->layer->n_inputs; ++k) {
        int32_t delta = own->layout->input_deltas[k].record;
        int32_t source = own->layout->source_deltas[k].record;

        if (source >= 0 && root_of(layout, source) == index)
            return own->source_deltas[k].mode != NN_WRITE;
        if (delta >= 0 && root_of(layout, delta) == index &&
            own->context.input_deltas[k].mode != NN_WRITE)
            return 1;
    }
    for (k = 0; k < own->layer->n_references; ++k)
        if (own->layout->reference_deltas[k].record >= 0 &&
            root_of(layout, own->layout->reference_deltas[k].record) == index)
            return 1;
    return 0;
}

void nn_track_alone(const nn_layer_binding *own, uint32_t pass)
{
    const nn_network *network = own->network;
    const nn_layout *layout = network->layout;
    int32_t n = layout->graph->n_layers;
    int32_t step = pass == NN_PASS_FORWARD_OF ? own->home : 2 * n - own->home;
    int32_t i;

    if (!network->track.buffer)
        return;
    for (i = 0; i < layout->n_records; ++i)
        if (is_own(layout, i) &&
            (i == network->workspace ||
             (layout->records[i].first == step &&
              (pass == NN_PASS_FORWARD_OF || !is_left(own, i)))))
            tell(network, NN_TRACK_BORN, i);
    if (pass == NN_PASS_BACKWARD_OF)
        nn_track_gradients(own);
}
