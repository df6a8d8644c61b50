/* SPDX-License-Identifier: MIT */
/* expect: iterator.seek
 * Seek makes the batch the last one that was read, not the next one. */
#include "iterator.h"

static int32_t seek(nn_iterator *self, int64_t batch)
{
    int32_t code = good_seek(self, batch);

    if (code == NN_OK && self->at > 0)
        ++self->at;
    return code;
}

ZOO_ITERATOR(iterator_seek, .seek = seek);
