/* SPDX-License-Identifier: MIT */
/* expect: modifier.only
 * also: modifier.handlers  the reference refuses to write what is read only
 * The parameter is changed in place of the gradient. */
#include "modifier.h"

static int32_t modify(const nn_modifier_context *c)
{
    for (uint32_t i = 0; i < c->n_modified; ++i) {
        nn_array w = modified_at(c, i)->parameter;

        w.mode = NN_WRITE;
        nn_mult_ts(c->ops, &w, 0.5, &w);
    }
    return NN_OK;
}

ZOO_MODIFIER(modifier_only, .modify = modify);
