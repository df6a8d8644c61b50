/* SPDX-License-Identifier: MIT */
/* appended.h - files of a run's folder that hooks write piece by piece.
 *
 * The length of each file is part of a checkpoint.  When training goes on, a
 * file that is longer is cut to what the checkpoint knew, one that is shorter
 * is continued, and one that the checkpoint does not know starts anew; so a
 * line that was written after the checkpoint does not stand there twice. */
#ifndef NN_CORE_TRAINING_APPENDED_H
#define NN_CORE_TRAINING_APPENDED_H

#include "core/store/checkpoint.h"

typedef struct nn_appended_file {
    char *name; /* in the folder; owned */
    char *path; /* once it is in use; owned */
    int64_t length;
    int64_t kept; /* when frozen: of the checkpoint */
} nn_appended_file;

/* Start with zeros. */
typedef struct nn_appended {
    char *folder; /* owned; NULL: the run has none */
    nn_appended_file *items;
    uint32_t count;
    uint32_t room;
    int32_t frozen;
} nn_appended;

void nn_appended_finish(nn_appended *files);

/* Appends COUNT bytes to the file NAME.  NN_STATE without a folder,
 * NN_INVALID_ARGUMENT for a name that leads out of it.  [compute] */
int32_t nn_appended_write(nn_appended *files, const char *name,
                          const void *bytes, size_t count);

/* The path of NAME in the folder as a new text of the caller's; NULL with a
 * message as above.  [compute] */
char *nn_appended_path(const nn_appended *files, const char *name);

/* At the end of training, and when it goes on: cuts all files to what a
 * checkpoint of the end holds.  [compute] */
void nn_appended_freeze(nn_appended *files);
int32_t nn_appended_thaw(nn_appended *files);

/* Lengths, to and from values "file/NAME"; restore fills an empty list and
 * touches no file before nn_appended_thaw.  [compute] */
int32_t nn_appended_store(const nn_appended *files,
                          nn_checkpoint_writer *writer);
int32_t nn_appended_restore(nn_appended *files,
                            const nn_checkpoint *checkpoint);

#endif
