/* SPDX-License-Identifier: MIT */
/* expect: none
 * The initializer of initializer.h as it is. */
#include "initializer.h"

ZOO_INITIALIZER(good_initializer, good_fill);
