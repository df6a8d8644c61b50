/* SPDX-License-Identifier: MIT */
/* expect: scorer.better
 * also: scorer.nan   a row that is not right is taken for an improvement
 * also: scorer.ties  so are rows that tie
 * It says of a share of hits that lower is better. */
#include "scorer.h"

ZOO_SCORER(scorer_better, .higher_is_better = 0);
