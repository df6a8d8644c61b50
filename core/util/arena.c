/* SPDX-License-Identifier: MIT */
/* arena.c - see arena.h.
 *
 * Chunks form a list, newest first; only the newest is filled further.  What
 * does not fit opens a new chunk, large enough for it, so at most one request
 * a chunk is ever refused by the one before. */
#include "core/util/arena.h"

#include <stdlib.h>
#include <string.h>

#include "core/util/checked.h"
#include "core/util/error.h"

#define CHUNK_BYTES 4000
#define ALIGNMENT 16

typedef struct chunk {
    struct chunk *next;
    int64_t capacity; /* bytes behind the head */
    int64_t used;
    int64_t padding; /* keeps the bytes behind the head aligned */
} chunk;

_Static_assert(sizeof(chunk) % ALIGNMENT == 0, "memory behind it is aligned");

/* A call that is due at the end. */
struct deferred {
    struct deferred *next;
    void (*finish)(void *what);
    void *what;
};

struct nn_arena {
    chunk *chunks;
    struct deferred *deferred; /* in the chunks; latest first */
};

int32_t nn_arena_create(nn_arena **out)
{
    *out = calloc(1, sizeof **out);
    return *out ? NN_OK : nn_error_no_memory("an arena", sizeof **out);
}

void nn_arena_destroy(nn_arena *arena)
{
    chunk *next;

    if (!arena)
        return;
    for (; arena->deferred; arena->deferred = arena->deferred->next)
        arena->deferred->finish(arena->deferred->what);
    while (arena->chunks) {
        next = arena->chunks->next;
        free(arena->chunks);
        arena->chunks = next;
    }
    free(arena);
}

/* Puts a chunk with room for BYTES in front. */
static chunk *add_chunk(nn_arena *arena, int64_t bytes)
{
    int64_t capacity = bytes > CHUNK_BYTES ? bytes : CHUNK_BYTES;
    int64_t total;
    chunk *added = NULL;

    if (nn_checked_add(capacity, (int64_t)sizeof *added, &total))
        added = calloc(1, (size_t)total);
    if (!added) {
        nn_error_no_memory("an arena", (uint64_t)bytes);
        return NULL;
    }
    added->capacity = capacity;
    added->next = arena->chunks;
    arena->chunks = added;
    return added;
}

void *nn_arena_alloc(nn_arena *arena, int64_t count, int64_t size)
{
    chunk *last = arena->chunks;
    int64_t bytes;
    char *result;

    if (!nn_checked_mult(count, size, &bytes) ||
        !nn_checked_add(bytes, ALIGNMENT, &bytes)) {
        nn_error_no_memory("an arena", UINT64_MAX);
        return NULL;
    }
    bytes = nn_align_up(bytes - ALIGNMENT, ALIGNMENT);
    if (!last || last->capacity - last->used < bytes)
        last = add_chunk(arena, bytes);
    if (!last)
        return NULL;
    result = (char *)(last + 1) + last->used;
    last->used += bytes;
    return result;
}

int32_t nn_arena_defer(nn_arena *arena, void (*finish)(void *what), void *what)
{
    struct deferred *added = nn_arena_alloc(arena, 1, sizeof *added);

    if (!added) {
        finish(what);
        return NN_NO_MEMORY;
    }
    added->next = arena->deferred;
    added->finish = finish;
    added->what = what;
    arena->deferred = added;
    return NN_OK;
}

char *nn_arena_string(nn_arena *arena, const char *string)
{
    size_t length = strlen(string);
    char *copy = nn_arena_alloc(arena, (int64_t)length + 1, 1);

    if (copy)
        memcpy(copy, string, length);
    return copy;
}
