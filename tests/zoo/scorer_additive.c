/* SPDX-License-Identifier: MIT */
/* expect: scorer.additive
 * also: scorer.mask    the rows that are left come in two batches there
 * also: scorer.weight  no rows leave nothing of what was before
 * Sum and weight are set, not added to. */
#include "scorer.h"

static int32_t score(const nn_scored *what, double *sum, double *weight)
{
    *sum = 0;
    *weight = 0;
    return good_score(what, sum, weight);
}

ZOO_SCORER(scorer_additive, .score = score);
