/* SPDX-License-Identifier: MIT */
/* read.c - YAML text to a tree, through libyaml's events.
 *
 * The reader keeps the open lists and maps on a stack of its own, so depth
 * costs no C stack and is limited by NN_NODE_DEPTH.  A map waits for a key
 * when `key` of its level is NULL, and for the value when it is set.  Repeated
 * keys are found when a map ends, by sorting, so a map of n keys costs
 * O(n log n).  Errors about meaning (a tag, an alias, a repeated key) are noted
 * and reading goes on; errors of syntax end it. */
#define _GNU_SOURCE
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <yaml.h>

#include "core/config/description.h"
#include "core/config/node.h"
#include "core/util/error.h"

struct level {
    nn_node *node;
    char *key; /* of the value that comes next; owned */
    nn_place key_place;
};

struct reader {
    nn_source *source;
    size_t offset;  /* of the first byte that libyaml sees */
    nn_place start; /* of that byte */
    nn_diagnostics *diagnostics;
    yaml_parser_t parser;
    struct level levels[NN_NODE_DEPTH];
    int32_t depth;
    int32_t nodes;
    int32_t code;    /* of the first error */
    int32_t stopped; /* 1: reading cannot go on */
    nn_node *root;   /* owned */
};

/* Where MARK is in the source. */
static nn_place place_of(const struct reader *reader, const yaml_mark_t *mark)
{
    nn_place place = reader->start;

    place.line += (uint32_t)mark->line;
    place.column = (uint32_t)mark->column +
                   (mark->line ? 1 : reader->start.column);
    return place;
}

/* Notes an error at MARK. */
__attribute__((format(printf, 5, 6))) static void note(struct reader *reader,
                                                       const yaml_mark_t *mark,
                                                       int32_t code,
                                                       const char *id,
                                                       const char *format, ...)
{
    nn_place place = place_of(reader, mark);
    char text[NN_DIAGNOSTIC_TEXT];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    nn_diagnostics_error(reader->diagnostics, code, id, &place, "%s", text);
    if (!reader->code)
        reader->code = code;
}

static void stop(struct reader *reader, int32_t code)
{
    if (!reader->code)
        reader->code = code;
    reader->stopped = 1;
}

/* The byte of the source at PLACE; NUL at its end. */
static char byte_at(const nn_place *place)
{
    size_t length;
    const char *line = nn_source_line(place->source, place->line, &length);
    uint32_t column = 1;
    size_t at = 0;
    uint32_t code;

    while (column < place->column && at < length) {
        size_t bytes = nn_utf8_next(line + at, length - at, &code);

        at += bytes ? bytes : 1;
        ++column;
    }
    return at < length ? line[at] : '\0';
}

/* What the writer probably did wrong, as the tail of a message. */
static const char *advice(const nn_place *place, const char *context)
{
    if (byte_at(place) == '\t')
        return "; YAML allows no tabs for indentation";
    if (strstr(context, "scanning an alias"))
        return "; quote a text that begins with '*'";
    return "";
}

/* An error that libyaml's scanner or parser found. */
static void note_problem(struct reader *reader)
{
    const yaml_parser_t *parser = &reader->parser;
    const char *problem = parser->problem ? parser->problem : "broken YAML";
    const char *context = parser->context ? parser->context : "";
    nn_place place = place_of(reader, &parser->problem_mark);
    nn_place from = place_of(reader, &parser->context_mark);
    nn_place end = nn_source_place(reader->source, SIZE_MAX);
    char line[48] = "";

    if (place.line > end.line)
        place = end; /* libyaml ends a last line that has no end */
    if (*context && from.line != place.line)
        snprintf(line, sizeof line, " that starts in line %u", from.line);
    nn_diagnostics_error(reader->diagnostics, NN_FORMAT, "config.syntax",
                         &place, "%s%s%s%s%s", problem, *context ? " " : "",
                         context, line, advice(&place, context));
}

/* Turns an error of libyaml into a diagnostic and stops. */
static void note_syntax(struct reader *reader)
{
    const yaml_parser_t *parser = &reader->parser;
    nn_place place;

    if (parser->error == YAML_MEMORY_ERROR) {
        stop(reader, nn_error_no_memory("reading YAML", 0));
        return;
    }
    if (parser->error == YAML_READER_ERROR) {
        place = nn_source_place(reader->source,
                                reader->offset + parser->problem_offset);
        nn_diagnostics_error(reader->diagnostics, NN_FORMAT, "config.utf8",
                             &place, "%s", parser->problem);
    } else {
        note_problem(reader);
    }
    stop(reader, NN_FORMAT);
}

/* Hands NODE (taken; may be NULL) to the innermost open list or map, or makes
 * it the root. */
static void deliver(struct reader *reader, nn_node *node)
{
    struct level *top = &reader->levels[reader->depth ? reader->depth - 1 : 0];
    int32_t code;

    if (reader->depth == 0) {
        reader->root = node;
        return;
    }
    code = nn_node_add(top->node, top->key, top->key ? &top->key_place : NULL,
                       node);
    top->key = NULL;
    if (code)
        stop(reader, code);
}

/* True if the event that comes at MARK is a key. */
static int wants_key(const struct reader *reader)
{
    const struct level *top =
        &reader->levels[reader->depth ? reader->depth - 1 : 0];

    return reader->depth && top->node->kind == NN_NODE_MAP && !top->key;
}

/* Counts a node that begins with EVENT; 0 if that is one too many. */
static int count_node(struct reader *reader, const yaml_event_t *event)
{
    if (reader->nodes++ < NN_NODE_LIMIT)
        return 1;
    note(reader, &event->start_mark, NN_INVALID_ARGUMENT, "config.too-large",
         "more than %d values", NN_NODE_LIMIT);
    stop(reader, NN_INVALID_ARGUMENT);
    return 0;
}

/* Refuses what an event may carry besides its value. */
static void check_extras(struct reader *reader, const yaml_event_t *event,
                         const yaml_char_t *anchor, const yaml_char_t *tag)
{
    if (anchor)
        note(reader, &event->start_mark, NN_INVALID_ARGUMENT, "config.anchor",
             "anchors such as '&%.40s' are not allowed", anchor);
    if (tag)
        note(reader, &event->start_mark, NN_INVALID_ARGUMENT, "config.tag",
             "tags such as '%.40s' are not allowed", tag);
}

static void set_end(const struct reader *reader, nn_node *node,
                    const yaml_event_t *event)
{
    nn_place end = place_of(reader, &event->end_mark);

    node->end_line = end.line;
    node->end_column = end.column;
}

/* A node that begins where EVENT does; NULL stops the reader. */
static nn_node *make_node(struct reader *reader, const yaml_event_t *event,
                          uint32_t kind, const char *text, size_t length)
{
    nn_node *node = nn_node_create(kind, text, length);

    if (!node) {
        stop(reader, NN_NO_MEMORY);
        return NULL;
    }
    node->place = place_of(reader, &event->start_mark);
    nn_source_hold(node->place.source);
    set_end(reader, node, event);
    return node;
}

static void read_key(struct reader *reader, const yaml_event_t *event)
{
    struct level *top = &reader->levels[reader->depth - 1];
    const char *text = (const char *)event->data.scalar.value;
    size_t length = event->data.scalar.length;

    if (length == 0 || length > NN_NODE_KEY) {
        note(reader, &event->start_mark, NN_INVALID_ARGUMENT, "config.key",
             length ? "this key is longer than %d bytes"
                    : "an empty key; one has 1 to %d bytes",
             NN_NODE_KEY);
        stop(reader, NN_INVALID_ARGUMENT);
        return;
    }
    top->key = strdup(text);
    top->key_place = place_of(reader, &event->start_mark);
    if (!top->key)
        stop(reader, nn_error_no_memory("a key", length));
}

static void read_scalar(struct reader *reader, const yaml_event_t *event)
{
    const char *text = (const char *)event->data.scalar.value;
    size_t length = event->data.scalar.length;
    nn_node *node;

    check_extras(reader, event, event->data.scalar.anchor,
                 event->data.scalar.tag);
    if (strlen(text) != length) {
        note(reader, &event->start_mark, NN_INVALID_ARGUMENT, "config.nul",
             "this text contains a NUL character");
        length = strlen(text);
    }
    if (wants_key(reader)) {
        read_key(reader, event);
        return;
    }
    node = make_node(reader, event, NN_NODE_SCALAR, text, length);
    if (!node)
        return;
    node->quoted = event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE ||
                   (length && !nn_node_is_plain(node->text, 0));
    deliver(reader, node);
}

static void read_alias(struct reader *reader, const yaml_event_t *event)
{
    note(reader, &event->start_mark, NN_INVALID_ARGUMENT, "config.alias",
         "aliases such as '*%.40s' are not allowed; quote a text that begins "
         "with '*'",
         event->data.alias.anchor);
    if (wants_key(reader))
        stop(reader, NN_INVALID_ARGUMENT);
    else
        deliver(reader, make_node(reader, event, NN_NODE_SCALAR, "", 0));
}

static void open_node(struct reader *reader, const yaml_event_t *event,
                      uint32_t kind)
{
    nn_node *node;

    if (wants_key(reader) || reader->depth == NN_NODE_DEPTH) {
        if (wants_key(reader))
            note(reader, &event->start_mark, NN_INVALID_ARGUMENT, "config.key",
                 "a key must be a word, not a list or a map");
        else
            note(reader, &event->start_mark, NN_INVALID_ARGUMENT,
                 "config.too-deep", "nested more than %d deep", NN_NODE_DEPTH);
        stop(reader, NN_INVALID_ARGUMENT);
        return;
    }
    node = make_node(reader, event, kind, NULL, 0);
    if (!node)
        return;
    deliver(reader, node);
    if (reader->stopped)
        return;
    memset(&reader->levels[reader->depth], 0, sizeof(struct level));
    reader->levels[reader->depth++].node = node;
}

/* Order of entries by key, then by place in the map. */
static int compare_entries(const void *a, const void *b)
{
    const nn_entry *x = *(const nn_entry *const *)a;
    const nn_entry *y = *(const nn_entry *const *)b;
    int order = strcmp(x->key, y->key);

    return order ? order : (x > y) - (x < y);
}

/* Notes every key that MAP has more than once. */
static void check_repeated(struct reader *reader, const nn_node *map)
{
    const nn_entry **sorted;
    const nn_entry *first;
    int64_t i;

    if (map->count < 2)
        return;
    sorted = calloc((size_t)map->count, sizeof *sorted);
    if (!sorted) {
        stop(reader, nn_error_no_memory("a map", (uint64_t)map->count));
        return;
    }
    for (i = 0; i < map->count; ++i)
        sorted[i] = &map->entries[i];
    qsort(sorted, (size_t)map->count, sizeof *sorted, compare_entries);
    first = sorted[0];
    for (i = 1; i < map->count; ++i) {
        if (strcmp(first->key, sorted[i]->key) != 0) {
            first = sorted[i];
            continue;
        }
        nn_diagnostics_error(reader->diagnostics, NN_INVALID_ARGUMENT,
                             "config.repeated-key", &sorted[i]->key_place,
                             "key '%s' in line %u was already given in line %u",
                             first->key, sorted[i]->key_place.line,
                             first->key_place.line);
        if (!reader->code)
            reader->code = NN_INVALID_ARGUMENT;
    }
    free(sorted);
}

static void close_node(struct reader *reader, const yaml_event_t *event)
{
    nn_node *node = reader->levels[--reader->depth].node;

    set_end(reader, node, event);
    if (node->kind == NN_NODE_MAP)
        check_repeated(reader, node);
}

static void start_document(struct reader *reader, const yaml_event_t *event)
{
    if (!reader->root)
        return;
    note(reader, &event->start_mark, NN_INVALID_ARGUMENT, "config.documents",
         "a second document begins here; only one is allowed");
    stop(reader, NN_INVALID_ARGUMENT);
}

static void read_event(struct reader *reader, const yaml_event_t *event)
{
    switch (event->type) {
    case YAML_DOCUMENT_START_EVENT:
        start_document(reader, event);
        break;
    case YAML_ALIAS_EVENT:
        read_alias(reader, event);
        break;
    case YAML_SCALAR_EVENT:
        if (count_node(reader, event))
            read_scalar(reader, event);
        break;
    case YAML_SEQUENCE_START_EVENT:
        check_extras(reader, event, event->data.sequence_start.anchor,
                     event->data.sequence_start.tag);
        if (count_node(reader, event))
            open_node(reader, event, NN_NODE_LIST);
        break;
    case YAML_MAPPING_START_EVENT:
        check_extras(reader, event, event->data.mapping_start.anchor,
                     event->data.mapping_start.tag);
        if (count_node(reader, event))
            open_node(reader, event, NN_NODE_MAP);
        break;
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        close_node(reader, event);
        break;
    default:
        break;
    }
}

static void read_events(struct reader *reader)
{
    yaml_event_t event;
    int end = 0;

    while (!end && !reader->stopped) {
        if (!yaml_parser_parse(&reader->parser, &event)) {
            note_syntax(reader);
            return;
        }
        end = event.type == YAML_STREAM_END_EVENT;
        read_event(reader, &event);
        yaml_event_delete(&event);
    }
}

/* An empty text, or one of comments only, is nearly always a mistake. */
static void check_empty(struct reader *reader)
{
    nn_place place = {reader->source, 0, 0};

    if (reader->code ||
        (reader->root && (reader->root->kind != NN_NODE_SCALAR ||
                          reader->root->text[0] || reader->root->quoted)))
        return;
    stop(reader,
         nn_diagnostics_error(reader->diagnostics, NN_FORMAT, "config.empty",
                              &place, "there is nothing in it"));
}

int32_t nn_node_read_source(nn_source *source, size_t offset,
                            nn_diagnostics *diagnostics, nn_node **out)
{
    struct reader reader = {.source = source, .diagnostics = diagnostics};
    size_t length;
    const char *text = nn_source_text(source, &length);
    int32_t i;

    *out = NULL;
    if (length - offset > NN_NODE_BYTES)
        return nn_diagnostics_error(diagnostics, NN_INVALID_ARGUMENT,
                                    "config.too-large",
                                    &(nn_place){source, 0, 0},
                                    "larger than %zu bytes", NN_NODE_BYTES);
    if (!yaml_parser_initialize(&reader.parser))
        return nn_error_no_memory("a YAML parser", sizeof reader.parser);
    reader.offset = offset;
    reader.start = nn_source_place(source, offset);
    yaml_parser_set_encoding(&reader.parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&reader.parser,
                                 (const unsigned char *)text + offset,
                                 length - offset);
    read_events(&reader);
    yaml_parser_delete(&reader.parser);
    check_empty(&reader);
    for (i = 0; i < reader.depth; ++i)
        free(reader.levels[i].key);
    if (reader.code) {
        nn_node_destroy(reader.root);
        return reader.code;
    }
    *out = reader.root;
    return NN_OK;
}

int32_t nn_node_read(const char *text, size_t length, const char *name,
                     nn_diagnostics *diagnostics, nn_node **out)
{
    size_t mark = length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    nn_source *source;
    int32_t code = nn_source_create(name, text + mark, length - mark, &source);

    *out = NULL;
    if (code)
        return code;
    code = nn_node_read_source(source, 0, diagnostics, out);
    nn_source_release(source);
    return code;
}
