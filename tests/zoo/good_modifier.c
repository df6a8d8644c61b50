/* SPDX-License-Identifier: MIT */
/* expect: none
 * The modifier of modifier.h as it is. */
#include "modifier.h"

ZOO_MODIFIER(good_modifier, .when = NN_MODIFY_GRADIENT);
