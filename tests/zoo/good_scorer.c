/* SPDX-License-Identifier: MIT */
/* expect: none
 * The scorer of scorer.h as it is. */
#include "scorer.h"

ZOO_SCORER(good_scorer, .higher_is_better = 1);
