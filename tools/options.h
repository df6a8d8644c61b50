/* SPDX-License-Identifier: MIT */
/* options.h - the options of a command, as a table.
 *
 * Parsing and the text of --help come from the same rows, so neither can know
 * an option that the other does not.  Options and operands may be mixed; `--`
 * ends the options; a value follows as the next word or behind '='. */
#ifndef NN_TOOLS_OPTIONS_H
#define NN_TOOLS_OPTIONS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* What an option stores. */
#define OPTION_FLAG 0u  /* int32_t, 1 */
#define OPTION_TEXT 1u  /* const char *, of argv */
#define OPTION_LIST 2u  /* struct option_list; may be repeated */
#define OPTION_COUNT 3u /* struct option_count, a whole number */
#define OPTION_REAL 4u  /* double, >= 0 */

struct option_list {
    const char **items; /* texts of argv */
    uint32_t count;
};

struct option_count {
    int64_t value;
    int32_t given;
};

/* One option; a row without a name ends the table. */
struct option {
    const char *name;
    const char *value; /* what stands for the value in the help; NULL: none */
    const char *help;
    size_t offset; /* of what it stores, in the command's values */
    uint32_t type; /* OPTION_... */
    char letter;   /* short form, or 0 */
    int64_t least; /* COUNT: smallest number allowed */
};

/* The words of the command line that are no options. */
struct operands {
    const char **items;
    uint32_t count;
};

#define OPTIONS_PARSED (-1) /* go on */
#define OPTIONS_HELP (-2)   /* --help was given */

/* Reads ARGC words into VALUES (zeroed) and OPERANDS.  Returns OPTIONS_PARSED,
 * OPTIONS_HELP, or an exit status after saying on stderr what is wrong. */
int options_parse(const struct option *options, int argc, char **argv,
                  void *values, struct operands *operands);

/* Frees what parsing allocated. */
void options_finish(const struct option *options, void *values,
                    struct operands *operands);

/* Prints one line or more an option. */
void options_help(FILE *to, const struct option *options);

/* Prints TEXT, broken at blanks; lines begin at column INDENT, the first one
 * where the output stands, which is column AT. */
void print_wrapped(FILE *to, const char *text, int indent, int at);

/* Looks for the name that WORD may have meant: offer all candidates, then ask.
 * `best` is NULL if none is near. */
struct nearest {
    const char *word;
    const char *best;
    uint32_t distance;
};
struct nearest nearest_to(const char *word);
void nearest_offer(struct nearest *nearest, const char *candidate);

#endif
