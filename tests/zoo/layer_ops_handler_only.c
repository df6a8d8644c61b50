/* SPDX-License-Identifier: MIT */
/* expect: layer.ops.handler-only
 * Forward looks into the memory of the handler that it knows. */
#define FORWARD forward
#include "plugin.h"

static void forward(const nn_layer_context *context)
{
    double *const *data =
        (double *const *)(const void *)context->inputs[0].memory;
    volatile double first = data ? **data : 0;

    (void)first;
    good_forward(context);
}

ZOO_PLUGIN(layer_ops_handler_only);
