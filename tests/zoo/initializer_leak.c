/* SPDX-License-Identifier: MIT */
/* expect: initializer.leak
 * Room for a permutation is not returned. */
#include "initializer.h"

static int32_t fill(const nn_initialize *what)
{
    void *room = what->host->alloc(what->host, 64);

    return room ? good_fill(what) : NN_NO_MEMORY;
}

ZOO_INITIALIZER(initializer_leak, fill);
