/* SPDX-License-Identifier: MIT */
/* expect: scorer.mask
 * Rows are multiplied by their mask, and 0 times NaN is NaN. */
#include "scorer.h"

static int32_t score(const nn_scored *what, double *sum, double *weight)
{
    int32_t code = good_score(what, sum, weight);

    for (int64_t row = 0; row < what->rows && what->mask; ++row)
        if (left_out(what, row))
            *sum += what->mask[row] * what->predictions[row * what->columns];
    return code;
}

ZOO_SCORER(scorer_mask, .score = score);
