/* SPDX-License-Identifier: MIT */
/* expect: modifier.when
 * also: modifier.only  it passes for one that works after the step
 * also: modifier.handlers  the reference refuses to write what is read only
 * It works at no moment that there is. */
#include "modifier.h"

ZOO_MODIFIER(modifier_when, .when = 0);
