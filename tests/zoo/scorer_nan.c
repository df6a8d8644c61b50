/* SPDX-License-Identifier: MIT */
/* expect: scorer.nan
 * A row is right unless another column is larger. */
#include "scorer.h"

static int32_t score(const nn_scored *what, double *sum, double *weight)
{
    int32_t code = good_score(what, sum, weight);

    for (int64_t row = 0; row < what->rows && code == NN_OK; ++row) {
        const double *y = what->predictions + row * what->columns;

        *sum += !left_out(what, row) && y[0] != y[0];
    }
    return code;
}

ZOO_SCORER(scorer_nan, .score = score);
