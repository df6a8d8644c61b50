/* SPDX-License-Identifier: MIT */
/* number.h - numbers as text, the same in every locale.
 *
 * The parsers want the whole text to be the number, without blanks.  They set
 * no message, since only the caller knows where the text stands; they return
 *     NN_OK                *OUT is set;
 *     NN_FORMAT            the text is no number;
 *     NN_INVALID_ARGUMENT  it is one, but does not fit into *OUT. */
#ifndef NN_CORE_UTIL_NUMBER_H
#define NN_CORE_UTIL_NUMBER_H

#include <nn/base.h>

/* Longest number that is read; the longest double in full has 1077. */
#define NN_NUMBER_LENGTH 1200

/* A decimal number with optional sign, fraction and exponent ("3", "-.5",
 * "1e-3"), or the ratio of two ("1/255").  Hexadecimal, digit separators,
 * infinity and NaN are refused; so is what would become infinite, and what is
 * not zero but would become zero.  [any] */
int32_t nn_number_parse_real(const char *text, size_t length, double *out);

/* As nn_number_parse_real, and also "inf", "nan" and YAML's ".inf", ".nan",
 * in lower case, with a sign before them.  [any] */
int32_t nn_number_parse_extended(const char *text, size_t length, double *out);

/* Decimal digits with an optional sign.  [any] */
int32_t nn_number_parse_int(const char *text, size_t length, int64_t *out);

/* Writes the shortest text from which nn_number_parse_extended gets VALUE back
 * bit by bit (any NaN is "nan"): "0.1", "-0", "1000000", "5e-324".  Returns
 * BUFFER.  [any] */
const char *nn_number_format(double value, char buffer[32]);

#endif
