/* SPDX-License-Identifier: MIT */
/* pool.c - a thread pool that hands out work through one 64-bit ticket.
 *
 * The ticket holds the first and the end of the tasks that nobody has taken
 * yet; a thread takes one by compare-and-swap.  The job itself (run, context)
 * is read only after a task was taken: the job cannot end before that task
 * does, so what was read belongs to it, and a stale ticket does no harm.  The
 * caller returns when as many tasks have ended as there were.
 *
 * Whoever waits spins for SPIN_NANOSECONDS, which bridges the gap between two
 * operations of a step, and then sleeps on a futex.  The spinning is bounded by
 * time, so two pools on too few cores get past each other. */
#define _GNU_SOURCE
#include "pool.h"

#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define SPIN_NANOSECONDS 50000
#define SPINS_PER_CLOCK 32

typedef struct worker {
    cpu_pool *pool;
    pthread_t thread;
    int32_t number;
} worker;

/* The ticket and each counter have a cache line of their own. */
struct cpu_pool {
    _Alignas(64) _Atomic uint64_t ticket; /* end << 32 | first */
    _Alignas(64) _Atomic uint32_t ended;  /* tasks of this job */
    _Alignas(64) _Atomic uint32_t epoch;  /* futex of sleeping workers */
    _Atomic uint32_t sleepers;
    _Atomic uint32_t caller_sleeps;
    _Atomic uint32_t stop;
    _Alignas(64) cpu_task_fn run;
    void *context;
    uint32_t tasks;
    int32_t threads;
    int32_t started; /* workers to join */
    worker *workers;
};

static void futex_wait(_Atomic uint32_t *word, uint32_t value)
{
    syscall(SYS_futex, (void *)word, FUTEX_WAIT_PRIVATE, value, NULL, NULL, 0);
}

static void futex_wake(_Atomic uint32_t *word, int32_t count)
{
    syscall(SYS_futex, (void *)word, FUTEX_WAKE_PRIVATE, count, NULL, NULL, 0);
}

static void pause_briefly(void)
{
#if defined __x86_64__ || defined __i386__
    __builtin_ia32_pause();
#elif defined __aarch64__
    __asm__ volatile("yield");
#endif
}

static int64_t nanoseconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static int has_work(cpu_pool *pool)
{
    uint64_t ticket = atomic_load_explicit(&pool->ticket, memory_order_acquire);

    return (uint32_t)ticket < (uint32_t)(ticket >> 32);
}

static int all_ended(cpu_pool *pool)
{
    return atomic_load_explicit(&pool->ended, memory_order_acquire) ==
           pool->tasks;
}

static int has_work_or_stops(cpu_pool *pool)
{
    return has_work(pool) || atomic_load(&pool->stop);
}

/* True as soon as CONDITION holds, false when the time is over. */
static int spin_until(cpu_pool *pool, int (*condition)(cpu_pool *))
{
    int64_t until = 0;

    for (;;) {
        int i;

        for (i = 0; i < SPINS_PER_CLOCK; ++i) {
            if (condition(pool))
                return 1;
            pause_briefly();
        }
        if (!until)
            until = nanoseconds() + SPIN_NANOSECONDS;
        else if (nanoseconds() > until)
            return 0;
    }
}

/* Takes one task, from the front or the back.  False if none is left. */
static int take(cpu_pool *pool, int from_back, int64_t *task)
{
    uint64_t ticket = atomic_load_explicit(&pool->ticket, memory_order_acquire);

    for (;;) {
        uint32_t first = (uint32_t)ticket;
        uint32_t end = (uint32_t)(ticket >> 32);
        uint64_t next;

        if (first >= end)
            return 0;
        next = from_back ? (uint64_t)(end - 1) << 32 | first
                         : (uint64_t)end << 32 | (first + 1);
        if (atomic_compare_exchange_weak_explicit(&pool->ticket, &ticket, next,
                                                  memory_order_acq_rel,
                                                  memory_order_acquire)) {
            *task = from_back ? end - 1 : first;
            return 1;
        }
    }
}

/* Runs tasks until none is left to take. */
static void work(cpu_pool *pool, int32_t thread)
{
    int64_t task;

    while (take(pool, thread != 0, &task)) {
        uint32_t tasks = pool->tasks;

        pool->run(pool->context, task, thread);
        if (atomic_fetch_add(&pool->ended, 1) + 1 == tasks && thread != 0 &&
            atomic_load(&pool->caller_sleeps))
            futex_wake(&pool->ended, 1);
    }
}

static void sleep_for_work(cpu_pool *pool)
{
    uint32_t epoch = atomic_load(&pool->epoch);

    atomic_fetch_add(&pool->sleepers, 1);
    if (!has_work_or_stops(pool))
        futex_wait(&pool->epoch, epoch);
    atomic_fetch_sub(&pool->sleepers, 1);
}

static void *worker_main(void *argument)
{
    worker *self = argument;
    cpu_pool *pool = self->pool;

    while (!atomic_load(&pool->stop)) {
        if (spin_until(pool, has_work_or_stops))
            work(pool, self->number);
        else
            sleep_for_work(pool);
    }
    return NULL;
}

/* Wakes the workers that sleep, after work or a stop was published. */
static void wake_workers(cpu_pool *pool, int32_t count)
{
    atomic_fetch_add(&pool->epoch, 1);
    if (atomic_load(&pool->sleepers))
        futex_wake(&pool->epoch, count);
}

/* Signals belong to the program's own threads: the workers block them all. */
static int32_t start_workers(cpu_pool *pool)
{
    sigset_t all;
    sigset_t before;
    int32_t i;

    sigfillset(&all);
    if (pthread_sigmask(SIG_SETMASK, &all, &before))
        return -1;
    for (i = 0; i + 1 < pool->threads; ++i) {
        worker *self = &pool->workers[i];

        self->pool = pool;
        self->number = i + 1;
        if (pthread_create(&self->thread, NULL, worker_main, self))
            break;
        pool->started++;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return pool->started + 1 == pool->threads ? 0 : -1;
}

cpu_pool *cpu_pool_create(int32_t threads)
{
    cpu_pool *pool = aligned_alloc(64, sizeof *pool);

    if (!pool)
        return NULL;
    *pool = (cpu_pool){.threads = threads};
    pool->workers = calloc((size_t)threads, sizeof *pool->workers);
    if (!pool->workers || start_workers(pool)) {
        cpu_pool_destroy(pool);
        return NULL;
    }
    return pool;
}

void cpu_pool_destroy(cpu_pool *pool)
{
    int32_t i;

    if (!pool)
        return;
    atomic_store(&pool->stop, 1);
    wake_workers(pool, INT32_MAX);
    for (i = 0; i < pool->started; ++i)
        pthread_join(pool->workers[i].thread, NULL);
    free(pool->workers);
    free(pool);
}

int32_t cpu_pool_threads(const cpu_pool *pool)
{
    return pool->threads;
}

static void wait_for_end(cpu_pool *pool)
{
    if (spin_until(pool, all_ended))
        return;
    atomic_store(&pool->caller_sleeps, 1);
    for (;;) {
        uint32_t ended = atomic_load(&pool->ended);

        if (ended == pool->tasks)
            break;
        futex_wait(&pool->ended, ended);
    }
    atomic_store(&pool->caller_sleeps, 0);
}

void cpu_pool_run(cpu_pool *pool, int64_t tasks, cpu_task_fn run, void *context)
{
    int64_t task;

    if (pool->threads == 1 || tasks == 1) {
        for (task = 0; task < tasks; ++task)
            run(context, task, 0);
        return;
    }
    if (tasks <= 0)
        return;
    pool->run = run;
    pool->context = context;
    pool->tasks = (uint32_t)tasks;
    atomic_store_explicit(&pool->ended, 0, memory_order_relaxed);
    atomic_store(&pool->ticket, (uint64_t)tasks << 32);
    wake_workers(pool, (int32_t)(tasks < pool->threads ? tasks - 1
                                                       : pool->threads - 1));
    work(pool, 0);
    wait_for_end(pool);
}

typedef struct range {
    cpu_range_fn run;
    void *context;
    int64_t total;
    int64_t grain;
} range;

static void run_range(void *context, int64_t task, int32_t thread)
{
    const range *all = context;
    int64_t begin = task * all->grain;
    int64_t end = begin + all->grain;

    (void)thread;
    all->run(all->context, begin, end < all->total ? end : all->total);
}

void cpu_pool_for(cpu_pool *pool, int64_t total, int64_t grain,
                  cpu_range_fn run, void *context)
{
    range all = {run, context, total, grain};

    /* A job has fewer than 2^31 tasks. */
    while ((all.total - 1) / all.grain >= INT32_MAX)
        all.grain *= 2;
    cpu_pool_run(pool, (total + all.grain - 1) / all.grain, run_range, &all);
}
