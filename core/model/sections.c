/* SPDX-License-Identifier: MIT */
/* sections.c - the sections `data`, `training` and `evaluation`. */
#include "core/model/sections.h"

#include <stdio.h>
#include <string.h>

#include <nn/hook.h>

#include "core/util/number.h"
#include "core/util/suggest.h"

/* ---- data -------------------------------------------------------------- */

int32_t nn_config_read_data(nn_config *config)
{
    const nn_node *data = nn_node_find(config->root, "data");
    int32_t code = NN_OK;
    int64_t i;

    if (!data)
        return NN_OK;
    if (data->kind != NN_NODE_MAP)
        return nn_diagnostics_error(&config->diagnostics, NN_INVALID_ARGUMENT,
                                    "config.data", &data->place,
                                    "'data' maps names such as train, "
                                    "validation and test to iterators");
    config->data = nn_arena_alloc(config->arena, data->count,
                                  sizeof *config->data);
    if (!config->data)
        return NN_NO_MEMORY;
    config->n_data = data->count;
    for (i = 0; i < data->count; ++i) {
        int32_t result;

        config->data[i].name = data->entries[i].key;
        result = nn_schema_component(&config->catalog, NN_KIND_ITERATOR,
                                     data->entries[i].node, "iterator", NULL,
                                     config->arena, &config->diagnostics,
                                     &config->data[i].named);
        code = code ? code : result;
    }
    return code;
}

/* ---- lists of components with keys of the core -------------------------- */

static const char *const hook_keys[] = {"name", "timescale", "interval",
                                        "output", NULL};
static const char *const modifier_keys[] = {"on", NULL};

static int32_t bad_key(nn_config *config, const nn_node *node, const char *what)
{
    return nn_diagnostics_error(&config->diagnostics, NN_INVALID_ARGUMENT,
                                "config.hook", &node->place, "%s", what);
}

static int32_t read_timescale(nn_config *config, const nn_node *node,
                              nn_extra *extra)
{
    if (!node)
        return NN_OK;
    if (node->kind == NN_NODE_SCALAR && !strcmp(node->text, "epoch"))
        extra->timescale = NN_AT_EPOCH;
    else if (node->kind == NN_NODE_SCALAR && !strcmp(node->text, "update"))
        extra->timescale = NN_AT_UPDATE;
    else
        return bad_key(config, node, "'timescale' is epoch or update");
    return NN_OK;
}

static int32_t read_interval(nn_config *config, const nn_node *node,
                             nn_extra *extra)
{
    if (!node)
        return NN_OK;
    if (node->kind != NN_NODE_SCALAR ||
        nn_number_parse_int(node->text, strlen(node->text), &extra->interval) ||
        extra->interval < 1)
        return bad_key(config, node, "'interval' is a whole number from 1");
    return NN_OK;
}

/* A file inside the run's folder. */
static int32_t read_output(nn_config *config, const nn_node *node,
                           nn_extra *extra)
{
    if (!node)
        return NN_OK;
    if (node->kind != NN_NODE_SCALAR || !*node->text ||
        strchr(node->text, '/') || node->text[0] == '.')
        return bad_key(config, node,
                       "'output' is the name of a file in the run's folder, "
                       "or stderr");
    extra->output = strcmp(node->text, "stderr") ? node->text : NULL;
    return NN_OK;
}

static int32_t read_keys(nn_config *config, nn_extra *extra)
{
    const nn_node *body = extra->named.body;
    const nn_node *name = nn_node_find(body, "name");
    int32_t code = NN_OK;

    extra->name = extra->named.component->name;
    extra->interval = 1;
    extra->on = nn_node_find(body, "on");
    if (extra->named.component->kind != NN_KIND_HOOK)
        return NN_OK;
    if (name && name->kind == NN_NODE_SCALAR)
        extra->name = name->text;
    else if (name)
        code = bad_key(config, name, "the name of a hook is a text");
    if (!code)
        code = read_timescale(config, nn_node_find(body, "timescale"), extra);
    if (!code)
        code = read_interval(config, nn_node_find(body, "interval"), extra);
    if (!code)
        code = read_output(config, nn_node_find(body, "output"), extra);
    return code;
}

static int32_t read_extras(nn_config *config, const nn_node *list,
                           uint32_t kind, const char *what, nn_extras *extras)
{
    const char *const *keys = kind == NN_KIND_HOOK       ? hook_keys
                              : kind == NN_KIND_MODIFIER ? modifier_keys
                                                         : NULL;
    int32_t code = NN_OK;
    int64_t i;

    if (!list)
        return NN_OK;
    if (list->kind != NN_NODE_LIST)
        return nn_diagnostics_error(&config->diagnostics, NN_INVALID_ARGUMENT,
                                    "config.list", &list->place,
                                    "this is a list of %ss: [a, {b: {...}}]",
                                    what);
    extras->items = nn_arena_alloc(config->arena, list->count,
                                   sizeof *extras->items);
    if (!extras->items)
        return NN_NO_MEMORY;
    extras->count = list->count;
    for (i = 0; i < list->count; ++i) {
        nn_extra *extra = &extras->items[i];
        int32_t result = nn_schema_component(&config->catalog, kind,
                                             list->entries[i].node, what, keys,
                                             config->arena,
                                             &config->diagnostics,
                                             &extra->named);

        if (!result)
            result = read_keys(config, extra);
        code = code ? code : result;
    }
    return code;
}

/* Two hooks of one name would share what they remember. */
static int32_t check_hook_names(nn_config *config)
{
    int64_t i;
    int64_t j;

    for (i = 0; i < config->hooks.count; ++i)
        for (j = 0; j < i; ++j) {
            const nn_extra *a = &config->hooks.items[i];
            const nn_extra *b = &config->hooks.items[j];

            if (!a->name || !b->name || strcmp(a->name, b->name))
                continue;
            return nn_diagnostics_error(
                &config->diagnostics, NN_INVALID_ARGUMENT, "config.hook-name",
                &a->named.place,
                "another hook is called '%s' already; give this one a 'name'",
                a->name);
        }
    return NN_OK;
}

static int32_t twice(nn_config *config, const nn_place *place, const char *name)
{
    return nn_diagnostics_error(&config->diagnostics, NN_INVALID_ARGUMENT,
                                "config.scorer-twice", place,
                                "scorer '%s' stands twice in one list; their "
                                "scores would have one name",
                                name);
}

/* Scorers of one list are told apart by their names. */
static int32_t check_scorer_list(nn_config *config, const nn_value *list,
                                 const nn_place *place)
{
    uint32_t i;
    uint32_t j;

    for (i = 0; i < list->count; ++i)
        for (j = 0; j < i; ++j) {
            const nn_child *a = list->items[i]->child;
            const nn_child *b = list->items[j]->child;

            if (a && b && a->kind == NN_KIND_SCORER &&
                a->component == b->component)
                return twice(config, place, a->component->name);
        }
    return NN_OK;
}

static int32_t check_hook_scorers(nn_config *config)
{
    int32_t code = NN_OK;
    int64_t i;
    uint32_t k;

    for (i = 0; i < config->hooks.count && !code; ++i) {
        const nn_named *named = &config->hooks.items[i].named;

        for (k = 0; named->params && k < named->params->count && !code; ++k)
            code = check_scorer_list(config, named->params->values[k],
                                     &named->place);
    }
    return code;
}

/* ---- training ---------------------------------------------------------- */

static const nn_param pattern_element = {
    .size = NN_SIZEOF(nn_param, fields),
    .type = NN_PARAM_STRING,
    .name = "pattern",
    .doc = "Pattern of parameters, such as \"*.bias\".",
};

#define VALUE(number, kind_of, key, text, help, ...)                           \
    static const nn_param training_##number = {.size = NN_SIZEOF(nn_param,     \
                                                                 fields),      \
                                               .type = kind_of,                \
                                               .name = key,                    \
                                               .default_text = text,           \
                                               .doc = help,                    \
                                               __VA_ARGS__}

VALUE(0, NN_PARAM_COMPONENT, "stepper", NULL,
      "How parameters follow from gradients.", .flags = NN_PARAM_REQUIRED,
      .kind = NN_KIND_STEPPER);
VALUE(1, NN_PARAM_INT, "epochs", NULL,
      "Passes over the training data; without it the hooks end training.",
      .flags = NN_PARAM_NULLABLE | NN_PARAM_RANGED, .minimum = 1,
      .maximum = 1e15);
VALUE(2, NN_PARAM_INT, "updates", NULL,
      "Updates after which training ends, whatever the epoch.",
      .flags = NN_PARAM_NULLABLE | NN_PARAM_RANGED, .minimum = 1,
      .maximum = 1e15);
VALUE(3, NN_PARAM_INT, "accumulate", "1",
      "Batches whose gradients make one update (their mean).",
      .flags = NN_PARAM_RANGED, .minimum = 1, .maximum = 1e9);
VALUE(4, NN_PARAM_BOOL, "carry_state", "false",
      "Go on from the last frames of the batch before, but for rows that "
      "begin a sequence.",
      .flags = 0);
VALUE(5, NN_PARAM_LIST, "freeze", "[]",
      "Patterns of parameters that are not trained.",
      .element = &pattern_element);

static const nn_param *const training_params[] = {&training_0, &training_1,
                                                  &training_2, &training_3,
                                                  &training_4, &training_5};

static const char *const training_others[] = {"hooks", "modifiers", "overrides",
                                              NULL};

/* The stepper's node with the parameters of OVERRIDE put over its own. */
static nn_node *merged_stepper(const nn_named *named, const nn_node *override)
{
    nn_node *body = nn_schema_render_params(named->params);
    nn_node *whole = nn_node_map();
    int32_t code = body && whole ? NN_OK : NN_NO_MEMORY;
    int64_t i;

    for (i = 0; i < override->count && !code; ++i)
        code = nn_node_put_at(body, override->entries[i].key,
                              &override->entries[i].key_place,
                              nn_node_copy(override->entries[i].node));
    if (!code)
        code = nn_node_put(whole, named->name, body);
    else
        nn_node_destroy(body);
    if (!code)
        return whole;
    nn_node_destroy(whole);
    return NULL;
}

static int32_t read_overrides(nn_config *config, const nn_node *map)
{
    const nn_node *stepper = nn_node_find(config->training_node, "stepper");
    nn_named base;
    int32_t code;
    int64_t i;

    if (!map || !config->training)
        return NN_OK;
    if (map->kind != NN_NODE_MAP)
        return nn_diagnostics_error(&config->diagnostics, NN_INVALID_ARGUMENT,
                                    "config.overrides", &map->place,
                                    "'overrides' maps patterns of parameters "
                                    "to parameters of the stepper");
    code = nn_schema_component(&config->catalog, NN_KIND_STEPPER, stepper,
                               "stepper", NULL, config->arena,
                               &config->diagnostics, &base);
    config->overrides = nn_arena_alloc(config->arena, map->count,
                                       sizeof *config->overrides);
    config->override_patterns = nn_arena_alloc(
        config->arena, map->count, sizeof *config->override_patterns);
    if (!config->overrides || !config->override_patterns)
        return NN_NO_MEMORY;
    config->n_overrides = map->count;
    for (i = 0; i < map->count && !code; ++i) {
        const nn_node *node = map->entries[i].node;
        nn_node *merged;
        nn_named one;

        if (node->kind != NN_NODE_MAP)
            return nn_diagnostics_error(&config->diagnostics,
                                        NN_INVALID_ARGUMENT, "config.overrides",
                                        &node->place,
                                        "parameters of the stepper are a map: "
                                        "{learning_rate: 0.01}");
        merged = merged_stepper(&base, node);
        config->override_patterns[i] = map->entries[i].key;
        if (!merged)
            return NN_NO_MEMORY;
        code = nn_schema_component(&config->catalog, NN_KIND_STEPPER, merged,
                                   "stepper", NULL, config->arena,
                                   &config->diagnostics, &one);
        config->overrides[i] = one.params;
        nn_node_destroy(merged); /* the values need it no longer */
    }
    return code;
}

int32_t nn_config_read_training(nn_config *config)
{
    const nn_node *node = nn_node_find(config->root, "training");
    int32_t code;
    int32_t result;

    if (!node)
        return NN_OK;
    if (node->kind != NN_NODE_MAP)
        return nn_diagnostics_error(&config->diagnostics, NN_INVALID_ARGUMENT,
                                    "config.training", &node->place,
                                    "'training' is a map: {stepper: ..., "
                                    "epochs: 10, hooks: [...]}");
    config->training_node = node;
    code = nn_schema_params(&config->catalog, training_params,
                            sizeof training_params / sizeof *training_params,
                            node, &node->place, "training", training_others,
                            config->arena, &config->diagnostics,
                            &config->training);
    result = read_extras(config, nn_node_find(node, "hooks"), NN_KIND_HOOK,
                         "hook", &config->hooks);
    if (!result)
        result = check_hook_names(config);
    if (!result)
        result = check_hook_scorers(config);
    code = code ? code : result;
    result = read_extras(config, nn_node_find(node, "modifiers"),
                         NN_KIND_MODIFIER, "modifier", &config->modifiers);
    code = code ? code : result;
    if (!code)
        code = read_overrides(config, nn_node_find(node, "overrides"));
    return code;
}

/* ---- evaluation -------------------------------------------------------- */

/* 1 if TEXT, behind the name of LAYER, may be one of its buffers: what stands
 * in children and internals is known only once there is a network. */
static int may_be_buffer(const nn_graph_layer *layer, const char *text)
{
    uint32_t i;

    if (*text != '.')
        return 0;
    if (layer->n_children || strncmp(text, ".outputs.", 9))
        return 1;
    for (i = 0; i < layer->outputs.count; ++i)
        if (!strcmp(text + 9, layer->outputs.items[i].name))
            return 1;
    return 0;
}

/* What `output` names must be there before anything is trained. */
static int32_t check_output(nn_config *config, const nn_place *place)
{
    const nn_graph *graph = config->graph;
    nn_suggest suggest;
    char path[512];
    char tail[128];
    const char *copy; /* a suggestion keeps what it is offered */
    int32_t i;
    uint32_t j;

    if (!config->output || !graph)
        return NN_OK;
    nn_suggest_start(&suggest, config->output);
    for (i = 0; i < graph->n_layers; ++i) {
        const nn_graph_layer *layer = &graph->layers[i];
        size_t length = strlen(layer->path);

        if (!strncmp(config->output, layer->path, length) &&
            may_be_buffer(layer, config->output + length))
            return NN_OK;
        for (j = 0; j < layer->outputs.count; ++j) {
            snprintf(path, sizeof path, "%s.outputs.%s", layer->path,
                     layer->outputs.items[j].name);
            copy = nn_arena_string(config->arena, path);
            if (!copy)
                return NN_NO_MEMORY;
            nn_suggest_offer(&suggest, copy);
        }
    }
    return nn_diagnostics_error(&config->diagnostics, NN_NOT_FOUND,
                                "config.output", place,
                                "the network has no buffer '%s'%s",
                                config->output,
                                nn_suggest_tail(&suggest, tail));
}

int32_t nn_config_read_evaluation(nn_config *config)
{
    static const nn_param output = {
        .size = NN_SIZEOF(nn_param, fields),
        .type = NN_PARAM_STRING,
        .flags = NN_PARAM_NULLABLE,
        .name = "output",
        .doc = "Path of the buffer that is scored and predicted; default: the "
               "predictions of the loss."};
    static const nn_param *const params[] = {&output};
    static const char *const others[] = {"scorers", NULL};
    const nn_node *node = nn_node_find(config->root, "evaluation");
    const nn_params *values = NULL;
    int32_t code;
    int32_t result;
    int64_t i;
    int64_t j;

    if (!node)
        return NN_OK;
    code = nn_schema_params(&config->catalog, params, 1, node, &node->place,
                            "evaluation", others, config->arena,
                            &config->diagnostics, &values);
    if (!code)
        config->output = nn_param_text(values, 0);
    if (!code)
        code = check_output(config, &nn_setting_of(values->values[0])->place);
    result = read_extras(config, nn_node_find(node, "scorers"), NN_KIND_SCORER,
                         "scorer", &config->scorers);
    for (i = 0; i < config->scorers.count && !result; ++i)
        for (j = 0; j < i && !result; ++j)
            if (config->scorers.items[i].named.component ==
                config->scorers.items[j].named.component)
                result = twice(config, &config->scorers.items[i].named.place,
                               config->scorers.items[i].name);
    return code ? code : result;
}
