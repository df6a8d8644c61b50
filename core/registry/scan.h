/* SPDX-License-Identifier: MIT */
/* scan.h - what is in a plugin, found out by another process.
 *
 * Opening a shared object runs its constructors, which may crash, hang or end
 * the process.  So the program nn-scan is run anew for each file and hands its
 * description back through a pipe. */
#ifndef NN_CORE_REGISTRY_SCAN_H
#define NN_CORE_REGISTRY_SCAN_H

#include <nn/base.h>

#include "core/util/text.h"

/* How long nn-scan may take for one file. */
#define NN_SCAN_SECONDS 10

/* The descriptor on which nn-scan answers, and what it writes there: letters
 * for how far it is, then after NN_SCAN_RESULT the array [code, reason,
 * description] of pack.h, then NN_SCAN_END. */
#define NN_SCAN_FILE 3
#define NN_SCAN_OPENS 'o'
#define NN_SCAN_READS 'r'
#define NN_SCAN_RESULT '='
#define NN_SCAN_END "NNSCANOK"

/* One file to look into. */
typedef struct nn_scan_job {
    const char *path;    /* absolute; checked (elf.h, owner.h) */
    int32_t code;        /* NN_OK: `description` is filled, else `reason` */
    int32_t passing;     /* 1 if the reason lies not in the file: nn-scan could
                         not be run */
    nn_text description; /* bytes for nn_description_unpack */
    nn_text reason;
} nn_scan_job;

/* Runs PROGRAM, the path of nn-scan, once for each of COUNT jobs, several at a
 * time, each at most SECONDS long, and waits for all.  The jobs' texts start
 * empty and are the caller's to finish.  [any] */
void nn_scan_run(const char *program, nn_scan_job *jobs, uint32_t count,
                 uint32_t seconds);

#endif
