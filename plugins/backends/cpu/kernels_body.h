/* SPDX-License-Identifier: MIT */
/* kernels_body.h - the text of the kernels for one set and one real type.
 *
 * Six small files include it, one for each pair of instruction set and type,
 * after saying CPU_REAL, CPU_DOUBLE, CPU_WIDTH and CPU_TABLE.  Neither
 * target_clones (its ifuncs run in the dynamic loader, where a plugin must not
 * rely on anything) nor -m flags of single files (a common inline function
 * could be kept in the version for the wrong processor) do this as plainly.
 *
 * Every element-wise kernel is an inline function of vectors handed to `map`,
 * which is inlined together with it: the loop, the tail and the modes are
 * written once. */
#ifndef CPU_KERNELS_BODY_H
#define CPU_KERNELS_BODY_H

#include "kernels.h"
#include "vector.h"

/* What an element-wise function sees. */
typedef struct operands {
    vreal x;
    vreal z;
    vreal c;
    vreal a; /* the scalars */
    vreal b;
} operands;

typedef vreal (*function)(const operands *o);

/* Which of the operands a function reads. */
#define X 1
#define Z 2
#define C 4

CPU_INLINE void map_some(const cpu_row *row, int reads, function f, operands o,
                         int64_t i, int64_t n)
{
    const CPU_REAL *x = row->x;
    const CPU_REAL *z = row->z;
    const CPU_REAL *c = row->c;
    CPU_REAL *y = row->y;
    vreal result;

    if (reads & X)
        o.x = n < LANES ? load_some(x + i, n) : load(x + i);
    if ((reads & Z) && !row->z_repeated)
        o.z = n < LANES ? load_some(z + i, n) : load(z + i);
    if (reads & C)
        o.c = n < LANES ? load_some(c + i, n) : load(c + i);
    result = f(&o);
    if (row->add)
        result += n < LANES ? load_some(y + i, n) : load(y + i);
    if (n < LANES)
        store_some(y + i, result, n);
    else
        store(y + i, result);
}

/* y = or += f(x, z, c) over the run. */
CPU_INLINE void map(const cpu_row *row, int reads, function f)
{
    operands o = {.a = all((CPU_REAL)row->a), .b = all((CPU_REAL)row->b)};
    int64_t i;

    if ((reads & Z) && row->z_repeated)
        o.z = all(*(const CPU_REAL *)row->z);
    for (i = 0; i + LANES <= row->n; i += LANES)
        map_some(row, reads, f, o, i, LANES);
    if (i < row->n)
        map_some(row, reads, f, o, i, row->n - i);
}

/* Defines kernel NAME with the formula EXPRESSION of o->x and so on. */
#define KERNEL(name, reads, expression)                                        \
    CPU_INLINE vreal name##_of(const operands *o)                              \
    {                                                                          \
        return (expression);                                                   \
    }                                                                          \
    static void name(const cpu_row *row)                                       \
    {                                                                          \
        map(row, reads, name##_of);                                            \
    }

/* 1 where MASK is set, else 0. */
CPU_INLINE vreal one_where(vbits mask)
{
    return (vreal)(mask & (vbits)all(1));
}

/* clang-format off */
KERNEL(copy, X, o->x)
KERNEL(fill, 0, o->a)
KERNEL(broadcast, Z, o->z)
KERNEL(add, X | Z, o->x + o->z)
KERNEL(subtract, X | Z, o->x - o->z)
KERNEL(multiply, X | Z, o->x * o->z)
KERNEL(divide, X | Z, o->x / o->z)
KERNEL(maximum, X | Z, choose((o->x > o->z) | (o->x != o->x), o->x, o->z))
KERNEL(minimum, X | Z, choose((o->x < o->z) | (o->x != o->x), o->x, o->z))
KERNEL(add_scalar, X, o->x + o->a)
KERNEL(multiply_scalar, X, o->x * o->a)
KERNEL(weighted_sum, X | Z, o->a * o->x + o->b * o->z)
KERNEL(clip, X, choose(o->x < o->a, o->a, at_most(o->x, o->b)))
KERNEL(absolute, X, magnitude(o->x))
KERNEL(sign, X,
       choose(o->x != o->x, o->x, one_where(o->x > 0) - one_where(o->x < 0)))
KERNEL(square, X, o->x * o->x)
KERNEL(square_root, X, root(o->x))
KERNEL(exponential_map, X, exponential(o->x))
KERNEL(logarithm_map, X, logarithm(o->x))
KERNEL(less, X | Z, one_where(o->x < o->z))
KERNEL(less_equal, X | Z, one_where(o->x <= o->z))
KERNEL(equal, X | Z, one_where(o->x == o->z))
KERNEL(greater_scalar, X, one_where(o->x > o->a))
KERNEL(greater_equal_scalar, X, one_where(o->x >= o->a))
KERNEL(equal_scalar, X, one_where(o->x == o->a))
KERNEL(is_finite, X, one_where(magnitude(o->x) < all((CPU_REAL)INFINITY)))
KERNEL(select_numbers, X | Z | C, choose(o->c != 0, o->x, o->z))

/* Activations; the derivatives take x = f(x) and z = dy. */
KERNEL(relu, X, choose(o->x <= 0, all(0), o->x))
KERNEL(tanh_map, X, hyperbolic_tangent(o->x))
KERNEL(sigmoid, X, logistic(o->x))
KERNEL(elu, X,
       choose(o->x > 0, o->x,
              o->a * exponential_minus_1(at_most(o->x, all(0)))))
KERNEL(softplus_map, X, softplus(o->x))
KERNEL(leaky_relu, X, choose(o->x > 0, o->x, o->a * o->x))
KERNEL(linear_backward, X | Z, o->z * choose(o->x != o->x, o->x, all(1)))
KERNEL(relu_backward, X | Z,
       o->z * choose(o->x != o->x, o->x, one_where(o->x > 0)))
KERNEL(tanh_backward, X | Z, o->z * ((CPU_REAL)1 - o->x * o->x))
KERNEL(sigmoid_backward, X | Z, o->z * (o->x * ((CPU_REAL)1 - o->x)))
KERNEL(elu_backward, X | Z, o->z * choose(o->x > 0, all(1), o->x + o->a))
KERNEL(softplus_backward, X | Z,
       -o->z * exponential_minus_1(at_most(-o->x, all(0))))
KERNEL(leaky_relu_backward, X | Z,
       o->z * choose(o->x > 0, all(1), choose(o->x != o->x, o->x, o->a)))
/* clang-format on */

/* All bits set where the next random word is an event. */
CPU_INLINE vbits events(const cpu_row *row, int64_t i, int64_t n)
{
    typedef uint32_t words __attribute__((vector_size(4 * LANES)));
    words w = {0};
    vbits any = all_bits(row->events ? -1 : 0);
    cpu_word last = (uint32_t)(row->events - 1);

    if (n < LANES)
        memcpy(&w, row->words + i, (size_t)n * sizeof *row->words);
    else
        memcpy(&w, row->words + i, sizeof w);
    return (__builtin_convertvector(w, vword) <= last - (vword){0}) & any;
}

CPU_INLINE vreal happens(const operands *o)
{
    return choose((vbits)o->c, o->b, all(0));
}

/* y = or += b where an event is, else 0. */
static void bernoulli(const cpu_row *row)
{
    operands o = {.b = all((CPU_REAL)row->b)};
    int64_t i;

    for (i = 0; i < row->n; i += LANES) {
        int64_t n = row->n - i < LANES ? row->n - i : LANES;

        o.c = (vreal)events(row, i, n);
        map_some(row, 0, happens, o, i, n);
    }
}

CPU_INLINE vreal keep(const operands *o)
{
    return choose((vbits)o->c, o->x / o->a, all(0));
}

/* y = or += x / a where an event is, else 0. */
static void dropout(const cpu_row *row)
{
    operands o = {.a = all((CPU_REAL)row->a)};
    int64_t i;

    for (i = 0; i < row->n; i += LANES) {
        int64_t n = row->n - i < LANES ? row->n - i : LANES;

        o.c = (vreal)events(row, i, n);
        map_some(row, X, keep, o, i, n);
    }
}

/* Sums of vectors in float64. */
typedef double vdouble __attribute__((vector_size(CPU_WIDTH)));

typedef struct sums {
    vdouble part[2];
} sums;

CPU_INLINE void add_vector(sums *to, vreal x)
{
#if CPU_DOUBLE
    to->part[0] += x;
#else
    typedef float half __attribute__((vector_size(CPU_WIDTH / 2)));
    half halves[2];

    memcpy(halves, &x, sizeof x);
    to->part[0] += __builtin_convertvector(halves[0], vdouble);
    to->part[1] += __builtin_convertvector(halves[1], vdouble);
#endif
}

CPU_INLINE double total(const sums *of)
{
    vdouble both = of->part[0] + of->part[1];
    double sum = 0;
    int i;

    for (i = 0; i < CPU_WIDTH / 8; ++i)
        sum += both[i];
    return sum;
}

/* The sum of f(x, z) over N elements. */
CPU_INLINE double reduce_sum(const CPU_REAL *x, const CPU_REAL *z, int64_t n,
                             function f)
{
    sums even = {{{0}, {0}}};
    sums odd = {{{0}, {0}}};
    operands o = {.x = {0}};
    int64_t i;

    for (i = 0; i + LANES <= n; i += LANES) {
        o.x = load(x + i);
        o.z = load(z + i);
        add_vector((i / LANES) & 1 ? &odd : &even, f(&o));
    }
    if (i < n) {
        o.x = load_some(x + i, n - i);
        o.z = load_some(z + i, n - i);
        add_vector(&even, f(&o));
    }
    return total(&even) + total(&odd);
}

static double sum(const void *x, int64_t n)
{
    return reduce_sum(x, x, n, copy_of);
}

/* Squares of float32 numbers are exact in float64. */
static double sum_squares(const void *x, int64_t n)
{
    const CPU_REAL *from = x;
    typedef CPU_REAL part
        __attribute__((vector_size(CPU_WIDTH * sizeof(CPU_REAL) / 8)));
    enum { width = CPU_WIDTH / 8 };
    vdouble squares = {0};
    double rest = 0;
    int64_t i;
    int j;

    for (i = 0; i + width <= n; i += width) {
        part some;
        vdouble wide;

        memcpy(&some, from + i, sizeof some);
        wide = __builtin_convertvector(some, vdouble);
        squares += wide * wide;
    }
    for (; i < n; ++i)
        rest += (double)from[i] * (double)from[i];
    for (j = 0; j < width; ++j)
        rest += squares[j];
    return rest;
}

CPU_INLINE void add_run_to_sums(const CPU_REAL *x, int64_t n, double *to,
                                int squares)
{
    typedef CPU_REAL part
        __attribute__((vector_size(CPU_WIDTH * sizeof(CPU_REAL) / 8)));
    enum { width = CPU_WIDTH / 8 };
    int64_t i;

    for (i = 0; i + width <= n; i += width) {
        part some;
        vdouble wide;
        vdouble sum_so_far;

        memcpy(&some, x + i, sizeof some);
        memcpy(&sum_so_far, to + i, sizeof sum_so_far);
        wide = __builtin_convertvector(some, vdouble);
        sum_so_far += squares ? wide * wide : wide;
        memcpy(to + i, &sum_so_far, sizeof sum_so_far);
    }
    for (; i < n; ++i)
        to[i] += squares ? (double)x[i] * (double)x[i] : (double)x[i];
}

static void add_to_sums(const void *x, int64_t n, double *to)
{
    add_run_to_sums(x, n, to, 0);
}

static void add_squares_to_sums(const void *x, int64_t n, double *to)
{
    add_run_to_sums(x, n, to, 1);
}

static CPU_REAL largest_of(const CPU_REAL *x, int64_t n)
{
    operands o = {.z = all(x[0])};
    CPU_REAL result;
    int64_t i;
    int j;

    for (i = 0; i + LANES <= n; i += LANES) {
        o.x = load(x + i);
        o.z = maximum_of(&o);
    }
    result = o.z[0];
    for (j = 1; j < LANES; ++j)
        if (o.z[j] > result || o.z[j] != o.z[j])
            result = o.z[j];
    for (; i < n; ++i)
        if (x[i] > result || x[i] != x[i])
            result = x[i];
    return result;
}

static double largest(const void *x, int64_t n)
{
    return (double)largest_of(x, n);
}

CPU_INLINE vreal exponential_of_difference(const operands *o)
{
    return exponential(o->x - o->a);
}

CPU_INLINE vreal softmax_element(const operands *o)
{
    return exponential(o->x - o->a) / o->b;
}

CPU_INLINE vreal log_softmax_element(const operands *o)
{
    return o->x - o->a - o->b;
}

/* The sum of exp(x - LARGEST) over N elements. */
static double sum_of_exponentials(const CPU_REAL *x, int64_t n,
                                  CPU_REAL biggest)
{
    sums all_sums = {{{0}, {0}}};
    operands o = {.a = all(biggest)};
    double rest = 0;
    int64_t i;

    for (i = 0; i + LANES <= n; i += LANES) {
        o.x = load(x + i);
        add_vector(&all_sums, exponential_of_difference(&o));
    }
    if (i < n) {
        vreal last;
        int j;

        o.x = load_some(x + i, n - i);
        last = exponential_of_difference(&o);
        for (j = 0; j < n - i; ++j)
            rest += (double)last[j];
    }
    return total(&all_sums) + rest;
}

static void softmax(const cpu_row *row)
{
    cpu_row with = *row;

    with.a = (double)largest_of(row->x, row->n);
    with.b = sum_of_exponentials(row->x, row->n, (CPU_REAL)with.a);
    map(&with, X, softmax_element);
}

static void log_softmax(const cpu_row *row)
{
    cpu_row with = *row;

    with.a = (double)largest_of(row->x, row->n);
    with.b = log(sum_of_exponentials(row->x, row->n, (CPU_REAL)with.a));
    map(&with, X, log_softmax_element);
}

CPU_INLINE vreal softmax_backward_element(const operands *o)
{
    return o->x * (o->z - o->a);
}

/* x is y, z is dy. */
static void softmax_backward(const cpu_row *row)
{
    cpu_row with = *row;

    with.a = reduce_sum(row->x, row->z, row->n, multiply_of);
    map(&with, X | Z, softmax_backward_element);
}

#include "optimizer_body.h"

const cpu_kernels CPU_TABLE = {
    .map =
        {
            [NN_OP_COPY] = copy,
            [NN_OP_FILL] = fill,
            [NN_OP_BROADCAST_T] = broadcast,
            [NN_OP_ADD_TT] = add,
            [NN_OP_SUBTRACT_TT] = subtract,
            [NN_OP_MULT_TT] = multiply,
            [NN_OP_DIVIDE_TT] = divide,
            [NN_OP_MAXIMUM_TT] = maximum,
            [NN_OP_MINIMUM_TT] = minimum,
            [NN_OP_ADD_TS] = add_scalar,
            [NN_OP_MULT_TS] = multiply_scalar,
            [NN_OP_AXPBY_TT] = weighted_sum,
            [NN_OP_CLIP_T] = clip,
            [NN_OP_ADD_MV] = add,
            [NN_OP_SUBTRACT_MV] = subtract,
            [NN_OP_MULT_MV] = multiply,
            [NN_OP_DIVIDE_MV] = divide,
            [NN_OP_ABS_T] = absolute,
            [NN_OP_SIGN_T] = sign,
            [NN_OP_SQUARE_T] = square,
            [NN_OP_SQRT_T] = square_root,
            [NN_OP_EXP_T] = exponential_map,
            [NN_OP_LOG_T] = logarithm_map,
            [NN_OP_LESS_TT] = less,
            [NN_OP_LESS_EQUAL_TT] = less_equal,
            [NN_OP_EQUAL_TT] = equal,
            [NN_OP_GREATER_TS] = greater_scalar,
            [NN_OP_GREATER_EQUAL_TS] = greater_equal_scalar,
            [NN_OP_EQUAL_TS] = equal_scalar,
            [NN_OP_IS_FINITE_T] = is_finite,
            [NN_OP_SELECT_TTT] = select_numbers,
            [NN_OP_FILL_BERNOULLI] = bernoulli,
            [NN_OP_DROPOUT_T] = dropout,
        },
    .activation = {copy, relu, tanh_map, sigmoid, elu, softplus_map,
                   leaky_relu},
    .activation_backward = {linear_backward, relu_backward, tanh_backward,
                            sigmoid_backward, elu_backward, softplus_backward,
                            leaky_relu_backward},
    .softmax =
        {
            [NN_OP_SOFTMAX_M] = softmax,
            [NN_OP_LOG_SOFTMAX_M] = log_softmax,
            [NN_OP_SOFTMAX_BACKWARD_M] = softmax_backward,
        },
    .update = {sgd, momentum, nesterov, adam, adamax, amsgrad, rmsprop, adagrad,
               adadelta},
    .sum = sum,
    .sum_squares = sum_squares,
    .add_to_sums = add_to_sums,
    .add_squares_to_sums = add_squares_to_sums,
    .largest = largest,
};

#endif
