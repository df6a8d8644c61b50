/* SPDX-License-Identifier: MIT */
/* expect: iterator.seed
 * also: iterator.shards  the epoch after them goes on where the last one ended
 * An epoch that begins before the one before it has ended goes on with it. */
#include "iterator.h"

static int32_t start(nn_iterator *self, const nn_epoch *epoch)
{
    int64_t at = self->at;
    int32_t code = good_start(self, epoch);

    if (at < self->count)
        self->at = at;
    return code;
}

ZOO_ITERATOR(iterator_seed, .start = start);
