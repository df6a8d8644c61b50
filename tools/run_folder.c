/* SPDX-License-Identifier: MIT */
/* run_folder.c - see run_folder.h. */
#define _GNU_SOURCE
#include "run_folder.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command.h"
#include "open.h"
#include "talk.h"

#define MOST_NUMBERS 1000000u

static int no_memory(void)
{
    return talk_error(STATUS_FAILED, "memory is exhausted");
}

/* 1 if nothing is at PATH, or an empty folder. */
static int is_free(const char *path)
{
    const struct dirent *entry;
    struct stat info;
    int is_empty = 1;
    DIR *folder;

    if (lstat(path, &info) && errno == ENOENT)
        return 1;
    folder = opendir(path);
    if (!folder)
        return 0;
    while (is_empty && (entry = readdir(folder)))
        is_empty = !strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..");
    closedir(folder);
    return is_empty;
}

/* The folder that RESUME is, or lies in. */
static char *folder_of(const char *resume)
{
    const char *slash = strrchr(resume, '/');

    if (is_folder(resume))
        return strdup(resume);
    if (!slash)
        return strdup(".");
    return slash == resume ? strdup("/")
                           : strndup(resume, (size_t)(slash - resume));
}

/* 1 if both paths are one folder. */
static int is_same(const char *a, const char *b)
{
    struct stat one;
    struct stat other;

    return !stat(a, &one) && !stat(b, &other) && one.st_dev == other.st_dev &&
           one.st_ino == other.st_ino;
}

static int check_given(const char *out, const char *resume)
{
    char *from = resume ? folder_of(resume) : NULL;
    int is_taken = !is_free(out) && !(from && is_same(from, out));

    free(from);
    if (!is_taken)
        return STATUS_OK;
    if (!is_folder(out))
        return talk_error(STATUS_USAGE, "%s is there and is no folder", out);
    return talk_error(STATUS_USAGE,
                      "%s is not empty: --resume %s goes on with the run in "
                      "it, another --out starts a new one",
                      out, out);
}

/* The name of CONFIG's file without its end. */
static char *base_name(const char *config)
{
    const char *slash = strrchr(config, '/');
    const char *name = slash ? slash + 1 : config;
    const char *dot = strrchr(name, '.');

    return dot && dot != name ? strndup(name, (size_t)(dot - name))
                              : strdup(name);
}

/* Makes runs/NAME, or the first runs/NAME-N that is not there. */
static int make_new(const char *name, struct run_folder *folder)
{
    uint32_t number;

    folder->is_first = !mkdir("runs", 0777);
    if (!folder->is_first && errno != EEXIST)
        return talk_error(STATUS_FAILED, "runs: %s", strerror(errno));
    for (number = 1; number < MOST_NUMBERS; ++number) {
        free(folder->path);
        folder->path = number == 1 ? text_format("runs/%s", name)
                                   : text_format("runs/%s-%u", name, number);
        if (!folder->path)
            return no_memory();
        if (!mkdir(folder->path, 0777)) {
            folder->is_made = 1;
            return STATUS_OK;
        }
        if (errno != EEXIST)
            break;
    }
    return talk_error(STATUS_FAILED, "%s: %s", folder->path, strerror(errno));
}

int run_folder_choose(const char *config, const char *out, const char *resume,
                      struct run_folder *folder)
{
    char *name;
    int status;

    memset(folder, 0, sizeof *folder);
    if (out || resume) {
        status = out ? check_given(out, resume) : STATUS_OK;
        if (status)
            return status;
        folder->path = out ? strdup(out) : folder_of(resume);
        return folder->path ? STATUS_OK : no_memory();
    }
    name = base_name(config);
    status = name ? make_new(name, folder) : no_memory();
    free(name);
    return status;
}

void run_folder_abandon(const struct run_folder *folder)
{
    if (!folder->is_made)
        return;
    rmdir(folder->path); /* fails if something is in it, and shall */
    if (folder->is_first)
        rmdir("runs");
}

void run_folder_finish(struct run_folder *folder)
{
    free(folder->path);
    folder->path = NULL;
}
