/* SPDX-License-Identifier: MIT */
/* text.c - see text.h.  Capacity doubles, so n appends cost O(n). */
#include "core/util/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/util/error.h"

void nn_text_init(nn_text *text)
{
    memset(text, 0, sizeof *text);
}

void nn_text_finish(nn_text *text)
{
    free(text->data);
    nn_text_init(text);
}

/* Makes room for MORE bytes and the NUL.  Returns 1 if there is room. */
static int reserve(nn_text *text, size_t more)
{
    size_t wanted = text->length + more + 1;
    size_t capacity = text->capacity ? text->capacity : 64;
    char *data;

    if (text->code)
        return 0;
    if (wanted > more && wanted <= text->capacity)
        return 1;
    while (capacity < wanted && capacity <= SIZE_MAX / 2)
        capacity *= 2;
    data = wanted > more && capacity >= wanted ? realloc(text->data, capacity)
                                               : NULL;
    if (!data) {
        text->code = NN_NO_MEMORY;
        return 0;
    }
    text->data = data;
    text->capacity = capacity;
    return 1;
}

void nn_text_append(nn_text *text, const char *string)
{
    nn_text_append_bytes(text, string, strlen(string));
}

void nn_text_append_bytes(nn_text *text, const char *bytes, size_t length)
{
    if (!reserve(text, length))
        return;
    if (length)
        memcpy(text->data + text->length, bytes, length);
    text->length += length;
    text->data[text->length] = '\0';
}

void nn_text_append_char(nn_text *text, char character, size_t count)
{
    if (!reserve(text, count))
        return;
    memset(text->data + text->length, character, count);
    text->length += count;
    text->data[text->length] = '\0';
}

void nn_text_format(nn_text *text, const char *format, ...)
{
    va_list arguments;
    int length;

    va_start(arguments, format);
    length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (length < 0 || !reserve(text, (size_t)length))
        return;
    va_start(arguments, format);
    vsnprintf(text->data + text->length, (size_t)length + 1, format, arguments);
    va_end(arguments);
    text->length += (size_t)length;
}

const char *nn_text_string(const nn_text *text)
{
    return text->data ? text->data : "";
}

int32_t nn_text_status(const nn_text *text)
{
    if (text->code)
        nn_error_no_memory("a text", text->capacity);
    return text->code;
}

char *nn_text_take(nn_text *text)
{
    char *data = NULL;

    if (!reserve(text, 0)) {
        nn_text_status(text);
    } else {
        data = text->data;
        data[text->length] = '\0';
        text->data = NULL;
    }
    nn_text_finish(text);
    return data;
}

/* Bytes of a character that starts with LEAD, 0 for a byte that starts none,
 * and the bits of the lead that belong to the code. */
static size_t lead_length(unsigned char lead, uint32_t *bits)
{
    static const unsigned char masks[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
    size_t length = lead < 0x80   ? 1
                    : lead < 0xc2 ? 0
                    : lead < 0xe0 ? 2
                    : lead < 0xf0 ? 3
                    : lead < 0xf5 ? 4
                                  : 0;

    *bits = lead & masks[length];
    return length;
}

size_t nn_utf8_next(const char *bytes, size_t left, uint32_t *code)
{
    static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    uint32_t value = 0;
    size_t length = left ? lead_length((unsigned char)bytes[0], &value) : 0;
    size_t i;

    if (length == 0 || length > left)
        return 0;
    for (i = 1; i < length; ++i) {
        unsigned char next = (unsigned char)bytes[i];

        if ((next & 0xc0) != 0x80)
            return 0;
        value = value << 6 | (next & 0x3f);
    }
    if (value < smallest[length] || value > 0x10ffff ||
        (value >= 0xd800 && value <= 0xdfff))
        return 0;
    *code = value;
    return length;
}
