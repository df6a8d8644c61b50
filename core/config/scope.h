/* SPDX-License-Identifier: MIT */
/* scope.h - what schema.c, select.c and value.c share. */
#ifndef NN_CORE_CONFIG_SCOPE_H
#define NN_CORE_CONFIG_SCOPE_H

#include "core/config/schema.h"

/* One check, from its entrance to its end. */
struct check {
    const nn_catalog *catalog;
    nn_arena *arena;
    nn_diagnostics *diagnostics; /* may be NULL */
    int32_t code;                /* of the first error */
    nn_source *held;             /* the source that the arena holds already */
};

/* Where in the description the check is. */
struct scope {
    struct check *check;
    const char *subject;   /* "layer 'linear'": begins every message; or "" */
    const char *parameter; /* innermost parameter with a name, or NULL */
    char child[128];       /* name of a child here: "inner", "inner_0" */
    nn_place place;        /* of the component: for what is missing */
    uint32_t given;        /* 0 while a default is read */
    int32_t depth;         /* components around */
    int32_t typed;         /* key `type` of the map is the component's name */
};

/* Adds an error; text and place as in diagnostics.h.  A place without source
 * (in a default) becomes that of the component. */
void nn_scope_error(const struct scope *scope, int32_t code, const char *id,
                    const nn_place *place, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* Notes that memory is exhausted, for which there is a message already. */
void nn_scope_no_memory(const struct scope *scope);

/* Zeroed memory of the arena, or NULL after noting the error. */
void *nn_scope_alloc(const struct scope *scope, int64_t count, int64_t size);

/* A copy of TEXT in the arena, or NULL after noting the error. */
const char *nn_scope_string(const struct scope *scope, const char *text);

/* PLACE, with its source held by the arena. */
nn_place nn_scope_place(const struct scope *scope, const nn_place *place);

/* Reads NODE as a value of PARAM into SETTING; SCOPE->parameter is set. */
void nn_scope_value(const struct scope *scope, const nn_param *param,
                    const nn_node *node, nn_setting *setting);

/* Reads the keys of MAP (NULL: none) as COUNT parameters into SETTINGS, fills
 * in defaults and notes what is unknown or missing. */
void nn_scope_fields(const struct scope *scope, const nn_param *const *params,
                     uint32_t count, const nn_node *map,
                     const char *const *others, nn_setting *settings);

/* The same into new nn_params; NULL after noting an error of memory. */
nn_params *nn_scope_params(const struct scope *scope,
                           const nn_param *const *params, uint32_t count,
                           const nn_node *map, const char *const *others);

/* Reads NODE as a component of KIND, which messages call WHAT, into OUT.
 * OUT->params is NULL after errors. */
void nn_scope_component(const struct scope *scope, uint32_t kind,
                        const nn_node *node, const char *what,
                        const char *const *others, nn_named *out);

/* The parameter of PARAMS that a value without a name sets, or NULL. */
const nn_param *nn_scope_main(const nn_param *const *params, uint32_t count);

#endif
