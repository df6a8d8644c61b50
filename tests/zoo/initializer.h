/* SPDX-License-Identifier: MIT */
/* initializer.h - a good initializer, to be spoiled: uniform within one over
 * the connections into a unit. */
#ifndef ZOO_INITIALIZER_H
#define ZOO_INITIALIZER_H

#include <nn/describe.h>
#include <nn/random.h>
#include <nn/training.h>

/* Element INDEX within BOUND of 0. */
static inline double draw(const nn_initialize *what, int64_t index,
                          double bound)
{
    return bound * (2 * nn_random_uniform(&what->random, (uint64_t)index) - 1);
}

/* COUNT elements within BOUND of 0. */
static inline int32_t fill_within(const nn_initialize *what, int64_t count,
                                  double bound)
{
    for (int64_t i = 0; i < count; ++i)
        what->values[i] = draw(what, i, bound);
    return NN_OK;
}

static inline int32_t good_fill(const nn_initialize *what)
{
    return fill_within(what, nn_initialize_elements(what),
                       1 / (double)what->fan_in);
}

/* The entry, with FILL as the function. */
#define ZOO_INITIALIZER(NAME, FILL)                                            \
    static const nn_initializer_interface interface = {                        \
        .size = NN_SIZEOF(nn_initializer_interface, fill),                     \
        .fill = FILL,                                                          \
    };                                                                         \
    ZOO_ENTRY(NAME, NN_KIND_INITIALIZER, NULL, 0)

#include "entry.h"

#endif
