/* SPDX-License-Identifier: MIT */
/* expect: iterator.request
 * Fields come in types of their own, whatever is asked for. */
#include "iterator.h"

static int32_t create(const nn_host *host, const nn_params *params,
                      const nn_iterator_request *request,
                      nn_iterator **iterator)
{
    nn_iterator_request other = *request;

    other.n_fields = 0;
    return good_create(host, params, &other, iterator);
}

ZOO_ITERATOR(iterator_request, .create = create);
