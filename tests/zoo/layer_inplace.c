/* SPDX-License-Identifier: MIT */
/* expect: layer.inplace
 * The output may replace the input, which backward reads. */
#include "layer.h"

ZOO_PORT(output, "default", NN_PORT_IN_PLACE, NN_CONTENT_ANY);
static const nn_port *const outputs[] = {&output};

ZOO_LAYER_WITH(layer_inplace, 0, good_ports, outputs, .setup = good_setup);
