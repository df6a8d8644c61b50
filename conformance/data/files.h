/* SPDX-License-Identifier: MIT */
/* files.h - small data files for iterators, and texts that name them.
 *
 * Every set of data has the fields x (3 numbers a sample) and labels (1). */
#ifndef NN_CONFORMANCE_DATA_FILES_H
#define NN_CONFORMANCE_DATA_FILES_H

#include "conformance/data/texts.h"

#define FILES_SAMPLES 7 /* of the usual set */
#define FILES_COLUMNS 3 /* of x */

/* What is wrong with the files. */
enum damage { INTACT, MISSING, TRUNCATED, GARBAGE, EMPTY };

typedef struct file_set {
    int64_t n;          /* samples */
    enum damage damage; /* of every file */
    const char *made;   /* path of the last file that was made; NULL: none */
    int inner;          /* 1: a parameter was a component of kind iterator */
    const char *inner_text; /* for it; NULL: files in npy */
} file_set;

/* The texts of the iterator of the trial, whose files are described by SET and
 * made in the trial's folder; texts_value. */
const char *files_value(trial *t, const nn_param *param, void *set);

/* Number COLUMN of sample SAMPLE of x, in every format. */
double files_x(int64_t sample, int64_t column);

/* "{npy: {x: ..., labels: ...}}" with files of N samples. */
const char *files_npy(trial *t, int64_t n);

#endif
