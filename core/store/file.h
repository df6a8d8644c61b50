/* SPDX-License-Identifier: MIT */
/* file.h - a file that is there whole or not at all. */
#ifndef NN_CORE_STORE_FILE_H
#define NN_CORE_STORE_FILE_H

#include <nn/base.h>

/* A file being written beside the place that it will have. */
typedef struct nn_output nn_output;

/* Opens PATH.tmp-<process>-<counter>, a new file in the folder of PATH.
 * [any] */
int32_t nn_output_create(const char *path, nn_output **out);

/* Appends COUNT bytes.  Failure is sticky and told by nn_output_finish.
 * [any] */
void nn_output_put(nn_output *output, const void *bytes, size_t count);

/* The crc32 of everything put so far.  [any] */
uint32_t nn_output_crc(const nn_output *output);

/* Ends OUTPUT, which is NULL if it was not made.  If CODE is NN_OK and nothing
 * failed, the file is synced and takes its place; else it is removed.  Returns
 * CODE or the failure, whose message names the path.  Only if the folder
 * cannot be synced has the place its new file in spite of an error.  [any] */
int32_t nn_output_finish(nn_output *output, int32_t code);

/* All COUNT bytes to FILE, as many calls as it takes.  Returns 0, or errno.
 * [any] */
int nn_file_write(int file, const void *bytes, size_t count);

/* NN_IO with the message `cannot ACTION "PATH": REASON`, where the reason is
 * that of ERROR, an errno.  [any] */
int32_t nn_file_refuse(const char *action, const char *path, int error);

#endif
