/* SPDX-License-Identifier: MIT */
/* writer.h - predictions as a file: npy, csv or JSON lines.
 *
 * Samples come first, and time steps, if there is more than one, second:
 * (samples, time, features...), whatever the order in the network.  Numbers
 * are written so that they read back exactly. */
#ifndef NN_TOOLS_WRITER_H
#define NN_TOOLS_WRITER_H

#include <nervenet.h>

#define WRITER_CSV 0u
#define WRITER_JSONL 1u
#define WRITER_NPY 2u

struct writer;

/* Settles the format: NAME ("npy", "csv", "jsonl") if not NULL, else by the
 * end of PATH, else csv.  Returns an exit status. */
int writer_choose(const char *name, const char *path, uint32_t *format);

/* Writes to PATH, which appears only when all is written, or with NULL to
 * stdout (not npy, whose head comes last). */
int writer_open(const char *path, uint32_t format, struct writer **out);

/* Adds the samples of PART, (T, B, features...). */
int writer_add(struct writer *writer, const nn_host_array *part);

/* Completes the file, unless STATUS tells that something failed.  Frees
 * WRITER (NULL is fine) and returns STATUS or what failed now. */
int writer_close(struct writer *writer, int status);

#endif
