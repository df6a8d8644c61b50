/* SPDX-License-Identifier: MIT */
/* idx_stream.h - the bytes of a file, unpacked if it is one of gzip's.
 *
 * Read from front to end in a few kilobytes of memory.  What gzip promises is
 * held against it: checksum and length of each member, and nothing but further
 * members behind the first.  A plain file is passed through. */
#ifndef ITERATORS_IDX_STREAM_H
#define ITERATORS_IDX_STREAM_H

#include <stddef.h>
#include <stdint.h>

#include <nn/host.h>

typedef struct idx_stream idx_stream;

/* Starts at the front of the open FILE, which stays the caller's, as PATH
 * does. */
int32_t idx_stream_create(const nn_host *host, const char *path, int file,
                          idx_stream **stream);

/* Releases STREAM; NULL is fine. */
void idx_stream_destroy(idx_stream *stream);

/* Reads LENGTH bytes; writes how many there were, fewer only at the end.  A
 * gzip file that is broken or ends early is an error. */
int32_t idx_stream_read(idx_stream *stream, void *bytes, size_t length,
                        size_t *got);

/* Reads and forgets COUNT bytes; writes how many there were. */
int32_t idx_stream_skip(idx_stream *stream, int64_t count, int64_t *got);

#endif
