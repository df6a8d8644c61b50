/* SPDX-License-Identifier: MIT */
/* network.c - makes a network: layout, plans, memory.
 *
 * 1. lay the graph out;
 * 2. bind the largest T and B without memory, so that all plans are made and
 *    say what workspace and reserve they want;
 * 3. add these to the layout and give every record its offset;
 * 4. allocate the blocks, and attach them to the binding. */
#include "core/network/network.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/util/error.h"

/* Bindings that are kept beside those made with the network; the oldest is
 * dropped. */
#define BINDINGS_KEPT 30

static const char *const block_names[] = {"activations", "parameters",
                                          "gradients", "state",
                                          "carried frames"};

/* ---- what plans want --------------------------------------------------- */

typedef struct wishes {
    nn_network *network;
    int64_t workspace;
    int32_t code;
} wishes;

static int32_t last_step(const nn_network *network)
{
    int32_t n = network->graph->n_layers;

    return network->layout->training ? 2 * n : n;
}

/* Sizes of reserves and of the workspace, the largest of all bindings. */
static void gather(void *self, nn_layer_binding *own)
{
    wishes *w = self;
    uint32_t i;

    for (i = 0; i < NN_PLAN_SLOTS; ++i) {
        const nn_plan *plan = own->plans[i];

        if (plan && plan->workspace_bytes > w->workspace)
            w->workspace = plan->workspace_bytes;
        if (plan && plan->reserve_bytes > own->reserves[i / 2].bytes)
            own->reserves[i / 2].bytes = plan->reserve_bytes;
    }
}

/* A reserve lives from the forward of its layer to its backward. */
static void add_reserves(void *self, nn_layer_binding *own)
{
    wishes *w = self;
    nn_layout *layout = w->network->layout;
    int32_t last = layout->training
                       ? 2 * w->network->graph->n_layers - own->home
                       : own->home;
    char path[NN_GRAPH_PATH + 64];
    uint32_t i;

    for (i = 0; i < NN_PLAN_SLOTS / 2 && !w->code; ++i) {
        nn_reserve *reserve = &own->reserves[i];

        if (reserve->bytes == 0)
            continue;
        snprintf(path, sizeof path, "%s.reserve.%u", own->layer->path, 2 * i);
        w->code = nn_layout_add(layout, path, NN_SORT_RESERVE, reserve->bytes,
                                own->graph->layout->frames, own->home, last,
                                &reserve->record);
    }
}

/* It also lives until the forward of those that refer to it. */
static void extend_reserves(void *self, nn_layer_binding *own)
{
    const wishes *w = self;
    uint32_t k;

    for (k = 0; k < own->layer->n_references; ++k) {
        const nn_reference_link *link = &own->layer->references[k];
        const nn_reserve *reserve;

        if (link->sort != NN_REFER_RESERVE)
            continue;
        reserve = &own->graph->layers[link->layer].reserves[link->index / 2];
        if (reserve->record >= 0 &&
            w->network->layout->records[reserve->record].last < own->home)
            w->network->layout->records[reserve->record].last = own->home;
    }
}

/* The plans' memory and the scalars of the losses become records. */
static int32_t add_plans(nn_network *network)
{
    wishes w = {network, 0, NN_OK};
    int64_t losses = network->layout->n_losses;
    const nn_binding *one;

    for (one = network->bindings; one; one = one->next)
        nn_binding_visit(one->top, gather, &w);
    nn_binding_visit(network->now->top, add_reserves, &w);
    nn_binding_visit(network->now->top, extend_reserves, &w);
    network->workspace = network->losses = -1;
    network->planned = 1;
    if (!w.code && w.workspace)
        w.code = nn_layout_add(network->layout, "network.workspace",
                               NN_SORT_WORKSPACE, w.workspace, 0, 0,
                               last_step(network), &network->workspace);
    if (!w.code && losses)
        w.code = nn_layout_add(network->layout, "network.losses",
                               NN_SORT_OUTPUT,
                               losses * nn_dtype_bytes(network->real), 0, 0,
                               last_step(network), &network->losses);
    return w.code;
}

/* The bindings for the largest batch.  A network that is trained is evaluated
 * as well, whose plans may want other memory. */
static int32_t make_bindings(nn_network *network, int64_t T, int64_t B,
                             int training)
{
    uint32_t flags = training ? NN_PASS_TRAIN | NN_PASS_BACKWARD : 0;
    nn_binding *evaluating;
    int32_t code = nn_binding_create(network, T, B, flags, &network->bindings);

    if (code || !training)
        return code;
    code = nn_binding_create(network, T, B, 0, &evaluating);
    if (code)
        return code;
    evaluating->next = network->bindings;
    network->bindings = evaluating;
    return NN_OK;
}

/* ---- creation ---------------------------------------------------------- */

static int32_t redzone(nn_network *network, int64_t *bytes)
{
    nn_handler_info info;

    memset(&info, 0, sizeof info);
    info.size = NN_SIZEOF(nn_handler_info, device);
    if (network->interface.describe)
        network->interface.describe(network->handler, &info);
    *bytes = info.redzone_bytes;
    if (*bytes == 0 || *bytes == 64)
        return NN_OK;
    return nn_error_set(NN_INTERNAL, "handler.redzone",
                        "the handler asks for %lld bytes around each buffer; "
                        "it may ask for 0 or 64",
                        (long long)*bytes);
}

int32_t nn_network_plan(const nn_graph *graph,
                        const nn_network_options *options, nn_network **out)
{
    nn_network *network = calloc(1, sizeof *network);
    const nn_handler_interface *theirs = options->interface;
    nn_layout_options laid = {options->training, options->deltas, 0,
                              options->keep, options->n_keep};
    int32_t code;

    *out = NULL;
    if (!network)
        return nn_error_no_memory("a network", sizeof *network);
    network->host = options->host;
    network->graph = graph;
    network->handler = options->handler;
    network->real = graph->real;
    network->seed = options->seed;
    memcpy(
        &network->interface, theirs,
        theirs->size < sizeof network->interface ? theirs->size
                                                 : sizeof network->interface);
    nn_track_find(network);
    code = redzone(network, &laid.redzone);
    if (!code)
        code = nn_layout_create(graph, &laid, &network->layout);
    if (!code)
        code = nn_completed_create(theirs, network->handler, network->real,
                                   &network->completed);
    if (!code)
        code = nn_layout_assign(network->layout, options->T, options->B);
    if (!code)
        code = make_bindings(network, options->T, options->B,
                             options->training);
    if (!code)
        code = add_plans(network);
    if (!code)
        code = nn_layout_assign(network->layout, options->T, options->B);
    if (code)
        nn_network_destroy(network);
    else
        *out = network;
    return code;
}

static int32_t allocate_block(nn_network *network, uint32_t block)
{
    int64_t bytes = network->layout->bytes[block];
    int32_t code;

    if (bytes == 0)
        return NN_OK;
    code = network->interface.allocate(network->handler, bytes,
                                       &network->blocks[block]);
    if (!code) {
        network->allocated += bytes;
        return NN_OK;
    }
    return nn_error_prefix(code, "%s of the network (%lld bytes of %lld): ",
                           block_names[block], (long long)bytes,
                           (long long)nn_network_bytes(network));
}

/* Zeroes a whole block through the handler. */
static void zero_block(nn_network *network, uint32_t block)
{
    const nn_operations *ops = nn_completed_operations(network->completed);
    nn_array bytes;

    if (!network->blocks[block])
        return;
    memset(&bytes, 0, sizeof bytes);
    bytes.memory = network->blocks[block];
    bytes.dtype = NN_UINT8;
    bytes.ndim = 1;
    bytes.shape[0] = bytes.pitch = network->layout->bytes[block];
    nn_fill(ops, &bytes, 0);
}

int32_t nn_network_allocate(nn_network *network)
{
    int32_t code = NN_OK;
    nn_binding *one;
    uint32_t block;

    for (block = 0; block < NN_BLOCKS && !code; ++block)
        code = allocate_block(network, block);
    if (code)
        return code;
    nn_network_track(network, NN_TRACK_CORE, NULL);
    for (block = 0; block < NN_BLOCKS; ++block)
        zero_block(network, block);
    code = nn_track_place(network);
    nn_network_track(network, NN_TRACK_OUTSIDE, NULL);
    if (code)
        return code;
    for (one = network->bindings; one; one = one->next)
        nn_binding_attach(network, one);
    return nn_network_check(network, NULL);
}

int32_t nn_network_create(const nn_graph *graph,
                          const nn_network_options *options, nn_network **out)
{
    int32_t code = nn_network_plan(graph, options, out);

    if (!code)
        code = nn_network_allocate(*out);
    if (code) {
        nn_network_destroy(*out);
        *out = NULL;
    }
    return code;
}

void nn_network_destroy(nn_network *network)
{
    uint32_t block;

    if (!network)
        return;
    while (network->bindings) {
        nn_binding *next = network->bindings->next;

        nn_binding_destroy(network->bindings);
        network->bindings = next;
    }
    for (block = 0; block < NN_BLOCKS; ++block)
        if (network->blocks[block])
            network->interface.release(network->handler,
                                       network->blocks[block]);
    nn_completed_destroy(network->completed);
    nn_layout_destroy(network->layout);
    free(network);
}

int64_t nn_network_bytes(const nn_network *network)
{
    int64_t total = 0;
    uint32_t block;

    for (block = 0; block < NN_BLOCKS; ++block)
        total += network->layout->bytes[block];
    return total;
}

int32_t nn_network_check(nn_network *network, const char *layer)
{
    const char *id = NULL;
    const char *text = NULL;
    int32_t code = nn_completed_error(network->completed, &id, &text);

    if (!code)
        return NN_OK;
    id = id && *id ? id : "handler.error";
    text = text && *text ? text : "the handler failed";
    if (layer)
        nn_error_set(code, id, "at or before layer '%s': %s", layer, text);
    else
        nn_error_set(code, id, "%s", text);
    nn_completed_clear(network->completed);
    return code;
}

/* ---- choosing T and B -------------------------------------------------- */

/* Drops the oldest binding that was not made with the network. */
static void drop_oldest(nn_network *network)
{
    int made = network->layout->training ? 2 : 1;
    nn_binding **at = &network->bindings;
    nn_binding *gone;
    int count = 0;

    for (gone = network->bindings; gone; gone = gone->next)
        ++count;
    if (count <= BINDINGS_KEPT + made)
        return;
    for (; count > made + 1; --count)
        at = &(*at)->next;
    gone = *at;
    *at = gone->next;
    nn_binding_destroy(gone);
}

static nn_binding *find_binding(const nn_network *network, int64_t T, int64_t B,
                                uint32_t flags)
{
    nn_binding *one;

    for (one = network->bindings; one; one = one->next)
        if (one->T == T && one->B == B && one->flags == flags)
            return one;
    return NULL;
}

static int32_t check_size(const nn_network *network, int64_t T, int64_t B,
                          uint32_t flags)
{
    const nn_layout *layout = network->layout;

    if (T < 1 || B < 1 || T > layout->T || B > layout->B)
        return nn_error_set(NN_SHAPE, "network.size",
                            "a batch of %lld time steps and %lld samples does "
                            "not fit a network made for %lld and %lld",
                            (long long)T, (long long)B, (long long)layout->T,
                            (long long)layout->B);
    if (flags & ~(NN_PASS_TRAIN | NN_PASS_BACKWARD))
        return nn_error_set(NN_INVALID_ARGUMENT, "network.flags",
                            "a pass has no flags %u", flags);
    if ((flags & NN_PASS_BACKWARD) && !layout->training)
        return nn_error_set(NN_STATE, "network.inference",
                            "the network was made for inference only");
    return NN_OK;
}

int32_t nn_network_begin(nn_network *network, int64_t T, int64_t B,
                         uint32_t flags)
{
    nn_binding *binding;
    int32_t code;

    nn_error_clear();
    code = check_size(network, T, B, flags);
    if (code)
        return code;
    network->forwarded = network->begun = 0;
    nn_layers_restore(network);
    binding = find_binding(network, T, B, flags);
    if (!binding) {
        code = nn_binding_create(network, T, B, flags, &binding);
        if (code)
            return code;
        nn_binding_attach(network, binding);
        binding->next = network->bindings;
        network->bindings = binding;
        drop_oldest(network);
    }
    network->now = binding;
    network->flags = flags;
    network->begun = 1;
    return nn_network_check(network, NULL);
}
