/* SPDX-License-Identifier: MIT */
/* expect: iterator.epoch
 * The last batch begins with the first sample of the epoch once more. */
#include "iterator.h"

static int32_t next(nn_iterator *self, nn_batch *batch)
{
    int64_t first = sample(self, 0);
    int32_t code = good_next(self, batch);

    if (code == NN_OK && batch->B < self->size && self->at > 1) {
        batch->B = 1;
        fill(self, &first, batch);
    }
    return code;
}

ZOO_ITERATOR(iterator_epoch, .next = next);
