/* SPDX-License-Identifier: MIT */
/* npy_input.c - see npy_input.h. */
#include "npy_input.h"

#include <limits.h>
#include <string.h>

#include <zip.h>

#include "source.h"

#define INPUT_WASTE 16384

struct npy_input {
    const nn_host *host;
    const char *path; /* as the config has it */
    int file;         /* a plain file, or -1 */
    int64_t size;     /* of the plain file */
    int64_t offset;   /* in it, of the next byte */
    zip_t *archive;   /* or an archive */
    zip_file_t *member;
    zip_uint64_t index; /* of the member */
    unsigned char waste[INPUT_WASTE];
};

/* Sets the error that libzip has for the archive. */
static int32_t archive_failed(const npy_input *self, zip_error_t *error)
{
    return nn_fail(self->host,
                   zip_error_system_type(error) == ZIP_ET_SYS ? NN_IO
                                                              : NN_FORMAT,
                   "npy.archive", "%s: %s", self->path,
                   zip_error_strerror(error));
}

/* Opens the archive PATH. */
static int32_t open_archive(npy_input *self, const char *path)
{
    int64_t size;
    zip_error_t error;
    int file = -1;
    int reason = 0;
    int32_t code = source_open(self->host, path, &file, &size);

    if (code)
        return code;
    self->archive = zip_fdopen(file, ZIP_CHECKCONS, &reason);
    if (self->archive)
        return NN_OK;
    close(file);
    zip_error_init_with_code(&error, reason);
    code = archive_failed(self, &error);
    zip_error_fini(&error);
    return code;
}

/* The names of the members, for a message. */
static void list_members(zip_t *archive, char *list, size_t room)
{
    zip_int64_t count = zip_get_num_entries(archive, 0);
    size_t used = 0;
    zip_int64_t i;

    list[0] = '\0';
    for (i = 0; i < count && used < room; ++i) {
        const char *name = zip_get_name(archive, (zip_uint64_t)i, 0);

        used += (size_t)snprintf(list + used, room - used, "%s'%s'",
                                 i ? ", " : "", name ? name : "");
    }
}

/* Finds member NAME, with or without ".npy", and opens it. */
static int32_t open_member(npy_input *self, const char *name)
{
    char full[NAME_MAX];
    char list[400];
    zip_int64_t index;

    snprintf(full, sizeof full, "%s.npy", name);
    index = zip_name_locate(self->archive, full, 0);
    if (index < 0)
        index = zip_name_locate(self->archive, name, 0);
    if (index < 0) {
        list_members(self->archive, list, sizeof list);
        return nn_fail(self->host, NN_NOT_FOUND, "npy.member",
                       "%s: the archive has no array '%s', but %s", self->path,
                       name, list[0] ? list : "nothing");
    }
    self->index = (zip_uint64_t)index;
    return npy_input_rewind(self);
}

/* True if the LENGTH bytes at PATH end in ".npz". */
static int is_archive(const char *path, size_t length)
{
    return length >= 4 && memcmp(path + length - 4, ".npz", 4) == 0;
}

/* Opens the archive whose path is the first LENGTH bytes of the input's, and
 * its member NAME. */
static int32_t open_in_archive(npy_input *self, size_t length, const char *name)
{
    char *path = self->host->alloc(self->host, length + 1);
    int32_t code;

    if (!path)
        return NN_NO_MEMORY;
    memcpy(path, self->path, length);
    code = open_archive(self, path);
    self->host->free(self->host, path);
    return code ? code : open_member(self, name);
}

int32_t npy_input_create(const nn_host *host, const char *path,
                         const char *name, npy_input **input)
{
    npy_input *self = host->alloc(host, sizeof *self);
    const char *colon = strrchr(path, ':');

    *input = self;
    if (!self)
        return NN_NO_MEMORY;
    self->host = host;
    self->path = path;
    self->file = -1;
    if (is_archive(path, strlen(path)))
        return open_in_archive(self, strlen(path), name);
    if (colon && is_archive(path, (size_t)(colon - path)))
        return open_in_archive(self, (size_t)(colon - path), colon + 1);
    return source_open(host, path, &self->file, &self->size);
}

void npy_input_destroy(npy_input *input)
{
    if (!input)
        return;
    if (input->member)
        zip_fclose(input->member);
    if (input->archive)
        zip_discard(input->archive);
    if (input->file >= 0)
        close(input->file);
    input->host->free(input->host, input);
}

int32_t npy_input_read(npy_input *input, void *bytes, size_t length,
                       size_t *got)
{
    size_t done = 0;
    int32_t code;

    *got = 0;
    if (!input->archive) {
        code = source_read(input->host, input->path, input->file, input->offset,
                           bytes, length, got);
        input->offset += (int64_t)*got;
        return code;
    }
    while (done < length) {
        zip_int64_t n = zip_fread(input->member, (char *)bytes + done,
                                  length - done);

        if (n < 0)
            return archive_failed(input, zip_file_get_error(input->member));
        if (n == 0)
            break;
        done += (size_t)n;
    }
    *got = done;
    return NN_OK;
}

/* In a plain file it is enough to know its size. */
static int64_t skip_in_file(npy_input *input, int64_t count)
{
    int64_t left = input->size - input->offset;

    if (count > left)
        count = left > 0 ? left : 0;
    input->offset += count;
    return count;
}

int32_t npy_input_skip(npy_input *input, int64_t count, int64_t *got)
{
    int64_t done = 0;
    size_t n = 1;
    int32_t code = NN_OK;

    if (!input->archive) {
        *got = skip_in_file(input, count);
        return NN_OK;
    }
    while (done < count && n > 0 && !code) {
        int64_t left = count - done;

        code = npy_input_read(input, input->waste,
                              left < INPUT_WASTE ? (size_t)left : INPUT_WASTE,
                              &n);
        done += (int64_t)n;
    }
    *got = done;
    return code;
}

int32_t npy_input_rewind(npy_input *input)
{
    input->offset = 0;
    if (!input->archive)
        return NN_OK;
    if (input->member)
        zip_fclose(input->member);
    input->member = zip_fopen_index(input->archive, input->index, 0);
    if (!input->member)
        return archive_failed(input, zip_get_error(input->archive));
    return NN_OK;
}

int npy_input_release_file(npy_input *input)
{
    int file = input->file;

    input->file = -1;
    return file;
}
