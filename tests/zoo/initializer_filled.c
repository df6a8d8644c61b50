/* SPDX-License-Identifier: MIT */
/* expect: initializer.filled
 * The last element stays what it was. */
#include "initializer.h"

static int32_t fill(const nn_initialize *what)
{
    return fill_within(what, nn_initialize_elements(what) - 1,
                       1 / (double)what->fan_in);
}

ZOO_INITIALIZER(initializer_filled, fill);
