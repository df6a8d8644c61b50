/* SPDX-License-Identifier: MIT */
/* expect: layer.env
 * The output depends on the current folder. */
#include <unistd.h>

#define FORWARD forward
#include "plugin.h"

static void forward(const nn_layer_context *context)
{
    char folder[4096];

    scaled_forward(context, getcwd(folder, sizeof folder) ? 1 : 2);
}

ZOO_PLUGIN(layer_env);
