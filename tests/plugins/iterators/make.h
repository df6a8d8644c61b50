/* SPDX-License-Identifier: MIT */
/* make.h - writes small idx and npy files. */
#ifndef NN_TESTS_PLUGINS_ITERATORS_MAKE_H
#define NN_TESTS_PLUGINS_ITERATORS_MAKE_H

#include <stdint.h>

#include <zlib.h>

#include "files.h"

/* Writes LENGTH bytes to NAME, packed by gzip. */
static inline void make_gzip(const char *name, const void *bytes, size_t length)
{
    gzFile file = gzopen(files_path(name), "wb");

    if (!file || gzwrite(file, bytes, (unsigned)length) != (int)length ||
        gzclose(file) != Z_OK)
        abort();
}

/* Fills OUT with an npy file of version MAJOR: dictionary TEXT and LENGTH bytes
 * of data.  Returns its size. */
static inline size_t make_npy(unsigned char *out, int major, const char *text,
                              const void *bytes, size_t length)
{
    size_t prefix = major == 1 ? 10 : 12;
    size_t count = strlen(text);

    memcpy(out, "\x93NUMPY", 6);
    out[6] = (unsigned char)major;
    out[7] = 0;
    out[8] = (unsigned char)count;
    out[9] = (unsigned char)(count >> 8);
    memset(out + 10, 0, 2);
    memcpy(out + prefix, text, count);
    memcpy(out + prefix + count, bytes, length);
    return prefix + count + length;
}

/* The images of three samples of 2 x 3 pixels, 0 to 17, as an idx file. */
static const unsigned char make_idx_images[] = {0,  0,  8,  3,  0,  0,  0,
                                                3,  0,  0,  0,  2,  0,  0,
                                                0,  3,  0,  1,  2,  3,  4,
                                                5,  6,  7,  8,  9,  10, 11,
                                                12, 13, 14, 15, 16, 17};

/* Two labels, 7 and 9. */
static const unsigned char make_idx_labels[] = {0, 0, 8, 1, 0, 0, 0, 2, 7, 9};

/* [[1, 2, 3], [4, 5, 6]] in Fortran order, float32 of a little-endian machine:
 * 1, 4, 2, 5, 3, 6. */
static const unsigned char make_fortran_data[] = {0,    0,    0x80, 0x3F, 0,
                                                  0,    0x80, 0x40, 0,    0,
                                                  0,    0x40, 0,    0,    0xA0,
                                                  0x40, 0,    0,    0x40, 0x40,
                                                  0,    0,    0xC0, 0x40};

#endif
