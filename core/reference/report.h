/* SPDX-License-Identifier: MIT */
/* report.h - where the text of a refused operation goes. */
#ifndef NN_CORE_REFERENCE_REPORT_H
#define NN_CORE_REFERENCE_REPORT_H

#include <stddef.h>
#include <stdint.h>

#include <nn/array.h>

/* Longest printed shape, "(1, 2, ...)" of NN_MAX_DIMS numbers, with its
 * end. */
#define NN_SHAPE_TEXT 192

typedef struct nn_report {
    const char *operation; /* name that starts every text */
    char *text;            /* the caller's buffer, may be NULL */
    size_t size;           /* of it */
    const char **what;     /* gets the word of nn_reference.judge; may be NULL */
} nn_report;

/* Writes "operation: formatted text", notes WHAT, a constant of reference.h,
 * and returns CODE.  [any] */
int32_t nn_report_fail(const nn_report *report, int32_t code, const char *what,
                       const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* ARRAY's shape as "(4, 7)" in TEXT, which is returned.  [any] */
const char *nn_shape_format(const nn_array *array, char text[NN_SHAPE_TEXT]);

#endif
