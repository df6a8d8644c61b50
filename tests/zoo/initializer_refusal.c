/* SPDX-License-Identifier: MIT */
/* expect: initializer.refusal
 * A vector is refused without a word. */
#include "initializer.h"

static int32_t fill(const nn_initialize *what)
{
    return what->ndim < 2 ? NN_SHAPE : good_fill(what);
}

ZOO_INITIALIZER(initializer_refusal, fill);
