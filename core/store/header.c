/* SPDX-License-Identifier: MIT */
/* header.c - the msgpack header of a checkpoint to lists of values and
 * tensors.  Every length is judged by the bytes that are left (pack.h) and
 * lists grow by what was read, so memory is a small multiple of the header. */
#include <inttypes.h>
#include <string.h>

#include "core/store/format.h"
#include "core/store/read.h"
#include "core/util/error.h"
#include "core/util/pack.h"

/* What the table must say of a tensor, in bits of `seen`. */
enum {
    SEEN_GROUP = 1,
    SEEN_NAME = 2,
    SEEN_DTYPE = 4,
    SEEN_SHAPE = 8,
    SEEN_OFFSET = 16,
    SEEN_BYTES = 32,
    SEEN_CRC = 64,
    SEEN_ALL = 127
};

/* Where reading stands. */
typedef struct reading {
    nn_unpack unpack;
    nn_contents *contents;
    const uint8_t *file;
    const nn_extent *extent;
    int64_t taken; /* of the data, by the tensors so far */
    int32_t code;  /* of the first failure that is not one of `unpack` */
} reading;

/* Whether reading may go on. */
static int good(const reading *in)
{
    return !in->code && !in->unpack.problem;
}

/* 1 if the LENGTH bytes at TEXT are WORD. */
static int is_word(const char *text, size_t length, const char *word)
{
    return text && strlen(word) == length && memcmp(text, word, length) == 0;
}

/* A copy of the next value, a text, with an end; NULL on failure. */
static const char *take_text(reading *in)
{
    size_t length;
    const char *text = nn_unpack_text(&in->unpack, &length);
    char *copy;

    if (!text)
        return NULL;
    copy = nn_arena_alloc(in->contents->arena, (int64_t)length + 1, 1);
    if (!copy)
        in->code = NN_NO_MEMORY;
    else
        memcpy(copy, text, length);
    return copy;
}

/* ---- values ------------------------------------------------------------- */

/* The value that starts here.  Returns 0 if it has a type that is not used,
 * and is passed over, or on failure. */
static int take_value(reading *in, nn_stored_value *value)
{
    nn_unpack ahead = in->unpack;
    nn_unpack_item item;

    if (!nn_unpack_next(&ahead, &item)) {
        in->unpack = ahead;
        return 0;
    }
    if (item.type == NN_UNPACK_TEXT) {
        value->type = NN_VALUE_TEXT;
        value->text = take_text(in);
    } else if (item.type == NN_UNPACK_UINT || item.type == NN_UNPACK_INT) {
        value->type = NN_VALUE_INT;
        value->integer = nn_unpack_int(&in->unpack);
    } else if (item.type == NN_UNPACK_REAL) {
        value->type = NN_VALUE_REAL;
        value->real = nn_unpack_real(&in->unpack);
    } else {
        nn_unpack_skip(&in->unpack);
        return 0;
    }
    return good(in);
}

static void take_values(reading *in)
{
    uint32_t count = nn_unpack_map(&in->unpack, UINT32_MAX);

    for (; count && good(in); --count) {
        nn_stored_value value = {0};

        value.key = take_text(in);
        if (good(in) && take_value(in, &value))
            in->code = nn_contents_add_value(in->contents, &value);
    }
    nn_unpack_leave(&in->unpack);
}

/* ---- tensors ------------------------------------------------------------ */

static void take_shape(reading *in, nn_tensor *tensor)
{
    uint32_t i;

    tensor->ndim = nn_unpack_array(&in->unpack, NN_MAX_DIMS);
    for (i = 0; i < tensor->ndim; ++i)
        tensor->shape[i] = (int64_t)nn_unpack_uint(&in->unpack, INT64_MAX);
    nn_unpack_leave(&in->unpack);
}

static void take_dtype(reading *in, nn_tensor *tensor)
{
    size_t length;
    const char *name = nn_unpack_text(&in->unpack, &length);

    tensor->dtype = name ? nn_dtype_named(name, length) : 0;
    if (name && !tensor->dtype)
        nn_unpack_fail(&in->unpack, "it has an unknown element type");
}

/* The value of the key of LENGTH bytes at KEY.  Returns its bit, 0 for a key
 * that is not used, whose value is passed over. */
static uint32_t take_field(reading *in, const char *key, size_t length,
                           nn_stored_tensor *stored)
{
    nn_tensor *tensor = &stored->tensor;

    if (is_word(key, length, "group")) {
        tensor->group = take_text(in);
        return SEEN_GROUP;
    }
    if (is_word(key, length, "name")) {
        tensor->name = take_text(in);
        return SEEN_NAME;
    }
    if (is_word(key, length, "dtype")) {
        take_dtype(in, tensor);
        return SEEN_DTYPE;
    }
    if (is_word(key, length, "shape")) {
        take_shape(in, tensor);
        return SEEN_SHAPE;
    }
    if (is_word(key, length, "offset")) {
        stored->offset = (int64_t)nn_unpack_uint(&in->unpack, INT64_MAX);
        return SEEN_OFFSET;
    }
    if (is_word(key, length, "bytes")) {
        tensor->bytes = (int64_t)nn_unpack_uint(&in->unpack, INT64_MAX);
        return SEEN_BYTES;
    }
    if (is_word(key, length, "crc32")) {
        stored->crc = (uint32_t)nn_unpack_uint(&in->unpack, UINT32_MAX);
        return SEEN_CRC;
    }
    nn_unpack_skip(&in->unpack);
    return 0;
}

/* Finds the data of STORED: behind those of the tensor before, within the
 * file, at a place that is aligned. */
static void place_tensor(reading *in, nn_stored_tensor *stored)
{
    int64_t room = in->extent->end - in->extent->data;
    int64_t offset = stored->offset;

    if (offset < in->taken || stored->tensor.bytes > room - offset)
        nn_unpack_fail(&in->unpack, "it has a tensor outside of its place");
    else if (offset % NN_CHECKPOINT_ALIGNMENT)
        nn_unpack_fail(&in->unpack, "it has a tensor that is not aligned");
    else
        stored->tensor.data = in->file + in->extent->data + offset;
    in->taken = offset + (good(in) ? stored->tensor.bytes : 0);
}

static void take_tensor(reading *in)
{
    uint32_t count = nn_unpack_map(&in->unpack, UINT32_MAX);
    nn_stored_tensor stored = {0};
    uint32_t seen = 0;

    for (; count && good(in); --count) {
        size_t length;
        const char *key = nn_unpack_text(&in->unpack, &length);
        uint32_t bit = key ? take_field(in, key, length, &stored) : 0;

        if (seen & bit)
            nn_unpack_fail(&in->unpack, "it has a tensor with a key twice");
        seen |= bit;
    }
    nn_unpack_leave(&in->unpack);
    if (seen != SEEN_ALL)
        nn_unpack_fail(&in->unpack, "it has a tensor that lacks a key");
    if (good(in))
        place_tensor(in, &stored);
    if (good(in))
        in->code = nn_contents_add_tensor(in->contents, &stored);
}

static void take_tensors(reading *in)
{
    uint32_t count = nn_unpack_array(&in->unpack, UINT32_MAX);

    for (; count && good(in); --count)
        take_tensor(in);
    nn_unpack_leave(&in->unpack);
}

/* ---- header ------------------------------------------------------------- */

static void take_header(reading *in)
{
    uint32_t count = nn_unpack_map(&in->unpack, UINT32_MAX);
    uint32_t values = 0;
    uint32_t tensors = 0;

    for (; count && good(in); --count) {
        size_t length;
        const char *key = nn_unpack_text(&in->unpack, &length);

        if (is_word(key, length, "values") && !values++)
            take_values(in);
        else if (is_word(key, length, "tensors") && !tensors++)
            take_tensors(in);
        else if (is_word(key, length, "values") ||
                 is_word(key, length, "tensors"))
            nn_unpack_fail(&in->unpack, "it has a key twice");
        else
            nn_unpack_skip(&in->unpack);
    }
    nn_unpack_leave(&in->unpack);
    if (!values || !tensors)
        nn_unpack_fail(&in->unpack, "it lacks its values or tensors");
}

int32_t nn_checkpoint_header(const uint8_t *bytes, const nn_extent *extent,
                             nn_contents *contents)
{
    reading in = {.contents = contents, .file = bytes, .extent = extent};

    nn_unpack_start(&in.unpack, bytes + NN_CHECKPOINT_PRELUDE,
                    (size_t)extent->header, NN_CHECKPOINT_DEPTH);
    take_header(&in);
    if (!in.code && !nn_unpack_finished(&in.unpack))
        in.code = nn_error_set(NN_FORMAT, "checkpoint.header",
                               "its header is malformed at byte %" PRId64
                               ": %s",
                               (int64_t)(in.unpack.next - bytes),
                               in.unpack.problem);
    if (!in.code)
        in.code = nn_contents_sort(contents);
    return in.code;
}
