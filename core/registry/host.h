/* SPDX-License-Identifier: MIT */
/* host.h - the table that plugins receive, and what stands behind it. */
#ifndef NN_CORE_REGISTRY_HOST_H
#define NN_CORE_REGISTRY_HOST_H

#include <nn/host.h>

/* Takes a message of LEVEL (NN_LOG_...); may be called by several threads at
 * once. */
typedef void (*nn_log_function)(void *self, uint32_t level, const char *text);

/* A host whose messages go to one place.  Errors, memory, extensions and
 * threads are the process's, whichever host is asked. */
typedef struct nn_host_instance {
    nn_host host; /* first: a plugin's pointer leads to the rest */
    nn_log_function log;
    void *log_self;
} nn_host_instance;

/* Fills INSTANCE; LOG may be NULL.  It must stay where it is while plugins
 * hold its address.  [setup] */
void nn_host_init(nn_host_instance *instance, nn_log_function log, void *self);

/* The host that plugins receive in `init`; lives as long as the program.
 * [any] */
const nn_host *nn_host_process(void);

/* Where its messages go; LOG may be NULL: nowhere, as at the start.  [setup] */
void nn_host_process_log(nn_log_function log, void *self);

/* Makes TABLE available as extension ID to all plugins; both live as long as
 * the program.  The same twice is fine; another table under a known id is
 * NN_STATE.  [any] */
int32_t nn_host_provide(const char *id, const void *table);

/* Blocks that plugins hold now.  [any] */
int64_t nn_host_blocks(void);

/* Makes the COUNT-th allocation from now fail, once; 0: none.  [any] */
void nn_host_fail_after(int64_t count);

/* The thread budget of the process: COUNT, or with 0 as at the start the CPUs
 * on which it may run, but no more than NN_THREADS states.  [setup] */
void nn_threads_set(uint32_t count);

/* The budget, >= 1.  [any] */
uint32_t nn_threads_get(void);

#endif
