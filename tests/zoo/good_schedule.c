/* SPDX-License-Identifier: MIT */
/* expect: none
 * The schedule of schedule.h as it is. */
#include "schedule.h"

ZOO_SCHEDULE(good_schedule, .reserved = 0);
