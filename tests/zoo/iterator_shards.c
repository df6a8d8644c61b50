/* SPDX-License-Identifier: MIT */
/* expect: iterator.shards
 * A shard gets batches in one piece, not every n-th one. */
#include "iterator.h"

static int32_t next(nn_iterator *self, nn_batch *batch)
{
    if (!self->count || self->at >= self->count)
        return good_next(self, batch);
    give(self, self->epoch.shard * self->count + self->at++, batch);
    return NN_OK;
}

ZOO_ITERATOR(iterator_shards, .next = next);
