/* SPDX-License-Identifier: MIT */
/* checks.c - the checks of this folder, in the order in which they run. */
#include "conformance/data/checks.h"

const check *const data_checks[] = {
    &iterator_describe, &iterator_epoch,        &iterator_length,
    &iterator_seed,     &iterator_seek,         &iterator_state,
    &iterator_gather,   &iterator_shards,       &iterator_sizes,
    &iterator_source,   &iterator_batch_memory, &iterator_destroy,
    &iterator_leak,     &iterator_threads,      &iterator_request,
    &iterator_errors,   &iterator_composition,  NULL,
};
