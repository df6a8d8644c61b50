/* SPDX-License-Identifier: MIT */
/* expect: modifier.noalloc
 * It takes a block for the time of a call. */
#include "modifier.h"

static int32_t modify(const nn_modifier_context *c)
{
    void *block = c->host->alloc(c->host, 64);
    int32_t code = block ? good_modify(c) : NN_NO_MEMORY;

    c->host->free(c->host, block);
    return code;
}

ZOO_MODIFIER(modifier_noalloc, .modify = modify);
