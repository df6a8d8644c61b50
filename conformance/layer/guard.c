/* SPDX-License-Identifier: MIT */
/* guard.c - see guard.h. */
#include "conformance/layer/guard.h"

#include <string.h>

#include <nn/track.h>

#define SPACE 64
#define MAX_BUFFERS 512

/* Where one buffer lies, its frames of context included. */
typedef struct place {
    nn_memory *memory;
    int64_t offset;
    int64_t bytes;
    const char *path;
} place;

/* The one handler with guards. */
static struct {
    nn_handler_interface functions;
    void (*describe)(nn_handler *handler, nn_handler_info *info);
    place places[MAX_BUFFERS];
    uint32_t count;
} guard;

static void describe(nn_handler *handler, nn_handler_info *info)
{
    guard.describe(handler, info);
    if (NN_HAS(info, redzone_bytes))
        info->redzone_bytes = SPACE;
}

/* The last place that has begun at TRACKED's, or a new one. */
static void note_buffer(nn_handler *handler, const nn_tracked *tracked)
{
    uint32_t i = 0;

    (void)handler;
    if (tracked->what != NN_TRACK_PLACED || !tracked->path)
        return;
    while (i < guard.count && (guard.places[i].memory != tracked->memory ||
                               guard.places[i].offset != tracked->offset))
        ++i;
    if (i == MAX_BUFFERS)
        return;
    guard.places[i] = (place){tracked->memory, tracked->offset, tracked->bytes,
                              tracked->path};
    if (i == guard.count)
        ++guard.count;
}

static void note_step(nn_handler *handler, uint32_t whose, const char *layer,
                      uint64_t update)
{
    (void)handler;
    (void)whose;
    (void)layer;
    (void)update;
}

static const void *get_interface(nn_handler *handler, const char *id)
{
    static const nn_track track = {.size = NN_SIZEOF(nn_track, step),
                                   .buffer = note_buffer,
                                   .step = note_step};

    (void)handler;
    return strcmp(id, NN_TRACK) ? NULL : &track;
}

int32_t guard_device(trial *trial, nn_device *inner, uint32_t real,
                     nn_device **out)
{
    (void)trial;
    guard.functions = *nn_device_functions(inner);
    guard.describe = guard.functions.describe;
    guard.functions.describe = describe;
    guard.functions.get_interface = get_interface;
    guard.count = 0;
    return nn_device_wrap(&guard.functions, nn_device_handler(inner), real,
                          out);
}

/* ---- space ------------------------------------------------------------- */

/* Sets, or with FIND counts, what is not VALUE in SPACE bytes at OFFSET, unless
 * they belong to another buffer; *AT gets the first such byte. */
static int visit(nn_device *inner, const place *one, int64_t offset, int value,
                 int find, int64_t *at)
{
    nn_handler *handler = nn_device_handler(inner);
    unsigned char *bytes;
    int found = 0;
    uint32_t k;
    int64_t i;

    for (k = 0; k < guard.count; ++k)
        if (guard.places[k].memory == one->memory && offset >= 0 &&
            offset < guard.places[k].offset + guard.places[k].bytes &&
            guard.places[k].offset < offset + SPACE)
            return 0;
    if (offset < 0)
        return 0;
    bytes = guard.functions.map(handler, one->memory, offset, SPACE,
                                NN_MAP_READ | NN_MAP_WRITE);
    for (i = 0; bytes && i < SPACE; ++i) {
        if (!find)
            bytes[i] = (unsigned char)value;
        else if (bytes[i] != value && !found++)
            *at = i;
    }
    if (bytes)
        guard.functions.unmap(handler, one->memory, bytes,
                              NN_MAP_READ | NN_MAP_WRITE);
    return found;
}

void guard_set(nn_device *inner, int value)
{
    uint32_t k;

    for (k = 0; k < guard.count; ++k) {
        const place *one = &guard.places[k];

        visit(inner, one, one->offset - SPACE, value, 0, NULL);
        visit(inner, one, one->offset + one->bytes, value, 0, NULL);
    }
}

const char *guard_find(nn_device *inner, int value, int64_t *bytes)
{
    int64_t at = 0;
    uint32_t k;

    for (k = 0; k < guard.count; ++k) {
        const place *one = &guard.places[k];

        if (visit(inner, one, one->offset + one->bytes, value, 1, &at)) {
            *bytes = at;
            return one->path;
        }
        if (visit(inner, one, one->offset - SPACE, value, 1, &at)) {
            *bytes = at - SPACE;
            return one->path;
        }
    }
    return NULL;
}
