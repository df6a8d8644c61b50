/* SPDX-License-Identifier: MIT */
/* folder.c - see folder.h. */
#define _GNU_SOURCE
#include "conformance/folder.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "conformance/memory.h"

#define MOST_BYTES 65536

char *folder_create(void)
{
    const char *base = getenv("TMPDIR");
    char *path = text_of("%s/nn-conformance-XXXXXX",
                         base && base[0] == '/' ? base : "/tmp");

    if (!mkdtemp(path))
        give_up("no folder %s: %s", path, strerror(errno));
    return path;
}

static int drop(const char *path, const struct stat *status, int type,
                struct FTW *where)
{
    (void)status;
    (void)where;
    return type == FTW_DP ? rmdir(path) : unlink(path);
}

/* A check may have taken the right to look into a folder. */
static int allow(const char *path, const struct stat *status, int type,
                 struct FTW *where)
{
    (void)where;
    if (type == FTW_D || type == FTW_DNR)
        chmod(path, status->st_mode | S_IRWXU);
    return 0;
}

void folder_remove(const char *path)
{
    if (!nftw(path, drop, 16, FTW_DEPTH | FTW_PHYS))
        return;
    nftw(path, allow, 16, FTW_PHYS);
    nftw(path, drop, 16, FTW_DEPTH | FTW_PHYS);
}

int folder_make(const char *path)
{
    char *part = text_of("%s", path);
    char *slash;
    struct stat status;

    for (slash = strchr(part + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(part, 0777);
        *slash = '/';
    }
    mkdir(part, 0777);
    free(part);
    return stat(path, &status) || !S_ISDIR(status.st_mode) ||
                   access(path, W_OK | X_OK)
               ? -1
               : 0;
}

char *folder_read(const char *path)
{
    char *text = take(MOST_BYTES + 1, 1);
    FILE *file = fopen(path, "rbe");
    size_t length = 0;
    size_t i;

    if (file) {
        length = fread(text, 1, MOST_BYTES, file);
        fclose(file);
    }
    for (i = 0; i < length; ++i)
        if (!text[i])
            text[i] = '?';
    return text;
}
