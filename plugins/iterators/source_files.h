/* SPDX-License-Identifier: MIT */
/* source_files.h - sources whose every field is a file of its own.
 *
 * The files are read in two rounds: each is scanned, which opens it and settles
 * what its field is; then, as the range of samples is known, each is loaded.
 * What a reader has to remember of a file between the two is its state. */
#ifndef ITERATORS_SOURCE_FILES_H
#define ITERATORS_SOURCE_FILES_H

#include "source.h"

/* The parameters of such a source. */
enum { SOURCE_FILES_FILES, SOURCE_FILES_RANGE };

/* What a format adds. */
typedef struct source_files_reader {
    const char *who;    /* name of the component */
    size_t state_bytes; /* of one file's state, which starts as zero */

    /* Opens the file of FIELD, checks it and settles the field. */
    int32_t (*scan)(const nn_iterator *self, source_field *field,
                    const nn_iterator_request *request, void *state);

    /* Keeps the samples of the range. */
    int32_t (*load)(const nn_iterator *self, source_field *field, void *state);

    /* Releases what STATE holds; absent: nothing. */
    void (*release)(void *state);
} source_files_reader;

/* The schema of the parameter `files`; FILE describes one. */
#define SOURCE_FILES_PARAM(file)                                               \
    {                                                                          \
        .size = NN_SIZEOF(nn_param, fields), .type = NN_PARAM_MAP,             \
        .flags = NN_PARAM_REQUIRED | NN_PARAM_REST, .name = "files",           \
        .doc = "The file of each field, as `NAME: FILE`", .element = &(file),  \
    }

/* Settles what FIELD is from the header of its file: numbers of FORMAT in an
 * array of NDIM >= 1 axes SHAPE, the first of which counts the samples. */
static inline int32_t source_files_settle(const nn_iterator *self,
                                          source_field *field,
                                          const nn_iterator_request *request,
                                          const number_format *format,
                                          uint32_t ndim, const int64_t *shape)
{
    field->number = *format;
    field->count = shape[0];
    field->file_ndim = ndim - 1;
    memcpy(field->file_shape, shape + 1,
           (size_t)field->file_ndim * sizeof *shape);
    return source_match(self, field, 0, request);
}

/* An error, called ID, unless just the PROMISED bytes of data came: GOT of
 * them, and no MORE behind. */
static inline int32_t source_files_length(const nn_host *host,
                                          const source_field *field,
                                          const char *id, int64_t promised,
                                          int64_t got, int more)
{
    if (got == promised && !more)
        return NN_OK;
    return nn_fail(host, NN_FORMAT, id,
                   "%s: the header promises %lld bytes of data, but %s",
                   field->path, (long long)promised,
                   more ? "more follow" : "the file is truncated");
}

/* Scans all files, settles the range and loads the files. */
static inline int32_t source_files_read(nn_iterator *self,
                                        const source_files_reader *reader,
                                        const nn_params *params,
                                        const nn_iterator_request *request,
                                        char *states)
{
    const nn_value *files = nn_param_value(params, SOURCE_FILES_FILES);
    int32_t code = NN_OK;
    uint32_t i;

    for (i = 0; i < self->n_fields && !code; ++i) {
        self->fields[i].path = files->items[i]->text;
        code = reader->scan(self, &self->fields[i], request,
                            states + i * reader->state_bytes);
    }
    if (!code)
        code = source_settle_range(self,
                                   nn_param_value(params, SOURCE_FILES_RANGE));
    for (i = 0; i < self->n_fields && !code; ++i)
        code = reader->load(self, &self->fields[i],
                            states + i * reader->state_bytes);
    return code;
}

/* The whole of `create`. */
static inline int32_t source_files_create(const source_files_reader *reader,
                                          const nn_host *host,
                                          const nn_params *params,
                                          const nn_iterator_request *request,
                                          nn_iterator **iterator)
{
    const nn_value *files = nn_param_value(params, SOURCE_FILES_FILES);
    int32_t code = source_create(host, reader->who, files, iterator);
    char *states;
    uint32_t i;

    if (code)
        return source_end(code, iterator);
    states = host->alloc(host, files->count * reader->state_bytes);
    code = states
               ? source_files_read(*iterator, reader, params, request, states)
               : NN_NO_MEMORY;
    for (i = 0; states && reader->release && i < files->count; ++i)
        reader->release(states + i * reader->state_bytes);
    host->free(host, states);
    return source_end(code, iterator);
}

#endif
