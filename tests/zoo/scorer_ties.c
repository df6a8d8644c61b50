/* SPDX-License-Identifier: MIT */
/* expect: scorer.ties
 * A row whose predictions are all equal is right. */
#include "scorer.h"

static int32_t score(const nn_scored *what, double *sum, double *weight)
{
    int32_t code = good_score(what, sum, weight);

    for (int64_t row = 0; row < what->rows && code == NN_OK; ++row) {
        const double *y = what->predictions + row * what->columns;
        int equal = !left_out(what, row);

        for (int64_t j = 1; j < what->columns; ++j)
            equal &= y[j] == y[0];
        if (equal && class_of(what, row) > 0)
            *sum += 1;
    }
    return code;
}

ZOO_SCORER(scorer_ties, .score = score);
