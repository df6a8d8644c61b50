/* SPDX-License-Identifier: MIT */
/* summary.c - what a network is made of and what memory it takes. */
#include <string.h>

#include <nn/training.h>

#include "core/model/model.h"
#include "core/util/error.h"

static int64_t count_parameters(const nn_graph_layer *layer)
{
    int64_t count = 0;
    uint32_t i;
    int32_t j;

    for (i = 0; i < layer->parameters.count && layer->share < 0; ++i)
        count += nn_shape_product(&layer->parameters.items[i].shape, 0);
    for (i = 0; i < layer->n_children; ++i)
        for (j = 1; j < layer->children[i].graph->n_layers; ++j)
            count += count_parameters(&layer->children[i].graph->layers[j]);
    return count;
}

/* Product of the sizes that are known, T and B left out. */
static int64_t features(const nn_shape *shape)
{
    int64_t product = 1;
    uint32_t i;

    for (i = 0; i < shape->ndim; ++i)
        if (shape->dims[i] > 0)
            product *= shape->dims[i];
    return product;
}

/* A weight (units, ...) is used once for each place of its units' output: the
 * product of its sizes, times the output's features by the units. */
static int64_t multiply_adds(const nn_graph_layer *layer)
{
    int64_t count = 0;
    uint32_t i;

    for (i = 0; i < layer->parameters.count; ++i) {
        const nn_shape *shape = &layer->parameters.items[i].shape;

        if (shape->ndim < 2 || !layer->outputs.count)
            continue;
        count += nn_shape_product(shape, 0) *
                 (features(&layer->outputs.items[0].shape) / shape->dims[0]);
    }
    return layer->n_children ? -1 : count;
}

static void list_inputs(const nn_config *config, const nn_graph_layer *layer,
                        nn_text *text)
{
    uint32_t k;

    for (k = 0; k < layer->n_inputs; ++k) {
        const nn_link *link = &layer->inputs[k];
        const nn_graph_layer *source;

        if (link->layer < 0)
            continue;
        source = &config->graph->layers[link->layer];
        if (text->length)
            nn_text_append(text, ", ");
        nn_text_append(text, link->layer == 0
                                 ? source->outputs.items[link->output].name
                                 : source->name);
        if (link->layer && link->output)
            nn_text_format(text, ".%s",
                           source->outputs.items[link->output].name);
        if (link->count)
            nn_text_format(text, "[%lld:%lld]", (long long)link->first,
                           (long long)(link->first + link->count));
    }
}

static void list_notes(const nn_config *config, const nn_graph_layer *layer,
                       nn_text *text)
{
    uint32_t k;

    if (layer->share >= 0)
        nn_text_format(text, "shares %s",
                       config->graph->layers[layer->share].name);
    for (k = 0; k < layer->n_inputs; ++k)
        if (layer->inputs[k].count && nn_graph_needs_dense(layer, k))
            nn_text_format(text, "%scopies a slice", text->length ? ", " : "");
}

/* TEXT as a string of the config's arena; "" without memory. */
static const char *keep_text(nn_config *config, nn_text *text)
{
    const char *copy = nn_arena_string(config->arena, nn_text_string(text));

    nn_text_finish(text);
    return copy ? copy : "";
}

int32_t nn_config_layer(const nn_config *config, uint32_t index,
                        nn_layer_summary *out)
{
    nn_config *own = (nn_config *)(uintptr_t)config;
    const nn_graph_layer *layer;
    nn_text inputs = {0};
    nn_text notes = {0};
    char shape[160] = "";

    memset(out, 0, sizeof *out);
    if (!config->graph || index >= (uint32_t)config->graph->n_layers)
        return 0;
    layer = &config->graph->layers[index];
    list_inputs(config, layer, &inputs);
    list_notes(config, layer, &notes);
    if (layer->outputs.count)
        nn_graph_shape_text(&layer->outputs.items[0].shape, shape,
                            sizeof shape);
    out->name = layer->name;
    out->type = layer->component->name;
    out->inputs = keep_text(own, &inputs);
    out->notes = keep_text(own, &notes);
    out->shape = nn_arena_string(own->arena, shape);
    out->parameters = count_parameters(layer);
    out->multiply_adds = multiply_adds(layer);
    return 1;
}

static nn_memory_summary add_up(const nn_model *model)
{
    const int64_t *bytes = model->network->layout->bytes;
    nn_memory_summary sum;

    memset(&sum, 0, sizeof sum);
    sum.parameters = bytes[NN_BLOCK_PARAMETERS];
    sum.gradients = bytes[NN_BLOCK_GRADIENTS];
    sum.state = bytes[NN_BLOCK_STATE];
    sum.activations = bytes[NN_BLOCK_ARENA];
    sum.carried = bytes[NN_BLOCK_CARRY];
    if (model->training && model->config->training) {
        const nn_value *stepper =
            model->config->training->values[NN_TRAINING_STEPPER];
        const nn_stepper_interface *interface =
            stepper->child->component->interface;

        sum.stepper = interface->n_vectors * sum.parameters;
    }
    sum.T = model->network->layout->T;
    sum.B = model->network->layout->B;
    sum.total = sum.parameters + sum.gradients + sum.state + sum.activations +
                sum.carried + sum.stepper;
    return sum;
}

int32_t nn_config_memory(nn_config *config, int64_t T, int64_t B,
                         int32_t training, nn_memory_summary *out)
{
    const size_t size = out->size; /* what the caller's version has of it */
    nn_memory_summary sum;
    nn_model_options options;
    nn_model *model = NULL;
    int32_t code;

    nn_error_clear();
    memset(&options, 0, sizeof options);
    options.size = sizeof options;
    options.training = training;
    options.T = T;
    options.B = B;
    if (!T || !B) {
        int64_t largest_T = 0;
        int64_t largest_B = 0;

        code = nn_config_largest_batch(config, &largest_T, &largest_B);
        if (code)
            return code;
        options.T = T ? T : largest_T;
        options.B = B ? B : largest_B;
    }
    code = nn_model_plan(config, &options, &model);
    if (!code) {
        sum = add_up(model);
        sum.size = size;
        memcpy(out, &sum, size < sizeof sum ? size : sizeof sum);
    }
    nn_model_destroy(model);
    return code;
}
