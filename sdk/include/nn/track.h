/* SPDX-License-Identifier: MIT */
/* track.h - a handler that is told what the core does with its memory.
 *
 * A handler that watches, such as `debug`, offers this table as
 * get_interface(handler, NN_TRACK).  The core then tells where each buffer lies,
 * when its contents begin and end, and whose operations come next; so the
 * handler can say which buffer was read before anybody wrote it, and which
 * layer did it.  A handler that offers it usually asks for redzone_bytes too.
 *
 * What lies between the buffers of a block is nobody's. */
#ifndef NN_TRACK_H
#define NN_TRACK_H

#include <nn/handler.h>

NN_BEGIN_DECLS

#define NN_TRACK "nn.track/1"

/* What happens to a buffer. */
#define NN_TRACK_PLACED 0u /* it has this place from now on, until its memory is
                              released; nothing was written yet */
#define NN_TRACK_BORN 1u   /* its contents are undefined: whoever reads it first
                              writes it before */
#define NN_TRACK_DEAD 2u   /* nobody reads it before it is born again */

/* Whose operations come next. */
#define NN_TRACK_OUTSIDE 0u  /* nobody's: an operation is out of place */
#define NN_TRACK_CORE 1u     /* the core's own */
#define NN_TRACK_FORWARD 2u  /* the forward of a layer */
#define NN_TRACK_BACKWARD 3u /* the backward of a layer */
#define NN_TRACK_STEP 4u     /* a stepper's or a modifier's */

/* A buffer and what happens to it.  Lives for the call; PATH as long as the
 * memory. */
typedef struct nn_tracked {
    uint32_t size;     /* NN_SIZEOF(nn_tracked, path) */
    uint32_t what;     /* NN_TRACK_PLACED, BORN or DEAD */
    uint32_t dtype;    /* NN_FLOAT32, ...; NN_UINT8 for workspace and reserve */
    uint32_t reserved; /* zero */
    nn_memory *memory; /* that it lies in */
    int64_t offset;    /* bytes from the start of the memory, with its frames of
                          context */
    int64_t bytes;     /* of all of it, frames of context included */
    const char *path;  /* "hidden.outputs.default" */
} nn_tracked;

/* The table. */
typedef struct nn_track {
    uint32_t size;     /* NN_SIZEOF(nn_track, step) */
    uint32_t reserved; /* zero */

    /* TRACKED tells what happens to a buffer.  [compute] */
    void (*buffer)(nn_handler *handler, const nn_tracked *tracked);

    /* From now on operations are WHOSE (NN_TRACK_OUTSIDE, ...): of LAYER, which
     * is NULL where there is none and lives until the next call, in update
     * UPDATE, from 0.  [compute] */
    void (*step)(nn_handler *handler, uint32_t whose, const char *layer,
                 uint64_t update);
} nn_track;

NN_END_DECLS

#endif
