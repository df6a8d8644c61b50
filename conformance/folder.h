/* SPDX-License-Identifier: MIT */
/* folder.h - folders that come and go. */
#ifndef NN_CONFORMANCE_FOLDER_H
#define NN_CONFORMANCE_FOLDER_H

/* A new empty folder below $TMPDIR or /tmp; the caller frees the path. */
char *folder_create(void);

/* Removes PATH and all that is in it. */
void folder_remove(const char *path);

/* Makes PATH and what is above it; 0 if it is there afterwards. */
int folder_make(const char *path);

/* The file at PATH as text, at most 64 KiB of it; "" if it cannot be read.  The
 * caller frees. */
char *folder_read(const char *path);

#endif
