/* SPDX-License-Identifier: MIT */
/* lookup.c - finding components by name, and saying why one is not found; see
 * registry.h. */
#include <string.h>

#include "core/registry/registry_internal.h"

const nn_directory *nn_registry_directory(const nn_registry *registry,
                                          uint32_t index)
{
    if (index >= registry->directories.count)
        return NULL;
    return &registry->directories.items[index];
}

const nn_registry_file *nn_registry_file_at(const nn_registry *registry,
                                            uint32_t index)
{
    if (index >= registry->n_candidates)
        return NULL;
    return &registry->candidates[index].file;
}

const nn_registry_component *nn_registry_component_at(
    const nn_registry *registry, uint32_t index)
{
    if (index >= registry->n_components)
        return NULL;
    return &registry->components[index];
}

/* Is ONE what NAME, `name` or `id:name`, means?  Kinds are not compared. */
static int32_t is_named(const nn_registry_component *one, const char *name)
{
    const char *id = one->file->entry->plugin.id;
    size_t length = strlen(id);

    if (!strcmp(one->description->name, name))
        return 1;
    return !strncmp(name, id, length) && name[length] == ':' &&
           !strcmp(one->description->name, name + length + 1);
}

const nn_registry_component *nn_registry_find(const nn_registry *registry,
                                              uint32_t kind, const char *name)
{
    const nn_registry_component *one = registry->components;
    const nn_registry_component *end = one + registry->n_components;
    int32_t with_id = strchr(name, ':') != NULL;

    for (; one < end; ++one)
        if (one->description->kind == kind && is_named(one, name) &&
            (one->state == NN_FOUND_OK ||
             (with_id && one->state == NN_FOUND_SHADOWED)))
            return one;
    return NULL;
}

/* "searched: /a (3 files), /b (there is no such folder)". */
static void explain_search(const nn_registry *registry, nn_text *out)
{
    const nn_directory *one;
    uint32_t refused = 0;
    uint32_t i;

    nn_text_append(out, "searched:");
    for (i = 0; i < registry->directories.count; ++i) {
        one = &registry->directories.items[i];
        nn_text_format(out, "%s %s (", i ? "," : "",
                       one->path[0] ? one->path : "''");
        if (one->reason)
            nn_text_append(out, one->reason);
        else
            nn_text_format(out, "%u file%s", one->names.count,
                           one->names.count == 1 ? "" : "s");
        nn_text_append(out, ")");
    }
    for (i = 0; i < registry->n_candidates; ++i)
        refused += registry->candidates[i].file.state == NN_FOUND_REFUSED;
    nn_text_format(out, "; %u plugin file%s seen", registry->n_candidates,
                   registry->n_candidates == 1 ? "" : "s");
    if (refused)
        nn_text_format(out, ", %u refused", refused);
}

void nn_registry_explain(const nn_registry *registry, uint32_t kind,
                         const char *name, nn_text *out)
{
    const nn_registry_component *one = registry->components;
    const nn_registry_component *end = one + registry->n_components;
    const nn_registry_component *other = NULL;
    const char *wanted = nn_kind_name(kind);

    for (; one < end; ++one) {
        if (!is_named(one, name))
            continue;
        if (one->description->kind == kind && one->reason) {
            nn_text_format(out, "'%s' of %s cannot be used: %s", name,
                           one->file->path, one->reason);
            return;
        }
        if (nn_kind_name(one->description->kind))
            other = one;
    }
    if (other)
        nn_text_format(out, "'%s' is a %s, not a %s", name,
                       nn_kind_name(other->description->kind),
                       wanted ? wanted : "component of that kind");
    else
        explain_search(registry, out);
}
