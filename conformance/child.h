/* SPDX-License-Identifier: MIT */
/* child.h - a process that runs one check.
 *
 * The program executes itself with `--run ID COMPONENT HANDLER LEVEL SEED
 * SECONDS FOLDER FILE`: COMPONENT is `kind:name`, or empty for a check of the
 * file. */
#ifndef NN_CONFORMANCE_CHILD_H
#define NN_CONFORMANCE_CHILD_H

#include "conformance/check.h"

#define CHILD_CHANNEL 3 /* descriptor of the channel */
#define CHILD_PAGE 4 /* of memory that the parent sees: CHILD_ENTERED bytes */
#define CHILD_ENTERED 48

/* What is to be run. */
typedef struct task {
    const check *check;
    const char *component; /* `kind:name`, or "" */
    const char *handler;   /* or "": the component itself */
    enum level level;      /* of the run */
    uint64_t seed;         /* of the check */
    uint32_t seconds;      /* that it may take */
    const char *folder;    /* empty, absolute */
    const char *file;      /* that is checked, absolute */
} task;

/* The process with `--run`; returns its exit status. */
int child_main(int argc, char **argv);

/* Runs TASK in this process and sends what it says through the channel. */
void child_perform(const task *task);

#endif
