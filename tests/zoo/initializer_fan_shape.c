/* SPDX-License-Identifier: MIT */
/* expect: initializer.fan
 * The description has fan_in, the code has the second axis. */
#define ZOO_DOC "uniform within 1 / fan_in"
#include "initializer.h"

static int32_t fill(const nn_initialize *what)
{
    return fill_within(what, nn_initialize_elements(what),
                       1 / (double)what->shape[what->ndim - 1]);
}

ZOO_INITIALIZER(initializer_fan_shape, fill);
