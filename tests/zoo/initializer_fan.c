/* SPDX-License-Identifier: MIT */
/* expect: initializer.fan
 * The connections out of an input are taken from the shape. */
#include "initializer.h"

static int32_t fill(const nn_initialize *what)
{
    return fill_within(what, nn_initialize_elements(what),
                       2 / (double)(what->fan_in + what->shape[0]));
}

ZOO_INITIALIZER(initializer_fan, fill);
