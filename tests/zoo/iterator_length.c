/* SPDX-License-Identifier: MIT */
/* expect: iterator.length
 * The number of batches is rounded down, though the last one is kept. */
#include "iterator.h"

static void describe(nn_iterator *self, nn_iterator_info *info)
{
    good_describe(self, info);
    if (NN_HAS(info, n_batches) && self->epoch.n_shards < 2)
        info->n_batches = SAMPLES / self->size;
}

ZOO_ITERATOR(iterator_length, .describe = describe);
