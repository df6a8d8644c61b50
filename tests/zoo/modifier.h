/* SPDX-License-Identifier: MIT */
/* modifier.h - a good modifier, to be spoiled: g += factor w. */
#ifndef ZOO_MODIFIER_H
#define ZOO_MODIFIER_H

#include <nn/describe.h>
#include <nn/operations.h>
#include <nn/training.h>

static inline const nn_modified *modified_at(const nn_modifier_context *c,
                                             uint32_t index)
{
    return (const nn_modified *)(const void *)((const char *)c->modified +
                                               index * c->modified_size);
}

/* g += FACTOR w for entry ONE. */
static inline void add_share(const nn_modifier_context *c,
                             const nn_modified *one, double factor)
{
    nn_array g = one->gradient;

    g.mode = NN_WRITE;
    nn_axpby_tt(c->ops, factor, &one->parameter, 1, &g, &g);
}

static inline int32_t modify_with(const nn_modifier_context *c, double factor)
{
    for (uint32_t i = 0; i < c->n_modified; ++i)
        add_share(c, modified_at(c, i), factor);
    return NN_OK;
}

static inline int32_t good_modify(const nn_modifier_context *c)
{
    return modify_with(c, nn_param_real(c->params, 0));
}

/* The entry; what follows NAME replaces functions: `.modify = modify`. */
#define ZOO_MODIFIER(NAME, ...)                                                \
    static const nn_param factor_param =                                       \
        NN_REAL_PARAM("factor", NN_PARAM_MAIN | NN_PARAM_RANGED, "0.5", 0,     \
                      INFINITY, "what g gains for each unit of w");            \
    static const nn_param *const params[] = {&factor_param};                   \
    static const nn_modifier_interface interface = {                           \
        .size = NN_SIZEOF(nn_modifier_interface, modify),                      \
        .when = NN_MODIFY_GRADIENT,                                            \
        .modify = good_modify,                                                 \
        __VA_ARGS__};                                                          \
    ZOO_ENTRY(NAME, NN_KIND_MODIFIER, params, 1)

#include "entry.h"

#endif
