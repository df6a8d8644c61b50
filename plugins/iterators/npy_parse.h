/* SPDX-License-Identifier: MIT */
/* npy_parse.h - the header of a .npy file.
 *
 * "\x93NUMPY", a version, the length of a text, and the text: a Python
 * dictionary such as {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)}
 * of exactly these keys.  The data follow. */
#ifndef ITERATORS_NPY_PARSE_H
#define ITERATORS_NPY_PARSE_H

#include <stddef.h>

#include "number.h"

#define NPY_PARSE_NDIM 8     /* axes at most */
#define NPY_PARSE_PREFIX 12  /* bytes that tell how long the header is */
#define NPY_PARSE_TEXT 65535 /* bytes of the text at most */
#define NPY_PARSE_MESSAGE 160

typedef struct npy_parse_header {
    number_format number;
    uint32_t fortran; /* 1: the first axis varies fastest */
    uint32_t ndim;
    int64_t shape[NPY_PARSE_NDIM];
    int64_t data_bytes;
} npy_parse_header;

/* From the first LENGTH bytes of a file the bytes of its header.  Returns 0;
 * or a code, with the reason in MESSAGE. */
int32_t npy_parse_prefix(const unsigned char *bytes, size_t length,
                         size_t *header_bytes, char message[NPY_PARSE_MESSAGE]);

/* Reads a header of LENGTH bytes, the prefix among them.  Returns 0; or a
 * code, with the reason in MESSAGE. */
int32_t npy_parse_read(const unsigned char *bytes, size_t length,
                       npy_parse_header *header,
                       char message[NPY_PARSE_MESSAGE]);

#endif
