/* SPDX-License-Identifier: MIT */
/* expect: iterator.seed
 * The order is one of the epoch alone. */
#include "iterator.h"

static int32_t start(nn_iterator *self, const nn_epoch *epoch)
{
    int32_t code = good_start(self, epoch);

    self->epoch.seed = 0;
    return code;
}

ZOO_ITERATOR(iterator_seed_ignored, .start = start);
