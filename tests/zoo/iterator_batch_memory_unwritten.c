/* SPDX-License-Identifier: MIT */
/* expect: iterator.batch-memory
 * also: iterator.gather   next leaves what gather writes
 * The first number of a batch stays what it was if it is 0. */
#include "iterator.h"

static int32_t next(nn_iterator *self, nn_batch *batch)
{
    int64_t bytes = nn_dtype_bytes(self->fields[0].dtype);
    char before[8];
    int32_t code;

    memcpy(before, batch->data[0], (size_t)bytes);
    code = good_next(self, batch);
    if (code == NN_OK && batch->ids[0] == 0)
        memcpy(batch->data[0], before, (size_t)bytes);
    return code;
}

ZOO_ITERATOR(iterator_batch_memory_unwritten, .next = next);
