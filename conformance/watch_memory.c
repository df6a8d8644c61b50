/* SPDX-License-Identifier: MIT */
/* watch_memory.c - the allocations, counted.
 *
 * glibc has its own functions under further names, so that no lookup is needed
 * that would allocate itself.  Sanitizers replace these functions too: beside
 * them there is nothing here. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "conformance/watch_note.h"

static atomic_uint_fast64_t allocations;

uint64_t watch_allocations(void)
{
    return atomic_load(&allocations);
}

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) &&                    \
    !defined(__SANITIZE_THREAD__)

extern void *__libc_malloc(size_t bytes);
extern void *__libc_calloc(size_t count, size_t bytes);
extern void *__libc_realloc(void *memory, size_t bytes);
extern void *__libc_memalign(size_t alignment, size_t bytes);
extern void __libc_free(void *memory);

WATCHED void *malloc(size_t bytes);
WATCHED void *calloc(size_t count, size_t bytes);
WATCHED void *realloc(void *memory, size_t bytes);
WATCHED void *memalign(size_t alignment, size_t bytes);
WATCHED void *aligned_alloc(size_t alignment, size_t bytes);
WATCHED int posix_memalign(void **memory, size_t alignment, size_t bytes);
WATCHED void free(void *memory);

int watch_memory(void)
{
    return 1;
}

static void count(const char *name, const void *caller)
{
    atomic_fetch_add_explicit(&allocations, 1, memory_order_relaxed);
    if (watch_is_plugin(caller))
        watch_note(WATCH_MEMORY, name, NULL, caller);
}

void *malloc(size_t bytes)
{
    count("malloc", CALLER);
    return __libc_malloc(bytes);
}

void *calloc(size_t n, size_t bytes)
{
    count("calloc", CALLER);
    return __libc_calloc(n, bytes);
}

void *realloc(void *memory, size_t bytes)
{
    count("realloc", CALLER);
    return __libc_realloc(memory, bytes);
}

void *memalign(size_t alignment, size_t bytes)
{
    count("memalign", CALLER);
    return __libc_memalign(alignment, bytes);
}

void *aligned_alloc(size_t alignment, size_t bytes)
{
    count("aligned_alloc", CALLER);
    return __libc_memalign(alignment, bytes);
}

int posix_memalign(void **memory, size_t alignment, size_t bytes)
{
    void *got;

    count("posix_memalign", CALLER);
    if (alignment < sizeof got || (alignment & (alignment - 1)))
        return EINVAL;
    got = __libc_memalign(alignment, bytes);
    if (!got)
        return ENOMEM;
    *memory = got;
    return 0;
}

void free(void *memory)
{
    if (watch_is_plugin(CALLER))
        watch_note(WATCH_FREE, "free", NULL, CALLER);
    __libc_free(memory);
}

#else

int watch_memory(void)
{
    return 0;
}

#endif
