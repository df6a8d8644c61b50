/* SPDX-License-Identifier: MIT */
/* csv_parse.c - see csv_parse.h.
 *
 * A machine of five states goes over the bytes one by one.  Of a cell it keeps
 * the first CSV_PARSE_CELL bytes and the length. */
#define _GNU_SOURCE
#include "csv_parse.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* States. */
enum {
    CELL_START,  /* nothing but spaces yet */
    CELL_PLAIN,  /* within a cell without quotes */
    CELL_QUOTED, /* within quotes */
    CELL_QUOTE,  /* behind a quote within quotes: the end, or half of one */
    CELL_AFTER,  /* behind the closing quote */
};

static int is_space(const csv_parse *p, char c)
{
    return (c == ' ' || c == '\t') && c != p->delimiter;
}

/* Appends C to the cell. */
static void append(csv_parse *p, char c)
{
    if (p->length < CSV_PARSE_CELL)
        p->text[p->length] = c;
    ++p->length;
}

/* Remembers that the cell begins here. */
static void begin_cell(csv_parse *p, int state)
{
    p->state = state;
    p->cell_line = p->line + 1;
    p->cell_column = p->column + 1;
}

static int32_t end_cell(csv_parse *p)
{
    csv_parse_cell cell = {.text = p->text, .index = p->index};
    int32_t code;

    if (p->index == 0 && p->blank)
        return p->fail(p->self, p->blank, 1,
                       "a blank line stands before the end of the data");
    if (p->state == CELL_START)
        begin_cell(p, CELL_START);
    cell.line = p->cell_line;
    cell.column = p->cell_column;
    cell.length = p->length < CSV_PARSE_CELL ? p->length : CSV_PARSE_CELL;
    if (p->length <= CSV_PARSE_CELL && !p->quoted)
        while (cell.length > 0 && is_space(p, p->text[cell.length - 1]))
            --cell.length;
    code = p->cell(p->self, &cell);
    ++p->index;
    p->state = CELL_START;
    p->quoted = 0;
    p->length = 0;
    return code;
}

static int32_t end_row(csv_parse *p)
{
    int64_t cells;
    int32_t code;

    if (p->index == 0 && p->state == CELL_START) {
        if (!p->blank)
            p->blank = p->line + 1;
        return 0;
    }
    code = end_cell(p);
    if (code)
        return code;
    cells = p->index;
    p->index = 0;
    return p->row(p->self, p->line + 1, p->column + 1, cells);
}

/* C, which is neither delimiter nor end of the row. */
static int32_t take_other(csv_parse *p, char c)
{
    switch (p->state) {
    case CELL_START:
        if (is_space(p, c))
            return 0;
        begin_cell(p, c == '"' ? CELL_QUOTED : CELL_PLAIN);
        p->quoted = c == '"';
        if (c != '"')
            append(p, c);
        return 0;
    case CELL_PLAIN:
        append(p, c);
        return 0;
    case CELL_QUOTE:
        if (c == '"') {
            append(p, c);
            p->state = CELL_QUOTED;
            return 0;
        }
        p->state = CELL_AFTER;
        /* fall through */
    default:
        if (is_space(p, c))
            return 0;
        return p->fail(p->self, p->line + 1, p->column + 1,
                       "text follows a closing quote");
    }
}

/* C within quotes. */
static void take_quoted(csv_parse *p, char c)
{
    if (c == '"')
        p->state = CELL_QUOTE;
    else
        append(p, c);
}

/* Any character; a CR only where it does not end a line. */
static int32_t take(csv_parse *p, char c)
{
    int32_t code = 0;

    if (p->state == CELL_QUOTED)
        take_quoted(p, c);
    else if (c == '\n')
        code = end_row(p);
    else if (c == p->delimiter)
        code = end_cell(p);
    else
        code = take_other(p, c);
    ++p->column;
    if (c == '\n') {
        ++p->line;
        p->column = 0;
    }
    return code;
}

int32_t csv_parse_feed(csv_parse *parser, const char *bytes, size_t length)
{
    int32_t code = 0;
    size_t i;

    for (i = 0; i < length && !code; ++i) {
        char c = bytes[i];

        if (parser->carriage && c != '\n')
            code = take(parser, '\r');
        parser->carriage = c == '\r' && parser->state != CELL_QUOTED;
        if (!parser->carriage && !code)
            code = take(parser, c);
    }
    return code;
}

int32_t csv_parse_end(csv_parse *parser)
{
    if (parser->state == CELL_QUOTED)
        return parser->fail(parser->self, parser->cell_line,
                            parser->cell_column, "a quoted cell does not end");
    return end_row(parser);
}

size_t csv_parse_mark(const char *text, size_t length)
{
    return length >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
}

/* What the scan of a number found. */
typedef struct scan {
    uint64_t digits; /* the digits before the exponent as an integer */
    int n_digits;    /* how many, without zeros in front */
    int any;         /* one digit at least */
    int exponent;    /* of 10, capped */
    int negative;
} scan;

/* Takes the digits from AT on; FRACTION: they stand behind the point. */
static size_t scan_digits(scan *s, const char *text, size_t length, size_t at,
                          int fraction)
{
    for (; at < length && text[at] >= '0' && text[at] <= '9'; ++at) {
        unsigned digit = (unsigned)(text[at] - '0');

        s->any = 1;
        s->n_digits += s->n_digits > 0 || digit > 0;
        if (s->n_digits <= 15)
            s->digits = s->digits * 10 + digit;
        s->exponent -= fraction;
    }
    return at;
}

/* Takes the exponent at AT, if there is one; returns what lies behind it, or 0
 * if it is malformed. */
static size_t scan_exponent(scan *s, const char *text, size_t length, size_t at)
{
    int negative;
    int value = 0;
    size_t start;

    if (at == length || (text[at] != 'e' && text[at] != 'E'))
        return at;
    ++at;
    negative = at < length && text[at] == '-';
    if (at < length && (text[at] == '-' || text[at] == '+'))
        ++at;
    start = at;
    for (; at < length && text[at] >= '0' && text[at] <= '9'; ++at)
        if (value < 10000)
            value = value * 10 + (text[at] - '0');
    s->exponent += negative ? -value : value;
    return at > start ? at : 0;
}

/* True if all of TEXT is a number. */
static int scan_number(scan *s, const char *text, size_t length)
{
    size_t at = 0;

    memset(s, 0, sizeof *s);
    if (at < length && (text[at] == '-' || text[at] == '+'))
        s->negative = text[at++] == '-';
    at = scan_digits(s, text, length, at, 0);
    if (at < length && text[at] == '.')
        at = scan_digits(s, text, length, at + 1, 1);
    return s->any && scan_exponent(s, text, length, at) == length;
}

int32_t csv_parse_number(const char *text, size_t length, locale_t point,
                         double *value)
{
    /* Powers of ten that a double holds exactly. */
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,
                                    1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                    1e12, 1e13, 1e14, 1e15, 1e16, 1e17,
                                    1e18, 1e19, 1e20, 1e21, 1e22};
    char copy[CSV_PARSE_CELL];
    scan s;

    if (length >= CSV_PARSE_CELL || !scan_number(&s, text, length))
        return NN_FORMAT;
    /* Two exact numbers have a correctly rounded product and quotient. */
    if (s.n_digits <= 15 && s.exponent >= -22 && s.exponent <= 22) {
        double magnitude = (double)s.digits;

        magnitude = s.exponent < 0 ? magnitude / powers[-s.exponent]
                                   : magnitude * powers[s.exponent];
        *value = s.negative ? -magnitude : magnitude;
        return NN_OK;
    }
    memcpy(copy, text, length);
    copy[length] = '\0';
    *value = strtod_l(copy, NULL, point);
    return isfinite(*value) ? NN_OK : NN_INVALID_ARGUMENT;
}
