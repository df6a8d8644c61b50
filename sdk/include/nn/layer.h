/* SPDX-License-Identifier: MIT */
/* layer.h - what a layer implements.
 *
 * A layer maps inputs to outputs and back.  It owns no memory and knows no
 * device: it declares buffers, receives them as arrays, and does all its work
 * through the handler's operations.  It has four functions:
 *
 *   setup     declares outputs, parameters, internals and state from the shapes
 *             of the inputs, with T and B still open.  Pure.
 *   prepare   makes the plans of extension rows, T and B known.  Optional.
 *   forward   computes outputs from inputs and parameters.
 *   backward  computes input deltas and gradients.
 *
 * Arrays are handed over in the order in which they were declared, inputs in
 * the order of the ports.  Contract of backward: it reads what forward saw and
 * wrote, and output_deltas; it writes input_deltas and gradients each as their
 * mode says; it leaves inputs, outputs, parameters and output deltas untouched
 * (the last unless the port says NN_PORT_MAY_CONSUME_DELTA).  What is not to be
 * written is marked NN_READ_ONLY.  forward and backward allocate nothing and
 * keep no state outside their buffers.  State is written only in a forward pass
 * with NN_PASS_TRAIN, once a pass. */
#ifndef NN_LAYER_H
#define NN_LAYER_H

#include <nn/operations.h>
#include <nn/plugin.h>

NN_BEGIN_DECLS

/* A shape with open sizes.  80 bytes in every version of ABI 1: it stands in
 * arrays and within other structs. */
typedef struct nn_shape {
    uint32_t size;             /* NN_SIZEOF(nn_shape, dims) */
    uint32_t dtype;            /* NN_REAL, NN_INT32, ...; in an input shape
                                  always a concrete one */
    uint32_t ndim;             /* 0: absent */
    uint32_t reserved;         /* zero */
    int64_t dims[NN_MAX_DIMS]; /* NN_T, NN_B or a number >= 1 */
} nn_shape;

typedef char nn_shape_is_80_bytes[sizeof(nn_shape) == 80 ? 1 : -1];

/* What `declare` declares. */
#define NN_DECLARE_OUTPUT 1u    /* one for each output port, in their order */
#define NN_DECLARE_PARAMETER 2u /* trained; has a gradient */
#define NN_DECLARE_INTERNAL 3u  /* lives from the layer's forward to backward */
#define NN_DECLARE_STATE 4u /* lives with the network, is saved; no gradient */

/* nn_buffer.flags. */
#define NN_BUFFER_BACKWARD_ONLY 1u /* internal: only when training */
#define NN_BUFFER_NO_DELTA 2u      /* output: has no delta */

/* nn_buffer.tags of a parameter. */
#define NN_TAG_FROZEN 1u          /* not trained unless the config says so */
#define NN_TAG_NOT_REGULARIZED 2u /* weight decay passes it by */
#define NN_TAG_BIAS 4u            /* added to a sum; implies the former */

/* A buffer that a layer declares.  Strings are copied. */
typedef struct nn_buffer {
    uint32_t size;          /* NN_SIZEOF(nn_buffer, value) */
    uint32_t flags;         /* NN_BUFFER_... */
    uint32_t tags;          /* NN_TAG_... */
    int32_t context_before; /* frames that stand before frame 0 and after */
    int32_t context_after;  /* frame T - 1: outputs and internals (T, B, ...) */
    uint32_t reserved;      /* zero */
    nn_shape shape;         /* dtype NN_REAL unless it holds something else */
    const char *name;       /* "W"; unique among the layer's own of its sort */
    const char *group; /* parameters of one group have equal trailing axes, are
                          stacked on the first one and arrive both singly and
                          as one array; NULL: none */
    int64_t fan_in;    /* incoming connections of one unit; 0: the product of
                          all axes but the first */
    int64_t fan_out;   /* 0: the first axis times the product of all axes from
                          the third on */
    const char *initializer; /* of a parameter that the config leaves open, as
                                the config would write it: "{he: {}}"; NULL:
                                `value` */
    double value;            /* start of a state, or of a parameter */
} nn_buffer;

typedef struct nn_setup nn_setup;

/* What setup sees. */
struct nn_setup {
    uint32_t size;       /* NN_SIZEOF(nn_setup, reference) */
    uint32_t n_inputs;   /* entries of `inputs`: one a port, absent ones with
                            ndim 0; a variadic port takes all that follow */
    const nn_host *host; /* for messages and extensions */
    const nn_params *params; /* of the layer */
    const char *layer;       /* its name, for messages */
    void *instance;          /* interface.instance_bytes, zeroed */
    const nn_shape *inputs;  /* dtype concrete */
    uint32_t real;           /* NN_FLOAT32 or NN_FLOAT64 */
    uint32_t reserved;       /* zero */

    /* Declares BUFFER as WHAT (NN_DECLARE_...).  Returns its index among those
     * of its sort, or a negative code with the message set.  [setup] */
    int32_t (*declare)(nn_setup *setup, uint32_t what, const nn_buffer *buffer);

    /* Sets up CHILD (the value of a COMPONENT parameter of kind layer, or of a
     * NETWORK parameter) for inputs of these shapes, to be run FRAMES time
     * steps at a time, 0 or more than T: all T at once.  Its buffers become
     * buffers of this layer, named `parent.child.name`; what lives from forward
     * to backward is kept for every run.  An input of ndim 0 is absent.  Once a
     * child.  Returns 0, or a code with the message set.  [setup] */
    int32_t (*child)(nn_setup *setup, nn_child *child, const nn_shape *inputs,
                     uint32_t n_inputs, int64_t frames);

    /* Gives the shape of output INDEX of a child that was set up: of its last
     * layer in the order of execution.  Returns 0 or a code with the message
     * set.  [setup] */
    int32_t (*child_output)(nn_setup *setup, nn_child *child, uint32_t index,
                            nn_shape *shape);

    /* Asks for a buffer of another layer that stands earlier in the network:
     * "conv1.parameters.W", "conv1.outputs.default", "pool1.internals.argmax",
     * "pool1.reserve.0" (the reserve of its plans 0 and 1).  Returns its index
     * in nn_layer_context.references, or a negative code; SHAPE (may be NULL)
     * gets its shape, of a reserve ndim 0: a pass brings it as bytes, or absent
     * if no plan asked for one.  [setup] */
    int32_t (*reference)(nn_setup *setup, const char *path, nn_shape *shape);
};

/* A planned row with the memory that it asked for.  Opaque, made in prepare,
 * run in forward and backward. */
typedef struct nn_plan nn_plan;

/* nn_layer_context.flags. */
#define NN_PASS_TRAIN 1u    /* draw masks, use batch statistics, write state */
#define NN_PASS_BACKWARD 2u /* a backward pass follows: keep what it needs */

typedef struct nn_layer_context nn_layer_context;

/* What prepare, forward and backward see.  In prepare the arrays have shapes
 * and modes but no memory. */
struct nn_layer_context {
    uint32_t size;       /* NN_SIZEOF(nn_layer_context, child_output_delta) */
    uint32_t flags;      /* NN_PASS_... */
    const nn_host *host; /* for messages and extensions */
    const nn_params *params;  /* of the layer */
    const char *layer;        /* its name */
    void *instance;           /* as in setup; not written after setup */
    const nn_operations *ops; /* the completed table */
    int64_t T;                /* time steps of this pass */
    int64_t B;                /* samples of this pass */
    nn_random random;         /* stream of this layer, number of the update */

    const nn_array *inputs;           /* read only; absent: ndim 0 */
    const nn_array *outputs;          /* backward: read only */
    const nn_array *parameters;       /* read only */
    const nn_array *internals;        /* BACKWARD_ONLY ones absent without
                                         NN_PASS_BACKWARD */
    const nn_array *state;            /* written with NN_PASS_TRAIN only */
    const nn_array *input_deltas;     /* one an input; DISCARD if unwanted */
    const nn_array *output_deltas;    /* one an output, read; DISCARD if the
                                         output has none (no layer reads it):
                                         it then counts as zero */
    const nn_array *gradients;        /* one a parameter */
    const nn_array *parameter_groups; /* in order of first mention */
    const nn_array *gradient_groups;  /* the same */
    const nn_array *references;       /* read only */
    const nn_array *reference_deltas; /* gradient of a parameter or delta of an
                                         output, mode ADD; else DISCARD */
    uint32_t n_inputs;                /* entries of inputs and input_deltas */
    uint32_t n_outputs;               /* of outputs and output_deltas */
    uint32_t n_parameters;            /* of parameters and gradients */
    uint32_t n_internals;             /* of internals */
    uint32_t n_state;                 /* of state */
    uint32_t n_parameter_groups; /* of parameter_groups and gradient_groups */
    uint32_t n_references;       /* of references and reference_deltas */
    uint32_t n_plans;            /* of plans */
    nn_plan *const *plans;       /* by slot; NULL where none was made */
    void *core;                  /* the core's own */

    /* prepare only: plans row ROW of extension ID for OPERANDS (NULL where
     * absent) and ATTRIBUTES (copied) in SLOT, 0 to 63.  Slots 2 k and 2 k + 1
     * have one reserve in common: plan a forward row in the even one and the
     * backward row that matches it in the odd one.  Returns 0, or
     * NN_UNSUPPORTED if neither the handler nor the core has the row, or
     * another code.
     *
     * In prepare, gradients and what a parent hands a child as input deltas
     * have mode ADD unless they are DISCARD.  A pass may bring them as WRITE or
     * DISCARD, which a row planned for ADD takes as well.  [setup] */
    int32_t (*plan)(const nn_layer_context *context, uint32_t slot,
                    const char *id, uint32_t row,
                    const nn_array *const *operands, uint32_t n_operands,
                    const void *attributes);

    /* Runs PLAN with operands as planned; ATTRIBUTES NULL: those of the plan.
     * [compute] */
    void (*run)(const nn_plan *plan, const nn_array *const *operands,
                uint32_t n_operands, const void *attributes);

    /* Runs CHILD forward on INPUTS, which have as many frames as setup named,
     * for the frames from FIRST on, a multiple of their number.  No gaps lie
     * between the rows of what is handed over: the inputs and input deltas of
     * a layer with children have none.  [compute] */
    void (*child_forward)(const nn_layer_context *context, nn_child *child,
                          const nn_array *inputs, uint32_t n_inputs,
                          int64_t first);

    /* The same backward: reads what the parent wrote into the output deltas of
     * these frames; writes INPUT_DELTAS as their modes say; adds to the
     * gradients, which are zero at the start of the parent's backward unless
     * they accumulate.  A LOSS output of a child is an output like others.
     * [compute] */
    void (*child_backward)(const nn_layer_context *context, nn_child *child,
                           const nn_array *inputs, const nn_array *input_deltas,
                           uint32_t n_inputs, int64_t first);

    /* Output INDEX of CHILD, all frames that the parent sees, or if it has no
     * time axis that of the last run; child_output_delta: its delta, zero at
     * the start of the parent's backward, to be written by the parent before
     * child_backward.  [compute] */
    nn_array (*child_output)(const nn_layer_context *context, nn_child *child,
                             uint32_t index);
    nn_array (*child_output_delta)(const nn_layer_context *context,
                                   nn_child *child, uint32_t index);
};

/* The functions of a layer. */
typedef struct nn_layer_interface {
    uint32_t size;           /* NN_SIZEOF(nn_layer_interface, backward) */
    uint32_t instance_bytes; /* of constants that setup computes; 0: none */

    /* Declares buffers.  May be called many times, and without a network.
     * Returns 0, or a code with the message set.  [setup] */
    int32_t (*setup)(nn_setup *setup);

    /* Makes plans for T and B of CONTEXT; called again when they or the
     * flags change.  Returns 0, or a code with the message set.  Absent: no
     * plans.  [setup] */
    int32_t (*prepare)(const nn_layer_context *context);

    /* Outputs from inputs.  [compute] */
    void (*forward)(const nn_layer_context *context);

    /* Input deltas and gradients from output deltas.  Absent: the layer has
     * no derivative.  [compute] */
    void (*backward)(const nn_layer_context *context);
} nn_layer_interface;

/* Runs the plan in SLOT.  [compute] */
static inline void nn_run_plan(const nn_layer_context *context, uint32_t slot,
                               const nn_array *const *operands,
                               uint32_t n_operands)
{
    context->run(context->plans[slot], operands, n_operands, NULL);
}

/* The random numbers of draw DRAW, 0, 1, ..., of this layer in this update.
 * [compute] */
static inline nn_random nn_layer_random(const nn_layer_context *context,
                                        uint64_t draw)
{
    nn_random random = context->random;

    random.stream += draw;
    return random;
}

/* Zeroed declaration of a real buffer NAME with its size; fill in the rest.
 * [any] */
static inline nn_buffer nn_buffer_named(const char *name)
{
    nn_buffer buffer;
    uint32_t i;

    buffer.size = NN_SIZEOF(nn_buffer, value);
    buffer.flags = 0;
    buffer.tags = 0;
    buffer.context_before = 0;
    buffer.context_after = 0;
    buffer.reserved = 0;
    buffer.shape.size = NN_SIZEOF(nn_shape, dims);
    buffer.shape.dtype = NN_REAL;
    buffer.shape.ndim = 0;
    buffer.shape.reserved = 0;
    for (i = 0; i < NN_MAX_DIMS; ++i)
        buffer.shape.dims[i] = 0;
    buffer.name = name;
    buffer.group = NULL;
    buffer.fan_in = 0;
    buffer.fan_out = 0;
    buffer.initializer = NULL;
    buffer.value = 0;
    return buffer;
}

/* Product of the axes of SHAPE from FIRST on; -1 if one is open or the product
 * does not fit.  [any] */
static inline int64_t nn_shape_product(const nn_shape *shape, uint32_t first)
{
    int64_t product = 1;
    uint32_t i;

    for (i = first; i < shape->ndim; ++i) {
        if (shape->dims[i] < 1 || product > INT64_MAX / shape->dims[i])
            return -1;
        product *= shape->dims[i];
    }
    return product;
}

NN_END_DECLS

#endif
