/* SPDX-License-Identifier: MIT */
/* reference.c - the table of operations, and the check of attributes. */
#include "core/reference/reference.h"

#include <string.h>

#include "core/reference/call.h"

typedef int32_t (*call_fn)(nn_call *call);

/* Who runs what; the rest is element by element. */
static const call_fn runners[NN_OP_COUNT] = {
    [NN_OP_COPY] = nn_call_copy,
    [NN_OP_CAST] = nn_call_cast,
    [NN_OP_FILL] = nn_call_fill,
    [NN_OP_TRANSPOSE_M] = nn_call_transpose,
    [NN_OP_BROADCAST_T] = nn_call_vector,
    [NN_OP_ADD_MV] = nn_call_vector,
    [NN_OP_SUBTRACT_MV] = nn_call_vector,
    [NN_OP_MULT_MV] = nn_call_vector,
    [NN_OP_DIVIDE_MV] = nn_call_vector,
    [NN_OP_DOT_MM] = nn_call_dot,
    [NN_OP_SUM_T] = nn_call_reduce,
    [NN_OP_SUM_SQUARES_T] = nn_call_reduce,
    [NN_OP_MAX_T] = nn_call_reduce,
    [NN_OP_ARGMAX_M] = nn_call_argmax,
    [NN_OP_GATHER_M_BY_V] = nn_call_gather,
    [NN_OP_SCATTER_M_BY_V] = nn_call_scatter_rows,
    [NN_OP_INDEX_M_BY_V] = nn_call_index,
    [NN_OP_SCATTER_V_BY_V] = nn_call_scatter,
    [NN_OP_ONE_HOT_V] = nn_call_one_hot,
    [NN_OP_FILL_UNIFORM] = nn_call_random,
    [NN_OP_FILL_GAUSSIAN] = nn_call_random,
    [NN_OP_FILL_BERNOULLI] = nn_call_random,
    [NN_OP_DROPOUT_T] = nn_call_dropout,
    [NN_OP_SOFTMAX_M] = nn_call_softmax,
    [NN_OP_LOG_SOFTMAX_M] = nn_call_softmax,
    [NN_OP_SOFTMAX_BACKWARD_M] = nn_call_softmax_backward,
};

const nn_reference nn_reference_table = {
    .size = NN_SIZEOF(nn_reference, judge),
    .n_operations = NN_OP_COUNT,
    .check = nn_reference_check,
    .run = nn_reference_run,
    .judge = nn_reference_judge,
};

/* The attributes as this edition knows them; a shorter struct has zeros. */
static nn_attributes attributes_of(const nn_attributes *given)
{
    nn_attributes with = nn_no_attributes();

    if (given)
        memcpy(&with, given,
               given->size < sizeof with ? given->size : sizeof with);
    return with;
}

static int32_t check_activation(const nn_attributes *with,
                                const nn_report *report)
{
    if (with->kind >= NN_ACTIVATION_COUNT)
        return nn_report_fail(report, NN_UNSUPPORTED, "argument",
                              "activation %u is unknown", with->kind);
    if ((with->kind == NN_ACTIVATION_ELU ||
         with->kind == NN_ACTIVATION_LEAKY_RELU) &&
        !(with->a >= 0))
        return nn_report_fail(report, NN_INVALID_ARGUMENT, "argument",
                              "alpha is %g, less than 0", with->a);
    return NN_OK;
}

static int32_t check_attributes(uint32_t operation, const nn_attributes *with,
                                const nn_report *report)
{
    switch (operation) {
    case NN_OP_CLIP_T:
        if (!(with->a <= with->b))
            return nn_report_fail(report, NN_INVALID_ARGUMENT, "argument",
                                  "the limits [%g, %g] hold nothing", with->a,
                                  with->b);
        return NN_OK;
    case NN_OP_DOT_MM:
        if (with->flags & ~(NN_TRANSPOSE_A | NN_TRANSPOSE_B))
            return nn_report_fail(report, NN_UNSUPPORTED, "argument",
                                  "flags 0x%x are unknown", with->flags);
        return NN_OK;
    case NN_OP_FILL_BERNOULLI:
    case NN_OP_DROPOUT_T:
        if (!(with->a >= 0 && with->a <= 1))
            return nn_report_fail(report, NN_INVALID_ARGUMENT, "argument",
                                  "probability %g is not in [0, 1]", with->a);
        return NN_OK;
    case NN_OP_ACTIVATION_T:
    case NN_OP_ACTIVATION_BACKWARD_T:
        return check_activation(with, report);
    default:
        return NN_OK;
    }
}

/* What the signature does not say: copies keep the type, scatters add. */
static int32_t check_special(uint32_t operation,
                             const nn_array *const *operands,
                             const nn_report *report)
{
    if (operation == NN_OP_COPY && operands[0]->dtype != operands[1]->dtype)
        return nn_report_fail(report, NN_INVALID_ARGUMENT, "dtype",
                              "x and y have different element types");
    if ((operation == NN_OP_SCATTER_M_BY_V ||
         operation == NN_OP_SCATTER_V_BY_V) &&
        operands[2]->mode == NN_WRITE)
        return nn_report_fail(report, NN_INVALID_ARGUMENT, "mode",
                              "y has mode WRITE; it must be ADD or DISCARD");
    return NN_OK;
}

/* Exchanges the letters of a transposed factor: "M,K" is "K,M". */
static void transpose_shape(nn_signature_operand *operand)
{
    char first = operand->shape[0];

    operand->shape[0] = operand->shape[2];
    operand->shape[2] = first;
}

static int32_t check(uint32_t operation, const nn_array *const *operands,
                     const nn_attributes *attributes, nn_report *report)
{
    nn_attributes with = attributes_of(attributes);
    nn_signature signature;
    int32_t code;

    if (operation >= NN_OP_COUNT)
        return nn_report_fail(report, NN_UNSUPPORTED, "argument",
                              "number %u is unknown", operation);
    nn_signature_parse(operation, &signature);
    report->operation = signature.name;
    if (operation == NN_OP_DOT_MM && (with.flags & NN_TRANSPOSE_A))
        transpose_shape(&signature.operands[0]);
    if (operation == NN_OP_DOT_MM && (with.flags & NN_TRANSPOSE_B))
        transpose_shape(&signature.operands[1]);
    code = nn_signature_check(&signature, operands, with.axis, report);
    if (!code)
        code = check_special(operation, operands, report);
    return code ? code : check_attributes(operation, &with, report);
}

int32_t nn_reference_check(uint32_t operation, const nn_array *const *operands,
                           const nn_attributes *attributes, char *message,
                           size_t message_size)
{
    nn_report report = {"operation", message, message_size, NULL};

    return check(operation, operands, attributes, &report);
}

int32_t nn_reference_judge(uint32_t operation, const nn_row *row,
                           const nn_array *const *operands,
                           const nn_attributes *attributes, const char **what,
                           char *message, size_t message_size)
{
    nn_report report = {"operation", message, message_size, what};
    nn_signature signature;

    if (!row)
        return check(operation, operands, attributes, &report);
    if (!nn_signature_from_row(row, &signature))
        return NN_OK;
    report.operation = signature.name;
    return nn_signature_check(&signature, operands, 0, &report);
}

int32_t nn_reference_run(uint32_t operation, const nn_array *const *operands,
                         void *const *data, const nn_attributes *attributes,
                         char *message, size_t message_size)
{
    nn_call call = {0};
    nn_signature signature;
    uint32_t i;

    call.report.operation = "operation";
    call.report.text = message;
    call.report.size = message_size;
    call.report.what = NULL;
    if (operation >= NN_OP_COUNT)
        return nn_report_fail(&call.report, NN_UNSUPPORTED, "argument",
                              "number %u is unknown", operation);
    nn_signature_parse(operation, &signature);
    call.report.operation = signature.name;
    call.operation = operation;
    call.operands = operands;
    call.n_operands = signature.n_operands;
    call.with = attributes_of(attributes);
    for (i = 0; i < signature.n_operands; ++i)
        call.views[i] = nn_view_make(operands[i], data[i]);
    if (call.views[signature.n_operands - 1].mode == NN_DISCARD)
        return NN_OK;
    return runners[operation] ? runners[operation](&call)
                              : nn_call_elementwise(&call);
}
