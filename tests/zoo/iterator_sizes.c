/* SPDX-License-Identifier: MIT */
/* expect: iterator.sizes
 * Batches larger than the data leave no batch at all. */
#include "iterator.h"

static int32_t create(const nn_host *host, const nn_params *params,
                      const nn_iterator_request *request,
                      nn_iterator **iterator)
{
    int32_t code = good_create(host, params, request, iterator);

    if (code == NN_OK && (*iterator)->size > SAMPLES)
        (*iterator)->total = 1;
    return code;
}

static int32_t next(nn_iterator *self, nn_batch *batch)
{
    return self->size > SAMPLES ? NN_END : good_next(self, batch);
}

ZOO_ITERATOR(iterator_sizes, .create = create, .next = next);
