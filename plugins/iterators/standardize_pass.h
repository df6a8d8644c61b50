/* SPDX-License-Identifier: MIT */
/* standardize_pass.h - means and standard deviations of the inner iterator's
 * data. */
#ifndef ITERATORS_STANDARDIZE_PASS_H
#define ITERATORS_STANDARDIZE_PASS_H

#include "inner.h"

/* One field that is standardized.  Number i of a sample has mean
 * i % n_means and standard deviation i % n_stds. */
typedef struct standardize_field {
    const char *name;
    uint32_t index; /* of the field */
    uint32_t dtype;
    int64_t features;
    int64_t n_means; /* 1, the last axis or features */
    int64_t n_stds;
    double *means; /* NULL: to be computed */
    double *stds;
    int given; /* both of them */
    /* The pass; number i of a sample belongs to group i % groups. */
    int64_t groups;
    double count;          /* n, numbers of a group so far */
    double *m;             /* (groups) */
    double *squares;       /* (groups) M */
    double *block_m;       /* (groups) */
    double *block_squares; /* (groups) */
} standardize_field;

/* Number I of consecutive ones at DATA. */
static inline double standardize_number(const standardize_field *field,
                                        const void *data, int64_t i)
{
    return field->dtype == NN_FLOAT32 ? (double)((const float *)data)[i]
                                      : ((const double *)data)[i];
}

/* Computes the means and standard deviations that COUNT FIELDS lack. */
int32_t standardize_pass_run(inner *source, standardize_field *fields,
                             uint32_t count);

/* Frees what the pass of FIELD needs. */
void standardize_pass_release(const nn_host *host, standardize_field *field);

#endif
