/* SPDX-License-Identifier: MIT */
/* more.h - the checks that more.c lists, and what they have in common. */
#ifndef NN_CONFORMANCE_LAYER_MORE_H
#define NN_CONFORMANCE_LAYER_MORE_H

#include "conformance/layer/compare.h"

extern const check *const layer_more_checks[];

/* Outputs and derivatives at the values that B has, the derivatives as
 * `derivatives` makes them.  NULL after a failure. */
const snapshot *more_run(bench *b);

extern const check layer_ops_handler_only;
extern const check layer_ops_unsupported;
extern const check layer_thread_tags;
extern const check layer_thread_instances;
extern const check layer_edge_size;
extern const check layer_edge_values;
extern const check layer_equiv_batch;
extern const check layer_equiv_handlers;
extern const check layer_rng;
extern const check layer_mem_leak;
extern const check layer_state;
extern const check layer_life;
extern const check layer_env;

#endif
