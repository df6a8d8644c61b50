/* SPDX-License-Identifier: MIT */
/* table.c - see table.h. */
#define _GNU_SOURCE
#include "table.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <nn/array.h>

#include "command.h"
#include "talk.h"

struct table table_of(const char *columns)
{
    struct table table = {columns, NULL, 0, 0, 0};

    return table;
}

void table_add(struct table *table, const char *format, ...)
{
    va_list arguments;

    if (table->count == table->room) {
        uint32_t room = table->room ? 2 * table->room : 64;
        char **larger = realloc(table->cells, room * sizeof *larger);

        if (!larger) {
            table->failed = 1;
            return;
        }
        table->cells = larger;
        table->room = room;
    }
    va_start(arguments, format);
    if (vasprintf(&table->cells[table->count], format, arguments) < 0)
        table->failed = 1;
    else
        ++table->count;
    va_end(arguments);
}

/* Characters of TEXT, which is UTF-8. */
static int width(const char *text)
{
    int characters = 0;

    for (; *text; ++text)
        characters += ((unsigned char)*text & 0xc0) != 0x80;
    return characters;
}

/* A cell of SPACE columns; the last one of a row is not filled up. */
static void print_cell(FILE *to, const char *text, int space, char side,
                       int is_last)
{
    int fill = space - width(text);

    fprintf(to, "%*s%s%*s", side == 'r' ? fill : 0, "", text,
            side == 'r' || is_last ? 0 : fill, "");
    fputs(is_last ? "\n" : "  ", to);
}

/* Cells of the row at ROW up to the last one that is not empty. */
static uint32_t filled(char *const *row, uint32_t columns)
{
    while (columns > 1 && !row[columns - 1][0])
        --columns;
    return columns;
}

int table_print(struct table *table, FILE *to)
{
    uint32_t columns = (uint32_t)strlen(table->columns);
    int space[TABLE_COLUMNS] = {0};
    uint32_t i;
    uint32_t k;

    for (i = 0; i < table->count; ++i) {
        int wide = width(table->cells[i]);

        if (wide > space[i % columns])
            space[i % columns] = wide;
    }
    for (i = 0; i + columns <= table->count; i += columns) {
        uint32_t end = filled(table->cells + i, columns);

        for (k = 0; k < end; ++k)
            print_cell(to, table->cells[i + k], space[k], table->columns[k],
                       k + 1 == end);
    }
    for (i = 0; i < table->count; ++i)
        free(table->cells[i]);
    free(table->cells);
    table->cells = NULL;
    table->count = table->room = 0;
    return table->failed ? talk_error(STATUS_FAILED, "memory is exhausted")
                         : STATUS_OK;
}

const char *grouped(int64_t number, char buffer[32])
{
    char digits[24];
    char *to = buffer;
    int n = snprintf(digits, sizeof digits, "%lld", (long long)number);
    int i;

    for (i = 0; i < n; ++i) {
        if (i > 0 && digits[i - 1] != '-' && (n - i) % 3 == 0)
            *to++ = ',';
        *to++ = digits[i];
    }
    *to = '\0';
    return buffer;
}

const char *bytes_text(int64_t bytes, char buffer[32])
{
    static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
    double size = (double)bytes;
    uint32_t unit = 0;

    while (size >= 1024 && unit < 4) {
        size /= 1024;
        ++unit;
    }
    snprintf(buffer, 32, unit ? "%.1f %s" : "%.0f %s", size, units[unit]);
    return buffer;
}

const char *real_text(double value, int digits, char buffer[32])
{
    if (isnan(value))
        snprintf(buffer, 32, "nan");
    else
        snprintf(buffer, 32, "%.*g", digits, value);
    return buffer;
}

const char *shape_text(const int64_t *shape, uint32_t ndim, char buffer[256])
{
    size_t used = 1;
    uint32_t i;

    buffer[0] = '(';
    for (i = 0; i < ndim && i < NN_MAX_DIMS; ++i)
        used += (size_t)snprintf(buffer + used, 256 - used, "%s%lld",
                                 i ? ", " : "", (long long)shape[i]);
    snprintf(buffer + used, 256 - used, ")");
    return buffer;
}
