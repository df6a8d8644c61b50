/* SPDX-License-Identifier: MIT */
/* expect: iterator.source
 * It leaves a cache beside the data. */
#include <stdio.h>

#include "iterator.h"

static int32_t create(const nn_host *host, const nn_params *params,
                      const nn_iterator_request *request,
                      nn_iterator **iterator)
{
    FILE *file = fopen("cache.bin", "w");

    if (file)
        fclose(file);
    return good_create(host, params, request, iterator);
}

ZOO_ITERATOR(iterator_source, .create = create);
