/* SPDX-License-Identifier: MIT */
/* writer.c - see writer.h.
 *
 * npy: "\x93NUMPY", version 1.0, the length of the head, and the head, a
 * Python dict padded with blanks; its room is left free at first and filled
 * when the number of samples is known (NumPy, "NEP 1", 2007). */
#define _GNU_SOURCE
#include "writer.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "open.h"
#include "talk.h"

#define NPY_HEAD 256 /* bytes before the data, a multiple of 64 */

struct writer {
    FILE *file;
    char *path;   /* NULL: stdout */
    char *beside; /* what is written until all is well */
    uint32_t format;
    int64_t samples;
    nn_host_array first; /* shape and type of the first part */
};

int writer_choose(const char *name, const char *path, uint32_t *format)
{
    static const char *const names[] = {"csv", "jsonl", "npy"};
    const char *dot = path ? strrchr(path, '.') : NULL;
    uint32_t i;

    *format = WRITER_CSV;
    for (i = 0; i < 3; ++i)
        if (name ? !strcmp(name, names[i]) : dot && !strcmp(dot + 1, names[i]))
            break;
    if (i == 3 && name)
        return talk_usage("--format is npy, csv or jsonl, not '%s'", name);
    if (i < 3)
        *format = i;
    if (*format == WRITER_NPY && !path)
        return talk_usage("npy is written to a file: --out FILE.npy");
    return STATUS_OK;
}

static int failed(const struct writer *writer)
{
    return talk_error(STATUS_FAILED, "%s: %s",
                      writer->path ? writer->path : "stdout", strerror(errno));
}

int writer_open(const char *path, uint32_t format, struct writer **out)
{
    struct writer *made = calloc(1, sizeof *made);
    int status = STATUS_OK;

    *out = made;
    if (!made)
        return talk_error(STATUS_FAILED, "memory is exhausted");
    made->format = format;
    made->file = stdout;
    if (!path)
        return STATUS_OK;
    made->path = strdup(path);
    made->beside = text_format("%s.part", path);
    made->file = made->beside ? fopen(made->beside, "wb") : NULL;
    if (!made->file ||
        (format == WRITER_NPY && fseek(made->file, NPY_HEAD, SEEK_SET)))
        status = failed(made);
    return status;
}

/* ---- numbers ----------------------------------------------------------- */

static double element(const nn_host_array *array, int64_t index)
{
    switch (array->dtype) {
    case NN_FLOAT32:
        return ((const float *)array->data)[index];
    case NN_FLOAT64:
        return ((const double *)array->data)[index];
    case NN_INT32:
        return ((const int32_t *)array->data)[index];
    default:
        return ((const uint8_t *)array->data)[index];
    }
}

/* The fewest digits that read back as VALUE, which is of DTYPE. */
static void print_number(FILE *to, double value, uint32_t dtype,
                         uint32_t format)
{
    int precision = dtype == NN_FLOAT64 ? 15 : 6;
    int most = dtype == NN_FLOAT64 ? 17 : 9;
    const char *quote = format == WRITER_JSONL ? "\"" : "";
    char text[40];

    if (isnan(value)) {
        fprintf(to, "%snan%s", quote, quote);
        return;
    }
    if (isinf(value)) {
        fprintf(to, "%s%sinf%s", quote, value < 0 ? "-" : "", quote);
        return;
    }
    if (dtype == NN_INT32 || dtype == NN_UINT8)
        precision = most = 17;
    snprintf(text, sizeof text, "%.*g", precision, value);
    while (precision < most &&
           (dtype == NN_FLOAT64 ? strtod(text, NULL) != value
                                : strtof(text, NULL) != (float)value))
        snprintf(text, sizeof text, "%.*g", ++precision, value);
    fputs(text, to);
}

/* Elements of one sample at one time step. */
static int64_t row_of(const nn_host_array *array)
{
    int64_t row = 1;
    uint32_t i;

    for (i = 2; i < array->ndim; ++i)
        row *= array->shape[i];
    return row;
}

/* ---- csv --------------------------------------------------------------- */

static void csv_head(const struct writer *writer)
{
    int64_t row = row_of(&writer->first);
    int64_t i;

    fputs(writer->first.shape[0] > 1 ? "sample,time" : "sample", writer->file);
    for (i = 0; i < row; ++i)
        fprintf(writer->file, ",%lld", (long long)i);
    fputc('\n', writer->file);
}

static void csv_sample(const struct writer *writer, const nn_host_array *part,
                       int64_t sample)
{
    int64_t row = row_of(part);
    int64_t t;
    int64_t i;

    for (t = 0; t < part->shape[0]; ++t) {
        int64_t first = (t * part->shape[1] + sample) * row;

        fprintf(writer->file, "%lld", (long long)(writer->samples + sample));
        if (writer->first.shape[0] > 1)
            fprintf(writer->file, ",%lld", (long long)t);
        for (i = 0; i < row; ++i) {
            fputc(',', writer->file);
            print_number(writer->file, element(part, first + i), part->dtype,
                         WRITER_CSV);
        }
        fputc('\n', writer->file);
    }
}

/* ---- JSON lines -------------------------------------------------------- */

/* How many lists begin at element INDEX of a row, or end before it. */
static uint32_t lists_at(const nn_host_array *part, int64_t index)
{
    int64_t size = 1;
    uint32_t lists = 0;
    uint32_t axis;

    for (axis = part->ndim; axis-- > 2;) {
        size *= part->shape[axis];
        if (index % size)
            break;
        ++lists;
    }
    return lists;
}

static void print_brackets(FILE *to, char bracket, uint32_t count)
{
    while (count-- > 0)
        fputc(bracket, to);
}

/* One row, its axes as nested lists; a row without axes is a number. */
static void jsonl_row(FILE *to, const nn_host_array *part, int64_t first)
{
    int64_t row = row_of(part);
    int64_t i;

    for (i = 0; i < row; ++i) {
        uint32_t lists = lists_at(part, i);

        if (i) {
            print_brackets(to, ']', lists);
            fputs(", ", to);
        }
        print_brackets(to, '[', lists);
        print_number(to, element(part, first + i), part->dtype, WRITER_JSONL);
    }
    print_brackets(to, ']', part->ndim - 2);
}

static void jsonl_sample(const struct writer *writer, const nn_host_array *part,
                         int64_t sample)
{
    FILE *to = writer->file;
    int64_t steps = part->shape[0];
    int64_t t;

    fprintf(to, "{\"sample\": %lld, \"output\": ",
            (long long)(writer->samples + sample));
    if (steps > 1)
        fputc('[', to);
    for (t = 0; t < steps; ++t) {
        if (t)
            fputs(", ", to);
        jsonl_row(to, part, (t * part->shape[1] + sample) * row_of(part));
    }
    fputs(steps > 1 ? "]}\n" : "}\n", to);
}

/* ---- npy --------------------------------------------------------------- */

static void npy_sample(const struct writer *writer, const nn_host_array *part,
                       int64_t sample)
{
    size_t bytes = (size_t)(row_of(part) * nn_dtype_bytes(part->dtype));
    const char *data = part->data;
    int64_t t;

    for (t = 0; t < part->shape[0]; ++t)
        fwrite(data + (size_t)(t * part->shape[1] + sample) * bytes, 1, bytes,
               writer->file);
}

static const char *npy_type(uint32_t dtype)
{
    static const uint16_t one = 1;
    int is_little = *(const uint8_t *)&one == 1;

    switch (dtype) {
    case NN_FLOAT32:
        return is_little ? "<f4" : ">f4";
    case NN_FLOAT64:
        return is_little ? "<f8" : ">f8";
    case NN_INT32:
        return is_little ? "<i4" : ">i4";
    default:
        return "|u1";
    }
}

/* The head, in the room that was left for it. */
static int npy_head(const struct writer *writer)
{
    const nn_host_array *first = &writer->first;
    char head[NPY_HEAD];
    char shape[192];
    int used;
    uint32_t i;

    used = snprintf(shape, sizeof shape, "(%lld,", (long long)writer->samples);
    if (first->shape[0] > 1)
        used += snprintf(shape + used, sizeof shape - (size_t)used, " %lld,",
                         (long long)first->shape[0]);
    for (i = 2; i < first->ndim; ++i)
        used += snprintf(shape + used, sizeof shape - (size_t)used, " %lld,",
                         (long long)first->shape[i]);
    memset(head, ' ', sizeof head);
    memcpy(head, "\x93NUMPY\x01", 8);
    head[8] = (char)(NPY_HEAD - 10);
    head[9] = (char)((NPY_HEAD - 10) >> 8);
    used = snprintf(head + 10, sizeof head - 10,
                    "{'descr': '%s', 'fortran_order': False, 'shape': %s)}",
                    npy_type(first->dtype), shape);
    head[10 + used] = ' ';
    head[NPY_HEAD - 1] = '\n';
    return fseek(writer->file, 0, SEEK_SET) ||
           fwrite(head, 1, sizeof head, writer->file) != sizeof head;
}

/* ---- parts ------------------------------------------------------------- */

/* A later part must be like the first one. */
static int check_part(const struct writer *writer, const nn_host_array *part)
{
    const nn_host_array *first = &writer->first;
    int is_like = part->ndim == first->ndim && part->dtype == first->dtype &&
                  !memcmp(part->shape + 2, first->shape + 2,
                          (part->ndim - 2) * sizeof(int64_t));

    if (is_like && (part->shape[0] == first->shape[0] ||
                    (writer->format != WRITER_NPY && first->shape[0] > 1)))
        return STATUS_OK;
    return talk_error(STATUS_FAILED,
                      "the output has another shape than before; npy wants "
                      "equal time steps");
}

int writer_add(struct writer *writer, const nn_host_array *part)
{
    int64_t sample;

    if (!writer->samples) {
        writer->first = *part;
        writer->first.data = NULL;
        if (writer->format == WRITER_CSV)
            csv_head(writer);
    }
    if (check_part(writer, part))
        return STATUS_FAILED;
    for (sample = 0; sample < part->shape[1]; ++sample)
        if (writer->format == WRITER_CSV)
            csv_sample(writer, part, sample);
        else if (writer->format == WRITER_JSONL)
            jsonl_sample(writer, part, sample);
        else
            npy_sample(writer, part, sample);
    writer->samples += part->shape[1];
    return ferror(writer->file) ? failed(writer) : STATUS_OK;
}

/* Closes the file and gives it its name. */
static int complete(struct writer *writer)
{
    FILE *file = writer->file;

    if (writer->format == WRITER_NPY && npy_head(writer))
        return failed(writer);
    writer->file = NULL;
    if (fclose(file) || rename(writer->beside, writer->path))
        return failed(writer);
    return STATUS_OK;
}

int writer_close(struct writer *writer, int status)
{
    if (!writer)
        return status;
    if (writer->path && writer->file && !status)
        status = complete(writer);
    if (writer->path && writer->file)
        fclose(writer->file);
    if (writer->path && status && writer->beside)
        unlink(writer->beside);
    free(writer->path);
    free(writer->beside);
    free(writer);
    return status;
}
