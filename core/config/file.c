/* SPDX-License-Identifier: MIT */
/* file.c - a config file to a tree.  Only regular files are read, so that a
 * FIFO or a device cannot block or feed without end; what is read is bounded
 * even if the file grows meanwhile. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/config/description.h"
#include "core/util/error.h"

/* An error about the whole file. */
static int32_t refuse(nn_diagnostics *diagnostics, const char *path,
                      int32_t code, const char *id, const char *reason)
{
    nn_place place = {NULL, 0, 0};
    int32_t failed = nn_source_create(path, "", 0, &place.source);

    if (failed)
        return failed;
    code = nn_diagnostics_error(diagnostics, code, id, &place, "%s", reason);
    nn_source_release(place.source);
    return code;
}

static int32_t refuse_errno(nn_diagnostics *diagnostics, const char *path,
                            int error)
{
    char buffer[128];

    return refuse(diagnostics, path, NN_IO, "config.open",
                  strerror_r(error, buffer, sizeof buffer));
}

/* Reads at most CAPACITY bytes; returns how many, or -1 with errno. */
static ssize_t read_all(int file, char *text, size_t capacity)
{
    size_t length = 0;

    while (length < capacity) {
        ssize_t got = read(file, text + length, capacity - length);

        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return -1;
        if (got == 0)
            break;
        length += (size_t)got;
    }
    return (ssize_t)length;
}

/* Reads the open FILE of SIZE bytes by fstat. */
static int32_t read_open(int file, const char *path, size_t size,
                         nn_diagnostics *diagnostics, nn_node **out)
{
    char *text = malloc(size + 1);
    ssize_t length;
    int32_t code;

    if (!text)
        return nn_error_no_memory(path, size);
    length = read_all(file, text, size);
    if (length < 0)
        code = refuse_errno(diagnostics, path, errno);
    else
        code = nn_node_read(text, (size_t)length, path, diagnostics, out);
    free(text);
    return code;
}

int32_t nn_node_read_file(const char *path, nn_diagnostics *diagnostics,
                          nn_node **out)
{
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    struct stat status;
    int32_t code;

    *out = NULL;
    if (file < 0)
        return refuse_errno(diagnostics, path, errno);
    if (fstat(file, &status) != 0)
        code = refuse_errno(diagnostics, path, errno);
    else if (!S_ISREG(status.st_mode))
        code = refuse(diagnostics, path, NN_IO, "config.open",
                      S_ISDIR(status.st_mode) ? "is a directory"
                                              : "is no regular file");
    else if (status.st_size > (off_t)NN_NODE_BYTES)
        code = refuse(diagnostics, path, NN_INVALID_ARGUMENT,
                      "config.too-large", "is larger than 16 MiB");
    else
        code = read_open(file, path, (size_t)status.st_size, diagnostics, out);
    close(file);
    return code;
}
