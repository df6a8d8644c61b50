/* SPDX-License-Identifier: MIT */
/* json.h - writes one JSON value to a stream, indented, member by member. */
#ifndef NN_TOOLS_JSON_H
#define NN_TOOLS_JSON_H

#include <stdint.h>
#include <stdio.h>

struct json {
    FILE *to;
    int depth;
    int32_t comma; /* 1: something stands before, at this depth */
};

/* Opens an object '{' or list '['.  KEY is NULL in lists and for the whole. */
void json_open(struct json *json, const char *key, char bracket);

/* Closes it; after the outermost one comes a line end. */
void json_close(struct json *json, char bracket);

/* Members.  A NULL text is null.  What is not finite is written as a text,
 * since JSON has no such numbers. */
void json_text(struct json *json, const char *key, const char *text);
void json_int(struct json *json, const char *key, int64_t value);
void json_bool(struct json *json, const char *key, int32_t value);
void json_real(struct json *json, const char *key, double value);

/* TEXT as a JSON string with its quotes. */
void json_string(FILE *to, const char *text);

#endif
