/* SPDX-License-Identifier: MIT */
/* expect: iterator.state
 * Later epochs have another order if the instance has seen the first one. */
#include "iterator.h"

static int32_t start(nn_iterator *self, const nn_epoch *epoch)
{
    int32_t code = good_start(self, epoch);

    if (epoch->epoch == 0)
        self->more = self;
    if (code == NN_OK && epoch->epoch > 1 && self->more)
        self->epoch.seed += 100;
    return code;
}

ZOO_ITERATOR(iterator_state, .start = start);
