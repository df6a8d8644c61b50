/* SPDX-License-Identifier: MIT */
/* expect: abi.negotiate
 * Setup reads a member that a later host may have, whatever the size. */
#define SETUP setup
#include "plugin.h"

static int32_t setup(nn_setup *s)
{
    const volatile char *end = (const volatile char *)s->host + sizeof *s->host;

    return *end == 99 ? NN_INTERNAL : good_setup(s);
}

ZOO_PLUGIN(abi_negotiate);
