/* SPDX-License-Identifier: MIT */
/* options.h - the command line. */
#ifndef NN_CONFORMANCE_OPTIONS_H
#define NN_CONFORMANCE_OPTIONS_H

#include "conformance/check.h"

/* Patterns of one option, in order. */
typedef struct patterns {
    const char **items;
    uint32_t count;
} patterns;

/* What is printed. */
enum format { FORMAT_HUMAN, FORMAT_JSON, FORMAT_TAP, FORMAT_JUNIT };

/* What is done. */
enum action {
    ACTION_RUN,
    ACTION_LIST,     /* what would be run */
    ACTION_LIST_ALL, /* all checks there are */
    ACTION_EXPLAIN,
    ACTION_HELP,
    ACTION_VERSION
};

typedef struct options {
    enum action action;
    enum format format;
    patterns files;      /* as given */
    patterns components; /* --component */
    patterns include;
    patterns exclude;
    enum level level;
    uint64_t seed;
    const char *handler; /* NULL: the usual */
    const char *known;   /* file of known failures, or NULL */
    const char *explain; /* id */
    uint32_t jobs;
    uint32_t seconds; /* that a check may take at most; 0: its own limit */
    int in_process;
    int verbose;
    char *reproduce;           /* id, or NULL */
    char *reproduce_component; /* before its '/', or NULL */
    uint64_t reproduce_seed;
} options;

/* Reads ARGV into OPTIONS; 0, or 2 after saying what is wrong. */
int options_read(options *options, int argc, char **argv);
void options_finish(options *options);

/* 1 if TEXT matches one of PATTERNS. */
int patterns_match(const patterns *patterns, const char *text);

void options_help(void);

#endif
