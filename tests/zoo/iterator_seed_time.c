/* SPDX-License-Identifier: MIT */
/* expect: iterator.seed
 * The order comes from the time of day. */
#include <time.h>

#include "iterator.h"

static int32_t create(const nn_host *host, const nn_params *params,
                      const nn_iterator_request *request,
                      nn_iterator **iterator)
{
    static uint64_t now;
    int32_t code = good_create(host, params, request, iterator);

    if (!now)
        now = (uint64_t)time(NULL);
    if (code == NN_OK)
        (*iterator)->more = &now;
    return code;
}

static int32_t start(nn_iterator *self, const nn_epoch *epoch)
{
    int32_t code = good_start(self, epoch);

    self->epoch.seed += *(uint64_t *)self->more;
    return code;
}

ZOO_ITERATOR(iterator_seed_time, .create = create, .start = start);
