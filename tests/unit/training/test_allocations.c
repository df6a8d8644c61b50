/* SPDX-License-Identifier: MIT */
/* test_allocations.c - an update after the first allocates nothing and meets
 * no new page.  The allocator of the program counts its calls; where a
 * sanitizer needs the allocator for itself only the pages are counted. */
#define _GNU_SOURCE
#include <errno.h>
#include <malloc.h>
#include <stdatomic.h>
#include <sys/resource.h>

#include "tests/unit/training/training.h"

static atomic_int counting;
static atomic_long allocations;

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) &&         \
    defined(__GLIBC__)
#define COUNTS 1

void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);
void *__libc_realloc(void *memory, size_t bytes);
void *__libc_memalign(size_t alignment, size_t bytes);

static void note_allocation(void)
{
    if (atomic_load(&counting))
        atomic_fetch_add(&allocations, 1);
}

void *malloc(size_t bytes)
{
    note_allocation();
    return __libc_malloc(bytes);
}

void *calloc(size_t count, size_t bytes)
{
    note_allocation();
    return __libc_calloc(count, bytes);
}

void *realloc(void *memory, size_t bytes)
{
    note_allocation();
    return __libc_realloc(memory, bytes);
}

void *aligned_alloc(size_t alignment, size_t bytes)
{
    note_allocation();
    return __libc_memalign(alignment, bytes);
}

int posix_memalign(void **memory, size_t alignment, size_t bytes)
{
    note_allocation();
    *memory = __libc_memalign(alignment, bytes);
    return *memory ? 0 : ENOMEM;
}
#else
#define COUNTS 0
#endif

static long page_faults(void)
{
    struct rusage usage;

    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_minflt + usage.ru_majflt;
}

/* From the end of one update to that of the next; the last of an epoch are
 * left out, since a log grows after it. */
static long faults_before;
static long fewest_faults;
static int windows;

static int32_t measure(const nn_hook_context *context)
{
    int64_t update = context->progress.update;

    if (context->when != NN_AT_UPDATE || update < 4)
        return NN_HOOK_CONTINUE;
    if (update % 3 != 1) {
        long faults = page_faults() - faults_before;

        atomic_store(&counting, 0);
        fewest_faults = windows && fewest_faults < faults ? fewest_faults
                                                          : faults;
        ++windows;
    }
    if (update % 3 != 0) {
        faults_before = page_faults();
        atomic_store(&counting, 1);
    }
    return NN_HOOK_CONTINUE;
}

static void take_status(void *self, const nn_trainer_status *status)
{
    (void)self;
    (void)status;
}

static void test_an_update_allocates_nothing(void **state)
{
    run r;

    (void)state;
    start_run(&r, NETWORK
              "training:\n"
              "  stepper: {adam: {learning_rate: {cosine: {from: 0.1}}, "
              "decay: 0.1}}\n"
              "  modifiers: [{clip_gradient_norm: 1}, {l2: 1e-4}]\n"
              "  hooks: [{progress: {interval: 100}}, stop_on_nan, "
              "{progress: {name: spy, timescale: update}}]\n"
              "  epochs: 10\n");
    open_model(&r, 3, 1);
    place_spies(&r, measure);
    r.options.progress = take_status;
    must_open(&r);
    must_run(&r);
    assert_int_equal(windows, 18);
    if (COUNTS) {
        void *volatile memory;

        atomic_store(&counting, 1); /* the counter counts */
        memory = malloc(1);
        atomic_store(&counting, 0);
        free(memory);
        assert_int_equal(atomic_load(&allocations), 1);
    }
    assert_int_equal(fewest_faults, 0);
    end_run(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_an_update_allocates_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
