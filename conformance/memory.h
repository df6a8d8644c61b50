/* SPDX-License-Identifier: MIT */
/* memory.h - memory of the tool itself: without it, it ends with status 4. */
#ifndef NN_CONFORMANCE_MEMORY_H
#define NN_CONFORMANCE_MEMORY_H

#include <stddef.h>

/* Like calloc, realloc and asprintf, but never NULL; the caller frees. */
void *take(size_t count, size_t bytes);
void *retake(void *memory, size_t count, size_t bytes);
char *text_of(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Says why the tool cannot go on, and ends it with status 4. */
void give_up(const char *format, ...)
    __attribute__((format(printf, 1, 2), noreturn));

#endif
