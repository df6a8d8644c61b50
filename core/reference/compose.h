/* SPDX-License-Identifier: MIT */
/* compose.h - the inside of a completed handler, for the files that make it.
 *
 * Every slot of the table, and the plan, destroy and run of every composed row,
 * gets the completed object itself as its `self`; nn_completed_of is the one
 * place where it is turned back. */
#ifndef NN_CORE_REFERENCE_COMPOSE_H
#define NN_CORE_REFERENCE_COMPOSE_H

#include "core/reference/complete.h"

/* Longest kept text, with its end. */
#define NN_COMPLETED_TEXT 512

struct nn_completed {
    const nn_handler_interface *interface;
    nn_handler *handler;
    nn_operations operations;
    nn_slot slots[NN_OP_COUNT];
    int32_t code; /* kept error of what ran here, 0 if none */
    const char *id;
    char text[NN_COMPLETED_TEXT];
};

/* Runs OPERATION on native ones.  Returns 0, with nothing done, if these
 * operands are not for it. */
typedef int (*nn_composition_fn)(nn_completed *completed,
                                 const nn_array *const *operands,
                                 const nn_attributes *attributes);

static inline nn_completed *nn_completed_of(nn_handler *self)
{
    return (nn_completed *)(void *)self;
}

/* Keeps the first error.  [compute] */
void nn_completed_fail(nn_completed *completed, int32_t code, const char *id,
                       const char *text);

/* The handler's own function, NULL if it has none.  [any] */
nn_operation_fn nn_completed_native(const nn_completed *completed,
                                    uint32_t operation);

/* The composition of OPERATION whose parts are all native, or NULL.  [any] */
nn_composition_fn nn_composition_find(const nn_completed *completed,
                                      uint32_t operation);

/* Runs OPERATION in the reference on mapped memory; the first failure is kept.
 * [compute] */
void nn_completed_run_on_host(nn_completed *completed, uint32_t operation,
                              const nn_array *const *operands,
                              const nn_attributes *attributes);

/* The composed extensions. */
extern const nn_extension nn_composed_linear;
extern const nn_extension nn_composed_optimizer;

/* Judges the operands of REQUEST by ROW's own table, which is constant and
 * well formed.  Returns 0 or a code with the message set.  [setup] */
int32_t nn_composed_check(const nn_row *row, const nn_plan_request *request);

/* Fills RESULT: no plan, no reserve, BYTES of workspace.  Returns 0, or
 * NN_NO_MEMORY with the message set if the request's limit is lower.
 * [setup] */
int32_t nn_composed_plan(const nn_row *row, const nn_plan_request *request,
                         int64_t bytes, nn_plan_result *result);

/* Bytes of a temporary with the shape of LIKE, without gaps, a multiple of 64;
 * -1 if the number does not fit.  [any] */
int64_t nn_temporary_bytes(const nn_array *like);

/* Temporary NUMBER in WORKSPACE with the shape and type of LIKE, mode WRITE.
 * All temporaries of a row are alike.  [compute] */
nn_array nn_temporary_make(const nn_array *workspace, const nn_array *like,
                           uint32_t number);

#endif
