/* SPDX-License-Identifier: MIT */
/* expect: scorer.shapes
 * A label is an index, whatever it is. */
#include "scorer.h"

static int32_t score(const nn_scored *what, double *sum, double *weight)
{
    for (int64_t row = 0; row < what->rows && what->target_columns == 1; ++row)
        if (!left_out(what, row) && what->columns > 1 &&
            what->predictions[row * what->columns +
                              (int64_t)what->targets[row]] > 1)
            return nn_fail(what->host, NN_INVALID_ARGUMENT, "zoo.prediction",
                           "a prediction above 1");
    return good_score(what, sum, weight);
}

ZOO_SCORER(scorer_shapes, .score = score);
