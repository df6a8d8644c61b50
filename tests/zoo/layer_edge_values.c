/* SPDX-License-Identifier: MIT */
/* expect: layer.edge.values
 * Forward lets denormal numbers become zero from now on. */
#define FORWARD forward
#include "plugin.h"
#include "processor.h"

static void forward(const nn_layer_context *context)
{
    good_forward(context);
    flush_denormals();
}

ZOO_PLUGIN(layer_edge_values);
