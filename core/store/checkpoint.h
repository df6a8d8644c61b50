/* SPDX-License-Identifier: MIT */
/* checkpoint.h - values and tensors in one file, whole or not at all.
 *
 * The file describes itself and knows nothing of networks: values (texts,
 * integers, reals) by dotted key, tensors by group and name.  It is written
 * beside its place, synced and renamed; it is read with every length bounded
 * by the bytes that are left and every checksum verified, so that a file that
 * is cut, damaged or hostile is an error and nothing else.  Reals and tensors
 * come back to the bit. */
#ifndef NN_CORE_STORE_CHECKPOINT_H
#define NN_CORE_STORE_CHECKPOINT_H

#include <nervenet.h>

typedef struct nn_checkpoint_writer nn_checkpoint_writer;

/* An empty writer.  [any] */
int32_t nn_checkpoint_writer_create(nn_checkpoint_writer **out);
void nn_checkpoint_writer_destroy(nn_checkpoint_writer *writer);

/* Adds a value; KEY is new and is copied, as TEXT is.  [any] */
int32_t nn_checkpoint_put_text(nn_checkpoint_writer *writer, const char *key,
                               const char *text);
int32_t nn_checkpoint_put_int(nn_checkpoint_writer *writer, const char *key,
                              int64_t value);
int32_t nn_checkpoint_put_real(nn_checkpoint_writer *writer, const char *key,
                               double value);

/* Adds a tensor; names are copied, the dense data live until the write.
 * [any] */
int32_t nn_checkpoint_put_tensor(nn_checkpoint_writer *writer,
                                 const nn_tensor *tensor);

/* Writes everything to PATH, atomically.  On failure what was at PATH is still
 * there, nothing is left beside it, and the message names PATH and the reason.
 * [any] */
int32_t nn_checkpoint_write(nn_checkpoint_writer *writer, const char *path);

/* nn_checkpoint_open and nn_checkpoint_close are public.  Values by key: NULL,
 * or NN_NOT_FOUND without a message, if there is none such.  [any] */
const char *nn_checkpoint_get_text(const nn_checkpoint *checkpoint,
                                   const char *key);
int32_t nn_checkpoint_get_int(const nn_checkpoint *checkpoint, const char *key,
                              int64_t *value);
int32_t nn_checkpoint_get_real(const nn_checkpoint *checkpoint,
                               const char *key, double *value);

/* The key of value INDEX, in the order written; NULL past the end.  [any] */
const char *nn_checkpoint_key(const nn_checkpoint *checkpoint, uint32_t index);

/* The tensor NAME of GROUP.  Returns 0 if there is none.  [any] */
int32_t nn_checkpoint_find(const nn_checkpoint *checkpoint, const char *group,
                           const char *name, nn_tensor *out);

#endif
