/* SPDX-License-Identifier: MIT */
/* operations.h - the base operations of every handler, and how to call them.
 *
 * NN_BASE_OPERATIONS is the one list: the numbers below, the completed table
 * that layers get, the reference implementation, shape checks, benchmarks and
 * the manual all come from it or are checked against it.  The list is closed
 * at 1.0; an operation that is added later comes with a composition of these,
 * so that old handlers offer it too.
 *
 * Rules for every operation:
 *   - it accepts every pitch of every operand;
 *   - each output is written as its mode says: WRITE, ADD or DISCARD;
 *   - an output may be the same view as an input of the same shape in the
 *     operations marked "in place"; any other overlap is an error;
 *   - it never reads an output whose mode is WRITE (0 * NaN stays out of it);
 *   - it returns nothing: the first failure is kept in the handler, and later
 *     operations do nothing (see nn_handler_interface.error).
 *
 * The third column of the list gives the operands in order: a role (in, out),
 * a name, and the shape in letters.  Letters stand for sizes that must agree:
 *   *     any shape; all operands with * have the same
 *   M,N   a matrix: an array of any rank, seen as M rows and N columns
 *   V     a vector that fits a matrix M,N: (N) or (1, N) for its columns,
 *         (M, 1) for its rows, or one element
 *   M     one element a row: (M) or (..., 1) with M elements
 *   R     a sum over the axis that the operation names
 * The fourth column gives the element types: r real (all real operands of one
 * call have the same), a any, i int32; one letter an operand. */
#ifndef NN_OPERATIONS_H
#define NN_OPERATIONS_H

#include <nn/array.h>

NN_BEGIN_DECLS

/* clang-format off */
#define NN_BASE_OPERATIONS(X)                                                  \
    /* moving */                                                               \
    X(COPY, copy, "in x *, out y *", "aa", "y = x; one type; copying a view onto itself does nothing; in place") \
    X(CAST, cast, "in x *, out y *", "aa", "y = x in the type of y; real to integer truncates toward zero and saturates") \
    X(FILL, fill, "out y *", "a", "y = a") \
    X(TRANSPOSE_M, transpose_m, "in x M,N, out y N,M", "rr", "y = transpose of x") \
    X(BROADCAST_T, broadcast_t, "in v V, out y M,N", "rr", "y[m,n] = v, repeated over the axis that v lacks") \
    /* element-wise on two arrays */                                           \
    X(ADD_TT, add_tt, "in x *, in z *, out y *", "rrr", "y = x + z; in place") \
    X(SUBTRACT_TT, subtract_tt, "in x *, in z *, out y *", "rrr", "y = x - z; in place") \
    X(MULT_TT, mult_tt, "in x *, in z *, out y *", "rrr", "y = x * z; in place") \
    X(DIVIDE_TT, divide_tt, "in x *, in z *, out y *", "rrr", "y = x / z; in place") \
    X(MAXIMUM_TT, maximum_tt, "in x *, in z *, out y *", "rrr", "y = larger of x and z, NaN if one is; in place") \
    X(MINIMUM_TT, minimum_tt, "in x *, in z *, out y *", "rrr", "y = smaller of x and z, NaN if one is; in place") \
    /* with a scalar */                                                        \
    X(ADD_TS, add_ts, "in x *, out y *", "rr", "y = x + a; in place") \
    X(MULT_TS, mult_ts, "in x *, out y *", "rr", "y = a * x; in place") \
    X(AXPBY_TT, axpby_tt, "in x *, in z *, out y *", "rrr", "y = a * x + b * z; in place") \
    X(POWER_TS, power_ts, "in x *, out y *", "rr", "y = x to the power a; in place") \
    X(CLIP_T, clip_t, "in x *, out y *", "rr", "y = x limited to [a, b]; NaN stays; in place") \
    /* a matrix and a vector */                                                \
    X(ADD_MV, add_mv, "in m M,N, in v V, out y M,N", "rrr", "y = m + v, v repeated; in place in m") \
    X(SUBTRACT_MV, subtract_mv, "in m M,N, in v V, out y M,N", "rrr", "y = m - v; in place in m") \
    X(MULT_MV, mult_mv, "in m M,N, in v V, out y M,N", "rrr", "y = m * v; in place in m") \
    X(DIVIDE_MV, divide_mv, "in m M,N, in v V, out y M,N", "rrr", "y = m / v; in place in m") \
    /* products */                                                             \
    X(DOT_MM, dot_mm, "in x M,K, in z K,N, out y M,N", "rrr", "y = op(x) op(z); flags NN_TRANSPOSE_A (x is K,M) and NN_TRANSPOSE_B (z is N,K)") \
    /* functions of one array */                                               \
    X(ABS_T, abs_t, "in x *, out y *", "rr", "y = |x|; in place") \
    X(SIGN_T, sign_t, "in x *, out y *", "rr", "y = -1, 0 or 1; NaN stays; in place") \
    X(SQUARE_T, square_t, "in x *, out y *", "rr", "y = x * x; in place") \
    X(SQRT_T, sqrt_t, "in x *, out y *", "rr", "y = square root of x; in place") \
    X(EXP_T, exp_t, "in x *, out y *", "rr", "y = e to the x; in place") \
    X(LOG_T, log_t, "in x *, out y *", "rr", "y = natural logarithm of x; in place") \
    /* sums and extremes over an axis, or over all */                          \
    X(SUM_T, sum_t, "in x *, out y R", "rr", "y = sum of x over axis; NN_AXIS_ALL: over all, one element; NN_AXIS_ROWS: over all axes but the last") \
    X(SUM_SQUARES_T, sum_squares_t, "in x *, out y R", "rr", "y = sum of x * x over axis, as sum_t") \
    X(MAX_T, max_t, "in x *, out y R", "rr", "y = largest of x over axis, NaN if one is, as sum_t") \
    X(ARGMAX_M, argmax_m, "in x M,N, out y M", "ri", "y[m] = first column of the largest of row m; a NaN counts as larger than any number") \
    /* comparisons: 1 where true, 0 where false or NaN */                      \
    X(LESS_TT, less_tt, "in x *, in z *, out y *", "rrr", "y = x < z; in place") \
    X(LESS_EQUAL_TT, less_equal_tt, "in x *, in z *, out y *", "rrr", "y = x <= z; in place") \
    X(EQUAL_TT, equal_tt, "in x *, in z *, out y *", "rrr", "y = x == z; in place") \
    X(GREATER_TS, greater_ts, "in x *, out y *", "rr", "y = x > a; in place") \
    X(GREATER_EQUAL_TS, greater_equal_ts, "in x *, out y *", "rr", "y = x >= a; in place") \
    X(EQUAL_TS, equal_ts, "in x *, out y *", "rr", "y = x == a; in place") \
    X(IS_FINITE_T, is_finite_t, "in x *, out y *", "rr", "y = 1 where x is neither NaN nor infinite; in place") \
    X(SELECT_TTT, select_ttt, "in c *, in x *, in z *, out y *", "rrrr", "y = x where c is not 0, else z; in place") \
    /* indexing; an index out of range is an error that names it */            \
    X(GATHER_M_BY_V, gather_m_by_v, "in m K,N, in v M, out y M,N", "rir", "y[m,:] = m[v[m],:]") \
    X(SCATTER_M_BY_V, scatter_m_by_v, "in x M,N, in v M, out y K,N", "rir", "y[v[m],:] += x[m,:] in the order of m; y is ADD or DISCARD") \
    X(INDEX_M_BY_V, index_m_by_v, "in x M,N, in v M, out y M", "rir", "y[m] = x[m,v[m]]") \
    X(SCATTER_V_BY_V, scatter_v_by_v, "in x M, in v M, out y M,N", "rir", "y[m,v[m]] += x[m]; y is ADD or DISCARD") \
    X(ONE_HOT_V, one_hot_v, "in v M, out y M,N", "ir", "y[m,n] = 1 if n == v[m], else 0") \
    /* random numbers: see random.h */                                         \
    X(FILL_UNIFORM, fill_uniform, "out y *", "r", "y = uniform in [a, b)") \
    X(FILL_GAUSSIAN, fill_gaussian, "out y *", "r", "y = normal with mean a and standard deviation b") \
    X(FILL_BERNOULLI, fill_bernoulli, "out y *", "r", "y = b with probability a, else 0") \
    X(DROPOUT_T, dropout_t, "in x *, out y *", "rr", "y = x / (1 - a) with probability 1 - a, else 0; 0 for a = 1; the same random gives the same choice; in place") \
    /* activations, softmax */                                                 \
    X(ACTIVATION_T, activation_t, "in x *, out y *", "rr", "y = f(x), f = kind with alpha a; in place") \
    X(ACTIVATION_BACKWARD_T, activation_backward_t, "in x *, in y *, in dy *, out dx *", "rrrr", "dx = dy * f'(x); x may be absent for kinds whose derivative follows from y; in place in dy") \
    X(SOFTMAX_M, softmax_m, "in x M,N, out y M,N", "rr", "y = softmax of each row, by subtracting its maximum; in place") \
    X(LOG_SOFTMAX_M, log_softmax_m, "in x M,N, out y M,N", "rr", "y = logarithm of the softmax of each row; in place") \
    X(SOFTMAX_BACKWARD_M, softmax_backward_m, "in y M,N, in dy M,N, out dx M,N", "rrr", "dx = y * (dy - sum over the row of y * dy); in place in dy")
/* clang-format on */

/* Numbers of the base operations: NN_OP_COPY = 0, ... */
enum nn_base_operation {
#define NN_OPERATION_NUMBER(NAME, name, operands, types, doc) NN_OP_##NAME,
    NN_BASE_OPERATIONS(NN_OPERATION_NUMBER)
#undef NN_OPERATION_NUMBER
        NN_OP_COUNT /* of this edition */
};

/* Activation functions; alpha is nn_attributes.a.  The derivative of all of
 * these follows from y.  relu'(0) = 0, and a NaN stays a NaN. */
#define NN_ACTIVATION_LINEAR 0u     /* x */
#define NN_ACTIVATION_RELU 1u       /* max(x, 0) */
#define NN_ACTIVATION_TANH 2u       /* tanh x */
#define NN_ACTIVATION_SIGMOID 3u    /* 1 / (1 + exp(-x)) */
#define NN_ACTIVATION_ELU 4u        /* x > 0 ? x : alpha (exp(x) - 1) */
#define NN_ACTIVATION_SOFTPLUS 5u   /* log(1 + exp(x)) */
#define NN_ACTIVATION_LEAKY_RELU 6u /* x > 0 ? x : alpha x, alpha >= 0 */
#define NN_ACTIVATION_COUNT 7u      /* of this edition */

/* nn_attributes.flags of dot_mm. */
#define NN_TRANSPOSE_A 1u
#define NN_TRANSPOSE_B 2u

/* nn_attributes.axis, besides 0 to ndim - 1. */
#define NN_AXIS_ALL (-1)  /* over everything: one element */
#define NN_AXIS_ROWS (-2) /* over all axes but the last: (columns) */

/* Where random numbers come from: see random.h.  By value in calls, and 32
 * bytes in every version of ABI 1. */
typedef struct nn_random {
    uint64_t seed;   /* of the run */
    uint64_t stream; /* hash of the layer's name and the draw's number */
    uint64_t offset; /* number of the update */
    uint64_t first;  /* logical position of the view's first element */
} nn_random;

typedef char nn_random_is_32_bytes[sizeof(nn_random) == 32 ? 1 : -1];

/* What a base operation takes besides its operands.  Each uses the members
 * that the list names; the others are zero. */
typedef struct nn_attributes {
    uint32_t size;     /* NN_SIZEOF(nn_attributes, random) */
    uint32_t kind;     /* NN_ACTIVATION_... */
    uint32_t flags;    /* NN_TRANSPOSE_... */
    uint32_t reserved; /* zero */
    double a;          /* the list's a, or alpha of an activation */
    double b;          /* the list's b */
    int64_t axis;      /* of a sum or extreme: 0 to ndim - 1, NN_AXIS_... */
    nn_random random;  /* of a random fill, and of dropout */
} nn_attributes;

/* One base operation of one handler.  OPERANDS has the operands in the order
 * of the list; an absent one is NULL.  SELF is the slot's.  One function may
 * serve many operations: it is told which.  [compute] */
typedef void (*nn_operation_fn)(void *self, uint32_t operation,
                                const nn_array *const *operands,
                                const nn_attributes *attributes);

/* One slot of the completed table. */
typedef struct nn_slot {
    nn_operation_fn run; /* never NULL in a completed table */
    void *self;          /* handed to run */
} nn_slot;

/* The completed table: what a layer computes with.  Operations that the
 * handler lacks are compositions of others, or run in the reference on the
 * host.  Made by the core; lives as long as the network.  Each slot is
 * `slot_size` bytes after the one before. */
typedef struct nn_operations {
    uint32_t size;        /* NN_SIZEOF(nn_operations, slots) */
    uint32_t count;       /* of slots: operations that this host knows */
    uint32_t slot_size;   /* of the writer */
    uint32_t real;        /* NN_FLOAT32 or NN_FLOAT64: the network's NN_REAL */
    const nn_slot *slots; /* by number of the operation */
} nn_operations;

/* Runs one operation.  The typed functions below are what a layer writes.
 * OPERATION must be below ops->count.  [compute] */
static inline void nn_run(const nn_operations *ops, uint32_t operation,
                          const nn_array *const *operands,
                          const nn_attributes *attributes)
{
    const nn_slot *slot =
        (const nn_slot *)(const void *)((const char *)ops->slots +
                                        (size_t)operation * ops->slot_size);

    slot->run(slot->self, operation, operands, attributes);
}

/* Zeroed attributes with their size.  [any] */
static inline nn_attributes nn_no_attributes(void)
{
    nn_attributes none = {
        NN_SIZEOF(nn_attributes, random), 0, 0, 0, 0, 0, 0, {0, 0, 0, 0}};

    return none;
}

/* The typed forms, one a base operation; see the list for what each computes.
 * All [compute]. */
#define NN_TYPED_2(NAME, name)                                                 \
    static inline void nn_##name(const nn_operations *ops, const nn_array *x,  \
                                 const nn_array *y)                            \
    {                                                                          \
        const nn_array *operands[2] = {x, y};                                  \
        nn_attributes none = nn_no_attributes();                               \
        nn_run(ops, NN_OP_##NAME, operands, &none);                            \
    }
#define NN_TYPED_3(NAME, name)                                                 \
    static inline void nn_##name(const nn_operations *ops, const nn_array *x,  \
                                 const nn_array *z, const nn_array *y)         \
    {                                                                          \
        const nn_array *operands[3] = {x, z, y};                               \
        nn_attributes none = nn_no_attributes();                               \
        nn_run(ops, NN_OP_##NAME, operands, &none);                            \
    }
/* x and a scalar. */
#define NN_TYPED_2S(NAME, name)                                                \
    static inline void nn_##name(const nn_operations *ops, const nn_array *x,  \
                                 double a, const nn_array *y)                  \
    {                                                                          \
        const nn_array *operands[2] = {x, y};                                  \
        nn_attributes with = nn_no_attributes();                               \
        with.a = a;                                                            \
        nn_run(ops, NN_OP_##NAME, operands, &with);                            \
    }
/* A sum or extreme over an axis. */
#define NN_TYPED_AXIS(NAME, name)                                              \
    static inline void nn_##name(const nn_operations *ops, const nn_array *x,  \
                                 int64_t axis, const nn_array *y)              \
    {                                                                          \
        const nn_array *operands[2] = {x, y};                                  \
        nn_attributes with = nn_no_attributes();                               \
        with.axis = axis;                                                      \
        nn_run(ops, NN_OP_##NAME, operands, &with);                            \
    }
/* A random fill with two scalars. */
#define NN_TYPED_RANDOM(NAME, name)                                            \
    static inline void nn_##name(const nn_operations *ops, const nn_array *y,  \
                                 double a, double b, nn_random random)         \
    {                                                                          \
        const nn_array *operands[1] = {y};                                     \
        nn_attributes with = nn_no_attributes();                               \
        with.a = a;                                                            \
        with.b = b;                                                            \
        with.random = random;                                                  \
        nn_run(ops, NN_OP_##NAME, operands, &with);                            \
    }

NN_TYPED_2(COPY, copy)
NN_TYPED_2(CAST, cast)
NN_TYPED_2(TRANSPOSE_M, transpose_m)
NN_TYPED_2(BROADCAST_T, broadcast_t)
NN_TYPED_3(ADD_TT, add_tt)
NN_TYPED_3(SUBTRACT_TT, subtract_tt)
NN_TYPED_3(MULT_TT, mult_tt)
NN_TYPED_3(DIVIDE_TT, divide_tt)
NN_TYPED_3(MAXIMUM_TT, maximum_tt)
NN_TYPED_3(MINIMUM_TT, minimum_tt)
NN_TYPED_2S(ADD_TS, add_ts)
NN_TYPED_2S(MULT_TS, mult_ts)
NN_TYPED_2S(POWER_TS, power_ts)
NN_TYPED_3(ADD_MV, add_mv)
NN_TYPED_3(SUBTRACT_MV, subtract_mv)
NN_TYPED_3(MULT_MV, mult_mv)
NN_TYPED_3(DIVIDE_MV, divide_mv)
NN_TYPED_2(ABS_T, abs_t)
NN_TYPED_2(SIGN_T, sign_t)
NN_TYPED_2(SQUARE_T, square_t)
NN_TYPED_2(SQRT_T, sqrt_t)
NN_TYPED_2(EXP_T, exp_t)
NN_TYPED_2(LOG_T, log_t)
NN_TYPED_AXIS(SUM_T, sum_t)
NN_TYPED_AXIS(SUM_SQUARES_T, sum_squares_t)
NN_TYPED_AXIS(MAX_T, max_t)
NN_TYPED_2(ARGMAX_M, argmax_m)
NN_TYPED_3(LESS_TT, less_tt)
NN_TYPED_3(LESS_EQUAL_TT, less_equal_tt)
NN_TYPED_3(EQUAL_TT, equal_tt)
NN_TYPED_2S(GREATER_TS, greater_ts)
NN_TYPED_2S(GREATER_EQUAL_TS, greater_equal_ts)
NN_TYPED_2S(EQUAL_TS, equal_ts)
NN_TYPED_2(IS_FINITE_T, is_finite_t)
NN_TYPED_3(GATHER_M_BY_V, gather_m_by_v)
NN_TYPED_3(SCATTER_M_BY_V, scatter_m_by_v)
NN_TYPED_3(INDEX_M_BY_V, index_m_by_v)
NN_TYPED_3(SCATTER_V_BY_V, scatter_v_by_v)
NN_TYPED_2(ONE_HOT_V, one_hot_v)
NN_TYPED_RANDOM(FILL_UNIFORM, fill_uniform)
NN_TYPED_RANDOM(FILL_GAUSSIAN, fill_gaussian)
NN_TYPED_RANDOM(FILL_BERNOULLI, fill_bernoulli)
NN_TYPED_2(SOFTMAX_M, softmax_m)
NN_TYPED_2(LOG_SOFTMAX_M, log_softmax_m)
NN_TYPED_3(SOFTMAX_BACKWARD_M, softmax_backward_m)

#undef NN_TYPED_2
#undef NN_TYPED_3
#undef NN_TYPED_2S
#undef NN_TYPED_AXIS
#undef NN_TYPED_RANDOM

/* y = value.  [compute] */
static inline void nn_fill(const nn_operations *ops, const nn_array *y,
                           double value)
{
    const nn_array *operands[1] = {y};
    nn_attributes with = nn_no_attributes();

    with.a = value;
    nn_run(ops, NN_OP_FILL, operands, &with);
}

/* y = x limited to [low, high].  [compute] */
static inline void nn_clip_t(const nn_operations *ops, const nn_array *x,
                             double low, double high, const nn_array *y)
{
    const nn_array *operands[2] = {x, y};
    nn_attributes with = nn_no_attributes();

    with.a = low;
    with.b = high;
    nn_run(ops, NN_OP_CLIP_T, operands, &with);
}

/* y = a x + b z.  [compute] */
static inline void nn_axpby_tt(const nn_operations *ops, double a,
                               const nn_array *x, double b, const nn_array *z,
                               const nn_array *y)
{
    const nn_array *operands[3] = {x, z, y};
    nn_attributes with = nn_no_attributes();

    with.a = a;
    with.b = b;
    nn_run(ops, NN_OP_AXPBY_TT, operands, &with);
}

/* y = op(x) op(z) with FLAGS of NN_TRANSPOSE_A and NN_TRANSPOSE_B.
 * [compute] */
static inline void nn_dot_mm(const nn_operations *ops, const nn_array *x,
                             const nn_array *z, const nn_array *y,
                             uint32_t flags)
{
    const nn_array *operands[3] = {x, z, y};
    nn_attributes with = nn_no_attributes();

    with.flags = flags;
    nn_run(ops, NN_OP_DOT_MM, operands, &with);
}

/* y = x where c is not 0, else z.  [compute] */
static inline void nn_select_ttt(const nn_operations *ops, const nn_array *c,
                                 const nn_array *x, const nn_array *z,
                                 const nn_array *y)
{
    const nn_array *operands[4] = {c, x, z, y};
    nn_attributes none = nn_no_attributes();

    nn_run(ops, NN_OP_SELECT_TTT, operands, &none);
}

/* y = x / (1 - probability) or 0, chosen by RANDOM; the derivative is the
 * same call on the deltas.  [compute] */
static inline void nn_dropout_t(const nn_operations *ops, const nn_array *x,
                                double probability, nn_random random,
                                const nn_array *y)
{
    const nn_array *operands[2] = {x, y};
    nn_attributes with = nn_no_attributes();

    with.a = probability;
    with.random = random;
    nn_run(ops, NN_OP_DROPOUT_T, operands, &with);
}

/* y = f(x), f = KIND with ALPHA.  [compute] */
static inline void nn_activation_t(const nn_operations *ops, uint32_t kind,
                                   double alpha, const nn_array *x,
                                   const nn_array *y)
{
    const nn_array *operands[2] = {x, y};
    nn_attributes with = nn_no_attributes();

    with.kind = kind;
    with.a = alpha;
    nn_run(ops, NN_OP_ACTIVATION_T, operands, &with);
}

/* dx = dy f'(x); X may be NULL.  [compute] */
static inline void nn_activation_backward_t(
    const nn_operations *ops, uint32_t kind, double alpha, const nn_array *x,
    const nn_array *y, const nn_array *dy, const nn_array *dx)
{
    const nn_array *operands[4] = {x, y, dy, dx};
    nn_attributes with = nn_no_attributes();

    with.kind = kind;
    with.a = alpha;
    nn_run(ops, NN_OP_ACTIVATION_BACKWARD_T, operands, &with);
}

NN_END_DECLS

#endif
