/* SPDX-License-Identifier: MIT */
/* expect: modifier.deterministic
 * also: modifier.entries   two calls are compared
 * also: modifier.handlers  the same
 * Each call adds more than the one before. */
#include "modifier.h"

static int calls;

static int32_t modify(const nn_modifier_context *c)
{
    return modify_with(c, 0.1 * ++calls);
}

ZOO_MODIFIER(modifier_deterministic, .modify = modify);
