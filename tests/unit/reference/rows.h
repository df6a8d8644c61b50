/* SPDX-License-Identifier: MIT */
/* rows.h - plans and runs rows of extensions on a toy handler. */
#ifndef NN_TESTS_REFERENCE_ROWS_H
#define NN_TESTS_REFERENCE_ROWS_H

#include "core/reference/complete.h"
#include "tests/unit/reference/support.h"

/* A toy handler that has a few operations itself, completed. */
typedef struct bench {
    nn_handler toy;
    nn_completed *completed;
} bench;

/* REAL is NN_FLOAT32 or NN_FLOAT64. */
void bench_init(bench *b, uint32_t real);
void bench_finish(bench *b);

/* Plans row NUMBER of extension ID with workspace at most LIMIT (0: any) and
 * runs it; the workspace starts as NaN and is guarded.  Returns the first
 * code.  *BYTES, if wanted, is the workspace. */
int32_t bench_run(bench *b, const char *id, uint32_t number,
                  tensor *const *tensors, uint32_t n, const void *attributes,
                  int64_t limit, int64_t *bytes);

#endif
