/* SPDX-License-Identifier: MIT */
/* npy.c - see npy.h.
 *
 * The head of a file is "\x93NUMPY", two bytes of version, the length of the
 * dict in 2 bytes (version 1) or 4, and the dict, such as
 *
 *     {'descr': '<f4', 'fortran_order': False, 'shape': (10, 28, 28), }
 *
 * (NumPy, "NEP 1", 2007).  What its shape promises must be what the file holds
 * before memory is asked for. */
#include "npy.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "command.h"
#include "table.h"
#include "talk.h"

#define LONGEST_HEAD 65536u

/* A file being read. */
struct npy {
    const char *path;
    FILE *file;
    char type;      /* 'f', 'i', 'u' or 'b' */
    int is_big;     /* bytes of an element: big end first */
    uint32_t width; /* bytes of an element */
    uint32_t ndim;
    int64_t shape[NN_MAX_DIMS + 1];
    int64_t count; /* elements */
};

static int bad(const struct npy *npy, const char *what)
{
    return talk_error(STATUS_DATA, "%s: %s", npy->path, what);
}

/* ---- head -------------------------------------------------------------- */

/* The value of KEY in the dict HEAD, behind its colon and blanks. */
static const char *find_key(const char *head, const char *key)
{
    const char *at = strstr(head, key);

    if (at)
        at = strchr(at + strlen(key), ':');
    if (at)
        at += 1 + strspn(at + 1, " ");
    return at;
}

static int parse_type(struct npy *npy, const char *text)
{
    static const uint16_t one = 1;
    int is_little = *(const uint8_t *)&one == 1;
    int is_known;

    if (!text || (*text != '\'' && *text != '"') || strlen(text) < 4)
        return bad(npy, "its type is no plain number");
    npy->type = text[2];
    npy->width = (uint32_t)(text[3] - '0');
    npy->is_big = text[1] == '>' || (text[1] == '=' && !is_little);
    is_known = strchr("<>|=", text[1]) && text[4] == text[0] &&
               ((npy->type == 'f' && (npy->width == 4 || npy->width == 8)) ||
                (strchr("iu", npy->type) && npy->width && npy->width <= 8 &&
                 !(npy->width & (npy->width - 1))) ||
                (npy->type == 'b' && npy->width == 1));
    return is_known ? STATUS_OK
                    : bad(npy, "its type is none of bool, int, uint, float32 "
                               "and float64");
}

static int parse_shape(struct npy *npy, const char *text)
{
    npy->count = 1;
    if (!text || *text != '(')
        return bad(npy, "its head has no shape");
    for (++text; *text != ')'; text += strspn(text, ", ")) {
        char *end = NULL;
        long long size;

        errno = 0;
        size = strtoll(text, &end, 10);
        if (errno || end == text || size < 0 || npy->ndim > NN_MAX_DIMS ||
            (size && npy->count > INT64_MAX / 8 / size))
            return bad(npy, "its shape cannot be read");
        npy->shape[npy->ndim++] = size;
        npy->count *= size;
        text = end;
    }
    return STATUS_OK;
}

static int parse_head(struct npy *npy, const char *head)
{
    const char *order = find_key(head, "fortran_order");
    int status = parse_type(npy, find_key(head, "descr"));

    if (!status)
        status = parse_shape(npy, find_key(head, "shape"));
    if (!status && (!order || (strncmp(order, "False", 5) && npy->ndim > 1)))
        status = bad(npy, "it is in Fortran order; save it with "
                          "numpy.ascontiguousarray");
    return status;
}

/* Reads the head and sees that the data are as long as it says. */
static int read_head(struct npy *npy)
{
    unsigned char start[12] = {0};
    struct stat info;
    size_t length;
    char *head;
    int status;

    if (fread(start, 1, 10, npy->file) != 10 || memcmp(start, "\x93NUMPY", 6))
        return bad(npy, "it is no .npy file");
    length = start[8] + 256u * start[9];
    if (start[6] > 1 && fread(start + 10, 1, 2, npy->file) == 2)
        length += 65536u * start[10] + 16777216u * start[11];
    if (length > LONGEST_HEAD)
        return bad(npy, "its head is too long");
    head = calloc(length + 1, 1);
    if (!head)
        return talk_error(STATUS_FAILED, "memory is exhausted");
    status = fread(head, 1, length, npy->file) == length
                 ? parse_head(npy, head)
                 : bad(npy, "it is truncated");
    free(head);
    if (!status &&
        (fstat(fileno(npy->file), &info) || !S_ISREG(info.st_mode) ||
         info.st_size - ftell(npy->file) != npy->count * (int64_t)npy->width))
        status = bad(npy, "it does not hold what its head promises");
    return status;
}

/* ---- shape ------------------------------------------------------------- */

/* 1 if the axes of A and B are the same but for axes of size 1. */
static int is_alike(const int64_t *a, uint32_t n_a, const int64_t *b,
                    uint32_t n_b)
{
    uint32_t i = 0;
    uint32_t k = 0;

    for (;;) {
        while (i < n_a && a[i] == 1)
            ++i;
        while (k < n_b && b[k] == 1)
            ++k;
        if (i == n_a || k == n_b)
            return i == n_a && k == n_b;
        if (a[i++] != b[k++])
            return 0;
    }
}

/* Sets the shape of OUT; the file's is (B, features...) or (B, T,
 * features...). */
static int match_shape(const struct npy *npy, const nn_array *input,
                       nn_host_array *out)
{
    const int64_t *features = input->shape + 2;
    uint32_t n = input->ndim - 2;
    char theirs[256];
    char ours[256];

    out->size = sizeof *out;
    out->dtype = input->dtype;
    out->ndim = input->ndim;
    memcpy(out->shape, input->shape, sizeof out->shape);
    out->shape[0] = 1;
    out->shape[1] = npy->shape[0];
    if (npy->ndim && npy->count &&
        is_alike(npy->shape + 1, npy->ndim - 1, features, n))
        return STATUS_OK;
    out->shape[0] = npy->shape[1];
    if (npy->ndim > 1 && npy->count &&
        is_alike(npy->shape + 2, npy->ndim - 2, features, n))
        return STATUS_OK;
    return talk_error(STATUS_DATA,
                      "%s: it has shape %s; the input wants (samples, "
                      "features) or (samples, time, features) with features "
                      "%s",
                      npy->path, shape_text(npy->shape, npy->ndim, theirs),
                      shape_text(features, n, ours));
}

/* ---- data -------------------------------------------------------------- */

static double decode_integer(const struct npy *npy, const unsigned char *bytes)
{
    uint64_t bits = 0;
    uint32_t i;

    for (i = npy->width; i-- > 0;)
        bits = bits << 8 | bytes[i];
    if (npy->type == 'i' && npy->width < 8 && bytes[npy->width - 1] & 0x80)
        bits |= ~(uint64_t)0 << 8 * npy->width;
    return npy->type == 'i' ? (double)(int64_t)bits : (double)bits;
}

/* One element from BYTES, little end first. */
static double decode(const struct npy *npy, const unsigned char *bytes)
{
    uint64_t bits = 0;
    uint32_t narrow;
    float single;
    double real;
    uint32_t i;

    if (npy->type != 'f')
        return decode_integer(npy, bytes);
    for (i = npy->width; i-- > 0;)
        bits = bits << 8 | bytes[i];
    if (npy->width == 8) {
        memcpy(&real, &bits, sizeof real);
        return real;
    }
    narrow = (uint32_t)bits;
    memcpy(&single, &narrow, sizeof single);
    return single;
}

/* Puts VALUE at INDEX of OUT; 0 if it does not fit the type. */
static int encode(nn_host_array *out, int64_t index, double value)
{
    double least = out->dtype == NN_UINT8 ? 0 : INT32_MIN;
    double most = out->dtype == NN_UINT8 ? UINT8_MAX : INT32_MAX;

    if (out->dtype == NN_FLOAT32)
        ((float *)out->data)[index] = (float)value;
    else if (out->dtype == NN_FLOAT64)
        ((double *)out->data)[index] = value;
    else if (!(value >= least && value <= most) || value != floor(value))
        return 0;
    else if (out->dtype == NN_INT32)
        ((int32_t *)out->data)[index] = (int32_t)value;
    else
        ((uint8_t *)out->data)[index] = (uint8_t)value;
    return 1;
}

/* Where element INDEX of the file stands in OUT: samples come first in the
 * file, time steps in OUT. */
static int64_t place_of(const nn_host_array *out, int64_t index, int64_t row)
{
    int64_t T = out->shape[0];
    int64_t B = out->shape[1];
    int64_t step = index / row;

    return ((step % T) * B + step / T) * row + index % row;
}

static int read_data(const struct npy *npy, nn_host_array *out)
{
    int64_t row = npy->count / out->shape[0] / out->shape[1];
    int64_t i;

    out->data = malloc((size_t)(npy->count * nn_dtype_bytes(out->dtype)));
    if (!out->data)
        return talk_error(STATUS_FAILED, "memory is exhausted");
    for (i = 0; i < npy->count; ++i) {
        unsigned char bytes[8];
        uint32_t k;

        if (fread(bytes, 1, npy->width, npy->file) != npy->width)
            return bad(npy, "it cannot be read");
        for (k = 0; npy->is_big && k < npy->width / 2; ++k) {
            unsigned char other = bytes[npy->width - 1 - k];

            bytes[npy->width - 1 - k] = bytes[k];
            bytes[k] = other;
        }
        if (!encode(out, place_of(out, i, row), decode(npy, bytes)))
            return talk_error(STATUS_DATA,
                              "%s: number %lld is none of the input's type",
                              npy->path, (long long)i);
    }
    return STATUS_OK;
}

int npy_read(const char *path, const nn_array *input, nn_host_array *out)
{
    struct npy npy;
    int status;

    memset(&npy, 0, sizeof npy);
    memset(out, 0, sizeof *out);
    npy.path = path;
    npy.file = fopen(path, "rb");
    if (!npy.file)
        return talk_error(STATUS_DATA, "%s: %s", path, strerror(errno));
    status = read_head(&npy);
    if (!status)
        status = match_shape(&npy, input, out);
    if (!status)
        status = read_data(&npy, out);
    fclose(npy.file);
    if (status) {
        free(out->data);
        out->data = NULL;
    }
    return status;
}
