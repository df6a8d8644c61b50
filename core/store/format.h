/* SPDX-License-Identifier: MIT */
/* format.h - the bytes of a checkpoint.
 *
 *   0   magic, 8 bytes
 *   8   format version
 *   12  crc32 of the header
 *   16  bytes of the file
 *   24  bytes of the header
 *   32  crc32 of bytes 0 to 31
 *   36  header: a msgpack map
 *         values   map: key -> text, integer or real
 *         tensors  array of maps: group, name, dtype, shape, offset, bytes,
 *                  crc32
 *   D   data, where D is the first multiple of 64 after the header.  A
 *       tensor's offset counts from D and is a multiple of 64 too; tensors
 *       stand in the order of the table and do not overlap
 *   E   end mark, 8 bytes, then the crc32 of all that stands before it; the
 *       file ends here
 *
 * Numbers outside of the header are little-endian, 4 or 8 bytes, and so are the
 * elements of tensors.  crc32 is zlib's.  Every byte is covered by at least one
 * checksum, and the length is stated, so whatever changes one byte, cuts the
 * file or adds to it is found.
 *
 * Keys of the header and of a tensor that a reader does not know, values of
 * other types, and bytes between the tensors are passed over: so optional
 * sections can be added.  What must not be passed over raises the version. */
#ifndef NN_CORE_STORE_FORMAT_H
#define NN_CORE_STORE_FORMAT_H

#include <stdint.h>
#include <string.h>

#include <zlib.h>

#define NN_CHECKPOINT_MAGIC "\211NNnet\r\n"
#define NN_CHECKPOINT_MARK "\nNNend\r\n"
#define NN_CHECKPOINT_VERSION 1u
#define NN_CHECKPOINT_PRELUDE 36   /* bytes before the header */
#define NN_CHECKPOINT_FOOTER 12    /* bytes of end mark and checksum */
#define NN_CHECKPOINT_ALIGNMENT 64 /* of tensors, in the file and in memory */

/* Largest header, 64 MiB, and arrays and maps within each other in it. */
#define NN_CHECKPOINT_HEADER ((int64_t)1 << 26)
#define NN_CHECKPOINT_DEPTH 16

/* The low WIDTH bytes of VALUE, the lowest first, and back.  [any] */
static inline void nn_little_put(uint8_t *bytes, uint64_t value, int width)
{
    int i;

    for (i = 0; i < width; ++i)
        bytes[i] = (uint8_t)(value >> (8 * i));
}

static inline uint64_t nn_little_get(const uint8_t *bytes, int width)
{
    uint64_t value = 0;
    int i;

    for (i = width; i > 0; --i)
        value = value << 8 | bytes[i - 1];
    return value;
}

/* The checksum of what CRC is that of (0: of nothing) and COUNT bytes more.
 * [any] */
static inline uint32_t nn_crc32(uint32_t crc, const void *bytes, int64_t count)
{
    return count ? (uint32_t)crc32_z(crc, bytes, (z_size_t)count) : crc;
}

/* Whether elements must be turned around on their way to and from a file. */
static inline int nn_big_endian(void)
{
    return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
}

/* Turns around COUNT elements of WIDTH bytes each.  [any] */
static inline void nn_swap_bytes(uint8_t *bytes, int64_t count, int64_t width)
{
    int64_t i;
    int64_t j;

    for (i = 0; i < count; ++i, bytes += width) {
        for (j = 0; j < width / 2; ++j) {
            uint8_t byte = bytes[j];

            bytes[j] = bytes[width - 1 - j];
            bytes[width - 1 - j] = byte;
        }
    }
}

#endif
