/* SPDX-License-Identifier: MIT */
/* scoring.h - a scorer with batches to score.
 *
 * Scorers take targets in one of three forms; the suite tries them and keeps to
 * the first that the scorer accepts. */
#ifndef NN_CONFORMANCE_TRAINING_SCORING_H
#define NN_CONFORMANCE_TRAINING_SCORING_H

#include "conformance/training/stepping.h"

#define SCORING_ROWS 12
#define SCORING_CLASSES 3

enum scoring_form {
    SCORING_COLUMNS, /* a column a class, 0 or 1 */
    SCORING_LABELS,  /* one column: the class */
    SCORING_ONE,     /* one column each, 0 or 1 */
    SCORING_FORMS
};

typedef struct scoring {
    trial *t;
    const char *text;
    check_host host;
    nn_part *part;
    nn_scorer_interface f;
    int64_t rows;
    int64_t columns;
    int64_t target_columns;
    double *predictions; /* between pages that nobody may touch: the last
                            number ends at one */
    double *targets;
    double *mask;
    int masked;
} scoring;

typedef struct score {
    int32_t code;
    double sum;
    double weight;
} score;

/* Makes the scorer with the first form that it accepts; targets of all classes,
 * perfect predictions, a mask of ones that is not used.  Returns 0 or -1. */
int scoring_open(trial *t, const char *text, int sure, scoring *out);
void scoring_close(scoring *s);

/* The same data with predictions that are right. */
void scoring_perfect(scoring *s);

/* Predictions between right and wrong. */
void scoring_middling(scoring *s);

/* Adds rows FIRST to LAST - 1 to SUM and WEIGHT of OUT. */
void scoring_add(scoring *s, int64_t first, int64_t last, score *out);

/* The score of all rows. */
score scoring_all(scoring *s);

/* COUNT numbers that end where a page begins that nobody may touch. */
double *scoring_room(trial *t, int64_t count);

#endif
