/* SPDX-License-Identifier: MIT */
/* plan.h - which checks run on what, in which order.
 *
 * Files in the order of the command line; of each the checks of the file, then
 * component by component its checks in the order of the catalogue. */
#ifndef NN_CONFORMANCE_PLAN_H
#define NN_CONFORMANCE_PLAN_H

#include "conformance/options.h"
#include "conformance/result.h"

/* A file of the command line. */
typedef struct plan_file {
    const char *given;   /* as on the command line */
    char *path;          /* absolute; NULL if there is no such file */
    char *refused;       /* why the library does not load it, or NULL */
    nn_plugins *plugins; /* NULL if refused */
    char *handler;       /* of its checks */
    uint32_t components; /* that were chosen */
    uint32_t items;      /* of the plan */
} plan_file;

/* One check on one component. */
typedef struct plan_item {
    const plan_file *file;
    const check *check;
    char *component;     /* "layer:square", or "" for the file itself */
    const char *handler; /* "cpu"; of a handler its own name */
    uint64_t seed;       /* of this check */
    uint32_t seconds;    /* that it may take */
    const char *skip;    /* why it is not run, or NULL; of the plugins */
    result result;       /* once it is settled */
    int settled;
} plan_item;

typedef struct plan {
    const options *options;
    plan_file *files;
    uint32_t n_files;
    plan_item *items;
    uint32_t n_items;
} plan;

/* Makes PLAN of OPTIONS, which outlive it.  Files that cannot be loaded are in
 * it, with the reason. */
void plan_create(plan *plan, const options *options);
void plan_destroy(plan *plan);

/* The command that runs ITEM alone again, quoted for a shell; the caller
 * frees. */
char *plan_command(const plan *plan, const plan_item *item);

/* How the program is called: "nn-conformance", or its path. */
void plan_set_program(const char *name);

#endif
