/* SPDX-License-Identifier: MIT */
/* values.h - between bench.c and values.c, which finds and moves its arrays. */
#ifndef NN_CONFORMANCE_LAYER_VALUES_H
#define NN_CONFORMANCE_LAYER_VALUES_H

#include "conformance/layer/bench.h"

/* Finds the arrays of the pass begun, from the context of forward; then those
 * of backward, and makes memory for deltas that the core has none for. */
void values_collect_forward(bench *b);
void values_collect_backward(bench *b);

#endif
