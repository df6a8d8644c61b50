/* SPDX-License-Identifier: MIT */
/* new_files.h - what `nn new` writes beside the source: a config that uses the
 * new component, its data, and a page that says what to do. */
#ifndef NN_TOOLS_NEW_FILES_H
#define NN_TOOLS_NEW_FILES_H

/* A kind that `nn new` knows. */
struct new_kind {
    const char *name;     /* "layer" */
    const char *word;     /* what the template's component is called */
    const char *config;   /* config.yaml, "@NAME@" being the component's name */
    int needs_data;       /* 1: the config reads data.csv */
};

extern const struct new_kind new_kinds[]; /* name NULL ends */

/* README.md, with "@NAME@" and "@KIND@". */
extern const char new_readme[];

/* Line LINE of data.csv, from 0, into TEXT; 0 past the end. */
int new_data_line(int line, char *text, unsigned size);

#endif
