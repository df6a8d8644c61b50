/* SPDX-License-Identifier: MIT */
/* scratch.h - a folder of its own for a test, and the plugins to put in it. */
#ifndef SCRATCH_H
#define SCRATCH_H

#include <fcntl.h>
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

/* The path of the plugin NAME of tests/plugins_src. */
UNUSED static const char *fixture(const char *name)
{
    static char paths[8][5000];
    static unsigned turn;
    char *path = paths[turn++ % 8];
    const char *folder = getenv("NN_TEST_PLUGINS");
    const char *build = getenv("abs_top_builddir");

    if (folder)
        snprintf(path, sizeof paths[0], "%s/%s.so", folder, name);
    else
        snprintf(path, sizeof paths[0], "%s/tests/plugins_src/.libs/%s.so",
                 build ? build : ".", name);
    return path;
}

/* Reads all of PATH; *LENGTH bytes, to be freed. */
UNUSED static char *read_all(const char *path, size_t *length)
{
    FILE *file = fopen(path, "rb");
    char *bytes = malloc((size_t)1 << 23);

    if (!file)
        fail_msg("%s is missing", path);
    *length = fread(bytes, 1, (size_t)1 << 23, file);
    fclose(file);
    return bytes;
}

UNUSED static void write_all(const char *path, const void *bytes, size_t length)
{
    FILE *file = fopen(path, "wb");

    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, length, file), length);
    assert_int_equal(fclose(file), 0);
}

/* Copies the plugin NAME to AS in the scratch folder; returns its path. */
UNUSED static const char *put(const char *name, const char *as)
{
    const char *path = in_scratch(as);
    size_t length;
    char *bytes = read_all(fixture(name), &length);

    write_all(path, bytes, length);
    free(bytes);
    return path;
}

/* Makes the scratch folder, with an empty home in it. */
UNUSED static int make_scratch(void **state)
{
    const char *base = getenv("TMPDIR");

    (void)state;
    snprintf(scratch, sizeof scratch, "%s/nn-registry-XXXXXX",
             base && base[0] == '/' ? base : P_tmpdir);
    umask(022);
    if (!mkdtemp(scratch))
        return -1;
    setenv("XDG_DATA_HOME", in_scratch("data"), 1);
    setenv("XDG_CACHE_HOME", in_scratch("cache"), 1);
    setenv("NN_BUILD_PLUGINS", in_scratch("build"), 1);
    unsetenv("NN_PLUGIN_PATH");
    return 0;
}

UNUSED static int remove_scratch(void **state)
{
    char command[5000];

    (void)state;
    snprintf(command, sizeof command, "rm -rf '%s'", scratch);
    return system(command);
}

#endif
