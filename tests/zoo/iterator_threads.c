/* SPDX-License-Identifier: MIT */
/* expect: iterator.threads
 * The numbers of the samples pass through an array of all instances. */
#include <unistd.h>

#include "iterator.h"

static int64_t ids[SAMPLES];

static int32_t next(nn_iterator *self, nn_batch *batch)
{
    int32_t code = good_next(self, batch);

    if (code)
        return code;
    memcpy(ids, batch->ids, (size_t)batch->B * sizeof *ids);
    usleep(200);
    fill(self, ids, batch);
    return NN_OK;
}

ZOO_ITERATOR(iterator_threads, .next = next);
