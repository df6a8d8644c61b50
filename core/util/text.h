/* SPDX-License-Identifier: MIT */
/* text.h - a string that grows, and the reading of UTF-8.
 *
 * Failure is sticky: after the first allocation that fails, appending does
 * nothing and `code` says so, so that a caller appends freely and asks once. */
#ifndef NN_CORE_UTIL_TEXT_H
#define NN_CORE_UTIL_TEXT_H

#include <nn/base.h>

/* Start with zeros (`nn_text text = {0};`) or nn_text_init. */
typedef struct nn_text {
    char *data;      /* ends with NUL; NULL while nothing was appended */
    size_t length;   /* bytes without the NUL */
    size_t capacity; /* bytes of `data` */
    int32_t code;    /* NN_OK or NN_NO_MEMORY */
} nn_text;

/* An empty text, and its end.  Finish leaves an empty text.  [any] */
void nn_text_init(nn_text *text);
void nn_text_finish(nn_text *text);

/* Appends a string, LENGTH bytes, CHARACTER COUNT times, or formatted text.
 * Nothing of TEXT itself may be appended.  [any] */
void nn_text_append(nn_text *text, const char *string);
void nn_text_append_bytes(nn_text *text, const char *bytes, size_t length);
void nn_text_append_char(nn_text *text, char character, size_t count);
void nn_text_format(nn_text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* What was appended, never NULL; valid until the next change.  [any] */
const char *nn_text_string(const nn_text *text);

/* NN_OK, or NN_NO_MEMORY with a message if an append failed.  [any] */
int32_t nn_text_status(const nn_text *text);

/* Hands the string over (caller frees) and leaves an empty text.  NULL with a
 * message if an append failed.  [any] */
char *nn_text_take(nn_text *text);

/* Reads one character of UTF-8 from the LEFT bytes at BYTES into *CODE.
 * Returns how many bytes it has, 1 to 4, or 0 if they are no well-formed
 * character (overlong, surrogate, above U+10FFFF, cut off) or LEFT is 0.
 * [any] */
size_t nn_utf8_next(const char *bytes, size_t left, uint32_t *code);

#endif
