/* SPDX-License-Identifier: MIT */
/* appended.c - see appended.h.  Bytes go to the file at once, so that a
 * checkpoint never knows of more than was written. */
#include "core/training/appended.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/store/folder.h"
#include "core/util/error.h"
#include "core/util/text.h"

#define PREFIX "file/"

void nn_appended_finish(nn_appended *files)
{
    uint32_t i;

    for (i = 0; i < files->count; ++i) {
        free(files->items[i].path);
        free(files->items[i].name);
    }
    free(files->items);
    free(files->folder);
    memset(files, 0, sizeof *files);
}

/* 1 if NAME stays in the folder. */
static int is_inside(const char *name)
{
    const char *part = name;

    if (!*name || *name == '/')
        return 0;
    while (part) {
        if (!strncmp(part, "..", 2) && (part[2] == '/' || !part[2]))
            return 0;
        part = strchr(part, '/');
        part = part ? part + 1 : NULL;
    }
    return 1;
}

char *nn_appended_path(const nn_appended *files, const char *name)
{
    nn_text path = {0};

    if (!files->folder) {
        nn_error_set(NN_STATE, "training.no-folder",
                     "the run has no folder for the file '%s'", name);
        return NULL;
    }
    if (!is_inside(name)) {
        nn_error_set(NN_INVALID_ARGUMENT, "training.path",
                     "'%s' is no file in the run's folder", name);
        return NULL;
    }
    nn_text_format(&path, "%s/%s", files->folder, name);
    return nn_text_take(&path);
}

static nn_appended_file *add_file(nn_appended *files, const char *name)
{
    nn_appended_file *one;

    if (files->count == files->room) {
        uint32_t room = files->room ? 2 * files->room : 4;
        nn_appended_file *grown = realloc(files->items, room * sizeof *grown);

        if (!grown)
            return NULL;
        files->items = grown;
        files->room = room;
    }
    one = &files->items[files->count];
    memset(one, 0, sizeof *one);
    one->name = strdup(name);
    if (!one->name)
        return NULL;
    ++files->count;
    return one;
}

static nn_appended_file *find_file(const nn_appended *files, const char *name)
{
    uint32_t i;

    for (i = 0; i < files->count; ++i)
        if (!strcmp(files->items[i].name, name))
            return &files->items[i];
    return NULL;
}

/* Cuts FILE to its length, or takes over the length that it has. */
static int32_t cut(nn_appended_file *file)
{
    int32_t code = nn_file_truncate(file->path, file->length);
    struct stat state;

    if (code != NN_END)
        return code;
    file->length = stat(file->path, &state) ? 0 : state.st_size;
    return NN_OK;
}

/* Before FILE is used for the first time: brings it to its length. */
static int32_t settle(const nn_appended *files, nn_appended_file *file)
{
    if (file->path)
        return NN_OK;
    file->path = nn_appended_path(files, file->name);
    return file->path ? cut(file) : nn_error_code();
}

int32_t nn_appended_write(nn_appended *files, const char *name,
                          const void *bytes, size_t count)
{
    nn_appended_file *file = find_file(files, name);
    int32_t code;

    if (!file)
        file = add_file(files, name);
    if (!file)
        return nn_error_no_memory("a file", sizeof *file);
    code = settle(files, file);
    if (!code)
        code = nn_file_append(file->path, bytes, count);
    if (!code)
        file->length += (int64_t)count;
    return code;
}

void nn_appended_freeze(nn_appended *files)
{
    uint32_t i;

    for (i = 0; i < files->count; ++i)
        files->items[i].kept = files->items[i].length;
    files->frozen = 1;
}

int32_t nn_appended_thaw(nn_appended *files)
{
    int32_t code = NN_OK;
    uint32_t i;

    for (i = 0; i < files->count && !code; ++i) {
        nn_appended_file *file = &files->items[i];

        if (files->frozen)
            file->length = file->kept;
        if (!files->folder)
            continue;
        code = file->path ? cut(file) : settle(files, file);
    }
    files->frozen = 0;
    return code;
}

int32_t nn_appended_store(const nn_appended *files,
                          nn_checkpoint_writer *writer)
{
    int32_t code = NN_OK;
    uint32_t i;

    for (i = 0; i < files->count && !code; ++i) {
        const nn_appended_file *file = &files->items[i];
        nn_text key = {0};

        nn_text_format(&key, PREFIX "%s", file->name);
        code = nn_text_status(&key);
        if (!code)
            code = nn_checkpoint_put_int(writer, nn_text_string(&key),
                                         files->frozen ? file->kept
                                                       : file->length);
        nn_text_finish(&key);
    }
    return code;
}

int32_t nn_appended_restore(nn_appended *files, const nn_checkpoint *checkpoint)
{
    const char *key;
    uint32_t i;

    for (i = 0; (key = nn_checkpoint_key(checkpoint, i)); ++i) {
        nn_appended_file *file;
        int64_t length;

        if (strncmp(key, PREFIX, strlen(PREFIX)) ||
            nn_checkpoint_get_int(checkpoint, key, &length))
            continue;
        if (length < 0 || !is_inside(key + strlen(PREFIX)))
            return nn_error_set(NN_FORMAT, "resume.file",
                                "%s: '%s' is no file of a run",
                                nn_checkpoint_path(checkpoint), key);
        file = add_file(files, key + strlen(PREFIX));
        if (!file)
            return nn_error_no_memory("a file", sizeof *file);
        file->length = length;
    }
    return NN_OK;
}
