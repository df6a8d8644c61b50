/* SPDX-License-Identifier: MIT */
/* files.h - files in a folder of the test's own. */
#ifndef NN_TESTS_PLUGINS_ITERATORS_FILES_H
#define NN_TESTS_PLUGINS_ITERATORS_FILES_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char files_folder[200];

/* Makes the folder; cmocka's group setup. */
static inline int files_begin(void **state)
{
    const char *base = getenv("TMPDIR");

    (void)state;
    snprintf(files_folder, sizeof files_folder, "%s/nn-iterators-XXXXXX",
             base ? base : P_tmpdir);
    return mkdtemp(files_folder) ? 0 : -1;
}

/* The path of NAME, until the third next call. */
static inline const char *files_path(const char *name)
{
    static char paths[4][500];
    static unsigned turn;
    char *path = paths[turn++ % 4];

    snprintf(path, sizeof paths[0], "%s/%s", files_folder, name);
    return path;
}

/* Removes the folder; cmocka's group teardown. */
static inline int files_end(void **state)
{
    DIR *folder = opendir(files_folder);
    struct dirent *entry;

    (void)state;
    while (folder && (entry = readdir(folder)))
        if (entry->d_name[0] != '.')
            unlink(files_path(entry->d_name));
    if (folder)
        closedir(folder);
    return rmdir(files_folder);
}

/* Writes LENGTH bytes to NAME. */
static inline void files_write(const char *name, const void *bytes,
                               size_t length)
{
    FILE *file = fopen(files_path(name), "wb");

    if (!file || fwrite(bytes, 1, length, file) != length || fclose(file))
        abort();
}

/* Reads NAME, owned by the caller. */
static inline unsigned char *files_read(const char *name, size_t *length)
{
    FILE *file = fopen(files_path(name), "rb");
    unsigned char *bytes = malloc(1 << 20);

    if (!file || !bytes)
        abort();
    *length = fread(bytes, 1, 1 << 20, file);
    fclose(file);
    return bytes;
}

/* FORMAT, whose only conversion is %s for the folder, until the next call. */
static inline const char *files_config(const char *format)
{
    static char config[2000];
    size_t used = 0;

    for (; *format; ++format)
        if (format[0] == '%' && format[1] == 's') {
            used += (size_t)snprintf(config + used, sizeof config - used, "%s",
                                     files_folder);
            ++format;
        } else {
            config[used++] = *format;
        }
    config[used] = '\0';
    return config;
}

#endif
