/* SPDX-License-Identifier: MIT */
/* expect: iterator.gather
 * Gather takes ids for places in the order of the epoch. */
#include "iterator.h"

static int32_t gather(nn_iterator *self, const nn_epoch *epoch,
                      const int64_t *ids, nn_batch *batch)
{
    int32_t code = good_gather(self, epoch, ids, batch);

    for (int64_t b = 0; b < batch->B && code == NN_OK; ++b)
        for (int64_t j = 0; j < 3; ++j)
            store(self->fields[0].dtype, batch->data[0], b * 3 + j,
                  value(0, sample(self, ids[b]), j));
    return code;
}

ZOO_ITERATOR(iterator_gather, .gather = gather);
