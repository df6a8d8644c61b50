/* SPDX-License-Identifier: MIT */
/* report.c - see report.h. */
#include "core/reference/report.h"

#include <stdarg.h>
#include <stdio.h>

int32_t nn_report_fail(const nn_report *report, int32_t code, const char *what,
                       const char *format, ...)
{
    va_list arguments;
    int length;

    if (report->what)
        *report->what = what;
    if (!report->text || !report->size)
        return code;
    length = snprintf(report->text, report->size, "%s: ", report->operation);
    if (length < 0 || (size_t)length >= report->size)
        return code;
    va_start(arguments, format);
    vsnprintf(report->text + length, report->size - (size_t)length, format,
              arguments);
    va_end(arguments);
    return code;
}

const char *nn_shape_format(const nn_array *array, char text[NN_SHAPE_TEXT])
{
    size_t used = 1;
    uint32_t i;

    text[0] = '(';
    text[1] = '\0';
    for (i = 0; i < array->ndim && i < NN_MAX_DIMS; ++i)
        used += (size_t)snprintf(text + used, NN_SHAPE_TEXT - used, "%s%lld",
                                 i ? ", " : "", (long long)array->shape[i]);
    snprintf(text + used, NN_SHAPE_TEXT - used, ")");
    return text;
}
