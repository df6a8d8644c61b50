/* SPDX-License-Identifier: MIT */
/* model.c - handler and network of a config; saving and loading them. */
#include "core/model/model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <nn/hook.h>

#include "core/model/inner.h"
#include "core/model/sections.h"
#include "core/util/error.h"

/* ---- the handler ------------------------------------------------------- */

/* Values of the config's own handler anew: what they keep of children is one
 * handler's. */
static int32_t copy_handler(nn_config *config, nn_named *named)
{
    const nn_place nowhere = {0};
    nn_node *node = nn_schema_render_params(config->handler_params);
    int32_t code;

    if (!node)
        return nn_error_code();
    named->component = config->handler;
    code = nn_schema_params(&config->catalog, config->handler->params,
                            config->handler->n_params, node, &nowhere,
                            "handler", NULL, config->arena, NULL,
                            &named->params);
    nn_node_destroy(node);
    return code;
}

/* The handler NAME, or with NULL the config's own, its values in the config's
 * arena. */
static int32_t choose_handler(nn_config *config, const char *name,
                              nn_named *named)
{
    nn_node *node = NULL;
    int32_t code;

    if (!name)
        return copy_handler(config, named);
    code = nn_node_read(name, strlen(name), "handler", NULL, &node);
    if (!code)
        code = nn_schema_component(&config->catalog, NN_KIND_HANDLER, node,
                                   "handler", NULL, config->arena, NULL, named);
    nn_node_destroy(node);
    return code;
}

static int32_t name_device(nn_model *model, const char *name)
{
    nn_handler_info info;
    char device[256];

    memset(&info, 0, sizeof info);
    info.size = NN_SIZEOF(nn_handler_info, memory);
    if (model->interface.describe)
        model->interface.describe(model->handler, &info);
    snprintf(device, sizeof device, "%s%s%s", name, info.device ? ": " : "",
             info.device ? info.device : "");
    model->device = strdup(device);
    return model->device ? NN_OK : nn_error_no_memory("a name", sizeof device);
}

static int32_t make_handler(nn_model *model, const char *name)
{
    nn_config *config = model->config;
    nn_handler_request request = {
        NN_SIZEOF(nn_handler_request, deterministic), config->real,
        (uint32_t)nn_param_int(config->values, NN_CONFIG_DETERMINISTIC)};
    nn_named named;
    int32_t code = choose_handler(config, name, &named);

    if (code)
        return code;
    model->interface = nn_handler_functions(named.component);
    model->handler_params = named.params;
    code = nn_handler_make(named.component, named.params, config->host,
                           &request, &model->handler);
    return code ? code : name_device(model, named.component->name);
}

/* Uses DEVICE, which stays the caller's. */
static int32_t use_device(nn_model *model, const nn_device *device)
{
    model->interface = *nn_device_functions(device);
    model->handler = nn_device_handler(device);
    return name_device(model, "device");
}

/* ---- what is scored ---------------------------------------------------- */

static int32_t find_port(const nn_port *const *ports, uint32_t count,
                         const char *name)
{
    uint32_t i;

    for (i = 0; i < count; ++i)
        if (!strcmp(ports[i]->name, name))
            return (int32_t)i;
    return -1;
}

/* The path of what input PORT of LAYER reads; "" for a slice or nothing. */
static void source_path(const nn_graph *graph, const nn_graph_layer *layer,
                        int32_t port, char path[512])
{
    const nn_link *link;

    path[0] = '\0';
    if (port < 0 || (uint32_t)port >= layer->n_inputs)
        return;
    link = &layer->inputs[port];
    if (link->layer < 0 || link->count)
        return;
    snprintf(path, 512, "%s.outputs.%s", graph->layers[link->layer].path,
             graph->layers[link->layer].outputs.items[link->output].name);
}

void nn_config_find_scored(const nn_config *config, nn_scored_place *place)
{
    const nn_graph *graph = config->graph;
    const nn_graph_layer *last = &graph->layers[graph->n_layers - 1];
    int32_t i;

    memset(place, 0, sizeof *place);
    for (i = graph->n_layers - 1; i > 0; --i) {
        const nn_graph_layer *layer = &graph->layers[i];
        const nn_component *component = layer->component;

        if (find_port(component->inputs, component->n_inputs, "targets") < 0 ||
            find_port(component->outputs, component->n_outputs, "predictions") <
                0)
            continue;
        snprintf(place->predictions, sizeof place->predictions,
                 "%s.outputs.predictions", layer->path);
        source_path(graph, layer,
                    find_port(component->inputs, component->n_inputs,
                              "targets"),
                    place->targets);
        source_path(graph, layer,
                    find_port(component->inputs, component->n_inputs, "mask"),
                    place->mask);
        break;
    }
    if (!place->predictions[0] && last->outputs.count)
        snprintf(place->predictions, sizeof place->predictions, "%s.outputs.%s",
                 last->path, last->outputs.items[0].name);
    if (config->output)
        snprintf(place->predictions, sizeof place->predictions, "%s",
                 config->output);
}

/* ---- creation ---------------------------------------------------------- */

/* Appends what HOOK asks to read; with KEEP NULL only counts. */
static uint32_t hook_requests(const nn_component *hook, const char **keep)
{
    const nn_hook_interface *interface = hook->interface;
    uint32_t count = 0;

    if (!NN_HAS(interface, requests) || !interface->requests)
        return 0;
    for (; interface->requests[count]; ++count)
        if (keep)
            keep[count] = interface->requests[count];
    return count;
}

/* All patterns of buffers that must stay: the config's, the caller's, those of
 * hooks, and what is scored. */
static int32_t collect_keep(nn_model *model, const nn_model_options *options)
{
    const nn_config *config = model->config;
    size_t room = (size_t)config->n_keep + options->n_keep + 3;
    int64_t k;
    uint32_t i;

    for (k = 0; k < config->hooks.count; ++k)
        room += hook_requests(config->hooks.items[k].named.component, NULL);
    model->keep = calloc(room, sizeof *model->keep);
    if (!model->keep)
        return nn_error_no_memory("patterns", room * sizeof *model->keep);
    for (i = 0; i < config->n_keep; ++i)
        model->keep[model->n_keep++] = config->keep[i];
    for (i = 0; i < options->n_keep; ++i)
        model->keep[model->n_keep++] = options->keep[i];
    for (k = 0; k < config->hooks.count; ++k)
        model->n_keep += hook_requests(config->hooks.items[k].named.component,
                                       model->keep + model->n_keep);
    model->keep[model->n_keep++] = model->place.predictions;
    model->keep[model->n_keep++] = model->place.targets;
    model->keep[model->n_keep++] = model->place.mask;
    return NN_OK;
}

/* Refuses what the handler could not allocate, before it is touched. */
static int32_t check_memory(nn_model *model)
{
    nn_handler_info info;
    int64_t needed = nn_network_bytes(model->network);
    int64_t fits;

    memset(&info, 0, sizeof info);
    info.size = NN_SIZEOF(nn_handler_info, memory);
    if (model->interface.describe)
        model->interface.describe(model->handler, &info);
    if (info.memory <= 0 || needed <= info.memory)
        return NN_OK;
    fits = nn_layout_largest_batch(model->network->layout, info.memory);
    return nn_error_set(NN_NO_MEMORY, "model.memory",
                        "out of memory: the network needs %lld MiB for "
                        "batches of %lld samples, the handler has %lld MiB; "
                        "%s%lld%s",
                        (long long)(needed >> 20),
                        (long long)model->network->layout->B,
                        (long long)(info.memory >> 20),
                        fits ? "the largest batch that fits has " : "not even ",
                        (long long)(fits ? fits : 1),
                        fits ? " samples" : " sample fits");
}

static int32_t plan_network(nn_model *model, const nn_model_options *options)
{
    nn_config *config = model->config;
    nn_network_options wanted;
    int32_t code = NN_OK;

    memset(&wanted, 0, sizeof wanted);
    wanted.host = config->host;
    wanted.interface = &model->interface;
    wanted.handler = model->handler;
    wanted.training = options->training;
    wanted.deltas = options->deltas;
    wanted.T = options->T;
    wanted.B = options->B;
    wanted.seed = model->seed;
    wanted.keep = model->keep;
    wanted.n_keep = model->n_keep;
    if (options->training && (!wanted.T || !wanted.B)) {
        int64_t T = 0;
        int64_t B = 0;

        code = nn_config_largest_batch(config, &T, &B);
        wanted.T = wanted.T ? wanted.T : T;
        wanted.B = wanted.B ? wanted.B : B;
    }
    wanted.T = wanted.T ? wanted.T : 1;
    wanted.B = wanted.B ? wanted.B : 128;
    return code ? code
                : nn_network_plan(config->graph, &wanted, &model->network);
}

/* OPTIONS (may be NULL) at this library's size. */
static nn_model_options full_options(const nn_model_options *options)
{
    nn_model_options full;

    memset(&full, 0, sizeof full);
    if (options)
        memcpy(&full, options,
               options->size < sizeof full ? options->size : sizeof full);
    full.size = sizeof full;
    return full;
}

int32_t nn_model_plan(nn_config *config, const nn_model_options *options,
                      nn_model **out)
{
    const nn_model_options wanted = full_options(options);
    nn_model *model;
    int32_t code;

    *out = NULL;
    code = nn_config_check_sound(config);
    if (code)
        return code;
    model = calloc(1, sizeof *model);
    if (!model)
        return nn_error_no_memory("a model", sizeof *model);
    model->config = config;
    model->seed = wanted.seed ? wanted.seed : config->seed;
    model->training = wanted.training;
    nn_config_find_scored(config, &model->place);
    code = collect_keep(model, &wanted);
    if (!code)
        code = wanted.device ? use_device(model, wanted.device)
                             : make_handler(model, wanted.handler);
    if (!code)
        code = plan_network(model, &wanted);
    if (code) {
        nn_model_destroy(model);
        return code;
    }
    *out = model;
    return NN_OK;
}

int32_t nn_model_create(nn_config *config, const nn_model_options *options,
                        nn_model **out)
{
    const nn_model_options wanted = full_options(options);
    int32_t code;

    nn_error_clear();
    code = nn_model_plan(config, &wanted, out);
    if (!code)
        code = check_memory(*out);
    if (!code)
        code = nn_network_allocate((*out)->network);
    if (!code && !wanted.uninitialized)
        code = nn_network_initialize((*out)->network, config->initialize, NULL);
    if (code) {
        nn_model_destroy(*out);
        *out = NULL;
    }
    return code;
}

void nn_model_destroy(nn_model *model)
{
    if (!model)
        return;
    nn_network_destroy(model->network);
    if (model->handler && model->handler_params)
        model->interface.destroy(model->handler);
    if (model->handler_params)
        nn_inner_destroy(model->handler_params);
    if (model->owns_config)
        nn_config_destroy(model->config);
    free(model->keep);
    free(model->device);
    free(model);
}

nn_network *nn_model_network(nn_model *model)
{
    return model->network;
}

nn_config *nn_model_config(nn_model *model)
{
    return model->config;
}

const char *nn_model_device(const nn_model *model)
{
    return model->device;
}

int32_t nn_model_check_data(const nn_model *model, const nn_data *data,
                            const char *name)
{
    const nn_layout *layout = model->network->layout;

    if (data->info.max_T <= layout->T && data->info.max_B <= layout->B) {
        int32_t code = nn_config_check_fields(model->config, data);

        return code ? nn_error_prefix(code, "data '%s': ", name) : NN_OK;
    }
    return nn_error_set(NN_SHAPE, "model.batch",
                        "data '%s': batches of %lld time steps and %lld "
                        "samples do not fit a model made for %lld and %lld",
                        name, (long long)data->info.max_T,
                        (long long)data->info.max_B, (long long)layout->T,
                        (long long)layout->B);
}

/* ---- storing ----------------------------------------------------------- */

/* The group of a record in a checkpoint, or NULL if it is not kept there. */
static const char *group_of(const nn_record *record)
{
    if (!record->declared)
        return NULL;
    if (record->sort == NN_SORT_PARAMETER)
        return "parameters";
    return record->sort == NN_SORT_STATE ? "state" : NULL;
}

/* RECORD as a tensor without data; its name in NAME. */
static nn_tensor tensor_of(const nn_network *network, int32_t index,
                           char name[768])
{
    const nn_record *record = &network->layout->records[index];
    nn_array array = nn_network_array(network, index);
    nn_tensor tensor;

    memset(&tensor, 0, sizeof tensor);
    snprintf(name, 768, "%s.%s", record->layer->path, record->declared->name);
    tensor.name = name;
    tensor.group = group_of(record);
    tensor.dtype = array.dtype;
    tensor.ndim = array.ndim;
    memcpy(tensor.shape, array.shape, sizeof tensor.shape);
    tensor.bytes = nn_elements(&array) * nn_dtype_bytes(array.dtype);
    return tensor;
}

/* What a model needs to be made again: no data, no training, no paths. */
static int32_t store_config(const nn_model *model, nn_checkpoint_writer *writer)
{
    char *text = NULL;
    int32_t code = nn_config_render_model(model->config, &text);

    if (!code)
        code = nn_checkpoint_put_text(writer, "config", text);
    free(text);
    return code;
}

int32_t nn_model_store(nn_model *model, nn_checkpoint_writer *writer,
                       nn_arena *arena)
{
    nn_network *network = model->network;
    int32_t code = store_config(model, writer);
    int32_t i;

    for (i = 0; i < network->layout->n_records && !code; ++i) {
        nn_array array;
        nn_tensor tensor;
        char name[768];
        void *data;

        if (!group_of(&network->layout->records[i]))
            continue;
        tensor = tensor_of(network, i, name);
        array = nn_network_array(network, i);
        data = nn_arena_alloc(arena, tensor.bytes, 1);
        if (!data)
            return NN_NO_MEMORY;
        code = nn_network_download(network, &array, data);
        tensor.data = data;
        if (!code)
            code = nn_checkpoint_put_tensor(writer, &tensor);
    }
    return code;
}

/* The stored tensor of a record must have its shape and type. */
static int32_t find_stored(const nn_network *network, int32_t index,
                           const nn_checkpoint *checkpoint, nn_tensor *stored)
{
    char name[768];
    nn_tensor wanted = tensor_of(network, index, name);

    if (!nn_checkpoint_find(checkpoint, wanted.group, name, stored))
        return nn_error_set(NN_FORMAT, "model.missing-tensor",
                            "%s: there is no '%s' of the network's %s",
                            nn_checkpoint_path(checkpoint), name, wanted.group);
    if (stored->dtype == wanted.dtype && stored->ndim == wanted.ndim &&
        !memcmp(stored->shape, wanted.shape, wanted.ndim * sizeof(int64_t)))
        return NN_OK;
    return nn_error_set(NN_FORMAT, "model.other-tensor",
                        "%s: '%s' has another shape or type than the "
                        "network's",
                        nn_checkpoint_path(checkpoint), name);
}

/* Tensors of the model's groups that the network lacks. */
static int32_t check_surplus(const nn_model *model,
                             const nn_checkpoint *checkpoint)
{
    int64_t expected = 0;
    int64_t found = 0;
    nn_tensor tensor;
    int32_t i;
    uint32_t k;

    for (i = 0; i < model->network->layout->n_records; ++i)
        if (group_of(&model->network->layout->records[i]))
            ++expected;
    for (k = 0; nn_checkpoint_tensor(checkpoint, k, &tensor); ++k)
        if (!strcmp(tensor.group, "parameters") ||
            !strcmp(tensor.group, "state"))
            ++found;
    if (found == expected)
        return NN_OK;
    return nn_error_set(NN_FORMAT, "model.other-network",
                        "%s: it holds %lld parameters and states, the network "
                        "has %lld",
                        nn_checkpoint_path(checkpoint), (long long)found,
                        (long long)expected);
}

int32_t nn_model_restore(nn_model *model, const nn_checkpoint *checkpoint)
{
    nn_network *network = model->network;
    int32_t code = NN_OK;
    nn_tensor stored;
    int32_t i;
    int upload;

    for (upload = 0; upload < 2 && !code; ++upload) {
        for (i = 0; i < network->layout->n_records && !code; ++i) {
            nn_array array;

            if (!group_of(&network->layout->records[i]))
                continue;
            code = find_stored(network, i, checkpoint, &stored);
            array = nn_network_array(network, i);
            if (!code && upload)
                code = nn_network_upload(network, &array, stored.data);
        }
        if (!code && !upload)
            code = check_surplus(model, checkpoint);
    }
    return code;
}

int32_t nn_model_save(nn_model *model, const char *path)
{
    nn_checkpoint_writer *writer = NULL;
    nn_arena *arena = NULL;
    int32_t code;

    nn_error_clear();
    code = nn_arena_create(&arena);
    if (!code)
        code = nn_checkpoint_writer_create(&writer);
    if (!code)
        code = nn_model_store(model, writer, arena);
    if (!code)
        code = nn_checkpoint_write(writer, path);
    nn_checkpoint_writer_destroy(writer);
    nn_arena_destroy(arena);
    return code;
}

int32_t nn_model_load(const char *path, const nn_model_options *options,
                      nn_model **out)
{
    nn_config_options config_options;
    nn_checkpoint *checkpoint = NULL;
    nn_config *config = NULL;
    nn_model_options wanted = full_options(options);
    int32_t code;

    *out = NULL;
    nn_error_clear();
    wanted.uninitialized = 1;
    memset(&config_options, 0, sizeof config_options);
    config_options.size = sizeof config_options;
    config_options.plugins = wanted.plugins;
    config_options.n_plugins = wanted.n_plugins;
    code = nn_checkpoint_open(path, &checkpoint);
    if (code)
        return code;
    code = nn_config_parse(nn_checkpoint_config(checkpoint),
                           nn_checkpoint_path(checkpoint), &config_options,
                           &config);
    if (!code)
        code = nn_model_create(config, &wanted, out);
    if (!code) {
        (*out)->owns_config = 1;
        config = NULL;
        code = nn_model_restore(*out, checkpoint);
    }
    if (code) {
        nn_model_destroy(*out);
        *out = NULL;
    }
    nn_config_destroy(config);
    nn_checkpoint_close(checkpoint);
    return code;
}
