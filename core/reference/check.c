/* SPDX-License-Identifier: MIT */
/* check.c - judges the operands of a call by its signature.
 *
 * In order: each view by itself (rank, sizes, pitch, type), its role (presence,
 * mode, read-only), types among each other, shapes by their letters, overlap.
 * A letter gets its value from the first operand that has it; V and R are
 * judged when all letters have one. */
#include "core/reference/signature.h"

#include <string.h>

#include "core/util/checked.h"

/* Where a letter got its value. */
typedef struct binding {
    char letter;
    int64_t value;
    uint32_t operand;
} binding;

typedef struct matcher {
    const nn_signature *signature;
    const nn_array *const *operands;
    const nn_report *report;
    uint32_t n_bindings;
    binding bindings[2 * NN_SIGNATURE_OPERANDS];
} matcher;

int64_t nn_array_extent(const nn_array *array)
{
    int64_t rows = 1;
    int64_t bytes;
    uint32_t i;

    for (i = 0; i + 1 < array->ndim; ++i)
        if (!nn_checked_mult(rows, array->shape[i], &rows))
            return -1;
    if (!nn_checked_mult(rows - 1, array->pitch, &bytes) ||
        !nn_checked_add(bytes, nn_columns(array), &bytes) ||
        !nn_checked_mult(bytes, nn_dtype_bytes(array->dtype), &bytes) ||
        !nn_checked_add(bytes, array->offset, &rows))
        return -1;
    return bytes;
}

static int32_t check_view(const nn_report *report, const char *name,
                          const nn_array *array)
{
    char text[NN_SHAPE_TEXT];
    uint32_t i;

    if (array->ndim > NN_MAX_DIMS)
        return nn_report_fail(report, NN_INVALID_ARGUMENT, "rank",
                              "%s has %u axes, the limit is %u", name,
                              array->ndim, NN_MAX_DIMS);
    for (i = 0; i < array->ndim; ++i)
        if (array->shape[i] < 1)
            return nn_report_fail(report, NN_SHAPE, "shape",
                                  "%s %s has an axis without elements", name,
                                  nn_shape_format(array, text));
    if (array->pitch < nn_columns(array))
        return nn_report_fail(report, NN_INVALID_ARGUMENT, "pitch",
                              "%s %s has pitch %lld, less than its last axis",
                              name, nn_shape_format(array, text),
                              (long long)array->pitch);
    if (!nn_dtype_bytes(array->dtype))
        return nn_report_fail(report, NN_INVALID_ARGUMENT, "dtype",
                              "%s has no element type (code %u)", name,
                              array->dtype);
    if (array->offset < 0 || array->offset % nn_dtype_bytes(array->dtype))
        return nn_report_fail(report, NN_INVALID_ARGUMENT, "pitch",
                              "%s starts at byte %lld, which holds no element "
                              "of its type",
                              name, (long long)array->offset);
    if (nn_array_extent(array) < 0)
        return nn_report_fail(report, NN_SHAPE, "shape", "%s %s is too large", name,
                              nn_shape_format(array, text));
    return NN_OK;
}

static int is_written(const nn_signature_operand *operand)
{
    return (operand->role & NN_ROLE_OUT) != 0;
}

/* True if the call would write something. */
static int is_wanted(const nn_signature *signature,
                     const nn_array *const *operands)
{
    uint32_t i;

    for (i = 0; i < signature->n_operands; ++i)
        if (is_written(&signature->operands[i]) && nn_wanted(operands[i]))
            return 1;
    return 0;
}

static int32_t check_output(const nn_report *report, const char *name,
                            const nn_array *array)
{
    if (array->mode > NN_DISCARD)
        return nn_report_fail(report, NN_INVALID_ARGUMENT, "mode",
                              "%s has the unknown mode %u", name, array->mode);
    if (array->mode != NN_DISCARD && (array->flags & NN_READ_ONLY))
        return nn_report_fail(report, NN_INVALID_ARGUMENT, "read-only",
                              "%s is written, but it is read-only", name);
    if (array->mode == NN_ADD && !(NN_MASK(array->dtype) & NN_MASK_REAL))
        return nn_report_fail(report, NN_INVALID_ARGUMENT, "mode",
                              "%s has mode ADD, but not a real type", name);
    return NN_OK;
}

static int32_t check_role(const nn_report *report,
                          const nn_signature_operand *operand,
                          const nn_array *array, int wanted)
{
    uint32_t role = operand->role & ~NN_ROLE_OPTIONAL;

    if (!nn_present(array)) {
        if (operand->role & NN_ROLE_OPTIONAL)
            return NN_OK;
        return nn_report_fail(report, NN_INVALID_ARGUMENT, "absent", "%s is absent",
                              operand->name);
    }
    if (role == NN_ROLE_OUT)
        return check_output(report, operand->name, array);
    if (role == NN_ROLE_IN_OUT && (array->flags & NN_READ_ONLY))
        return nn_report_fail(report, NN_INVALID_ARGUMENT, "read-only",
                              "%s is written, but it is read-only",
                              operand->name);
    if (wanted && array->mode == NN_DISCARD)
        return nn_report_fail(report, NN_INVALID_ARGUMENT, "mode",
                              "%s is read, but its mode is DISCARD",
                              operand->name);
    return NN_OK;
}

static int32_t check_types(const nn_signature *signature,
                           const nn_array *const *operands,
                           const nn_report *report)
{
    const nn_array *real = NULL;
    const char *real_name = NULL;
    uint32_t i;

    for (i = 0; i < signature->n_operands; ++i) {
        const nn_signature_operand *operand = &signature->operands[i];

        if (!nn_present(operands[i]))
            continue;
        if (!(operand->dtypes & NN_MASK(operands[i]->dtype)))
            return nn_report_fail(report, NN_INVALID_ARGUMENT, "dtype",
                                  "%s has an element type (code %u) that is "
                                  "not accepted",
                                  operand->name, operands[i]->dtype);
        if (operand->dtypes != NN_MASK_REAL)
            continue;
        if (real && operands[i]->dtype != real->dtype)
            return nn_report_fail(report, NN_INVALID_ARGUMENT, "dtype",
                                  "%s and %s have different real types",
                                  operand->name, real_name);
        real = operands[i];
        real_name = operand->name;
    }
    return NN_OK;
}

static int32_t bind(matcher *m, char letter, int64_t value, uint32_t operand)
{
    char mine[NN_SHAPE_TEXT];
    char theirs[NN_SHAPE_TEXT];
    uint32_t i;

    for (i = 0; i < m->n_bindings; ++i) {
        const binding *b = &m->bindings[i];

        if (b->letter != letter)
            continue;
        if (b->value == value)
            return NN_OK;
        return nn_report_fail(m->report, NN_SHAPE, "shape",
                              "%s %s does not fit %s %s: %c is %lld and %lld",
                              m->signature->operands[operand].name,
                              nn_shape_format(m->operands[operand], mine),
                              m->signature->operands[b->operand].name,
                              nn_shape_format(m->operands[b->operand], theirs),
                              letter, (long long)value, (long long)b->value);
    }
    m->bindings[m->n_bindings].letter = letter;
    m->bindings[m->n_bindings].value = value;
    m->bindings[m->n_bindings++].operand = operand;
    return NN_OK;
}

/* '*': all have the shape of the first. */
static int32_t match_same(const matcher *m, uint32_t operand)
{
    char mine[NN_SHAPE_TEXT];
    char theirs[NN_SHAPE_TEXT];
    uint32_t i;

    for (i = 0; i < operand; ++i) {
        if (m->signature->operands[i].shape[0] != '*' ||
            !nn_present(m->operands[i]))
            continue;
        if (nn_same_shape(m->operands[i], m->operands[operand]))
            return NN_OK;
        return nn_report_fail(m->report, NN_SHAPE, "shape", "%s %s differs from %s %s",
                              m->signature->operands[operand].name,
                              nn_shape_format(m->operands[operand], mine),
                              m->signature->operands[i].name,
                              nn_shape_format(m->operands[i], theirs));
    }
    return NN_OK;
}

/* "M,N": rows and columns; "M": as many elements in (M) or (..., 1). */
static int32_t match_letters(matcher *m, uint32_t operand)
{
    const nn_signature_operand *wanted = &m->signature->operands[operand];
    const nn_array *array = m->operands[operand];
    char text[NN_SHAPE_TEXT];
    int32_t code;

    if (wanted->shape[1] == ',') {
        code = bind(m, wanted->shape[0], nn_rows(array), operand);
        return code ? code
                    : bind(m, wanted->shape[2], nn_columns(array), operand);
    }
    if (array->ndim > 1 && nn_columns(array) != 1)
        return nn_report_fail(m->report, NN_SHAPE, "shape",
                              "%s %s is neither a vector nor has a last axis "
                              "of 1",
                              wanted->name, nn_shape_format(array, text));
    return bind(m, wanted->shape[0], nn_elements(array), operand);
}

static int64_t bound(const matcher *m, char letter)
{
    uint32_t i;

    for (i = 0; i < m->n_bindings; ++i)
        if (m->bindings[i].letter == letter)
            return m->bindings[i].value;
    return 0;
}

static int32_t match_vector(const matcher *m, uint32_t operand)
{
    const nn_array *v = m->operands[operand];
    int64_t rows = bound(m, 'M');
    int64_t columns = bound(m, 'N');
    char text[NN_SHAPE_TEXT];

    if (nn_elements(v) == 1 || (nn_rows(v) == 1 && nn_columns(v) == columns) ||
        (v->ndim > 1 && nn_columns(v) == 1 && nn_rows(v) == rows))
        return NN_OK;
    return nn_report_fail(m->report, NN_SHAPE, "shape",
                          "%s %s fits neither the columns nor the rows of a "
                          "matrix (%lld, %lld)",
                          m->signature->operands[operand].name,
                          nn_shape_format(v, text), (long long)rows,
                          (long long)columns);
}

/* True if Y is X without axis AXIS, or with 1 in its place. */
static int is_reduced(const nn_array *x, int64_t axis, const nn_array *y)
{
    uint32_t kept = y->ndim == x->ndim;
    uint32_t i;
    uint32_t j = 0;

    if (axis == NN_AXIS_ALL)
        return nn_elements(y) == 1;
    if (axis == NN_AXIS_ROWS)
        return nn_rows(y) == 1 && nn_columns(y) == nn_columns(x);
    if (x->ndim == 1)
        return y->ndim == 1 && y->shape[0] == 1;
    if (!kept && y->ndim + 1 != x->ndim)
        return 0;
    for (i = 0; i < x->ndim; ++i) {
        if (i == axis && !kept)
            continue;
        if (y->shape[j++] != (i == axis ? 1 : x->shape[i]))
            return 0;
    }
    return 1;
}

static int32_t match_reduced(const matcher *m, uint32_t operand, int64_t axis)
{
    const nn_array *x = m->operands[0];
    const nn_array *y = m->operands[operand];
    char from[NN_SHAPE_TEXT];
    char to[NN_SHAPE_TEXT];

    if (axis < NN_AXIS_ROWS || axis >= (int64_t)x->ndim)
        return nn_report_fail(m->report, NN_INVALID_ARGUMENT, "argument",
                              "%s %s has no axis %lld",
                              m->signature->operands[0].name,
                              nn_shape_format(x, from), (long long)axis);
    if (is_reduced(x, axis, y))
        return NN_OK;
    return nn_report_fail(m->report, NN_SHAPE, "shape",
                          "%s %s is not the shape of %s %s over axis %lld%s",
                          m->signature->operands[operand].name,
                          nn_shape_format(y, to),
                          m->signature->operands[0].name,
                          nn_shape_format(x, from), (long long)axis,
                          axis == NN_AXIS_ALL    ? " (all)"
                          : axis == NN_AXIS_ROWS ? " (rows)"
                                                 : "");
}

static int32_t check_shapes(matcher *m, int64_t axis)
{
    int32_t code = NN_OK;
    uint32_t i;

    for (i = 0; i < m->signature->n_operands && !code; ++i) {
        char letter = m->signature->operands[i].shape[0];

        if (!nn_present(m->operands[i]))
            continue;
        if (letter == '*')
            code = match_same(m, i);
        else if (letter != 'V' && letter != 'R')
            code = match_letters(m, i);
    }
    for (i = 0; i < m->signature->n_operands && !code; ++i) {
        char letter = m->signature->operands[i].shape[0];

        if (letter == 'V')
            code = match_vector(m, i);
        else if (letter == 'R')
            code = match_reduced(m, i, axis);
    }
    return code;
}

int nn_same_view(const nn_array *a, const nn_array *b)
{
    return a->memory == b->memory && a->offset == b->offset &&
           a->dtype == b->dtype && nn_rows(a) == nn_rows(b) &&
           nn_columns(a) == nn_columns(b) &&
           (a->pitch == b->pitch || nn_rows(a) == 1);
}

/* True if bytes BEGIN to END - 1 of the memory hold a part of an element of
 * ARRAY. */
static int touches(const nn_array *array, int64_t begin, int64_t end)
{
    int64_t step = array->pitch * nn_dtype_bytes(array->dtype);
    int64_t width = nn_columns(array) * nn_dtype_bytes(array->dtype);
    int64_t row = (begin - array->offset) / step;

    if (begin < array->offset)
        row = 0;
    for (; row < nn_rows(array); ++row) {
        int64_t start = array->offset + row * step;

        if (start >= end)
            return 0;
        if (start + width > begin)
            return 1;
    }
    return 0;
}

/* True if an element of A and one of B share a byte. */
static int overlap(const nn_array *a, const nn_array *b)
{
    int64_t step = a->pitch * nn_dtype_bytes(a->dtype);
    int64_t width = nn_columns(a) * nn_dtype_bytes(a->dtype);
    int64_t row;

    if (!a->memory || a->memory != b->memory ||
        a->offset >= b->offset + nn_array_extent(b) ||
        b->offset >= a->offset + nn_array_extent(a))
        return 0;
    for (row = 0; row < nn_rows(a); ++row)
        if (touches(b, a->offset + row * step, a->offset + row * step + width))
            return 1;
    return 0;
}

static int32_t check_overlap(const nn_signature *signature,
                             const nn_array *const *operands, uint32_t out,
                             const nn_report *report)
{
    uint32_t i;

    if (!nn_wanted(operands[out]))
        return NN_OK;
    for (i = 0; i < signature->n_operands; ++i) {
        if (i == out || !nn_wanted(operands[i]) ||
            !overlap(operands[out], operands[i]))
            continue;
        if ((signature->in_place & (1u << i)) &&
            nn_same_view(operands[out], operands[i]))
            continue;
        return nn_report_fail(report, NN_INVALID_ARGUMENT, "overlap",
                              "%s overlaps %s, which is not allowed",
                              signature->operands[out].name,
                              signature->operands[i].name);
    }
    return NN_OK;
}

int32_t nn_signature_check(const nn_signature *signature,
                           const nn_array *const *operands, int64_t axis,
                           const nn_report *report)
{
    matcher m = {signature, operands, report, 0, {{0, 0, 0}}};
    int wanted = is_wanted(signature, operands);
    int32_t code = NN_OK;
    uint32_t i;

    for (i = 0; i < signature->n_operands && !code; ++i)
        if (nn_present(operands[i]))
            code = check_view(report, signature->operands[i].name, operands[i]);
    for (i = 0; i < signature->n_operands && !code; ++i)
        code = check_role(report, &signature->operands[i], operands[i], wanted);
    if (!code)
        code = check_types(signature, operands, report);
    if (!code)
        code = check_shapes(&m, axis);
    for (i = 0; i < signature->n_operands && !code; ++i)
        if (is_written(&signature->operands[i]))
            code = check_overlap(signature, operands, i, report);
    return code;
}
