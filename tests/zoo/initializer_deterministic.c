/* SPDX-License-Identifier: MIT */
/* expect: initializer.deterministic
 * also: initializer.filled  it fills twice, which should give the same
 * A count of all parameters of the program moves the stream. */
#include "initializer.h"

static uint64_t calls;

static int32_t fill(const nn_initialize *what)
{
    nn_initialize moved = *what;

    moved.random.offset = ++calls;
    return good_fill(&moved);
}

ZOO_INITIALIZER(initializer_deterministic, fill);
