/* SPDX-License-Identifier: MIT */
/* examples.h - exact examples of every operation without random numbers. */
#ifndef NN_TESTS_REFERENCE_EXAMPLES_H
#define NN_TESTS_REFERENCE_EXAMPLES_H

#include "tests/unit/reference/support.h"

/* Runs one call, whose operands are tensors; returns the code. */
typedef int32_t (*example_runner)(void *context, uint32_t operation,
                                  const nn_array *const *operands,
                                  const nn_attributes *attributes);

/* Runs every example for float32 and float64, with and without gaps, with
 * WRITE into NaN, ADD into 10, DISCARD, and in place where the list permits
 * it, and compares elements and guards. */
void examples_check(example_runner run, void *context);

/* True if an example shows OPERATION. */
int examples_show(uint32_t operation);

#endif
