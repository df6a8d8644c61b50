/* SPDX-License-Identifier: MIT */
/* csv.c - samples from the rows of a file of comma-separated numbers.
 *
 * The file is read three times, in a few kilobytes of memory: its first line,
 * for the number of columns and their names; all of it, to count the rows and
 * check every number; all of it, to keep the numbers of the columns that are
 * wanted, in the type that is wanted.  Every line has as many cells as the
 * first.  What is no number is an error with its line and column, never a 0. */
#define _GNU_SOURCE
#include <locale.h>
#include <stdlib.h>

#include "csv_reader.h"

enum {
    PARAM_FILE,
    PARAM_COLUMNS,
    PARAM_HEADER,
    PARAM_DELIMITER,
    PARAM_MISSING,
    PARAM_RANGE,
};

/* Parses TEXT as the number of a column; returns what follows, or NULL. */
static const char *parse_column(const char *text, int64_t *column)
{
    const char *at = text;

    *column = 0;
    for (; *at >= '0' && *at <= '9'; ++at)
        if (*column < INT32_MAX)
            *column = *column * 10 + (*at - '0');
    return at > text ? at : NULL;
}

/* Reads TEXT, one entry of a list of columns: 3, 0:10 or a name. */
static int32_t parse_item(const csv_reader *self, const char *text,
                          csv_item *item)
{
    const char *rest = parse_column(text, &item->first);

    item->end = item->first + 1;
    if (rest && *rest == '\0')
        return NN_OK;
    if (rest && *rest == ':') {
        rest = parse_column(rest + 1, &item->end);
        if (rest && *rest == '\0') {
            if (item->first < item->end)
                return NN_OK;
            return nn_fail(self->host, NN_INVALID_ARGUMENT, "csv.columns",
                           "csv: columns %s are none: FIRST:END stands for "
                           "columns FIRST to END - 1",
                           text);
        }
    }
    item->first = -1;
    item->name = text;
    if (self->header)
        return NN_OK;
    return nn_fail(self->host, NN_INVALID_ARGUMENT, "csv.columns",
                   "csv: column '%s' is wanted by its name; set `header: true` "
                   "if line 1 of %s has the names",
                   text, self->path);
}

/* Reads the parameter `columns`. */
static int32_t parse_items(csv_reader *self, const nn_value *columns)
{
    size_t count = 0;
    int32_t code = NN_OK;
    uint32_t i;
    uint32_t j;

    for (i = 0; i < columns->count; ++i)
        count += columns->items[i]->count;
    self->items = self->host->alloc(self->host,
                                    (count + 1) * sizeof *self->items);
    if (!self->items)
        return NN_NO_MEMORY;
    for (i = 0; i < columns->count; ++i)
        for (j = 0; j < columns->items[i]->count && !code; ++j) {
            csv_item *next = &self->items[self->n_items++];

            next->field = i;
            code = parse_item(self, columns->items[i]->items[j]->text, next);
        }
    return code;
}

/* Checks the columns against the file, and counts the features of fields. */
static int32_t count_features(csv_reader *self)
{
    size_t i;

    for (i = 0; i < self->n_items; ++i) {
        const csv_item *item = &self->items[i];
        source_field *field = &self->iterator->fields[item->field];

        if (item->first < 0)
            return nn_fail(self->host, NN_NOT_FOUND, "csv.columns",
                           "%s: line 1 names no column '%s'", self->path,
                           item->name);
        if (item->end > self->width)
            return nn_fail(self->host, NN_NOT_FOUND, "csv.columns",
                           "%s: column %lld is wanted (from 0), line 1 has "
                           "%lld columns",
                           self->path, (long long)item->end - 1,
                           (long long)self->width);
        field->file_shape[0] += item->end - item->first;
        self->n_uses += (size_t)(item->end - item->first);
    }
    return NN_OK;
}

static int compare_uses(const void *a, const void *b)
{
    int64_t left = ((const csv_use *)a)->column;
    int64_t right = ((const csv_use *)b)->column;

    return (left > right) - (left < right);
}

/* Settles the fields, and lists the uses of all columns in their order. */
static int32_t settle_fields(csv_reader *self,
                             const nn_iterator_request *request)
{
    nn_iterator *iterator = self->iterator;
    int32_t code = count_features(self);
    size_t used = 0;
    size_t i;
    uint32_t k;

    for (k = 0; k < iterator->n_fields && !code; ++k) {
        source_field *field = &iterator->fields[k];

        field->path = self->path;
        field->file_ndim = 1;
        field->number = number_of_dtype(NN_FLOAT64);
        code = source_match(iterator, field, 1, request);
        field->number = number_of_dtype(field->field.dtype);
        field->features = 0; /* counted again below */
    }
    if (code)
        return code;
    self->uses = self->host->alloc(self->host,
                                   self->n_uses * sizeof *self->uses);
    if (!self->uses)
        return NN_NO_MEMORY;
    for (i = 0; i < self->n_items; ++i) {
        source_field *field = &iterator->fields[self->items[i].field];
        int64_t column;

        for (column = self->items[i].first; column < self->items[i].end;
             ++column)
            self->uses[used++] = (csv_use){column, self->items[i].field,
                                           field->features++};
    }
    qsort(self->uses, self->n_uses, sizeof *self->uses, compare_uses);
    return NN_OK;
}

/* Keeps the numbers of the rows of the range. */
static int32_t load(csv_reader *self)
{
    nn_iterator *iterator = self->iterator;
    int64_t rows = self->rows;
    int32_t code = NN_OK;
    uint32_t k;

    for (k = 0; k < iterator->n_fields; ++k) {
        source_field *field = &iterator->fields[k];
        size_t bytes;

        if (__builtin_mul_overflow((size_t)iterator->n_samples,
                                   (size_t)field->features *
                                       field->number.bytes,
                                   &bytes))
            return nn_fail(self->host, NN_NO_MEMORY, "csv.size",
                           "%s: the numbers exceed all memory", self->path);
        field->bytes = self->host->alloc(self->host, bytes);
        if (!field->bytes)
            return NN_NO_MEMORY;
    }
    code = csv_reader_run(self, CSV_READER_LOAD);
    if (!code && self->rows != rows)
        code = nn_fail(self->host, NN_IO, "csv.changed",
                       "%s: the file changed while it was read", self->path);
    return code;
}

/* Tells the program how many rows were left out. */
static void log_skipped(const csv_reader *self)
{
    char text[512];

    if (self->skipped == 0)
        return;
    snprintf(text, sizeof text,
             "%s: %lld rows with missing values were left out, %lld stay",
             self->path, (long long)self->skipped, (long long)self->rows);
    self->host->log(self->host, NN_LOG_INFO, text);
}

/* Reads the file into the iterator. */
static int32_t read_file(csv_reader *self, const nn_params *params,
                         const nn_iterator_request *request)
{
    int64_t size;
    int32_t code = parse_items(self, nn_param_value(params, PARAM_COLUMNS));
    uint32_t k;

    if (!code)
        code = source_open(self->host, self->path, &self->file, &size);
    if (!code)
        code = csv_reader_run(self, CSV_READER_HEAD);
    if (!code && self->width == 0)
        code = nn_fail(self->host, NN_FORMAT, "csv.empty",
                       "%s: the file is empty", self->path);
    if (!code)
        code = settle_fields(self, request);
    if (!code)
        code = csv_reader_run(self, CSV_READER_COUNT);
    if (code)
        return code;
    log_skipped(self);
    for (k = 0; k < self->iterator->n_fields; ++k)
        self->iterator->fields[k].count = self->rows;
    code = source_settle_range(self->iterator,
                               nn_param_value(params, PARAM_RANGE));
    return code ? code : load(self);
}

/* ------------------------------------------------------------ the config */

/* The character that TEXT stands for. */
static int32_t parse_delimiter(csv_reader *self, const char *text)
{
    static const char *const words[] = {"comma", "semicolon", "tab", "space",
                                        "bar"};
    static const char characters[] = ",;\t |";
    size_t i;

    for (i = 0; i < sizeof words / sizeof *words; ++i)
        if (strcmp(text, words[i]) == 0)
            self->delimiter = characters[i];
    if (strlen(text) == 1 && !strchr("\"\r\n+-.0123456789eE", *text))
        self->delimiter = *text;
    if (self->delimiter)
        return NN_OK;
    return nn_fail(self->host, NN_INVALID_ARGUMENT, "csv.delimiter",
                   "csv: '%s' cannot be the delimiter: it is one character, "
                   "or comma, semicolon, tab, space or bar",
                   text);
}

static void destroy_reader(csv_reader *self)
{
    if (!self)
        return;
    if (self->point)
        freelocale(self->point);
    if (self->file >= 0)
        close(self->file);
    self->host->free(self->host, self->uses);
    self->host->free(self->host, self->items);
    self->host->free(self->host, self);
}

/* Makes a reader as the parameters have it. */
static int32_t create_reader(nn_iterator *iterator, const nn_params *params,
                             csv_reader **out)
{
    const nn_host *host = iterator->host;
    csv_reader *self = host->alloc(host, sizeof *self);

    *out = self;
    if (!self)
        return NN_NO_MEMORY;
    self->iterator = iterator;
    self->host = host;
    self->path = nn_param_text(params, PARAM_FILE);
    self->file = -1;
    self->header = nn_param_int(params, PARAM_HEADER) != 0;
    self->skip_missing = nn_param_int(params, PARAM_MISSING) == 1;
    self->point = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!self->point)
        return NN_NO_MEMORY;
    return parse_delimiter(self, nn_param_text(params, PARAM_DELIMITER));
}

static int32_t create(const nn_host *host, const nn_params *params,
                      const nn_iterator_request *request,
                      nn_iterator **iterator)
{
    csv_reader *reader = NULL;
    int32_t code = source_create(host, "csv",
                                 nn_param_value(params, PARAM_COLUMNS),
                                 iterator);

    if (!code)
        code = create_reader(*iterator, params, &reader);
    if (!code)
        code = read_file(reader, params, request);
    destroy_reader(reader);
    return source_end(code, iterator);
}

static const nn_iterator_interface interface = SOURCE_INTERFACE(create);

static const nn_param file_param = {
    .size = NN_SIZEOF(nn_param, fields),
    .type = NN_PARAM_FILE,
    .flags = NN_PARAM_REQUIRED,
    .name = "file",
    .doc = "The file",
};

static const nn_param column_param = {
    .size = NN_SIZEOF(nn_param, fields),
    .type = NN_PARAM_SCALAR,
    .name = "column",
    .doc = "A column's number, from 0; `FIRST:END`, columns FIRST to END - 1; "
           "or its name in the first line",
};

static const nn_param field_param = {
    .size = NN_SIZEOF(nn_param, fields),
    .type = NN_PARAM_LIST,
    .name = "field",
    .doc = "The columns that are the features of a field, in this order",
    .element = &column_param,
};

static const nn_param columns_param = {
    .size = NN_SIZEOF(nn_param, fields),
    .type = NN_PARAM_MAP,
    .flags = NN_PARAM_REQUIRED,
    .name = "columns",
    .doc = "The columns of each field, as `{NAME: [COLUMN, ...]}`",
    .element = &field_param,
};

static const nn_param header_param = {
    .size = NN_SIZEOF(nn_param, fields),
    .type = NN_PARAM_BOOL,
    .name = "header",
    .doc = "Whether the first line has the names of the columns",
    .default_text = "false",
};

static const nn_param delimiter_param = {
    .size = NN_SIZEOF(nn_param, fields),
    .type = NN_PARAM_STRING,
    .name = "delimiter",
    .doc = "What stands between cells: a character, or comma, semicolon, tab, "
           "space or bar",
    .default_text = "comma",
};

static const char *const missing_choices[] = {"error", "skip", NULL};

static const nn_param missing_param = {
    .size = NN_SIZEOF(nn_param, fields),
    .type = NN_PARAM_CHOICE,
    .name = "missing",
    .doc = "What a missing value is: an error, or a reason to leave its row "
           "out",
    .default_text = "error",
    .choices = missing_choices,
};

static const nn_param range_param = SOURCE_RANGE_PARAM;

static const nn_param *const params[] = {
    &file_param,      &columns_param, &header_param,
    &delimiter_param, &missing_param, &range_param,
};

static const nn_component component = {
    .size = NN_SIZEOF(nn_component, outputs),
    .kind = NN_KIND_ITERATOR,
    .n_params = sizeof params / sizeof *params,
    .name = "csv",
    .summary = "Samples from the rows of a file of comma-separated numbers",
    .doc =
        "    csv: {file: iris.csv, columns: {x: [0:4], labels: [4]}}\n"
        "    csv: {file: data.csv, header: true, delimiter: semicolon,\n"
        "          columns: {x: [age, height], y: [weight]}}\n"
        "\n"
        "Every line is a sample, and a field is a list of columns: numbers "
        "from 0, ranges without their end (`0:4` is 0, 1, 2, 3), or names of "
        "the first line, if `header: true` says that it has them. The other "
        "columns may hold anything. The shape of a field is the number of its "
        "columns, or any shape of as many features that the network wants.\n"
        "\n"
        "Numbers are decimal, with a point in every locale, and may have an "
        "exponent and quotes. A cell that is empty, `?`, `NA` or `nan` is a "
        "missing value: an error, or with `missing: skip` its row is left "
        "out (how many is logged). Everything else that is no number, a line "
        "with more or fewer cells than the first, and a blank line before the "
        "end are errors with line and column. Integer fields want whole "
        "numbers.\n"
        "\n"
        "Lines end in LF or CRLF; a byte order mark is skipped. Samples come "
        "one by one, in the file's order; set `minibatches` around for more. "
        "The numbers of the wanted columns are kept in memory, four bytes "
        "each (float64: eight).",
    .params = params,
    .interface = &interface,
};

static const nn_component *const components[] = {&component};

NN_PLUGIN_ENTRY(iterator_csv) = {
    NN_PLUGIN_HEAD,
    .id = "org.nervenet.iterator.csv",
    .name = "csv",
    .version = "0.1.0",
    .license = "MIT",
    .author = "Nervenet contributors",
    .summary = "Samples from the rows of a file of comma-separated numbers",
    .n_components = 1,
    .components = components,
};
