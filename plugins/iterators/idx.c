/* SPDX-License-Identifier: MIT */
/* idx.c - samples from IDX files, the format of MNIST and its relatives.
 *
 * Each field is a file, plain or packed by gzip, whose first axis counts the
 * samples.  A file is read twice: once to see that it holds exactly what its
 * header promises, and once to keep the samples of `range`; so memory is asked
 * for only after the data have proved to be there.  They are kept as the file
 * has them, one byte a pixel, and converted when they are asked for. */
#include "idx_parse.h"
#include "idx_stream.h"
#include "source.h"

enum { PARAM_FILES, PARAM_RANGE };

/* Opens the file of FIELD and reads its HEADER and, packed or not, its length,
 * which has to be the one promised. */
static int32_t scan_file(const nn_host *host, source_field *field,
                         idx_parse_header *header)
{
    unsigned char start[IDX_PARSE_HEADER];
    char message[IDX_PARSE_MESSAGE];
    idx_stream *stream = NULL;
    int64_t size;
    int64_t length = 0;
    size_t got = 0;
    size_t more = 0;
    int32_t code = source_open(host, field->path, &field->file, &size);

    if (!code)
        code = idx_stream_create(host, field->path, field->file, &stream);
    if (!code)
        code = idx_stream_read(stream, start, IDX_PARSE_PREFIX, &got);
    if (!code && got == IDX_PARSE_PREFIX && start[3] <= IDX_PARSE_NDIM)
        code = idx_stream_read(stream, start + got, 4u * start[3], &more);
    if (code)
        goto out;
    code = idx_parse_read(start, got + more, header, message);
    if (code) {
        nn_fail(host, code, "idx.header", "%s: %s", field->path, message);
        goto out;
    }
    code = idx_stream_skip(stream, header->data_bytes, &length);
    if (!code)
        code = idx_stream_read(stream, start, 1, &more);
    if (!code && (length < header->data_bytes || more > 0))
        code = nn_fail(host, NN_FORMAT, "idx.length",
                       "%s: the header promises %lld bytes of data, but %s",
                       field->path, (long long)header->data_bytes,
                       more ? "more follow" : "the file is truncated");
out:
    idx_stream_destroy(stream);
    return code;
}

/* What FIELD is, from its HEADER. */
static int32_t settle_field(const nn_iterator *self, source_field *field,
                            const idx_parse_header *header,
                            const nn_iterator_request *request)
{
    field->number = header->number;
    field->count = header->shape[0];
    field->file_ndim = header->ndim - 1;
    memcpy(field->file_shape, header->shape + 1,
           (size_t)field->file_ndim * sizeof *header->shape);
    return source_match(self, field, 0, request);
}

/* Keeps the samples of the range, and closes the file. */
static int32_t load_file(const nn_iterator *self, source_field *field,
                         const idx_parse_header *header)
{
    const nn_host *host = self->host;
    int64_t bytes = self->n_samples * header->sample_bytes;
    int64_t before = header->header_bytes + self->first * header->sample_bytes;
    idx_stream *stream = NULL;
    int64_t skipped = 0;
    size_t got = 0;
    int32_t code = NN_NO_MEMORY;

    field->bytes = host->alloc(host, (size_t)bytes);
    if (!field->bytes)
        goto out;
    code = idx_stream_create(host, field->path, field->file, &stream);
    if (!code)
        code = idx_stream_skip(stream, before, &skipped);
    if (!code)
        code = idx_stream_read(stream, field->bytes, (size_t)bytes, &got);
    if (!code && (int64_t)got < bytes)
        code = nn_fail(host, NN_IO, "idx.changed",
                       "%s: the file changed while it was read", field->path);
out:
    idx_stream_destroy(stream);
    close(field->file);
    field->file = -1;
    return code;
}

/* Reads all files of SELF into it. */
static int32_t read_files(nn_iterator *self, const nn_params *params,
                          const nn_iterator_request *request,
                          idx_parse_header *headers)
{
    const nn_value *files = nn_param_value(params, PARAM_FILES);
    int32_t code = NN_OK;
    uint32_t i;

    for (i = 0; i < self->n_fields && !code; ++i) {
        source_field *field = &self->fields[i];

        field->path = files->items[i]->text;
        code = scan_file(self->host, field, &headers[i]);
        if (!code)
            code = settle_field(self, field, &headers[i], request);
    }
    if (!code)
        code = source_settle_range(self, nn_param_value(params, PARAM_RANGE));
    for (i = 0; i < self->n_fields && !code; ++i)
        code = load_file(self, &self->fields[i], &headers[i]);
    return code;
}

static int32_t create(const nn_host *host, const nn_params *params,
                      const nn_iterator_request *request,
                      nn_iterator **iterator)
{
    const nn_value *files = nn_param_value(params, PARAM_FILES);
    idx_parse_header *headers = NULL;
    nn_iterator *self = NULL;
    int32_t code = source_create(host, "idx", files, &self);

    if (code)
        goto out;
    headers = host->alloc(host, files->count * sizeof *headers);
    code = headers ? read_files(self, params, request, headers) : NN_NO_MEMORY;
out:
    host->free(host, headers);
    if (code) {
        source_destroy(self);
        self = NULL;
    }
    *iterator = self;
    return code;
}

static const nn_iterator_interface interface = SOURCE_INTERFACE(create);

static const nn_param file_param = {
    .size = NN_SIZEOF(nn_param, fields),
    .type = NN_PARAM_FILE,
    .name = "file",
    .doc = "IDX file, plain or packed by gzip",
};

static const nn_param files_param = {
    .size = NN_SIZEOF(nn_param, fields),
    .type = NN_PARAM_MAP,
    .flags = NN_PARAM_REQUIRED | NN_PARAM_REST,
    .name = "files",
    .doc = "The file of each field, as `NAME: FILE`",
    .element = &file_param,
};

static const nn_param range_param = SOURCE_RANGE_PARAM;

static const nn_param *const params[] = {&files_param, &range_param};

static const nn_component component = {
    .size = NN_SIZEOF(nn_component, outputs),
    .kind = NN_KIND_ITERATOR,
    .n_params = sizeof params / sizeof *params,
    .name = "idx",
    .summary = "Samples from IDX files, as of MNIST, plain or gzip",
    .doc =
        "    idx: {images: train-images-idx3-ubyte.gz,\n"
        "          labels: train-labels-idx1-ubyte.gz, range: [0, 55000]}\n"
        "\n"
        "Every key but `range` names a field, and its value the file. The "
        "first axis of a file counts the samples, the others are the shape of "
        "a sample, which has to be the one that the network wants; axes of "
        "size 1 do not matter. A file of one axis has one number a sample.\n"
        "\n"
        "Numbers arrive as they stand in the file: bytes from 0 to 255. Set "
        "`scale` or `standardize` around to change that, and the same around "
        "training, validation and test data. For real fields they are "
        "converted to the network's type; integer fields want whole numbers. "
        "NaN and infinity are refused.\n"
        "\n"
        "A file must hold exactly what its header promises; all files must "
        "have the same number of samples. Samples come one by one, in the "
        "file's order; set `minibatches` around for more. The samples of "
        "`range` are kept in memory as the file has them.",
    .params = params,
    .interface = &interface,
};

static const nn_component *const components[] = {&component};

NN_PLUGIN_ENTRY(iterator_idx) = {
    NN_PLUGIN_HEAD,
    .id = "org.nervenet.iterator.idx",
    .name = "idx",
    .version = "0.1.0",
    .license = "MIT",
    .author = "Nervenet contributors",
    .summary = "Samples from IDX files, as of MNIST, plain or gzip",
    .n_components = 1,
    .components = components,
};
