/* SPDX-License-Identifier: MIT */
/* npy.c - samples from arrays of NumPy, .npy files or members of .npz ones.
 *
 * The first axis of an array counts the samples.  A file is read twice: once
 * to see that it holds exactly what its header promises, and once to keep the
 * samples of `range`; so memory is asked for only after the data have proved
 * to be there.  Three ways to keep an array:
 *
 *   C order          the samples of the range, as the file has them;
 *   C order, large   a .npy file of more than LARGE bytes stays on disk, and
 *                    each sample is read when it is asked for;
 *   Fortran order    the whole array; number (j, k, ...) of sample s stands at
 *                    s + N (j + J (k + K ...)) for the shape (N, J, K, ...). */
#include "npy_input.h"
#include "npy_parse.h"
#include "source_files.h"

/* Bytes of data from which on a file is not read into memory. */
#define LARGE (INT64_C(256) * 1024 * 1024)

/* What create knows of one file. */
typedef struct npy_array {
    npy_input *input;
    npy_parse_header header;
    size_t header_bytes;
} npy_array;

static int32_t refused(const nn_host *host, const source_field *field,
                       int32_t code, const char *message)
{
    return nn_fail(host, code, "npy.header", "%s: %s", field->path, message);
}

/* Reads the header of ARRAY, which starts with the bytes PREFIX. */
static int32_t read_text(const nn_host *host, const source_field *field,
                         const unsigned char *prefix, npy_array *array)
{
    char message[NPY_PARSE_MESSAGE];
    unsigned char *bytes = host->alloc(host, array->header_bytes);
    size_t got = 0;
    int32_t code;

    if (!bytes)
        return NN_NO_MEMORY;
    memcpy(bytes, prefix, NPY_PARSE_PREFIX);
    code = npy_input_read(array->input, bytes + NPY_PARSE_PREFIX,
                          array->header_bytes - NPY_PARSE_PREFIX, &got);
    if (!code) {
        code = npy_parse_read(bytes, got + NPY_PARSE_PREFIX, &array->header,
                              message);
        if (code)
            refused(host, field, code, message);
    }
    host->free(host, bytes);
    return code;
}

/* Opens the file of FIELD and reads the header. */
static int32_t read_header(const nn_host *host, const source_field *field,
                           npy_array *array)
{
    char message[NPY_PARSE_MESSAGE];
    unsigned char prefix[NPY_PARSE_PREFIX];
    size_t got = 0;
    int32_t code = npy_input_create(host, field->path, field->field.name,
                                    &array->input);

    if (!code)
        code = npy_input_read(array->input, prefix, sizeof prefix, &got);
    if (code)
        return code;
    code = npy_parse_prefix(prefix, got, &array->header_bytes, message);
    if (code)
        return refused(host, field, code, message);
    code = read_text(host, field, prefix, array);
    if (!code && array->header.ndim == 0)
        return refused(host, field, NN_SHAPE,
                       "a single number, shape (), has no samples");
    return code;
}

/* Checks that just the promised data follow. */
static int32_t check_length(const nn_host *host, const source_field *field,
                            npy_array *array)
{
    unsigned char byte;
    int64_t length = 0;
    size_t more = 0;
    int32_t code = npy_input_skip(array->input, array->header.data_bytes,
                                  &length);

    if (!code)
        code = npy_input_read(array->input, &byte, 1, &more);
    if (!code)
        code = source_files_length(host, field, "npy.length",
                                   array->header.data_bytes, length, more > 0);
    return code;
}

/* Opens and checks the file of FIELD, and settles what it is. */
static int32_t scan_file(const nn_iterator *self, source_field *field,
                         const nn_iterator_request *request, void *state)
{
    npy_array *array = state;
    int32_t code = read_header(self->host, field, array);

    if (!code)
        code = check_length(self->host, field, array);
    return code ? code
                : source_files_settle(self, field, request,
                                      &array->header.number, array->header.ndim,
                                      array->header.shape);
}

/* --------------------------------------------------------------- samples */

/* A sample of an array in Fortran order, whose numbers lie apart. */
static const unsigned char *fetch_fortran(const nn_host *host,
                                          source_field *self, int64_t sample)
{
    size_t bytes = self->number.bytes;
    int64_t index[NN_MAX_DIMS] = {0};
    int64_t i;

    (void)host;
    for (i = 0; i < self->features; ++i) {
        int64_t place = 0;
        int64_t axis;

        for (axis = self->file_ndim - 1; axis >= 0; --axis)
            place = place * self->file_shape[axis] + index[axis];
        place = self->offset + sample + place * self->count;
        memcpy(self->row + (size_t)i * bytes,
               self->bytes + (size_t)place * bytes, bytes);
        for (axis = self->file_ndim - 1; axis >= 0; --axis) {
            if (++index[axis] < self->file_shape[axis])
                break;
            index[axis] = 0;
        }
    }
    return self->row;
}

/* A sample that is still in the file. */
static const unsigned char *fetch_file(const nn_host *host, source_field *self,
                                       int64_t sample)
{
    size_t bytes = (size_t)self->features * self->number.bytes;
    size_t got = 0;

    if (source_read(host, self->path, self->file,
                    self->offset + sample * (int64_t)bytes, self->row, bytes,
                    &got))
        return NULL;
    if (got < bytes) {
        nn_fail(host, NN_IO, "npy.changed", "%s: the file became shorter",
                self->path);
        return NULL;
    }
    return self->row;
}

/* Keeps COUNT bytes from byte BEFORE of the data on. */
static int32_t keep(const nn_host *host, source_field *field, npy_array *array,
                    int64_t before, int64_t count)
{
    int64_t skipped = 0;
    size_t got = 0;
    int32_t code;

    field->bytes = host->alloc(host, (size_t)count);
    if (!field->bytes)
        return NN_NO_MEMORY;
    code = npy_input_rewind(array->input);
    if (!code)
        code = npy_input_skip(array->input,
                              (int64_t)array->header_bytes + before, &skipped);
    if (!code)
        code = npy_input_read(array->input, field->bytes, (size_t)count, &got);
    if (!code && (int64_t)got < count)
        code = nn_fail(host, NN_IO, "npy.changed",
                       "%s: the file changed while it was read", field->path);
    return code;
}

/* Decides how FIELD is kept, and keeps it. */
static int32_t load_file(const nn_iterator *self, source_field *field,
                         void *state)
{
    npy_array *array = state;
    const nn_host *host = self->host;
    int64_t sample = field->features * field->number.bytes;
    int64_t before = self->first * sample;
    int fortran = array->header.fortran && field->features > 1;
    int large = !fortran && array->header.data_bytes > LARGE;

    if (large)
        field->file = npy_input_release_file(array->input);
    if (field->file < 0 && !fortran)
        return keep(host, field, array, before, self->n_samples * sample);
    field->row = host->alloc(host, (size_t)sample);
    if (!field->row)
        return NN_NO_MEMORY;
    if (fortran) {
        field->fetch = fetch_fortran;
        field->offset = self->first;
        return keep(host, field, array, 0, array->header.data_bytes);
    }
    field->fetch = fetch_file;
    field->offset = (int64_t)array->header_bytes + before;
    return NN_OK;
}

static void release(void *state)
{
    npy_array *array = state;

    npy_input_destroy(array->input);
}

static const source_files_reader reader = {
    .who = "npy",
    .state_bytes = sizeof(npy_array),
    .scan = scan_file,
    .load = load_file,
    .release = release,
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
    .doc = "FILE.npy, or FILE.npz for the array called like the field, or "
           "FILE.npz:NAME",
};

static const nn_param files_param = SOURCE_FILES_PARAM(file_param);

static const nn_param range_param = SOURCE_RANGE_PARAM;

static const nn_param *const params[] = {
    [SOURCE_FILES_FILES] = &files_param, [SOURCE_FILES_RANGE] = &range_param};

static const nn_component component = {
    .size = NN_SIZEOF(nn_component, outputs),
    .kind = NN_KIND_ITERATOR,
    .n_params = sizeof params / sizeof *params,
    .name = "npy",
    .summary = "Samples from arrays of NumPy, .npy or .npz",
    .doc =
        "    npy: {x: inputs.npy, y: data.npz, labels: data.npz:targets}\n"
        "\n"
        "Every key but `range` names a field, and its value the file. "
        "`FILE.npz` stands for the array of that archive that is called like "
        "the field, `FILE.npz:NAME` for array NAME. The first axis of an array "
        "counts the samples, the others are the shape of a sample, which has "
        "to be the one that the network wants; axes of size 1 do not matter. "
        "An array of one axis has one number a sample.\n"
        "\n"
        "Read are versions 1 to 3 of the format; integers of 1 to 8 bytes, "
        "truth values, and floating point numbers of 2, 4 and 8 bytes, in "
        "either byte order; C and Fortran order. Python objects and records "
        "are refused. For real fields numbers are converted to the network's "
        "type. Integer fields want whole numbers in the range of the type: "
        "labels may be float64 or int64, but 1.5 is an error that names the "
        "sample. NaN and infinity are refused.\n"
        "\n"
        "A file must hold exactly what its header promises; all files must "
        "have the same number of samples. Samples come one by one, in the "
        "file's order; set `minibatches` around for more. The samples of "
        "`range` are kept in memory as the file has them, an array in Fortran "
        "order as a whole. Of a .npy file in C order with more than 256 MiB "
        "of data nothing is kept: its samples are read when they are wanted.",
    .params = params,
    .interface = &interface,
};

static const nn_component *const components[] = {&component};

NN_PLUGIN_ENTRY(iterator_npy) = {
    NN_PLUGIN_HEAD,
    .id = "org.nervenet.iterator.npy",
    .name = "npy",
    .version = "0.1.0",
    .license = "MIT",
    .author = "Nervenet contributors",
    .summary = "Samples from arrays of NumPy, .npy or .npz",
    .n_components = 1,
    .components = components,
};
