/* SPDX-License-Identifier: MIT */
/* memory.c - see memory.h. */
#define _GNU_SOURCE
#include "conformance/memory.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

void give_up(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    fflush(stdout);
    fputs("nn-conformance: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    exit(4);
}

void *take(size_t count, size_t bytes)
{
    void *memory = calloc(count ? count : 1, bytes ? bytes : 1);

    if (!memory)
        give_up("no memory for %zu times %zu bytes", count, bytes);
    return memory;
}

void *retake(void *memory, size_t count, size_t bytes)
{
    void *more = NULL;

    if (bytes && count < SIZE_MAX / bytes)
        more = realloc(memory, count * bytes + !count);
    if (!more)
        give_up("no memory for %zu times %zu bytes", count, bytes);
    return more;
}

char *text_of(const char *format, ...)
{
    va_list arguments;
    char *text = NULL;
    int length;

    va_start(arguments, format);
    length = vasprintf(&text, format, arguments);
    va_end(arguments);
    if (length < 0)
        give_up("no memory for a text");
    return text;
}
