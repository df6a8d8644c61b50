/* SPDX-License-Identifier: MIT */
/* csv_parse.h - cells and rows of comma-separated text, as it comes in.
 *
 * RFC 4180 with a delimiter of choice: cells may be quoted, a doubled quote
 * within quotes is one, lines end in LF or CRLF, the last one in either or
 * nothing.  Spaces and tabs around a cell do not count.  Blank lines may stand
 * at the end only, since in a file of one column they would be cells. */
#ifndef ITERATORS_CSV_PARSE_H
#define ITERATORS_CSV_PARSE_H

#include <locale.h>
#include <stddef.h>
#include <stdint.h>

#include <nn/base.h>

/* Bytes of a cell that are kept; a longer one is no number. */
#define CSV_PARSE_CELL 256

/* One cell. */
typedef struct csv_parse_cell {
    const char *text; /* no NUL behind it */
    size_t length;    /* at most CSV_PARSE_CELL */
    int64_t line;     /* where it begins; from 1, columns count bytes */
    int64_t column;
    int64_t index; /* in its row, from 0 */
} csv_parse_cell;

/* The parser.  Set the first members and zero the rest.  A function that
 * returns other than 0 ends the parse with that. */
typedef struct csv_parse {
    char delimiter;
    void *self; /* handed to the functions */
    int32_t (*cell)(void *self, const csv_parse_cell *cell);
    /* A row of CELLS cells ends at LINE and COLUMN. */
    int32_t (*row)(void *self, int64_t line, int64_t column, int64_t cells);
    /* REASON at a place; returns the code. */
    int32_t (*fail)(void *self, int64_t line, int64_t column,
                    const char *reason);

    int state;    /* CELL_... of csv_parse.c */
    int carriage; /* a CR waits to be told its meaning */
    int quoted;
    int64_t line; /* of the next byte, from 0 */
    int64_t column;
    int64_t blank; /* line of the first blank one behind a row, from 1 */
    int64_t cell_line;
    int64_t cell_column;
    int64_t index;
    size_t length; /* of the cell, in all */
    char text[CSV_PARSE_CELL];
} csv_parse;

/* Parses the next LENGTH bytes of the text. */
int32_t csv_parse_feed(csv_parse *parser, const char *bytes, size_t length);

/* Says that the text has ended. */
int32_t csv_parse_end(csv_parse *parser);

/* Bytes of the byte order mark that TEXT begins with: 3 or 0. */
size_t csv_parse_mark(const char *text, size_t length);

/* Writes the number that all of TEXT is: a decimal number with a point and
 * perhaps an exponent, in any locale.  POINT is the "C" locale.  Returns 0;
 * NN_FORMAT if it is none; or NN_INVALID_ARGUMENT if no double can hold it. */
int32_t csv_parse_number(const char *text, size_t length, locale_t point,
                         double *value);

#endif
