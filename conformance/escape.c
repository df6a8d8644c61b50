/* SPDX-License-Identifier: MIT */
/* escape.c - see escape.h. */
#include "conformance/escape.h"

#include <stdint.h>

#define REPLACEMENT "\xef\xbf\xbd"

/* Bytes of the UTF-8 character at TEXT, whose code comes in *CODE; 0 if there is
 * none.  Surrogates, overlong forms and what lies beyond U+10FFFF are none. */
static int decode(const char *text, uint32_t *code)
{
    static const uint32_t least[5] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char *bytes = (const unsigned char *)text;
    int length = bytes[0] < 0x80         ? 1
                 : bytes[0] >> 5 == 0x06 ? 2
                 : bytes[0] >> 4 == 0x0e ? 3
                 : bytes[0] >> 3 == 0x1e ? 4
                                         : 0;
    int i;

    if (!length)
        return 0;
    *code = length == 1 ? bytes[0] : bytes[0] & (0x7fu >> length);
    for (i = 1; i < length; ++i) {
        if (bytes[i] >> 6 != 2)
            return 0;
        *code = *code << 6 | (bytes[i] & 0x3fu);
    }
    return *code < least[length] || *code > 0x10ffff || *code >> 11 == 0x1b
               ? 0
               : length;
}

/* Calls PUT with every character, 0xfffd for what is none. */
static void each(FILE *to, const char *text,
                 void (*put)(FILE *to, uint32_t code, const char *bytes,
                             int length))
{
    uint32_t code;
    int length;

    while (*text) {
        length = decode(text, &code);
        if (length)
            put(to, code, text, length);
        else
            put(to, 0xfffd, REPLACEMENT, 3);
        text += length ? length : 1;
    }
}

static void put_json(FILE *to, uint32_t code, const char *bytes, int length)
{
    if (code == '"' || code == '\\')
        fprintf(to, "\\%c", (int)code);
    else if (code == '\n')
        fputs("\\n", to);
    else if (code < 0x20 || code == 0x7f)
        fprintf(to, "\\u%04x", (unsigned)code);
    else
        fprintf(to, "%.*s", length, bytes);
}

void escape_json(FILE *to, const char *text)
{
    fputc('"', to);
    each(to, text, put_json);
    fputc('"', to);
}

static void put_xml(FILE *to, uint32_t code, const char *bytes, int length)
{
    if (code == '&')
        fputs("&amp;", to);
    else if (code == '<')
        fputs("&lt;", to);
    else if (code == '>')
        fputs("&gt;", to);
    else if (code == '"')
        fputs("&quot;", to);
    else if (code == '\n' || code == '\t' || code == '\r')
        fprintf(to, "&#%u;", (unsigned)code);
    else if (code < 0x20 || code == 0xfffe || code == 0xffff)
        fputs(REPLACEMENT, to);
    else
        fprintf(to, "%.*s", length, bytes);
}

void escape_xml(FILE *to, const char *text)
{
    each(to, text, put_xml);
}

static void put_tap(FILE *to, uint32_t code, const char *bytes, int length)
{
    if (code == '#' || code == '\\')
        fprintf(to, "\\%c", (int)code);
    else if (code < 0x20 || code == 0x7f)
        fputc(' ', to);
    else
        fprintf(to, "%.*s", length, bytes);
}

void escape_tap(FILE *to, const char *text)
{
    each(to, text, put_tap);
}
