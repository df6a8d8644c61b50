/* SPDX-License-Identifier: MIT */
/* bounds.c - reads and writes beside buffers, and allocations while computing.
 *
 * The bytes around all buffers are first those of a large number, then of NaN:
 * they stay, and outputs and derivatives are the same.  From level standard on
 * the handler debug looks as well, if there is one. */
#include "conformance/layer/checks.h"
#include "conformance/layer/compare.h"
#include "conformance/layer/guard.h"
#include "conformance/watch.h"

#include <inttypes.h>
#include <string.h>

#define RESULTS (SORT(BENCH_OUTPUT) | SORTS_DERIVATIVES)
#define NAN_BYTE 0xff   /* 0xff...: NaN in both real types */
#define LARGE_BYTE 0x5a /* 0x5a...: about 1e127, or 1e16 */

static int is_clean(bench *b, int byte, const char *what)
{
    int64_t bytes = 0;
    const char *path = guard_find(b->inner, byte, &bytes);

    trial_tested(b->trial, 1);
    if (!path)
        return 1;
    trial_fail(b->trial,
               trial_text(b->trial, "beside %s, in %s, case %s", path, what,
                          b->one->label),
               "memory that nobody writes",
               bytes < 0
                   ? trial_text(b->trial,
                                "a write %" PRId64 " bytes before its start",
                                -bytes)
                   : trial_text(b->trial,
                                "a write %" PRId64 " bytes behind its end",
                                bytes));
    return 0;
}

/* Results with BYTE around all buffers; NULL after a failure. */
static const snapshot *run_beside(bench *b, int byte)
{
    guard_set(b->inner, byte);
    bench_modes(b, NN_WRITE);
    if (bench_forward(b) || !is_clean(b, byte, "forward"))
        return NULL;
    if (bench_has_backward(b) &&
        (bench_backward(b) || !is_clean(b, byte, "backward")))
        return NULL;
    return snapshot_take(b, RESULTS);
}

static void test_bounds(bench *b)
{
    const snapshot *first = run_beside(b, LARGE_BYTE);
    const snapshot *second = first ? run_beside(b, NAN_BYTE) : NULL;

    if (second)
        compare_exact(b, first, second,
                      "the same whatever stands beside the buffers");
}

/* What the handler debug has to say of a plain run; bench_each hears it. */
static void test_debug(bench *b)
{
    bench_modes(b, NN_WRITE);
    trial_tested(b->trial, 1);
    if (!bench_forward(b) && bench_has_backward(b))
        bench_backward(b);
}

static void run_bounds(trial *trial)
{
    const bench_options guarded = {.guarded = 1};
    const bench_options debug = {.handler = "debug(reference)", .shared = 1};
    int64_t failures = trial_failures(trial);
    nn_part *part = NULL;

    bench_each(trial, &guarded, 0, test_bounds);
    if (trial->level < LEVEL_STANDARD || trial_failures(trial) > failures)
        return;
    if (nn_part_create(trial->plugins, NN_KIND_HANDLER, debug.handler, NULL,
                       &part))
        trial_note(trial, "there is no handler `debug` to look closer");
    else
        bench_each(trial, &debug, 0, test_debug);
    nn_part_destroy(part);
}

const check layer_mem_bounds = {
    .id = "layer.mem.bounds",
    .kind = NN_KIND_LAYER,
    .level = LEVEL_BASIC,
    .what = "nothing is read or written beside a buffer",
    .why = "there other layers' numbers stand; usual causes are a slice that "
           "is one too long, and frames of context that were not declared",
    .run = run_bounds,
};

/* ---- allocations ------------------------------------------------------- */

#define RUNS 100

static nn_host counting; /* the library's, with a count */
static const nn_host *host;
static uint64_t allocations; /* through it */

static void *count_alloc(const nn_host *self, size_t bytes)
{
    (void)self;
    ++allocations;
    return host->alloc(host, bytes);
}

static void free_through(const nn_host *self, void *memory)
{
    (void)self;
    host->free(host, memory);
}

/* Allocations of the plugin in NAME, of all sorts. */
static uint64_t count_in(const char *name)
{
    return watch_group_count(WATCH_MEMORY, name) + allocations;
}

static int test_pass(bench *b, const char *name, int (*run)(bench *b))
{
    uint64_t before;
    uint64_t count;
    int i;

    if (run(b))
        return -1;
    before = count_in(name);
    for (i = 0; i < RUNS; ++i)
        if (run(b))
            return -1;
    count = count_in(name) - before;
    trial_tested(b->trial, 1);
    if (!count)
        return 0;
    trial_fail(b->trial,
               trial_text(b->trial, "%s, case %s", name, b->one->label),
               "no allocation after the first call",
               trial_text(b->trial, "%" PRIu64 " in %d calls", count, RUNS));
    return -1;
}

static void test_noalloc(bench *b)
{
    if (test_pass(b, "forward", bench_forward) || !bench_has_backward(b))
        return;
    bench_modes(b, NN_WRITE);
    test_pass(b, "backward", bench_backward);
}

static void run_noalloc(trial *trial)
{
    const bench_options options = {.host = &counting};
    nn_part *part = NULL;

    if (nn_part_create(trial->plugins, NN_KIND_HANDLER, "reference", NULL,
                       &part)) {
        trial_broken(trial, "there is no handler `reference`");
        return;
    }
    host = nn_part_host(part);
    memset(&counting, 0, sizeof counting);
    memcpy(&counting, host,
           host->size < sizeof counting ? host->size : sizeof counting);
    counting.size = NN_SIZEOF(nn_host, threads);
    counting.alloc = count_alloc;
    counting.free = free_through;
    if (!watch_memory())
        trial_note(trial, "a sanitizer is in the way: only the host's own "
                          "allocator is counted");
    bench_each(trial, &options, 0, test_noalloc);
    nn_part_destroy(part);
}

const check layer_mem_noalloc = {
    .id = "layer.mem.noalloc",
    .kind = NN_KIND_LAYER,
    .level = LEVEL_STANDARD,
    .what = "forward and backward allocate nothing",
    .why = "a step takes no memory and no page fault: declare scratch as an "
           "internal in setup",
    .run = run_noalloc,
};
