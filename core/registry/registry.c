/* SPDX-License-Identifier: MIT */
/* registry.c - see registry.h.
 *
 * Creating: the candidates are listed in the order of search.h, examined
 * (examine.c), and their components laid end to end.  That order is the order
 * of precedence, so a component is shadowed if an earlier one that is OK has
 * its kind and name. */
#define _GNU_SOURCE
#include "core/registry/registry.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/registry/loaded.h"
#include "core/registry/registry_internal.h"
#include "core/util/error.h"

/* ---- messages ----------------------------------------------------------- */

void nn_registry_say(const nn_registry *registry, uint32_t level,
                     const char *format, ...)
{
    va_list arguments;
    char *formatted = NULL;

    va_start(arguments, format);
    if (vasprintf(&formatted, format, arguments) < 0)
        formatted = NULL;
    va_end(arguments);
    if (formatted)
        registry->host.host.log(&registry->host.host, level, formatted);
    free(formatted);
}

int32_t nn_candidate_mark(nn_registry *registry, nn_candidate *candidate,
                          enum nn_found state, const char *format, ...)
{
    va_list arguments;
    char *formatted = NULL;

    va_start(arguments, format);
    if (vasprintf(&formatted, format, arguments) < 0)
        formatted = NULL;
    va_end(arguments);
    if (!formatted)
        return nn_error_no_memory("the registry", 1);
    candidate->file.state = state;
    candidate->file.reason = nn_arena_string(registry->arena, formatted);
    if (state == NN_FOUND_REFUSED && !candidate->code)
        candidate->code = NN_INVALID_ARGUMENT;
    free(formatted);
    return candidate->file.reason ? NN_OK : NN_NO_MEMORY;
}

static void report_directories(const nn_registry *registry)
{
    const nn_directory *one;
    uint32_t i;

    for (i = 0; i < registry->directories.count; ++i) {
        one = &registry->directories.items[i];
        if (one->missing && (one->source == NN_SOURCE_HOME ||
                             one->source == NN_SOURCE_INSTALLATION))
            continue;
        if (one->reason)
            nn_registry_say(registry, NN_LOG_WARNING,
                            "plugin folder '%s' (%s) is not used: %s",
                            one->path, nn_search_source_name(one->source),
                            one->reason);
        else if (one->warning)
            nn_registry_say(registry, NN_LOG_WARNING,
                            "plugin folder %s: others can change it: %s",
                            one->path, one->warning);
    }
}

static void report_files(const nn_registry *registry)
{
    const nn_candidate *one;
    uint32_t i;

    for (i = 0; i < registry->n_candidates; ++i) {
        one = &registry->candidates[i];
        if (one->directory && one->directory->reason)
            continue;
        if (one->file.reason)
            nn_registry_say(registry,
                            one->file.state == NN_FOUND_REFUSED ? NN_LOG_WARNING
                                                                : NN_LOG_INFO,
                            "%s is not used: %s", one->file.path,
                            one->file.reason);
        if (one->file.warning && !(one->directory && one->directory->warning))
            nn_registry_say(registry, NN_LOG_WARNING,
                            "%s: others can change it: %s", one->file.path,
                            one->file.warning);
    }
}

/* One line for all components of a file that are shadowed for one reason. */
static void report_components(const nn_registry *registry)
{
    const nn_registry_component *one = registry->components;
    const nn_registry_component *end = one + registry->n_components;
    const nn_registry_component *next;

    for (; one < end; one = next) {
        for (next = one + 1;
             next < end && next->file == one->file &&
             next->state == one->state && one->state == NN_FOUND_SHADOWED &&
             !strcmp(next->reason, one->reason);
             ++next)
            continue;
        if (one->state == NN_FOUND_SHADOWED)
            nn_registry_say(registry, NN_LOG_WARNING,
                            "%s '%s'%s of %s not used: %s",
                            nn_kind_name(one->description->kind),
                            one->description->name,
                            next - one > 1 ? " and others" : "",
                            one->file->path, one->reason);
        else if (one->state == NN_FOUND_REFUSED)
            nn_registry_say(registry, NN_LOG_WARNING, "'%s' of %s not used: %s",
                            one->description->name, one->file->path,
                            one->reason);
    }
}

/* ---- candidates --------------------------------------------------------- */

static int32_t list_user_files(nn_registry *registry,
                               const nn_registry_options *options)
{
    nn_candidate *one;
    uint32_t i;

    for (i = 0; i < options->n_files; ++i) {
        if (!options->files[i] || !options->files[i][0])
            return nn_error_set(NN_INVALID_ARGUMENT, "registry.empty-path",
                                "the path of a plugin is empty");
        one = &registry->candidates[registry->n_candidates++];
        one->file.source = NN_SOURCE_USER;
        one->file.path = nn_search_absolute(options->files[i], registry->arena);
        if (!one->file.path)
            return nn_error_code();
    }
    return NN_OK;
}

static int32_t list_directory(nn_registry *registry,
                              const nn_directory *directory)
{
    nn_candidate *one;
    nn_text path = {0};
    int32_t code = NN_OK;
    uint32_t i;

    for (i = 0; !code && i < directory->names.count; ++i) {
        nn_text_format(&path, "%s/%s", directory->path,
                       directory->names.names[i]);
        code = nn_text_status(&path);
        if (code)
            break;
        one = &registry->candidates[registry->n_candidates++];
        one->directory = directory;
        one->file.source = directory->source;
        one->file.path = nn_arena_string(registry->arena, path.data);
        code = one->file.path ? NN_OK : NN_NO_MEMORY;
        nn_text_finish(&path);
    }
    nn_text_finish(&path);
    return code;
}

static void list_static(nn_registry *registry, const nn_static_plugin *list)
{
    nn_candidate *one;

    for (; list->name; ++list) {
        one = &registry->candidates[registry->n_candidates++];
        one->file.source = NN_SOURCE_PROGRAM;
        one->file.path = list->name;
        one->raw = list->entry;
    }
}

static int32_t list_candidates(nn_registry *registry,
                               const nn_registry_options *options)
{
    const nn_directories *directories = &registry->directories;
    const nn_static_plugin *built_in = options->static_plugins;
    int64_t most = options->n_files;
    int32_t code;
    uint32_t i;

    if (!built_in)
        built_in = nn_static_plugins;
    for (i = 0; i < directories->count; ++i)
        most += directories->items[i].names.count;
    for (i = 0; built_in[i].name; ++i)
        ++most;
    registry->candidates = nn_arena_alloc(registry->arena, most,
                                          sizeof *registry->candidates);
    if (!registry->candidates)
        return NN_NO_MEMORY;
    code = list_user_files(registry, options);
    for (i = 0; !code && i < directories->count; ++i)
        code = list_directory(registry, &directories->items[i]);
    if (!code)
        list_static(registry, built_in);
    return code;
}

/* ---- components --------------------------------------------------------- */

static int32_t same_component(const nn_component *a, const nn_component *b)
{
    return a->kind == b->kind && !strcmp(a->name, b->name);
}

/* State and reason of the last component in the list. */
static int32_t place(nn_registry *registry, nn_registry_component *added)
{
    nn_registry_component *one;
    nn_text reason = {0};

    added->reason = added->file->entry->reasons[added->index];
    added->state = added->reason ? NN_FOUND_REFUSED : added->file->state;
    if (added->state != NN_FOUND_OK) {
        if (!added->reason)
            added->reason = added->file->reason;
        return NN_OK;
    }
    for (one = registry->components; one < added; ++one) {
        if (one->state != NN_FOUND_OK ||
            !same_component(one->description, added->description))
            continue;
        nn_text_format(&reason, "%s of %s comes first",
                       one->file->entry->plugin.id, one->file->path);
        added->state = NN_FOUND_SHADOWED;
        added->reason = nn_arena_string(registry->arena,
                                        nn_text_string(&reason));
        nn_text_finish(&reason);
        return added->reason ? NN_OK : NN_NO_MEMORY;
    }
    return NN_OK;
}

static int32_t list_components(nn_registry *registry)
{
    const nn_registry_file *file;
    nn_registry_component *added;
    int64_t most = 0;
    int32_t code = NN_OK;
    uint32_t i;
    uint32_t j;

    for (i = 0; i < registry->n_candidates; ++i)
        if (registry->candidates[i].file.entry)
            most += registry->candidates[i].file.entry->plugin.n_components;
    registry->components = nn_arena_alloc(registry->arena, most,
                                          sizeof *registry->components);
    if (!registry->components)
        return NN_NO_MEMORY;
    for (i = 0; !code && i < registry->n_candidates; ++i) {
        file = &registry->candidates[i].file;
        for (j = 0;
             !code && file->entry && j < file->entry->plugin.n_components;
             ++j) {
            added = &registry->components[registry->n_components++];
            added->description = file->entry->plugin.components[j];
            added->file = file;
            added->index = j;
            code = place(registry, added);
        }
    }
    return code;
}

/* ---- the registry ------------------------------------------------------- */

/* The first file that the user named and that was refused is an error. */
static int32_t check_user_files(const nn_registry *registry)
{
    const nn_candidate *one = registry->candidates;
    const nn_candidate *end = one + registry->n_candidates;
    char path[1024];

    for (; one < end && one->file.source == NN_SOURCE_USER; ++one)
        if (one->file.state == NN_FOUND_REFUSED ||
            one->file.state == NN_FOUND_OFF)
            return nn_error_set(one->code ? one->code : NN_UNSUPPORTED,
                                "registry.plugin", "%s: %s",
                                nn_search_shown(one->file.path, path),
                                one->file.reason);
    return NN_OK;
}

static int32_t fill(nn_registry *registry, const nn_registry_options *options)
{
    int32_t code = nn_arena_create(&registry->arena);

    if (!code)
        code = nn_search_directories(options->plugin_path,
                                     options->n_plugin_path, registry->arena,
                                     &registry->directories);
    if (!code)
        code = list_candidates(registry, options);
    if (!code)
        code = nn_registry_examine(registry);
    if (!code)
        code = list_components(registry);
    if (!code)
        code = check_user_files(registry);
    return code;
}

int32_t nn_registry_create(const nn_registry_options *options,
                           nn_registry **out)
{
    const nn_registry_options defaults = {0};
    nn_registry *registry = calloc(1, sizeof *registry);
    int32_t code;

    *out = NULL;
    if (!registry)
        return nn_error_no_memory("the registry", sizeof *registry);
    if (!options)
        options = &defaults;
    nn_host_init(&registry->host, options->log, options->log_self);
    code = fill(registry, options);
    if (code) {
        nn_registry_destroy(registry);
        return code;
    }
    report_directories(registry);
    report_files(registry);
    report_components(registry);
    *out = registry;
    return NN_OK;
}

void nn_registry_destroy(nn_registry *registry)
{
    if (!registry)
        return;
    nn_arena_destroy(registry->arena);
    free(registry);
}

const nn_host *nn_registry_host(const nn_registry *registry)
{
    return &registry->host.host;
}

int32_t nn_registry_load(const nn_registry *registry,
                         const nn_registry_component *component,
                         const nn_component **live)
{
    const nn_candidate *from = (const nn_candidate *)component->file;
    const nn_plugin_data *entry = NULL;
    int32_t code;

    (void)registry;
    if (component->state == NN_FOUND_OFF ||
        component->state == NN_FOUND_REFUSED)
        return nn_error_set(NN_UNSUPPORTED, "registry.off",
                            "'%s' of %s cannot be used: %s",
                            component->description->name, from->file.path,
                            component->reason);
    if (from->raw)
        code = nn_loaded_open_static(from->file.path, from->raw, &entry);
    else
        code = nn_loaded_open(from->file.path, &from->status, &entry);
    if (code)
        return code;
    if (component->index >= entry->plugin.n_components ||
        entry->reasons[component->index] ||
        !same_component(entry->plugin.components[component->index],
                        component->description))
        return nn_error_set(NN_STATE, "registry.changed",
                            "%s: it does not hold what it described",
                            from->file.path);
    *live = entry->plugin.components[component->index];
    return NN_OK;
}
