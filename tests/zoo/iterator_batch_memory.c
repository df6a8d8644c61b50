/* SPDX-License-Identifier: MIT */
/* expect: iterator.batch-memory
 * A full batch is followed by one number more. */
#include "iterator.h"

static int32_t next(nn_iterator *self, nn_batch *batch)
{
    int32_t code = good_next(self, batch);

    if (code == NN_OK)
        store(self->fields[0].dtype, batch->data[0], 3 * batch->B, 0);
    return code;
}

ZOO_ITERATOR(iterator_batch_memory, .next = next);
