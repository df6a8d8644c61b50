/* SPDX-License-Identifier: MIT */
/* extension.h - compound operations of a handler, by string id.
 *
 * An extension is a table of uniform rows.  Everything that is to be known of
 * a row is data: the roles of its operands, the size of its attribute struct.
 * So known and unknown operations are wrapped, measured, completed and tested
 * by the same code.  Third parties use ids of their own ("org.example.fft/1");
 * an id is never renamed, and a changed meaning is a new number.
 *
 * A row is used in two steps.  `plan` prepares it for fixed shapes and says
 * how many bytes of workspace (scratch, contents undefined before and after)
 * and of reserve (written by a forward row, read by the matching backward row)
 * it wants; the core allocates both.  `run` executes it. */
#ifndef NN_EXTENSION_H
#define NN_EXTENSION_H

#include <nn/array.h>

NN_BEGIN_DECLS

/* An instance of a handler.  Opaque; defined by the handler's plugin. */
typedef struct nn_handler nn_handler;

/* A handler's plan for one row and fixed shapes.  Opaque; owned by whoever
 * asked for it, released with nn_row.destroy. */
typedef struct nn_handler_plan nn_handler_plan;

/* Roles of an operand. */
#define NN_ROLE_IN 1u       /* read only */
#define NN_ROLE_OUT 2u      /* written as its mode says */
#define NN_ROLE_IN_OUT 3u   /* read, then replaced; its mode is ignored */
#define NN_ROLE_OPTIONAL 4u /* flag: may be absent (NULL) */

/* dtype masks: bit (1 << dtype). */
#define NN_MASK(dtype) (1u << (dtype))

/* The real types. */
#define NN_MASK_REAL (NN_MASK(NN_FLOAT32) | NN_MASK(NN_FLOAT64))

/* One operand of a row, constant data. */
typedef struct nn_operand {
    uint32_t size;     /* NN_SIZEOF(nn_operand, shape) */
    uint32_t role;     /* NN_ROLE_... */
    uint32_t dtypes;   /* mask of the types it accepts */
    uint32_t reserved; /* zero */
    const char *name;  /* "x" */
    const char *shape; /* letters as in operations.h: "M,K"; "*" any */
} nn_operand;

/* What a plan is asked for. */
typedef struct nn_plan_request {
    uint32_t size;       /* NN_SIZEOF(nn_plan_request, reserve_limit) */
    uint32_t n_operands; /* entries of `operands` */
    const nn_array *const *operands; /* shapes, pitches, dtypes and modes; no
                                        memory; NULL where absent */
    const void *attributes; /* of the row's struct; lives for the call */
    int64_t byte_limit;     /* workspace must fit in it; 0: no limit */
    int64_t reserve_limit;  /* the same for the reserve; 0: no limit */
} nn_plan_request;

/* What a plan answers. */
typedef struct nn_plan_result {
    uint32_t size;           /* NN_SIZEOF(nn_plan_result, reserve_bytes) */
    uint32_t reserved;       /* zero */
    nn_handler_plan *plan;   /* may be NULL if the row needs none */
    int64_t workspace_bytes; /* >= 0, 64-byte aligned when handed over */
    int64_t reserve_bytes;   /* >= 0, the same */
} nn_plan_result;

/* One operation of an extension. */
typedef struct nn_row {
    uint32_t size;                     /* NN_SIZEOF(nn_row, doc) or older */
    uint32_t n_operands;               /* entries of `operands` */
    uint32_t attributes_size;          /* of the attribute struct, 0 if none */
    uint32_t reserved;                 /* zero */
    const char *name;                  /* "linear_forward" */
    const nn_operand *const *operands; /* in the order of the id's header */

    /* Prepares the row for the request.  Returns 0, or a code with the message
     * set through the host.  [setup] */
    int32_t (*plan)(nn_handler *handler, const nn_plan_request *request,
                    nn_plan_result *result);

    /* Releases PLAN; NULL is fine.  Absent: nothing to release.  [setup] */
    void (*destroy)(nn_handler *handler, nn_handler_plan *plan);

    /* Runs the row.  OPERANDS have the shapes, dtypes, pitches and modes of
     * the plan, but what was planned as ADD may come as WRITE or DISCARD, or,
     * if it is optional, be absent.  WORKSPACE and RESERVE are byte arrays (uint8) of at least the
     * sizes asked for, NULL for 0 bytes.  Errors are sticky.  [compute] */
    void (*run)(nn_handler *handler, nn_handler_plan *plan,
                const nn_array *const *operands, uint32_t n_operands,
                const void *attributes, const nn_array *workspace,
                const nn_array *reserve);

    const char *doc; /* what it computes, with its source */
} nn_row;

/* A table of rows.  A row's number is its place in the id's header. */
typedef struct nn_extension {
    uint32_t size;             /* NN_SIZEOF(nn_extension, rows) */
    uint32_t n_rows;           /* entries of `rows`; a NULL row is absent */
    const char *id;            /* "nn.linear/1" */
    const nn_row *const *rows; /* by number */
} nn_extension;

NN_END_DECLS

#endif
