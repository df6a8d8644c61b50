/* SPDX-License-Identifier: MIT */
/* expect: layer.mem.bounds
 * One column too many is read, and counts nothing unless it is NaN. */
#include "layer.h"

static void forward(const nn_layer_context *c)
{
    const nn_array *x = &c->inputs[0];
    const nn_array *y = &c->outputs[0];
    nn_array wide = nn_column_slice(x, 1, nn_columns(x));

    good_forward(c);
    if (nn_elements(x) % 8 != 0)
        nn_axpby_tt(c->ops, 1.0, y, 0.0, &wide, y);
}

ZOO_LAYER(layer_mem_bounds_read, .forward = forward);
