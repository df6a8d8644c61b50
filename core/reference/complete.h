/* SPDX-License-Identifier: MIT */
/* complete.h - a handler with everything that it lacks put beside it.
 *
 * For each base operation the completed table has
 *   native     the handler's own function;
 *   composed   other native operations on the device, without temporaries;
 *   reference  the reference on the host, on mapped memory.
 * For each row of an extension it has the handler's own, or the core's
 * composition of base operations (nn.linear/1, nn.optimizer/1), or nothing.
 *
 * Errors are sticky here as in the handler: what runs on the host keeps its
 * failure in the completed object, and no operation of the table does anything
 * until it is cleared. */
#ifndef NN_CORE_REFERENCE_COMPLETE_H
#define NN_CORE_REFERENCE_COMPLETE_H

#include <nn/handler.h>

typedef struct nn_completed nn_completed;

/* How an operation is offered. */
#define NN_HOW_NATIVE 1u
#define NN_HOW_COMPOSED 2u
#define NN_HOW_REFERENCE 3u

/* One operation in the listing; the strings live as long as the program. */
typedef struct nn_completed_entry {
    const char *extension; /* NULL for a base operation */
    const char *name;
    uint32_t how; /* NN_HOW_... */
} nn_completed_entry;

/* A row and the handler to give to its functions. */
typedef struct nn_row_slot {
    const nn_row *row; /* NULL: there is none */
    nn_handler *self;
} nn_row_slot;

/* Completes HANDLER, made for REAL (NN_FLOAT32 or NN_FLOAT64); both live
 * longer than the result.  The handler may know fewer or more operations than
 * this host.  Returns 0, or a code with the message set.  [setup] */
int32_t nn_completed_create(const nn_handler_interface *interface,
                            nn_handler *handler, uint32_t real,
                            nn_completed **completed);

/* Releases it, not the handler.  NULL is fine.  [setup] */
void nn_completed_destroy(nn_completed *completed);

/* What layers compute with; lives as long as COMPLETED.  [any] */
const nn_operations *nn_completed_operations(const nn_completed *completed);

/* The kept code of this object or of its handler, whichever failed first, 0 if
 * none; does not wait.  *ID and *TEXT (may be NULL) then live until the next
 * clear.  [compute] */
int32_t nn_completed_error(nn_completed *completed, const char **id,
                           const char **text);

/* Forgets the kept errors; the handler keeps NN_DEVICE.  [compute] */
void nn_completed_clear(nn_completed *completed);

/* Row NUMBER of extension ID: the handler's own, else the core's composition,
 * else NULL.  [setup] */
nn_row_slot nn_completed_row(nn_completed *completed, const char *id,
                             uint32_t number);

/* The core's composition of the row alone, for a caller whose native row
 * refused a plan with NN_UNSUPPORTED.  [setup] */
nn_row_slot nn_composed_row(nn_completed *completed, const char *id,
                            uint32_t number);

/* Entry INDEX of the list of all base operations and of all rows that the core
 * can compose.  Returns 0 when INDEX is past the end.  [setup] */
int nn_completed_list(nn_completed *completed, uint32_t index,
                      nn_completed_entry *entry);

#endif
