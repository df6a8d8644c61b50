/* SPDX-License-Identifier: MIT */
/* build.h - checkpoints made by hand, byte by byte: what the writer would
 * never write. */
#ifndef BUILD_H
#define BUILD_H

#include <stdlib.h>
#include <string.h>

#include "core/store/format.h"
#include "core/store/read.h"
#include "core/util/checked.h"
#include "core/util/error.h"
#include "core/util/pack.h"

#define UNUSED __attribute__((unused))

/* Memory of exactly SIZE bytes that nn_checkpoint_adopt takes. */
UNUSED static uint8_t *aligned(size_t size)
{
    void *bytes = NULL;

    if (posix_memalign(&bytes, NN_CHECKPOINT_ALIGNMENT, size ? size : 1) != 0)
        abort();
    return bytes;
}

/* Makes the checksums and lengths of the SIZE bytes at FILE right, for a
 * header of HEADER bytes. */
UNUSED static void seal(uint8_t *file, size_t size, size_t header)
{
    uint8_t *end = file + size - NN_CHECKPOINT_FOOTER;

    memcpy(file, NN_CHECKPOINT_MAGIC, 8);
    nn_little_put(file + 8, NN_CHECKPOINT_VERSION, 4);
    nn_little_put(file + 12,
                  nn_crc32(0, file + NN_CHECKPOINT_PRELUDE, (int64_t)header),
                  4);
    nn_little_put(file + 16, size, 8);
    nn_little_put(file + 24, header, 8);
    nn_little_put(file + 32, nn_crc32(0, file, 32), 4);
    memcpy(end, NN_CHECKPOINT_MARK, 8);
    nn_little_put(end + 8, nn_crc32(0, file, end + 8 - file), 4);
}

/* A file with that header and DATA zeros as data; *SIZE are its bytes. */
UNUSED static uint8_t *build(const void *header, size_t length, size_t data,
                             size_t *size)
{
    size_t start = NN_CHECKPOINT_PRELUDE + length;
    uint8_t *file;

    start = (size_t)nn_align_up((int64_t)start, NN_CHECKPOINT_ALIGNMENT);
    *size = start + data + NN_CHECKPOINT_FOOTER;
    file = aligned(*size);
    memset(file, 0, *size);
    if (length)
        memcpy(file + NN_CHECKPOINT_PRELUDE, header, length);
    seal(file, *size, length);
    return file;
}

/* An entry of the table of tensors: shape and type make what BYTES should be.
 */
typedef struct entry {
    const char *group;
    const char *name;
    const char *dtype;
    int64_t shape[9];
    uint32_t ndim;
    int64_t offset;
    int64_t bytes;
} entry;

/* Appends a table entry whose data are zeros. */
UNUSED static void pack_entry(nn_text *out, const entry *tensor)
{
    static const uint8_t zeros[4096];
    int64_t bytes = tensor->bytes;
    uint32_t i;

    nn_pack_map(out, 7);
    nn_pack_text(out, "group");
    nn_pack_text(out, tensor->group);
    nn_pack_text(out, "name");
    nn_pack_text(out, tensor->name);
    nn_pack_text(out, "dtype");
    nn_pack_text(out, tensor->dtype);
    nn_pack_text(out, "shape");
    nn_pack_array(out, tensor->ndim);
    for (i = 0; i < tensor->ndim; ++i)
        nn_pack_int(out, tensor->shape[i]);
    nn_pack_text(out, "offset");
    nn_pack_int(out, tensor->offset);
    nn_pack_text(out, "bytes");
    nn_pack_int(out, bytes);
    nn_pack_text(out, "crc32");
    nn_pack_uint(out,
                 nn_crc32(0, zeros, bytes >= 0 && bytes <= 4096 ? bytes : 0));
}

/* A file with the values of an empty map and those N tensors in DATA zeros. */
UNUSED static uint8_t *build_tensors(const entry *tensors, uint32_t n,
                                     size_t data, size_t *size)
{
    nn_text header = {0};
    uint8_t *file;
    uint32_t i;

    nn_pack_map(&header, 2);
    nn_pack_text(&header, "values");
    nn_pack_map(&header, 0);
    nn_pack_text(&header, "tensors");
    nn_pack_array(&header, n);
    for (i = 0; i < n; ++i)
        pack_entry(&header, &tensors[i]);
    file = build(header.data, header.length, data, size);
    nn_text_finish(&header);
    return file;
}

#endif
