/* SPDX-License-Identifier: MIT */
/* file.c - see file.h.
 *
 * The order makes it safe: bytes, fsync of the file, close, rename, fsync of
 * the folder.  Whenever the process or the machine stops, the name leads to
 * the old file or the new one.  A process that is killed before the rename
 * leaves its temporary file behind, which nothing ever reads.
 *
 * A write beyond RLIMIT_FSIZE raises SIGXFSZ, which ends the process unless
 * the program ignores it; then it is the error EFBIG.  That is the program's
 * choice: the library leaves signals alone. */
#define _GNU_SOURCE
#include "core/store/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/store/format.h"
#include "core/util/error.h"

#define BUFFER_BYTES 65536
#define ATTEMPTS 1000 /* names that are tried until one is free */

struct nn_output {
    char *path;
    char *temporary;
    int file;  /* -1: none */
    int error; /* errno of the first failure, 0 if there is none */
    uint32_t crc;
    size_t used; /* of the buffer */
    uint8_t buffer[BUFFER_BYTES];
};

int32_t nn_file_refuse(const char *action, const char *path, int error)
{
    char buffer[128];

    return nn_error_set(NN_IO, "file.failed", "cannot %s \"%s\": %s", action,
                        path, strerror_r(error, buffer, sizeof buffer));
}

int nn_file_write(int file, const void *bytes, size_t count)
{
    const uint8_t *next = bytes;

    while (count) {
        ssize_t written = write(file, next, count);

        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return errno;
        if (written == 0)
            return ENOSPC;
        next += written;
        count -= (size_t)written;
    }
    return 0;
}

/* Opens a temporary file with a name that is free.  Names that a killed
 * process of the same number left behind are passed over. */
static int open_temporary(nn_output *output)
{
    static atomic_uint counter;
    int attempt;

    for (attempt = 0; attempt < ATTEMPTS; ++attempt) {
        free(output->temporary);
        if (asprintf(&output->temporary, "%s.tmp-%ld-%u", output->path,
                     (long)getpid(), atomic_fetch_add(&counter, 1)) < 0) {
            output->temporary = NULL;
            return ENOMEM;
        }
        output->file = open(output->temporary,
                            O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (output->file >= 0)
            return 0;
        if (errno != EEXIST)
            return errno;
    }
    return EEXIST;
}

static void output_free(nn_output *output)
{
    free(output->path);
    free(output->temporary);
    free(output);
}

/* A name is given to the new file only where there is none or a file has it
 * (or a link, which is replaced itself): never a device or a folder. */
static int32_t check_place(const char *path)
{
    struct stat status;

    if (lstat(path, &status) != 0 || S_ISREG(status.st_mode) ||
        S_ISLNK(status.st_mode))
        return NN_OK;
    if (S_ISDIR(status.st_mode))
        return nn_file_refuse("write", path, EISDIR);
    return nn_error_set(NN_IO, "file.failed",
                        "cannot write \"%s\": it is no regular file", path);
}

int32_t nn_output_create(const char *path, nn_output **out)
{
    nn_output *output;

    *out = NULL;
    if (check_place(path))
        return NN_IO;
    output = calloc(1, sizeof *output);
    if (output)
        output->path = strdup(path);
    if (!output || !output->path) {
        free(output);
        return nn_error_no_memory(path, sizeof *output);
    }
    output->file = -1;
    output->error = open_temporary(output);
    if (output->error) {
        int32_t code = nn_file_refuse("write", path, output->error);

        output_free(output);
        return code;
    }
    *out = output;
    return NN_OK;
}

static void flush(nn_output *output)
{
    if (!output->error)
        output->error = nn_file_write(output->file, output->buffer,
                                      output->used);
    output->used = 0;
}

void nn_output_put(nn_output *output, const void *bytes, size_t count)
{
    if (output->error || !count)
        return;
    output->crc = nn_crc32(output->crc, bytes, (int64_t)count);
    if (count > BUFFER_BYTES - output->used)
        flush(output);
    if (count > BUFFER_BYTES) {
        if (!output->error)
            output->error = nn_file_write(output->file, bytes, count);
        return;
    }
    memcpy(output->buffer + output->used, bytes, count);
    output->used += count;
}

uint32_t nn_output_crc(const nn_output *output)
{
    return output->crc;
}

/* Syncs FILE.  Returns 0, or errno. */
static int sync_file(int file)
{
    while (fsync(file) != 0) {
        if (errno != EINTR)
            return errno;
    }
    return 0;
}

/* Makes the file durable and closes it. */
static void settle(nn_output *output)
{
    flush(output);
    if (!output->error)
        output->error = sync_file(output->file);
    /* After EINTR the file is closed all the same. */
    if (close(output->file) != 0 && errno != EINTR && !output->error)
        output->error = errno;
    output->file = -1;
}

/* Syncs the folder of PATH, so that the new name survives.  A folder that may
 * not be opened, or a file system that syncs none, is no error. */
static int sync_folder(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *folder = slash ? strndup(path, (size_t)(slash - path) + 1)
                         : strdup(".");
    int error = 0;
    int file;

    if (!folder)
        return ENOMEM;
    file = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    free(folder);
    if (file < 0)
        return 0;
    error = sync_file(file);
    close(file);
    return error == EINVAL || error == ENOTSUP ? 0 : error;
}

int32_t nn_output_finish(nn_output *output, int32_t code)
{
    int renamed = 0;

    if (!output)
        return code;
    settle(output);
    if (!code && !output->error) {
        if (rename(output->temporary, output->path) != 0)
            output->error = errno;
        else
            renamed = 1;
    }
    if (!renamed)
        unlink(output->temporary);
    else
        output->error = sync_folder(output->path);
    if (!code && output->error)
        code = nn_file_refuse(renamed ? "sync the folder of" : "write",
                              output->path, output->error);
    output_free(output);
    return code;
}
