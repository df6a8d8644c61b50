/* SPDX-License-Identifier: MIT */
/* expect: layer.mem.noalloc
 * also: layer.thread.tags  alloc of the host is for setup
 * Backward takes memory of the host and gives it back. */
#include "layer.h"

static void backward(const nn_layer_context *c)
{
    void *memory = c->host->alloc(c->host, 64);

    good_backward(c);
    c->host->free(c->host, memory);
}

ZOO_LAYER(layer_mem_noalloc_host, .backward = backward);
