/* SPDX-License-Identifier: MIT */
/* number.h - numbers as files hold them, and as batches want them.
 *
 * A number of a file has a kind, a width and a byte order.  It goes through a
 * double, which holds every integer below 2^53 exactly; larger ones fit no
 * integer type of a batch and are rounded for the real ones.  Only finite
 * numbers are stored, and integers only if nothing is lost. */
#ifndef ITERATORS_NUMBER_H
#define ITERATORS_NUMBER_H

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <nn/base.h>

#define NUMBER_UNSIGNED 1u
#define NUMBER_SIGNED 2u
#define NUMBER_FLOAT 3u

/* How one number is written. */
typedef struct number_format {
    uint32_t kind;  /* NUMBER_... */
    uint32_t bytes; /* 1, 2, 4 or 8; FLOAT: not 1 */
    uint32_t big;   /* 1: the most significant byte comes first */
} number_format;

/* 1 on a machine whose own numbers are big-endian. */
static inline uint32_t number_native_big(void)
{
    const uint16_t one = 1;
    unsigned char first;

    memcpy(&first, &one, 1);
    return first == 0;
}

/* The format of the type DTYPE in memory. */
static inline number_format number_of_dtype(uint32_t dtype)
{
    number_format format = {NUMBER_FLOAT, 0, 0};

    format.bytes = (uint32_t)nn_dtype_bytes(dtype);
    format.big = number_native_big();
    if (dtype == NN_INT32)
        format.kind = NUMBER_SIGNED;
    else if (dtype == NN_UINT8)
        format.kind = NUMBER_UNSIGNED;
    return format;
}

/* The value of an IEEE 754 half. */
static inline double number_from_half(uint64_t bits)
{
    int exponent = (int)(bits >> 10 & 31);
    double fraction = (double)(bits & 1023);
    double value;

    if (exponent == 31)
        value = fraction > 0 ? NAN : INFINITY;
    else if (exponent == 0)
        value = ldexp(fraction, -24);
    else
        value = ldexp(fraction + 1024, exponent - 25);
    return bits & 0x8000 ? -value : value;
}

/* The value of BITS, an IEEE 754 number of 2, 4 or 8 bytes. */
static inline double number_from_float(uint64_t bits, uint32_t bytes)
{
    uint32_t half = (uint32_t)bits;
    float single;
    double value;

    if (bytes == 2)
        return number_from_half(bits);
    if (bytes == 4) {
        memcpy(&single, &half, sizeof single);
        return single;
    }
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* The number at AT. */
static inline double number_load(const unsigned char *at,
                                 const number_format *format)
{
    uint64_t sign = UINT64_C(1) << (8 * format->bytes - 1);
    uint64_t bits = 0;
    uint32_t i;

    for (i = 0; i < format->bytes; ++i)
        bits = bits << 8 | at[format->big ? i : format->bytes - 1 - i];
    if (format->kind == NUMBER_FLOAT)
        return number_from_float(bits, format->bytes);
    if (format->kind == NUMBER_SIGNED)
        return (double)(int64_t)((bits ^ sign) - sign);
    return (double)bits;
}

/* Writes VALUE as element INDEX of OUT, an array of DTYPE.  Returns 0, or -1
 * if the type cannot hold it. */
static inline int number_store(double value, uint32_t dtype, void *out,
                               int64_t index)
{
    int integral = value == floor(value);

    switch (dtype) {
    case NN_FLOAT32:
        if (!(fabs(value) <= FLT_MAX))
            return -1;
        ((float *)out)[index] = (float)value;
        return 0;
    case NN_FLOAT64:
        if (!(fabs(value) <= DBL_MAX))
            return -1;
        ((double *)out)[index] = value;
        return 0;
    case NN_INT32:
        if (!integral || value < INT32_MIN || value > INT32_MAX)
            return -1;
        ((int32_t *)out)[index] = (int32_t)value;
        return 0;
    case NN_UINT8:
        if (!integral || value < 0 || value > UINT8_MAX)
            return -1;
        ((uint8_t *)out)[index] = (uint8_t)value;
        return 0;
    default:
        return -1;
    }
}

/* The name of DTYPE for messages. */
static inline const char *number_dtype_name(uint32_t dtype)
{
    switch (dtype) {
    case NN_FLOAT32:
        return "float32";
    case NN_FLOAT64:
        return "float64";
    case NN_INT32:
        return "int32";
    case NN_UINT8:
        return "uint8";
    default:
        return "an unknown type";
    }
}

/* VALUE for messages, with a point in every locale. */
static inline const char *number_text(double value, char text[32])
{
    size_t i;

    snprintf(text, 32, "%.9g", value);
    for (i = 0; text[i]; ++i)
        if (!strchr("0123456789+-einfa", text[i]))
            text[i] = '.';
    return text;
}

#endif
