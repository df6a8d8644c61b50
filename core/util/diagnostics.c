/* SPDX-License-Identifier: MIT */
/* diagnostics.c - see diagnostics.h.
 *
 * What is shown comes from files that anybody may have written, so control
 * characters (which a terminal would obey) and broken UTF-8 become '?', and of
 * a long line only a window around the column is shown. */
#include "core/util/diagnostics.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/util/error.h"

#define WINDOW 160 /* characters of a source line that are shown */
#define BEFORE 80  /* of these before the column, if the line is longer */

void nn_diagnostics_init(nn_diagnostics *diagnostics)
{
    memset(diagnostics, 0, sizeof *diagnostics);
}

void nn_diagnostics_finish(nn_diagnostics *diagnostics)
{
    int64_t i;

    for (i = 0; i < diagnostics->count; ++i) {
        nn_source_release(diagnostics->items[i].place.source);
        free(diagnostics->items[i].text);
    }
    nn_diagnostics_init(diagnostics);
}

/* Bytes of the character at BYTES, at least 1; *VISIBLE says if it can be
 * shown as it is. */
static size_t character(const char *bytes, size_t left, int *visible)
{
    uint32_t code = 0;
    size_t length = nn_utf8_next(bytes, left, &code);

    *visible = length != 0 && (code >= 0x20 || code == '\t') &&
               (code < 0x7f || code >= 0xa0);
    return length ? length : 1;
}

static size_t append_visible(nn_text *out, const char *bytes, size_t left)
{
    int visible;
    size_t length = character(bytes, left, &visible);

    if (visible)
        nn_text_append_bytes(out, bytes, length);
    else
        nn_text_append(out, "?");
    return length;
}

/* Appends LENGTH bytes of a line, as far as shown, and below it a caret under
 * character COLUMN. */
static void append_line(nn_text *out, const char *line, size_t length,
                        uint32_t column)
{
    nn_text caret = {0};
    uint32_t first = column > WINDOW ? column - BEFORE : 1;
    uint32_t i;
    size_t at = 0;
    int visible;

    for (i = 1; i < first && at < length; ++i)
        at += character(line + at, length - at, &visible);
    for (i = first; i < first + WINDOW; ++i) {
        int tab = at < length && line[at] == '\t';

        if (i < column)
            nn_text_append(&caret, tab ? "\t" : " ");
        if (at < length)
            at += append_visible(out, line + at, length - at);
    }
    nn_text_format(out, "\n%s^\n", nn_text_string(&caret));
    nn_text_finish(&caret);
}

/* Appends "file:line:column: error: text". */
static void append_head(nn_text *out, uint32_t severity, const nn_place *place,
                        const char *text)
{
    if (place && place->source) {
        nn_text_append(out, nn_source_name(place->source));
        if (place->line)
            nn_text_format(out, ":%" PRIu32 ":%" PRIu32, place->line,
                           place->column);
        nn_text_append(out, ": ");
    }
    nn_text_append(out,
                   severity == NN_SEVERITY_ERROR ? "error: " : "warning: ");
    nn_text_append(out, text);
}

/* The message of FORMAT, harmless and on one line; NULL without memory. */
static char *format_text(const char *format, va_list arguments)
{
    char raw[NN_DIAGNOSTIC_TEXT];
    nn_text text = {0};
    size_t length;
    size_t at = 0;
    int wanted = vsnprintf(raw, sizeof raw, format, arguments);

    if (wanted < 0)
        raw[0] = '\0';
    length = strlen(raw);
    while (at < length) {
        if (raw[at] == '\t')
            raw[at] = ' ';
        at += append_visible(&text, raw + at, length - at);
    }
    if (wanted >= NN_DIAGNOSTIC_TEXT)
        nn_text_append(&text, "...");
    return nn_text_take(&text);
}

/* Keeps an item if there is room for its severity; takes TEXT. */
static void keep(nn_diagnostics *diagnostics, nn_diagnostic item)
{
    int64_t *found = item.severity == NN_SEVERITY_ERROR
                         ? &diagnostics->errors
                         : &diagnostics->warnings;

    if ((*found)++ < NN_DIAGNOSTICS_LIMIT && item.text) {
        nn_source_hold(item.place.source);
        diagnostics->items[diagnostics->count++] = item;
    } else {
        free(item.text);
    }
}

int32_t nn_diagnostics_error(nn_diagnostics *diagnostics, int32_t code,
                             const char *id, const nn_place *place,
                             const char *format, ...)
{
    nn_diagnostic item = {NN_SEVERITY_ERROR, code, id, {0}, NULL};
    nn_text head = {0};
    va_list arguments;

    va_start(arguments, format);
    item.text = format_text(format, arguments);
    va_end(arguments);
    if (place)
        item.place = *place;
    append_head(&head, item.severity, place, item.text ? item.text : id);
    nn_error_set(code, id, "%s", nn_text_string(&head));
    nn_text_finish(&head);
    if (diagnostics)
        keep(diagnostics, item);
    else
        free(item.text);
    return code;
}

void nn_diagnostics_warn(nn_diagnostics *diagnostics, const char *id,
                         const nn_place *place, const char *format, ...)
{
    nn_diagnostic item = {NN_SEVERITY_WARNING, NN_OK, id, {0}, NULL};
    va_list arguments;

    if (!diagnostics)
        return;
    va_start(arguments, format);
    item.text = format_text(format, arguments);
    va_end(arguments);
    if (place)
        item.place = *place;
    keep(diagnostics, item);
}

int32_t nn_diagnostics_status(const nn_diagnostics *diagnostics)
{
    int64_t i;

    for (i = 0; i < diagnostics->count; ++i)
        if (diagnostics->items[i].code)
            return diagnostics->items[i].code;
    return diagnostics->errors ? NN_NO_MEMORY : NN_OK;
}

void nn_diagnostic_render(const nn_diagnostic *item, nn_text *out)
{
    const char *line;
    size_t length;

    append_head(out, item->severity, &item->place, item->text);
    nn_text_append(out, "\n");
    if (!item->place.source || !item->place.line)
        return;
    line = nn_source_line(item->place.source, item->place.line, &length);
    append_line(out, line, length, item->place.column);
}

static void render_rest(int64_t found, const char *what, nn_text *out)
{
    int64_t more = found - NN_DIAGNOSTICS_LIMIT;

    if (more > 0)
        nn_text_format(out, "… and %" PRId64 " more %s%s\n", more, what,
                       more > 1 ? "s" : "");
}

void nn_diagnostics_render(const nn_diagnostics *diagnostics, nn_text *out)
{
    int64_t i;

    for (i = 0; i < diagnostics->count; ++i)
        nn_diagnostic_render(&diagnostics->items[i], out);
    render_rest(diagnostics->errors, "error", out);
    render_rest(diagnostics->warnings, "warning", out);
}
