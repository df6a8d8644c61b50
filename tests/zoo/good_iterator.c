/* SPDX-License-Identifier: MIT */
/* expect: none
 * The source of iterator.h as it is. */
#include "iterator.h"

ZOO_ITERATOR(good_iterator, .size = NN_SIZEOF(nn_iterator_interface, gather));
