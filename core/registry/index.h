/* SPDX-License-Identifier: MIT */
/* index.h - what earlier scans found, kept in a file of the user's.
 *
 * An answer holds as long as the file has the same path, device, inode, size,
 * mtime and ctime, and nn-scan is the same program; a failure only a minute,
 * because its cause may lie elsewhere (a library that was missing).  A file
 * that is broken, foreign or not writable is as good as none. */
#ifndef NN_CORE_REGISTRY_INDEX_H
#define NN_CORE_REGISTRY_INDEX_H

#include <sys/stat.h>

#include <nn/base.h>

#include "core/util/text.h"

/* Seconds that a failure is believed. */
#define NN_INDEX_FAILURE_SECONDS 60

typedef struct nn_index nn_index;

/* One answer. */
typedef struct nn_index_answer {
    int32_t code;      /* NN_OK: `bytes` is a description, else a reason */
    const char *bytes; /* lives as long as the index */
    size_t length;
} nn_index_answer;

/* Reads the index at PATH (NULL: nowhere, an index that only lives now), for
 * answers of the nn-scan at SCANNER.  NOW is the time of day in ns since 1970.
 * Returns 0 or NN_NO_MEMORY.  [setup] */
int32_t nn_index_open(const char *path, const char *scanner, int64_t now,
                      nn_index **index);

/* 1 and *ANSWER if the file at PATH with this STATUS is known; else 0.
 * [setup] */
int32_t nn_index_find(nn_index *index, const char *path,
                      const struct stat *status, nn_index_answer *answer);

/* Adds an answer (its bytes are copied) in place of what there was for PATH.
 * What cannot be added is forgotten.  [setup] */
void nn_index_add(nn_index *index, const char *path, const struct stat *status,
                  const nn_index_answer *answer);

/* Writes the file if something was added, and frees the index.  NULL is fine.
 * Failure to write is no error: the next scan takes longer.  [setup] */
void nn_index_close(nn_index *index);

#endif
