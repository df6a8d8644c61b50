/* SPDX-License-Identifier: MIT */
/* folder.c - see folder.h. */
#define _GNU_SOURCE
#include "core/store/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/store/file.h"
#include "core/util/error.h"

/* ---- folders ------------------------------------------------------------ */

/* Makes the one folder PATH unless it is there.  Returns 0, or errno. */
static int make_one(const char *path)
{
    struct stat status;
    int error;

    if (mkdir(path, 0777) == 0)
        return 0;
    error = errno;
    if (stat(path, &status) != 0)
        return error;
    return S_ISDIR(status.st_mode) ? 0 : ENOTDIR;
}

/* Makes every folder on the way of PATH, which is cut meanwhile, and the last.
 * Returns 0, or errno. */
static int make_all(char *path)
{
    int error = *path ? 0 : ENOENT;
    char *next = path;

    while (!error && *next) {
        char end;

        next += strspn(next, "/");
        next += strcspn(next, "/");
        end = *next;
        *next = '\0';
        error = make_one(path);
        *next = end;
    }
    return error;
}

/* Writes a file in the folder PATH and removes it.  Returns 0, or errno. */
static int try_folder(const char *path)
{
    size_t room = strlen(path) + 16;
    char *name = malloc(room);
    int error = 0;
    int file;

    if (!name)
        return ENOMEM;
    snprintf(name, room, "%s/.nn-XXXXXX", path);
    file = mkostemp(name, O_CLOEXEC);
    if (file < 0) {
        error = errno;
    } else {
        error = nn_file_write(file, "test\n", 5);
        if (close(file) != 0 && errno != EINTR && !error)
            error = errno;
        unlink(name);
    }
    free(name);
    return error;
}

int32_t nn_file_make_folder(const char *path)
{
    char *copy = strdup(path);
    int error;

    if (!copy)
        return nn_error_no_memory("a path", strlen(path) + 1);
    error = make_all(copy);
    free(copy);
    if (error)
        return nn_file_refuse("make the folder", path, error);
    error = try_folder(path);
    return error ? nn_file_refuse("write in the folder", path, error) : NN_OK;
}

/* ---- logs --------------------------------------------------------------- */

/* Opens the regular file PATH for writing; its length is in *LENGTH.  Returns
 * the file, or -1 with errno. */
static int open_log(const char *path, int flags, int64_t *length)
{
    int file = open(path, flags | O_WRONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY,
                    0666);
    struct stat status;
    int error;

    if (file < 0)
        return -1;
    if (fstat(file, &status) != 0)
        error = errno;
    else
        error = S_ISREG(status.st_mode) ? 0 : EINVAL;
    if (!error) {
        *length = status.st_size;
        return file;
    }
    close(file);
    errno = error;
    return -1;
}

int32_t nn_file_append(const char *path, const void *bytes, size_t count)
{
    int64_t length;
    int file = open_log(path, O_APPEND | O_CREAT, &length);
    int error;

    if (file < 0)
        return nn_file_refuse("append to", path, errno);
    error = nn_file_write(file, bytes, count);
    /* A line that is not whole is worse than none. */
    if (error && ftruncate(file, length) != 0)
        error = errno;
    if (close(file) != 0 && errno != EINTR && !error)
        error = errno;
    return error ? nn_file_refuse("append to", path, error) : NN_OK;
}

int32_t nn_file_truncate(const char *path, int64_t length)
{
    int64_t now;
    int file = open_log(path, 0, &now);
    int error = 0;

    if (file < 0 && errno == ENOENT)
        return length ? NN_END : NN_OK;
    if (file < 0)
        return nn_file_refuse("shorten", path, errno);
    if (now > length && ftruncate(file, length) != 0)
        error = errno;
    if (close(file) != 0 && errno != EINTR && !error)
        error = errno;
    if (error)
        return nn_file_refuse("shorten", path, error);
    return now < length ? NN_END : NN_OK;
}
