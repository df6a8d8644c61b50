/* SPDX-License-Identifier: MIT */
/* accuracy.c - share of rows whose class is among the `top` best.
 *
 * A row of predictions y with C columns and its class t is a hit if
 *
 *     #{j: y[j] > y[t]} + #{j < t: y[j] = y[t]} < top
 *
 * so of equal numbers the first counts as the larger, and a constant
 * prediction is right for one class, not for all.  A row that holds NaN is no
 * hit.  The class is the target itself (one column), or the place of the first
 * largest of C target columns.  With a single column of predictions the two
 * classes are y < 1/2 and y >= 1/2.  Score: hits / rows, rows with mask 0 left
 * out.  Higher is better.
 *
 * Other libraries: TensorFlow's in_top_k counts all that tie with the class as
 * hits, PyTorch's topk leaves the order of equal numbers open; an argmax over
 * NaN calls the row class 0. */
#include <nn/describe.h>
#include <nn/training.h>

static const nn_param top =
    NN_INT_PARAM("top", NN_PARAM_MAIN | NN_PARAM_RANGED, "1", 1, INFINITY,
                 "a row is a hit if its class is among so many best");

static const nn_param *const params[] = {&top};

/* The first largest of N numbers. */
static int64_t largest(const double *x, int64_t n)
{
    int64_t best = 0;
    int64_t j;

    for (j = 1; j < n; ++j)
        if (x[j] > x[best])
            best = j;
    return best;
}

/* The class of row ROW, or an error if its label is none of the classes. */
static int32_t class_of(const nn_scored *what, int64_t row, int64_t *class_)
{
    const int64_t classes = what->columns > 1 ? what->columns : 2;
    const double *target = what->targets + row * what->target_columns;

    if (what->target_columns > 1) {
        *class_ = largest(target, what->target_columns);
        return NN_OK;
    }
    if (!(target[0] >= 0 && target[0] < (double)classes) ||
        target[0] != floor(target[0]))
        return nn_fail(what->host, NN_INVALID_ARGUMENT, "accuracy.label",
                       "accuracy: the label of row %lld is none of the "
                       "classes 0 to %lld",
                       (long long)row, (long long)classes - 1);
    *class_ = (int64_t)target[0];
    return NN_OK;
}

static int is_hit(const double *y, int64_t columns, int64_t class_,
                  int64_t best)
{
    int64_t before = 0;
    int64_t j;

    if (columns == 1)
        return class_ ? y[0] >= 0.5 : y[0] < 0.5;
    for (j = 0; j < columns; ++j) {
        if (isnan(y[j]))
            return 0;
        before += y[j] > y[class_] || (y[j] == y[class_] && j < class_);
    }
    return before < best;
}

static int32_t score(const nn_scored *what, double *sum, double *weight)
{
    const int64_t best = nn_param_int(what->params, 0);
    int64_t row;

    if (what->target_columns != 1 && what->target_columns != what->columns)
        return nn_fail(what->host, NN_SHAPE, "accuracy.targets",
                       "accuracy: %lld columns of predictions need 1 or as "
                       "many of targets, not %lld",
                       (long long)what->columns,
                       (long long)what->target_columns);
    for (row = 0; row < what->rows; ++row) {
        int64_t class_ = 0;
        int32_t code;

        if (what->mask && what->mask[row] == 0)
            continue;
        code = class_of(what, row, &class_);
        if (code)
            return code;
        *sum += is_hit(what->predictions + row * what->columns, what->columns,
                       class_, best);
        *weight += 1;
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
    .name = "accuracy",
    .summary = "Share of rows whose class is among the best",
    .doc = "A row is a hit if fewer than `top` predictions are larger than "
           "that of its class; of equal ones the first counts as larger. A "
           "row with NaN is no hit. Targets are labels (one column) or one "
           "column a class. With one column of predictions the classes are "
           "y < 1/2 and y >= 1/2.",
    .params = params,
    .interface = &interface,
};

static const nn_component *const components[] = {&component};

NN_PLUGIN_ENTRY(scorer_accuracy) = {
    NN_PLUGIN_HEAD,
    .id = "org.nervenet.scorer.accuracy",
    .name = "accuracy",
    .version = "0.1.0",
    .license = "MIT",
    .author = "Nervenet contributors",
    .summary = "Share of rows whose class is among the best",
    .n_components = 1,
    .components = components,
};
