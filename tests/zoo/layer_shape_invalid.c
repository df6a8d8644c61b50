/* SPDX-License-Identifier: MIT */
/* expect: layer.shape.invalid
 * A second input of another shape is refused without its name. */
#include "layer.h"

static int32_t setup(nn_setup *setup)
{
    if (!nn_shape_equal(&setup->inputs[0], &setup->inputs[1]))
        return nn_fail(setup->host, NN_SHAPE, "animal.shape",
                       "layer '%s': that does not fit", setup->layer);
    return good_setup(setup);
}

ZOO_PORT(weight, "weight", NN_PORT_NO_DELTA, NN_CONTENT_ANY);
static const nn_port *const inputs[] = {&good_port, &weight};

ZOO_LAYER_WITH(layer_shape_invalid, 0, inputs, good_ports, .setup = setup);
