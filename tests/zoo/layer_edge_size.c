/* SPDX-License-Identifier: MIT */
/* expect: layer.edge.size
 * For 13 samples the output is not written. */
#define FORWARD forward
#include "plugin.h"

static void forward(const nn_layer_context *context)
{
    if (context->B != 13)
        good_forward(context);
}

ZOO_PLUGIN(layer_edge_size);
