/* SPDX-License-Identifier: MIT */
/* context.h - the functions of the context that a hook gets from run.h. */
#ifndef NN_CONFORMANCE_HOOK_CONTEXT_H
#define NN_CONFORMANCE_HOOK_CONTEXT_H

#include "conformance/hook/run.h"

/* Sets the functions of CONTEXT, the first member of a run_page. */
void context_functions(nn_hook_context *context);

/* Adds a line to what the hook did. */
void context_say(run *r, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Appends to a log, and the last value of one. */
void context_append(run *r, const char *name, double value);
double context_last(const run *r, const char *name, int64_t *count);

#endif
