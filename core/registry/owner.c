/* SPDX-License-Identifier: MIT */
/* owner.c - see owner.h.
 *
 * The path is walked as the kernel walks it: one component after the other is
 * appended to `done`, and a symbolic link puts its target in front of what is
 * left (`todo`).  "." is dropped and ".." drops the last component of `done`,
 * which is exact because `done` never contains a link. */
#define _GNU_SOURCE
#include "core/registry/owner.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Links followed before the path counts as a loop, as in the kernel. */
#define MOST_LINKS 40

typedef struct walk {
    nn_text done; /* without a slash at the end; empty: the root */
    nn_text todo;
    size_t next; /* in todo */
    uint32_t links;
} walk;

static const char *shown(const walk *path)
{
    return path->done.length ? nn_text_string(&path->done) : "/";
}

/* Is what `done` leads to, with this STATUS, beyond others' reach? */
static int32_t check_owner(const walk *path, const struct stat *status,
                           nn_text *reason)
{
    int32_t link = S_ISLNK(status->st_mode);
    int32_t shared = S_ISDIR(status->st_mode) && !status->st_uid &&
                     (status->st_mode & S_ISVTX);

    if (status->st_uid && status->st_uid != geteuid()) {
        nn_text_format(reason, "%s belongs to user %lu", shown(path),
                       (unsigned long)status->st_uid);
        return 0;
    }
    if (!link && !shared && (status->st_mode & (S_IWGRP | S_IWOTH))) {
        nn_text_format(reason, "%s may be written by %s", shown(path),
                       status->st_mode & S_IWOTH ? "everybody" : "its group");
        return 0;
    }
    return 1;
}

/* Drops the last component of `done`. */
static void go_up(walk *path)
{
    while (path->done.length && path->done.data[--path->done.length] != '/')
        continue;
    if (path->done.data)
        path->done.data[path->done.length] = '\0';
}

/* Puts the target of the link that `done` is in front of what is left. */
static int32_t follow_link(walk *path)
{
    char target[PATH_MAX];
    nn_text todo = {0};
    ssize_t length;

    if (++path->links > MOST_LINKS)
        return -ELOOP;
    length = readlink(nn_text_string(&path->done), target, sizeof target);
    if (length < 0)
        return -errno;
    if (length == (ssize_t)sizeof target)
        return -ENAMETOOLONG;
    nn_text_append_bytes(&todo, target, (size_t)length);
    nn_text_append_char(&todo, '/', 1);
    nn_text_append(&todo, nn_text_string(&path->todo) + path->next);
    nn_text_finish(&path->todo);
    path->todo = todo;
    path->next = 0;
    go_up(path);
    if (target[0] == '/')
        while (path->done.length)
            go_up(path);
    return nn_text_status(&todo) ? -ENOMEM : 0;
}

/* One component further.  1: go on; 0: unsafe; negative: -errno. */
static int32_t step(walk *path, const char *name, size_t length,
                    nn_text *reason)
{
    struct stat status;
    int32_t safe;

    if (!length || (length == 1 && name[0] == '.'))
        return 1;
    if (length == 2 && name[0] == '.' && name[1] == '.') {
        go_up(path);
        return 1;
    }
    nn_text_append_char(&path->done, '/', 1);
    nn_text_append_bytes(&path->done, name, length);
    if (nn_text_status(&path->done))
        return -ENOMEM;
    if (lstat(nn_text_string(&path->done), &status))
        return -errno;
    safe = check_owner(path, &status, reason);
    if (safe != 1 || !S_ISLNK(status.st_mode))
        return safe;
    safe = follow_link(path);
    return safe ? safe : 1;
}

int32_t nn_owner_check(const char *path, nn_text *reason)
{
    walk way = {0};
    struct stat root;
    const char *name;
    size_t length;
    int32_t result = lstat("/", &root) ? -errno : 1;

    nn_text_append(&way.todo, path);
    if (result == 1)
        result = nn_text_status(&way.todo) ? -ENOMEM
                                           : check_owner(&way, &root, reason);
    while (result == 1 && way.next < way.todo.length) {
        name = way.todo.data + way.next;
        length = strcspn(name, "/");
        way.next += length + (name[length] == '/');
        result = step(&way, name, length, reason);
    }
    if (result < 0)
        nn_text_format(reason, "%s: %s", shown(&way), strerror(-result));
    nn_text_finish(&way.done);
    nn_text_finish(&way.todo);
    return result < 0 ? NN_IO : result;
}
