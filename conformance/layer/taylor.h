/* SPDX-License-Identifier: MIT */
/* taylor.h - gradients against differences along a random direction. */
#ifndef NN_CONFORMANCE_LAYER_TAYLOR_H
#define NN_CONFORMANCE_LAYER_TAYLOR_H

#include "conformance/layer/compare.h"

/* Checks the derivatives at the values and output deltas that B has along one
 * random direction of SEED over all variables.  WHAT tells of the values.
 * Returns 0 if they are right, else says the failure. */
int taylor_test(bench *b, uint64_t seed, const char *what);

#endif
