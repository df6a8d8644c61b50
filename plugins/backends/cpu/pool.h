/* SPDX-License-Identifier: MIT */
/* pool.h - the threads of one CPU handler.
 *
 * A pool of n threads is the calling thread and n - 1 workers.  A job is a
 * number of tasks, and whoever is free takes the next one: the caller from the
 * front, the workers from the back, so that neighbouring tasks mostly stay on
 * one core and a core that is disturbed does less.  A task must not start
 * another job. */
#ifndef CPU_POOL_H
#define CPU_POOL_H

#include <stdint.h>

typedef struct cpu_pool cpu_pool;

/* Task number TASK of a job, run by thread THREAD (0 = the caller). */
typedef void (*cpu_task_fn)(void *context, int64_t task, int32_t thread);

/* The range BEGIN to END - 1 of a loop. */
typedef void (*cpu_range_fn)(void *context, int64_t begin, int64_t end);

/* Starts THREADS - 1 workers (THREADS >= 1).  NULL if memory or threads are
 * exhausted.  [setup] */
cpu_pool *cpu_pool_create(int32_t threads);

/* Ends and joins the workers.  [setup] */
void cpu_pool_destroy(cpu_pool *pool);

/* Number of threads with the caller.  [any] */
int32_t cpu_pool_threads(const cpu_pool *pool);

/* Runs TASKS tasks and returns when all have ended.  [compute] */
void cpu_pool_run(cpu_pool *pool, int64_t tasks, cpu_task_fn run,
                  void *context);

/* Runs RUN over 0 to TOTAL - 1 in ranges of GRAIN (the last may be shorter).
 * Ranges depend on TOTAL and GRAIN alone, never on the number of threads.
 * [compute] */
void cpu_pool_for(cpu_pool *pool, int64_t total, int64_t grain,
                  cpu_range_fn run, void *context);

#endif
