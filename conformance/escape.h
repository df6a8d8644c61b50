/* SPDX-License-Identifier: MIT */
/* escape.h - texts of others inside formats: what is not UTF-8 becomes U+FFFD,
 * and what would end the text or has no place in the format is escaped. */
#ifndef NN_CONFORMANCE_ESCAPE_H
#define NN_CONFORMANCE_ESCAPE_H

#include <stdio.h>

/* A JSON string with its quotes. */
void escape_json(FILE *to, const char *text);

/* Text or a value between double quotes in XML 1.0. */
void escape_xml(FILE *to, const char *text);

/* A description or reason of TAP: one line, without a directive of its own. */
void escape_tap(FILE *to, const char *text);

#endif
