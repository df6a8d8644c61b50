/* SPDX-License-Identifier: MIT */
/* known.c - see known.h. */
#define _GNU_SOURCE
#include "conformance/known.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conformance/catalogue.h"
#include "conformance/memory.h"

struct line {
    char *id;
    char *component;
    char *reason;
};

struct known {
    struct line *lines;
    uint32_t count;
};

/* 1 if ID, a pattern, matches a check that there is. */
static int is_check(const char *id)
{
    const check *one;
    uint32_t i;

    for (i = 0; (one = catalogue_at(i)); ++i)
        if (!fnmatch(id, one->id, 0))
            return 1;
    return 0;
}

/* Cuts the next word off *TEXT. */
static char *cut(char **text)
{
    char *word = *text + strspn(*text, " \t");

    *text = word + strcspn(word, " \t\r\n");
    if (**text)
        *(*text)++ = '\0';
    return word;
}

/* Takes the line TEXT; 0, or -1 after saying what is wrong. */
static int take_line(known *known, const char *path, unsigned number,
                     char *text)
{
    char *id = cut(&text);
    char *component = cut(&text);
    struct line one;

    text += strspn(text, " \t");
    text[strcspn(text, "\r\n")] = '\0';
    if (!*id || *id == '#')
        return 0;
    if (!*component || !*text) {
        fprintf(stderr,
                "nn-conformance: %s:%u: a line is `ID COMPONENT REASON`, and "
                "the %s is missing\n",
                path, number, *component ? "reason" : "component");
        return -1;
    }
    if (!is_check(id)) {
        fprintf(stderr,
                "nn-conformance: %s:%u: no check matches '%s'; --list-all "
                "prints all\n",
                path, number, id);
        return -1;
    }
    one.id = text_of("%s", id);
    one.component = text_of("%s", component);
    one.reason = text_of("%s", text);
    known->lines = retake(known->lines, known->count + 1, sizeof *known->lines);
    known->lines[known->count++] = one;
    return 0;
}

int known_read(const char *path, known **out)
{
    known *list = take(1, sizeof *list);
    FILE *file = fopen(path, "re");
    char *text = NULL;
    size_t room = 0;
    unsigned number = 0;
    int status = 0;

    *out = list;
    if (!file) {
        fprintf(stderr, "nn-conformance: %s: %s\n", path, strerror(errno));
        return 2;
    }
    while (!status && getline(&text, &room, file) >= 0)
        status = take_line(list, path, ++number, text);
    if (ferror(file)) {
        fprintf(stderr, "nn-conformance: %s: it cannot be read\n", path);
        status = -1;
    }
    free(text);
    fclose(file);
    return status ? 2 : 0;
}

void known_destroy(known *known)
{
    uint32_t i;

    if (!known)
        return;
    for (i = 0; i < known->count; ++i) {
        free(known->lines[i].id);
        free(known->lines[i].component);
        free(known->lines[i].reason);
    }
    free(known->lines);
    free(known);
}

void known_apply(const known *known, plan_item *item)
{
    const char *component = *item->component ? item->component : "file";
    const struct line *one = NULL;
    uint32_t i;

    for (i = 0; known && i < known->count && !one; ++i)
        if (!fnmatch(known->lines[i].id, item->check->id, 0) &&
            !fnmatch(known->lines[i].component, component, 0))
            one = &known->lines[i];
    if (!one)
        return;
    if (item->result.status == STATUS_PASS)
        item->result.status = STATUS_XPASS;
    else if (status_is_bad(item->result.status))
        item->result.status = STATUS_XFAIL;
    else
        return;
    item->result.reason = one->reason;
}
