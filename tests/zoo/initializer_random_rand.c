/* SPDX-License-Identifier: MIT */
/* expect: initializer.random
 * also: initializer.deterministic  rand is not of the run's seed
 * also: initializer.filled         it fills twice, which should give the same
 * It draws with rand. */
#include <stdlib.h>

#include "initializer.h"

static int32_t fill(const nn_initialize *what)
{
    for (int64_t i = 0; i < nn_initialize_elements(what); ++i)
        what->values[i] = rand() / (RAND_MAX + 1.0) / (double)what->fan_in;
    return NN_OK;
}

ZOO_INITIALIZER(initializer_random_rand, fill);
