/* SPDX-License-Identifier: MIT */
/* json.c - see json.h. */
#include "json.h"

#include <math.h>

#include <nn/text.h>

void json_string(FILE *to, const char *text)
{
    fputc('"', to);
    for (; *text; ++text) {
        unsigned char c = (unsigned char)*text;

        if (c == '"' || c == '\\')
            fprintf(to, "\\%c", c);
        else if (c == '\n')
            fputs("\\n", to);
        else if (c == '\t')
            fputs("\\t", to);
        else if (c < 0x20 || c == 0x7f)
            fprintf(to, "\\u%04x", (unsigned)c);
        else
            fputc(c, to);
    }
    fputc('"', to);
}

/* What stands before a member. */
static void begin(struct json *json, const char *key)
{
    if (json->comma)
        fputc(',', json->to);
    if (json->depth)
        fprintf(json->to, "\n%*s", 2 * json->depth, "");
    if (key) {
        json_string(json->to, key);
        fputs(": ", json->to);
    }
    json->comma = 1;
}

void json_open(struct json *json, const char *key, char bracket)
{
    begin(json, key);
    fputc(bracket, json->to);
    ++json->depth;
    json->comma = 0;
}

void json_close(struct json *json, char bracket)
{
    --json->depth;
    if (json->comma)
        fprintf(json->to, "\n%*s", 2 * json->depth, "");
    fputc(bracket, json->to);
    if (!json->depth)
        fputc('\n', json->to);
    json->comma = 1;
}

void json_text(struct json *json, const char *key, const char *text)
{
    begin(json, key);
    if (text)
        json_string(json->to, text);
    else
        fputs("null", json->to);
}

void json_int(struct json *json, const char *key, int64_t value)
{
    begin(json, key);
    fprintf(json->to, "%lld", (long long)value);
}

void json_bool(struct json *json, const char *key, int32_t value)
{
    begin(json, key);
    fputs(value ? "true" : "false", json->to);
}

void json_real(struct json *json, const char *key, double value)
{
    char bytes[48];
    nn_text number = nn_text_in(bytes, sizeof bytes);

    begin(json, key);
    nn_text_add_json_real(&number, value);
    fputs(bytes, json->to);
}
