/* SPDX-License-Identifier: MIT */
/* text.h - builds lines of text in memory of the caller, the same in every
 * locale.
 *
 *     char line[200];
 *     nn_text text = nn_text_in(line, sizeof line);
 *
 *     nn_text_add(&text, "epoch ");
 *     nn_text_add_int(&text, 3);
 *
 * The text always ends with a NUL.  What does not fit is left out as a whole
 * piece, and `full` is set. */
#ifndef NN_TEXT_H
#define NN_TEXT_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <nn/base.h>

NN_BEGIN_DECLS

/* A text that grows in memory of the caller. */
typedef struct nn_text {
    char *bytes; /* of the caller */
    size_t size; /* of `bytes`, >= 1 */
    size_t used; /* without the NUL */
    int full;    /* 1 once something did not fit */
} nn_text;

/* An empty text in BYTES, SIZE >= 1 of them.  [any] */
static inline nn_text nn_text_in(char *bytes, size_t size)
{
    nn_text text = {bytes, size, 0, 0};

    bytes[0] = '\0';
    return text;
}

/* Appends COUNT bytes, none of them NUL.  [any] */
static inline void nn_text_add_bytes(nn_text *text, const char *bytes,
                                     size_t count)
{
    if (count >= text->size - text->used) {
        text->full = 1;
        return;
    }
    memcpy(text->bytes + text->used, bytes, count);
    text->used += count;
    text->bytes[text->used] = '\0';
}

/* Appends PIECE.  [any] */
static inline void nn_text_add(nn_text *text, const char *piece)
{
    nn_text_add_bytes(text, piece, strlen(piece));
}

/* Appends VALUE in decimal digits.  [any] */
static inline void nn_text_add_int(nn_text *text, int64_t value)
{
    char digits[24];

    snprintf(digits, sizeof digits, "%lld", (long long)value);
    nn_text_add(text, digits);
}

/* Puts one '.' for whatever bytes the locale has for the decimal point: all
 * that %g writes besides is ASCII.  [any] */
static inline void nn_text_point(char *number)
{
    char *to = number;
    int inside = 0;

    for (; *number; ++number) {
        int point = !strchr("0123456789+-eEainf", *number);

        if (!point || !inside)
            *to++ = point ? '.' : *number;
        inside = point;
    }
    *to = '\0';
}

/* Appends VALUE with DIGITS significant digits (1 to 17), or, with 0, with the
 * fewest from 15 to 17 that read back as the same double.  "nan", "inf" and
 * "-inf" are written so.  [any] */
static inline void nn_text_add_real(nn_text *text, double value, int digits)
{
    char number[40];
    int precision = digits ? digits : 15;

    if (isnan(value)) {
        nn_text_add(text, "nan");
        return;
    }
    snprintf(number, sizeof number, "%.*g", precision, value);
    while (!digits && precision < 17 && strtod(number, NULL) != value)
        snprintf(number, sizeof number, "%.*g", ++precision, value);
    nn_text_point(number);
    nn_text_add(text, number);
}

/* Appends PIECE as a JSON string with its quotes.  [any] */
static inline void nn_text_add_json(nn_text *text, const char *piece)
{
    nn_text_add(text, "\"");
    for (; *piece; ++piece) {
        unsigned char c = (unsigned char)*piece;
        char escape[8];

        if (c == '"' || c == '\\')
            snprintf(escape, sizeof escape, "\\%c", c);
        else if (c < 0x20)
            snprintf(escape, sizeof escape, "\\u%04x", (unsigned)c);
        else
            snprintf(escape, sizeof escape, "%c", c);
        nn_text_add(text, escape);
    }
    nn_text_add(text, "\"");
}

/* Appends VALUE as JSON, exactly; JSON has no such numbers, so what is not
 * finite becomes one of the strings "nan", "inf", "-inf".  [any] */
static inline void nn_text_add_json_real(nn_text *text, double value)
{
    nn_text_add(text, isfinite(value) ? "" : "\"");
    nn_text_add_real(text, value, 0);
    nn_text_add(text, isfinite(value) ? "" : "\"");
}

NN_END_DECLS

#endif
