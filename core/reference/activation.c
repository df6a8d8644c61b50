/* SPDX-License-Identifier: MIT */
/* activation.c - activation functions and their derivatives.
 *
 * Forward y = f(x); backward dx = dy f'(x), where f' is written in terms of y,
 * whether x is given or not:
 *   linear      y = x                            f' = 1
 *   relu        y = max(x, 0)                    f' = 1 if y > 0, else 0
 *   tanh        y = tanh x                       f' = 1 - y y
 *   sigmoid     y = 1 / (1 + exp(-x))            f' = y (1 - y)
 *   elu         y = x > 0 ? x : a (exp(x) - 1)   f' = 1 if y > 0, else y + a
 *   softplus    y = log(1 + exp(x))              f' = 1 - exp(-y)
 *   leaky relu  y = x > 0 ? x : a x              f' = 1 if y > 0, else a
 * A NaN stays a NaN in both. */
#include <math.h>

#include "core/reference/call.h"

#define LOOP(name, value, expression)                                          \
    static void name(const double *const *in, double *out, int64_t count,      \
                     const nn_attributes *with)                                \
    {                                                                          \
        int64_t i;                                                             \
                                                                               \
        (void)with;                                                            \
        for (i = 0; i < count; ++i) {                                          \
            const double value;                                                \
                                                                               \
            out[i] = expression;                                               \
        }                                                                      \
    }

/* x is the input. */
#define FORWARD(name, expression) LOOP(name, x = in[0][i], expression)

/* y is the output of the forward pass; the derivative is multiplied by dy. */
#define BACKWARD(name, derivative)                                             \
    LOOP(name, y = in[1][i], in[2][i] * (derivative))

#define ALPHA with->a

/* clang-format off */
FORWARD(linear, x)
FORWARD(relu, x > 0 || x != x ? x : 0)
FORWARD(hyperbolic, tanh(x))
FORWARD(sigmoid, 1 / (1 + exp(-x)))
FORWARD(elu, x > 0 ? x : ALPHA * expm1(x))
FORWARD(softplus, (x > 0 || x != x ? x : 0) + log1p(exp(-fabs(x))))
FORWARD(leaky_relu, x > 0 ? x : ALPHA * x)

BACKWARD(linear_backward, y != y ? y : 1)
BACKWARD(relu_backward, y != y ? y : y > 0)
BACKWARD(hyperbolic_backward, 1 - y * y)
BACKWARD(sigmoid_backward, y * (1 - y))
BACKWARD(elu_backward, y > 0 ? 1 : y + ALPHA)
BACKWARD(softplus_backward, -expm1(-y))
BACKWARD(leaky_relu_backward, y != y ? y : y > 0 ? 1 : ALPHA)
/* clang-format on */

static const nn_elementwise_fn forward[NN_ACTIVATION_COUNT] = {
    [NN_ACTIVATION_LINEAR] = linear,
    [NN_ACTIVATION_RELU] = relu,
    [NN_ACTIVATION_TANH] = hyperbolic,
    [NN_ACTIVATION_SIGMOID] = sigmoid,
    [NN_ACTIVATION_ELU] = elu,
    [NN_ACTIVATION_SOFTPLUS] = softplus,
    [NN_ACTIVATION_LEAKY_RELU] = leaky_relu,
};

static const nn_elementwise_fn backward[NN_ACTIVATION_COUNT] = {
    [NN_ACTIVATION_LINEAR] = linear_backward,
    [NN_ACTIVATION_RELU] = relu_backward,
    [NN_ACTIVATION_TANH] = hyperbolic_backward,
    [NN_ACTIVATION_SIGMOID] = sigmoid_backward,
    [NN_ACTIVATION_ELU] = elu_backward,
    [NN_ACTIVATION_SOFTPLUS] = softplus_backward,
    [NN_ACTIVATION_LEAKY_RELU] = leaky_relu_backward,
};

nn_elementwise_fn nn_activation_loop(uint32_t kind)
{
    return forward[kind];
}

nn_elementwise_fn nn_activation_backward_loop(uint32_t kind)
{
    return backward[kind];
}
