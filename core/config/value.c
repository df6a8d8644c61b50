/* SPDX-License-Identifier: MIT */
/* value.c - one node to one typed value, as its nn_param says.
 *
 * A value that is refused leaves its setting with type 0; the error in the
 * diagnostics keeps the whole from being used. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/config/scope.h"
#include "core/registry/interface.h"
#include "core/util/error.h"
#include "core/util/number.h"
#include "core/util/suggest.h"

/* Notes that NODE is not WHAT. */
static void expected(const struct scope *scope, const nn_node *node,
                     const char *what)
{
    char say[64];

    nn_scope_error(scope, NN_INVALID_ARGUMENT, "config.type", &node->place,
                   "expected %s, got %s", what, nn_node_say(node, say));
}

/* Notes that the description itself is wrong: a defect of the plugin. */
static void broken(const struct scope *scope, const nn_node *node)
{
    nn_scope_error(scope, NN_INTERNAL, "config.description", &node->place,
                   "the plugin describes this parameter wrongly");
}

/* True if NODE is a scalar; else notes that it is not WHAT. */
static int is_scalar(const struct scope *scope, const nn_node *node,
                     const char *what)
{
    if (node->kind == NN_NODE_SCALAR)
        return 1;
    expected(scope, node, what);
    return 0;
}

/* Says which numbers PARAM takes: "at least 0 and below 1". */
static const char *range_text(const nn_param *param, char buffer[128])
{
    int above = (param->flags & NN_PARAM_ABOVE_MINIMUM) != 0;
    int below = (param->flags & NN_PARAM_BELOW_MAXIMUM) != 0;
    char minimum[32];
    char maximum[32];
    int length = 0;

    buffer[0] = '\0';
    if (param->minimum > -INFINITY)
        length = snprintf(buffer, 128, "%s %s%s", above ? "above" : "at least",
                          nn_number_format(param->minimum, minimum),
                          param->maximum < INFINITY ? " and " : "");
    if (param->maximum < INFINITY)
        snprintf(buffer + length, 128 - (size_t)length, "%s %s",
                 below ? "below" : "at most",
                 nn_number_format(param->maximum, maximum));
    return buffer;
}

/* True if VALUE is in the range of PARAM; else notes that it is not. */
static int in_range(const struct scope *scope, const nn_param *param,
                    const nn_node *node, double value)
{
    uint32_t flags = param->flags;
    char range[128];
    char say[64];

    if (!(flags & NN_PARAM_RANGED) ||
        ((flags & NN_PARAM_ABOVE_MINIMUM ? value > param->minimum
                                         : value >= param->minimum) &&
         (flags & NN_PARAM_BELOW_MAXIMUM ? value < param->maximum
                                         : value <= param->maximum)))
        return 1;
    nn_scope_error(scope, NN_INVALID_ARGUMENT, "config.range", &node->place,
                   "must be %s, got %s", range_text(param, range),
                   nn_node_say(node, say));
    return 0;
}

static void read_int(const struct scope *scope, const nn_param *param,
                     const nn_node *node, nn_value *value)
{
    int64_t number = 0;
    char say[64];
    int32_t code;

    if (!is_scalar(scope, node, "a whole number"))
        return;
    code = nn_number_parse_int(node->text, strlen(node->text), &number);
    if (code == NN_FORMAT) {
        expected(scope, node, "a whole number");
    } else if (code) {
        nn_scope_error(scope, NN_INVALID_ARGUMENT, "config.range", &node->place,
                       "%s does not fit into 64 bits", nn_node_say(node, say));
    } else if (in_range(scope, param, node, (double)number)) {
        value->type = NN_PARAM_INT;
        value->integer = number;
        value->real = (double)number;
    }
}

static void destroy_node(void *node)
{
    nn_node_destroy(node);
}

/* A child of type COMPONENT or NETWORK that is written as NODE, of which it
 * keeps a copy; NULL without memory. */
static nn_child *make_child(const struct scope *scope, uint32_t type,
                            const nn_node *node)
{
    nn_child *child = nn_scope_alloc(scope, 1, sizeof *child);
    nn_node *copy = child ? nn_node_copy(node) : NULL;

    if (!copy || nn_arena_defer(scope->check->arena, destroy_node, copy)) {
        nn_scope_no_memory(scope);
        return NULL;
    }
    child->type = type;
    child->name = nn_scope_string(scope, scope->child);
    child->node = copy;
    return child;
}

static void read_component(const struct scope *scope, uint32_t kind,
                           const nn_node *node, nn_value *value)
{
    nn_named named = {0};

    nn_scope_component(scope, kind, node, nn_kind_name(kind), NULL, &named);
    if (!named.params)
        return;
    value->type = NN_PARAM_COMPONENT;
    value->text = named.name;
    value->child = make_child(scope, NN_PARAM_COMPONENT, node);
    if (!value->child)
        return;
    value->child->kind = kind;
    value->child->component = named.component;
    value->child->params = named.params;
}

static void read_network(const struct scope *scope, const nn_node *node,
                         nn_value *value)
{
    if (node->kind != NN_NODE_LIST) {
        expected(scope, node, "a list of layers");
        return;
    }
    value->type = NN_PARAM_NETWORK;
    value->child = make_child(scope, NN_PARAM_NETWORK, node);
}

/* True if NODE is meant as a component: a map, or a scalar that looks like a
 * name. */
static int looks_like_name(const nn_node *node)
{
    char first = node->kind == NN_NODE_SCALAR ? node->text[0] : 'a';

    return node->kind != NN_NODE_LIST &&
           ((first >= 'a' && first <= 'z') || (first >= 'A' && first <= 'Z'));
}

static void read_real(const struct scope *scope, const nn_param *param,
                      const nn_node *node, nn_value *value)
{
    int tunable = (param->flags & NN_PARAM_TUNABLE) != 0;
    const char *what = tunable ? "a number or a schedule" : "a number";
    double number = 0;
    char say[64];
    int32_t code;

    if (tunable && looks_like_name(node)) {
        read_component(scope, NN_KIND_SCHEDULE, node, value);
        value->type = NN_PARAM_REAL;
        return;
    }
    if (!is_scalar(scope, node, what))
        return;
    code = nn_number_parse_real(node->text, strlen(node->text), &number);
    if (code == NN_FORMAT) {
        expected(scope, node, what);
    } else if (code) {
        nn_scope_error(scope, NN_INVALID_ARGUMENT, "config.range", &node->place,
                       "%s is no finite double", nn_node_say(node, say));
    } else if (in_range(scope, param, node, number)) {
        value->type = NN_PARAM_REAL;
        value->real = number;
    }
}

static void read_bool(const struct scope *scope, const nn_node *node,
                      nn_value *value)
{
    if (!is_scalar(scope, node, "true or false"))
        return;
    if (strcmp(node->text, "true") != 0 && strcmp(node->text, "false") != 0) {
        expected(scope, node, "true or false");
        return;
    }
    value->type = NN_PARAM_BOOL;
    value->integer = node->text[0] == 't';
}

static void read_text(const struct scope *scope, const nn_param *param,
                      const nn_node *node, nn_value *value)
{
    if (!is_scalar(scope, node, "a text"))
        return;
    value->type = param->type;
    value->text = nn_scope_string(scope, node->text);
}

static void read_file(const struct scope *scope, const nn_node *node,
                      nn_setting *setting)
{
    const char *folder = scope->check->catalog->folder;
    nn_text path = {0};

    if (!is_scalar(scope, node, "a file name"))
        return;
    if (node->text[0] == '\0') {
        expected(scope, node, "a file name");
        return;
    }
    if (folder && node->text[0] != '/')
        nn_text_format(&path, "%s/", folder);
    nn_text_append(&path, node->text);
    setting->value.type = NN_PARAM_FILE;
    setting->value.text = nn_scope_string(scope, nn_text_string(&path));
    setting->written = nn_scope_string(scope, node->text);
    if (nn_text_status(&path))
        nn_scope_no_memory(scope);
    nn_text_finish(&path);
}

/* Notes that NODE is no choice, with a suggestion and all that are. */
static void refuse_choice(const struct scope *scope, const nn_param *param,
                          const nn_node *node)
{
    nn_text list = {0};
    nn_suggest suggest;
    char tail[128];
    char say[64];
    uint32_t i;

    nn_suggest_start(&suggest, node->text);
    for (i = 0; param->choices[i]; ++i) {
        nn_suggest_offer(&suggest, param->choices[i]);
        nn_text_format(&list, "%s%s", i ? ", " : "", param->choices[i]);
    }
    nn_scope_error(scope, NN_INVALID_ARGUMENT, "config.choice", &node->place,
                   "must be one of %s; got %s%s", nn_text_string(&list),
                   nn_node_say(node, say), nn_suggest_tail(&suggest, tail));
    nn_text_finish(&list);
}

static void read_choice(const struct scope *scope, const nn_param *param,
                        const nn_node *node, nn_value *value)
{
    uint32_t i;

    if (!param->choices) {
        broken(scope, node);
        return;
    }
    if (!is_scalar(scope, node, "a word"))
        return;
    for (i = 0; param->choices[i]; ++i)
        if (strcmp(param->choices[i], node->text) == 0)
            break;
    if (!param->choices[i]) {
        refuse_choice(scope, param, node);
        return;
    }
    value->type = NN_PARAM_CHOICE;
    value->integer = i;
    value->text = nn_scope_string(scope, node->text);
}

/* COUNT settings whose values become the items of VALUE; NULL without memory.
 */
static nn_setting *make_items(const struct scope *scope, nn_value *value,
                              uint32_t count)
{
    nn_setting *settings = nn_scope_alloc(scope, count, sizeof *settings);
    const nn_value **items = nn_scope_alloc(scope, count, sizeof *items);
    uint32_t i;

    if (!settings || !items)
        return NULL;
    for (i = 0; i < count; ++i)
        items[i] = &settings[i].value;
    value->items = items;
    value->count = count;
    return settings;
}

/* The name of a child in item I of a list or, under KEY, of a map. */
static void name_child(const struct scope *scope, const char *key, int64_t i,
                       struct scope *inner)
{
    if (key)
        snprintf(inner->child, sizeof inner->child, "%.60s_%.60s", scope->child,
                 key);
    else
        snprintf(inner->child, sizeof inner->child, "%.60s_%lld", scope->child,
                 (long long)i);
}

/* A scalar where a list is wanted is a list of one. */
static void read_lone_item(const struct scope *scope, const nn_param *param,
                           const nn_node *node, nn_value *value)
{
    struct scope inner = *scope;
    nn_setting *settings = make_items(scope, value, 1);

    if (!settings)
        return;
    name_child(scope, NULL, 0, &inner);
    nn_scope_value(&inner, param->element, node, settings);
    value->type = NN_PARAM_LIST;
}

/* Lists, and maps from names to values. */
static void read_items(const struct scope *scope, const nn_param *param,
                       const nn_node *node, nn_value *value)
{
    uint32_t kind = param->type == NN_PARAM_MAP ? NN_NODE_MAP : NN_NODE_LIST;
    struct scope inner = *scope;
    nn_setting *settings;
    const char **keys = NULL;
    int64_t i;

    if (!param->element) {
        broken(scope, node);
        return;
    }
    if (node->kind == NN_NODE_SCALAR && kind == NN_NODE_LIST) {
        read_lone_item(scope, param, node, value);
        return;
    }
    if (node->kind != kind) {
        expected(scope, node,
                 kind == NN_NODE_MAP ? "a map such as {a: 1}"
                                     : "a list such as [1, 2]");
        return;
    }
    settings = make_items(scope, value, (uint32_t)node->count);
    if (kind == NN_NODE_MAP)
        keys = nn_scope_alloc(scope, node->count, sizeof *keys);
    if (!settings || (kind == NN_NODE_MAP && !keys))
        return;
    for (i = 0; i < node->count; ++i) {
        name_child(scope, node->entries[i].key, i, &inner);
        nn_scope_value(&inner, param->element, node->entries[i].node,
                       &settings[i]);
        if (keys)
            keys[i] = nn_scope_string(scope, node->entries[i].key);
    }
    value->keys = keys;
    value->type = param->type;
}

static uint32_t count_fields(const nn_param *param)
{
    uint32_t count = 0;

    while (param->fields[count])
        ++count;
    return count;
}

/* A map with one entry: KEY and a copy of VALUE at its place. */
static nn_node *wrap(const char *key, const nn_node *value)
{
    nn_node *map = nn_node_map();
    nn_node *copy = nn_node_copy(value);

    if (!map || nn_node_put_at(map, key, &value->place, copy)) {
        if (!map)
            nn_node_destroy(copy);
        nn_node_destroy(map);
        return NULL;
    }
    return map;
}

static void read_record(const struct scope *scope, const nn_param *param,
                        const nn_node *node, nn_value *value)
{
    const nn_param *main_field = NULL;
    struct scope inner = *scope;
    nn_node *wrapped = NULL;
    nn_setting *settings;
    uint32_t count;

    if (!param->fields) {
        broken(scope, node);
        return;
    }
    count = count_fields(param);
    if (node->kind != NN_NODE_MAP) {
        main_field = nn_scope_main(param->fields, count);
        if (!main_field) {
            expected(scope, node, "a map");
            return;
        }
        wrapped = wrap(main_field->name, node);
        if (!wrapped)
            nn_scope_no_memory(scope);
    }
    settings = make_items(scope, value, count);
    inner.place = node->place;
    if (settings && (!main_field || wrapped))
        nn_scope_fields(&inner, param->fields, count, wrapped ? wrapped : node,
                        NULL, settings);
    value->type = NN_PARAM_RECORD;
    nn_node_destroy(wrapped);
}

static void read_typed(const struct scope *scope, const nn_param *param,
                       const nn_node *node, nn_setting *setting)
{
    switch (param->type) {
    case NN_PARAM_INT:
        read_int(scope, param, node, &setting->value);
        break;
    case NN_PARAM_REAL:
        read_real(scope, param, node, &setting->value);
        break;
    case NN_PARAM_BOOL:
        read_bool(scope, node, &setting->value);
        break;
    case NN_PARAM_STRING:
    case NN_PARAM_SCALAR:
        read_text(scope, param, node, &setting->value);
        break;
    case NN_PARAM_CHOICE:
        read_choice(scope, param, node, &setting->value);
        break;
    case NN_PARAM_FILE:
        read_file(scope, node, setting);
        break;
    case NN_PARAM_LIST:
    case NN_PARAM_MAP:
        read_items(scope, param, node, &setting->value);
        break;
    case NN_PARAM_COMPONENT:
        read_component(scope, param->kind, node, &setting->value);
        break;
    case NN_PARAM_NETWORK:
        read_network(scope, node, &setting->value);
        break;
    case NN_PARAM_RECORD:
        read_record(scope, param, node, &setting->value);
        break;
    default:
        broken(scope, node);
    }
}

/* True for a plain `none`, or JSON's `null`. */
static int is_none(const nn_node *node)
{
    return node->kind == NN_NODE_SCALAR && !node->quoted &&
           (strcmp(node->text, "none") == 0 || strcmp(node->text, "null") == 0);
}

void nn_scope_value(const struct scope *scope, const nn_param *param,
                    const nn_node *node, nn_setting *setting)
{
    setting->value.size = NN_SIZEOF(nn_value, child);
    setting->value.given = scope->given;
    setting->param = param;
    setting->place = nn_scope_place(scope, node->place.source ? &node->place
                                                              : &scope->place);
    if ((param->flags & NN_PARAM_NULLABLE) && is_none(node))
        return;
    if (node->kind == NN_NODE_SCALAR && !node->quoted &&
        node->text[0] == '\0') {
        nn_scope_error(scope, NN_INVALID_ARGUMENT, "config.empty-value",
                       &node->place, "has no value%s",
                       param->flags & NN_PARAM_NULLABLE ? "; write none" : "");
        return;
    }
    read_typed(scope, param, node, setting);
}
