/* SPDX-License-Identifier: MIT */
/* csv_reader.c - see csv_reader.h.
 *
 * Every line has as many cells as the first.  A cell of a column that is
 * wanted is a number that its field can deliver, or it is missing; the others
 * may hold anything. */
#include "csv_reader.h"

#include <stdarg.h>
#include <string.h>
#include <strings.h>

#include "csv_parse.h"

/* The end of a reading that has what it wanted. */
#define ENOUGH 1

/* -------------------------------------------------------------- messages */

#ifdef __GNUC__
__attribute__((format(printf, 5, 6)))
#endif
static int32_t
fail_at(const csv_reader *self, int64_t line, int64_t column, const char *id,
        const char *format, ...)
{
    char text[512];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return nn_fail(self->host, NN_FORMAT, id, "%s:%lld:%lld: %s", self->path,
                   (long long)line, (long long)column, text);
}

/* The beginning of CELL for a message. */
static const char *say_cell(const csv_parse_cell *cell, char text[48])
{
    size_t length = cell->length < 40 ? cell->length : 40;
    size_t i;

    for (i = 0; i < length; ++i)
        text[i] = cell->text[i] >= ' ' && cell->text[i] <= '~' ? cell->text[i]
                                                               : '?';
    snprintf(text + length, 48 - length, "%s",
             cell->length > length ? "..." : "");
    return text;
}

static int32_t on_fail(void *data, int64_t line, int64_t column,
                       const char *reason)
{
    return fail_at(data, line, column, "csv.syntax", "%s", reason);
}

/* ----------------------------------------------------------------- cells */

/* A name of the header. */
static int32_t take_name(csv_reader *self, const csv_parse_cell *cell)
{
    size_t i;

    for (i = 0; i < self->n_items; ++i) {
        csv_item *wanted = &self->items[i];

        if (!wanted->name || strlen(wanted->name) != cell->length ||
            memcmp(wanted->name, cell->text, cell->length) != 0)
            continue;
        if (wanted->first >= 0)
            return fail_at(self, cell->line, cell->column, "csv.header",
                           "a second column is named '%s'", wanted->name);
        wanted->first = cell->index;
        wanted->end = cell->index + 1;
    }
    return NN_OK;
}

static int is_missing(const csv_parse_cell *cell)
{
    static const char *const words[] = {"?", "NA", "nan"};
    size_t i;

    if (cell->length == 0)
        return 1;
    for (i = 0; i < sizeof words / sizeof *words; ++i)
        if (cell->length == strlen(words[i]) &&
            strncasecmp(cell->text, words[i], cell->length) == 0)
            return 1;
    return 0;
}

/* Why CELL is no number. */
static int32_t bad_cell(const csv_reader *self, const csv_parse_cell *cell,
                        int32_t reason)
{
    char text[48];
    long long number = (long long)cell->index + 1;
    int first = cell->line == 1 && !self->header;

    say_cell(cell, text);
    if (reason == NN_INVALID_ARGUMENT)
        return fail_at(self, cell->line, cell->column, "csv.number",
                       "cell %lld is '%s', which is too large", number, text);
    return fail_at(self, cell->line, cell->column, "csv.number",
                   "cell %lld is '%s', which is no number%s", number, text,
                   first ? "; if line 1 names the columns, set `header: true`"
                         : "");
}

static int32_t missing_cell(csv_reader *self, const csv_parse_cell *cell)
{
    char text[48];

    self->missing = 1;
    if (self->skip_missing)
        return NN_OK;
    return fail_at(self, cell->line, cell->column, "csv.missing",
                   "cell %lld is '%s', a missing value; `missing: skip` "
                   "leaves such rows out",
                   (long long)cell->index + 1, say_cell(cell, text));
}

/* Stores VALUE for USE in the row that is read, or checks that it could be. */
static int32_t store(csv_reader *self, const csv_use *use,
                     const csv_parse_cell *cell, double value)
{
    source_field *field = &self->iterator->fields[use->field];
    int64_t row = self->rows - self->iterator->first;
    double room;
    char text[32];
    int bad;

    if (self->step == CSV_READER_LOAD && row >= 0 &&
        row < self->iterator->n_samples)
        bad = number_store(value, field->field.dtype, field->bytes,
                           row * field->features + use->feature);
    else
        bad = number_store(value, field->field.dtype, &room, 0);
    if (!bad)
        return NN_OK;
    return fail_at(self, cell->line, cell->column, "csv.number",
                   "cell %lld is %s, which field '%s' cannot deliver as %s",
                   (long long)cell->index + 1, number_text(value, text),
                   field->field.name, number_dtype_name(field->field.dtype));
}

/* A cell of the data. */
static int32_t take_number(csv_reader *self, const csv_parse_cell *cell)
{
    double value = 0;
    int32_t code;

    if (cell->index >= self->width)
        return fail_at(self, cell->line, cell->column, "csv.ragged",
                       "cell %lld is one too many: line 1 has %lld",
                       (long long)cell->index + 1, (long long)self->width);
    if (self->next_use == self->n_uses ||
        self->uses[self->next_use].column != cell->index)
        return NN_OK;
    if (is_missing(cell)) {
        while (self->next_use < self->n_uses &&
               self->uses[self->next_use].column == cell->index)
            ++self->next_use;
        return missing_cell(self, cell);
    }
    code = csv_parse_number(cell->text, cell->length, self->point, &value);
    if (code)
        return bad_cell(self, cell, code);
    while (self->next_use < self->n_uses && !code &&
           self->uses[self->next_use].column == cell->index)
        code = store(self, &self->uses[self->next_use++], cell, value);
    return code;
}

static int32_t on_cell(void *data, const csv_parse_cell *cell)
{
    csv_reader *self = data;

    if (self->step == CSV_READER_HEAD)
        return self->header ? take_name(self, cell) : NN_OK;
    return self->in_header ? NN_OK : take_number(self, cell);
}

static int32_t on_row(void *data, int64_t line, int64_t column, int64_t cells)
{
    csv_reader *self = data;

    if (self->step == CSV_READER_HEAD) {
        self->width = cells;
        return ENOUGH;
    }
    if (cells < self->width)
        return fail_at(self, line, column, "csv.ragged",
                       "the line has %lld cells, line 1 has %lld",
                       (long long)cells, (long long)self->width);
    if (self->missing)
        ++self->skipped;
    else if (!self->in_header)
        ++self->rows;
    self->in_header = 0;
    self->missing = 0;
    self->next_use = 0;
    return NN_OK;
}

/* -------------------------------------------------------------- readings */

int32_t csv_reader_run(csv_reader *self, int step)
{
    csv_parse parser = {
        .delimiter = self->delimiter,
        .self = self,
        .cell = on_cell,
        .row = on_row,
        .fail = on_fail,
    };
    int64_t offset = 0;
    size_t got = 1;
    int32_t code = NN_OK;

    self->step = step;
    self->rows = 0;
    self->skipped = 0;
    self->missing = 0;
    self->next_use = 0;
    self->in_header = self->header;
    while (!code && got > 0) {
        size_t mark;

        code = source_read(self->host, self->path, self->file, offset,
                           self->buffer, sizeof self->buffer, &got);
        if (code)
            break;
        mark = offset == 0 ? csv_parse_mark(self->buffer, got) : 0;
        code = csv_parse_feed(&parser, self->buffer + mark, got - mark);
        offset += (int64_t)got;
    }
    if (!code)
        code = csv_parse_end(&parser);
    return code == ENOUGH ? NN_OK : code;
}
