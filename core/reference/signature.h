/* SPDX-License-Identifier: MIT */
/* signature.h - what the operands of an operation have to be, as data.
 *
 * For base operations it is parsed from NN_BASE_OPERATIONS, for rows of
 * extensions from their nn_operand tables, so that one check serves both. */
#ifndef NN_CORE_REFERENCE_SIGNATURE_H
#define NN_CORE_REFERENCE_SIGNATURE_H

#include <nn/extension.h>
#include <nn/operations.h>

#include "core/reference/report.h"

/* Most operands of a base operation, and of a row that is checked here. */
#define NN_BASE_OPERANDS 4u
#define NN_SIGNATURE_OPERANDS 8u

typedef struct nn_signature_operand {
    char name[16];
    char shape[8];   /* "*", "M,N", "M", "V" or "R"; see operations.h */
    uint32_t role;   /* NN_ROLE_... */
    uint32_t dtypes; /* mask of NN_MASK */
} nn_signature_operand;

typedef struct nn_signature {
    const char *name;
    uint32_t n_operands;
    uint32_t in_place; /* bit i: an output may be the same view as input i */
    nn_signature_operand operands[NN_SIGNATURE_OPERANDS];
} nn_signature;

/* Name of OPERATION, NULL if this edition lacks it.  [any] */
const char *nn_operation_name(uint32_t operation);

/* Fills SIGNATURE for base OPERATION, which must be below NN_OP_COUNT.
 * [any] */
void nn_signature_parse(uint32_t operation, nn_signature *signature);

/* Fills SIGNATURE for ROW.  Returns 0 if the row has more operands or longer
 * names than can be judged here.  [any] */
int nn_signature_from_row(const nn_row *row, nn_signature *signature);

/* Judges OPERANDS by SIGNATURE: presence, types, pitches, modes, shapes and
 * overlap.  AXIS is for operands with shape R.  Returns 0 or a code with the
 * text in REPORT.  [any] */
int32_t nn_signature_check(const nn_signature *signature,
                           const nn_array *const *operands, int64_t axis,
                           const nn_report *report);

/* True if A and B are the same elements in the same order.  [any] */
int nn_same_view(const nn_array *a, const nn_array *b);

/* Bytes from ARRAY's first element to the end of its last, for an array that
 * nn_signature_check accepted; -1 if the number does not fit.  [any] */
int64_t nn_array_extent(const nn_array *array);

#endif
