/* SPDX-License-Identifier: MIT */
/* expect: layer.life
 * After a pass of one sample and step without TRAIN the output doubles. */
#define FORWARD forward
#include "plugin.h"

static int evaluated;

static void forward(const nn_layer_context *context)
{
    scaled_forward(context, evaluated ? 2 : 1);
    if (context->T == 1 && context->B == 1 && !(context->flags & NN_PASS_TRAIN))
        evaluated = 1;
}

ZOO_PLUGIN(layer_life);
