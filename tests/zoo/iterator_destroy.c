/* SPDX-License-Identifier: MIT */
/* expect: iterator.destroy
 * Destroy in the middle of an epoch forgets the iterator. */
#include "iterator.h"

static void destroy(nn_iterator *self)
{
    if (self && self->at == self->count)
        good_destroy(self);
}

ZOO_ITERATOR(iterator_destroy, .destroy = destroy);
