/* SPDX-License-Identifier: MIT */
/* expect: abi.load
 * deinit does not return what init took from the host. */
#define INIT init
#include "plugin.h"

static int32_t init(const nn_host *host)
{
    return host->alloc(host, 64) ? NN_OK : NN_NO_MEMORY;
}

ZOO_PLUGIN(abi_load);
