/* SPDX-License-Identifier: MIT */
/* scorer.h - a good scorer, to be spoiled: the share of rows whose class has
 * the largest prediction, the first of equal ones.  The class is the label, or
 * the column of targets that is 1. */
#ifndef ZOO_SCORER_H
#define ZOO_SCORER_H

#include <nn/describe.h>
#include <nn/training.h>

/* The class of ROW; -1 if its label is none. */
static inline int64_t class_of(const nn_scored *what, int64_t row)
{
    const double *t = what->targets + row * what->target_columns;
    int64_t j = 0;

    if (what->target_columns == 1)
        return t[0] >= 0 && t[0] < (double)what->columns ? (int64_t)t[0] : -1;
    while (j + 1 < what->target_columns && !(t[j] > 0.5))
        ++j;
    return j;
}

/* 1 if column WANTED of the predictions Y is the largest. */
static inline int is_largest(const nn_scored *what, const double *y,
                             int64_t wanted)
{
    for (int64_t j = 0; j < what->columns; ++j)
        if (!(j < wanted ? y[j] < y[wanted] : y[j] <= y[wanted]))
            return 0;
    return 1;
}

/* What is not accepted, with a message. */
static inline int32_t judge(const nn_scored *what)
{
    if (what->columns > 1 &&
        (what->target_columns == 1 || what->target_columns == what->columns))
        return NN_OK;
    return nn_fail(what->host, NN_SHAPE, "zoo.columns",
                   "the columns of targets do not fit");
}

static inline int left_out(const nn_scored *what, int64_t row)
{
    return what->mask && what->mask[row] == 0;
}

static inline int32_t good_score(const nn_scored *what, double *sum,
                                 double *weight)
{
    int32_t code = judge(what);

    for (int64_t row = 0; row < what->rows && code == NN_OK; ++row) {
        int64_t wanted = left_out(what, row) ? 0 : class_of(what, row);

        if (left_out(what, row))
            continue;
        if (wanted < 0)
            return nn_fail(what->host, NN_INVALID_ARGUMENT, "zoo.label",
                           "the label of row %lld is no class", (long long)row);
        *sum += is_largest(what, what->predictions + row * what->columns,
                           wanted);
        *weight += 1;
    }
    return code;
}

/* The entry; what follows NAME replaces functions: `.score = score`. */
#define ZOO_SCORER(NAME, ...)                                                  \
    static const nn_scorer_interface interface = {                             \
        .size = NN_SIZEOF(nn_scorer_interface, score),                         \
        .higher_is_better = 1,                                                 \
        .score = good_score,                                                   \
        __VA_ARGS__};                                                          \
    ZOO_ENTRY(NAME, NN_KIND_SCORER, NULL, 0)

#include "entry.h"

#endif
