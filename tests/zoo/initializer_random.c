/* SPDX-License-Identifier: MIT */
/* expect: initializer.random
 * All parameters draw from one stream. */
#include "initializer.h"

static int32_t fill(const nn_initialize *what)
{
    nn_initialize other = *what;

    other.random.stream = 1;
    return good_fill(&other);
}

ZOO_INITIALIZER(initializer_random, fill);
