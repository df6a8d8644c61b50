/* SPDX-License-Identifier: MIT */
/* source.c - see source.h. */
#define _GNU_SOURCE
#include "core/util/source.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "core/util/error.h"
#include "core/util/text.h"

struct nn_source {
    atomic_uint holders;
    char *name;
    size_t length;
    char text[];
};

int32_t nn_source_create(const char *name, const char *text, size_t length,
                         nn_source **out)
{
    nn_source *source = NULL;

    if (length < SIZE_MAX - sizeof *source)
        source = calloc(1, sizeof *source + length + 1);
    if (source)
        source->name = strdup(name);
    if (!source || !source->name) {
        free(source);
        return nn_error_no_memory(name, length);
    }
    atomic_init(&source->holders, 1);
    source->length = length;
    if (length)
        memcpy(source->text, text, length);
    *out = source;
    return NN_OK;
}

nn_source *nn_source_hold(nn_source *source)
{
    if (source)
        atomic_fetch_add(&source->holders, 1);
    return source;
}

void nn_source_release(nn_source *source)
{
    if (source && atomic_fetch_sub(&source->holders, 1) == 1) {
        free(source->name);
        free(source);
    }
}

const char *nn_source_name(const nn_source *source)
{
    return source->name;
}

const char *nn_source_text(const nn_source *source, size_t *length)
{
    *length = source->length;
    return source->text;
}

/* Bytes of the line end at AT, 0 if there is none. */
static size_t break_length(const nn_source *source, size_t at)
{
    const char *text = source->text + at; /* a NUL lies behind the last byte */

    if (at >= source->length)
        return 0;
    if (text[0] == '\r')
        return text[1] == '\n' ? 2 : 1;
    if (text[0] == '\n')
        return 1;
    if (strncmp(text, "\xc2\x85", 2) == 0)
        return 2;
    if (strncmp(text, "\xe2\x80\xa8", 3) == 0 ||
        strncmp(text, "\xe2\x80\xa9", 3) == 0)
        return 3;
    return 0;
}

static size_t line_end(const nn_source *source, size_t at)
{
    while (at < source->length && break_length(source, at) == 0)
        ++at;
    return at;
}

const char *nn_source_line(const nn_source *source, uint32_t line,
                           size_t *length)
{
    size_t start = 0;
    size_t end = line_end(source, start);

    while (line > 1 && end < source->length) {
        start = end + break_length(source, end);
        end = line_end(source, start);
        --line;
    }
    *length = line == 1 ? end - start : 0;
    return source->text + start;
}

nn_place nn_source_place(nn_source *source, size_t offset)
{
    nn_place place = {source, 1, 1};
    size_t at = 0;

    while (at < offset && at < source->length) {
        size_t bytes = break_length(source, at);
        uint32_t code;

        if (bytes) {
            ++place.line;
            place.column = 1;
        } else {
            bytes = nn_utf8_next(source->text + at, source->length - at, &code);
            ++place.column;
        }
        at += bytes ? bytes : 1;
    }
    return place;
}
