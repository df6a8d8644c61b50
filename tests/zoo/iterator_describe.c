/* SPDX-License-Identifier: MIT */
/* expect: iterator.describe
 * Describe writes all of its info, however short the caller's is. */
#include "iterator.h"

static void describe(nn_iterator *self, nn_iterator_info *info)
{
    *info = info_of(self);
}

ZOO_ITERATOR(iterator_describe, .describe = describe);
