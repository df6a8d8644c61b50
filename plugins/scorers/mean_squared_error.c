/* SPDX-License-Identifier: MIT */
/* mean_squared_error.c - mean of the squared differences.
 *
 *     sum over rows and columns of (t - y)^2 / (rows columns)
 *
 * y predictions, t targets; rows with mask 0 are left out.  Lower is better.
 * A NaN makes the score NaN.
 *
 * Gauss, "Theoria combinationis observationum erroribus minimis obnoxiae",
 * 1823.
 *
 * Other libraries: the same in scikit-learn, Keras and PyTorch.  Brainstorm's
 * scorer of this name has half the sum over the columns, averaged over rows
 * alone: columns / 2 times this. */
#include <nn/training.h>

static int32_t score(const nn_scored *what, double *sum, double *weight)
{
    int64_t row;
    int64_t j;

    if (what->target_columns != what->columns)
        return nn_fail(what->host, NN_SHAPE, "mean-squared-error.targets",
                       "mean_squared_error: %lld columns of predictions need "
                       "as many of targets, not %lld",
                       (long long)what->columns,
                       (long long)what->target_columns);
    for (row = 0; row < what->rows; ++row) {
        const double *y = what->predictions + row * what->columns;
        const double *t = what->targets + row * what->columns;

        if (what->mask && what->mask[row] == 0)
            continue;
        for (j = 0; j < what->columns; ++j)
            *sum += (t[j] - y[j]) * (t[j] - y[j]);
        *weight += (double)what->columns;
    }
    return NN_OK;
}

static const nn_scorer_interface interface = {
    .size = NN_SIZEOF(nn_scorer_interface, score),
    .higher_is_better = 0,
    .score = score,
};

static const nn_component component = {
    .size = NN_SIZEOF(nn_component, outputs),
    .kind = NN_KIND_SCORER,
    .name = "mean_squared_error",
    .summary = "Mean of the squared differences",
    .doc = "sum of (t - y)^2 / (rows columns), with y predictions and t "
           "targets: the mean over all elements, without a half.",
    .interface = &interface,
};

static const nn_component *const components[] = {&component};

NN_PLUGIN_ENTRY(scorer_mean_squared_error) = {
    NN_PLUGIN_HEAD,
    .id = "org.nervenet.scorer.mean_squared_error",
    .name = "mean_squared_error",
    .version = "0.1.0",
    .license = "MIT",
    .author = "Nervenet contributors",
    .summary = "Mean of the squared differences",
    .n_components = 1,
    .components = components,
};
