/* SPDX-License-Identifier: MIT */
/* memory.c - blocks with guards and shadows, and what the core says of them.
 *
 * Until the core tells of buffers a block is one buffer, all of it unwritten.
 * With the first one the rest of the block is nobody's. */
#include <string.h>

#include "debug.h"

#define PATTERN 0xa5

static int64_t rounded(int64_t bytes)
{
    return (bytes + GUARD - 1) / GUARD * GUARD;
}

/* ---- blocks ------------------------------------------------------------ */

/* Writes the pattern to COUNT bytes at OFFSET of the inner block. */
static int32_t fill(nn_handler *handler, nn_memory *inner, int64_t offset,
                    int64_t count)
{
    void *bytes = handler->inner->map(handler->self, inner, offset, count,
                                      NN_MAP_WRITE);

    if (!bytes)
        return NN_DEVICE;
    memset(bytes, PATTERN, (size_t)count);
    handler->inner->unmap(handler->self, inner, bytes, NN_MAP_WRITE);
    return NN_OK;
}

static int32_t allocate_inner(nn_handler *handler, nn_memory *made)
{
    int64_t size = rounded(made->bytes);
    int32_t code = handler->inner->allocate(handler->self, size + 2 * GUARD,
                                            &made->inner);

    if (code)
        return code;
    code = fill(handler, made->inner, 0, GUARD);
    if (!code)
        code = fill(handler, made->inner, GUARD + made->bytes,
                    size - made->bytes + GUARD);
    if (code) {
        handler->inner->release(handler->self, made->inner);
        nn_fail(handler->host, code, "debug.guard",
                "the inner handler does not map its memory");
    }
    return code;
}

int32_t debug_memory_allocate(nn_handler *handler, int64_t bytes,
                              nn_memory **out)
{
    const nn_host *host = handler->host;
    nn_memory *made;
    int32_t code;

    *out = NULL;
    if (bytes <= 0 || bytes > INT64_MAX / 4)
        return nn_fail(host, NN_NO_MEMORY, "debug.memory",
                       "no block of %lld bytes", (long long)bytes);
    made = host->alloc(host, sizeof *made);
    if (!made)
        return NN_NO_MEMORY;
    made->bytes = bytes;
    code = allocate_inner(handler, made);
    if (!code) {
        made->shadow = host->alloc(host, (size_t)bytes);
        if (!made->shadow) {
            handler->inner->release(handler->self, made->inner);
            code = NN_NO_MEMORY;
        }
    }
    if (code) {
        host->free(host, made);
        return code;
    }
    made->next = handler->memories;
    handler->memories = made;
    *out = made;
    return NN_OK;
}

/* 1 if COUNT guard bytes at OFFSET of the inner block are as they were. */
static int is_whole(nn_handler *handler, nn_memory *memory, int64_t offset,
                    int64_t count)
{
    const uint8_t *bytes = handler->inner->map(handler->self, memory->inner,
                                               offset, count, NN_MAP_READ);
    int whole = 1;
    int64_t i;

    if (!bytes)
        return 1; /* the inner handler has an error of its own */
    for (i = 0; i < count; ++i)
        if (bytes[i] != PATTERN)
            whole = 0;
    handler->inner->unmap(handler->self, memory->inner,
                          (void *)(uintptr_t)bytes, NN_MAP_READ);
    return whole;
}

void debug_memory_release(nn_handler *handler, nn_memory *memory)
{
    const nn_host *host = handler->host;
    nn_memory **link = &handler->memories;
    nn_memory **place;

    if (!memory)
        return;
    if (!debug_memory_is_own(handler, memory)) {
        debug_finding(handler, NULL, "release", NN_INVALID_ARGUMENT,
                      debug_memory_was_own(handler, memory) ? "freed"
                                                            : "foreign",
                      "the memory is none that this handler holds");
        return;
    }
    if (!is_whole(handler, memory, 0, GUARD) ||
        !is_whole(handler, memory, GUARD + memory->bytes,
                  rounded(memory->bytes) - memory->bytes + GUARD))
        debug_finding(handler, NULL, "release", NN_INVALID_ARGUMENT, "guard",
                      "the guard around '%s' was overwritten",
                      debug_memory_path(memory, 0));
    while (*link != memory)
        link = &(*link)->next;
    *link = memory->next;
    handler->inner->release(handler->self, memory->inner);
    host->free(host, memory->shadow);
    host->free(host, memory->buffers);
    memory->shadow = NULL;
    place = &handler->released[handler->next_released++ % QUARANTINE];
    host->free(host, *place);
    *place = memory;
}

void debug_memory_finish(nn_handler *handler)
{
    uint32_t i;

    while (handler->memories) {
        debug_finding(handler, NULL, "release", NN_STATE, "leak",
                      "%lld bytes ('%s') were not released",
                      (long long)handler->memories->bytes,
                      debug_memory_path(handler->memories, 0));
        debug_memory_release(handler, handler->memories);
    }
    for (i = 0; i < QUARANTINE; ++i)
        handler->host->free(handler->host, handler->released[i]);
}

int debug_memory_is_own(const nn_handler *handler, const nn_memory *memory)
{
    const nn_memory *one;

    for (one = handler->memories; one; one = one->next)
        if (one == memory)
            return 1;
    return 0;
}

int debug_memory_was_own(const nn_handler *handler, const nn_memory *memory)
{
    uint32_t i;

    for (i = 0; memory && i < QUARANTINE; ++i)
        if (handler->released[i] == memory)
            return 1;
    return 0;
}

/* ---- mapping ----------------------------------------------------------- */

void *debug_memory_map(nn_handler *handler, nn_memory *memory, int64_t offset,
                       int64_t bytes, uint32_t access)
{
    int64_t i;

    if (handler->code)
        return NULL;
    if (!debug_memory_is_own(handler, memory)) {
        debug_finding(handler, NULL, "map", NN_INVALID_ARGUMENT,
                      debug_memory_was_own(handler, memory) ? "freed"
                                                            : "foreign",
                      "the memory is none that this handler holds");
        return NULL;
    }
    if (offset < 0 || bytes < 0 || offset > memory->bytes ||
        bytes > memory->bytes - offset) {
        debug_finding(handler, NULL, "map", NN_INVALID_ARGUMENT, "bounds",
                      "bytes %lld to %lld of a block of %lld",
                      (long long)offset, (long long)(offset + bytes),
                      (long long)memory->bytes);
        return NULL;
    }
    if (access & NN_MAP_WRITE)
        for (i = offset; i < offset + bytes; ++i)
            if (memory->shadow[i] != BYTE_NOBODY)
                memory->shadow[i] = BYTE_WRITTEN;
    return handler->inner->map(handler->self, memory->inner, offset + GUARD,
                               bytes, access);
}

void debug_memory_unmap(nn_handler *handler, nn_memory *memory, void *pointer,
                        uint32_t access)
{
    if (debug_memory_is_own(handler, memory))
        handler->inner->unmap(handler->self, memory->inner, pointer, access);
}

/* ---- what the core tells ----------------------------------------------- */

/* Number of buffers of MEMORY that begin at OFFSET or before. */
static int64_t before(const nn_memory *memory, int64_t offset)
{
    int64_t low = 0;
    int64_t high = memory->n_buffers;

    while (low < high) {
        int64_t middle = (low + high) / 2;

        if (memory->buffers[middle].offset <= offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

const char *debug_memory_path(const nn_memory *memory, int64_t offset)
{
    int64_t index = before(memory, offset);

    return index ? memory->buffers[index - 1].path : "memory";
}

static void place(nn_handler *handler, nn_memory *memory,
                  const nn_tracked *tracked)
{
    const nn_host *host = handler->host;
    int64_t index = before(memory, tracked->offset);
    struct buffer *one;

    if (index && memory->buffers[index - 1].offset == tracked->offset)
        --index; /* it is told again */
    else {
        if (memory->n_buffers == memory->room) {
            int64_t room = 2 * memory->room + 16;
            struct buffer *grown = host->alloc(host,
                                               (size_t)room * sizeof *grown);

            if (!grown)
                return;
            if (memory->n_buffers)
                memcpy(grown, memory->buffers,
                       (size_t)memory->n_buffers * sizeof *grown);
            host->free(host, memory->buffers);
            memory->buffers = grown;
            memory->room = room;
        }
        memmove(memory->buffers + index + 1, memory->buffers + index,
                (size_t)(memory->n_buffers - index) * sizeof *memory->buffers);
        if (!memory->n_buffers++)
            memset(memory->shadow, BYTE_NOBODY, (size_t)memory->bytes);
    }
    one = &memory->buffers[index];
    one->offset = tracked->offset;
    one->bytes = tracked->bytes;
    one->path = tracked->path;
}

static void buffer(nn_handler *handler, const nn_tracked *tracked)
{
    static const uint8_t states[] = {BYTE_UNWRITTEN, BYTE_UNWRITTEN, BYTE_DEAD};
    nn_memory *memory = tracked->memory;

    if (!debug_memory_is_own(handler, memory) ||
        tracked->what > NN_TRACK_DEAD || tracked->offset < 0 ||
        tracked->bytes < 0 || tracked->offset > memory->bytes - tracked->bytes)
        return;
    if (tracked->what == NN_TRACK_PLACED)
        place(handler, memory, tracked);
    memset(memory->shadow + tracked->offset, states[tracked->what],
           (size_t)tracked->bytes);
}

static void step(nn_handler *handler, uint32_t whose, const char *layer,
                 uint64_t update)
{
    handler->whose = whose;
    handler->layer = layer;
    handler->update = update;
    if (whose != NN_TRACK_OUTSIDE)
        handler->began = 1;
}

const nn_track debug_memory_track = {
    .size = NN_SIZEOF(nn_track, step),
    .buffer = buffer,
    .step = step,
};
