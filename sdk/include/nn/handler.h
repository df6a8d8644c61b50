/* SPDX-License-Identifier: MIT */
/* handler.h - what a compute backend implements.
 *
 * A handler owns the memory, the streams and the operations of one device.  It
 * must offer memory, map, error, synchronize, and those base operations that
 * it wants to run itself; whatever it lacks the core composes of others, or
 * runs in the reference on the host through `map`.  Layers see only the
 * completed table (operations.h).
 *
 * Errors of operations are sticky: an operation returns nothing; the first
 * failure is kept in the handler with its message, later operations do nothing
 * until clear_error.  A lost device (NN_DEVICE) cannot be cleared. */
#ifndef NN_HANDLER_H
#define NN_HANDLER_H

#include <nn/extension.h>
#include <nn/operations.h>
#include <nn/plugin.h>

NN_BEGIN_DECLS

/* How memory is mapped. */
#define NN_MAP_READ 1u  /* the bytes are current and only read */
#define NN_MAP_WRITE 2u /* all mapped bytes will be written */

/* What a handler is made for. */
typedef struct nn_handler_request {
    uint32_t size;          /* NN_SIZEOF(nn_handler_request, deterministic) */
    uint32_t real;          /* NN_FLOAT32 or NN_FLOAT64 */
    uint32_t deterministic; /* 1: same inputs, same bits; operations without a
                               fixed order of sums are refused */
} nn_handler_request;

/* What a handler says of itself.  Strings live as long as the handler. */
typedef struct nn_handler_info {
    uint32_t size;         /* NN_SIZEOF(nn_handler_info, memory) */
    uint32_t threads;      /* that it keeps busy */
    int64_t redzone_bytes; /* to leave around each buffer: 0, or 64; above 0
                              every buffer has a place of its own, which no
                              other one uses before or after it */
    const char *device;    /* "AVX-512, 2 threads, OpenBLAS 0.3.21" */
    int64_t memory;        /* bytes that it could allocate now; 0: not known */
} nn_handler_info;

/* The functions of a handler.  All but the three of fork and those that say
 * "absent" are needed. */
typedef struct nn_handler_interface {
    uint32_t size;         /* NN_SIZEOF(nn_handler_interface, get_interface) or
                              older */
    uint32_t n_operations; /* entries of `operations` */

    /* Makes a handler.  HOST and PARAMS live as long as it.  Returns 0, or a
     * code with the message set.  [setup] */
    int32_t (*create)(const nn_host *host, const nn_params *params,
                      const nn_handler_request *request, nn_handler **handler);

    /* Releases it; all its memory has been freed before.  NULL is fine.
     * [setup] */
    void (*destroy)(nn_handler *handler);

    /* Fills INFO up to info->size.  [setup] */
    void (*describe)(nn_handler *handler, nn_handler_info *info);

    /* Allocates BYTES > 0, at least 64-byte aligned, contents undefined, ready
     * to be touched without page faults.  Returns 0, or NN_NO_MEMORY with the
     * message set (not sticky).  [setup] */
    int32_t (*allocate)(nn_handler *handler, int64_t bytes, nn_memory **memory);

    /* Frees MEMORY; NULL is fine.  [setup] */
    void (*release)(nn_handler *handler, nn_memory *memory);

    /* Host pointer to BYTES at OFFSET of MEMORY, after waiting for the work
     * that is pending on it; NULL after an error.  ACCESS is of NN_MAP_...
     * Nothing else may use the range until unmap.  [compute] */
    void *(*map)(nn_handler *handler, nn_memory *memory, int64_t offset,
                 int64_t bytes, uint32_t access);

    /* Ends the mapping that returned POINTER.  [compute] */
    void (*unmap)(nn_handler *handler, nn_memory *memory, void *pointer,
                  uint32_t access);

    /* The kept code without waiting, 0 if none; *ID and *TEXT (may be NULL)
     * then live until clear_error.  [compute] */
    int32_t (*error)(nn_handler *handler, const char **id, const char **text);

    /* Forgets the kept error, unless it is NN_DEVICE.  [compute] */
    void (*clear_error)(nn_handler *handler);

    /* Waits for all pending work; returns as `error`.  [compute] */
    int32_t (*synchronize)(nn_handler *handler);

    /* The base operations that it runs itself, in the order of
     * NN_BASE_OPERATIONS; NULL for one that it lacks.  `self` of each call is
     * the nn_handler. */
    const nn_operation_fn *operations;

    /* The extension ID, or NULL if it lacks it.  Lives as long as the plugin.
     * Absent: it has none.  [setup] */
    const nn_extension *(*extension)(nn_handler *handler, const char *id);

    /* Starts BRANCHES >= 1 independent sequences of operations; `branch` says
     * to which one the next operations belong; `join` ends them: what follows
     * waits for all.  Absent all three: one after the other.  Never nested.
     * [compute] */
    void (*fork)(nn_handler *handler, uint32_t branches);
    void (*branch)(nn_handler *handler, uint32_t index);
    void (*join)(nn_handler *handler);

    /* Other tables of this handler by id ("nn.async/1", "nn.track/1"), or
     * NULL.  Absent: it has none.  [setup] */
    const void *(*get_interface)(nn_handler *handler, const char *id);
} nn_handler_interface;

#define NN_HANDLERS "nn.handlers/1"

/* How a handler drives its inner one: from nn_host.get_extension.  CHILD is
 * the value of a COMPONENT parameter of kind handler. */
typedef struct nn_handlers {
    uint32_t size;     /* NN_SIZEOF(nn_handlers, clear_error) */
    uint32_t reserved; /* zero */

    /* Makes the inner handler with this request; once a child, in the parent's
     * create.  The core destroys it after the parent.  Returns 0, or a code
     * with the message set.  [setup] */
    int32_t (*create)(nn_child *child, const nn_handler_request *request);

    /* The functions of the inner handler, at the host's size: what it lacks is
     * NULL.  Lives as long as the parent.  [any] */
    const nn_handler_interface *(*functions)(nn_child *child);

    /* The inner handler, NULL before create.  Lives as long as the parent.
     * [any] */
    nn_handler *(*handler)(nn_child *child);

    /* All operations as layers get them: the inner handler's own, and what it
     * lacks composed of others or run on the host.  Lives as long as the
     * parent.  [any] */
    const nn_operations *(*operations)(nn_child *child);

    /* The error that the operations above keep, or else the inner handler's,
     * as nn_handler_interface.error, and forgetting it.  [compute] */
    int32_t (*error)(nn_child *child, const char **id, const char **text);
    void (*clear_error)(nn_child *child);
} nn_handlers;

NN_END_DECLS

#endif
