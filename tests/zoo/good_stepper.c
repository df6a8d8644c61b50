/* SPDX-License-Identifier: MIT */
/* expect: none
 * The stepper of stepper.h as it is. */
#include "stepper.h"

ZOO_STEPPER(good_stepper, .prepare = NULL);
