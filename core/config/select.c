/* SPDX-License-Identifier: MIT */
/* select.c - one component, in any of the forms of schema.h.
 *
 * All forms are brought to the same three things: the name, where it stands,
 * and a map of parameters (none for a bare name).  The short forms get their
 * map made for them. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/config/scope.h"
#include "core/registry/interface.h"
#include "core/util/error.h"
#include "core/util/suggest.h"

/* A component as the config wrote it, whatever the form. */
struct written {
    char *name;            /* owned */
    nn_place place;        /* of the name or of the map that has no name */
    const nn_node *params; /* map, or NULL for none */
    const nn_node *value;  /* `{name: value}`, or NULL */
    char *inner;           /* of `name(inner)`, owned, or NULL */
    nn_place inner_place;
    int32_t typed; /* the map has a key `type`, which is the name */
};

/* Splits "name(inner)" at its first parenthesis; the closing one must end
 * it. */
static int32_t split_name(const struct scope *scope, const nn_node *node,
                          struct written *written)
{
    const char *text = node->text;
    size_t length = strlen(text);
    const char *open = strchr(text, '(');

    written->place = node->place;
    if (open && (open == text || text[length - 1] != ')')) {
        nn_scope_error(scope, NN_INVALID_ARGUMENT, "config.component",
                       &node->place, "'%s' is not of the form name(inner)",
                       text);
        return NN_INVALID_ARGUMENT;
    }
    written->name = strndup(text, open ? (size_t)(open - text) : length);
    if (open) {
        written->inner = strndup(open + 1, (size_t)(text + length - open) - 2);
        written->inner_place = node->place;
        if (node->place.column)
            written->inner_place.column += (uint32_t)(open - text) + 1 +
                                           node->quoted;
    }
    if (written->name && (!open || written->inner))
        return NN_OK;
    nn_error_no_memory("a name", length);
    nn_scope_no_memory(scope);
    return NN_NO_MEMORY;
}

/* {type: name, param: value} or {name: ...} */
static int32_t split_map(const struct scope *scope, const nn_node *node,
                         struct written *written)
{
    const nn_node *type = nn_node_find(node, "type");
    const nn_entry *entry = node->entries;
    char say[64];

    if (type && type->kind == NN_NODE_SCALAR) {
        written->params = node;
        written->typed = 1;
        return split_name(scope, type, written);
    }
    if (type || node->count != 1) {
        nn_scope_error(scope, NN_INVALID_ARGUMENT, "config.component",
                       type ? &type->place : &node->place,
                       type ? "`type` must be a name, got %s"
                            : "write {name: ...} or {type: name, ...}, got %s",
                       nn_node_say(type ? type : node, say));
        return NN_INVALID_ARGUMENT;
    }
    written->place = entry->key_place.source ? entry->key_place : node->place;
    written->name = strdup(entry->key);
    if (!written->name) {
        nn_error_no_memory("a name", strlen(entry->key));
        nn_scope_no_memory(scope);
        return NN_NO_MEMORY;
    }
    if (entry->node->kind == NN_NODE_MAP)
        written->params = entry->node;
    else
        written->value = entry->node;
    return NN_OK;
}

/* Brings NODE to what all forms have in common. */
static int32_t split(const struct scope *scope, const nn_node *node,
                     struct written *written)
{
    char say[64];

    if (node->kind == NN_NODE_MAP && node->count)
        return split_map(scope, node, written);
    if (node->kind == NN_NODE_SCALAR && node->text[0])
        return split_name(scope, node, written);
    nn_scope_error(scope, NN_INVALID_ARGUMENT, "config.component", &node->place,
                   "expected a name or {name: ...}, got %s",
                   nn_node_say(node, say));
    return NN_INVALID_ARGUMENT;
}

/* Notes that there is no component NAME of KIND, and what there is. */
static void refuse_name(const struct scope *scope, uint32_t kind,
                        const char *what, const struct written *written)
{
    const nn_catalog *catalog = scope->check->catalog;
    const char *why = catalog->why
                          ? catalog->why(catalog->self, kind, written->name)
                          : NULL;
    nn_text tail = {0};
    nn_suggest suggest;
    char buffer[128];
    const char *name;
    int64_t i;

    nn_suggest_start(&suggest, written->name);
    for (i = 0; (name = catalog->name(catalog->self, kind, i)); ++i) {
        nn_suggest_offer(&suggest, name);
        nn_text_format(&tail, "%s%s", i ? ", " : "; known are ", name);
    }
    if (why)
        nn_scope_error(scope, NN_UNSUPPORTED, "config.component-off",
                       &written->place, "%s '%s' cannot be used: %s", what,
                       written->name, why);
    else
        nn_scope_error(scope, NN_NOT_FOUND, "config.unknown-component",
                       &written->place, "unknown %s '%s'%s", what,
                       written->name,
                       suggest.name ? nn_suggest_tail(&suggest, buffer)
                                    : nn_text_string(&tail));
    nn_text_finish(&tail);
}

/* The one parameter of COMPONENT that is a component of its own kind. */
static const nn_param *inner_param(const nn_component *component)
{
    const nn_param *found = NULL;
    uint32_t i;

    for (i = 0; i < component->n_params; ++i) {
        const nn_param *param = component->params[i];

        if (param->type != NN_PARAM_COMPONENT || param->kind != component->kind)
            continue;
        if (found)
            return NULL;
        found = param;
    }
    return found;
}

/* A copy of the parameters with KEY set to VALUE (taken), which they must not
 * have yet. */
static nn_node *with_param(const struct scope *scope,
                           const struct written *written, const char *key,
                           nn_node *value)
{
    nn_node *map = written->params ? nn_node_copy(written->params)
                                   : nn_node_map();

    if (map && nn_node_find(map, key)) {
        nn_scope_error(scope, NN_INVALID_ARGUMENT, "config.repeated-key",
                       &written->place, "parameter '%s' is given twice", key);
    } else if (map) {
        if (!nn_node_put_at(map, key, &written->place, value))
            return map;
        value = NULL;
    }
    nn_scope_no_memory(scope);
    nn_node_destroy(map);
    nn_node_destroy(value);
    return NULL;
}

/* The map of `name(inner)`; NULL after noting the error. */
static nn_node *inner_map(const struct scope *scope,
                          const nn_component *component,
                          const struct written *written)
{
    const nn_param *param = inner_param(component);
    nn_node *value;

    if (!param) {
        nn_scope_error(scope, NN_INVALID_ARGUMENT, "config.component",
                       &written->place, "takes no %s in parentheses",
                       nn_kind_name(component->kind));
        return NULL;
    }
    value = nn_node_scalar(written->inner);
    if (!value) {
        nn_scope_no_memory(scope);
        return NULL;
    }
    value->place = written->inner_place;
    nn_source_hold(value->place.source);
    return with_param(scope, written, param->name, value);
}

/* The map of `{name: value}`; NULL after noting the error. */
static nn_node *main_map(const struct scope *scope,
                         const nn_component *component,
                         const struct written *written)
{
    const nn_param *param = nn_scope_main(component->params,
                                          component->n_params);
    char say[64];

    if (!param || (written->value->kind == NN_NODE_SCALAR &&
                   !written->value->quoted && !written->value->text[0])) {
        nn_scope_error(scope, NN_INVALID_ARGUMENT, "config.component",
                       &written->value->place,
                       "expected a map of parameters, got %s",
                       nn_node_say(written->value, say));
        return NULL;
    }
    return with_param(scope, written, param->name,
                      nn_node_copy(written->value));
}

/* The map of the parameters of COMPONENT: what is written, or made in *MADE
 * (owned by the caller) from a short form.  Returns 0 after noting an error. */
static int params_map(const struct scope *scope, const nn_component *component,
                      const struct written *written, nn_node **made,
                      const nn_node **map)
{
    *made = NULL;
    *map = written->params;
    if (written->inner)
        *made = inner_map(scope, component, written);
    else if (written->value)
        *made = main_map(scope, component, written);
    else
        return 1;
    *map = *made;
    return *made != NULL;
}

/* Reads the parameters of what is written, once its component is known. */
static void read_params(const struct scope *outer,
                        const nn_component *component, const char *what,
                        const struct written *written,
                        const char *const *others, nn_named *out)
{
    struct scope scope = *outer;
    const nn_node *map;
    nn_node *made;
    char subject[128];

    snprintf(subject, sizeof subject, "%.30s '%.80s'", what, written->name);
    scope.subject = subject;
    scope.parameter = NULL;
    scope.place = written->place;
    scope.typed = written->typed;
    ++scope.depth;
    if (params_map(&scope, component, written, &made, &map)) {
        out->component = component;
        out->name = nn_scope_string(&scope, written->name);
        out->place = nn_scope_place(&scope, &written->place);
        out->body = written->params;
        out->params = nn_scope_params(&scope, component->params,
                                      component->n_params, map, others);
    }
    nn_node_destroy(made);
}

void nn_scope_component(const struct scope *scope, uint32_t kind,
                        const nn_node *node, const char *what,
                        const char *const *others, nn_named *out)
{
    const nn_catalog *catalog = scope->check->catalog;
    const nn_component *component;
    struct written written = {0};

    out->node = node;
    if (scope->depth == NN_SCHEMA_DEPTH) {
        nn_scope_error(scope, NN_INVALID_ARGUMENT, "config.too-deep",
                       &node->place, "components are nested more than %d deep",
                       NN_SCHEMA_DEPTH);
        return;
    }
    if (split(scope, node, &written) == NN_OK) {
        if (!written.place.source)
            written.place = scope->place;
        component = catalog->find(catalog->self, kind, written.name);
        if (component)
            read_params(scope, component, what, &written, others, out);
        else
            refuse_name(scope, kind, what, &written);
    }
    free(written.name);
    free(written.inner);
}
