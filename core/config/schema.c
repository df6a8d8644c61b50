/* SPDX-License-Identifier: MIT */
/* schema.c - maps of parameters, and the entrances of the check.
 *
 * The keys of a map are read in its order, so that errors come in the order of
 * the text; what it does not give is filled in afterwards.  One value is read
 * in value.c, one component in select.c. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/config/scope.h"
#include "core/util/error.h"
#include "core/util/suggest.h"

void nn_scope_error(const struct scope *scope, int32_t code, const char *id,
                    const nn_place *place, const char *format, ...)
{
    char text[NN_DIAGNOSTIC_TEXT];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (!place->source)
        place = &scope->place;
    nn_diagnostics_error(scope->check->diagnostics, code, id, place,
                         "%s%s%s%s%s%s", scope->subject,
                         *scope->subject ? ": " : "",
                         scope->parameter ? "parameter '" : "",
                         scope->parameter ? scope->parameter : "",
                         scope->parameter ? "': " : "", text);
    if (!scope->check->code)
        scope->check->code = code;
}

void nn_scope_no_memory(const struct scope *scope)
{
    if (!scope->check->code)
        scope->check->code = NN_NO_MEMORY;
}

void *nn_scope_alloc(const struct scope *scope, int64_t count, int64_t size)
{
    void *memory = nn_arena_alloc(scope->check->arena, count, size);

    if (!memory)
        nn_scope_no_memory(scope);
    return memory;
}

const char *nn_scope_string(const struct scope *scope, const char *text)
{
    char *copy = nn_arena_string(scope->check->arena, text);

    if (!copy)
        nn_scope_no_memory(scope);
    return copy;
}

static void release_source(void *source)
{
    nn_source_release(source);
}

nn_place nn_scope_place(const struct scope *scope, const nn_place *place)
{
    struct check *check = scope->check;

    if (place->source && place->source != check->held) {
        check->held = nn_source_hold(place->source);
        if (nn_arena_defer(check->arena, release_source, place->source)) {
            nn_scope_no_memory(scope);
            check->held = NULL;
            return (nn_place){NULL, 0, 0};
        }
    }
    return *place;
}

/* True if NAME is one of LIST, which may be NULL. */
static int is_one_of(const char *name, const char *const *list)
{
    for (; list && *list; ++list)
        if (strcmp(*list, name) == 0)
            return 1;
    return 0;
}

/* The index of the parameter called NAME, COUNT if there is none.  One that
 * takes the rest has no name in a config. */
static uint32_t find_param(const nn_param *const *params, uint32_t count,
                           const char *name)
{
    uint32_t i = 0;

    while (i < count && ((params[i]->flags & NN_PARAM_REST) ||
                         strcmp(params[i]->name, name) != 0))
        ++i;
    return i;
}

/* The index of the parameter that takes the rest, COUNT if there is none. */
static uint32_t find_rest(const nn_param *const *params, uint32_t count)
{
    uint32_t i = 0;

    while (i < count && !(params[i]->flags & NN_PARAM_REST))
        ++i;
    return i;
}

/* Puts a copy of ENTRY into *REST, which is made for the first. */
static void keep_rest(const struct scope *scope, const nn_entry *entry,
                      nn_node **rest)
{
    if (!*rest)
        *rest = nn_node_map();
    if (!*rest || nn_node_put_at(*rest, entry->key, &entry->key_place,
                                 nn_node_copy(entry->node)))
        nn_scope_no_memory(scope);
}

/* Notes that ENTRY is neither a parameter nor the caller's. */
static void refuse_key(const struct scope *scope, const nn_param *const *params,
                       uint32_t count, const nn_entry *entry,
                       const char *const *others)
{
    nn_suggest suggest;
    char tail[128];
    uint32_t i;

    nn_suggest_start(&suggest, entry->key);
    for (i = 0; i < count; ++i)
        nn_suggest_offer(&suggest, params[i]->name);
    for (; others && *others; ++others)
        nn_suggest_offer(&suggest, *others);
    nn_scope_error(scope, NN_INVALID_ARGUMENT, "config.unknown-key",
                   entry->key_place.source ? &entry->key_place
                                           : &entry->node->place,
                   "unknown parameter '%s'%s", entry->key,
                   nn_suggest_tail(&suggest, tail));
}

/* The tree of a default; NULL after noting the error. */
static nn_node *read_default(const struct scope *scope, const nn_param *param)
{
    const char *text = param->default_text;
    nn_node *node = NULL;
    char name[192];
    int32_t code;

    if (nn_node_is_plain(text, 0)) { /* most of them: saves the YAML parser */
        node = nn_node_scalar(text);
        code = node ? NN_OK : NN_NO_MEMORY;
    } else {
        snprintf(name, sizeof name, "default of '%s' of %s", param->name,
                 scope->subject);
        code = nn_node_read(text, strlen(text), name, scope->check->diagnostics,
                            &node);
    }
    if (code && !scope->check->code)
        scope->check->code = code;
    return node;
}

/* Sets what the config does not give: the default, or nothing. */
static void fill_in(const struct scope *scope, const nn_param *param,
                    nn_setting *setting)
{
    struct scope inner = *scope;
    nn_node *node;

    setting->value.size = NN_SIZEOF(nn_value, child);
    setting->param = param;
    setting->place = nn_scope_place(scope, &scope->place);
    if (param->flags & NN_PARAM_REQUIRED) {
        inner.parameter = NULL;
        nn_scope_error(&inner, NN_INVALID_ARGUMENT, "config.missing-key",
                       &scope->place, "parameter '%s' is missing", param->name);
        return;
    }
    if (!param->default_text)
        return;
    node = read_default(scope, param);
    if (!node)
        return;
    inner.given = 0;
    nn_scope_value(&inner, param, node, setting);
    setting->place = nn_scope_place(scope, &scope->place);
    nn_node_destroy(node);
}

/* The scope of the value of parameter NAME. */
static struct scope value_scope(const struct scope *scope, const char *name)
{
    struct scope inner = *scope;

    inner.parameter = name;
    inner.typed = 0;
    if (scope->parameter)
        snprintf(inner.child, sizeof inner.child, "%.60s_%.60s", scope->child,
                 name);
    else
        snprintf(inner.child, sizeof inner.child, "%.120s", name);
    return inner;
}

void nn_scope_fields(const struct scope *scope, const nn_param *const *params,
                     uint32_t count, const nn_node *map,
                     const char *const *others, nn_setting *settings)
{
    uint32_t rest = find_rest(params, count);
    nn_node *kept = NULL;
    struct scope inner;
    int64_t i;
    uint32_t j;

    for (i = 0; map && i < map->count; ++i) {
        const nn_entry *entry = &map->entries[i];

        j = find_param(params, count, entry->key);
        if (j < count) {
            inner = value_scope(scope, entry->key);
            nn_scope_value(&inner, params[j], entry->node, &settings[j]);
        } else if (is_one_of(entry->key, others) ||
                   (scope->typed && strcmp(entry->key, "type") == 0)) {
            continue;
        } else if (rest < count) {
            keep_rest(scope, entry, &kept);
        } else {
            refuse_key(scope, params, count, entry, others);
        }
    }
    if (kept) {
        inner = value_scope(scope, params[rest]->name);
        nn_scope_value(&inner, params[rest], kept, &settings[rest]);
        nn_node_destroy(kept);
    }
    for (j = 0; j < count; ++j) {
        if (settings[j].param)
            continue;
        inner = value_scope(scope, params[j]->name);
        fill_in(&inner, params[j], &settings[j]);
    }
}

const nn_param *nn_scope_main(const nn_param *const *params, uint32_t count)
{
    const nn_param *required = NULL;
    uint32_t found = 0;
    uint32_t i;

    for (i = 0; i < count; ++i) {
        if (params[i]->flags & NN_PARAM_MAIN)
            return params[i];
        if (params[i]->flags & NN_PARAM_REQUIRED) {
            required = params[i];
            ++found;
        }
    }
    return found == 1 ? required : NULL;
}

nn_params *nn_scope_params(const struct scope *scope,
                           const nn_param *const *params, uint32_t count,
                           const nn_node *map, const char *const *others)
{
    nn_params *result = nn_scope_alloc(scope, 1, sizeof *result);
    nn_setting *settings = nn_scope_alloc(scope, count, sizeof *settings);
    const nn_value **values = nn_scope_alloc(scope, count, sizeof *values);
    uint32_t i;

    if (!result || !settings || !values)
        return NULL;
    for (i = 0; i < count; ++i)
        values[i] = &settings[i].value;
    result->size = NN_SIZEOF(nn_params, values);
    result->count = count;
    result->values = values;
    nn_scope_fields(scope, params, count, map, others, settings);
    return result;
}

int32_t nn_schema_component(const nn_catalog *catalog, uint32_t kind,
                            const nn_node *node, const char *what,
                            const char *const *others, nn_arena *arena,
                            nn_diagnostics *diagnostics, nn_named *out)
{
    struct check check = {catalog, arena, diagnostics, NN_OK, NULL};
    struct scope scope = {.check = &check,
                          .subject = "",
                          .place = node->place,
                          .given = 1};

    memset(out, 0, sizeof *out);
    nn_scope_component(&scope, kind, node, what, others, out);
    if (check.code)
        memset(out, 0, sizeof *out);
    return check.code;
}

int32_t nn_schema_params(const nn_catalog *catalog,
                         const nn_param *const *params, uint32_t count,
                         const nn_node *node, const nn_place *place,
                         const char *subject, const char *const *others,
                         nn_arena *arena, nn_diagnostics *diagnostics,
                         const nn_params **out)
{
    struct check check = {catalog, arena, diagnostics, NN_OK, NULL};
    struct scope scope = {.check = &check, .subject = subject, .given = 1};
    nn_params *result = NULL;
    char say[64];

    if (place)
        scope.place = *place;
    if (node && node->kind != NN_NODE_MAP)
        nn_scope_error(&scope, NN_INVALID_ARGUMENT, "config.type", &node->place,
                       "expected a map of parameters, got %s",
                       nn_node_say(node, say));
    else
        result = nn_scope_params(&scope, params, count, node, others);
    *out = check.code ? NULL : result;
    return check.code;
}

const nn_setting *nn_schema_find(const nn_params *params, const char *name)
{
    uint32_t i;

    for (i = 0; i < params->count; ++i) {
        const nn_setting *setting = nn_setting_of(params->values[i]);

        if (strcmp(setting->param->name, name) == 0)
            return setting;
    }
    return NULL;
}
