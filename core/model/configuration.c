/* SPDX-License-Identifier: MIT */
/* configuration.c - reads a config and checks all of it.
 *
 * Checking goes on after an error, section by section, so that one run shows
 * as many as possible; what depends on a section with errors is left out. */
#include "core/model/configuration.h"

#include <stdlib.h>
#include <string.h>

#include "core/model/sections.h"
#include "core/util/error.h"
#include "core/util/suggest.h"

/* ---- plugins ----------------------------------------------------------- */

/* Absolute folders of the config's `plugin_path`, before anything is checked:
 * the plugins are needed for the checks. */
static int32_t plugin_path(nn_config *config, nn_registry_options *options)
{
    const nn_node *node = nn_node_find(config->root, "plugin_path");
    const char **paths;
    int64_t i;

    if (!node || node->kind != NN_NODE_LIST)
        return NN_OK;
    paths = nn_arena_alloc(config->arena, node->count, sizeof *paths);
    if (!paths)
        return NN_NO_MEMORY;
    for (i = 0; i < node->count; ++i) {
        const nn_node *entry = node->entries[i].node;
        nn_text path = {0};

        if (entry->kind != NN_NODE_SCALAR)
            return NN_OK; /* the schema reports it */
        if (entry->text[0] != '/')
            nn_text_format(&path, "%s/", config->folder);
        nn_text_append(&path, entry->text);
        paths[i] = nn_search_absolute(nn_text_string(&path), config->arena);
        nn_text_finish(&path);
        if (!paths[i])
            return NN_NO_MEMORY;
    }
    options->plugin_path = paths;
    options->n_plugin_path = (uint32_t)node->count;
    return NN_OK;
}

static int32_t open_registry(nn_config *config,
                             const nn_config_options *options)
{
    nn_registry_options wanted;
    int32_t code;

    memset(&wanted, 0, sizeof wanted);
    wanted.files = options->plugins;
    wanted.n_files = options->n_plugins;
    wanted.log = nn_library_log;
    code = nn_library_start();
    if (!code)
        code = plugin_path(config, &wanted);
    if (!code)
        code = nn_registry_create(&wanted, &config->registry);
    if (code) {
        nn_diagnostics_error(&config->diagnostics, code, nn_error_id(), NULL,
                             "%s", nn_error_text());
        return code;
    }
    config->host = options->host ? options->host
                                 : nn_registry_host(config->registry);
    config->lookup.registry = config->registry;
    config->lookup.arena = config->arena;
    nn_lookup_catalog(&config->lookup, config->folder, &config->catalog);
    return NN_OK;
}

/* ---- values of the top level ------------------------------------------- */

static const char *const dtypes[] = {"float32", "float64", NULL};

static const nn_param text_element = {
    .size = NN_SIZEOF(nn_param, fields),
    .type = NN_PARAM_STRING,
    .name = "entry",
    .doc = "One entry.",
};

#define VALUE(number, kind_of, key, text, help, ...)                           \
    static const nn_param top_##number = {.size = NN_SIZEOF(nn_param, fields), \
                                          .type = kind_of,                     \
                                          .name = key,                         \
                                          .default_text = text,                \
                                          .doc = help,                         \
                                          __VA_ARGS__}

VALUE(0, NN_PARAM_INT, "nervenet", NULL, "Version of the config format: 1.",
      .flags = NN_PARAM_REQUIRED | NN_PARAM_RANGED, .minimum = 1, .maximum = 1);
VALUE(1, NN_PARAM_COMPONENT, "handler", NULL,
      "The compute backend: cpu, reference, {type: cpu, threads: 2}.",
      .flags = NN_PARAM_REQUIRED, .kind = NN_KIND_HANDLER);
VALUE(2, NN_PARAM_CHOICE, "dtype", "float32",
      "Type of all real numbers of the network.", .choices = dtypes);
VALUE(3, NN_PARAM_INT, "seed", "1",
      "Everything random follows from this number.", .flags = NN_PARAM_RANGED,
      .minimum = 0, .maximum = 9007199254740992.0);
VALUE(4, NN_PARAM_BOOL, "deterministic", "true",
      "Refuse operations without a fixed order of sums.", .flags = 0);
VALUE(5, NN_PARAM_LIST, "keep", "[]",
      "Patterns of buffers that stay readable after a pass, such as "
      "\"*.outputs.*\".",
      .element = &text_element);
VALUE(6, NN_PARAM_LIST, "plugin_path", "[]",
      "Folders with plugins, relative to the config.",
      .element = &text_element);
VALUE(7, NN_PARAM_STRING, "description", NULL,
      "Text for people; kept in checkpoints.", .flags = NN_PARAM_NULLABLE);

static const nn_param *const top_params[] = {&top_0, &top_1, &top_2, &top_3,
                                             &top_4, &top_5, &top_6, &top_7};

static const char *const top_others[] = {"inputs", "network",  "initialize",
                                         "data",   "training", "evaluation",
                                         NULL};

static int32_t read_values(nn_config *config)
{
    const nn_value *handler;
    const nn_value *keep;
    int32_t code;
    uint32_t i;

    code = nn_schema_params(&config->catalog, top_params,
                            sizeof top_params / sizeof *top_params,
                            config->root, &config->root->place, "config",
                            top_others, config->arena, &config->diagnostics,
                            &config->values);
    if (code)
        return code;
    handler = config->values->values[NN_CONFIG_HANDLER];
    config->handler = handler->child->component;
    config->handler_params = handler->child->params;
    config->real = nn_param_int(config->values, NN_CONFIG_DTYPE) == 0
                       ? NN_FLOAT32
                       : NN_FLOAT64;
    config->seed = (uint64_t)nn_param_int(config->values, NN_CONFIG_SEED);
    keep = config->values->values[NN_CONFIG_KEEP];
    config->keep = nn_arena_alloc(config->arena, keep->count,
                                  sizeof *config->keep);
    if (!config->keep)
        return NN_NO_MEMORY;
    config->n_keep = keep->count;
    for (i = 0; i < keep->count; ++i)
        config->keep[i] = keep->items[i]->text;
    return NN_OK;
}

/* ---- the network ------------------------------------------------------- */

/* The one layer component whose flag says that it stands for the inputs. */
static const nn_component *input_component(nn_config *config)
{
    const nn_registry_component *one;
    uint32_t i;

    for (i = 0; (one = nn_registry_component_at(config->registry, i)); ++i)
        if (one->state == NN_FOUND_OK &&
            one->description->kind == NN_KIND_LAYER &&
            (one->description->flags & NN_LAYER_INPUT))
            return nn_lookup_find(&config->lookup, NN_KIND_LAYER,
                                  one->description->name);
    return NULL;
}

static int32_t need(nn_config *config, const char *key, const char *example,
                    const nn_node **node)
{
    *node = nn_node_find(config->root, key);
    if (*node)
        return NN_OK;
    return nn_diagnostics_error(&config->diagnostics, NN_INVALID_ARGUMENT,
                                "config.missing", &config->root->place,
                                "the config lacks '%s', such as %s", key,
                                example);
}

static int32_t read_network(nn_config *config)
{
    const nn_component *input = input_component(config);
    const nn_node *inputs;
    const nn_node *network;
    int32_t code = need(config, "inputs", "`inputs: {images: [28, 28, 1]}`",
                        &inputs);
    int32_t result = need(config, "network",
                          "`network: [{fully_connected: 10}]`", &network);

    if (code || result)
        return code ? code : result;
    if (!input)
        return nn_diagnostics_error(&config->diagnostics, NN_NOT_FOUND,
                                    "config.no-input-layer", &inputs->place,
                                    "no plugin offers a layer for inputs; "
                                    "`nn plugins` shows what was found");
    config->initialize = nn_node_find(config->root, "initialize");
    if (config->initialize && config->initialize->kind != NN_NODE_MAP)
        return nn_diagnostics_error(&config->diagnostics, NN_INVALID_ARGUMENT,
                                    "config.initialize",
                                    &config->initialize->place,
                                    "'initialize' maps patterns such as "
                                    "\"*.W\" to numbers or initializers");
    return nn_graph_create(&config->catalog, config->host, input, inputs,
                           network, config->real, &config->diagnostics,
                           &config->graph);
}

/* ---- the whole --------------------------------------------------------- */

/* `--handler` and `--set`, as if they had been written in the config. */
static int32_t apply_options(nn_config *config,
                             const nn_config_options *options)
{
    int32_t code = NN_OK;
    uint32_t i;

    for (i = 0; i < options->n_set && !code; ++i)
        code = nn_node_assign(config->root, options->set[i], "--set",
                              &config->diagnostics);
    if (!code && options->handler) {
        nn_text text = {0};

        nn_text_format(&text, "handler=%s", options->handler);
        code = nn_node_assign(config->root, nn_text_string(&text), "--handler",
                              &config->diagnostics);
        nn_text_finish(&text);
    }
    return code;
}

static int32_t check(nn_config *config, const nn_config_options *options)
{
    int32_t code;
    int32_t result;

    if (config->root->kind != NN_NODE_MAP)
        return nn_diagnostics_error(&config->diagnostics, NN_FORMAT,
                                    "config.no-map", &config->root->place,
                                    "a config is a map with keys such as "
                                    "'nervenet', 'handler', 'network'");
    code = apply_options(config, options);
    if (!code)
        code = open_registry(config, options);
    if (code)
        return code;
    code = read_values(config);
    result = read_network(config);
    code = code ? code : result;
    result = nn_config_read_data(config);
    code = code ? code : result;
    result = nn_config_read_training(config);
    code = code ? code : result;
    result = nn_config_read_evaluation(config);
    return code ? code : result;
}

static int32_t create(nn_config **out)
{
    nn_config *config = calloc(1, sizeof *config);
    int32_t code;

    *out = NULL;
    if (!config)
        return nn_error_no_memory("a config", sizeof *config);
    config->real = NN_FLOAT32; /* to go on checking if `dtype` is wrong */
    nn_diagnostics_init(&config->diagnostics);
    code = nn_arena_create(&config->arena);
    if (code) {
        free(config);
        return code;
    }
    *out = config;
    return NN_OK;
}

/* The thread's error is the first diagnostic; its text is kept whole. */
static int32_t finish(nn_config *config, int32_t code)
{
    config->sound = !code && !config->diagnostics.errors && config->graph;
    nn_diagnostics_render(&config->diagnostics, &config->messages);
    if (code && !config->diagnostics.errors)
        nn_text_format(&config->messages, "error: %s\n", nn_error_text());
    return code;
}

/* OPTIONS (may be NULL) at this library's size. */
static nn_config_options full_options(const nn_config_options *options)
{
    nn_config_options full;

    memset(&full, 0, sizeof full);
    if (options)
        memcpy(&full, options,
               options->size < sizeof full ? options->size : sizeof full);
    full.size = sizeof full;
    return full;
}

int32_t nn_config_parse(const char *text, const char *name,
                        const nn_config_options *options, nn_config **out)
{
    const nn_config_options full = full_options(options);
    int32_t code;

    nn_error_clear();
    code = create(out);
    if (code)
        return code;
    (*out)->folder = nn_arena_string((*out)->arena,
                                     full.folder ? full.folder : ".");
    if (!(*out)->folder)
        return finish(*out, NN_NO_MEMORY);
    code = nn_node_read(text, strlen(text), name, &(*out)->diagnostics,
                        &(*out)->root);
    if (!code)
        code = check(*out, &full);
    return finish(*out, code);
}

int32_t nn_config_load(const char *path, const nn_config_options *options,
                       nn_config **out)
{
    const nn_config_options full = full_options(options);
    const char *slash = strrchr(path, '/');
    int32_t code;

    nn_error_clear();
    code = create(out);
    if (code)
        return code;
    (*out)->folder = nn_arena_string((*out)->arena, slash ? path : ".");
    if (!(*out)->folder)
        return finish(*out, NN_NO_MEMORY);
    if (slash)
        (*out)->folder[slash == path ? 1 : slash - path] = '\0';
    code = nn_node_read_file(path, &(*out)->diagnostics, &(*out)->root);
    if (!code)
        code = check(*out, &full);
    return finish(*out, code);
}

void nn_config_destroy(nn_config *config)
{
    int64_t i;

    if (!config)
        return;
    for (i = 0; i < config->n_data; ++i)
        if (!config->data[i].in_use)
            nn_data_destroy(config->data[i].opened);
    nn_graph_destroy(config->graph);
    nn_registry_destroy(config->registry);
    nn_diagnostics_finish(&config->diagnostics);
    nn_text_finish(&config->messages);
    nn_arena_destroy(config->arena);
    nn_node_destroy(config->root);
    free(config);
}

const char *nn_config_messages(const nn_config *config)
{
    return config ? nn_text_string(&config->messages) : "";
}

int32_t nn_config_check_sound(const nn_config *config)
{
    if (config->sound)
        return NN_OK;
    return nn_error_set(NN_STATE, "config.errors",
                        "the config has errors and cannot be used");
}

const nn_data_entry *nn_config_data(const nn_config *config, const char *name)
{
    nn_suggest suggest;
    char tail[128];
    int64_t i;

    nn_suggest_start(&suggest, name);
    for (i = 0; i < config->n_data; ++i) {
        if (!strcmp(config->data[i].name, name))
            return &config->data[i];
        nn_suggest_offer(&suggest, config->data[i].name);
    }
    nn_error_set(NN_NOT_FOUND, "config.no-data",
                 "the config has no data called '%s'%s", name,
                 nn_suggest_tail(&suggest, tail));
    return NULL;
}
