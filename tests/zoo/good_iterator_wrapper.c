/* SPDX-License-Identifier: MIT */
/* expect: none
 * The iterator of iterator_wrapper.h as it is. */
#include "iterator_wrapper.h"

ZOO_ITERATOR_WRAPPER(good_iterator_wrapper, .gather = NULL);
