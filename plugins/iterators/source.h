/* SPDX-License-Identifier: MIT */
/* source.h - what the iterators that read files share.
 *
 * A source has fields, each with the same number of samples, which stand in a
 * file one behind the other.  It keeps them in the file's own type (or leaves
 * them in the file) and converts a sample when it is asked for: to the type
 * that the network wants, or else to the nearest that there is.  Sample s of
 * the iterator is sample first + s of the file, where `range` sets first.
 *
 * By itself a source delivers its samples one by one, in the file's order;
 * every batch has T = 1.
 *
 * Shapes fit if they are equal apart from axes of size 1: (28, 28) of a file
 * is good for (28, 28, 1) of a network. */
#ifndef ITERATORS_SOURCE_H
#define ITERATORS_SOURCE_H

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <nn/iterator.h>

#include "batches.h"
#include "number.h"

/* Axes of a sample: those of an array without T and B. */
#define SOURCE_MAX_NDIM (NN_MAX_DIMS - 2)

/* Room for the text of a shape. */
#define SOURCE_SHAPE_TEXT (NN_MAX_DIMS * 22)

typedef struct source_field source_field;

/* One field and its file. */
struct source_field {
    nn_field field;       /* as it is delivered */
    const char *path;     /* of the file, for messages */
    number_format number; /* of the file */
    int64_t count;        /* samples in the file */
    int64_t features;     /* numbers of a sample */
    unsigned char *bytes; /* what is kept of the file, or NULL */
    unsigned char *row;   /* room for one sample as the file has it, or NULL */
    int file;             /* open file, or -1 */
    int64_t offset;       /* of sample `first` in `bytes` or `file` */
    int64_t file_ndim;    /* axes of a sample in the file, and their sizes */
    int64_t file_shape[NN_MAX_DIMS];

    /* The bytes of sample SAMPLE of the iterator, in C order, valid until the
     * next call; NULL with a message set. */
    const unsigned char *(*fetch)(const nn_host *host, source_field *self,
                                  int64_t sample);
};

/* The instance of every source. */
struct nn_iterator {
    const nn_host *host;
    const char *who; /* name of the component */
    source_field *fields;
    const nn_field **list; /* their descriptions */
    uint32_t n_fields;
    int64_t first;
    int64_t n_samples;
    batches batches;
};

static const nn_param source_bound = {
    .size = NN_SIZEOF(nn_param, fields),
    .type = NN_PARAM_INT,
    .flags = NN_PARAM_RANGED,
    .name = "sample",
    .doc = "Number of a sample, from 0",
    .minimum = 0,
    .maximum = INFINITY,
};

/* The schema of the parameter `range`. */
#define SOURCE_RANGE_PARAM                                                     \
    {                                                                          \
        .size = NN_SIZEOF(nn_param, fields), .type = NN_PARAM_LIST,            \
        .flags = NN_PARAM_NULLABLE, .name = "range",                           \
        .doc = "`[first, end]`: read samples first to end - 1 of the files "   \
               "only, counted from 0; `none`: all",                            \
        .default_text = "none", .element = &source_bound,                      \
    }

/* ------------------------------------------------------------------ files */

/* Says why PATH could not be opened, and which Debian package would bring it
 * if it is one of those data sets. */
static inline int32_t source_cannot_open(const nn_host *host, const char *path,
                                         int error)
{
    static const char folder[] = "/usr/share/datasets/";
    size_t length = sizeof folder - 1;

    if (error == ENOENT && strncmp(path, folder, length) == 0)
        return nn_fail(host, NN_IO, "iterator.open",
                       "%s: %s; on Debian: apt-get install dataset-%.*s", path,
                       strerror(error), (int)strcspn(path + length, "/"),
                       path + length);
    return nn_fail(host, NN_IO, "iterator.open", "%s: %s", path,
                   strerror(error));
}

/* Opens the regular file PATH for reading; writes its descriptor and size. */
static inline int32_t source_open(const nn_host *host, const char *path,
                                  int *file, int64_t *size)
{
    struct stat status;

    /* Without O_NONBLOCK a FIFO would wait for a writer. */
    *file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (*file < 0)
        return source_cannot_open(host, path, errno);
    if (fstat(*file, &status) == 0 && S_ISREG(status.st_mode)) {
        *size = status.st_size;
        return NN_OK;
    }
    close(*file);
    *file = -1;
    return nn_fail(host, NN_IO, "iterator.open", "%s: is no regular file",
                   path);
}

/* Reads up to LENGTH bytes from OFFSET on; writes how many there were. */
static inline int32_t source_read(const nn_host *host, const char *path,
                                  int file, int64_t offset, void *bytes,
                                  size_t length, size_t *got)
{
    size_t done = 0;

    while (done < length) {
        ssize_t n = pread(file, (char *)bytes + done, length - done,
                          (off_t)(offset + (int64_t)done));

        if (n == 0)
            break;
        if (n > 0)
            done += (size_t)n;
        else if (errno != EINTR)
            return nn_fail(host, NN_IO, "iterator.read", "%s: %s", path,
                           strerror(errno));
    }
    *got = done;
    return NN_OK;
}

/* ----------------------------------------------------------------- shapes */

/* "(28, 28)"; any sizes are written as `any`. */
static inline const char *source_shape_text(const int64_t *shape, int64_t ndim,
                                            char text[SOURCE_SHAPE_TEXT])
{
    size_t used = 0;
    int64_t i;

    text[used++] = '(';
    for (i = 0; i < ndim; ++i) {
        if (i)
            used += (size_t)snprintf(text + used, 3, ", ");
        if (shape[i] < 0)
            used += (size_t)snprintf(text + used, 4, "any");
        else
            used += (size_t)snprintf(text + used, 20, "%lld",
                                     (long long)shape[i]);
    }
    text[used++] = ')';
    text[used] = '\0';
    return text;
}

/* True if the sizes of A fit those of B, where -1 of B is any. */
static inline int source_shapes_equal(const int64_t *a, int64_t a_ndim,
                                      const int64_t *b, int64_t b_ndim)
{
    int64_t i;

    if (a_ndim != b_ndim)
        return 0;
    for (i = 0; i < a_ndim; ++i)
        if (a[i] != b[i] && b[i] >= 0)
            return 0;
    return 1;
}

/* Copies the sizes other than 1 of SHAPE to OUT; returns how many. */
static inline int64_t source_squeeze(const int64_t *shape, int64_t ndim,
                                     int64_t *out)
{
    int64_t count = 0;
    int64_t i;

    for (i = 0; i < ndim; ++i)
        if (shape[i] != 1)
            out[count++] = shape[i];
    return count;
}

/* Product of NDIM sizes >= 1, or -1 if it exceeds int64. */
static inline int64_t source_product(const int64_t *shape, int64_t ndim)
{
    int64_t product = 1;
    int64_t i;

    for (i = 0; i < ndim; ++i)
        if (shape[i] < 0 || __builtin_mul_overflow(product, shape[i], &product))
            return -1;
    return product;
}

/* True if a sample of FIELD can be delivered in the shape WANTED.  FREE: only
 * the number of features has to agree. */
static inline int source_fits(const source_field *field, const nn_field *wanted,
                              int free)
{
    int64_t a[NN_MAX_DIMS];
    int64_t b[NN_MAX_DIMS];
    int64_t a_ndim;

    if (source_shapes_equal(field->file_shape, field->file_ndim, wanted->shape,
                            wanted->ndim))
        return 1;
    if (free && source_product(wanted->shape, wanted->ndim) == field->features)
        return 1;
    if (source_product(wanted->shape, wanted->ndim) < 0)
        return 0;
    a_ndim = source_squeeze(field->file_shape, field->file_ndim, a);
    return source_shapes_equal(a, a_ndim, b,
                               source_squeeze(wanted->shape, wanted->ndim, b));
}

/* Sets the shape that FIELD delivers to NDIM sizes of SHAPE, -1 of which are
 * taken from the file's. */
static inline void source_set_shape(source_field *field, const int64_t *shape,
                                    uint32_t ndim)
{
    uint32_t i;

    field->field.ndim = ndim;
    for (i = 0; i < ndim; ++i)
        field->field.shape[i] = shape[i] < 0 ? field->file_shape[i] : shape[i];
}

/* The type of a batch for numbers of FORMAT that nobody asked for. */
static inline uint32_t source_own_dtype(const number_format *format,
                                        uint32_t real)
{
    if (format->kind == NUMBER_FLOAT)
        return real;
    if (format->kind == NUMBER_UNSIGNED && format->bytes == 1)
        return NN_UINT8;
    return NN_INT32;
}

/* The description of NAME in REQUEST, or NULL. */
static inline const nn_field *source_wanted(const nn_iterator_request *request,
                                            const char *name)
{
    uint32_t i;

    for (i = 0; i < request->n_fields; ++i)
        if (strcmp(request->fields[i]->name, name) == 0)
            return request->fields[i];
    return NULL;
}

/* Settles type and shape in which FIELD is delivered, from its name, number
 * format and file_shape, and REQUEST.  A sample of no axes has one number. */
static inline int32_t source_match(const nn_iterator *self, source_field *field,
                                   int free, const nn_iterator_request *request)
{
    const nn_field *wanted = source_wanted(request, field->field.name);
    char has[SOURCE_SHAPE_TEXT];
    char wants[SOURCE_SHAPE_TEXT];

    if (field->file_ndim == 0)
        field->file_shape[field->file_ndim++] = 1;
    source_shape_text(field->file_shape, field->file_ndim, has);
    field->features = source_product(field->file_shape, field->file_ndim);
    if (field->features < 1 || field->file_ndim > SOURCE_MAX_NDIM)
        return nn_fail(self->host, NN_SHAPE, "iterator.shape",
                       "%s: samples of shape %s are empty, too large or have "
                       "more than %u axes",
                       field->path, has, SOURCE_MAX_NDIM);
    field->field.size = NN_SIZEOF(nn_field, shape);
    field->field.dtype = source_own_dtype(&field->number, request->real);
    source_set_shape(field, field->file_shape, (uint32_t)field->file_ndim);
    if (!wanted)
        return NN_OK;
    field->field.dtype = wanted->dtype == NN_REAL ? request->real
                                                  : wanted->dtype;
    if (wanted->ndim == 0)
        return NN_OK;
    if (!source_fits(field, wanted, free))
        return nn_fail(self->host, NN_SHAPE, "iterator.shape",
                       "%s: samples of field '%s' have shape %s, the network "
                       "wants %s",
                       field->path, field->field.name, has,
                       source_shape_text(wanted->shape, wanted->ndim, wants));
    source_set_shape(field, wanted->shape, wanted->ndim);
    return NN_OK;
}

/* ------------------------------------------------------------- conversion */

/* Says that number INDEX of sample SAMPLE cannot be delivered. */
static inline int32_t source_bad_number(const nn_host *host,
                                        const source_field *field,
                                        int64_t sample, double value)
{
    char text[32];

    return nn_fail(host, isfinite(value) ? NN_FORMAT : NN_NOT_FINITE,
                   "iterator.number",
                   "%s: sample %lld holds %s, which field '%s' cannot deliver "
                   "as %s",
                   field->path, (long long)sample, number_text(value, text),
                   field->field.name, number_dtype_name(field->field.dtype));
}

/* Converts COUNT bytes to DTYPE, which holds all of them. */
static inline void source_convert_bytes(const unsigned char *raw,
                                        uint32_t dtype, void *out,
                                        int64_t count)
{
    int64_t i;

    if (dtype == NN_UINT8)
        memcpy(out, raw, (size_t)count);
    else if (dtype == NN_INT32)
        for (i = 0; i < count; ++i)
            ((int32_t *)out)[i] = raw[i];
    else if (dtype == NN_FLOAT32)
        for (i = 0; i < count; ++i)
            ((float *)out)[i] = raw[i];
    else
        for (i = 0; i < count; ++i)
            ((double *)out)[i] = raw[i];
}

/* Copies COUNT float32 of this machine.  Returns the first that is not finite,
 * or -1. */
static inline int64_t source_convert_floats(const unsigned char *raw,
                                            float *out, int64_t count)
{
    float sum = 0;
    int64_t i;

    memcpy(out, raw, (size_t)count * sizeof *out);
    for (i = 0; i < count; ++i)
        sum += out[i] * 0.0f;
    for (i = 0; sum != 0.0f && i < count; ++i)
        if (!isfinite(out[i]))
            return i;
    return -1;
}

/* Converts RAW, sample SAMPLE (for messages, in the file) of FIELD, to OUT. */
static inline int32_t source_convert(const nn_host *host,
                                     const source_field *field, int64_t sample,
                                     const unsigned char *raw, void *out)
{
    const number_format *format = &field->number;
    uint32_t dtype = field->field.dtype;
    int64_t bad;
    int64_t i;

    if (format->kind == NUMBER_UNSIGNED && format->bytes == 1) {
        source_convert_bytes(raw, dtype, out, field->features);
        return NN_OK;
    }
    if (format->kind == NUMBER_FLOAT && format->bytes == 4 &&
        format->big == number_native_big() && dtype == NN_FLOAT32) {
        bad = source_convert_floats(raw, out, field->features);
        return bad < 0 ? NN_OK
                       : source_bad_number(host, field, sample,
                                           ((float *)out)[bad]);
    }
    for (i = 0; i < field->features; ++i, raw += format->bytes) {
        double value = number_load(raw, format);

        if (number_store(value, dtype, out, i))
            return source_bad_number(host, field, sample, value);
    }
    return NN_OK;
}

/* ----------------------------------------------------------- the iterator */

/* A sample that is kept in memory in C order. */
static inline const unsigned char *source_fetch_memory(const nn_host *host,
                                                       source_field *self,
                                                       int64_t sample)
{
    (void)host;
    return self->bytes + self->offset +
           sample * self->features * self->number.bytes;
}

/* Makes an iterator with the fields that NAMES (a MAP) names; WHO is the name
 * of the component. */
static inline int32_t source_create(const nn_host *host, const char *who,
                                    const nn_value *names,
                                    nn_iterator **iterator)
{
    nn_iterator *self = host->alloc(host, sizeof *self);
    uint32_t i;

    *iterator = self;
    if (!self)
        return NN_NO_MEMORY;
    self->host = host;
    self->who = who;
    if (names->count == 0)
        return nn_fail(host, NN_INVALID_ARGUMENT, "iterator.no-fields",
                       "%s: no field is named: write `NAME: FILE`", who);
    self->fields = host->alloc(host, names->count * sizeof *self->fields);
    self->list = host->alloc(host, names->count * sizeof *self->list);
    if (!self->fields || !self->list)
        return NN_NO_MEMORY;
    self->n_fields = names->count;
    for (i = 0; i < self->n_fields; ++i) {
        self->fields[i].field.name = names->keys[i];
        self->fields[i].file = -1;
        self->fields[i].fetch = source_fetch_memory;
        self->list[i] = &self->fields[i].field;
    }
    return NN_OK;
}

/* Releases SELF with all that its fields hold; NULL is fine. */
static inline void source_destroy(nn_iterator *self)
{
    uint32_t i;

    if (!self)
        return;
    for (i = 0; i < self->n_fields; ++i) {
        self->host->free(self->host, self->fields[i].bytes);
        self->host->free(self->host, self->fields[i].row);
        if (self->fields[i].file >= 0)
            close(self->fields[i].file);
    }
    self->host->free(self->host, self->fields);
    self->host->free(self->host, (void *)self->list);
    self->host->free(self->host, self);
}

/* The end of `create` with CODE, which is returned: a failed *ITERATOR is
 * destroyed. */
static inline int32_t source_end(int32_t code, nn_iterator **iterator)
{
    if (code) {
        source_destroy(*iterator);
        *iterator = NULL;
    }
    return code;
}

/* Checks that all files have the same number of samples, one at least, and
 * that RANGE (the parameter) lies within; sets first and n_samples. */
static inline int32_t source_settle_range(nn_iterator *self,
                                          const nn_value *range)
{
    const source_field *field = self->fields;
    int64_t count = field->count;
    int64_t end = count;
    uint32_t i;

    for (i = 1; i < self->n_fields; ++i)
        if (field[i].count != count)
            return nn_fail(self->host, NN_SHAPE, "iterator.counts",
                           "%s holds %lld samples, but %s holds %lld",
                           field[0].path, (long long)count, field[i].path,
                           (long long)field[i].count);
    if (count < 1)
        return nn_fail(self->host, NN_INVALID_ARGUMENT, "iterator.empty",
                       "%s: holds no samples", field[0].path);
    if (range->type != 0) {
        if (range->count != 2)
            return nn_fail(self->host, NN_INVALID_ARGUMENT, "iterator.range",
                           "%s: range has %u numbers; it is [first, end]",
                           self->who, range->count);
        self->first = range->items[0]->integer;
        end = range->items[1]->integer;
    }
    if (self->first < 0 || self->first >= end || end > count)
        return nn_fail(self->host, NN_INVALID_ARGUMENT, "iterator.range",
                       "%s: range [%lld, %lld] does not lie in the %lld "
                       "samples of %s",
                       self->who, (long long)self->first, (long long)end,
                       (long long)count, field[0].path);
    self->n_samples = end - self->first;
    return NN_OK;
}

static inline void source_describe(nn_iterator *self, nn_iterator_info *info)
{
    nn_iterator_info mine = {
        .n_fields = self->n_fields,
        .fields = self->list,
        .n_samples = self->n_samples,
        .max_T = 1,
        .max_B = 1,
        .can_seek = 1,
    };

    mine.n_batches = self->batches.count ? self->batches.count
                                         : self->n_samples;
    batches_give_info(&mine, info);
}

static inline int32_t source_start(nn_iterator *self, const nn_epoch *epoch)
{
    return batches_start(&self->batches, self->host, self->who, self->n_samples,
                         epoch);
}

static inline int32_t source_seek(nn_iterator *self, int64_t batch)
{
    return batches_seek(&self->batches, self->host, self->who, batch);
}

/* Writes the samples IDS of field INDEX to BATCH. */
static inline int32_t source_gather_field(nn_iterator *self, uint32_t index,
                                          const int64_t *ids, nn_batch *batch)
{
    source_field *field = &self->fields[index];
    int64_t bytes = field->features * nn_dtype_bytes(field->field.dtype);
    char *out = batch->data[index];
    int32_t code = NN_OK;
    int64_t i;

    for (i = 0; i < batch->B && !code; ++i, out += bytes) {
        const unsigned char *raw = field->fetch(self->host, field, ids[i]);

        code = raw ? source_convert(self->host, field, self->first + ids[i],
                                    raw, out)
                   : NN_IO;
    }
    return code;
}

static inline int32_t source_gather(nn_iterator *self, const nn_epoch *epoch,
                                    const int64_t *ids, nn_batch *batch)
{
    int32_t code = NN_OK;
    int64_t i;
    uint32_t k;

    (void)epoch;
    for (i = 0; i < batch->B; ++i)
        if (ids[i] < 0 || ids[i] >= self->n_samples)
            return nn_fail(self->host, NN_INVALID_ARGUMENT, "iterator.sample",
                           "%s: sample %lld is wanted, there are %lld",
                           self->who, (long long)ids[i],
                           (long long)self->n_samples);
    batch->T = 1;
    for (k = 0; k < self->n_fields && !code; ++k)
        code = source_gather_field(self, k, ids, batch);
    batches_give_ids(batch, ids);
    return code;
}

static inline int32_t source_next(nn_iterator *self, nn_batch *batch)
{
    int64_t id = 0;
    int32_t code = batches_take(&self->batches, self->host, self->who, &id);

    if (code)
        return code;
    batch->B = 1;
    return source_gather(self, &self->batches.epoch, &id, batch);
}

/* The interface of a source but for CREATE. */
#define SOURCE_INTERFACE(create_function)                                      \
    {                                                                          \
        .size = NN_SIZEOF(nn_iterator_interface, gather),                      \
        .create = create_function, .destroy = source_destroy,                  \
        .describe = source_describe, .start = source_start,                    \
        .next = source_next, .seek = source_seek, .gather = source_gather,     \
    }

#endif
