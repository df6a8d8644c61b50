/* SPDX-License-Identifier: MIT */
/* npy_parse.c - see npy_parse.h.
 *
 * A scanner goes over the text once and never back.  It takes what Python
 * takes as a dictionary of a string, a truth value and a tuple of integers: any
 * order of the keys, any spaces, either quote, a comma behind the last
 * element, an L behind integers of Python 2.  Nothing else. */
#include "npy_parse.h"

#include <stdarg.h>
#include <string.h>

/* Where the scanner is. */
typedef struct scanner {
    const char *at;
    const char *end;
    npy_parse_header *header;
    unsigned seen; /* KEY_... */
    char *message;
} scanner;

#define KEY_DESCR 1u
#define KEY_FORTRAN 2u
#define KEY_SHAPE 4u

/* A string of the text, without its quotes. */
typedef struct span {
    const char *text;
    size_t length;
} span;

#ifdef __GNUC__
__attribute__((format(printf, 3, 4)))
#endif
static int32_t
fail(char *message, int32_t code, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(message, NPY_PARSE_MESSAGE, format, arguments);
    va_end(arguments);
    return code;
}

static int32_t malformed(scanner *s, const char *wanted)
{
    return fail(s->message, NN_FORMAT, "the npy header is malformed: %s",
                wanted);
}

static void skip_spaces(scanner *s)
{
    while (s->at < s->end && memchr(" \t\r\n", *s->at, 4))
        ++s->at;
}

/* The next character that is no space, or NUL at the end. */
static char peek(scanner *s)
{
    skip_spaces(s);
    return s->at < s->end ? *s->at : '\0';
}

/* Takes C if it comes next. */
static int take(scanner *s, char c)
{
    if (peek(s) != c || c == '\0')
        return 0;
    ++s->at;
    return 1;
}

static int is(span string, const char *text)
{
    return string.length == strlen(text) &&
           memcmp(string.text, text, string.length) == 0;
}

/* A string in single or double quotes, without escapes. */
static int32_t scan_string(scanner *s, span *string)
{
    char quote = peek(s);
    const char *close;

    if (quote != '\'' && quote != '"')
        return malformed(s, "a string is wanted");
    string->text = ++s->at;
    close = memchr(s->at, quote, (size_t)(s->end - s->at));
    if (!close)
        return malformed(s, "a string does not end");
    string->length = (size_t)(close - s->at);
    if (memchr(string->text, '\\', string->length))
        return malformed(s, "a string holds an escape");
    s->at = close + 1;
    return NN_OK;
}

/* An integer >= 0. */
static int32_t scan_size(scanner *s, int64_t *size)
{
    char c = peek(s);

    if (c < '0' || c > '9')
        return malformed(s, "a size is wanted in the shape");
    *size = 0;
    while (s->at < s->end && *s->at >= '0' && *s->at <= '9') {
        int64_t digit = *s->at++ - '0';

        if (__builtin_mul_overflow(*size, INT64_C(10), size) ||
            __builtin_add_overflow(*size, digit, size))
            return malformed(s, "a size of the shape is too large");
    }
    if (s->at < s->end && *s->at == 'L')
        ++s->at;
    return NN_OK;
}

/* (), (3,) or (2, 3): a lone number needs its comma. */
static int32_t scan_shape(scanner *s)
{
    npy_parse_header *header = s->header;
    int comma = 1;

    if (!take(s, '('))
        return malformed(s, "the shape is no tuple");
    while (peek(s) != ')') {
        int32_t code;

        if (!comma)
            return malformed(s, "a comma is wanted in the shape");
        if (header->ndim == NPY_PARSE_NDIM)
            return fail(s->message, NN_UNSUPPORTED,
                        "an array of more than %d axes", NPY_PARSE_NDIM);
        code = scan_size(s, &header->shape[header->ndim]);
        if (code)
            return code;
        ++header->ndim;
        comma = take(s, ',');
    }
    ++s->at;
    if (header->ndim == 1 && !comma)
        return malformed(s, "a comma is wanted in the shape");
    return NN_OK;
}

static int32_t scan_fortran(scanner *s)
{
    static const char *const words[] = {"False", "True"};
    uint32_t i;

    skip_spaces(s);
    for (i = 0; i < 2; ++i) {
        size_t length = strlen(words[i]);

        if ((size_t)(s->end - s->at) >= length &&
            memcmp(s->at, words[i], length) == 0) {
            s->at += length;
            s->header->fortran = i;
            return NN_OK;
        }
    }
    return malformed(s, "fortran_order is neither True nor False");
}

/* The number format of TYPE, which is an order, a kind and a width. */
static int32_t parse_type(scanner *s, span type)
{
    static const char kinds[] = "biuf";
    static const uint32_t numbers[] = {NUMBER_UNSIGNED, NUMBER_SIGNED,
                                       NUMBER_UNSIGNED, NUMBER_FLOAT};
    number_format *format = &s->header->number;
    const char *kind;

    if (type.length >= 2 && type.text[1] == 'O')
        return fail(s->message, NN_UNSUPPORTED,
                    "an array of Python objects (a pickle, which can run any "
                    "code) is refused");
    if (type.length != 3 || !memchr("<>=|", type.text[0], 4))
        goto unknown;
    kind = memchr(kinds, type.text[1], 4);
    format->bytes = (uint32_t)(type.text[2] - '0');
    format->big = type.text[0] == '>' ||
                  (type.text[0] == '=' && number_native_big());
    if (!kind || !memchr("1248", type.text[2], 4) ||
        (*kind == 'b' && format->bytes != 1) ||
        (*kind == 'f' && format->bytes == 1) ||
        (type.text[0] == '|' && format->bytes != 1))
        goto unknown;
    format->kind = numbers[kind - kinds];
    return NN_OK;
unknown:
    return fail(s->message, NN_UNSUPPORTED,
                "numbers of type '%.*s' cannot be read",
                (int)(type.length < 20 ? type.length : 20), type.text);
}

static int32_t scan_type(scanner *s)
{
    span type;
    int32_t code;

    if (peek(s) == '[')
        return fail(s->message, NN_UNSUPPORTED,
                    "an array of records is refused");
    code = scan_string(s, &type);
    return code ? code : parse_type(s, type);
}

/* One entry of the dictionary. */
static int32_t scan_entry(scanner *s)
{
    span key;
    unsigned which = 0;
    int32_t code = scan_string(s, &key);

    if (code)
        return code;
    if (is(key, "descr"))
        which = KEY_DESCR;
    else if (is(key, "fortran_order"))
        which = KEY_FORTRAN;
    else if (is(key, "shape"))
        which = KEY_SHAPE;
    if (which == 0 || s->seen & which)
        return malformed(s, which ? "a key is repeated" : "an unknown key");
    s->seen |= which;
    if (!take(s, ':'))
        return malformed(s, "a colon is wanted");
    if (which == KEY_DESCR)
        return scan_type(s);
    return which == KEY_SHAPE ? scan_shape(s) : scan_fortran(s);
}

static int32_t scan_dictionary(scanner *s)
{
    int comma = 1;

    if (!take(s, '{'))
        return malformed(s, "a dictionary is wanted");
    while (peek(s) != '}') {
        int32_t code;

        if (!comma)
            return malformed(s, "a comma is wanted");
        code = scan_entry(s);
        if (code)
            return code;
        comma = take(s, ',');
    }
    ++s->at;
    skip_spaces(s);
    if (s->at < s->end)
        return malformed(s, "something follows the dictionary");
    if (s->seen != (KEY_DESCR | KEY_FORTRAN | KEY_SHAPE))
        return malformed(s, "descr, fortran_order or shape is missing");
    return NN_OK;
}

/* Bytes of the data; no axis may be empty but the first. */
static int32_t measure(scanner *s)
{
    npy_parse_header *header = s->header;
    int64_t bytes = header->number.bytes;
    uint32_t i;

    for (i = 0; i < header->ndim; ++i) {
        if (i > 0 && header->shape[i] == 0)
            return fail(s->message, NN_FORMAT, "axis %u has size 0", i);
        if (__builtin_mul_overflow(bytes, header->shape[i], &bytes))
            return fail(s->message, NN_FORMAT, "the shape is too large");
    }
    header->data_bytes = bytes;
    return NN_OK;
}

int32_t npy_parse_prefix(const unsigned char *bytes, size_t length,
                         size_t *header_bytes, char message[NPY_PARSE_MESSAGE])
{
    static const number_format short_length = {NUMBER_UNSIGNED, 2, 0};
    static const number_format long_length = {NUMBER_UNSIGNED, 4, 0};
    double text;

    if (length < NPY_PARSE_PREFIX || memcmp(bytes, "\x93NUMPY", 6) != 0)
        return fail(message, NN_FORMAT, "is no npy file");
    if (bytes[6] < 1 || bytes[6] > 3 || bytes[7] != 0)
        return fail(message, NN_UNSUPPORTED,
                    "version %u.%u of the npy format is unknown", bytes[6],
                    bytes[7]);
    text = number_load(bytes + 8, bytes[6] == 1 ? &short_length : &long_length);
    if (text > NPY_PARSE_TEXT)
        return fail(message, NN_FORMAT, "the npy header is too long");
    *header_bytes = (size_t)text + (bytes[6] == 1 ? 10 : 12);
    if (*header_bytes < NPY_PARSE_PREFIX)
        return fail(message, NN_FORMAT, "the npy header is too short");
    return NN_OK;
}

int32_t npy_parse_read(const unsigned char *bytes, size_t length,
                       npy_parse_header *header,
                       char message[NPY_PARSE_MESSAGE])
{
    scanner s = {0};
    size_t header_bytes;
    int32_t code = npy_parse_prefix(bytes, length, &header_bytes, message);

    memset(header, 0, sizeof *header);
    if (code)
        return code;
    if (header_bytes != length)
        return fail(message, NN_FORMAT, "is truncated in the npy header");
    s.at = (const char *)bytes + (bytes[6] == 1 ? 10 : 12);
    s.end = (const char *)bytes + length;
    s.header = header;
    s.message = message;
    code = scan_dictionary(&s);
    return code ? code : measure(&s);
}
