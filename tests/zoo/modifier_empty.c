/* SPDX-License-Identifier: MIT */
/* expect: modifier.empty
 * The first parameter is there always. */
#include "modifier.h"

static int32_t modify(const nn_modifier_context *c)
{
    const nn_modified *one = c->modified;

    do
        add_share(c, one, 0.5);
    while ((one = (const nn_modified *)((const char *)one + c->modified_size)) <
           modified_at(c, c->n_modified));
    return NN_OK;
}

ZOO_MODIFIER(modifier_empty, .modify = modify);
