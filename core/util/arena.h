/* SPDX-License-Identifier: MIT */
/* arena.h - memory for many small things that die together. */
#ifndef NN_CORE_UTIL_ARENA_H
#define NN_CORE_UTIL_ARENA_H

#include <nn/base.h>

typedef struct nn_arena nn_arena;

/* An empty arena in *OUT.  [any] */
int32_t nn_arena_create(nn_arena **out);

/* Frees the arena and everything in it.  NULL is fine.  [any] */
void nn_arena_destroy(nn_arena *arena);

/* COUNT zeroed elements of SIZE bytes, aligned to 16 bytes, that live as long
 * as the arena; never NULL for COUNT 0.  NULL with a message if the product
 * overflows or memory is exhausted.  One thread at a time. */
void *nn_arena_alloc(nn_arena *arena, int64_t count, int64_t size);

/* Has FINISH(WHAT) called when the arena is destroyed, the latest first.  If
 * there is no memory to note that, FINISH is called at once.  Returns NN_OK or
 * NN_NO_MEMORY with a message. */
int32_t nn_arena_defer(nn_arena *arena, void (*finish)(void *what), void *what);

/* A copy of STRING in the arena; NULL with a message on failure. */
char *nn_arena_string(nn_arena *arena, const char *string);

#endif
