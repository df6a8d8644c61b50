/* SPDX-License-Identifier: MIT */
/* pack.c - see pack.h.
 *
 * Every read first asks whether the bytes are there (`take`), so there is one
 * place that could run past the end.  An array of n values needs at least n
 * bytes and a map of n pairs 2n, which is why a count is judged by what is
 * left before anybody makes room for it. */
#include "core/util/pack.h"

#include <string.h>

#include <msgpack/pack.h>

/* ---- writing ------------------------------------------------------------ */

/* msgpack_packer's callback: failure is kept by the text. */
static int write_bytes(void *data, const char *bytes, size_t length)
{
    nn_text_append_bytes(data, bytes, length);
    return 0;
}

void nn_pack_nil(nn_text *out)
{
    msgpack_packer packer = {out, write_bytes};

    msgpack_pack_nil(&packer);
}

void nn_pack_bool(nn_text *out, int32_t value)
{
    msgpack_packer packer = {out, write_bytes};

    if (value)
        msgpack_pack_true(&packer);
    else
        msgpack_pack_false(&packer);
}

void nn_pack_uint(nn_text *out, uint64_t value)
{
    msgpack_packer packer = {out, write_bytes};

    msgpack_pack_uint64(&packer, value);
}

void nn_pack_int(nn_text *out, int64_t value)
{
    msgpack_packer packer = {out, write_bytes};

    msgpack_pack_int64(&packer, value);
}

void nn_pack_real(nn_text *out, double value)
{
    msgpack_packer packer = {out, write_bytes};

    msgpack_pack_double(&packer, value);
}

void nn_pack_text(nn_text *out, const char *string)
{
    msgpack_packer packer = {out, write_bytes};

    if (!string)
        msgpack_pack_nil(&packer);
    else
        msgpack_pack_str_with_body(&packer, string, strlen(string));
}

void nn_pack_bytes(nn_text *out, const void *bytes, size_t length)
{
    msgpack_packer packer = {out, write_bytes};

    msgpack_pack_bin_with_body(&packer, bytes, length);
}

void nn_pack_array(nn_text *out, uint32_t count)
{
    msgpack_packer packer = {out, write_bytes};

    msgpack_pack_array(&packer, count);
}

void nn_pack_map(nn_text *out, uint32_t count)
{
    msgpack_packer packer = {out, write_bytes};

    msgpack_pack_map(&packer, count);
}

/* ---- reading ------------------------------------------------------------ */

void nn_unpack_start(nn_unpack *unpack, const void *bytes, size_t length,
                     uint32_t depth)
{
    unpack->start = bytes;
    unpack->next = bytes;
    unpack->end = length ? unpack->start + length : unpack->start;
    unpack->depth = depth;
    unpack->problem = NULL;
}

void nn_unpack_fail(nn_unpack *unpack, const char *problem)
{
    if (!unpack->problem)
        unpack->problem = problem;
}

static size_t left(const nn_unpack *unpack)
{
    return (size_t)(unpack->end - unpack->next);
}

/* The next LENGTH bytes, or NULL if fewer are left. */
static const uint8_t *take(nn_unpack *unpack, uint64_t length)
{
    const uint8_t *bytes = unpack->next;

    if (unpack->problem || length > left(unpack)) {
        nn_unpack_fail(unpack, "it is cut off");
        return NULL;
    }
    unpack->next += length;
    return bytes;
}

/* The next WIDTH (1, 2, 4, 8) bytes as a number, most significant first. */
static uint64_t take_number(nn_unpack *unpack, uint32_t width)
{
    const uint8_t *bytes = take(unpack, width);
    uint64_t value = 0;
    uint32_t i;

    for (i = 0; bytes && i < width; ++i)
        value = value << 8 | bytes[i];
    return value;
}

static void take_signed(nn_unpack *unpack, nn_unpack_item *item, uint32_t width)
{
    uint64_t value = take_number(unpack, width);
    uint64_t sign = (uint64_t)1 << (8 * width - 1);

    item->type = NN_UNPACK_UINT;
    item->natural = value;
    if (value & sign) {
        item->type = NN_UNPACK_INT;
        item->natural = 0;
        /* -(2^bits - value), without a step out of range. */
        item->integer = -(int64_t)((sign - 1) - (value & (sign - 1))) - 1;
    }
}

static void take_real(nn_unpack *unpack, nn_unpack_item *item, uint32_t width)
{
    uint64_t bits = take_number(unpack, width);
    uint32_t half = (uint32_t)bits;
    float single;

    item->type = NN_UNPACK_REAL;
    if (width == 4) {
        memcpy(&single, &half, sizeof single);
        item->real = single;
    } else {
        memcpy(&item->real, &bits, sizeof item->real);
    }
}

static void take_bytes(nn_unpack *unpack, nn_unpack_item *item,
                       enum nn_unpack_type type, uint64_t length)
{
    item->type = type;
    item->bytes = take(unpack, length);
    item->length = item->bytes ? (size_t)length : 0;
}

static void take_head(nn_unpack *unpack, nn_unpack_item *item,
                      enum nn_unpack_type type, uint64_t count)
{
    uint64_t least = type == NN_UNPACK_MAP ? 2 * count : count;

    item->type = type;
    item->count = (uint32_t)count;
    if (least > left(unpack))
        nn_unpack_fail(unpack, "it counts more than it holds");
}

/* Values whose first byte says all or part of them: BYTE is it. */
static int32_t take_short(nn_unpack *unpack, nn_unpack_item *item, uint8_t byte)
{
    if (byte < 0x80 || byte >= 0xe0) {
        item->type = byte < 0x80 ? NN_UNPACK_UINT : NN_UNPACK_INT;
        item->natural = byte < 0x80 ? byte : 0;
        item->integer = byte < 0x80 ? 0 : (int64_t)byte - 256;
    } else if (byte < 0x90) {
        take_head(unpack, item, NN_UNPACK_MAP, byte & 15u);
    } else if (byte < 0xa0) {
        take_head(unpack, item, NN_UNPACK_ARRAY, byte & 15u);
    } else if (byte < 0xc0) {
        take_bytes(unpack, item, NN_UNPACK_TEXT, byte & 31u);
    } else {
        return 0;
    }
    return 1;
}

/* Values from 0xc0 to 0xdf, which have a fixed form each. */
static void take_long(nn_unpack *unpack, nn_unpack_item *item, uint8_t byte)
{
    uint32_t width;

    switch (byte) {
    case 0xc0:
        item->type = NN_UNPACK_NIL;
        break;
    case 0xc2:
    case 0xc3:
        item->type = NN_UNPACK_BOOL;
        item->natural = byte & 1u;
        break;
    case 0xc4:
    case 0xc5:
    case 0xc6:
        width = 1u << (byte - 0xc4);
        take_bytes(unpack, item, NN_UNPACK_BYTES, take_number(unpack, width));
        break;
    case 0xca:
    case 0xcb:
        take_real(unpack, item, byte == 0xca ? 4 : 8);
        break;
    case 0xcc:
    case 0xcd:
    case 0xce:
    case 0xcf:
        item->type = NN_UNPACK_UINT;
        item->natural = take_number(unpack, 1u << (byte - 0xcc));
        break;
    case 0xd0:
    case 0xd1:
    case 0xd2:
    case 0xd3:
        take_signed(unpack, item, 1u << (byte - 0xd0));
        break;
    case 0xd9:
    case 0xda:
    case 0xdb:
        width = 1u << (byte - 0xd9);
        take_bytes(unpack, item, NN_UNPACK_TEXT, take_number(unpack, width));
        break;
    case 0xdc:
    case 0xdd:
        width = byte == 0xdc ? 2 : 4;
        take_head(unpack, item, NN_UNPACK_ARRAY, take_number(unpack, width));
        break;
    case 0xde:
    case 0xdf:
        width = byte == 0xde ? 2 : 4;
        take_head(unpack, item, NN_UNPACK_MAP, take_number(unpack, width));
        break;
    default:
        nn_unpack_fail(unpack, "it has a value of a type that is not used");
    }
}

int32_t nn_unpack_next(nn_unpack *unpack, nn_unpack_item *item)
{
    const uint8_t *start = unpack->next;
    const uint8_t *byte;

    memset(item, 0, sizeof *item);
    byte = take(unpack, 1);
    if (byte && !take_short(unpack, item, *byte))
        take_long(unpack, item, *byte);
    if (!unpack->problem)
        return 1;
    unpack->next = start;
    memset(item, 0, sizeof *item);
    return 0;
}

int32_t nn_unpack_nil(nn_unpack *unpack)
{
    if (unpack->problem || !left(unpack) || *unpack->next != 0xc0)
        return 0;
    ++unpack->next;
    return 1;
}

/* The next value if it is of TYPE. */
static int32_t next_of(nn_unpack *unpack, enum nn_unpack_type type,
                       nn_unpack_item *item)
{
    const uint8_t *start = unpack->next;

    if (!nn_unpack_next(unpack, item))
        return 0;
    if (item->type == type)
        return 1;
    unpack->next = start;
    nn_unpack_fail(unpack, "it has a value of the wrong type");
    return 0;
}

int32_t nn_unpack_bool(nn_unpack *unpack)
{
    nn_unpack_item item;

    return next_of(unpack, NN_UNPACK_BOOL, &item) ? (int32_t)item.natural : 0;
}

uint64_t nn_unpack_uint(nn_unpack *unpack, uint64_t maximum)
{
    nn_unpack_item item;

    if (!next_of(unpack, NN_UNPACK_UINT, &item))
        return 0;
    if (item.natural <= maximum)
        return item.natural;
    nn_unpack_fail(unpack, "it has a number out of range");
    return 0;
}

int64_t nn_unpack_int(nn_unpack *unpack)
{
    nn_unpack_item item;

    if (!nn_unpack_next(unpack, &item))
        return 0;
    if (item.type == NN_UNPACK_INT)
        return item.integer;
    if (item.type == NN_UNPACK_UINT && item.natural <= INT64_MAX)
        return (int64_t)item.natural;
    nn_unpack_fail(unpack, "it has a value that is no integer of 64 bits");
    return 0;
}

double nn_unpack_real(nn_unpack *unpack)
{
    nn_unpack_item item;

    if (!nn_unpack_next(unpack, &item))
        return 0;
    if (item.type == NN_UNPACK_REAL)
        return item.real;
    if (item.type == NN_UNPACK_UINT)
        return (double)item.natural;
    if (item.type == NN_UNPACK_INT)
        return (double)item.integer;
    nn_unpack_fail(unpack, "it has a value that is no number");
    return 0;
}

/* 1 if the bytes are UTF-8 without NUL. */
static int32_t is_text(const char *bytes, size_t length)
{
    uint32_t code;
    size_t step;

    for (; length; bytes += step, length -= step) {
        step = nn_utf8_next(bytes, length, &code);
        if (!step || !code)
            return 0;
    }
    return 1;
}

const char *nn_unpack_text(nn_unpack *unpack, size_t *length)
{
    nn_unpack_item item;

    *length = 0;
    if (!next_of(unpack, NN_UNPACK_TEXT, &item))
        return NULL;
    if (!is_text((const char *)item.bytes, item.length)) {
        nn_unpack_fail(unpack, "it has a text that is not UTF-8");
        return NULL;
    }
    *length = item.length;
    return (const char *)item.bytes;
}

const void *nn_unpack_bytes(nn_unpack *unpack, size_t *length)
{
    nn_unpack_item item;

    *length = 0;
    if (!next_of(unpack, NN_UNPACK_BYTES, &item))
        return NULL;
    *length = item.length;
    return item.bytes;
}

/* The count of a head of TYPE, which is entered. */
static uint32_t next_count(nn_unpack *unpack, enum nn_unpack_type type,
                           uint32_t maximum)
{
    nn_unpack_item item;

    if (!next_of(unpack, type, &item) || !nn_unpack_enter(unpack))
        return 0;
    if (item.count <= maximum)
        return item.count;
    nn_unpack_fail(unpack, "it has a list that is too long");
    return 0;
}

uint32_t nn_unpack_array(nn_unpack *unpack, uint32_t maximum)
{
    return next_count(unpack, NN_UNPACK_ARRAY, maximum);
}

uint32_t nn_unpack_map(nn_unpack *unpack, uint32_t maximum)
{
    return next_count(unpack, NN_UNPACK_MAP, maximum);
}

int32_t nn_unpack_enter(nn_unpack *unpack)
{
    if (!unpack->depth) {
        nn_unpack_fail(unpack, "it is nested too deeply");
        return 0;
    }
    --unpack->depth;
    return 1;
}

void nn_unpack_leave(nn_unpack *unpack)
{
    ++unpack->depth;
}

void nn_unpack_skip(nn_unpack *unpack)
{
    nn_unpack_item item;
    uint64_t count;

    if (!nn_unpack_next(unpack, &item))
        return;
    if (item.type != NN_UNPACK_ARRAY && item.type != NN_UNPACK_MAP)
        return;
    if (!nn_unpack_enter(unpack))
        return;
    count = item.type == NN_UNPACK_MAP ? 2 * (uint64_t)item.count : item.count;
    for (; count && !unpack->problem; --count)
        nn_unpack_skip(unpack);
    nn_unpack_leave(unpack);
}

int32_t nn_unpack_finished(nn_unpack *unpack)
{
    if (!unpack->problem && left(unpack))
        nn_unpack_fail(unpack, "something follows its end");
    return !unpack->problem;
}
