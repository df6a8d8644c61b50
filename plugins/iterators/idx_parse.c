/* SPDX-License-Identifier: MIT */
/* idx_parse.c - see idx_parse.h. */
#include "idx_parse.h"

#include <string.h>

/* The number format of type CODE; bytes 0 if there is none. */
static number_format number_of_type(unsigned code)
{
    switch (code) {
    case 0x08:
        return (number_format){NUMBER_UNSIGNED, 1, 1};
    case 0x09:
        return (number_format){NUMBER_SIGNED, 1, 1};
    case 0x0B:
        return (number_format){NUMBER_SIGNED, 2, 1};
    case 0x0C:
        return (number_format){NUMBER_SIGNED, 4, 1};
    case 0x0D:
        return (number_format){NUMBER_FLOAT, 4, 1};
    case 0x0E:
        return (number_format){NUMBER_FLOAT, 8, 1};
    default:
        return (number_format){0, 0, 0};
    }
}

/* Reads the sizes of the axes and what follows from them. */
static int32_t parse_sizes(const unsigned char *bytes, idx_parse_header *header,
                           char *message)
{
    static const number_format size_format = {NUMBER_UNSIGNED, 4, 1};
    int64_t sample = header->number.bytes;
    uint32_t i;

    for (i = 0; i < header->ndim; ++i) {
        int64_t size = (int64_t)number_load(bytes + 4 * i, &size_format);

        header->shape[i] = size;
        if (i > 0 && size == 0) {
            snprintf(message, IDX_PARSE_MESSAGE, "axis %u has size 0", i);
            return NN_FORMAT;
        }
        if (i > 0 && __builtin_mul_overflow(sample, size, &sample)) {
            snprintf(message, IDX_PARSE_MESSAGE, "the sizes are too large");
            return NN_FORMAT;
        }
    }
    header->sample_bytes = sample;
    if (__builtin_mul_overflow(sample, header->shape[0], &header->data_bytes)) {
        snprintf(message, IDX_PARSE_MESSAGE, "the sizes are too large");
        return NN_FORMAT;
    }
    return NN_OK;
}

int32_t idx_parse_read(const unsigned char *bytes, size_t length,
                       idx_parse_header *header,
                       char message[IDX_PARSE_MESSAGE])
{
    memset(header, 0, sizeof *header);
    if (length < IDX_PARSE_PREFIX) {
        snprintf(message, IDX_PARSE_MESSAGE,
                 "is truncated in the header of an IDX file");
        return NN_FORMAT;
    }
    header->number = number_of_type(bytes[2]);
    header->ndim = bytes[3];
    if (bytes[0] || bytes[1] || header->number.bytes == 0 ||
        header->ndim == 0 || header->ndim > IDX_PARSE_NDIM) {
        snprintf(message, IDX_PARSE_MESSAGE,
                 "is no IDX file: it starts with %02x %02x %02x %02x", bytes[0],
                 bytes[1], bytes[2], bytes[3]);
        return NN_FORMAT;
    }
    header->header_bytes = IDX_PARSE_PREFIX + 4 * header->ndim;
    if (length < (size_t)header->header_bytes) {
        snprintf(message, IDX_PARSE_MESSAGE,
                 "is truncated in the sizes of its %u axes", header->ndim);
        return NN_FORMAT;
    }
    return parse_sizes(bytes + IDX_PARSE_PREFIX, header, message);
}
