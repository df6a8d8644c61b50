/* SPDX-License-Identifier: MIT */
/* schema.h - a description checked against the parameters of components.
 *
 * Out come typed values in the order of the parameters, with every default
 * filled in, as components read them (<nn/params.h>).
 *
 * A component is written in one of these forms:
 *     name                       all defaults
 *     name(inner)                its one parameter that is a component of the
 *                                same kind, as in debug(cpu)
 *     {name: {param: value}}
 *     {name: value}              its NN_PARAM_MAIN or only required parameter
 *     {type: name, param: value}
 *
 * Checking goes on after an error; all of them are in the diagnostics. */
#ifndef NN_CORE_CONFIG_SCHEMA_H
#define NN_CORE_CONFIG_SCHEMA_H

#include <nn/plugin.h>

#include "core/config/child.h"
#include "core/config/description.h"
#include "core/util/arena.h"

/* How deep components may contain components. */
#define NN_SCHEMA_DEPTH 32

/* What the check knows about the world. */
typedef struct nn_catalog {
    void *self; /* first argument of the callbacks */

    /* The component of KIND called NAME ("name" or "plugin-id:name"), or NULL.
     */
    const nn_component *(*find)(void *self, uint32_t kind, const char *name);

    /* The name of component INDEX of KIND, from 0; NULL behind the last. */
    const char *(*name)(void *self, uint32_t kind, int64_t index);

    /* Why NAME is known but cannot be used ("needs CPU feature avx2"), or NULL.
     * The callback may be NULL. */
    const char *(*why)(void *self, uint32_t kind, const char *name);

    const char *folder; /* FILE paths are relative to it; NULL: as written */
} nn_catalog;

/* One value with what stands behind it.  Every nn_value that the check makes,
 * items included, is the first member of one; nn_setting_of gets it back. */
typedef struct nn_setting {
    nn_value value; /* `child` is set for COMPONENT and NETWORK, and for a
                       schedule in place of a TUNABLE number (type REAL, `real`
                       0 until somebody sets it, `text` the schedule's name) */
    const nn_param *param;
    nn_place place;      /* of the value; of the component for a default */
    const char *written; /* FILE: the path as it was written; else NULL */
} nn_setting;

/* A component that a config chose, with its values. */
typedef struct nn_named {
    const nn_component *component;
    const char *name;        /* as the config wrote it */
    nn_place place;          /* of the name */
    const nn_params *params; /* made of settings */
    const nn_node *node;     /* all of it, in the tree that was checked */
    const nn_node *body;     /* its map of parameters in that tree, or NULL if
                                it has none */
} nn_named;

/* Checks NODE as a component of KIND, which messages call WHAT ("layer").
 * OTHERS (NULL-terminated, or NULL) are keys that stand among its parameters
 * but belong to the caller, such as the `from` of a layer.  Values, and the
 * nodes of children, live in ARENA and need the tree no longer.  Returns NN_OK,
 * or the code of the first error that was added to DIAGNOSTICS (may be NULL)
 * with *OUT zero.  [any, one thread an arena] */
int32_t nn_schema_component(const nn_catalog *catalog, uint32_t kind,
                            const nn_node *node, const char *what,
                            const char *const *others, nn_arena *arena,
                            nn_diagnostics *diagnostics, nn_named *out);

/* Checks NODE, a map or NULL (nothing given), as COUNT parameters, of a
 * component or not; messages call the whole SUBJECT ("training").  What is
 * missing is missing at PLACE.  Otherwise as nn_schema_component. */
int32_t nn_schema_params(const nn_catalog *catalog,
                         const nn_param *const *params, uint32_t count,
                         const nn_node *node, const nn_place *place,
                         const char *subject, const char *const *others,
                         nn_arena *arena, nn_diagnostics *diagnostics,
                         const nn_params **out);

/* The setting around a value that the check made. */
static inline const nn_setting *nn_setting_of(const nn_value *value)
{
    return (const nn_setting *)value;
}

/* The setting of the parameter called NAME, or NULL.  [any] */
const nn_setting *nn_schema_find(const nn_params *params, const char *name);

/* The way back: new trees in which every default is filled in, and which check
 * to equal values.  Render_params gives the map of the values, render gives
 * {NAME: map} or just NAME if the map is empty, render_value one value.  NULL
 * with a message if memory is exhausted; render_value also returns NULL,
 * without one, for what no config can write (none of a parameter that is not
 * NULLABLE).  [any] */
nn_node *nn_schema_render(const char *name, const nn_params *params);
nn_node *nn_schema_render_params(const nn_params *params);
nn_node *nn_schema_render_value(const nn_value *value);

#endif
