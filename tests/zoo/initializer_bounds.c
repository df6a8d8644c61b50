/* SPDX-License-Identifier: MIT */
/* expect: initializer.bounds
 * Numbers come in pairs, and an odd parameter gets one too many. */
#include "initializer.h"

static int32_t fill(const nn_initialize *what)
{
    return fill_within(what, (nn_initialize_elements(what) + 1) / 2 * 2,
                       1 / (double)what->fan_in);
}

ZOO_INITIALIZER(initializer_bounds, fill);
