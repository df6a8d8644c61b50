/* SPDX-License-Identifier: MIT */
/* pass.c - forward and backward over all layers.
 *
 * The core's own work in a pass: dense copies of slices, frames of context,
 * zeroing of what is added to, the derivative of the loss by its parts
 * (1 / rows), and asking the handler after every layer whether it failed.
 *
 * Frames of context are filled before the forward of their layer, those of
 * deltas before its backward. */
#include "core/network/network.h"

#include <math.h>
#include <string.h>

#include "core/util/error.h"

static const nn_operations *ops_of(const nn_network *network)
{
    return nn_completed_operations(network->completed);
}

/* ---- frames of context ------------------------------------------------- */

/* The frames of RECORD from FIRST on, as an array. */
static nn_array frames_of(const nn_network *network, int32_t record,
                          int64_t first, int64_t count)
{
    nn_array all = nn_network_array(network, record);

    return nn_slice(&all, first, count);
}

/* Zeroes row B of COUNT frames. */
static void zero_row(const nn_network *network, const nn_array *frames,
                     int64_t row)
{
    int64_t t;

    for (t = 0; t < frames->shape[0]; ++t) {
        nn_array frame = nn_slice(frames, t, 1);
        nn_array one;
        uint32_t i;

        one = frame;
        for (i = 0; i + 1 < frame.ndim; ++i)
            one.shape[i] = frame.shape[i + 1];
        one.shape[--one.ndim] = 0;
        one = nn_slice(&one, row, 1);
        nn_fill(ops_of(network), &one, 0);
    }
}

/* Fills the frames around RECORD: zero, or carried from the last pass. */
static void fill_context(nn_network *network, int32_t record, int carry,
                         const uint8_t *begins)
{
    const nn_record *one = &network->layout->records[record];
    const nn_operations *ops = ops_of(network);
    nn_array frames;
    int64_t row;

    if (one->context_after) {
        frames = frames_of(network, record, network->now->T,
                           one->context_after);
        nn_fill(ops, &frames, 0);
    }
    if (!one->context_before)
        return;
    frames = frames_of(network, record, -one->context_before,
                       one->context_before);
    if (!carry || !network->carrying || one->carry < 0 ||
        network->carried_B != network->now->B) {
        nn_fill(ops, &frames, 0);
        return;
    }
    {
        nn_array from = nn_network_carried(network, record);

        nn_copy(ops, &from, &frames);
    }
    for (row = 0; begins && row < network->now->B; ++row)
        if (begins[row])
            zero_row(network, &frames, row);
}

/* Keeps the last frames of RECORD for the next pass. */
static void save_context(nn_network *network, int32_t record)
{
    const nn_record *one = &network->layout->records[record];
    nn_array to;
    nn_array from;

    if (one->carry < 0 || !one->context_before)
        return;
    to = nn_network_carried(network, record);
    from = frames_of(network, record, network->now->T - one->context_before,
                     one->context_before);
    nn_copy(ops_of(network), &from, &to);
}

typedef struct context_pass {
    nn_network *network;
    int carry;
    const uint8_t *begins;
    int save; /* 1: after forward */
} context_pass;

static void visit_views(const context_pass *pass, const nn_view *views,
                        const nn_buffers *buffers)
{
    uint32_t i;

    for (i = 0; i < buffers->count; ++i) {
        const nn_buffer *buffer = &buffers->items[i];

        if ((!buffer->context_before && !buffer->context_after) ||
            views[i].record < 0)
            continue;
        if (pass->save)
            save_context(pass->network, views[i].record);
        else
            fill_context(pass->network, views[i].record, pass->carry,
                         pass->begins);
    }
}

/* Of a layer and of its children; DELTAS not 0: those of its backward. */
static void visit_contexts(const context_pass *pass,
                           const nn_layer_binding *own, uint32_t deltas)
{
    const nn_graph_layer *layer = own->layer;
    uint32_t c;
    int32_t i;

    if (deltas) {
        visit_views(pass, own->layout->output_deltas, &layer->outputs);
    } else {
        visit_views(pass, own->layout->outputs, &layer->outputs);
        visit_views(pass, own->layout->internals, &layer->internals);
    }
    for (c = 0; c < layer->n_children; ++c)
        for (i = 1; i < layer->children[c].graph->n_layers; ++i)
            visit_contexts(pass, &own->children[c]->layers[i], deltas);
}

void nn_layer_frames(const nn_layer_binding *own, uint32_t pass, int carry,
                     const uint8_t *begins)
{
    const context_pass fill = {own->network, carry, begins, 0};

    visit_contexts(&fill, own, pass);
}

void nn_layer_save_frames(const nn_layer_binding *own)
{
    const context_pass save = {own->network, 0, NULL, 1};

    visit_contexts(&save, own, NN_PASS_FORWARD_OF);
}

/* ---- one layer --------------------------------------------------------- */

void nn_layer_begin(nn_layer_binding *own)
{
    nn_network *network = own->network;

    own->context.outputs = own->outputs;
    own->context.random.seed = network->seed;
    own->context.random.stream = own->stream;
    own->context.random.offset = network->update;
    own->drawn = own->context.random;
    network->drawing = network->update;
}

void nn_layer_turn(nn_layer_binding *own, uint32_t flags)
{
    int add = (flags & NN_ACCUMULATE) != 0;

    own->context.outputs = own->outputs_read;
    own->context.gradients = add ? own->adds : own->writes;
    own->context.gradient_groups = add ? own->group_adds : own->group_writes;
    own->context.random = own->drawn;
}

void nn_layer_forward(const nn_layer_binding *own,
                      const nn_layer_context *context, const nn_array *sources)
{
    uint32_t k;

    for (k = 0; k < own->layer->n_inputs; ++k) {
        nn_array copy = context->inputs[k];

        copy.flags = 0;
        if (!sources[k].ndim)
            continue;
        nn_network_track(own->network, NN_TRACK_CORE, NULL);
        nn_copy(context->ops, &sources[k], &copy);
    }
    nn_network_track(own->network, NN_TRACK_FORWARD, own->layer->path);
    own->layer->interface.forward(context);
    nn_network_track(own->network, NN_TRACK_CORE, NULL);
}

void nn_layer_backward(const nn_layer_binding *own,
                       const nn_layer_context *context,
                       const nn_array *source_deltas)
{
    uint32_t k;

    nn_network_track(own->network, NN_TRACK_BACKWARD, own->layer->path);
    own->layer->interface.backward(context);
    nn_network_track(own->network, NN_TRACK_CORE, NULL);
    for (k = 0; k < own->layer->n_inputs; ++k)
        if (source_deltas[k].ndim && nn_wanted(&context->input_deltas[k]))
            nn_copy(context->ops, &context->input_deltas[k], &source_deltas[k]);
}

/* ---- the loss ---------------------------------------------------------- */

/* Element INDEX of the losses' sums. */
static nn_array loss_slot(const nn_network *network, uint32_t index)
{
    nn_array array;

    memset(&array, 0, sizeof array);
    array.memory = network->blocks[NN_BLOCK_ARENA];
    array.offset = network->layout->records[network->losses].offset +
                   index * nn_dtype_bytes(network->real);
    array.dtype = network->real;
    array.ndim = 1;
    array.shape[0] = array.pitch = 1;
    return array;
}

static nn_array *output_of(const nn_network *network, int32_t layer,
                           uint32_t output)
{
    return (nn_array *)(uintptr_t)&network->now->top->layers[layer]
        .context.outputs[output];
}

static void sum_losses(nn_network *network)
{
    uint32_t k;

    for (k = 0; k < network->layout->n_losses; ++k) {
        const nn_loss_place *loss = &network->layout->losses[k];
        nn_array sum = loss_slot(network, k);

        nn_sum_t(ops_of(network), output_of(network, loss->layer, loss->output),
                 NN_AXIS_ALL, &sum);
    }
}

static int32_t read_real(nn_network *network, const nn_array *array,
                         double *value)
{
    float single = 0;
    int32_t code;

    if (network->real == NN_FLOAT64)
        return nn_network_download(network, array, value);
    code = nn_network_download(network, array, &single);
    *value = single;
    return code;
}

uint32_t nn_network_losses(const nn_network *network)
{
    return network->layout->n_losses;
}

int32_t nn_network_loss(nn_network *network, double *loss, double *values,
                        double *weights)
{
    int32_t code = NN_OK;
    double total = 0;
    uint32_t k;

    nn_error_clear();
    if (!network->forwarded)
        return nn_error_set(NN_STATE, "network.no-pass",
                            "there is no loss before a forward pass");
    for (k = 0; k < network->layout->n_losses && !code; ++k) {
        const nn_loss_place *place = &network->layout->losses[k];
        nn_array sum = loss_slot(network, k);
        double rows = (double)nn_rows(
            output_of(network, place->layer, place->output));
        double value = NAN;
        double weight = rows;

        code = read_real(network, &sum, &value);
        if (!code && weights && place->weight >= 0)
            code = read_real(network,
                             output_of(network, place->layer,
                                       (uint32_t)place->weight),
                             &weight);
        total += value / rows;
        if (values)
            values[k] = value / rows;
        if (weights)
            weights[k] = weight;
    }
    if (loss)
        *loss = total;
    return code;
}

/* ---- the whole network ------------------------------------------------- */

static int32_t forward_layers(nn_network *network, int carry,
                              const uint8_t *begins)
{
    int32_t code = NN_OK;
    int32_t i;

    for (i = 1; i < network->graph->n_layers && !code; ++i) {
        nn_layer_binding *own = &network->now->top->layers[i];

        nn_track_begin(network, i);
        nn_layer_frames(own, NN_PASS_FORWARD_OF, carry, begins);
        nn_layer_begin(own);
        nn_layer_forward(own, &own->context, own->sources);
        nn_layer_save_frames(own);
        nn_track_end(network, i);
        code = nn_network_check(network, own->layer->path);
    }
    return code;
}

int32_t nn_network_forward(nn_network *network, int carry,
                           const uint8_t *begins)
{
    int32_t code;

    nn_error_clear();
    if (!network->begun)
        return nn_error_set(NN_STATE, "network.no-begin",
                            "a forward pass needs nn_network_begin before it");
    network->forwarded = 0;
    network->drawing = network->update;
    nn_layers_restore(network);
    nn_network_track(network, NN_TRACK_CORE, NULL);
    nn_track_begin(network, 0);
    code = forward_layers(network, carry, begins);
    if (!code) {
        sum_losses(network);
        code = nn_network_check(network, NULL);
    }
    if (network->flags & NN_PASS_BACKWARD) /* the caller may set deltas now */
        nn_track_begin(network, network->graph->n_layers);
    nn_network_track(network, NN_TRACK_OUTSIDE, NULL);
    /* After a failure some frames are of this pass and some of the last. */
    network->carrying = !code;
    network->carried_B = network->now->B;
    network->forwarded = !code;
    if (!code && (network->flags & NN_PASS_TRAIN))
        ++network->update; /* the next pass draws anew; a trainer counts */
    return code;
}

/* Zeroes what the layer will only add to; gradients stay when accumulating. */
static void zero_before(const nn_layer_binding *own, uint32_t flags)
{
    const nn_network *network = own->network;
    uint32_t k;

    for (k = 0; k < own->layout->n_zeros; ++k) {
        int32_t record = own->layout->zeros[k];

        if (!(flags & NN_ACCUMULATE) ||
            network->layout->records[record].sort != NN_SORT_GRADIENT)
            nn_network_zero(network, record);
    }
}

/* The derivative of the network's loss by each of its parts' elements, and by
 * other outputs that nothing reads. */
static void seed(nn_network *network)
{
    uint32_t k;

    for (k = 0; k < network->layout->n_unread; ++k)
        nn_network_zero(network, network->layout->unread[k]);

    for (k = 0; k < network->layout->n_losses; ++k) {
        const nn_loss_place *loss = &network->layout->losses[k];
        int32_t record = network->layout->top->layers[loss->layer]
                             .output_deltas[loss->output]
                             .record;
        nn_array delta;

        if (record < 0)
            continue;
        delta = nn_network_array(network, record);
        nn_fill(ops_of(network), &delta, 1.0 / (double)nn_rows(&delta));
    }
}

static void zero_unwritten(nn_network *network)
{
    int32_t i;

    for (i = 0; i < network->layout->n_unwritten; ++i)
        nn_network_zero(network, network->layout->unwritten[i]);
}

static void backward_layer(nn_layer_binding *own, uint32_t flags)
{
    nn_layer_turn(own, flags);
    nn_track_gradients(own);
    zero_before(own, flags);
    nn_layer_frames(own, NN_PASS_BACKWARD_OF, 0, NULL);
    nn_layer_backward(own, &own->context, own->source_deltas);
}

int32_t nn_network_backward(nn_network *network, uint32_t flags)
{
    int32_t code = NN_OK;
    int32_t i;

    nn_error_clear();
    if (network->forwarded != 1 || !(network->flags & NN_PASS_BACKWARD))
        return nn_error_set(NN_STATE, "network.no-forward",
                            "backward needs a forward pass with "
                            "NN_PASS_BACKWARD before it");
    if ((flags & NN_GIVEN_DELTAS) && !network->layout->deltas)
        return nn_error_set(NN_STATE, "network.no-deltas",
                            "the network was made without nn_model_options."
                            "deltas: it takes no deltas from outside");
    nn_layers_restore(network);
    nn_network_track(network, NN_TRACK_CORE, NULL);
    if (!(flags & NN_ACCUMULATE))
        zero_unwritten(network);
    if (!(flags & NN_GIVEN_DELTAS))
        seed(network);
    nn_track_end(network, network->graph->n_layers);
    for (i = network->graph->n_layers - 1; i > 0 && !code; --i) {
        nn_layer_binding *own = &network->now->top->layers[i];
        int32_t step = 2 * network->graph->n_layers - i;

        nn_track_begin(network, step);
        if (own->layout->active) {
            backward_layer(own, flags);
            code = nn_network_check(network, own->layer->path);
        }
        nn_track_end(network, step);
    }
    nn_network_track(network, NN_TRACK_OUTSIDE, NULL);
    network->forwarded = code ? 0 : 2;
    return code;
}
