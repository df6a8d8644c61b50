/* SPDX-License-Identifier: MIT */
/* expect: layer.thread.tags
 * Forward asks the host for the number of threads. */
#define FORWARD forward
#include "plugin.h"

static void forward(const nn_layer_context *context)
{
    if (context->host->threads(context->host) > 0)
        good_forward(context);
}

ZOO_PLUGIN(layer_thread_tags);
