/* SPDX-License-Identifier: MIT */
/* pack.h - values as msgpack: written by msgpack-c, read by a reader that
 * trusts nothing.
 *
 * The reader works on memory and allocates nothing.  It never looks past the
 * end, refuses a count or length that the bytes which are left cannot hold,
 * and enters at most so many arrays and maps within each other as it was told.
 * Its failure is sticky: after the first one `problem` says what is wrong,
 * everything returns zeros, and a caller reads on and asks once.  It knows
 * nil, booleans, integers, reals, text, bytes, arrays and maps; extension
 * types are refused. */
#ifndef NN_CORE_UTIL_PACK_H
#define NN_CORE_UTIL_PACK_H

#include <nn/base.h>

#include "core/util/text.h"

/* ---- writing: each appends one value, or one head, to OUT --------------- */

void nn_pack_nil(nn_text *out);
void nn_pack_bool(nn_text *out, int32_t value);
void nn_pack_uint(nn_text *out, uint64_t value);
void nn_pack_int(nn_text *out, int64_t value);
void nn_pack_real(nn_text *out, double value);

/* STRING, which is UTF-8, as text; NULL as nil. */
void nn_pack_text(nn_text *out, const char *string);
void nn_pack_bytes(nn_text *out, const void *bytes, size_t length);

/* Heads: COUNT values, or COUNT pairs of values, must follow. */
void nn_pack_array(nn_text *out, uint32_t count);
void nn_pack_map(nn_text *out, uint32_t count);

/* ---- reading ------------------------------------------------------------ */

/* Types of a value. */
enum nn_unpack_type {
    NN_UNPACK_NIL = 1,
    NN_UNPACK_BOOL,
    NN_UNPACK_UINT, /* not negative, up to 2^64 - 1 */
    NN_UNPACK_INT,  /* negative */
    NN_UNPACK_REAL,
    NN_UNPACK_TEXT,
    NN_UNPACK_BYTES,
    NN_UNPACK_ARRAY,
    NN_UNPACK_MAP
};

/* One value, or the head of an array or map. */
typedef struct nn_unpack_item {
    enum nn_unpack_type type;
    uint32_t count;       /* ARRAY: values that follow; MAP: pairs */
    uint64_t natural;     /* UINT; BOOL: 0 or 1 */
    int64_t integer;      /* INT */
    double real;          /* REAL */
    const uint8_t *bytes; /* TEXT, BYTES: points into the memory that is
                                read; no NUL at the end */
    size_t length;        /* of `bytes` */
} nn_unpack_item;

/* Where reading stands.  Start it with nn_unpack_start. */
typedef struct nn_unpack {
    const uint8_t *start;
    const uint8_t *next;
    const uint8_t *end;
    uint32_t depth;      /* arrays and maps that may still be entered */
    const char *problem; /* NULL, or a constant text: what is wrong at `next` */
} nn_unpack;

/* Reads LENGTH bytes at BYTES, which live as long as what is read.  At most
 * DEPTH arrays and maps within each other.  [any] */
void nn_unpack_start(nn_unpack *unpack, const void *bytes, size_t length,
                     uint32_t depth);

/* The next value into *ITEM (zeroed on failure).  Returns 1, or 0 on failure.
 * After an array or map the caller reads its values, and if they may nest
 * calls nn_unpack_enter before and nn_unpack_leave after them.  [any] */
int32_t nn_unpack_next(nn_unpack *unpack, nn_unpack_item *item);

/* Takes the next value if it is nil: 1; leaves it otherwise: 0.  [any] */
int32_t nn_unpack_nil(nn_unpack *unpack);

/* The next value, which must be of that type and at most MAXIMUM.  An integer
 * may be read as a real.  0 on failure.  [any] */
int32_t nn_unpack_bool(nn_unpack *unpack);
uint64_t nn_unpack_uint(nn_unpack *unpack, uint64_t maximum);
int64_t nn_unpack_int(nn_unpack *unpack);
double nn_unpack_real(nn_unpack *unpack);

/* Text, which is checked to be UTF-8 without NUL, or bytes; *LENGTH is how
 * many.  Points into the memory that is read; NULL on failure.  [any] */
const char *nn_unpack_text(nn_unpack *unpack, size_t *length);
const void *nn_unpack_bytes(nn_unpack *unpack, size_t *length);

/* The number of values of the array, or of pairs of the map, that starts here
 * and is entered: nn_unpack_leave follows its values.  0 on failure. [any] */
uint32_t nn_unpack_array(nn_unpack *unpack, uint32_t maximum);
uint32_t nn_unpack_map(nn_unpack *unpack, uint32_t maximum);

/* One level down and up again.  enter returns 1, or 0 if it is too deep.
 * [any] */
int32_t nn_unpack_enter(nn_unpack *unpack);
void nn_unpack_leave(nn_unpack *unpack);

/* Passes one value with all that is in it.  [any] */
void nn_unpack_skip(nn_unpack *unpack);

/* Keeps PROBLEM, a constant text, unless there is one.  [any] */
void nn_unpack_fail(nn_unpack *unpack, const char *problem);

/* 1 if nothing went wrong and nothing is left.  [any] */
int32_t nn_unpack_finished(nn_unpack *unpack);

#endif
