/* SPDX-License-Identifier: MIT */
/* plugins_json.c - `nn plugins --json`. */
#include <math.h>

#include "plugins.h"

static void json_texts(struct json *json, const char *key,
                       const char *const *texts)
{
    json_open(json, key, '[');
    for (; texts && *texts; ++texts)
        json_text(json, NULL, *texts);
    json_close(json, ']');
}

static void json_range(struct json *json, const nn_param *param)
{
    if (param->choices)
        json_texts(json, "choices", param->choices);
    if (!(param->flags & NN_PARAM_RANGED))
        return;
    if (isfinite(param->minimum)) {
        json_real(json, "minimum", param->minimum);
        json_bool(json, "above_minimum",
                  (param->flags & NN_PARAM_ABOVE_MINIMUM) != 0);
    }
    if (isfinite(param->maximum)) {
        json_real(json, "maximum", param->maximum);
        json_bool(json, "below_maximum",
                  (param->flags & NN_PARAM_BELOW_MAXIMUM) != 0);
    }
}

static void json_param(struct json *json, const char *key,
                       const nn_param *param)
{
    char type[256];
    uint32_t i;

    json_open(json, key, '{');
    json_text(json, "name", param->name);
    json_text(json, "type", param_type(param, type, sizeof type));
    json_bool(json, "required", (param->flags & NN_PARAM_REQUIRED) != 0);
    json_bool(json, "nullable", (param->flags & NN_PARAM_NULLABLE) != 0);
    json_bool(json, "tunable", (param->flags & NN_PARAM_TUNABLE) != 0);
    json_bool(json, "main", (param->flags & NN_PARAM_MAIN) != 0);
    json_bool(json, "rest", (param->flags & NN_PARAM_REST) != 0);
    json_text(json, "default", param->default_text);
    json_range(json, param);
    json_text(json, "doc", param->doc);
    if (param->element)
        json_param(json, "element", param->element);
    if (param->fields) {
        json_open(json, "fields", '[');
        for (i = 0; param->fields[i]; ++i)
            json_param(json, NULL, param->fields[i]);
        json_close(json, ']');
    }
    json_close(json, '}');
}

static void json_ports(struct json *json, const char *key,
                       const nn_port *const *ports, uint32_t count)
{
    char text[256];
    uint32_t i;

    json_open(json, key, '[');
    for (i = 0; i < count; ++i) {
        json_open(json, NULL, '{');
        json_text(json, "name", ports[i]->name);
        json_text(json, "dtypes", port_dtypes(ports[i], text, sizeof text));
        json_text(json, "flags", port_flags(ports[i], text, sizeof text));
        json_text(json, "doc", ports[i]->doc);
        json_close(json, '}');
    }
    json_close(json, ']');
}

void json_component(struct json *json, const nn_plugin_component *found)
{
    const nn_component *component = found->component;
    uint32_t i;

    json_open(json, NULL, '{');
    json_text(json, "kind", nn_kind_name(component->kind));
    json_text(json, "name", component->name);
    json_text(json, "version", found->plugin->version);
    json_text(json, "plugin", found->plugin->name);
    json_text(json, "id", found->plugin->id);
    json_text(json, "state", plugin_state(found->state));
    json_text(json, "file", found->path);
    json_text(json, "reason", found->reason);
    json_text(json, "summary", component->summary);
    json_text(json, "doc", component->doc);
    json_open(json, "parameters", '[');
    for (i = 0; i < component->n_params; ++i)
        json_param(json, NULL, component->params[i]);
    json_close(json, ']');
    json_ports(json, "inputs", component->inputs, component->n_inputs);
    json_ports(json, "outputs", component->outputs, component->n_outputs);
    json_close(json, '}');
}

static void json_metadata(struct json *json, const nn_plugin *plugin)
{
    if (!plugin) {
        json_text(json, "plugin", NULL);
        return;
    }
    json_open(json, "plugin", '{');
    json_text(json, "id", plugin->id);
    json_text(json, "name", plugin->name);
    json_text(json, "version", plugin->version);
    json_text(json, "license", plugin->license);
    json_text(json, "author", plugin->author);
    json_text(json, "summary", plugin->summary);
    json_text(json, "url", plugin->url);
    json_int(json, "abi_minor", plugin->abi_minor);
    json_int(json, "min_host_minor", plugin->min_host_minor);
    json_texts(json, "libraries", plugin->libraries);
    json_texts(json, "cpu_features", plugin->cpu_features);
    json_close(json, '}');
}

static void json_file(struct json *json, const nn_plugin_file *file)
{
    json_open(json, NULL, '{');
    json_text(json, "file", file->path);
    json_text(json, "state", plugin_state(file->state));
    json_text(json, "reason", file->reason);
    json_text(json, "warning", file->warning);
    json_metadata(json, file->plugin);
    json_close(json, '}');
}

void json_plugins(const nn_plugins *plugins)
{
    struct json json = {stdout, 0, 0};
    nn_plugin_component found;
    nn_plugin_file file;
    const char *reason = NULL;
    const char *folder;
    uint32_t i;

    json_open(&json, NULL, '{');
    json_open(&json, "folders", '[');
    for (i = 0; (folder = nn_plugins_folder(plugins, i, &reason)); ++i) {
        json_open(&json, NULL, '{');
        json_text(&json, "folder", folder);
        json_text(&json, "reason", reason);
        json_close(&json, '}');
    }
    json_close(&json, ']');
    json_open(&json, "files", '[');
    for (i = 0; nn_plugins_file(plugins, i, &file); ++i)
        json_file(&json, &file);
    json_close(&json, ']');
    json_open(&json, "components", '[');
    for (i = 0; nn_plugins_component(plugins, i, &found); ++i)
        json_component(&json, &found);
    json_close(&json, ']');
    json_close(&json, '}');
}
