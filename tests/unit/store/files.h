/* SPDX-License-Identifier: MIT */
/* files.h - a folder of its own for a test, and files in it. */
#ifndef FILES_H
#define FILES_H

#include <dirent.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/store/checkpoint.h"
#include "core/util/error.h"

#define UNUSED __attribute__((unused))

static char scratch[4096]; /* the folder */

/* The path of NAME in the scratch folder; one of eight buffers that take
 * turns. */
UNUSED static const char *in_scratch(const char *name)
{
    static char paths[8][5000];
    static unsigned turn;
    char *path = paths[turn++ % 8];

    snprintf(path, sizeof paths[0], "%s/%s", scratch, name);
    return path;
}

/* Reads all of PATH; *LENGTH bytes, to be freed. */
UNUSED static uint8_t *read_all(const char *path, size_t *length)
{
    FILE *file = fopen(path, "rb");
    uint8_t *bytes = malloc((size_t)1 << 22);

    assert_non_null(bytes);
    if (!file)
        fail_msg("%s is missing", path);
    *length = fread(bytes, 1, (size_t)1 << 22, file);
    fclose(file);
    return bytes;
}

UNUSED static void write_all(const char *path, const void *bytes, size_t length)
{
    FILE *file = fopen(path, "wb");

    assert_non_null(file);
    if (length)
        assert_int_equal(fwrite(bytes, 1, length, file), length);
    assert_int_equal(fclose(file), 0);
}

/* The files in FOLDER. */
UNUSED static int count_files(const char *folder)
{
    DIR *entries = opendir(folder);
    int count = 0;

    assert_non_null(entries);
    while (readdir(entries))
        ++count;
    closedir(entries);
    return count - 2;
}

/* PATH is refused with CODE and a message that holds WORDS and the path. */
UNUSED static void refused(const char *path, int32_t code, const char *words)
{
    nn_checkpoint *checkpoint = NULL;

    assert_int_equal(nn_checkpoint_open(path, &checkpoint), code);
    assert_null(checkpoint);
    if (!strstr(nn_error_text(), words) || !strstr(nn_error_text(), path))
        fail_msg("\"%s\" and the path are not in: %s", words, nn_error_text());
}

UNUSED static nn_checkpoint *opened(const char *path)
{
    nn_checkpoint *checkpoint = NULL;

    if (nn_checkpoint_open(path, &checkpoint) != NN_OK)
        fail_msg("%s", nn_error_text());
    return checkpoint;
}

UNUSED static int make_scratch(void **state)
{
    const char *base = getenv("TMPDIR");

    (void)state;
    snprintf(scratch, sizeof scratch, "%s/nn-store-XXXXXX",
             base && base[0] == '/' ? base : "/tmp");
    umask(022);
    return mkdtemp(scratch) ? 0 : -1;
}

UNUSED static int remove_scratch(void **state)
{
    char command[5000];

    (void)state;
    snprintf(command, sizeof command, "rm -rf '%s'", scratch);
    return system(command);
}

/* Every test starts without a message. */
UNUSED static int forget(void **state)
{
    (void)state;
    nn_error_clear();
    return 0;
}

#endif
