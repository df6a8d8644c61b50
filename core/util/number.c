/* SPDX-License-Identifier: MIT */
/* number.c - see number.h.
 *
 * What counts as a number is decided here, by a scan of the characters; the
 * conversion itself is strtod_l in the "C" locale, which rounds correctly.
 * The locale object is made once and lives as long as the process; the locale
 * of the program is never changed. */
#define _GNU_SOURCE
#include "core/util/number.h"

#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pthread_once_t locale_once = PTHREAD_ONCE_INIT;
static locale_t c_locale;

static void make_locale(void)
{
    c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

static size_t skip_digits(const char *text, size_t length, size_t at)
{
    while (at < length && text[at] >= '0' && text[at] <= '9')
        ++at;
    return at;
}

static size_t skip_sign(const char *text, size_t length)
{
    return length && (text[0] == '+' || text[0] == '-');
}

/* True if all of TEXT is a decimal number. */
static int is_decimal(const char *text, size_t length)
{
    size_t start = skip_sign(text, length);
    size_t at = skip_digits(text, length, start);
    size_t digits = at - start;

    if (at < length && text[at] == '.') {
        start = at + 1;
        at = skip_digits(text, length, start);
        digits += at - start;
    }
    if (digits == 0)
        return 0;
    if (at < length && (text[at] == 'e' || text[at] == 'E')) {
        start = at + 1;
        start += skip_sign(text + start, length - start);
        at = skip_digits(text, length, start);
        if (at == start)
            return 0;
    }
    return at == length;
}

/* True if the digits before the exponent hold one that is not 0. */
static int has_value(const char *text)
{
    return text[strspn(text, "+-.0")] >= '1' &&
           text[strspn(text, "+-.0")] <= '9';
}

static int32_t parse_decimal(const char *text, size_t length, double *out)
{
    char copy[NN_NUMBER_LENGTH + 1];
    double value;

    if (length > NN_NUMBER_LENGTH || !is_decimal(text, length))
        return NN_FORMAT;
    pthread_once(&locale_once, make_locale);
    if (!c_locale)
        return NN_INVALID_ARGUMENT;
    memcpy(copy, text, length);
    copy[length] = '\0';
    value = strtod_l(copy, NULL, c_locale);
    if (isinf(value) || (value == 0.0 && has_value(copy)))
        return NN_INVALID_ARGUMENT;
    *out = value;
    return NN_OK;
}

int32_t nn_number_parse_real(const char *text, size_t length, double *out)
{
    const char *slash = length ? memchr(text, '/', length) : NULL;
    double above;
    double below;
    int32_t code;

    if (!slash)
        return parse_decimal(text, length, out);
    code = parse_decimal(text, (size_t)(slash - text), &above);
    if (code)
        return code;
    code = parse_decimal(slash + 1, length - (size_t)(slash - text) - 1,
                         &below);
    if (code)
        return code;
    if (below == 0.0 || isinf(above / below) ||
        (above != 0.0 && above / below == 0.0))
        return NN_INVALID_ARGUMENT;
    *out = above / below;
    return NN_OK;
}

int32_t nn_number_parse_extended(const char *text, size_t length, double *out)
{
    size_t at = skip_sign(text, length);
    double value;

    if (at < length && text[at] == '.')
        ++at;
    if (length - at != 3)
        return nn_number_parse_real(text, length, out);
    if (memcmp(text + at, "inf", 3) == 0)
        value = INFINITY;
    else if (memcmp(text + at, "nan", 3) == 0)
        value = NAN;
    else
        return nn_number_parse_real(text, length, out);
    *out = text[0] == '-' ? -value : value;
    return NN_OK;
}

int32_t nn_number_parse_int(const char *text, size_t length, int64_t *out)
{
    size_t at = skip_sign(text, length);
    int negative = at && text[0] == '-';
    int64_t value = 0;
    size_t i;

    if (at == length || skip_digits(text, length, at) != length)
        return NN_FORMAT;
    for (i = at; i < length; ++i) {
        int digit = text[i] - '0';

        if (__builtin_mul_overflow(value, (int64_t)10, &value) ||
            __builtin_sub_overflow(value, (int64_t)digit, &value))
            return NN_INVALID_ARGUMENT;
    }
    if (!negative && value == INT64_MIN)
        return NN_INVALID_ARGUMENT;
    *out = negative ? value : -value;
    return NN_OK;
}

const char *nn_number_format(double value, char buffer[32])
{
    locale_t before;
    int precision;

    pthread_once(&locale_once, make_locale);
    before = uselocale(c_locale);
    if (isnan(value))
        snprintf(buffer, 32, "nan");
    else if (isinf(value) || (fabs(value) < 1e15 && value == floor(value)))
        snprintf(buffer, 32, "%.0f", value);
    else
        for (precision = 1; precision <= 17; ++precision) {
            snprintf(buffer, 32, "%.*g", precision, value);
            if (strtod(buffer, NULL) == value)
                break;
        }
    uselocale(before);
    return buffer;
}
