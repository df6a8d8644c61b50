/* SPDX-License-Identifier: MIT */
/* expect: layer.mem.noalloc
 * Forward takes memory of the C library and gives it back. */
#include "layer.h"

#include <stdlib.h>

static void forward(const nn_layer_context *c)
{
    void *volatile memory = malloc(64);

    good_forward(c);
    free(memory);
}

ZOO_LAYER(layer_mem_noalloc, .forward = forward);
