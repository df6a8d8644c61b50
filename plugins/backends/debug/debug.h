/* SPDX-License-Identifier: MIT */
/* debug.h - what the files of the handler `debug` share.
 *
 * It stands before another handler, the inner one.  Memory is the inner one's,
 * with a guard before and behind, and beside it lies a shadow: a byte that says
 * of each byte whether somebody wrote it and whom it belongs to.  An operation
 * is described as a `call`, whether it is a base operation or a row of an
 * extension, is examined, run by the inner handler, and examined again. */
#ifndef NN_DEBUG_H
#define NN_DEBUG_H

#include <nn/handler.h>
#include <nn/reference.h>
#include <nn/track.h>

#define GUARD 64         /* bytes before and behind each block */
#define MOST_OPERANDS 10 /* of a call: 8, workspace and reserve */
#define MOST_ROWS 64     /* of all extensions of the inner handler */
#define QUARANTINE 64    /* released blocks that are still recognized */

/* The shadow of a byte. */
#define BYTE_UNWRITTEN 0u
#define BYTE_WRITTEN 1u
#define BYTE_DEAD 2u   /* of a buffer whose life has ended */
#define BYTE_NOBODY 3u /* between buffers */

/* A buffer that the core told of. */
struct buffer {
    int64_t offset;
    int64_t bytes;
    const char *path;
};

struct nn_memory {
    nn_memory *inner;
    int64_t bytes;   /* as asked for; what the inner one holds has guards */
    uint8_t *shadow; /* one a byte; NULL once it is released */
    struct buffer *buffers; /* by offset */
    int64_t n_buffers;
    int64_t room;
    nn_memory *next; /* of the handler's list */
};

/* A plan with what it was made for. */
struct nn_handler_plan {
    nn_handler_plan *inner;
    const nn_row *row; /* the inner handler's */
    uint32_t n_operands;
    uint32_t present; /* bit i: operand i */
    nn_array operands[MOST_OPERANDS];
    nn_handler_plan *next;
};

/* A row of the inner handler and the one that is shown. */
struct shown_row {
    const nn_row *inner;
    nn_row row;
};

struct shown_extension {
    const char *id;
    nn_extension extension;
    const nn_row **rows;
    struct shown_extension *next;
};

/* How often a finding came. */
struct count {
    char id[96];
    int64_t times;
    struct count *next;
};

struct nn_handler {
    const nn_host *host;
    const nn_reference *reference;
    const nn_handlers *handlers;
    nn_child *child;                   /* that holds the inner handler */
    const nn_handler_interface *inner; /* its functions */
    const nn_operations *operations;   /* the completed ones */
    nn_handler *self;                  /* itself */
    const nn_params *params;

    int32_t code; /* kept error, 0 if none */
    char id[96];
    char text[1024];

    nn_memory *memories;
    nn_memory *released[QUARANTINE]; /* ring */
    uint32_t next_released;
    nn_handler_plan *plans;
    struct shown_row *rows; /* MOST_ROWS */
    uint32_t n_rows;
    struct shown_extension *extensions;

    uint32_t whose; /* NN_TRACK_... */
    int32_t began;  /* 1: a pass was tracked */
    const char *layer;
    uint64_t update;

    int64_t found; /* findings told or counted */
    struct count *counts;
    char device[256];
};

/* One operand of a call. */
struct operand {
    const char *name;
    uint32_t role; /* NN_ROLE_... */
    const nn_array *array;
    nn_array inner; /* for the inner handler */
    int32_t used;   /* 1: it has memory and is read or written */
    uint8_t *copy;  /* bytes around and of what is written, before the call */
    int64_t copy_first; /* offset of the copy in the inner block */
    int64_t copy_bytes;
    uint64_t sum; /* of an input, with `thorough` */
};

struct call {
    nn_handler *handler;
    const char *name;
    uint32_t n;
    struct operand operands[MOST_OPERANDS];
    uint32_t operation; /* NN_OP_..., or NN_OP_COUNT for a row */
    int32_t finite;     /* 1: all that is read is finite */
    int32_t harmful;    /* 1: to run it could touch what it must not */
    int32_t found;      /* findings of this call */
};

/* ---- parameters (debug.c) ---------------------------------------------- */

enum { INNER, MUTE, STOP, LIMIT, NOT_FINITE, THOROUGH };

/* ---- findings.c -------------------------------------------------------- */

/* Tells that CALL (NULL: none) is wrong: WHAT is a word of the table there,
 * NAME the operation's.  CODE becomes the handler's error with `stop: first`. */
void debug_finding(nn_handler *handler, const struct call *call,
                   const char *name, int32_t code, const char *what,
                   const char *format, ...)
    __attribute__((format(printf, 6, 7)));

/* Sums up what was found, at the end. */
void debug_findings_finish(nn_handler *handler);

/* ", in forward of layer 'hidden', update 3", or "". */
const char *debug_findings_place(const nn_handler *handler, char text[256]);

/* ---- memory.c ---------------------------------------------------------- */

int32_t debug_memory_allocate(nn_handler *handler, int64_t bytes,
                              nn_memory **out);
void debug_memory_release(nn_handler *handler, nn_memory *memory);
void *debug_memory_map(nn_handler *handler, nn_memory *memory, int64_t offset,
                       int64_t bytes, uint32_t access);
void debug_memory_unmap(nn_handler *handler, nn_memory *memory, void *pointer,
                        uint32_t access);
void debug_memory_finish(nn_handler *handler);

/* 1 if MEMORY, which may be any pointer, is a block of HANDLER's. */
int debug_memory_is_own(const nn_handler *handler, const nn_memory *memory);

/* 1 if it was one until not long ago. */
int debug_memory_was_own(const nn_handler *handler, const nn_memory *memory);

/* The path of the buffer at OFFSET of MEMORY; "memory" for an untracked one. */
const char *debug_memory_path(const nn_memory *memory, int64_t offset);

/* The table nn.track/1. */
extern const nn_track debug_memory_track;

/* ---- examine.c --------------------------------------------------------- */

/* Judges CALL by its memory: whose it is, bounds, what was written, read-only
 * and overlap being the reference's affair.  Fills operand.inner and what
 * debug_examine_after needs. */
void debug_examine_before(struct call *call);

/* CALL does not run: its outputs count as written, so that one mistake is not
 * told again by whoever reads them. */
void debug_examine_skipped(struct call *call);

/* Looks at what CALL left behind, and frees what debug_examine_before took. */
void debug_examine_after(struct call *call);

/* Notes that all of ARRAY is written. */
void debug_examine_written(const nn_array *array);

/* Index operands against their limits; for base operations. */
void debug_examine_indices(struct call *call);

/* Asks the inner handler after CALL and takes over its error. */
void debug_examine_error(struct call *call);

/* ---- operation.c, extension.c ------------------------------------------ */

void debug_operation_run(void *self, uint32_t operation,
                         const nn_array *const *operands,
                         const nn_attributes *attributes);

const nn_extension *debug_extension_find(nn_handler *handler, const char *id);
void debug_extension_finish(nn_handler *handler);

/* Bytes from the first element of ARRAY to the end of its last. */
static inline int64_t extent_of(const nn_array *array)
{
    return ((nn_rows(array) - 1) * array->pitch + nn_columns(array)) *
           nn_dtype_bytes(array->dtype);
}

#endif
