/* SPDX-License-Identifier: MIT */
/* expect: layer.equiv.handlers
 * In float32 the output is a little larger. */
#define FORWARD forward
#include "plugin.h"

static void forward(const nn_layer_context *context)
{
    scaled_forward(context, context->ops->real == NN_FLOAT32 ? 1.01 : 1);
}

ZOO_PLUGIN(layer_equiv_handlers);
