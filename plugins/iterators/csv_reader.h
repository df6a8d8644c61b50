/* SPDX-License-Identifier: MIT */
/* csv_reader.h - one reading of a CSV file, from front to end. */
#ifndef ITERATORS_CSV_READER_H
#define ITERATORS_CSV_READER_H

#include <locale.h>

#include "source.h"

/* What a reading is for. */
#define CSV_READER_HEAD 0  /* the first line: `width`, and columns by name */
#define CSV_READER_COUNT 1 /* all lines: `rows`, with all numbers checked */
#define CSV_READER_LOAD 2  /* all lines: the numbers, to the fields */

#define CSV_READER_BUFFER 65536

/* One entry of a field's list of columns. */
typedef struct csv_item {
    uint32_t field;
    const char *name; /* as in the header, or NULL */
    int64_t first;    /* columns first to end - 1; -1: not found yet */
    int64_t end;
} csv_item;

/* A column that goes to a feature of a field. */
typedef struct csv_use {
    int64_t column;
    uint32_t field;
    int64_t feature;
} csv_use;

typedef struct csv_reader {
    nn_iterator *iterator;
    const nn_host *host;
    const char *path;
    int file;
    char delimiter;
    int header;       /* the first line has names */
    int skip_missing; /* leave rows with missing values out */
    locale_t point;
    csv_item *items;
    size_t n_items;
    csv_use *uses; /* by column */
    size_t n_uses;
    int64_t width; /* columns; 0: unknown */
    int64_t rows;  /* in all, of data, without those left out */
    int64_t skipped;
    int step;
    int in_header;
    /* Of the row that is read. */
    size_t next_use;
    int missing;
    char buffer[CSV_READER_BUFFER];
} csv_reader;

/* Reads the file once for STEP.  The members before `width` are set; uses from
 * COUNT on, and the memory of the fields for LOAD. */
int32_t csv_reader_run(csv_reader *self, int step);

#endif
