/* SPDX-License-Identifier: MIT */
/* expect: scorer.read-only
 * The predictions are normalized where they stand. */
#include "scorer.h"

static int32_t score(const nn_scored *what, double *sum, double *weight)
{
    double *y = (double *)(uintptr_t)what->predictions;

    for (int64_t i = 0; i < what->rows * what->columns; ++i)
        y[i] *= 0.5;
    return good_score(what, sum, weight);
}

ZOO_SCORER(scorer_read_only, .score = score);
