/* SPDX-License-Identifier: MIT */
/* expect: iterator.composition
 * A batch that is shorter than the others ends the epoch, and is lost. */
#include "iterator_wrapper.h"

static int32_t next(nn_iterator *self, nn_batch *batch)
{
    int32_t code = good_next(self, batch);

    return code == NN_OK && batch->B < self->info.max_B ? NN_END : code;
}

ZOO_ITERATOR_WRAPPER(iterator_composition, .next = next);
