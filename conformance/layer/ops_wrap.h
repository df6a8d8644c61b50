/* SPDX-License-Identifier: MIT */
/* ops_wrap.h - a handler around another one, whose memory nobody but its
 * operations can reach, and which fails on demand. */
#ifndef NN_CONFORMANCE_LAYER_OPS_WRAP_H
#define NN_CONFORMANCE_LAYER_OPS_WRAP_H

#include "conformance/layer/bench.h"

typedef struct wrap wrap;

/* A handler around the one that NAME makes, with a device of it; NULL after
 * saying why not.  To be destroyed after every bench on it. */
wrap *wrap_create(trial *trial, const char *name);
void wrap_destroy(wrap *w);

/* A bench of ONE on W, as bench_create makes one, or NULL; *CODE is then that
 * of the library, and nothing is said. */
bench *wrap_bench(wrap *w, const layer_case *one, int32_t *code);

/* Destroys it, but not the device. */
void wrap_bench_destroy(bench *b);

/* The operation of this number from now on fails with CODE, and those after it
 * do nothing; 0: none does. */
void wrap_fail(wrap *w, int64_t number, int32_t code);

/* Every plan of a row of an extension fails with CODE; 0: the handler has no
 * extensions. */
void wrap_fail_plans(wrap *w, int32_t code);

/* Plans that were refused so far, operations that were asked for, and the code
 * of the one that failed. */
int64_t wrap_plans(const wrap *w);
int64_t wrap_operations(const wrap *w);
int32_t wrap_error(const wrap *w);

/* Calls of `map` from the plugin's code. */
int64_t wrap_maps(const wrap *w);

/* Forgets an error, even that of a lost device. */
void wrap_clear(wrap *w);

#endif
