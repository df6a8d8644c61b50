/* SPDX-License-Identifier: MIT */
/* npy_input.h - the bytes of a .npy file, by itself or in a .npz archive.
 *
 * "data.npz:images" is the member "images.npy" (or "images") of the archive
 * data.npz; without a colon the member is called like the field.  Both kinds
 * are read from front to end and can be rewound.  The archive's checksums are
 * checked when a member is read to its end. */
#ifndef ITERATORS_NPY_INPUT_H
#define ITERATORS_NPY_INPUT_H

#include <stddef.h>
#include <stdint.h>

#include <nn/host.h>

typedef struct npy_input npy_input;

/* Opens PATH for field NAME.  PATH lives as long as the input. */
int32_t npy_input_create(const nn_host *host, const char *path,
                         const char *name, npy_input **input);

/* Releases INPUT; NULL is fine. */
void npy_input_destroy(npy_input *input);

/* Reads LENGTH bytes; writes how many there were, fewer only at the end. */
int32_t npy_input_read(npy_input *input, void *bytes, size_t length,
                       size_t *got);

/* Reads and forgets COUNT bytes; writes how many there were. */
int32_t npy_input_skip(npy_input *input, int64_t count, int64_t *got);

/* Goes back to the front. */
int32_t npy_input_rewind(npy_input *input);

/* Hands over the open file of a plain input, which then only can be
 * destroyed; -1 for a member of an archive. */
int npy_input_release_file(npy_input *input);

#endif
