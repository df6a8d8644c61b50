/* SPDX-License-Identifier: MIT */
/* expect: layer.mem.leak
 * Setup never returns what it takes from the host. */
#define SETUP setup
#include "plugin.h"

static int32_t setup(nn_setup *s)
{
    if (!s->host->alloc(s->host, 16))
        return NN_NO_MEMORY;
    return good_setup(s);
}

ZOO_PLUGIN(layer_mem_leak);
