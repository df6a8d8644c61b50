/* SPDX-License-Identifier: MIT */
/* expect: iterator.errors
 * A batch comes before any epoch began. */
#include "iterator.h"

static int32_t next(nn_iterator *self, nn_batch *batch)
{
    if (!self->count) {
        self->epoch.n_shards = 1;
        self->count = self->total;
    }
    return good_next(self, batch);
}

ZOO_ITERATOR(iterator_errors, .next = next);
