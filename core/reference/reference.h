/* SPDX-License-Identifier: MIT */
/* reference.h - the definition of every base operation.
 *
 * The public face is the table nn_reference_table (<nn/reference.h>); its
 * functions have names for callers inside the core. */
#ifndef NN_CORE_REFERENCE_REFERENCE_H
#define NN_CORE_REFERENCE_REFERENCE_H

#include <nn/reference.h>

/* The host's extension NN_REFERENCE. */
extern const nn_reference nn_reference_table;

/* See nn_reference.check and nn_reference.run.  [any] */
int32_t nn_reference_check(uint32_t operation, const nn_array *const *operands,
                           const nn_attributes *attributes, char *message,
                           size_t message_size);
int32_t nn_reference_run(uint32_t operation, const nn_array *const *operands,
                         void *const *data, const nn_attributes *attributes,
                         char *message, size_t message_size);

/* See nn_reference.judge.  [any] */
int32_t nn_reference_judge(uint32_t operation, const nn_row *row,
                           const nn_array *const *operands,
                           const nn_attributes *attributes, const char **what,
                           char *message, size_t message_size);

#endif
