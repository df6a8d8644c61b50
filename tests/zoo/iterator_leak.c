/* SPDX-License-Identifier: MIT */
/* expect: iterator.leak
 * A second block that cannot be had leaves the first one behind. */
#include "iterator.h"

static int32_t create(const nn_host *host, const nn_params *params,
                      const nn_iterator_request *request,
                      nn_iterator **iterator)
{
    int32_t code = good_create(host, params, request, iterator);

    if (code)
        return code;
    (*iterator)->more = host->alloc(host, 64);
    return (*iterator)->more ? NN_OK : NN_NO_MEMORY;
}

static void destroy(nn_iterator *self)
{
    if (self)
        self->host->free(self->host, self->more);
    good_destroy(self);
}

ZOO_ITERATOR(iterator_leak, .create = create, .destroy = destroy);
