/* SPDX-License-Identifier: MIT */
/* alone.c - one top layer of a network, shown to the caller and run by itself.
 *
 * nn_network_layer hands out the layer's own context.  What the caller replaces
 * in it holds for runs of the same pass, until the caller asks again, the other
 * pass of the layer runs, or the network begins or runs a pass.  Frames of
 * context begin anew in every run, and nothing is carried on from it. */
#include "core/network/network.h"

#include "core/util/error.h"
#include "core/util/suggest.h"

/* The layer NAME of the pass begun, for PASS. */
static int32_t find_layer(nn_network *network, const char *name, uint32_t pass,
                          nn_layer_binding **out)
{
    const nn_graph *graph = network->graph;
    int32_t index = nn_graph_find(graph, name);
    nn_suggest suggest;
    char tail[128];
    int32_t i;

    nn_error_clear();
    if (!network->begun)
        return nn_error_set(NN_STATE, "network.no-begin",
                            "layer '%s' needs nn_network_begin before it",
                            name);
    if (pass > NN_PASS_BACKWARD_OF)
        return nn_error_set(NN_INVALID_ARGUMENT, "network.pass",
                            "a layer has no pass %u; it has "
                            "NN_PASS_FORWARD_OF and NN_PASS_BACKWARD_OF",
                            pass);
    if (index > 0) {
        *out = &network->now->top->layers[index];
        return NN_OK;
    }
    nn_suggest_start(&suggest, name);
    for (i = 1; i < graph->n_layers; ++i)
        nn_suggest_offer(&suggest, graph->layers[i].name);
    return nn_error_set(NN_NOT_FOUND, "network.layer",
                        "the network has no layer '%s' to run%s", name,
                        nn_suggest_tail(&suggest, tail));
}

/* Refuses a backward that the layer or the pass begun does not have. */
static int32_t check_backward(const nn_network *network,
                              const nn_layer_binding *own)
{
    if (!own->layer->interface.backward)
        return nn_error_set(NN_UNSUPPORTED, "network.no-derivative",
                            "layer '%s' has no backward", own->layer->path);
    if (!(network->flags & NN_PASS_BACKWARD))
        return nn_error_set(NN_STATE, "network.no-backward",
                            "the backward of layer '%s' needs a pass with "
                            "NN_PASS_BACKWARD",
                            own->layer->path);
    if (!own->layout->active)
        return nn_error_set(NN_UNSUPPORTED, "network.no-delta",
                            "no delta reaches layer '%s' in this network",
                            own->layer->path);
    return NN_OK;
}

/* The context of OWN as its PASS sees it, whatever was replaced in it. */
static void restore(nn_layer_binding *own, uint32_t pass)
{
    nn_binding_restore(own);
    if (pass == NN_PASS_FORWARD_OF || own->drawn.stream != own->stream)
        nn_layer_begin(own);
    if (pass == NN_PASS_BACKWARD_OF)
        nn_layer_turn(own, 0);
}

void nn_layers_restore(nn_network *network)
{
    int32_t i;

    for (i = 1; network->shown && i < network->graph->n_layers; ++i)
        if (network->now->top->layers[i].shown)
            nn_binding_restore(&network->now->top->layers[i]);
    network->shown = 0;
}

int32_t nn_network_layer(nn_network *network, const char *name, uint32_t pass,
                         nn_layer_context **context)
{
    nn_layer_binding *own;
    int32_t code = find_layer(network, name, pass, &own);

    *context = NULL;
    if (!code && pass == NN_PASS_BACKWARD_OF)
        code = check_backward(network, own);
    if (code)
        return code;
    restore(own, pass);
    own->shown = 1 + (int32_t)pass;
    network->shown = 1;
    *context = &own->context;
    return NN_OK;
}

static void run_forward(nn_layer_binding *own)
{
    nn_track_alone(own, NN_PASS_FORWARD_OF);
    nn_layer_frames(own, NN_PASS_FORWARD_OF, 0, NULL);
    nn_layer_forward(own, &own->context, own->sources);
}

/* 1 if RECORD is the delta of what the layer reads. */
static int is_delta_of_source(const nn_layer_binding *own, int32_t record)
{
    const nn_layer_layout *layout = own->layout;
    uint32_t k;

    for (k = 0; k < own->layer->n_inputs; ++k)
        if (layout->input_deltas[k].record == record ||
            layout->source_deltas[k].record == record)
            return 1;
    for (k = 0; k < own->layer->n_references; ++k)
        if (layout->reference_deltas[k].record == record)
            return 1;
    return 0;
}

/* Zeroes what backward adds to.  With NN_ACCUMULATE the deltas of what it reads
 * stay as well as gradients: here the caller is their first writer. */
static void zero_before(const nn_layer_binding *own, uint32_t flags)
{
    const nn_layer_layout *layout = own->layout;
    uint32_t k;

    for (k = 0; k < layout->n_zeros; ++k) {
        int32_t record = layout->zeros[k];

        if (!(flags & NN_ACCUMULATE) ||
            (own->network->layout->records[record].sort != NN_SORT_GRADIENT &&
             !is_delta_of_source(own, record)))
            nn_network_zero(own->network, record);
    }
}

/* Gradients that the caller did not replace are added to if FLAGS say so. */
static void run_backward(nn_layer_binding *own, uint32_t flags)
{
    nn_layer_context *context = &own->context;
    int add = (flags & NN_ACCUMULATE) != 0;

    if (context->gradients == own->writes || context->gradients == own->adds)
        context->gradients = add ? own->adds : own->writes;
    if (context->gradient_groups == own->group_writes ||
        context->gradient_groups == own->group_adds)
        context->gradient_groups = add ? own->group_adds : own->group_writes;
    nn_track_alone(own, NN_PASS_BACKWARD_OF);
    zero_before(own, flags);
    nn_layer_frames(own, NN_PASS_BACKWARD_OF, 0, NULL);
    nn_layer_backward(own, context, own->source_deltas);
}

int32_t nn_network_run(nn_network *network, const char *name, uint32_t pass,
                       uint32_t flags)
{
    nn_layer_binding *own;
    int32_t code = find_layer(network, name, pass, &own);

    if (!code && pass == NN_PASS_BACKWARD_OF)
        code = check_backward(network, own);
    if (code)
        return code;
    if (own->shown != 1 + (int32_t)pass)
        restore(own, pass);
    nn_network_track(network, NN_TRACK_CORE, NULL);
    if (pass == NN_PASS_FORWARD_OF)
        run_forward(own);
    else
        run_backward(own, flags);
    nn_network_track(network, NN_TRACK_OUTSIDE, NULL);
    return nn_network_check(network, own->layer->path);
}
