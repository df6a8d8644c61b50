/* SPDX-License-Identifier: MIT */
/* expect: layer.shape.infer
 * Every setup declares a longer internal than the one before. */
#include "layer.h"

static int32_t setup(nn_setup *setup)
{
    static int64_t calls;
    nn_buffer memo = nn_buffer_named("memo");
    int32_t code = good_setup(setup);

    memo.shape.ndim = 1;
    memo.shape.dims[0] = ++calls;
    if (!code)
        code = setup->declare(setup, NN_DECLARE_INTERNAL, &memo);
    return code < 0 ? code : NN_OK;
}

ZOO_LAYER(layer_shape_infer, .setup = setup);
