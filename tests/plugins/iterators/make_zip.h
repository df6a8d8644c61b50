/* SPDX-License-Identifier: MIT */
/* make_zip.h - writes small archives. */
#ifndef NN_TESTS_PLUGINS_ITERATORS_MAKE_ZIP_H
#define NN_TESTS_PLUGINS_ITERATORS_MAKE_ZIP_H

#include <zip.h>

#include "files.h"

/* Writes the archive NAME with one member of LENGTH bytes, by METHOD. */
static inline void make_zip(const char *name, const char *member, int method,
                            const void *bytes, size_t length)
{
    int error;
    zip_t *zip = zip_open(files_path(name), ZIP_CREATE | ZIP_TRUNCATE, &error);
    zip_source_t *source = zip_source_buffer(zip, bytes, length, 0);
    zip_int64_t index = zip_file_add(zip, member, source, ZIP_FL_OVERWRITE);

    if (index < 0 ||
        zip_set_file_compression(zip, (zip_uint64_t)index, method, 0) ||
        zip_close(zip))
        abort();
}

#endif
