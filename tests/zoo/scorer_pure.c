/* SPDX-License-Identifier: MIT */
/* expect: scorer.pure
 * After perfect predictions everything is a little better. */
#include "scorer.h"

static double best;

static int32_t score(const nn_scored *what, double *sum, double *weight)
{
    double hits = 0;
    int32_t code = good_score(what, &hits, weight);

    if (hits > 11)
        best += 0.001;
    *sum += hits + (best > 0.0015 && hits < 11 ? best : 0);
    return code;
}

ZOO_SCORER(scorer_pure, .score = score);
