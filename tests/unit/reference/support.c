/* SPDX-License-Identifier: MIT */
/* support.c - see support.h. */
#include "tests/unit/reference/support.h"

#include "core/reference/reference.h"
#include "core/reference/signature.h"

#define GUARD 64     /* bytes before and after the elements */
#define PATTERN 0xFF /* a NaN in every real type */

tensor *tensor_make(uint32_t dtype, int64_t gap, uint32_t ndim,
                    const int64_t *shape)
{
    tensor *t = calloc(1, sizeof *t);
    int64_t i;

    assert_non_null(t);
    t->array.dtype = dtype;
    t->array.ndim = ndim;
    for (i = 0; i < ndim; ++i)
        t->array.shape[i] = shape[i];
    t->array.pitch = nn_columns(&t->array) + gap;
    t->array.offset = GUARD;
    t->array.memory = &t->memory;
    t->memory.size = 2 * GUARD + nn_rows(&t->array) * t->array.pitch *
                                     nn_dtype_bytes(dtype);
    t->memory.bytes = aligned_alloc(64,
                                    (size_t)((t->memory.size + 63) / 64 * 64));
    assert_non_null(t->memory.bytes);
    memset(t->memory.bytes, PATTERN, (size_t)t->memory.size);
    tensor_fill(t, dtype == NN_INT32 || dtype == NN_UINT8 ? 77 : NAN);
    return t;
}

void tensor_free(tensor *t)
{
    if (!t)
        return;
    free(t->memory.bytes);
    free(t);
}

void *tensor_data(tensor *t)
{
    return t->memory.bytes + t->array.offset;
}

static unsigned char *place(const tensor *t, int64_t i)
{
    int64_t columns = nn_columns(&t->array);

    return t->memory.bytes + t->array.offset +
           (i / columns * t->array.pitch + i % columns) *
               nn_dtype_bytes(t->array.dtype);
}

double tensor_get(const tensor *t, int64_t i)
{
    const void *at = place(t, i);

    switch (t->array.dtype) {
    case NN_FLOAT32:
        return *(const float *)at;
    case NN_FLOAT64:
        return *(const double *)at;
    case NN_INT32:
        return *(const int32_t *)at;
    default:
        return *(const uint8_t *)at;
    }
}

void tensor_put(tensor *t, int64_t i, double value)
{
    void *at = place(t, i);

    switch (t->array.dtype) {
    case NN_FLOAT32:
        *(float *)at = (float)value;
        break;
    case NN_FLOAT64:
        *(double *)at = value;
        break;
    case NN_INT32:
        *(int32_t *)at = (int32_t)value;
        break;
    default:
        *(uint8_t *)at = (uint8_t)value;
        break;
    }
}

void tensor_set(tensor *t, const double *values)
{
    int64_t i;

    for (i = 0; i < nn_elements(&t->array); ++i)
        tensor_put(t, i, values[i]);
}

void tensor_fill(tensor *t, double value)
{
    int64_t i;

    for (i = 0; i < nn_elements(&t->array); ++i)
        tensor_put(t, i, value);
}

void tensor_check_guards(const tensor *t)
{
    const int64_t bytes = nn_dtype_bytes(t->array.dtype);
    const int64_t row = t->array.pitch * bytes;
    int64_t i;

    for (i = 0; i < t->memory.size; ++i) {
        int64_t at = i - GUARD;

        if (at >= 0 && at < nn_rows(&t->array) * row &&
            at % row < nn_columns(&t->array) * bytes)
            continue;
        if (t->memory.bytes[i] != PATTERN)
            fail_msg("byte %lld outside the elements has changed",
                     (long long)at);
    }
}

static void toy_run(void *self, uint32_t operation,
                    const nn_array *const *operands,
                    const nn_attributes *attributes)
{
    nn_handler *toy = self;
    void *data[NN_BASE_OPERANDS] = {NULL};
    nn_signature signature;
    char text[256];
    uint32_t i;

    if (toy->code)
        return;
    ++toy->calls[operation];
    nn_signature_parse(operation, &signature);
    for (i = 0; i < signature.n_operands; ++i)
        if (nn_wanted(operands[i]))
            data[i] = operands[i]->memory->bytes + operands[i]->offset;
    toy->code = nn_reference_check(operation, operands, attributes, text,
                                   sizeof text);
    if (!toy->code)
        toy->code = nn_reference_run(operation, operands, data, attributes,
                                     text, sizeof text);
    toy->text = "the toy failed";
}

/* Refuses a second mapping of a block that is mapped, and a range outside. */
static void *toy_map(nn_handler *toy, nn_memory *memory, int64_t offset,
                     int64_t bytes, uint32_t access)
{
    if (toy->code || toy->refuse_map || memory->mapped || offset < 0 ||
        bytes <= 0 || offset + bytes > memory->size)
        return NULL;
    ++toy->maps;
    ++memory->mapped;
    toy->last_access = access;
    toy->last_bytes = bytes;
    return memory->bytes + offset;
}

static void toy_unmap(nn_handler *toy, nn_memory *memory, void *pointer,
                      uint32_t access)
{
    (void)pointer;
    (void)access;
    ++toy->unmaps;
    --memory->mapped;
}

static int32_t toy_error(nn_handler *toy, const char **id, const char **text)
{
    if (toy->code && id)
        *id = "toy.failed";
    if (toy->code && text)
        *text = toy->text;
    return toy->code;
}

static void toy_clear_error(nn_handler *toy)
{
    if (toy->code != NN_DEVICE)
        toy->code = NN_OK;
}

static const nn_extension *toy_extension(nn_handler *toy, const char *id)
{
    return toy->extension && strcmp(toy->extension->id, id) == 0
               ? toy->extension
               : NULL;
}

void toy_init(nn_handler *toy, uint32_t n_operations, const uint32_t *native)
{
    memset(toy, 0, sizeof *toy);
    for (; *native < NN_OP_COUNT; ++native)
        toy->operations[*native] = toy_run;
    toy->interface.size = NN_SIZEOF(nn_handler_interface, get_interface);
    toy->interface.n_operations = n_operations;
    toy->interface.operations = toy->operations;
    toy->interface.map = toy_map;
    toy->interface.unmap = toy_unmap;
    toy->interface.error = toy_error;
    toy->interface.clear_error = toy_clear_error;
    toy->interface.extension = toy_extension;
}
