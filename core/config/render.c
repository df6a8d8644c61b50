/* SPDX-License-Identifier: MIT */
/* render.c - values back to a description with every default filled in.
 *
 * Each value is written so that the check reads an equal one: numbers in full,
 * files as the config had them, components with all their parameters.  Places
 * are not kept. */
#include <string.h>

#include "core/config/schema.h"
#include "core/util/error.h"

/* A text; quoted where a plain one would mean none. */
static nn_node *render_text(const nn_setting *setting, const char *text)
{
    if ((setting->param->flags & NN_PARAM_NULLABLE) &&
        (strcmp(text, "none") == 0 || strcmp(text, "null") == 0))
        return nn_node_quoted(text);
    return nn_node_scalar(text);
}

static nn_node *render_items(const nn_value *value)
{
    int map = value->type == NN_PARAM_MAP;
    nn_node *node = map ? nn_node_map() : nn_node_list();
    int32_t code = node ? NN_OK : NN_NO_MEMORY;
    uint32_t i;

    for (i = 0; i < value->count && !code; ++i) {
        nn_node *item = nn_schema_render_value(value->items[i]);

        code = map ? nn_node_put(node, value->keys[i], item)
                   : nn_node_append(node, item);
    }
    if (!code)
        return node;
    nn_node_destroy(node);
    return NULL;
}

/* Puts the entries of a parameter that takes the rest into MAP itself. */
static int32_t render_rest(const nn_value *value, nn_node *map)
{
    int32_t code = NN_OK;
    uint32_t i;

    for (i = 0; i < value->count && !code; ++i)
        code = nn_node_put(map, value->keys[i],
                           nn_schema_render_value(value->items[i]));
    return code;
}

/* A map of COUNT values by the names of their parameters, without those that
 * cannot be written and are not there. */
static nn_node *render_named(const nn_value *const *values, uint32_t count)
{
    nn_node *map = nn_node_map();
    int32_t code = map ? NN_OK : NN_NO_MEMORY;
    uint32_t i;

    for (i = 0; i < count && !code; ++i) {
        const nn_param *param = nn_setting_of(values[i])->param;

        if (param->flags & NN_PARAM_REST)
            code = render_rest(values[i], map);
        else if (values[i]->type || (param->flags & NN_PARAM_NULLABLE))
            code = nn_node_put(map, param->name,
                               nn_schema_render_value(values[i]));
    }
    if (!code)
        return map;
    nn_node_destroy(map);
    return NULL;
}

nn_node *nn_schema_render_value(const nn_value *value)
{
    const nn_setting *setting = nn_setting_of(value);

    if (value->child && value->child->type == NN_PARAM_COMPONENT)
        return nn_schema_render(value->text, value->child->params);
    switch (value->type) {
    case NN_PARAM_INT:
        return nn_node_int(value->integer);
    case NN_PARAM_REAL:
        return nn_node_real(value->real);
    case NN_PARAM_BOOL:
        return nn_node_scalar(value->integer ? "true" : "false");
    case NN_PARAM_STRING:
    case NN_PARAM_SCALAR:
    case NN_PARAM_CHOICE:
        return render_text(setting, value->text);
    case NN_PARAM_FILE:
        return render_text(setting, setting->written);
    case NN_PARAM_LIST:
    case NN_PARAM_MAP:
        return render_items(value);
    case NN_PARAM_RECORD:
        return render_named(value->items, value->count);
    case NN_PARAM_NETWORK:
        return nn_node_copy(value->child->node);
    default:
        return setting->param->flags & NN_PARAM_NULLABLE
                   ? nn_node_scalar("none")
                   : NULL;
    }
}

nn_node *nn_schema_render_params(const nn_params *params)
{
    return render_named(params->values, params->count);
}

nn_node *nn_schema_render(const char *name, const nn_params *params)
{
    nn_node *inner = nn_schema_render_params(params);
    nn_node *map;

    if (!inner || inner->count) {
        map = nn_node_map();
        if (map && nn_node_put(map, name, inner) == NN_OK)
            return map;
        if (!map)
            nn_node_destroy(inner);
        nn_node_destroy(map);
        return NULL;
    }
    nn_node_destroy(inner);
    return nn_node_scalar(name);
}
