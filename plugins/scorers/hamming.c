/* SPDX-License-Identifier: MIT */
/* hamming.c - share of right labels where each column is a label of its own.
 *
 *     right if (y >= threshold) = (t >= 1/2)
 *
 * y prediction, t target (0 or 1), threshold 1/2 (0 for outputs before a
 * sigmoid).  A NaN is never right.  Score: right labels / labels over all
 * columns, rows with mask 0 left out.  Higher is better: it is 1 less the
 * Hamming loss, whose name it bears in Brainstorm.
 *
 * Hamming, "Error Detecting and Error Correcting Codes", 1950.
 *
 * Other libraries: scikit-learn's hamming_loss is the share of wrong labels;
 * Keras' BinaryAccuracy is this with y > threshold. */
#include <nn/describe.h>
#include <nn/training.h>

static const nn_param threshold =
    NN_REAL_PARAM("threshold", NN_PARAM_MAIN, "0.5", 0, 0,
                  "a prediction from here on says yes");

static const nn_param *const params[] = {&threshold};

static int32_t score(const nn_scored *what, double *sum, double *weight)
{
    const double yes = nn_param_real(what->params, 0);
    int64_t row;
    int64_t j;

    if (what->target_columns != what->columns)
        return nn_fail(what->host, NN_SHAPE, "hamming.targets",
                       "hamming: %lld columns of predictions need as many of "
                       "targets, not %lld",
                       (long long)what->columns,
                       (long long)what->target_columns);
    for (row = 0; row < what->rows; ++row) {
        const double *y = what->predictions + row * what->columns;
        const double *t = what->targets + row * what->columns;

        if (what->mask && what->mask[row] == 0)
            continue;
        for (j = 0; j < what->columns; ++j)
            *sum += t[j] >= 0.5 ? y[j] >= yes : t[j] < 0.5 && y[j] < yes;
        *weight += (double)what->columns;
    }
    return NN_OK;
}

static const nn_scorer_interface interface = {
    .size = NN_SIZEOF(nn_scorer_interface, score),
    .higher_is_better = 1,
    .score = score,
};

static const nn_component component = {
    .size = NN_SIZEOF(nn_component, outputs),
    .kind = NN_KIND_SCORER,
    .n_params = sizeof params / sizeof *params,
    .name = "hamming",
    .summary = "Share of right labels where each column is one",
    .doc = "A label is right if (y >= threshold) = (t >= 1/2), with y its "
           "prediction and t its target; NaN never is. Score: right labels / "
           "labels.",
    .params = params,
    .interface = &interface,
};

static const nn_component *const components[] = {&component};

NN_PLUGIN_ENTRY(scorer_hamming) = {
    NN_PLUGIN_HEAD,
    .id = "org.nervenet.scorer.hamming",
    .name = "hamming",
    .version = "0.1.0",
    .license = "MIT",
    .author = "Nervenet contributors",
    .summary = "Share of right labels where each column is one",
    .n_components = 1,
    .components = components,
};
