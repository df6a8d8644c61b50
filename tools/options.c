/* SPDX-License-Identifier: MIT */
/* options.c - see options.h. */
#include "options.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "talk.h"

#define WIDTH 79    /* columns of help */
#define HELP_AT 26  /* column where the text of an option begins */
#define LONGEST 64u /* bytes of a word that suggestions look at */

/* ---- suggestions ------------------------------------------------------- */

/* Single-character insertions, deletions, exchanges and swaps of neighbours
 * that make A into B (Damerau, 1964). */
static uint32_t distance(const char *a, const char *b)
{
    uint32_t rows[3][LONGEST + 1];
    uint32_t *before = rows[0];
    uint32_t *last = rows[1];
    uint32_t *now = rows[2];
    size_t n = strlen(b);
    size_t i;
    size_t j;

    if (strlen(a) > LONGEST || n > LONGEST)
        return UINT32_MAX;
    for (j = 0; j <= n; ++j)
        last[j] = (uint32_t)j;
    for (i = 1; a[i - 1]; ++i) {
        uint32_t *swap = before;

        now[0] = (uint32_t)i;
        for (j = 1; j <= n; ++j) {
            now[j] = last[j - 1] + (a[i - 1] != b[j - 1]);
            if (last[j] + 1 < now[j])
                now[j] = last[j] + 1;
            if (now[j - 1] + 1 < now[j])
                now[j] = now[j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] &&
                a[i - 2] == b[j - 1] && before[j - 2] + 1 < now[j])
                now[j] = before[j - 2] + 1;
        }
        before = last;
        last = now;
        now = swap;
    }
    return last[n];
}

struct nearest nearest_to(const char *word)
{
    struct nearest nearest = {word, NULL, 0};

    nearest.distance = 1 + (uint32_t)strlen(word) / 3;
    return nearest;
}

void nearest_offer(struct nearest *nearest, const char *candidate)
{
    uint32_t far = distance(nearest->word, candidate);

    if (far > nearest->distance || (nearest->best && far == nearest->distance))
        return;
    nearest->distance = far;
    nearest->best = candidate;
}

/* ---- help -------------------------------------------------------------- */

void print_wrapped(FILE *to, const char *text, int indent, int at)
{
    while (*text) {
        int length = (int)strcspn(text, " \n");

        if (at > indent && at + 1 + length > WIDTH) {
            fprintf(to, "\n%*s", indent, "");
            at = indent;
        } else if (at > indent) {
            fputc(' ', to);
            ++at;
        }
        fprintf(to, "%.*s", length, text);
        at += length;
        text += length;
        if (*text == '\n') {
            fprintf(to, "\n%*s", text[1] == '\n' ? 0 : indent, "");
            at = indent;
        }
        text += *text != '\0';
    }
    fputc('\n', to);
}

static void help_row(FILE *to, const struct option *option)
{
    int at = 0;

    at += option->letter ? fprintf(to, "  -%c, ", option->letter)
                         : fprintf(to, "      ");
    at += fprintf(to, "--%s", option->name);
    if (option->value)
        at += fprintf(to, " %s", option->value);
    if (at + 1 > HELP_AT) {
        fputc('\n', to);
        at = 0;
    }
    fprintf(to, "%*s", HELP_AT - at, "");
    print_wrapped(to, option->help, HELP_AT, HELP_AT);
}

void options_help(FILE *to, const struct option *options)
{
    static const struct option help = {"help", NULL,        "Print this text.",
                                       0,      OPTION_FLAG, 'h',
                                       0};

    for (; options->name; ++options)
        help_row(to, options);
    help_row(to, &help);
}

/* ---- parsing ----------------------------------------------------------- */

struct parsing {
    const struct option *options;
    char **words;
    int left; /* words not yet read */
    char *values;
    struct operands *operands;
};

static const struct option *find_letter(const struct option *options,
                                        char letter)
{
    for (; options->name; ++options)
        if (options->letter && options->letter == letter)
            return options;
    return NULL;
}

/* The option that the LENGTH bytes at NAME are. */
static const struct option *find_name(const struct option *options,
                                      const char *name, size_t length)
{
    for (; options->name; ++options)
        if (strlen(options->name) == length &&
            !memcmp(options->name, name, length))
            return options;
    return NULL;
}

/* Adds WORD to the end of ITEMS. */
static int append(const char ***items, uint32_t *count, const char *word)
{
    const char **larger = realloc(*items, (*count + 1) * sizeof *larger);

    if (!larger)
        return talk_error(STATUS_FAILED, "memory is exhausted");
    *items = larger;
    larger[(*count)++] = word;
    return OPTIONS_PARSED;
}

static int store_count(const struct option *option, const char *text,
                       struct option_count *count)
{
    char *end = NULL;

    errno = 0;
    count->value = strtoll(text, &end, 10);
    count->given = 1;
    if (errno || end == text || *end || count->value < option->least)
        return talk_usage("--%s takes a whole number from %lld, not '%s'",
                          option->name, (long long)option->least, text);
    return OPTIONS_PARSED;
}

static int store_real(const struct option *option, const char *text,
                      double *value)
{
    char *end = NULL;

    *value = strtod(text, &end);
    if (end == text || *end || !isfinite(*value) || *value < 0)
        return talk_usage("--%s takes a number from 0, not '%s'", option->name,
                          text);
    return OPTIONS_PARSED;
}

static int store(struct parsing *p, const struct option *option,
                 const char *text)
{
    void *to = p->values + option->offset;
    struct option_list *list = to;

    switch (option->type) {
    case OPTION_FLAG:
        *(int32_t *)to = 1;
        return OPTIONS_PARSED;
    case OPTION_TEXT:
        *(const char **)to = text;
        return OPTIONS_PARSED;
    case OPTION_LIST:
        return append(&list->items, &list->count, text);
    case OPTION_COUNT:
        return store_count(option, text, to);
    default:
        return store_real(option, text, to);
    }
}

/* Stores OPTION, whose value is INSIDE the word read or the next word. */
static int take(struct parsing *p, const struct option *option,
                const char *inside)
{
    if (option->type == OPTION_FLAG && inside)
        return talk_usage("--%s takes no value", option->name);
    if (option->type == OPTION_FLAG || inside)
        return store(p, option, inside);
    if (p->left == 0)
        return talk_usage("--%s lacks its %s", option->name, option->value);
    --p->left;
    return store(p, option, *p->words++);
}

static int unknown(const struct option *options, const char *word)
{
    int length = (int)strcspn(word, "=");
    char name[LONGEST + 1] = "";
    struct nearest nearest = nearest_to(name);

    if ((size_t)length <= LONGEST)
        memcpy(name, word, (size_t)length);
    nearest = nearest_to(name);
    nearest_offer(&nearest, "help");
    for (; options->name; ++options)
        nearest_offer(&nearest, options->name);
    if (nearest.best)
        return talk_usage("unknown option '--%.*s'; did you mean '--%s'?",
                          length, word, nearest.best);
    return talk_usage("unknown option '--%.*s'", length, word);
}

static int parse_long(struct parsing *p, const char *word)
{
    const char *equals = strchr(word, '=');
    size_t length = equals ? (size_t)(equals - word) : strlen(word);
    const struct option *option = find_name(p->options, word, length);

    if (option)
        return take(p, option, equals ? equals + 1 : NULL);
    return strcmp(word, "help") ? unknown(p->options, word) : OPTIONS_HELP;
}

/* Letters of one word; what follows that of an option with a value is it. */
static int parse_short(struct parsing *p, const char *letters)
{
    int status = OPTIONS_PARSED;

    for (; *letters && status == OPTIONS_PARSED; ++letters) {
        const struct option *option = find_letter(p->options, *letters);

        if (*letters == 'h')
            return OPTIONS_HELP;
        if (!option)
            return talk_usage("unknown option '-%c'", *letters);
        if (option->type != OPTION_FLAG)
            return take(p, option, letters[1] ? letters + 1 : NULL);
        status = take(p, option, NULL);
    }
    return status;
}

int options_parse(const struct option *options, int argc, char **argv,
                  void *values, struct operands *operands)
{
    struct parsing p = {options, argv, argc, values, operands};
    int status = OPTIONS_PARSED;
    int only_operands = 0;

    while (p.left && status == OPTIONS_PARSED) {
        const char *word = *p.words++;

        --p.left;
        if (only_operands || word[0] != '-' || !word[1])
            status = append(&operands->items, &operands->count, word);
        else if (!strcmp(word, "--"))
            only_operands = 1;
        else if (word[1] == '-')
            status = parse_long(&p, word + 2);
        else
            status = parse_short(&p, word + 1);
    }
    return status;
}

void options_finish(const struct option *options, void *values,
                    struct operands *operands)
{
    for (; options->name; ++options) {
        struct option_list *list = (void *)((char *)values + options->offset);

        if (options->type == OPTION_LIST)
            free(list->items);
    }
    free(operands->items);
}
