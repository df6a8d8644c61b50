/* SPDX-License-Identifier: MIT */
/* idx_parse.h - the header of an IDX file.
 *
 * Two zero bytes, a type, a number of axes, and the size of each axis as a
 * big-endian 32-bit number.  The data follow in C order, big-endian; the first
 * axis counts the samples. */
#ifndef ITERATORS_IDX_PARSE_H
#define ITERATORS_IDX_PARSE_H

#include <stddef.h>

#include "number.h"

#define IDX_PARSE_NDIM 8                          /* axes at most */
#define IDX_PARSE_PREFIX 4                        /* bytes before the sizes */
#define IDX_PARSE_HEADER (4 + 4 * IDX_PARSE_NDIM) /* bytes at most */
#define IDX_PARSE_MESSAGE 160

typedef struct idx_parse_header {
    number_format number;
    uint32_t ndim;
    int64_t shape[IDX_PARSE_NDIM];
    int64_t header_bytes;
    int64_t sample_bytes; /* of one entry of the first axis */
    int64_t data_bytes;   /* of all of them */
} idx_parse_header;

/* Reads the first LENGTH bytes of a file.  Returns 0; or a code, with the
 * reason in MESSAGE.  Nothing is known of whether the data are there. */
int32_t idx_parse_read(const unsigned char *bytes, size_t length,
                       idx_parse_header *header,
                       char message[IDX_PARSE_MESSAGE]);

#endif
