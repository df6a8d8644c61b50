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
#include "source_files.h"

/* Opens the file of FIELD and reads its HEADER and, packed or not, its length,
 * which has to be the one promised. */
static int32_t read_header(const nn_host *host, source_field *field,
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
    if (!code)
        code = source_files_length(host, field, "idx.length",
                                   header->data_bytes, length, more > 0);
out:
    idx_stream_destroy(stream);
    return code;
}

/* Opens the file of FIELD, and settles what it is. */
static int32_t scan_file(const nn_iterator *self, source_field *field,
                         const nn_iterator_request *request, void *state)
{
    idx_parse_header *header = state;
    int32_t code = read_header(self->host, field, header);

    return code ? code
                : source_files_settle(self, field, request, &header->number,
                                      header->ndim, header->shape);
}

/* Keeps the samples of the range, and closes the file. */
static int32_t load_file(const nn_iterator *self, source_field *field,
                         void *state)
{
    const idx_parse_header *header = state;
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

static const source_files_reader reader = {
    .who = "idx",
    .state_bytes = sizeof(idx_parse_header),
    .scan = scan_file,
    .load = load_file,
};

static int32_t create(const nn_host *host, const nn_params *params,
                      const nn_iterator_request *request,
                      nn_iterator **iterator)
{
    return source_files_create(&reader, host, params, request, iterator);
}

static const nn_iterator_interface interface = SOURCE_INTERFACE(create);

static const nn_param file_param = {
    .size = NN_SIZEOF(nn_param, fields),
    .type = NN_PARAM_FILE,
    .name = "file",
    .doc = "IDX file, plain or packed by gzip",
};

static const nn_param files_param = SOURCE_FILES_PARAM(file_param);

static const nn_param range_param = SOURCE_RANGE_PARAM;

static const nn_param *const params[] = {
    [SOURCE_FILES_FILES] = &files_param, [SOURCE_FILES_RANGE] = &range_param};

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
