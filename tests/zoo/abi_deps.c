/* SPDX-License-Identifier: MIT */
/* expect: abi.deps
 * It can open sockets. */
#include <sys/socket.h>

#define INIT init
#include "plugin.h"

static int32_t init(const nn_host *host)
{
    return host->size == 0 ? socket(AF_INET, SOCK_STREAM, 0) : NN_OK;
}

ZOO_PLUGIN(abi_deps);
