/* SPDX-License-Identifier: MIT */
/* table.h - columns of text for people.
 *
 * All cells are collected first; then each column is as wide as its widest
 * cell.  Numbers stand right, texts left. */
#ifndef NN_TOOLS_TABLE_H
#define NN_TOOLS_TABLE_H

#include <stdint.h>
#include <stdio.h>

#define TABLE_COLUMNS 9u

struct table {
    const char *columns; /* one letter a column: 'l' left, 'r' right */
    char **cells;        /* row after row; owned */
    uint32_t count;      /* of cells */
    uint32_t room;
    int32_t failed; /* 1: memory was exhausted */
};

/* An empty table. */
struct table table_of(const char *columns);

/* The next cell, in reading order. */
void table_add(struct table *table, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Prints the table, frees its cells and returns an exit status. */
int table_print(struct table *table, FILE *to);

/* 12345678 as "12,345,678", in BUFFER. */
const char *grouped(int64_t number, char buffer[32]);

/* Bytes for people, "1.6 MiB", in BUFFER. */
const char *bytes_text(int64_t bytes, char buffer[32]);

/* A real number with DIGITS significant digits, in BUFFER: "nan", "inf" and
 * "-inf" are written so. */
const char *real_text(double value, int digits, char buffer[32]);

/* "(1000, 784)", in BUFFER. */
const char *shape_text(const int64_t *shape, uint32_t ndim, char buffer[256]);

#endif
