/* SPDX-License-Identifier: MIT */
/* lookup.c - see lookup.h. */
#include "core/model/lookup.h"

#include <string.h>

#include "core/util/error.h"

const nn_component *nn_lookup_find(void *self, uint32_t kind, const char *name)
{
    const nn_lookup *lookup = self;
    const nn_registry_component *found;
    const nn_component *live = NULL;

    found = nn_registry_find(lookup->registry, kind, name);
    if (!found || nn_registry_load(lookup->registry, found, &live))
        return NULL;
    return live;
}

static const char *find_name(void *self, uint32_t kind, int64_t index)
{
    const nn_lookup *lookup = self;
    const nn_registry_component *one;
    uint32_t i;

    for (i = 0; (one = nn_registry_component_at(lookup->registry, i)); ++i)
        if (one->description->kind == kind && one->state == NN_FOUND_OK &&
            index-- == 0)
            return one->description->name;
    return NULL;
}

/* 1 if some file offers NAME of KIND, to be used or not. */
static int is_known(const nn_lookup *lookup, uint32_t kind, const char *name)
{
    const nn_registry_component *one;
    uint32_t i;

    for (i = 0; (one = nn_registry_component_at(lookup->registry, i)); ++i)
        if (one->description->kind == kind &&
            !strcmp(one->description->name, name))
            return 1;
    return 0;
}

/* Why NAME cannot be used; NULL if it is not known at all, and plugins were
 * found. */
static const char *find_why(void *self, uint32_t kind, const char *name)
{
    nn_lookup *lookup = self;
    const nn_registry_component *found;
    const nn_component *live = NULL;
    nn_text text = {0};
    char *copy = NULL;

    found = nn_registry_find(lookup->registry, kind, name);
    if (found && nn_registry_load(lookup->registry, found, &live))
        nn_text_append(&text, nn_error_text());
    else if (is_known(lookup, kind, name) ||
             !nn_registry_file_at(lookup->registry, 0))
        nn_registry_explain(lookup->registry, kind, name, &text);
    if (text.length)
        copy = nn_arena_string(lookup->arena, nn_text_string(&text));
    nn_text_finish(&text);
    return copy;
}

void nn_lookup_catalog(nn_lookup *lookup, const char *folder,
                       nn_catalog *catalog)
{
    memset(catalog, 0, sizeof *catalog);
    catalog->self = lookup;
    catalog->find = nn_lookup_find;
    catalog->name = find_name;
    catalog->why = find_why;
    catalog->folder = folder;
}
