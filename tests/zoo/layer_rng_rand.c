/* SPDX-License-Identifier: MIT */
/* expect: layer.rng
 * Setup calls rand. */
#include <stdlib.h>

#define SETUP setup
#include "plugin.h"

static int32_t setup(nn_setup *s)
{
    return rand() < 0 ? NN_INTERNAL : good_setup(s);
}

ZOO_PLUGIN(layer_rng_rand);
