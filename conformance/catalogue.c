/* SPDX-License-Identifier: MIT */
/* catalogue.c - see catalogue.h. */
#include "conformance/catalogue.h"

#include <string.h>

#define LEVELS 5

static const char *const levels[LEVELS] = {
    [LEVEL_LOAD] = "load",         [LEVEL_BASIC] = "basic",
    [LEVEL_STANDARD] = "standard", [LEVEL_STRICT] = "strict",
    [LEVEL_SOAK] = "soak",
};

const check *catalogue_at(uint32_t index)
{
    static const check *const *const all[] = {
        plugin_checks,  layer_checks, layer_more_checks,
        handler_checks, data_checks,  hook_checks,
        training_checks,
    };
    size_t i;
    uint32_t j;

    for (i = 0; i < sizeof all / sizeof *all; ++i)
        for (j = 0; all[i][j]; ++j)
            if (!index--)
                return all[i][j];
    return NULL;
}

const check *catalogue_find(const char *id)
{
    const check *one;
    uint32_t i;

    for (i = 0; (one = catalogue_at(i)); ++i)
        if (!strcmp(one->id, id))
            return one;
    return NULL;
}

int catalogue_suits(const check *check, uint32_t kind)
{
    return check->kind == kind || check->kind == KIND_ANY;
}

const char *catalogue_kind(const check *check)
{
    if (!check->kind)
        return "file";
    return check->kind == KIND_ANY ? "any" : nn_kind_name(check->kind);
}

const char *level_name(enum level level)
{
    return levels[level];
}

int level_find(const char *name, enum level *level)
{
    int i;

    for (i = 0; i < LEVELS; ++i)
        if (!strcmp(levels[i], name)) {
            *level = (enum level)i;
            return 1;
        }
    return 0;
}
