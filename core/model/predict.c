/* SPDX-License-Identifier: MIT */
/* predict.c - outputs for arrays of the caller. */
#include <stdlib.h>
#include <string.h>

#include <nn/shape.h>

#include "core/model/model.h"
#include "core/util/error.h"
#include "core/util/suggest.h"

typedef struct predicting {
    nn_model *model;
    const nn_host_array *inputs;
    uint32_t n;
    const char *path;
    int64_t T;
    int64_t samples;
    uint8_t *needed; /* by output of the inputs' layer; 1: `path` needs it */
    char *part;      /* rows of one input, packed for one batch */
    size_t part_room;
} predicting;

static const nn_host_array *find_input(const predicting *p, const char *name)
{
    uint32_t i;

    for (i = 0; i < p->n; ++i)
        if (p->inputs[i].name && !strcmp(p->inputs[i].name, name))
            return &p->inputs[i];
    return NULL;
}

/* ---- what can be left out ---------------------------------------------- */

/* What is wanted of a layer, in bits: a loss and its weight need the targets
 * and the mask, the predictions of the same layer do not. */
#define WANT_LOSS 1u
#define WANT_OTHER 2u

/* What output INDEX of LAYER is. */
static uint8_t want(const nn_graph_layer *layer, uint32_t index)
{
    const nn_port *port = nn_graph_output_port(layer, index);

    return port && (port->flags & (NN_PORT_LOSS | NN_PORT_WEIGHT)) ? WANT_LOSS
                                                                   : WANT_OTHER;
}

/* What the buffer at PATH is; 0 if it is none of LAYER's. */
static uint8_t want_path(const nn_graph_layer *layer, const char *path)
{
    size_t length = strlen(layer->path);
    uint32_t i;

    if (strncmp(path, layer->path, length) || path[length] != '.')
        return 0;
    for (i = 0; i < layer->outputs.count; ++i)
        if (!strncmp(path + length, ".outputs.", 9) &&
            !strcmp(path + length + 9, layer->outputs.items[i].name))
            return want(layer, i);
    return WANT_OTHER;
}

static int is_loss(const nn_graph_layer *layer)
{
    uint32_t i;

    for (i = 0; i < layer->outputs.count; ++i)
        if (want(layer, i) == WANT_LOSS)
            return 1;
    return 0;
}

/* Notes what layer INDEX is computed from: in LAYERS, and in INPUTS what
 * comes from layer 0. */
static void mark_sources(const nn_graph *graph, int32_t index, uint8_t *layers,
                         uint8_t *inputs)
{
    const nn_graph_layer *layer = &graph->layers[index];
    int spares = !(layers[index] & WANT_LOSS) && is_loss(layer);
    uint32_t k;

    for (k = 0; k < layer->n_inputs; ++k) {
        const nn_link *link = &layer->inputs[k];

        if (link->layer < 0 ||
            (spares &&
             (nn_graph_input_port(layer, k)->flags & NN_PORT_NO_DELTA)))
            continue;
        if (link->layer == 0)
            inputs[link->output] = 1;
        else
            layers[link->layer] |= want(&graph->layers[link->layer],
                                        link->output);
    }
    for (k = 0; k < layer->n_references; ++k)
        layers[layer->references[k].layer] |= WANT_OTHER;
}

/* Finds the inputs on which the buffer at `path` depends, from its layer on
 * back through the sorted graph. */
static int32_t find_needed(predicting *p)
{
    const nn_graph *graph = p->model->config->graph;
    size_t count = graph->layers[0].outputs.count;
    uint8_t *layers = calloc((size_t)graph->n_layers, 1);
    int32_t i;

    p->needed = calloc(count + 1, 1);
    if (!layers || !p->needed) {
        free(layers);
        return nn_error_no_memory("predictions", count);
    }
    for (i = graph->n_layers - 1; i > 0; --i) {
        layers[i] |= want_path(&graph->layers[i], p->path);
        if (layers[i])
            mark_sources(graph, i, layers, p->needed);
    }
    free(layers);
    return NN_OK;
}

/* ---- checks ------------------------------------------------------------ */

static int32_t unknown_input(const nn_graph_layer *inputs, const char *name)
{
    nn_suggest suggest;
    char tail[128];
    uint32_t i;

    nn_suggest_start(&suggest, name ? name : "");
    for (i = 0; i < inputs->outputs.count; ++i)
        nn_suggest_offer(&suggest, inputs->outputs.items[i].name);
    return nn_error_set(NN_NOT_FOUND, "predict.input",
                        "the network has no input '%s'%s", name ? name : "",
                        nn_suggest_tail(&suggest, tail));
}

/* Shape, type and number of samples of one array against its input. */
static int32_t check_array(predicting *p, const nn_host_array *array,
                           const nn_buffer *buffer)
{
    const nn_shape *shape = &buffer->shape;
    char text[NN_SHAPE_ROOM];

    if (!array->data)
        return nn_error_set(NN_INVALID_ARGUMENT, "predict.data",
                            "input '%s' has no data", buffer->name);
    if (array->ndim != shape->ndim || array->dtype != shape->dtype ||
        memcmp(array->shape + 2, shape->dims + 2,
               (shape->ndim - 2) * sizeof(int64_t)))
        return nn_error_set(NN_SHAPE, "predict.shape",
                            "input '%s' is %s; the array has %u axes, other "
                            "features or another type: %s",
                            buffer->name, nn_shape_text(shape, text),
                            array->ndim, nn_dtype_name(array->dtype));
    if (p->samples < 0) {
        p->T = array->shape[0];
        p->samples = array->shape[1];
    }
    if (array->shape[0] == p->T && array->shape[1] == p->samples)
        return NN_OK;
    return nn_error_set(NN_SHAPE, "predict.samples",
                        "input '%s' has %lld time steps and %lld samples, "
                        "another one %lld and %lld",
                        buffer->name, (long long)array->shape[0],
                        (long long)array->shape[1], (long long)p->T,
                        (long long)p->samples);
}

static int32_t check_inputs(predicting *p)
{
    const nn_graph *graph = p->model->config->graph;
    const nn_graph_layer *inputs = &graph->layers[0];
    int32_t code = find_needed(p);
    uint32_t i;
    uint32_t k;

    p->samples = -1;
    for (i = 0; i < p->n && !code; ++i) {
        for (k = 0; k < inputs->outputs.count; ++k)
            if (p->inputs[i].name &&
                !strcmp(p->inputs[i].name, inputs->outputs.items[k].name))
                break;
        code = k == inputs->outputs.count
                   ? unknown_input(inputs, p->inputs[i].name)
                   : check_array(p, &p->inputs[i], &inputs->outputs.items[k]);
    }
    for (k = 0; k < inputs->outputs.count && !code; ++k)
        if (!find_input(p, inputs->outputs.items[k].name) && p->needed[k])
            code = nn_error_set(NN_INVALID_ARGUMENT, "predict.missing",
                                "input '%s' is needed for '%s'",
                                inputs->outputs.items[k].name, p->path);
    if (!code && p->samples < 1)
        code = nn_error_set(NN_INVALID_ARGUMENT, "predict.empty",
                            "there are no samples to predict");
    return code;
}

/* Samples FIRST to FIRST + COUNT - 1 of FROM, packed. */
static int32_t pack(predicting *p, const nn_host_array *from, int64_t first,
                    int64_t count)
{
    size_t row = (size_t)nn_dtype_bytes(from->dtype);
    size_t needed;
    int64_t t;
    uint32_t i;

    for (i = 2; i < from->ndim; ++i)
        row *= (size_t)from->shape[i];
    needed = row * (size_t)(p->T * count);
    if (needed > p->part_room) {
        free(p->part);
        p->part = malloc(needed);
        p->part_room = p->part ? needed : 0;
        if (!p->part)
            return nn_error_no_memory("a batch", needed);
    }
    for (t = 0; t < p->T; ++t)
        memcpy(p->part + (size_t)(t * count) * row,
               (const char *)from->data +
                   (size_t)(t * p->samples + first) * row,
               row * (size_t)count);
    return NN_OK;
}

/* Sets all inputs of the pass begun; those left out are zero. */
static int32_t set_inputs(predicting *p, int64_t first, int64_t count)
{
    nn_network *network = p->model->network;
    const nn_graph_layer *inputs = &p->model->config->graph->layers[0];
    int32_t code = NN_OK;
    uint32_t k;

    for (k = 0; k < inputs->outputs.count && !code; ++k) {
        const char *name = inputs->outputs.items[k].name;
        const nn_host_array *from = find_input(p, name);
        nn_array array;

        code = nn_network_input(network, name, &array);
        if (code)
            break;
        if (!from) {
            nn_network_track(network, NN_TRACK_CORE, NULL);
            nn_fill(nn_completed_operations(network->completed), &array, 0);
            nn_network_track(network, NN_TRACK_OUTSIDE, NULL);
            continue;
        }
        code = pack(p, from, first, count);
        if (!code)
            code = nn_network_upload(network, &array, p->part);
    }
    return code;
}

/* Copies the output of COUNT samples from FIRST on into OUT, which is made at
 * the first batch. */
static int32_t collect(predicting *p, int64_t first, int64_t count,
                       nn_host_array *out)
{
    nn_host_array part;
    size_t row;
    int64_t t;
    int32_t code = nn_network_snapshot(p->model->network, p->path, &part);
    uint32_t i;

    if (code)
        return code;
    if (part.ndim < 2 || part.shape[0] != p->T || part.shape[1] != count) {
        nn_free(part.data);
        return nn_error_set(NN_SHAPE, "predict.output",
                            "'%s' has no axes for time steps and samples",
                            p->path);
    }
    row = (size_t)nn_dtype_bytes(part.dtype);
    for (i = 2; i < part.ndim; ++i)
        row *= (size_t)part.shape[i];
    if (!out->data) {
        *out = part;
        out->shape[1] = p->samples;
        out->data = malloc(row * (size_t)(p->T * p->samples));
    }
    for (t = 0; t < p->T && out->data; ++t)
        memcpy((char *)out->data + (size_t)(t * p->samples + first) * row,
               (char *)part.data + (size_t)(t * count) * row,
               row * (size_t)count);
    nn_free(part.data);
    return out->data
               ? NN_OK
               : nn_error_no_memory("predictions", row * (uint64_t)p->samples);
}

int32_t nn_model_predict(nn_model *model, const nn_host_array *inputs,
                         uint32_t n, const char *path, nn_host_array *out)
{
    predicting p = {.model = model,
                    .inputs = inputs,
                    .n = n,
                    .path = path ? path : model->place.predictions,
                    .T = 1};
    int64_t size = model->network->layout->B;
    int64_t first;
    int32_t code;

    nn_error_clear();
    memset(out, 0, sizeof *out);
    code = check_inputs(&p);
    for (first = 0; first < p.samples && !code; first += size) {
        int64_t left = p.samples - first;
        int64_t count = left < size ? left : size;

        code = nn_network_begin(model->network, p.T, count, 0);
        if (!code)
            code = set_inputs(&p, first, count);
        if (!code)
            code = nn_network_forward(model->network, 0, NULL);
        if (!code)
            code = collect(&p, first, count, out);
    }
    free(p.needed);
    free(p.part);
    if (code) {
        free(out->data);
        out->data = NULL;
    }
    return code;
}
