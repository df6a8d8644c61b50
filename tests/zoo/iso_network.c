/* SPDX-License-Identifier: MIT */
/* expect: iso.network
 * also: abi.deps      the call is seen in its symbols
 * Setup asks for a socket. */
#include <sys/socket.h>
#include <unistd.h>

#define SETUP setup
#include "plugin.h"

static int32_t setup(nn_setup *s)
{
    int file = socket(AF_UNIX, SOCK_STREAM, 0);

    if (file >= 0)
        close(file);
    return good_setup(s);
}

ZOO_PLUGIN(iso_network);
