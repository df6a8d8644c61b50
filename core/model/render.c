/* SPDX-License-Identifier: MIT */
/* render.c - the config with every default filled in. */
#include <string.h>

#include "core/model/sections.h"
#include "core/util/error.h"

/* Puts KEY of the tree as it is written, if it is there. */
static int32_t copy_key(const nn_node *from, const char *key, nn_node *to)
{
    const nn_node *node = nn_node_find(from, key);

    return node ? nn_node_put(to, key, nn_node_copy(node)) : NN_OK;
}

/* Puts what BODY has of KEYS into the parameters of RENDERED, which is
 * `{name: {...}}` or `name`. */
static nn_node *with_keys(nn_node *rendered, const char *name,
                          const nn_node *body, const char *const *keys)
{
    nn_node *map = rendered;
    nn_node *inner;
    int32_t code = rendered ? NN_OK : NN_NO_MEMORY;
    size_t i;

    for (i = 0; keys[i] && !code; ++i) {
        if (!nn_node_find(body, keys[i]))
            continue;
        if (map->kind == NN_NODE_SCALAR) {
            nn_node_destroy(map);
            map = nn_node_map();
            code = map ? nn_node_put(map, name, nn_node_map()) : NN_NO_MEMORY;
        }
        inner = nn_node_find(map, name);
        if (!code)
            code = inner ? copy_key(body, keys[i], inner) : NN_INTERNAL;
    }
    if (!code)
        return map;
    nn_node_destroy(map);
    return NULL;
}

/* The layer that is written at PLACE.  The graph is sorted, and the config
 * keeps its own order. */
static const nn_graph_layer *layer_at(const nn_graph *graph,
                                      const nn_place *place)
{
    int32_t k;

    for (k = 1; k < graph->n_layers; ++k)
        if (graph->layers[k].place.line == place->line &&
            graph->layers[k].place.column == place->column)
            return &graph->layers[k];
    nn_error_set(NN_INTERNAL, "config.render", "a layer was not found again");
    return NULL;
}

/* {component: {values, name, keys of the core}}; NULL with a message. */
static nn_node *render_layer(const nn_graph_layer *layer)
{
    static const char *const keys[] = {"from", "share", "initialize", NULL};
    const char *type = layer->component->name;
    nn_node *values = nn_schema_render_params(layer->params);
    nn_node *node = nn_node_map();
    int32_t code = values && node ? NN_OK : NN_NO_MEMORY;

    if (!code)
        code = nn_node_put(values, "name", nn_node_scalar(layer->name));
    if (!code)
        code = nn_node_put(node, type, values);
    else
        nn_node_destroy(values);
    if (!code)
        return with_keys(node, type, layer->body, keys);
    nn_node_destroy(node);
    return NULL;
}

static int32_t render_layers(const nn_config *config, nn_node *root)
{
    const nn_node *written = nn_node_find(config->root, "network");
    nn_node *list = nn_node_list();
    int32_t code = list ? NN_OK : NN_NO_MEMORY;
    int64_t i;

    for (i = 0; i < written->count && !code; ++i) {
        const nn_graph_layer *layer =
            layer_at(config->graph, &written->entries[i].node->place);

        code = nn_node_append(list, layer ? render_layer(layer) : NULL);
    }
    if (!code)
        return nn_node_put(root, "network", list);
    nn_node_destroy(list);
    return code;
}

/* Values of the top level; FULL 0 leaves out what is not the model's. */
static int32_t render_top(const nn_config *config, int full, nn_node *root)
{
    nn_node *values = nn_schema_render_params(config->values);
    int32_t code = values ? NN_OK : NN_NO_MEMORY;
    int64_t i;

    for (i = 0; values && i < values->count && !code; ++i) {
        const char *key = values->entries[i].key;

        if (!full && !strcmp(key, "plugin_path"))
            continue;
        code = nn_node_put(root, key, nn_node_copy(values->entries[i].node));
    }
    nn_node_destroy(values);
    return code;
}

static int32_t render_inputs(const nn_config *config, nn_node *root)
{
    const nn_graph_layer *inputs = &config->graph->layers[0];
    nn_node *values = nn_schema_render_params(inputs->params);
    int32_t code = values && values->count
                       ? nn_node_put(root, "inputs",
                                     nn_node_copy(values->entries[0].node))
                       : NN_NO_MEMORY;

    nn_node_destroy(values);
    return code;
}

static int32_t render_data(const nn_config *config, nn_node *root)
{
    nn_node *map;
    int32_t code = NN_OK;
    int64_t i;

    if (!config->n_data)
        return NN_OK;
    map = nn_node_map();
    code = map ? NN_OK : NN_NO_MEMORY;
    for (i = 0; i < config->n_data && !code; ++i) {
        const nn_named *named = &config->data[i].named;

        code = nn_node_put(map, config->data[i].name,
                           nn_schema_render(named->component->name,
                                            named->params));
    }
    if (!code)
        return nn_node_put(root, "data", map);
    nn_node_destroy(map);
    return code;
}

static int32_t render_extras(const nn_extras *extras, const char *key,
                             nn_node *to)
{
    static const char *const keys[] = {"name",   "timescale", "interval",
                                       "output", "on",        NULL};
    nn_node *list;
    int32_t code = NN_OK;
    int64_t i;

    if (!extras->count)
        return NN_OK;
    list = nn_node_list();
    code = list ? NN_OK : NN_NO_MEMORY;
    for (i = 0; i < extras->count && !code; ++i) {
        const nn_named *named = &extras->items[i].named;
        const char *name = named->component->name;

        code = nn_node_append(list,
                              with_keys(nn_schema_render(name, named->params),
                                        name, named->body, keys));
    }
    if (!code)
        return nn_node_put(to, key, list);
    nn_node_destroy(list);
    return code;
}

static int32_t render_training(const nn_config *config, nn_node *root)
{
    nn_node *map;
    int32_t code;

    if (!config->training)
        return NN_OK;
    map = nn_schema_render_params(config->training);
    code = map ? NN_OK : NN_NO_MEMORY;
    if (!code)
        code = copy_key(config->training_node, "overrides", map);
    if (!code)
        code = render_extras(&config->modifiers, "modifiers", map);
    if (!code)
        code = render_extras(&config->hooks, "hooks", map);
    if (!code)
        return nn_node_put(root, "training", map);
    nn_node_destroy(map);
    return code;
}

/* The scorers that evaluation would use, also those that only hooks name. */
static nn_node *render_scorers(const nn_config *config)
{
    nn_named scorers[NN_MAX_SCORERS];
    uint32_t count = nn_config_scorers(config, scorers);
    nn_node *list = nn_node_list();
    int32_t code = list ? NN_OK : NN_NO_MEMORY;
    uint32_t i;

    for (i = 0; i < count && !code; ++i)
        code = nn_node_append(list, nn_schema_render(scorers[i].component->name,
                                                     scorers[i].params));
    if (!code)
        return list;
    nn_node_destroy(list);
    return NULL;
}

static int32_t render_evaluation(const nn_config *config, nn_node *root)
{
    nn_node *scorers = render_scorers(config);
    nn_node *map;
    int32_t code = scorers ? NN_OK : NN_NO_MEMORY;

    if (code || (!config->output && !scorers->count)) {
        nn_node_destroy(scorers);
        return code;
    }
    map = nn_node_map();
    code = map ? NN_OK : NN_NO_MEMORY;
    if (!code && config->output)
        code = nn_node_put(map, "output", nn_node_scalar(config->output));
    if (!code)
        code = nn_node_put(map, "scorers", scorers);
    else
        nn_node_destroy(scorers);
    if (!code)
        return nn_node_put(root, "evaluation", map);
    nn_node_destroy(map);
    return code;
}

static int32_t render(const nn_config *config, int full, char **text)
{
    nn_node *root;
    nn_text out = {0};
    int32_t code;

    *text = NULL;
    code = nn_config_check_sound(config);
    if (code)
        return code;
    root = nn_node_map();
    code = root ? render_top(config, full, root) : NN_NO_MEMORY;
    if (!code)
        code = render_inputs(config, root);
    if (!code)
        code = render_layers(config, root);
    if (!code)
        code = copy_key(config->root, "initialize", root);
    if (!code && full)
        code = render_data(config, root);
    if (!code && full)
        code = render_training(config, root);
    if (!code)
        code = render_evaluation(config, root);
    if (!code)
        code = nn_node_write(root, &out);
    if (!code)
        *text = nn_text_take(&out);
    nn_text_finish(&out);
    nn_node_destroy(root);
    return code || *text ? code : NN_NO_MEMORY;
}

int32_t nn_config_render(const nn_config *config, char **text)
{
    nn_error_clear();
    return render(config, 1, text);
}

int32_t nn_config_render_model(const nn_config *config, char **text)
{
    return render(config, 0, text);
}
