/* SPDX-License-Identifier: MIT */
/* read.c - a checkpoint from a file; format.h has the format.
 *
 * The file is read, not mapped: a file that is cut while it is mapped kills
 * the process.  Its first bytes are judged before memory is asked for, which
 * is the file's size once.  Then what is cheap comes first: lengths, header,
 * checksums of the tensors, checksum of the whole. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/store/file.h"
#include "core/store/format.h"
#include "core/store/read.h"
#include "core/util/checked.h"
#include "core/util/error.h"

/* ---- first bytes -------------------------------------------------------- */

/* 1 if the 8 bytes at BYTES are the magic with groups of WIDTH turned
 * around. */
static int is_swapped(const uint8_t *bytes, int64_t width)
{
    uint8_t turned[8];

    memcpy(turned, bytes, sizeof turned);
    nn_swap_bytes(turned, 8 / width, width);
    return memcmp(turned, NN_CHECKPOINT_MAGIC, sizeof turned) == 0;
}

/* How many of the first COUNT bytes, at most 8, are those of the magic. */
static int64_t count_magic(const uint8_t *bytes, int64_t count)
{
    int64_t same = 0;
    int64_t i;

    for (i = 0; i < 8 && i < count; ++i)
        same += bytes[i] == (uint8_t)NN_CHECKPOINT_MAGIC[i];
    return same;
}

/* 1 if the first COUNT bytes, at most 64, are those of a text. */
static int is_text(const uint8_t *bytes, int64_t count)
{
    int64_t i;

    for (i = 0; i < count && i < 64; ++i) {
        if (bytes[i] == 0x7f ||
            (bytes[i] < 0x20 && (bytes[i] < '\t' || bytes[i] > '\r')))
            return 0;
    }
    return 1;
}

/* Checks the magic in the first COUNT bytes. */
static int32_t check_magic(const uint8_t *bytes, int64_t count)
{
    int64_t same = count_magic(bytes, count);
    const char *problem = "it is no checkpoint";

    if (same == 8)
        return NN_OK;
    if (count == 0)
        problem = "it is empty";
    else if (same == count)
        problem = "it is cut off within its first bytes";
    else if (count >= 8 && (is_swapped(bytes, 2) || is_swapped(bytes, 4) ||
                            is_swapped(bytes, 8)))
        problem = "its bytes are swapped";
    else if (same >= 6)
        problem = "its first bytes are damaged";
    else if (is_text(bytes, count))
        problem = "it is a text, no checkpoint";
    return nn_error_set(NN_FORMAT, "checkpoint.magic", "%s", problem);
}

/* Checks the format version, which later versions have in the same place. */
static int32_t check_version(const uint8_t *bytes)
{
    uint32_t version = (uint32_t)nn_little_get(bytes + 8, 4);

    if (version == NN_CHECKPOINT_VERSION)
        return NN_OK;
    if (version == 0)
        return nn_error_set(NN_FORMAT, "checkpoint.version",
                            "it says format version 0, which does not exist");
    return nn_error_set(NN_UNSUPPORTED, "checkpoint.version",
                        "it has format version %" PRIu32
                        ", and this Nervenet reads version %u only: it was "
                        "written by a newer one",
                        version, NN_CHECKPOINT_VERSION);
}

static int32_t damaged(const char *what)
{
    return nn_error_set(NN_FORMAT, "checkpoint.checksum",
                        "it is damaged: the checksum of %s is wrong", what);
}

/* Checks that the file has the bytes that it says, and finds its parts. */
static int32_t check_lengths(const uint8_t *bytes, int64_t size, nn_extent *out)
{
    uint64_t total = nn_little_get(bytes + 16, 8);
    uint64_t header = nn_little_get(bytes + 24, 8);

    if ((uint64_t)size != total)
        return nn_error_set(NN_FORMAT, "checkpoint.length",
                            "it %s: it has %" PRId64
                            " bytes instead of %" PRIu64,
                            (uint64_t)size < total ? "is cut off"
                                                   : "goes on after its end",
                            size, total);
    out->size = size;
    out->end = size - NN_CHECKPOINT_FOOTER;
    if (header <= (uint64_t)NN_CHECKPOINT_HEADER) {
        out->header = (int64_t)header;
        out->data = nn_align_up(NN_CHECKPOINT_PRELUDE + out->header,
                                NN_CHECKPOINT_ALIGNMENT);
        if (out->data <= out->end)
            return NN_OK;
    }
    return nn_error_set(NN_FORMAT, "checkpoint.length",
                        "its header of %" PRIu64 " bytes is too long", header);
}

int32_t nn_checkpoint_extent(const uint8_t *bytes, int64_t count, int64_t size,
                             nn_extent *out)
{
    int32_t code = check_magic(bytes, count);

    if (!code && count < NN_CHECKPOINT_PRELUDE)
        code = nn_error_set(NN_FORMAT, "checkpoint.length",
                            "it is cut off: it has only %" PRId64 " bytes",
                            count);
    if (!code)
        code = check_version(bytes);
    if (!code && nn_crc32(0, bytes, 32) != nn_little_get(bytes + 32, 4))
        code = damaged("its first bytes");
    if (!code)
        code = check_lengths(bytes, size, out);
    if (!code)
        out->header_crc = (uint32_t)nn_little_get(bytes + 12, 4);
    return code;
}

/* ---- the whole ---------------------------------------------------------- */

static int32_t verify_tensors(const nn_contents *contents)
{
    uint32_t i;

    for (i = 0; i < contents->n_tensors; ++i) {
        const nn_stored_tensor *stored = &contents->tensors[i];
        const nn_tensor *tensor = &stored->tensor;

        if (nn_crc32(0, tensor->data, tensor->bytes) != stored->crc)
            return nn_error_set(NN_FORMAT, "checkpoint.checksum",
                                "it is damaged: the checksum of \"%.200s\" of "
                                "\"%.200s\" is wrong",
                                tensor->name, tensor->group);
    }
    return NN_OK;
}

static int32_t verify_end(const uint8_t *bytes, const nn_extent *extent)
{
    const uint8_t *end = bytes + extent->end;

    if (memcmp(end, NN_CHECKPOINT_MARK, 8) != 0)
        return nn_error_set(NN_FORMAT, "checkpoint.end",
                            "it is damaged: it does not end as it should");
    if (nn_crc32(0, bytes, extent->end + 8) != nn_little_get(end + 8, 4))
        return damaged("the file");
    return NN_OK;
}

/* Gives the tensors at BYTES, the whole file, the machine's order. */
static void turn_tensors(uint8_t *bytes, const nn_extent *extent,
                         const nn_contents *contents)
{
    uint32_t i;

    if (!nn_big_endian())
        return;
    for (i = 0; i < contents->n_tensors; ++i) {
        const nn_stored_tensor *stored = &contents->tensors[i];
        int64_t width = nn_dtype_bytes(stored->tensor.dtype);

        nn_swap_bytes(bytes + extent->data + stored->offset,
                      stored->tensor.bytes / width, width);
    }
}

/* The file at checkpoint->bytes, from its first byte to its last. */
static int32_t take_file(nn_checkpoint *checkpoint, int64_t size)
{
    uint8_t *bytes = checkpoint->bytes;
    nn_contents *contents = &checkpoint->contents;
    nn_extent extent;
    int32_t code = nn_checkpoint_extent(bytes, size, size, &extent);

    if (!code && nn_crc32(0, bytes + NN_CHECKPOINT_PRELUDE, extent.header) !=
                     extent.header_crc)
        code = damaged("its header");
    if (!code)
        code = nn_checkpoint_header(bytes, &extent, contents);
    if (!code)
        code = verify_tensors(contents);
    if (!code)
        code = verify_end(bytes, &extent);
    if (!code)
        turn_tensors(bytes, &extent, contents);
    return code;
}

int32_t nn_checkpoint_adopt(uint8_t *bytes, int64_t size, const char *path,
                            nn_checkpoint **out)
{
    nn_checkpoint *checkpoint = calloc(1, sizeof *checkpoint);
    int32_t code;

    *out = NULL;
    if (!checkpoint) {
        free(bytes);
        return nn_error_no_memory("a checkpoint", sizeof *checkpoint);
    }
    checkpoint->bytes = bytes;
    code = nn_contents_init(&checkpoint->contents, NN_FORMAT);
    if (!code) {
        checkpoint->path = nn_arena_string(checkpoint->contents.arena, path);
        code = checkpoint->path ? take_file(checkpoint, size) : NN_NO_MEMORY;
    }
    if (code) {
        nn_checkpoint_close(checkpoint);
        return nn_error_prefix(code, "cannot read checkpoint \"%s\": ", path);
    }
    *out = checkpoint;
    return NN_OK;
}

void nn_checkpoint_close(nn_checkpoint *checkpoint)
{
    if (!checkpoint)
        return;
    nn_contents_finish(&checkpoint->contents);
    free(checkpoint->bytes);
    free(checkpoint);
}

/* ---- from a file -------------------------------------------------------- */

/* Reads COUNT bytes, or those that there are.  Returns how many, or -1 with
 * errno. */
static int64_t read_bytes(int file, uint8_t *bytes, int64_t count)
{
    int64_t done = 0;

    while (done < count) {
        ssize_t got = read(file, bytes + done, (size_t)(count - done));

        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return -1;
        if (got == 0)
            break;
        done += got;
    }
    return done;
}

/* Memory for SIZE bytes and the alignment of tensors. */
static uint8_t *make_room(int64_t size)
{
    uint8_t *bytes = NULL;

    if ((uint64_t)size <= SIZE_MAX / 2)
        bytes = aligned_alloc(NN_CHECKPOINT_ALIGNMENT,
                              (size_t)nn_align_up(size ? size : 1,
                                                  NN_CHECKPOINT_ALIGNMENT));
    if (!bytes)
        nn_error_no_memory("its contents", (uint64_t)size);
    return bytes;
}

/* Reads FILE, which has SIZE bytes, once its first ones are those of a
 * checkpoint of that size. */
static int32_t read_file(int file, int64_t size, const char *path,
                         nn_checkpoint **out)
{
    uint8_t first[NN_CHECKPOINT_PRELUDE];
    int64_t count = read_bytes(file, first, sizeof first);
    uint8_t *bytes = NULL;
    nn_extent extent;
    int32_t code;

    if (count < 0)
        return nn_file_refuse("read checkpoint", path, errno);
    code = nn_checkpoint_extent(first, count, size, &extent);
    if (!code) {
        bytes = make_room(size);
        code = bytes ? NN_OK : NN_NO_MEMORY;
    }
    if (code)
        return nn_error_prefix(code, "cannot read checkpoint \"%s\": ", path);
    memcpy(bytes, first, sizeof first);
    count = read_bytes(file, bytes + sizeof first,
                       size - (int64_t)sizeof first);
    if (count >= 0)
        return nn_checkpoint_adopt(bytes, count + (int64_t)sizeof first, path,
                                   out);
    code = nn_file_refuse("read checkpoint", path, errno);
    free(bytes);
    return code;
}

/* Opens PATH, which is no folder. */
static int32_t open_file(const char *path, nn_checkpoint **out)
{
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    struct stat status;
    int32_t code;

    if (file < 0)
        return nn_file_refuse("open checkpoint", path, errno);
    if (fstat(file, &status) != 0)
        code = nn_file_refuse("open checkpoint", path, errno);
    else if (!S_ISREG(status.st_mode))
        code = nn_error_set(NN_IO, "checkpoint.kind",
                            "cannot open checkpoint \"%s\": it is %s", path,
                            S_ISDIR(status.st_mode)    ? "a folder"
                            : S_ISFIFO(status.st_mode) ? "a pipe"
                                                       : "no regular file");
    else
        code = read_file(file, status.st_size, path, out);
    close(file);
    return code;
}

/* Opens the best checkpoint in FOLDER, or else the last one. */
static int32_t open_folder(const char *folder, nn_checkpoint **out)
{
    static const char *const names[] = {"best.nn", "checkpoint.nn"};
    size_t length = strlen(folder);
    const char *slash = length && folder[length - 1] == '/' ? "" : "/";
    size_t room = length + 16;
    char *path = malloc(room);
    int32_t code = NN_NOT_FOUND;
    struct stat status;
    size_t i;

    if (!path)
        return nn_error_no_memory("a path", room);
    for (i = 0; i < 2 && code == NN_NOT_FOUND; ++i) {
        snprintf(path, room, "%s%s%s", folder, slash, names[i]);
        if (lstat(path, &status) == 0 || errno != ENOENT)
            code = open_file(path, out);
    }
    if (code == NN_NOT_FOUND)
        nn_error_set(code, "checkpoint.none",
                     "the folder \"%s\" has no checkpoint, neither \"%s\" nor "
                     "\"%s\"",
                     folder, names[0], names[1]);
    free(path);
    return code;
}

int32_t nn_checkpoint_open(const char *path, nn_checkpoint **out)
{
    struct stat status;

    nn_error_clear();
    *out = NULL;
    if (stat(path, &status) == 0 && S_ISDIR(status.st_mode))
        return open_folder(path, out);
    return open_file(path, out);
}
