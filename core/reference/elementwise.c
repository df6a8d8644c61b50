/* SPDX-License-Identifier: MIT */
/* elementwise.c - y[i] = f(x[i], z[i]), one line an operation.
 *
 * A chunk of each input is loaded before a chunk of the output is stored, so
 * the output may be the same view as an input.  Letters: x, z, w the first
 * three inputs; a, b the attributes.
 *
 * Comparisons with a scalar take it in the type of x, as every other number of
 * that array: 0.1f >= 0.1 holds. */
#include <math.h>

#include "core/reference/call.h"

#define X in[0][i]
#define Z in[1][i]
#define W in[2][i]
#define A with->a
#define B with->b

#define LOOP(name, expression)                                                 \
    static void name(const double *const *in, double *y, int64_t count,        \
                     const nn_attributes *with)                                \
    {                                                                          \
        int64_t i;                                                             \
                                                                               \
        (void)with;                                                            \
        for (i = 0; i < count; ++i)                                            \
            y[i] = expression;                                                 \
    }

/* clang-format off */
LOOP(same, X)
LOOP(add, X + Z)
LOOP(subtract, X - Z)
LOOP(mult, X * Z)
LOOP(divide, X / Z)
LOOP(maximum, nn_larger(X, Z))
LOOP(minimum, -nn_larger(-X, -Z))
LOOP(add_scalar, X + A)
LOOP(mult_scalar, A * X)
LOOP(axpby, A * X + B * Z)
LOOP(power, pow(X, A))
LOOP(clip, X < A ? A : X > B ? B : X)
LOOP(absolute, fabs(X))
LOOP(sign, X != X ? X : (X > 0) - (X < 0))
LOOP(square, X * X)
LOOP(root, sqrt(X))
LOOP(exponential, exp(X))
LOOP(logarithm, log(X))
LOOP(less, X < Z)
LOOP(less_equal, X <= Z)
LOOP(equal, X == Z)
LOOP(greater_scalar, X > A)
LOOP(greater_equal_scalar, X >= A)
LOOP(equal_scalar, X == A)
LOOP(finite_number, isfinite(X) != 0)
LOOP(choose, X != 0 ? Z : W)
/* clang-format on */

static const nn_elementwise_fn loops[NN_OP_COUNT] = {
    [NN_OP_BROADCAST_T] = same,
    [NN_OP_ADD_TT] = add,
    [NN_OP_SUBTRACT_TT] = subtract,
    [NN_OP_MULT_TT] = mult,
    [NN_OP_DIVIDE_TT] = divide,
    [NN_OP_MAXIMUM_TT] = maximum,
    [NN_OP_MINIMUM_TT] = minimum,
    [NN_OP_ADD_TS] = add_scalar,
    [NN_OP_MULT_TS] = mult_scalar,
    [NN_OP_AXPBY_TT] = axpby,
    [NN_OP_POWER_TS] = power,
    [NN_OP_CLIP_T] = clip,
    [NN_OP_ADD_MV] = add,
    [NN_OP_SUBTRACT_MV] = subtract,
    [NN_OP_MULT_MV] = mult,
    [NN_OP_DIVIDE_MV] = divide,
    [NN_OP_ABS_T] = absolute,
    [NN_OP_SIGN_T] = sign,
    [NN_OP_SQUARE_T] = square,
    [NN_OP_SQRT_T] = root,
    [NN_OP_EXP_T] = exponential,
    [NN_OP_LOG_T] = logarithm,
    [NN_OP_LESS_TT] = less,
    [NN_OP_LESS_EQUAL_TT] = less_equal,
    [NN_OP_EQUAL_TT] = equal,
    [NN_OP_GREATER_TS] = greater_scalar,
    [NN_OP_GREATER_EQUAL_TS] = greater_equal_scalar,
    [NN_OP_EQUAL_TS] = equal_scalar,
    [NN_OP_IS_FINITE_T] = finite_number,
    [NN_OP_SELECT_TTT] = choose,
};

nn_elementwise_fn nn_elementwise_loop(uint32_t operation)
{
    return loops[operation];
}

static nn_elementwise_fn loop_of(const nn_call *call)
{
    if (call->operation == NN_OP_ACTIVATION_T)
        return nn_activation_loop(call->with.kind);
    if (call->operation == NN_OP_ACTIVATION_BACKWARD_T)
        return nn_activation_backward_loop(call->with.kind);
    return loops[call->operation];
}

/* The scalar of a comparison in the type of x. */
static void round_scalar(nn_call *call)
{
    if (call->views[0].dtype == NN_FLOAT32 &&
        (call->operation == NN_OP_GREATER_TS ||
         call->operation == NN_OP_GREATER_EQUAL_TS ||
         call->operation == NN_OP_EQUAL_TS))
        call->with.a = (float)call->with.a;
}

int32_t nn_call_elementwise(nn_call *call)
{
    const uint32_t n = call->n_operands - 1;
    const nn_view *y = &call->views[n];
    const nn_elementwise_fn loop = loop_of(call);
    double chunks[NN_BASE_OPERANDS][NN_CHUNK];
    const double *in[NN_BASE_OPERANDS] = {chunks[0], chunks[1], chunks[2]};
    int64_t row;
    int64_t first;
    uint32_t i;

    round_scalar(call);
    nn_views_flatten(call->views, call->n_operands);
    for (row = 0; row < y->rows; ++row)
        for (first = 0; first < y->columns; first += NN_CHUNK) {
            int64_t count = y->columns - first;

            if (count > NN_CHUNK)
                count = NN_CHUNK;
            for (i = 0; i < n; ++i)
                if (call->views[i].data)
                    nn_view_load(&call->views[i],
                                 row * call->views[i].pitch + first, 1, count,
                                 chunks[i]);
            loop(in, chunks[n], count, &call->with);
            nn_view_store(y, row * y->pitch + first, count, chunks[n]);
        }
    return NN_OK;
}
