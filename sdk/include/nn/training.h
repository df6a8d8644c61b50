/* SPDX-License-Identifier: MIT */
/* training.h - steppers, modifiers, schedules, initializers and scorers.
 *
 * Small kinds with the same machinery as the four public ones; their
 * interfaces are frozen later.
 *
 *   stepper      changes parameters, given their gradient, once an update
 *   modifier     changes gradients before the stepper, or parameters after it
 *   schedule     a number as a function of the progress of training
 *   initializer  the first values of a parameter
 *   scorer       compares predictions with targets */
#ifndef NN_TRAINING_H
#define NN_TRAINING_H

#include <nn/layer.h>

NN_BEGIN_DECLS

/* ---- steppers ---------------------------------------------------------- */

typedef struct nn_stepper_context nn_stepper_context;

/* What a step sees: one run of parameters with equal settings, flat. */
struct nn_stepper_context {
    uint32_t size;              /* NN_SIZEOF(nn_stepper_context, run) */
    uint32_t n_vectors;         /* entries of `vectors` */
    const nn_host *host;        /* for messages and extensions */
    const nn_params *params;    /* TUNABLE ones have the value of this update */
    const nn_operations *ops;   /* the completed table */
    const nn_array *parameters; /* (P), in-out */
    const nn_array *gradients;  /* (P), read only */
    const nn_array *vectors;    /* n_vectors of (P), in-out */
    int64_t update;             /* number of this update, from 1 */
    nn_plan *const *plans;      /* by slot */

    /* As in nn_layer_context, in prepare only.  [setup] */
    int32_t (*plan)(const nn_stepper_context *context, uint32_t slot,
                    const char *id, uint32_t row,
                    const nn_array *const *operands, uint32_t n_operands,
                    const void *attributes);

    /* As in nn_layer_context.  [compute] */
    void (*run)(const nn_plan *plan, const nn_array *const *operands,
                uint32_t n_operands, const void *attributes);
};

/* The functions of a stepper. */
typedef struct nn_stepper_interface {
    uint32_t size;      /* NN_SIZEOF(nn_stepper_interface, step) */
    uint32_t n_vectors; /* real vectors of the parameters' length that it keeps;
                           they start as zero, are saved and resumed */
    const char *const *vector_names; /* n_vectors of them */

    /* Makes plans.  Absent: none.  [setup] */
    int32_t (*prepare)(const nn_stepper_context *context);

    /* Changes parameters and vectors through operations.  [compute] */
    void (*step)(const nn_stepper_context *context);
} nn_stepper_interface;

/* ---- modifiers --------------------------------------------------------- */

/* When a modifier works. */
#define NN_MODIFY_GRADIENT 1u  /* before the step */
#define NN_MODIFY_PARAMETER 2u /* after the step */

/* One parameter that a modifier was pointed at. */
typedef struct nn_modified {
    uint32_t size;      /* NN_SIZEOF(nn_modified, gradient) */
    uint32_t tags;      /* NN_TAG_... */
    const char *name;   /* "hidden.W" */
    nn_array parameter; /* its shape, in-out after the step, else read only */
    nn_array gradient;  /* in-out before the step, else read only */
} nn_modified;

/* What a modifier sees. */
typedef struct nn_modifier_context {
    uint32_t size;               /* NN_SIZEOF(nn_modifier_context, read) */
    uint32_t n_modified;         /* entries of `modified` */
    const nn_host *host;         /* for messages and extensions */
    const nn_params *params;     /* of the modifier */
    const nn_operations *ops;    /* the completed table */
    const nn_modified *modified; /* n_modified entries, each of
                                    `modified_size` bytes */
    uint32_t modified_size;      /* of one entry, the writer's */
    uint32_t reserved;           /* zero */
    nn_array scratch;            /* real (1 + n_modified), contents undefined */
    int64_t update;              /* from 1 */

    /* Copies element INDEX of the real vector ARRAY to the host, after all
     * pending work; NaN after an error of the handler.  [compute] */
    double (*read)(const struct nn_modifier_context *context,
                   const nn_array *array, int64_t index);
} nn_modifier_context;

/* The function of a modifier. */
typedef struct nn_modifier_interface {
    uint32_t size; /* NN_SIZEOF(nn_modifier_interface, modify) */
    uint32_t when; /* NN_MODIFY_... */

    /* Changes gradients or parameters.  Returns 0, or a code with the message
     * set (NN_NOT_FINITE: the update is not made).  [compute] */
    int32_t (*modify)(const nn_modifier_context *context);
} nn_modifier_interface;

/* ---- schedules --------------------------------------------------------- */

/* Where training stands.  All counts from 0, before the update that they are
 * asked for.  48 bytes in every version of ABI 1. */
typedef struct nn_progress {
    uint32_t size;            /* NN_SIZEOF(nn_progress, total_updates) */
    uint32_t reserved;        /* zero */
    int64_t epoch;            /* complete epochs */
    int64_t update;           /* complete updates */
    int64_t updates_in_epoch; /* updates of one epoch; -1: not known */
    int64_t total_epochs;     /* of the run; -1: not known */
    int64_t total_updates;    /* of the run; -1: not known */
} nn_progress;

typedef char nn_progress_is_48_bytes[sizeof(nn_progress) == 48 ? 1 : -1];

/* The function of a schedule. */
typedef struct nn_schedule_interface {
    uint32_t size;     /* NN_SIZEOF(nn_schedule_interface, value) */
    uint32_t reserved; /* zero */

    /* *VALUE for PROGRESS: a function of its arguments alone, so that resuming
     * needs nothing.  Returns 0, or a code with the message set (a schedule
     * that needs the length of the run says so).  [any] */
    int32_t (*value)(const nn_host *host, const nn_params *params,
                     const nn_progress *progress, double *value);
} nn_schedule_interface;

/* ---- initializers ------------------------------------------------------ */

/* The parameter to fill. */
typedef struct nn_initialize {
    uint32_t size;           /* NN_SIZEOF(nn_initialize, values) */
    uint32_t ndim;           /* axes of `shape`, >= 1 */
    const nn_host *host;     /* for messages */
    const nn_params *params; /* of the initializer */
    const char *name;        /* "hidden.W", for messages */
    const int64_t *shape;    /* ndim axes; the first is the units' */
    int64_t fan_in;          /* connections into one unit, >= 1 */
    int64_t fan_out;         /* connections out of one input, >= 1 */
    nn_random random;        /* stream of this parameter */
    double *values;          /* to be filled, C order; the core converts */
} nn_initialize;

/* Elements of the parameter.  [any] */
static inline int64_t nn_initialize_elements(const nn_initialize *what)
{
    int64_t product = 1;
    uint32_t i;

    for (i = 0; i < what->ndim; ++i)
        product *= what->shape[i];
    return product;
}

/* The function of an initializer. */
typedef struct nn_initializer_interface {
    uint32_t size;     /* NN_SIZEOF(nn_initializer_interface, fill) */
    uint32_t reserved; /* zero */

    /* Fills WHAT->values.  Returns 0, or a code with the message set (a shape
     * that it cannot fill).  [setup] */
    int32_t (*fill)(const nn_initialize *what);
} nn_initializer_interface;

/* ---- scorers ----------------------------------------------------------- */

/* One batch on the host. */
typedef struct nn_scored {
    uint32_t size;             /* NN_SIZEOF(nn_scored, mask) */
    uint32_t reserved;         /* zero */
    const nn_host *host;       /* for messages */
    const nn_params *params;   /* of the scorer */
    int64_t rows;              /* T * B, times the axes between */
    int64_t columns;           /* of predictions */
    int64_t target_columns;    /* of targets */
    const double *predictions; /* (rows, columns) */
    const double *targets;     /* (rows, target_columns) */
    const double *mask;        /* (rows): 0 leaves a row out; NULL: none */
} nn_scored;

/* The function of a scorer. */
typedef struct nn_scorer_interface {
    uint32_t size;             /* NN_SIZEOF(nn_scorer_interface, score) */
    uint32_t higher_is_better; /* 1 or 0 */

    /* Adds this batch to *SUM and *WEIGHT; the score is sum / weight over all
     * batches.  Returns 0, or a code with the message set.  [any] */
    int32_t (*score)(const nn_scored *what, double *sum, double *weight);
} nn_scorer_interface;

NN_END_DECLS

#endif
