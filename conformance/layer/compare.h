/* SPDX-License-Identifier: MIT */
/* compare.h - what the checks of this folder have in common: copies of what a
 * bench holds, and comparisons that say where they fail. */
#ifndef NN_CONFORMANCE_LAYER_COMPARE_H
#define NN_CONFORMANCE_LAYER_COMPARE_H

#include "conformance/layer/bench.h"

#define MACHINE_EPSILON 2.220446049250313e-16

/* For bench_each: on the trial's handler, every mode of derivatives allowed. */
extern const bench_options on_handler;

/* Sorts of a snapshot, as bits. */
#define SORT(sort) (1u << (sort))
#define SORTS_DERIVATIVES                                                      \
    (SORT(BENCH_INPUT_DELTA) | SORT(BENCH_GRADIENT) |                          \
     SORT(BENCH_REFERENCE_DELTA))
#define SORTS_VARIABLES                                                        \
    (SORT(BENCH_INPUT) | SORT(BENCH_PARAMETER) | SORT(BENCH_REFERENCE))

/* Copies of all values of some sorts, by sort and index. */
typedef struct snapshot {
    double *values[BENCH_SORTS][BENCH_VALUES];
    int64_t counts[BENCH_SORTS][BENCH_VALUES];
    uint32_t sorts; /* bits of SORT */
} snapshot;

/* Copies the values of SORTS.  Lives as long as the trial. */
const snapshot *snapshot_take(bench *b, uint32_t sorts);

/* Elements of value INDEX of SORT in S. */
static inline double *snapshot_of(const snapshot *s, enum bench_sort sort,
                                  uint32_t index)
{
    return s->values[sort][index];
}

/* Fails where EXPECTED and GOT differ in one bit (NaN equals NaN); WHAT stands
 * before what was expected.  B names the places.  Returns what it found. */
int64_t compare_exact(bench *b, const snapshot *expected, const snapshot *got,
                      const char *what);

/* Fails where they differ by more than FACTOR times the machine epsilon times
 * the largest magnitude of the array in either, or 1 if that is more. */
int64_t compare_close(bench *b, const snapshot *expected, const snapshot *got,
                      double factor, const char *what);

/* Fails with element ELEMENT of a value, EXPECTED and GOT. */
void fail_at(bench *b, enum bench_sort sort, uint32_t index, int64_t element,
             const char *what, double expected, double got);

/* A rounding bound for sums over the elements of all values of B: each sum of n
 * terms of magnitude m has an error below n m epsilon, and n is at most the
 * number of elements of the largest array. */
double rounding_factor(const bench *b);

/* The derivatives at the values that B has: forward, then backward with every
 * derivative WRITE over NaN, so that what is not written shows.  NULL after a
 * failure. */
const snapshot *derivatives(bench *b);

/* 1 if derivative INDEX of SORT (BENCH_INPUT_DELTA, ...) is asked for. */
int is_wanted(const bench *b, enum bench_sort sort, uint32_t index);

#endif
