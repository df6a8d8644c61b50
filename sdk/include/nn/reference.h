/* SPDX-License-Identifier: MIT */
/* reference.h - the host's own implementation of the base operations, as an
 * extension of the host: get_extension(host, NN_REFERENCE).
 *
 * It computes in plain C on host memory and defines what every operation
 * means.  It is pure: no state, no memory of its own, every thread may call it
 * at once.  The handler `reference` is made of it; a handler that lacks an
 * operation, or that checks what it is given, may use it too. */
#ifndef NN_REFERENCE_H
#define NN_REFERENCE_H

#include <nn/extension.h>
#include <nn/operations.h>

NN_BEGIN_DECLS

#define NN_REFERENCE "nn.reference/1"

/* The table. */
typedef struct nn_reference {
    uint32_t size;         /* NN_SIZEOF(nn_reference, judge) or older */
    uint32_t n_operations; /* that this host knows: numbers below it */

    /* Judges a call by the list NN_BASE_OPERATIONS without running it:
     * presence, types, pitches, modes, shapes, attributes, overlap.  OPERANDS
     * has one entry an operand of the list, NULL where absent.  Memory is only
     * compared, never touched; views without memory overlap nothing.
     *
     * Returns 0, or NN_INVALID_ARGUMENT, NN_SHAPE or NN_UNSUPPORTED with a
     * text in MESSAGE (of MESSAGE_SIZE bytes, always terminated) that names
     * the operation and the operand.  ATTRIBUTES may be NULL for none.
     * [any] */
    int32_t (*check)(uint32_t operation, const nn_array *const *operands,
                     const nn_attributes *attributes, char *message,
                     size_t message_size);

    /* Runs a call that `check` accepts.  data[i] is the host address of the
     * first element of operand i (its offset is already in it), NULL for an
     * absent or DISCARD one.
     *
     * Returns 0, or NN_INVALID_ARGUMENT for an index out of range (the text
     * names operand, position, value and limit; nothing has been written
     * then).  [any] */
    int32_t (*run)(uint32_t operation, const nn_array *const *operands,
                   void *const *data, const nn_attributes *attributes,
                   char *message, size_t message_size);

    /* As check, for base OPERATION or, if ROW is not NULL, for that row of an
     * extension, whose operands are row->n_operands (more than 8 are not
     * judged: 0).  After a failure *WHAT, unless WHAT is NULL, is a constant
     * word for its kind: "absent", "argument", "dtype", "mode", "overlap",
     * "pitch", "rank", "read-only" or "shape".  Absent in older hosts.
     * [any] */
    int32_t (*judge)(uint32_t operation, const nn_row *row,
                     const nn_array *const *operands,
                     const nn_attributes *attributes, const char **what,
                     char *message, size_t message_size);
} nn_reference;

NN_END_DECLS

#endif
