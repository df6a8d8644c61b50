/* SPDX-License-Identifier: MIT */
/* expect: modifier.handlers
 * The factor is another one in float32. */
#include "modifier.h"

static int32_t modify(const nn_modifier_context *c)
{
    return modify_with(c, c->ops->real == NN_FLOAT32 ? 1 : 0.5);
}

ZOO_MODIFIER(modifier_handlers, .modify = modify);
