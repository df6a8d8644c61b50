/* SPDX-License-Identifier: MIT */
/* diagnostics.h - what is wrong with a text, all of it in one run.
 *
 * A check goes on after an error and adds the next one; the whole list is
 * rendered at the end, each with its line and a caret:
 *     net.yaml:12:26: error: layer 'out': unknown parameter 'sise'; did you
 *     mean 'size'?
 *       - out: {type: linear, sise: 10}
 *                             ^
 * The first error also becomes the error of the thread. */
#ifndef NN_CORE_UTIL_DIAGNOSTICS_H
#define NN_CORE_UTIL_DIAGNOSTICS_H

#include <nn/base.h>

#include "core/util/source.h"
#include "core/util/text.h"

#define NN_SEVERITY_ERROR 0u
#define NN_SEVERITY_WARNING 1u

/* Errors, and warnings, that are kept; the rest is only counted. */
#define NN_DIAGNOSTICS_LIMIT 20

/* Longest message; longer ones are cut. */
#define NN_DIAGNOSTIC_TEXT 1024

typedef struct nn_diagnostic {
    uint32_t severity; /* NN_SEVERITY_... */
    int32_t code;      /* NN_FORMAT, NN_INVALID_ARGUMENT, ...; 0: a warning */
    const char *id;    /* constant string such as "config.unknown-key" */
    nn_place place;    /* holds its source */
    char *text;        /* one line, without control characters */
} nn_diagnostic;

/* Start with zeros or nn_diagnostics_init. */
typedef struct nn_diagnostics {
    nn_diagnostic items[2 * NN_DIAGNOSTICS_LIMIT]; /* as they were found */
    int64_t count;                                 /* items that are used */
    int64_t errors;                                /* found in all */
    int64_t warnings;                              /* found in all */
} nn_diagnostics;

void nn_diagnostics_init(nn_diagnostics *diagnostics);

/* Frees the items; leaves an empty list.  [any] */
void nn_diagnostics_finish(nn_diagnostics *diagnostics);

/* Adds an error at PLACE (NULL: nowhere), sets the error of the thread if it
 * has none, and returns CODE.  DIAGNOSTICS may be NULL: then only the thread's
 * error is set.  [any] */
int32_t nn_diagnostics_error(nn_diagnostics *diagnostics, int32_t code,
                             const char *id, const nn_place *place,
                             const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* Adds a warning; does nothing if DIAGNOSTICS is NULL.  [any] */
void nn_diagnostics_warn(nn_diagnostics *diagnostics, const char *id,
                         const nn_place *place, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* NN_OK, or the code of the first error that was added.  [any] */
int32_t nn_diagnostics_status(const nn_diagnostics *diagnostics);

/* Appends one item, or all and how many more there were, to OUT as the
 * paragraph above shows.  Every line ends with '\n'.  [any] */
void nn_diagnostic_render(const nn_diagnostic *item, nn_text *out);
void nn_diagnostics_render(const nn_diagnostics *diagnostics, nn_text *out);

#endif
