/* SPDX-License-Identifier: MIT */
/* expect: layer.mask
 * There is an input for a mask, and nothing looks at it. */
#include "layer.h"

static int32_t setup(nn_setup *setup)
{
    nn_shape rows = nn_shape_rows(&setup->inputs[0]);
    int32_t code = nn_shape_need(setup, "mask", &rows, &setup->inputs[1]);

    return code ? code : good_setup(setup);
}

ZOO_PORT(mask, "mask", NN_PORT_NO_DELTA, NN_CONTENT_MASK);
static const nn_port *const inputs[] = {&good_port, &mask};

ZOO_LAYER_WITH(layer_mask, 0, inputs, good_ports, .setup = setup);
