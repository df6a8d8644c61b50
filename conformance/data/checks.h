/* SPDX-License-Identifier: MIT */
/* checks.h - the checks of this folder. */
#ifndef NN_CONFORMANCE_DATA_CHECKS_H
#define NN_CONFORMANCE_DATA_CHECKS_H

#include "conformance/check.h"

extern const check iterator_describe; /* describe.c */
extern const check iterator_epoch;
extern const check iterator_length;
extern const check iterator_seed; /* order.c */
extern const check iterator_seek;
extern const check iterator_state;
extern const check iterator_gather; /* access.c */
extern const check iterator_shards;
extern const check iterator_sizes;
extern const check iterator_source; /* care.c */
extern const check iterator_batch_memory;
extern const check iterator_destroy;
extern const check iterator_leak;
extern const check iterator_threads; /* threads.c */
extern const check iterator_request; /* request.c */
extern const check iterator_errors;
extern const check iterator_composition;

#endif
