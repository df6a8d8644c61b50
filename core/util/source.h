/* SPDX-License-Identifier: MIT */
/* source.h - a text that somebody wrote, and places in it.
 *
 * A source is shared by everything that was read from it, so that an error
 * found much later can still show its line.  It never changes. */
#ifndef NN_CORE_UTIL_SOURCE_H
#define NN_CORE_UTIL_SOURCE_H

#include <nn/base.h>

typedef struct nn_source nn_source;

/* A character of a source.  Lines and columns count from 1; columns count
 * characters, not bytes.  Zeros: nowhere in particular. */
typedef struct nn_place {
    nn_source *source; /* NULL for what no text was read for */
    uint32_t line;
    uint32_t column;
} nn_place;

/* A source that copies NAME (what messages call it, often a file name) and
 * LENGTH bytes of TEXT.  The caller holds it.  [any] */
int32_t nn_source_create(const char *name, const char *text, size_t length,
                         nn_source **out);

/* One more and one fewer holder; the last release frees.  NULL is fine.
 * [any] */
nn_source *nn_source_hold(nn_source *source);
void nn_source_release(nn_source *source);

const char *nn_source_name(const nn_source *source);

/* The text (ends with NUL, which is not counted) and its bytes.  [any] */
const char *nn_source_text(const nn_source *source, size_t *length);

/* The start and bytes of line LINE without its end; an empty line if there is
 * no such line.  Lines end as YAML 1.1 has it: CR, LF, CR LF, U+0085, U+2028,
 * U+2029.  [any] */
const char *nn_source_line(const nn_source *source, uint32_t line,
                           size_t *length);

/* The place of byte OFFSET, or of the end if that is behind it; bytes that
 * are no UTF-8 count as characters.  [any] */
nn_place nn_source_place(nn_source *source, size_t offset);

#endif
