/* SPDX-License-Identifier: MIT */
/* thread.c - who calls what, and when: functions of the host within their tags,
 * and two instances at once. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <pthread.h>
#include <string.h>

#include "conformance/data/host.h"
#include "conformance/layer/compare.h"
#include "conformance/layer/more.h"
#include "conformance/watch.h"

/* ---- layer.thread.tags -------------------------------------------------- */

/* The host that the layer gets. */
static struct {
    nn_host host;
    const nn_host *base;
    pthread_t thread; /* the only one that may set up */
    const char *wrong[8];
    const char *when[8];
    uint32_t count;
} seen;

/* A function NAME that is tagged [setup] was called. */
static void see(const char *name)
{
    const char *entered = watch_entered();
    int computing = !strcmp(entered, "forward") || !strcmp(entered, "backward");

    if (!computing && pthread_equal(pthread_self(), seen.thread))
        return;
    if (seen.count < 8) {
        seen.wrong[seen.count] = name;
        seen.when[seen.count++] = !computing ? "another thread"
                                  : strcmp(entered, "forward") ? "backward"
                                                               : "forward";
    }
}

static void *give(const nn_host *host, size_t bytes)
{
    (void)host;
    see("alloc");
    return seen.base->alloc(seen.base, bytes);
}

static void take(const nn_host *host, void *memory)
{
    (void)host;
    see("free");
    seen.base->free(seen.base, memory);
}

static int32_t set_error(const nn_host *host, int32_t code, const char *id,
                         const char *text)
{
    (void)host;
    return seen.base->set_error(seen.base, code, id, text);
}

static void hear(const nn_host *host, uint32_t level, const char *text)
{
    (void)host;
    seen.base->log(seen.base, level, text);
}

static const void *find(const nn_host *host, const char *id)
{
    (void)host;
    return seen.base->get_extension(seen.base, id);
}

static uint32_t threads(const nn_host *host)
{
    (void)host;
    see("threads");
    return seen.base->threads(seen.base);
}

static void test_tags(bench *b)
{
    trial_tested(b->trial, 1);
    if (!bench_forward(b) && bench_has_backward(b))
        bench_backward(b);
}

static void run_tags(trial *t)
{
    static const nn_host functions = {NN_SIZEOF(nn_host, threads),
                                      NN_ABI_MINOR,
                                      give,
                                      take,
                                      set_error,
                                      hear,
                                      find,
                                      threads};
    bench_options options = {.host = &seen.host};
    check_host own;
    uint32_t i;

    if (check_host_init(t, &own))
        return;
    memset(&seen, 0, sizeof seen);
    seen.host = functions;
    seen.base = own.base;
    seen.thread = pthread_self();
    bench_each(t, &options, 0, test_tags);
    for (i = 0; i < seen.count; ++i)
        trial_fail(t,
                   trial_text(t, "host->%s in %s", seen.wrong[i], seen.when[i]),
                   "it is tagged [setup]: not while computing, and from the "
                   "thread that sets up",
                   "it is called");
}

const check layer_thread_tags = {
    .id = "layer.thread.tags",
    .kind = NN_KIND_LAYER,
    .level = LEVEL_BASIC,
    .what = "it calls functions of the host only where their tags allow it",
    .why = "instances compute at once in several threads, and the host takes "
           "no lock for what belongs to setup",
    .run = run_tags,
};

/* ---- layer.thread.instances --------------------------------------------- */

#define ROUNDS 200
#define TEAM 2
#define MOST_CASES 2u

typedef struct worker {
    bench *b;
    const snapshot *expected;
    double *room;
    int64_t wrong;   /* rounds that differ */
    int32_t code;    /* of a run */
    const char *say; /* where it differed first */
} worker;

static uint32_t watched(const bench *b)
{
    return SORT(BENCH_OUTPUT) | (bench_has_backward(b) ? SORTS_DERIVATIVES : 0);
}

/* 1 if what B holds now is what was expected. */
static int is_same(worker *w)
{
    bench *b = w->b;
    enum bench_sort sort;
    uint32_t k;

    for (sort = 0; sort < BENCH_SORTS; ++sort)
        for (k = 0; w->expected->sorts & SORT(sort) && k < b->sorts[sort].count;
             ++k) {
            int64_t count = b->sorts[sort].items[k].count;

            if (!count)
                continue;
            bench_get(b, sort, k, w->room);
            if (memcmp(w->room, w->expected->values[sort][k],
                       (size_t)count * sizeof *w->room) == 0)
                continue;
            if (!w->say)
                w->say = bench_say(b, sort, k, -1);
            return 0;
        }
    return 1;
}

static void *work(void *self)
{
    worker *w = self;
    int i;

    for (i = 0; i < ROUNDS && !w->code && w->wrong < 4; ++i) {
        w->code = bench_forward(w->b);
        if (!w->code && bench_has_backward(w->b))
            w->code = bench_backward(w->b);
        if (!w->code)
            w->wrong += !is_same(w);
    }
    return NULL;
}

static int64_t largest(const bench *b)
{
    enum bench_sort sort;
    int64_t most = 1;
    uint32_t k;

    for (sort = 0; sort < BENCH_SORTS; ++sort)
        for (k = 0; k < b->sorts[sort].count; ++k)
            if (b->sorts[sort].items[k].count > most)
                most = b->sorts[sort].items[k].count;
    return most;
}

/* A bench of ONE that has run alone, with what it found. */
static int prepare(trial *t, const layer_case *one, uint64_t seed, worker *w)
{
    w->b = bench_create(t, one, NULL);
    if (!w->b)
        return -1;
    bench_draw(w->b, seed);
    if (bench_has_backward(w->b) ? !derivatives(w->b) : bench_forward(w->b))
        return -1;
    w->expected = snapshot_take(w->b, watched(w->b));
    w->room = bench_numbers(w->b, largest(w->b));
    return 0;
}

static void run_team(trial *t, const layer_case *one)
{
    worker team[TEAM];
    pthread_t threads_of[TEAM];
    int ready = 1;
    int i;

    memset(team, 0, sizeof team);
    for (i = 0; i < TEAM; ++i)
        ready &= !prepare(t, one, t->seed + (uint64_t)i, &team[i]);
    for (i = 0; ready && i < TEAM; ++i)
        if (pthread_create(&threads_of[i], NULL, work, &team[i])) {
            trial_broken(t, "no thread can be started");
            ready = 0;
            while (i-- > 0)
                pthread_join(threads_of[i], NULL);
        }
    for (i = 0; ready && i < TEAM; ++i)
        pthread_join(threads_of[i], NULL);
    for (i = 0; i < TEAM; ++i) {
        trial_tested(t, ROUNDS);
        if (team[i].wrong)
            trial_fail(t, team[i].say,
                       "as when the instance runs alone, to the bit",
                       trial_text(t, "%" PRId64 " rounds differ",
                                  team[i].wrong));
        bench_destroy(team[i].b);
    }
}

static void run_instances(trial *t)
{
    const layer_cases *cases = layer_cases_or_skip(t);
    uint32_t i;

    for (i = 0; i < cases->count && i < MOST_CASES && !trial_failures(t); ++i)
        run_team(t, &cases->items[i]);
}

const check layer_thread_instances = {
    .id = "layer.thread.instances",
    .kind = NN_KIND_LAYER,
    .level = LEVEL_STANDARD,
    .what = "two instances in two threads compute what each does alone",
    .why = "one of the same layer may run in every branch of a network and in "
           "every network of a program: static variables are shared by all",
    .run = run_instances,
};
