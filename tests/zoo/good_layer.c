/* SPDX-License-Identifier: MIT */
/* expect: none
 * A layer with parameters, a limit and a derivative. */
#include "layer.h"

ZOO_LAYER(good_layer, .setup = good_setup);
