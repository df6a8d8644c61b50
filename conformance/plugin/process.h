/* SPDX-License-Identifier: MIT */
/* process.h - what this process holds. */
#ifndef NN_CONFORMANCE_PLUGIN_PROCESS_H
#define NN_CONFORMANCE_PLUGIN_PROCESS_H

#include "conformance/check.h"

typedef struct process {
    int64_t threads;
    int64_t descriptors;
} process;

/* Counts threads and open descriptors. */
process process_look(void);

/* Fails under WHERE if there are more than BEFORE. */
void process_judge(trial *t, const char *where, process before);

#endif
