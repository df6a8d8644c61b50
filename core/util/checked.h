/* SPDX-License-Identifier: MIT */
/* checked.h - arithmetic on sizes that says when it does not fit. */
#ifndef NN_CORE_UTIL_CHECKED_H
#define NN_CORE_UTIL_CHECKED_H

#include <stdint.h>

/* *RESULT = A * B for non-negative A and B.  Returns 1 if it fits, else 0 and
 * leaves *RESULT alone.  [any] */
static inline int nn_checked_mult(int64_t a, int64_t b, int64_t *result)
{
    int64_t product;

    if (a < 0 || b < 0 || __builtin_mul_overflow(a, b, &product))
        return 0;
    *result = product;
    return 1;
}

/* *RESULT = A + B for non-negative A and B.  As nn_checked_mult.  [any] */
static inline int nn_checked_add(int64_t a, int64_t b, int64_t *result)
{
    int64_t sum;

    if (a < 0 || b < 0 || __builtin_add_overflow(a, b, &sum))
        return 0;
    *result = sum;
    return 1;
}

/* VALUE rounded up to a multiple of ALIGNMENT, a power of two.  [any] */
static inline int64_t nn_align_up(int64_t value, int64_t alignment)
{
    return (value + alignment - 1) & ~(alignment - 1);
}

#endif
