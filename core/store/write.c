/* SPDX-License-Identifier: MIT */
/* write.c - the writer of checkpoints; format.h has the format.
 *
 * The header tells the place and checksum of every tensor, so their bytes are
 * read twice: once for the checksums, once to be written.  They are not to
 * change in between. */
#include <stdlib.h>
#include <string.h>

#include <nn/shape.h>

#include "core/store/contents.h"
#include "core/store/file.h"
#include "core/store/format.h"
#include "core/util/checked.h"
#include "core/util/error.h"
#include "core/util/pack.h"

#define PIECE_BYTES 4096

struct nn_checkpoint_writer {
    nn_contents contents;
};

int32_t nn_checkpoint_writer_create(nn_checkpoint_writer **out)
{
    nn_checkpoint_writer *writer = calloc(1, sizeof *writer);
    int32_t code;

    *out = NULL;
    if (!writer)
        return nn_error_no_memory("a checkpoint", sizeof *writer);
    code = nn_contents_init(&writer->contents, NN_INVALID_ARGUMENT);
    if (code) {
        free(writer);
        return code;
    }
    *out = writer;
    return NN_OK;
}

void nn_checkpoint_writer_destroy(nn_checkpoint_writer *writer)
{
    if (!writer)
        return;
    nn_contents_finish(&writer->contents);
    free(writer);
}

/* ---- what is written ---------------------------------------------------- */

/* Adds VALUE with KEY, and with TEXT if that is what it is; both are copied. */
static int32_t put_value(nn_checkpoint_writer *writer, nn_stored_value value,
                         const char *key, const char *text)
{
    nn_arena *arena = writer->contents.arena;

    value.key = nn_arena_string(arena, key);
    if (value.type == NN_VALUE_TEXT)
        value.text = nn_arena_string(arena, text);
    if (!value.key || (value.type == NN_VALUE_TEXT && !value.text))
        return NN_NO_MEMORY;
    return nn_contents_add_value(&writer->contents, &value);
}

int32_t nn_checkpoint_put_text(nn_checkpoint_writer *writer, const char *key,
                               const char *text)
{
    const nn_stored_value value = {.type = NN_VALUE_TEXT};

    return put_value(writer, value, key, text);
}

int32_t nn_checkpoint_put_int(nn_checkpoint_writer *writer, const char *key,
                              int64_t value)
{
    const nn_stored_value stored = {.type = NN_VALUE_INT, .integer = value};

    return put_value(writer, stored, key, NULL);
}

int32_t nn_checkpoint_put_real(nn_checkpoint_writer *writer, const char *key,
                               double value)
{
    const nn_stored_value stored = {.type = NN_VALUE_REAL, .real = value};

    return put_value(writer, stored, key, NULL);
}

int32_t nn_checkpoint_put_tensor(nn_checkpoint_writer *writer,
                                 const nn_tensor *tensor)
{
    nn_stored_tensor stored = {.tensor = *tensor};

    stored.tensor.group = nn_arena_string(writer->contents.arena,
                                          tensor->group);
    stored.tensor.name = nn_arena_string(writer->contents.arena, tensor->name);
    if (!stored.tensor.group || !stored.tensor.name)
        return NN_NO_MEMORY;
    return nn_contents_add_tensor(&writer->contents, &stored);
}

/* ---- bytes of a tensor -------------------------------------------------- */

/* Takes COUNT bytes of a tensor as the file has them. */
typedef void piece_function(void *self, const void *bytes, size_t count);

/* Hands the bytes of TENSOR in the order of the file to USE. */
static void tensor_bytes(const nn_tensor *tensor, piece_function *use,
                         void *self)
{
    const uint8_t *next = tensor->data;
    int64_t width = nn_dtype_bytes(tensor->dtype);
    uint8_t piece[PIECE_BYTES];
    int64_t left;
    int64_t count;

    if (!nn_big_endian()) {
        use(self, next, (size_t)tensor->bytes);
        return;
    }
    for (left = tensor->bytes; left; left -= count, next += count) {
        count = left < PIECE_BYTES ? left : PIECE_BYTES;
        memcpy(piece, next, (size_t)count);
        nn_swap_bytes(piece, count / width, width);
        use(self, piece, (size_t)count);
    }
}

static void use_for_crc(void *self, const void *bytes, size_t count)
{
    uint32_t *crc = self;

    *crc = nn_crc32(*crc, bytes, (int64_t)count);
}

static void use_for_output(void *self, const void *bytes, size_t count)
{
    nn_output_put(self, bytes, count);
}

/* ---- the file ----------------------------------------------------------- */

/* Places the tensors one after the other, with their checksums.  *END is
 * where their data end. */
static int32_t place_tensors(nn_contents *contents, int64_t *end)
{
    uint32_t i;

    *end = 0;
    for (i = 0; i < contents->n_tensors; ++i) {
        nn_stored_tensor *stored = &contents->tensors[i];

        if (*end > INT64_MAX / 2 - NN_CHECKPOINT_ALIGNMENT)
            break;
        stored->offset = nn_align_up(*end, NN_CHECKPOINT_ALIGNMENT);
        if (!nn_checked_add(stored->offset, stored->tensor.bytes, end))
            break;
        stored->crc = 0;
        tensor_bytes(&stored->tensor, use_for_crc, &stored->crc);
    }
    if (i == contents->n_tensors && *end <= INT64_MAX / 2)
        return NN_OK;
    return nn_error_set(NN_INVALID_ARGUMENT, "checkpoint.too-large",
                        "the tensors of the checkpoint are too large");
}

static void pack_value(nn_text *out, const nn_stored_value *value)
{
    nn_pack_text(out, value->key);
    switch (value->type) {
    case NN_VALUE_TEXT:
        nn_pack_text(out, value->text);
        break;
    case NN_VALUE_INT:
        nn_pack_int(out, value->integer);
        break;
    case NN_VALUE_REAL:
        nn_pack_real(out, value->real);
        break;
    }
}

static void pack_tensor(nn_text *out, const nn_stored_tensor *stored)
{
    const nn_tensor *tensor = &stored->tensor;
    uint32_t i;

    nn_pack_map(out, 7);
    nn_pack_text(out, "group");
    nn_pack_text(out, tensor->group);
    nn_pack_text(out, "name");
    nn_pack_text(out, tensor->name);
    nn_pack_text(out, "dtype");
    nn_pack_text(out, nn_dtype_name(tensor->dtype));
    nn_pack_text(out, "shape");
    nn_pack_array(out, tensor->ndim);
    for (i = 0; i < tensor->ndim; ++i)
        nn_pack_int(out, tensor->shape[i]);
    nn_pack_text(out, "offset");
    nn_pack_int(out, stored->offset);
    nn_pack_text(out, "bytes");
    nn_pack_int(out, tensor->bytes);
    nn_pack_text(out, "crc32");
    nn_pack_uint(out, stored->crc);
}

static int32_t pack_header(const nn_contents *contents, nn_text *out)
{
    int32_t code;
    uint32_t i;

    nn_pack_map(out, 2);
    nn_pack_text(out, "values");
    nn_pack_map(out, contents->n_values);
    for (i = 0; i < contents->n_values; ++i)
        pack_value(out, &contents->values[i]);
    nn_pack_text(out, "tensors");
    nn_pack_array(out, contents->n_tensors);
    for (i = 0; i < contents->n_tensors; ++i)
        pack_tensor(out, &contents->tensors[i]);
    code = nn_text_status(out);
    if (!code && out->length > (size_t)NN_CHECKPOINT_HEADER)
        code = nn_error_set(NN_INVALID_ARGUMENT, "checkpoint.too-large",
                            "names, texts and numbers of the checkpoint are "
                            "more than %d MiB",
                            (int)(NN_CHECKPOINT_HEADER >> 20));
    return code;
}

static void put_prelude(nn_output *output, const nn_text *header, int64_t total)
{
    uint8_t prelude[NN_CHECKPOINT_PRELUDE] = NN_CHECKPOINT_MAGIC;

    nn_little_put(prelude + 8, NN_CHECKPOINT_VERSION, 4);
    nn_little_put(prelude + 12,
                  nn_crc32(0, header->data, (int64_t)header->length), 4);
    nn_little_put(prelude + 16, (uint64_t)total, 8);
    nn_little_put(prelude + 24, header->length, 8);
    nn_little_put(prelude + 32, nn_crc32(0, prelude, 32), 4);
    nn_output_put(output, prelude, sizeof prelude);
}

/* Zeros from FROM up to TO, less than an alignment away. */
static void put_zeros(nn_output *output, int64_t from, int64_t to)
{
    static const uint8_t zeros[NN_CHECKPOINT_ALIGNMENT];

    nn_output_put(output, zeros, (size_t)(to - from));
}

/* The whole file, with data that end at END. */
static void put_all(nn_output *output, const nn_contents *contents,
                    const nn_text *header, int64_t end)
{
    int64_t head = NN_CHECKPOINT_PRELUDE + (int64_t)header->length;
    int64_t data = nn_align_up(head, NN_CHECKPOINT_ALIGNMENT);
    uint8_t crc[4];
    int64_t at = 0;
    uint32_t i;

    put_prelude(output, header, data + end + NN_CHECKPOINT_FOOTER);
    nn_output_put(output, header->data, header->length);
    put_zeros(output, head, data);
    for (i = 0; i < contents->n_tensors; ++i) {
        const nn_stored_tensor *stored = &contents->tensors[i];

        put_zeros(output, at, stored->offset);
        tensor_bytes(&stored->tensor, use_for_output, output);
        at = stored->offset + stored->tensor.bytes;
    }
    nn_output_put(output, NN_CHECKPOINT_MARK, 8);
    nn_little_put(crc, nn_output_crc(output), 4);
    nn_output_put(output, crc, 4);
}

int32_t nn_checkpoint_write(nn_checkpoint_writer *writer, const char *path)
{
    nn_contents *contents = &writer->contents;
    nn_output *output = NULL;
    nn_text header = {0};
    int64_t end = 0;
    int32_t code = nn_contents_sort(contents);

    if (!code)
        code = place_tensors(contents, &end);
    if (!code)
        code = pack_header(contents, &header);
    if (!code)
        code = nn_output_create(path, &output);
    if (!code)
        put_all(output, contents, &header, end);
    code = nn_output_finish(output, code);
    nn_text_finish(&header);
    return code;
}
