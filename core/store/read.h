/* SPDX-License-Identifier: MIT */
/* read.h - how a checkpoint comes from bytes; internal to the store. */
#ifndef NN_CORE_STORE_READ_H
#define NN_CORE_STORE_READ_H

#include "core/store/contents.h"

struct nn_checkpoint {
    nn_contents contents; /* tensors point into `bytes` */
    char *path;
    uint8_t *bytes; /* the whole file, aligned for tensors */
};

/* Where things are in a file of SIZE bytes. */
typedef struct nn_extent {
    int64_t size;
    int64_t header; /* bytes of the header */
    uint32_t header_crc;
    int64_t data; /* where the tensors start */
    int64_t end;  /* where the end mark stands */
} nn_extent;

/* Checks the first COUNT bytes of a file of SIZE bytes: all of it, or at least
 * NN_CHECKPOINT_PRELUDE.  Messages do not name the file.  [any] */
int32_t nn_checkpoint_extent(const uint8_t *bytes, int64_t count, int64_t size,
                             nn_extent *out);

/* Reads the header of the file at BYTES into CONTENTS: tensors with places
 * within the data, in order, sorted names.  Checksums of tensors are not
 * verified yet.  [any] */
int32_t nn_checkpoint_header(const uint8_t *bytes, const nn_extent *extent,
                             nn_contents *contents);

/* The checkpoint in the SIZE bytes at BYTES, aligned for tensors, which belong
 * to it (or are freed) from now on.  Messages call it PATH.  [any] */
int32_t nn_checkpoint_adopt(uint8_t *bytes, int64_t size, const char *path,
                            nn_checkpoint **out);

#endif
