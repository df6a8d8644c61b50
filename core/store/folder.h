/* SPDX-License-Identifier: MIT */
/* folder.h - the folder of a run, and the logs in it. */
#ifndef NN_CORE_STORE_FOLDER_H
#define NN_CORE_STORE_FOLDER_H

#include <nn/base.h>

/* Makes the folder PATH with all folders above it, unless it is there, and
 * writes and removes a file in it, so that a folder which cannot be used is an
 * error before there is anything to lose.  [any] */
int32_t nn_file_make_folder(const char *path);

/* Appends COUNT bytes to the file PATH, which is made if missing.  If not all
 * can be written, none are.  [any] */
int32_t nn_file_append(const char *path, const void *bytes, size_t count);

/* Cuts the file PATH to LENGTH bytes.  NN_END if it has fewer, as after a
 * crash of the machine, or is missing; it is left as it is then.  [any] */
int32_t nn_file_truncate(const char *path, int64_t length);

#endif
