/* SPDX-License-Identifier: MIT */
/* index.c - see index.h.
 *
 * The file is: the eight letters MAGIC, a msgpack array of records, the CRC-32
 * of all before it in four bytes.  It is read whole, and written beside and
 * renamed, so that readers see the old one or the new one; of two writers the
 * last one wins, and the other's answers are found again when they are needed.
 *
 * A file that was changed a moment ago is not recorded: a second change within
 * the same tick of the file system's clock would leave the same times. */
#define _GNU_SOURCE
#include "core/registry/index.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <zlib.h>

#include "core/registry/description.h"
#include "core/util/arena.h"
#include "core/util/error.h"
#include "core/util/pack.h"

#define MAGIC "NNINDEX1"
#define MAGIC_BYTES 8
#define CRC_BYTES 4
#define MOST_BYTES ((int64_t)64 << 20)
#define MOST_RECORDS 4096
#define RECORD_MEMBERS 10
#define NANOSECONDS 1000000000
#define SETTLED (NANOSECONDS / 10) /* age of a file that may be recorded */

/* What must be the same for an answer to hold, in the order of the file. */
typedef struct identity {
    uint64_t device;
    uint64_t inode;
    uint64_t size;
    int64_t mtime; /* ns */
    int64_t ctime; /* ns */
} identity;

typedef struct record {
    const char *path;
    size_t path_length;
    identity file;
    uint64_t scanner; /* hash of nn-scan's path and identity */
    int64_t time;     /* s: when the answer was found */
    int32_t code;
    const char *bytes;
    size_t length;
    int32_t used; /* 1: asked for or added now */
} record;

struct nn_index {
    char *path;      /* NULL: nowhere */
    char *contents;  /* of the file; records point into it */
    nn_arena *arena; /* of what was added */
    uint64_t scanner;
    int64_t now; /* ns */
    uint32_t count;
    int32_t changed;
    record records[MOST_RECORDS];
};

static int64_t nanoseconds(const struct timespec *time)
{
    return (int64_t)time->tv_sec * NANOSECONDS + time->tv_nsec;
}

static identity identify(const struct stat *status)
{
    identity file = {
        .device = status->st_dev,
        .inode = status->st_ino,
        .size = (uint64_t)status->st_size,
        .mtime = nanoseconds(&status->st_mtim),
        .ctime = nanoseconds(&status->st_ctim),
    };

    return file;
}

static int32_t same_file(const identity *a, const identity *b)
{
    return a->device == b->device && a->inode == b->inode &&
           a->size == b->size && a->mtime == b->mtime && a->ctime == b->ctime;
}

/* FNV-1a. */
static uint64_t hash(uint64_t state, const void *bytes, size_t length)
{
    const unsigned char *byte = bytes;

    for (; length; --length)
        state = (state ^ *byte++) * 0x100000001b3u;
    return state;
}

/* Which nn-scan it is, and the interface that this host reads. */
static uint64_t identify_scanner(const char *scanner)
{
    uint64_t state = 0xcbf29ce484222325u;
    uint32_t minor = NN_ABI_MINOR;
    struct stat status;
    identity file;

    memset(&file, 0, sizeof file);
    if (!stat(scanner, &status))
        file = identify(&status);
    state = hash(state, scanner, strlen(scanner));
    state = hash(state, &file, sizeof file);
    return hash(state, &minor, sizeof minor);
}

/* ---- reading ------------------------------------------------------------ */

/* 1 if the record is still to be believed. */
static int32_t is_fresh(const nn_index *index, const record *one)
{
    int64_t age = index->now / NANOSECONDS - one->time;

    return !one->code || (age >= 0 && age < NN_INDEX_FAILURE_SECONDS);
}

static void read_record(nn_index *index, nn_unpack *in)
{
    record one;

    memset(&one, 0, sizeof one);
    if (nn_unpack_array(in, RECORD_MEMBERS) != RECORD_MEMBERS)
        nn_unpack_fail(in, "a record has another length");
    one.path = nn_unpack_bytes(in, &one.path_length);
    one.file.device = nn_unpack_uint(in, UINT64_MAX);
    one.file.inode = nn_unpack_uint(in, UINT64_MAX);
    one.file.size = nn_unpack_uint(in, UINT64_MAX);
    one.file.mtime = nn_unpack_int(in);
    one.file.ctime = nn_unpack_int(in);
    one.scanner = nn_unpack_uint(in, UINT64_MAX);
    one.time = nn_unpack_int(in);
    one.code = -(int32_t)nn_unpack_uint(in, INT32_MAX);
    one.bytes = nn_unpack_bytes(in, &one.length);
    nn_unpack_leave(in);
    if (!in->problem && is_fresh(index, &one))
        index->records[index->count++] = one;
}

/* Reads what is in LENGTH bytes; nothing if any of it is wrong. */
static void read_records(nn_index *index, const char *bytes, size_t length)
{
    size_t body = length - CRC_BYTES;
    nn_unpack in;
    uint32_t count;
    uint32_t crc;

    memcpy(&crc, bytes + body, CRC_BYTES);
    if (memcmp(bytes, MAGIC, MAGIC_BYTES) ||
        crc != crc32(0, (const Bytef *)bytes, (uInt)body))
        return;
    nn_unpack_start(&in, bytes + MAGIC_BYTES, body - MAGIC_BYTES, 4);
    count = nn_unpack_array(&in, MOST_RECORDS);
    for (; count && !in.problem; --count)
        read_record(index, &in);
    if (!nn_unpack_finished(&in))
        index->count = 0;
}

/* The whole file, if it is one of the user's own. */
static void read_file(nn_index *index)
{
    int file = open(index->path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    struct stat status;
    size_t length;

    if (file < 0)
        return;
    if (!fstat(file, &status) && S_ISREG(status.st_mode) &&
        status.st_uid == geteuid() && !(status.st_mode & (S_IWGRP | S_IWOTH)) &&
        status.st_size > MAGIC_BYTES + CRC_BYTES &&
        status.st_size <= MOST_BYTES) {
        length = (size_t)status.st_size;
        index->contents = malloc(length);
        if (index->contents &&
            read(file, index->contents, length) == (ssize_t)length)
            read_records(index, index->contents, length);
    }
    close(file);
}

int32_t nn_index_open(const char *path, const char *scanner, int64_t now,
                      nn_index **out)
{
    nn_index *index = calloc(1, sizeof *index);

    *out = NULL;
    if (!index)
        return nn_error_no_memory("the index of plugins", sizeof *index);
    index->path = path ? strdup(path) : NULL;
    if ((path && !index->path) || nn_arena_create(&index->arena)) {
        nn_index_close(index);
        return nn_error_no_memory("the index of plugins", sizeof *index);
    }
    index->now = now;
    index->scanner = identify_scanner(scanner);
    if (index->path)
        read_file(index);
    *out = index;
    return NN_OK;
}

/* ---- answers ------------------------------------------------------------ */

static record *find_path(nn_index *index, const char *path)
{
    size_t length = strlen(path);
    record *one;
    uint32_t i;

    for (i = 0; i < index->count; ++i) {
        one = &index->records[i];
        if (one->scanner == index->scanner && one->path_length == length &&
            !memcmp(one->path, path, length))
            return one;
    }
    return NULL;
}

int32_t nn_index_find(nn_index *index, const char *path,
                      const struct stat *status, nn_index_answer *answer)
{
    record *one = find_path(index, path);
    identity file = identify(status);

    if (!one || !same_file(&one->file, &file))
        return 0;
    one->used = 1;
    answer->code = one->code;
    answer->bytes = one->bytes;
    answer->length = one->length;
    return 1;
}

void nn_index_add(nn_index *index, const char *path, const struct stat *status,
                  const nn_index_answer *answer)
{
    record *one = find_path(index, path);
    char *bytes;
    char *name;

    if (!index->path || index->now - nanoseconds(&status->st_ctim) < SETTLED)
        return;
    name = nn_arena_string(index->arena, path);
    bytes = nn_arena_alloc(index->arena, (int64_t)answer->length + 1, 1);
    if (!name || !bytes || (!one && index->count == MOST_RECORDS)) {
        nn_error_clear();
        return;
    }
    if (!one)
        one = &index->records[index->count++];
    if (answer->length)
        memcpy(bytes, answer->bytes, answer->length);
    one->path = name;
    one->path_length = strlen(name);
    one->file = identify(status);
    one->scanner = index->scanner;
    one->time = index->now / NANOSECONDS;
    one->code = answer->code;
    one->bytes = bytes;
    one->length = answer->length;
    one->used = 1;
    index->changed = 1;
}

/* ---- writing ------------------------------------------------------------ */

/* Is it worth being kept, though nobody asked for it now? */
static int32_t is_current(const record *one)
{
    char *path = strndup(one->path, one->path_length);
    struct stat status;
    identity file;
    int32_t result = 0;

    if (path && !stat(path, &status)) {
        file = identify(&status);
        result = same_file(&one->file, &file);
    }
    free(path);
    return result;
}

static void pack_record(nn_text *out, const record *one)
{
    nn_pack_array(out, RECORD_MEMBERS);
    nn_pack_bytes(out, one->path, one->path_length);
    nn_pack_uint(out, one->file.device);
    nn_pack_uint(out, one->file.inode);
    nn_pack_uint(out, one->file.size);
    nn_pack_int(out, one->file.mtime);
    nn_pack_int(out, one->file.ctime);
    nn_pack_uint(out, one->scanner);
    nn_pack_int(out, one->time);
    nn_pack_uint(out, (uint64_t) - (int64_t)one->code);
    nn_pack_bytes(out, one->bytes, one->length);
}

static void pack_records(nn_index *index, nn_text *out)
{
    uint32_t count = 0;
    uint32_t crc;
    uint32_t i;

    for (i = 0; i < index->count; ++i)
        if (index->records[i].used || is_current(&index->records[i]))
            index->records[count++] = index->records[i];
    nn_text_append_bytes(out, MAGIC, MAGIC_BYTES);
    nn_pack_array(out, count);
    for (i = 0; i < count; ++i)
        pack_record(out, &index->records[i]);
    if (nn_text_status(out))
        return;
    crc = (uint32_t)crc32(0, (const Bytef *)out->data, (uInt)out->length);
    nn_text_append_bytes(out, (const char *)&crc, CRC_BYTES);
}

/* Makes the folders above the file. */
static void make_folders(const char *path)
{
    char *copy = strdup(path);
    char *slash;

    for (slash = copy ? strchr(copy + 1, '/') : NULL; slash;
         slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(copy, S_IRWXU);
        *slash = '/';
    }
    free(copy);
}

static void write_file(const char *path, const nn_text *text)
{
    nn_text beside = {0};
    int file = -1;

    nn_text_format(&beside, "%s.XXXXXX", path);
    if (!nn_text_status(&beside)) {
        make_folders(path);
        file = mkostemp(beside.data, O_CLOEXEC);
    }
    if (file >= 0) {
        if (write(file, text->data, text->length) != (ssize_t)text->length ||
            rename(beside.data, path))
            unlink(beside.data);
        close(file);
    }
    nn_text_finish(&beside);
}

void nn_index_close(nn_index *index)
{
    nn_text text = {0};

    if (!index)
        return;
    if (index->path && index->changed) {
        pack_records(index, &text);
        if (!nn_text_status(&text) && (int64_t)text.length <= MOST_BYTES)
            write_file(index->path, &text);
        else
            nn_error_clear();
        nn_text_finish(&text);
    }
    nn_arena_destroy(index->arena);
    free(index->contents);
    free(index->path);
    free(index);
}
