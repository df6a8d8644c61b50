/* SPDX-License-Identifier: MIT */
/* write.c - a tree to YAML that reads as an equal tree.
 *
 * A list or map goes on one line, in flow style ([a, b], {a: 1}), if it is at
 * most two levels high, all its plain texts are safe there and the line stays
 * within 80 characters; else each entry gets a line of its own, indented by
 * two.  Quoted texts are written in one line: in single quotes if they contain
 * a quote or backslash and nothing that needs an escape, else in double
 * quotes. */
#include <stdio.h>
#include <string.h>

#include "core/config/description.h"

#define LINE 80       /* characters */
#define FLOW_HEIGHT 2 /* levels of lists and maps on one line */

/* True if YAML shows the character as it is; see c-printable in YAML 1.1, less
 * the line ends and the byte order mark. */
static int is_printable(uint32_t code)
{
    return (code >= 0x20 && code < 0x7f) ||
           (code >= 0xa0 && code < 0xd800 && code != 0x2028 &&
            code != 0x2029) ||
           (code >= 0xe000 && code < 0xfffe && code != 0xfeff) ||
           code >= 0x10000;
}

/* True if all characters are printable. */
static int all_printable(const char *text)
{
    size_t length = strlen(text);
    size_t at = 0;
    uint32_t code = 0;

    while (at < length) {
        size_t bytes = nn_utf8_next(text + at, length - at, &code);

        if (bytes == 0 || !is_printable(code))
            return 0;
        at += bytes;
    }
    return 1;
}

/* True if a plain text may begin like this. */
static int plain_start(const char *text)
{
    if (strncmp(text, "---", 3) == 0 || strncmp(text, "...", 3) == 0)
        return 0;
    if (text[0] == '-')
        return text[1] != '\0' && text[1] != ' ' && !strchr(",[]{}", text[1]);
    return text[0] != '\0' && !strchr(" ?:,[]{}#&*!|>'\"%@`", text[0]);
}

int nn_node_is_plain(const char *text, int flow)
{
    size_t length = strlen(text);

    if (!plain_start(text) || !all_printable(text))
        return 0;
    if (text[length - 1] == ' ' || text[length - 1] == ':' ||
        strstr(text, ": ") || strstr(text, " #"))
        return 0;
    return !flow || !strpbrk(text, ",[]{}:?");
}

/* Appends one character as an escape of double quotes, or as it is. */
static void write_character(nn_text *out, const char *bytes, size_t length,
                            uint32_t code)
{
    if (code == '\n')
        nn_text_append(out, "\\n");
    else if (code == '\t')
        nn_text_append(out, "\\t");
    else if (code == '"' || code == '\\')
        nn_text_format(out, "\\%c", (int)code);
    else if (is_printable(code))
        nn_text_append_bytes(out, bytes, length);
    else if (code < 0x100)
        nn_text_format(out, "\\x%02X", code);
    else
        nn_text_format(out, "\\u%04X", code);
}

static void write_quoted(nn_text *out, const char *text)
{
    int single = strpbrk(text, "\"\\") && all_printable(text);
    size_t length = strlen(text);
    size_t at = 0;
    uint32_t code = 0;

    nn_text_append(out, single ? "'" : "\"");
    while (at < length) {
        size_t bytes = nn_utf8_next(text + at, length - at, &code);

        if (single && code == '\'')
            nn_text_append(out, "''");
        else if (single)
            nn_text_append_bytes(out, text + at, bytes);
        else
            write_character(out, text + at, bytes, code);
        at += bytes ? bytes : 1;
    }
    nn_text_append(out, single ? "'" : "\"");
}

static void write_scalar(nn_text *out, const nn_node *node)
{
    if (node->quoted)
        write_quoted(out, node->text);
    else
        nn_text_append(out, node->text);
}

static void write_key(nn_text *out, const char *key)
{
    if (nn_node_is_plain(key, 1))
        nn_text_append(out, key);
    else
        write_quoted(out, key);
    nn_text_append(out, ":");
}

/* Appends NODE in flow style.  Returns 0, having appended something, if it
 * cannot be written so or becomes longer than LIMIT bytes of OUT. */
static int write_flow(nn_text *out, const nn_node *node, int height,
                      size_t limit)
{
    int map = node->kind == NN_NODE_MAP;
    int64_t i;

    if (node->kind == NN_NODE_SCALAR) {
        if (!node->quoted && !nn_node_is_plain(node->text, 1))
            return 0;
        write_scalar(out, node);
        return out->length <= limit;
    }
    if (height == 0 && node->count)
        return 0;
    nn_text_append(out, map ? "{" : "[");
    for (i = 0; i < node->count; ++i) {
        if (i)
            nn_text_append(out, ", ");
        if (map) {
            write_key(out, node->entries[i].key);
            nn_text_append(out, " ");
        }
        if (out->length > limit ||
            !write_flow(out, node->entries[i].node, height - 1, limit))
            return 0;
    }
    nn_text_append(out, map ? "}" : "]");
    return out->length <= limit;
}

/* Appends " NODE" and a line end if NODE fits on a line of which USED
 * characters are taken; else appends nothing and returns 0. */
static int write_inline(nn_text *out, const nn_node *node, size_t used)
{
    nn_text flow = {0};
    int fits = 1;

    if (node->kind == NN_NODE_SCALAR)
        write_scalar(&flow, node);
    else
        fits = write_flow(&flow, node, FLOW_HEIGHT,
                          used < LINE ? LINE - used : 0) ||
               node->count == 0;
    if (flow.code)
        out->code = flow.code;
    if (fits && flow.length)
        nn_text_append(out, " ");
    if (fits)
        nn_text_format(out, "%s\n", nn_text_string(&flow));
    nn_text_finish(&flow);
    return fits;
}

/* Appends the entries of a list or map, each indented by INDENT, except the
 * first if INDENTED says that the line has its indentation already. */
static void write_block(nn_text *out, const nn_node *node, size_t indent,
                        int indented)
{
    int64_t i;

    for (i = 0; i < node->count; ++i) {
        const nn_entry *entry = &node->entries[i];
        size_t start = out->length;

        if (i || !indented)
            nn_text_append_char(out, ' ', indent);
        else
            start -= indent;
        if (node->kind == NN_NODE_MAP)
            write_key(out, entry->key);
        else
            nn_text_append(out, "-");
        if (write_inline(out, entry->node, out->length - start + 1))
            continue;
        nn_text_append(out, node->kind == NN_NODE_MAP ? "\n" : " ");
        write_block(out, entry->node, indent + 2, node->kind == NN_NODE_LIST);
    }
}

int32_t nn_node_write(const nn_node *node, nn_text *out)
{
    if (node->kind != NN_NODE_SCALAR && node->count)
        write_block(out, node, 0, 0);
    else if (node->kind == NN_NODE_SCALAR)
        write_scalar(out, node);
    else
        nn_text_append(out, node->kind == NN_NODE_MAP ? "{}" : "[]");
    if (node->kind == NN_NODE_SCALAR || node->count == 0)
        nn_text_append(out, "\n");
    return nn_text_status(out);
}
