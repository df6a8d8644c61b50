/* SPDX-License-Identifier: MIT */
/* examples.c - see examples.h.  Results are small integers or exact fractions,
 * so that no tolerance is needed; the functions that have none are shown at
 * points where they do. */
#include "tests/unit/reference/examples.h"

#include "core/reference/signature.h"

#define MAX_VALUES 24

typedef struct value {
    uint32_t ndim;
    int64_t shape[4];
    double values[MAX_VALUES];
} value;

/* The last operand holds the expected result. */
typedef struct example {
    uint32_t operation;
    struct {
        double a;
        double b;
        int64_t axis;
        uint32_t flags;
        uint32_t kind;
    } with;
    value operands[4];
} example;

#define S22                                                                    \
    2,                                                                         \
    {                                                                          \
        2, 2                                                                   \
    }
#define S23                                                                    \
    2,                                                                         \
    {                                                                          \
        2, 3                                                                   \
    }
#define S32                                                                    \
    2,                                                                         \
    {                                                                          \
        3, 2                                                                   \
    }

static const example examples[] = {
    {NN_OP_COPY, {.a = 0}, {{S22, {1, -2, 3, 4}}, {S22, {1, -2, 3, 4}}}},
    {NN_OP_CAST, {.a = 0}, {{S22, {1, -2, 3, 4}}, {S22, {1, -2, 3, 4}}}},
    {NN_OP_FILL, {.a = 5}, {{S23, {5, 5, 5, 5, 5, 5}}}},
    {NN_OP_TRANSPOSE_M,
     {.a = 0},
     {{S23, {1, 2, 3, 4, 5, 6}}, {S32, {1, 4, 2, 5, 3, 6}}}},
    {NN_OP_BROADCAST_T,
     {.a = 0},
     {{1, {3}, {1, 2, 3}}, {S23, {1, 2, 3, 1, 2, 3}}}},
    {NN_OP_BROADCAST_T,
     {.a = 0},
     {{2, {2, 1}, {1, 2}}, {S23, {1, 1, 1, 2, 2, 2}}}},
    {NN_OP_BROADCAST_T, {.a = 0}, {{1, {1}, {7}}, {S22, {7, 7, 7, 7}}}},
    {NN_OP_ADD_TT,
     {.a = 0},
     {{S22, {1, 2, 3, 4}}, {S22, {5, 6, 7, -8}}, {S22, {6, 8, 10, -4}}}},
    {NN_OP_SUBTRACT_TT,
     {.a = 0},
     {{S22, {1, 2, 3, 4}}, {S22, {5, 6, 7, -8}}, {S22, {-4, -4, -4, 12}}}},
    {NN_OP_MULT_TT,
     {.a = 0},
     {{S22, {1, 2, 3, 4}}, {S22, {5, 6, 7, -8}}, {S22, {5, 12, 21, -32}}}},
    {NN_OP_DIVIDE_TT,
     {.a = 0},
     {{S22, {1, 6, 3, 4}}, {S22, {2, 3, -4, 8}}, {S22, {.5, 2, -.75, .5}}}},
    {NN_OP_MAXIMUM_TT,
     {.a = 0},
     {{S22, {1, 9, -3, 4}}, {S22, {5, 6, -7, 4}}, {S22, {5, 9, -3, 4}}}},
    {NN_OP_MINIMUM_TT,
     {.a = 0},
     {{S22, {1, 9, -3, 4}}, {S22, {5, 6, -7, 4}}, {S22, {1, 6, -7, 4}}}},
    {NN_OP_ADD_TS, {.a = 3}, {{S22, {1, 2, 3, 4}}, {S22, {4, 5, 6, 7}}}},
    {NN_OP_MULT_TS, {.a = -2}, {{S22, {1, 2, 3, 4}}, {S22, {-2, -4, -6, -8}}}},
    {NN_OP_AXPBY_TT,
     {.a = 2, .b = -3},
     {{S22, {1, 2, 3, 4}}, {S22, {5, 6, 7, -8}}, {S22, {-13, -14, -15, 32}}}},
    {NN_OP_POWER_TS, {.a = 2}, {{S22, {1, -2, 3, 4}}, {S22, {1, 4, 9, 16}}}},
    {NN_OP_CLIP_T,
     {.a = -1, .b = 2},
     {{S22, {1, -2, 3, 2}}, {S22, {1, -1, 2, 2}}}},
    {NN_OP_ADD_MV,
     {.a = 0},
     {{S22, {1, 2, 3, 4}}, {1, {2}, {10, 20}}, {S22, {11, 22, 13, 24}}}},
    {NN_OP_ADD_MV,
     {.a = 0},
     {{3, {2, 1, 2}, {1, 2, 3, 4}},
      {3, {2, 1, 1}, {10, 20}},
      {3, {2, 1, 2}, {11, 12, 23, 24}}}},
    {NN_OP_SUBTRACT_MV,
     {.a = 0},
     {{S22, {1, 2, 3, 4}}, {2, {1, 2}, {10, 20}}, {S22, {-9, -18, -7, -16}}}},
    {NN_OP_MULT_MV,
     {.a = 0},
     {{S22, {1, 2, 3, 4}}, {2, {2, 1}, {10, 20}}, {S22, {10, 20, 60, 80}}}},
    {NN_OP_DIVIDE_MV,
     {.a = 0},
     {{S22, {1, 2, 3, 4}}, {2, {1, 1}, {2}}, {S22, {.5, 1, 1.5, 2}}}},
    {NN_OP_DOT_MM,
     {.a = 0},
     {{S23, {1, 2, 3, 4, 5, 6}},
      {S32, {1, 2, 3, 4, 5, 6}},
      {S22, {22, 28, 49, 64}}}},
    {NN_OP_DOT_MM,
     {.flags = NN_TRANSPOSE_A},
     {{S32, {1, 4, 2, 5, 3, 6}},
      {S32, {1, 2, 3, 4, 5, 6}},
      {S22, {22, 28, 49, 64}}}},
    {NN_OP_DOT_MM,
     {.flags = NN_TRANSPOSE_B},
     {{S23, {1, 2, 3, 4, 5, 6}},
      {S23, {1, 3, 5, 2, 4, 6}},
      {S22, {22, 28, 49, 64}}}},
    {NN_OP_DOT_MM,
     {.flags = NN_TRANSPOSE_A | NN_TRANSPOSE_B},
     {{S32, {1, 4, 2, 5, 3, 6}},
      {S23, {1, 3, 5, 2, 4, 6}},
      {S22, {22, 28, 49, 64}}}},
    {NN_OP_ABS_T, {.a = 0}, {{S22, {1, -2, 0, 4}}, {S22, {1, 2, 0, 4}}}},
    {NN_OP_SIGN_T, {.a = 0}, {{S22, {1, -2, 0, 4}}, {S22, {1, -1, 0, 1}}}},
    {NN_OP_SQUARE_T, {.a = 0}, {{S22, {1, -2, 0, 4}}, {S22, {1, 4, 0, 16}}}},
    {NN_OP_SQRT_T, {.a = 0}, {{S22, {1, 4, 0, 16}}, {S22, {1, 2, 0, 4}}}},
    {NN_OP_EXP_T, {.a = 0}, {{S22, {0, 0, 0, 0}}, {S22, {1, 1, 1, 1}}}},
    {NN_OP_LOG_T, {.a = 0}, {{S22, {1, 1, 1, 1}}, {S22, {0, 0, 0, 0}}}},
    {NN_OP_SUM_T,
     {.axis = 0},
     {{S23, {1, 2, 3, 4, 5, 6}}, {1, {3}, {5, 7, 9}}}},
    {NN_OP_SUM_T,
     {.axis = 1},
     {{S23, {1, 2, 3, 4, 5, 6}}, {2, {2, 1}, {6, 15}}}},
    {NN_OP_SUM_T,
     {.axis = 1},
     {{3, {2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8}}, {S22, {4, 6, 12, 14}}}},
    {NN_OP_SUM_T,
     {.axis = 0},
     {{3, {2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8}}, {S22, {6, 8, 10, 12}}}},
    {NN_OP_SUM_T,
     {.axis = 2},
     {{3, {2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8}}, {S22, {3, 7, 11, 15}}}},
    {NN_OP_SUM_T,
     {.axis = NN_AXIS_ALL},
     {{S23, {1, 2, 3, 4, 5, 6}}, {1, {1}, {21}}}},
    {NN_OP_SUM_T,
     {.axis = NN_AXIS_ROWS},
     {{3, {2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8}}, {1, {2}, {16, 20}}}},
    {NN_OP_SUM_SQUARES_T,
     {.axis = 1},
     {{S23, {1, 2, 3, 4, 5, 6}}, {1, {2}, {14, 77}}}},
    {NN_OP_MAX_T,
     {.axis = NN_AXIS_ROWS},
     {{S23, {1, -2, 3, -4, -5, 6}}, {1, {3}, {1, -2, 6}}}},
    {NN_OP_MAX_T,
     {.axis = 1},
     {{S23, {1, -2, 3, -4, -5, -6}}, {2, {2, 1}, {3, -4}}}},
    {NN_OP_ARGMAX_M, {.a = 0}, {{S23, {1, 5, 5, 9, -5, 6}}, {1, {2}, {1, 0}}}},
    {NN_OP_LESS_TT,
     {.a = 0},
     {{S22, {1, 2, 3, 4}}, {S22, {2, 2, 2, 9}}, {S22, {1, 0, 0, 1}}}},
    {NN_OP_LESS_EQUAL_TT,
     {.a = 0},
     {{S22, {1, 2, 3, 4}}, {S22, {2, 2, 2, 9}}, {S22, {1, 1, 0, 1}}}},
    {NN_OP_EQUAL_TT,
     {.a = 0},
     {{S22, {1, 2, 3, 4}}, {S22, {2, 2, 2, 9}}, {S22, {0, 1, 0, 0}}}},
    {NN_OP_GREATER_TS, {.a = 2}, {{S22, {1, 2, 3, 4}}, {S22, {0, 0, 1, 1}}}},
    {NN_OP_GREATER_EQUAL_TS,
     {.a = 2},
     {{S22, {1, 2, 3, 4}}, {S22, {0, 1, 1, 1}}}},
    {NN_OP_EQUAL_TS, {.a = 2}, {{S22, {1, 2, 3, 4}}, {S22, {0, 1, 0, 0}}}},
    {NN_OP_IS_FINITE_T,
     {.a = 0},
     {{S22, {1, INFINITY, NAN, -INFINITY}}, {S22, {1, 0, 0, 0}}}},
    {NN_OP_SELECT_TTT,
     {.a = 0},
     {{S22, {0, 1, -2, NAN}},
      {S22, {1, 2, 3, 4}},
      {S22, {5, 6, 7, 8}},
      {S22, {5, 2, 3, 4}}}},
    {NN_OP_GATHER_M_BY_V,
     {.a = 0},
     {{S32, {1, 2, 3, 4, 5, 6}},
      {2, {4, 1}, {2, 0, 2, 1}},
      {3, {2, 2, 2}, {5, 6, 1, 2, 5, 6, 3, 4}}}},
    {NN_OP_SCATTER_M_BY_V,
     {.a = 0},
     {{S32, {1, 2, 3, 4, 5, 6}},
      {1, {3}, {1, 0, 1}},
      {S32, {3, 4, 6, 8, 0, 0}}}},
    {NN_OP_INDEX_M_BY_V,
     {.a = 0},
     {{S32, {1, 2, 3, 4, 5, 6}}, {1, {3}, {1, 0, 1}}, {2, {3, 1}, {2, 3, 6}}}},
    {NN_OP_SCATTER_V_BY_V,
     {.a = 0},
     {{2, {3, 1}, {2, 3, 6}}, {1, {3}, {1, 0, 1}}, {S32, {0, 2, 3, 0, 0, 6}}}},
    {NN_OP_ONE_HOT_V, {.a = 0}, {{1, {2}, {2, 0}}, {S23, {0, 0, 1, 1, 0, 0}}}},
    {NN_OP_ACTIVATION_T,
     {.kind = NN_ACTIVATION_LINEAR},
     {{S22, {1, -2, 0, 4}}, {S22, {1, -2, 0, 4}}}},
    {NN_OP_ACTIVATION_T,
     {.kind = NN_ACTIVATION_RELU},
     {{S22, {1, -2, 0, 4}}, {S22, {1, 0, 0, 4}}}},
    {NN_OP_ACTIVATION_T,
     {.kind = NN_ACTIVATION_LEAKY_RELU, .a = .25},
     {{S22, {1, -2, 0, 4}}, {S22, {1, -.5, 0, 4}}}},
    {NN_OP_ACTIVATION_T,
     {.kind = NN_ACTIVATION_ELU, .a = 2},
     {{S22, {1, -1000, 0, 4}}, {S22, {1, -2, 0, 4}}}},
    {NN_OP_ACTIVATION_T,
     {.kind = NN_ACTIVATION_SIGMOID},
     {{S22, {0, -1000, 1000, 100}}, {S22, {.5, 0, 1, 1}}}},
    {NN_OP_ACTIVATION_T,
     {.kind = NN_ACTIVATION_TANH},
     {{S22, {0, -1000, 1000, 100}}, {S22, {0, -1, 1, 1}}}},
    {NN_OP_ACTIVATION_T,
     {.kind = NN_ACTIVATION_SOFTPLUS},
     {{S22, {1000, -1000, 100, 200}}, {S22, {1000, 0, 100, 200}}}},
    {NN_OP_ACTIVATION_BACKWARD_T,
     {.kind = NN_ACTIVATION_LINEAR},
     {{.ndim = 0},
      {S22, {1, 0, 2, 3}},
      {S22, {5, 6, 7, 8}},
      {S22, {5, 6, 7, 8}}}},
    {NN_OP_ACTIVATION_BACKWARD_T,
     {.kind = NN_ACTIVATION_RELU},
     {{S22, {1, -2, 0, 4}},
      {S22, {1, 0, 0, 4}},
      {S22, {5, 6, 7, 8}},
      {S22, {5, 0, 0, 8}}}},
    {NN_OP_ACTIVATION_BACKWARD_T,
     {.kind = NN_ACTIVATION_TANH},
     {{.ndim = 0},
      {S22, {.5, 0, -1, 1}},
      {S22, {4, 6, 7, 8}},
      {S22, {3, 6, 0, 0}}}},
    {NN_OP_ACTIVATION_BACKWARD_T,
     {.kind = NN_ACTIVATION_SIGMOID},
     {{.ndim = 0},
      {S22, {.5, 0, 1, .25}},
      {S22, {4, 6, 7, 16}},
      {S22, {1, 0, 0, 3}}}},
    {NN_OP_ACTIVATION_BACKWARD_T,
     {.kind = NN_ACTIVATION_ELU, .a = 2},
     {{.ndim = 0},
      {S22, {3, 0, -2, -1}},
      {S22, {4, 6, 7, 8}},
      {S22, {4, 12, 0, 8}}}},
    {NN_OP_ACTIVATION_BACKWARD_T,
     {.kind = NN_ACTIVATION_SOFTPLUS},
     {{.ndim = 0},
      {S22, {0, 1000, 100, 200}},
      {S22, {4, 6, 7, 8}},
      {S22, {0, 6, 7, 8}}}},
    {NN_OP_ACTIVATION_BACKWARD_T,
     {.kind = NN_ACTIVATION_LEAKY_RELU, .a = .5},
     {{.ndim = 0},
      {S22, {3, 0, -2, 1}},
      {S22, {4, 6, 8, 8}},
      {S22, {4, 3, 4, 8}}}},
    {NN_OP_SOFTMAX_M,
     {.a = 0},
     {{2, {1, 3}, {1000, 1000, -1000}}, {2, {1, 3}, {.5, .5, 0}}}},
    {NN_OP_SOFTMAX_M, {.a = 0}, {{2, {2, 1}, {7, -7}}, {2, {2, 1}, {1, 1}}}},
    {NN_OP_LOG_SOFTMAX_M,
     {.a = 0},
     {{S22, {1000, -1000, -3000, 3000}}, {S22, {0, -2000, -6000, 0}}}},
    {NN_OP_SOFTMAX_BACKWARD_M,
     {.a = 0},
     {{S22, {.5, .5, .25, .75}},
      {S22, {2, 4, 4, 8}},
      {S22, {-.5, .5, -.75, .75}}}},
};

#define N_EXAMPLES (sizeof examples / sizeof examples[0])

int examples_show(uint32_t operation)
{
    size_t i;

    for (i = 0; i < N_EXAMPLES; ++i)
        if (examples[i].operation == operation)
            return 1;
    return 0;
}

/* One way to run an example. */
typedef struct variant {
    uint32_t real;
    int64_t gap;
    uint32_t mode;
    int in_place; /* input that the output is, -1 for none */
} variant;

static nn_attributes attributes_of(const example *e)
{
    nn_attributes with = nn_no_attributes();

    with.a = e->with.a;
    with.b = e->with.b;
    with.axis = e->with.axis;
    with.flags = e->with.flags;
    with.kind = e->with.kind;
    return with;
}

static tensor *make_operand(const nn_signature *signature, uint32_t i,
                            const value *v, const variant *how)
{
    int integer = signature->operands[i].dtypes == NN_MASK(NN_INT32);

    return v->ndim ? tensor_make(integer ? NN_INT32 : how->real, how->gap,
                                 v->ndim, v->shape)
                   : NULL;
}

static void compare(const example *e, const nn_signature *signature,
                    const variant *how, const tensor *y, const double *before)
{
    const value *expected = &e->operands[signature->n_operands - 1];
    int64_t i;

    for (i = 0; i < nn_elements(&y->array); ++i) {
        double right = expected->values[i];
        double got = tensor_get(y, i);

        if (how->mode == NN_ADD)
            right += before[i];
        if (how->mode == NN_DISCARD)
            right = before[i];
        if (got != right && !(got != got && right != right))
            fail_msg("%s: element %lld is %.17g, not %.17g (mode %u, gap %lld, "
                     "in place %d, %s)",
                     signature->name, (long long)i, got, right, how->mode,
                     (long long)how->gap, how->in_place,
                     how->real == NN_FLOAT32 ? "float32" : "float64");
    }
}

/* The output before the call: NaN or 77 for WRITE, else 10; in place what the
 * input holds. */
static void prepare_output(const nn_signature *signature, const example *e,
                           const variant *how, tensor *y, double *before)
{
    int64_t i;

    if (how->in_place >= 0)
        tensor_set(y, e->operands[how->in_place].values);
    else if (how->mode != NN_WRITE)
        tensor_fill(y, 10);
    y->array.mode = how->mode;
    for (i = 0; i < nn_elements(&y->array); ++i)
        before[i] = tensor_get(y, i);
    (void)signature;
}

static void run_variant(const example *e, const nn_signature *signature,
                        const variant *how, example_runner run, void *context)
{
    const uint32_t out = signature->n_operands - 1;
    tensor *tensors[4] = {NULL};
    const nn_array *operands[4] = {NULL};
    nn_attributes with = attributes_of(e);
    double before[MAX_VALUES];
    uint32_t i;

    for (i = 0; i <= out; ++i) {
        tensors[i] = make_operand(signature, i, &e->operands[i], how);
        if (!tensors[i])
            continue;
        operands[i] = &tensors[i]->array;
        if (i < out)
            tensor_set(tensors[i], e->operands[i].values);
    }
    prepare_output(signature, e, how, tensors[out], before);
    if (how->in_place >= 0)
        operands[how->in_place] = operands[out];
    if (how->mode == NN_DISCARD)
        tensors[out]->array.memory = NULL;
    assert_int_equal(run(context, e->operation, operands, &with), NN_OK);
    compare(e, signature, how, tensors[out], before);
    for (i = 0; i <= out; ++i) {
        if (tensors[i])
            tensor_check_guards(tensors[i]);
        tensor_free(tensors[i]);
    }
}

/* All places and modes for one type and gap. */
static void run_example(const example *e, uint32_t real, int64_t gap,
                        example_runner run, void *context)
{
    nn_signature signature;
    variant how = {real, gap, NN_WRITE, -1};
    int adds_only = e->operation == NN_OP_SCATTER_M_BY_V ||
                    e->operation == NN_OP_SCATTER_V_BY_V;
    uint32_t out;

    nn_signature_parse(e->operation, &signature);
    out = signature.n_operands - 1;
    for (how.in_place = -1; how.in_place < (int)out; ++how.in_place) {
        if (how.in_place >= 0 &&
            (!(signature.in_place & (1u << how.in_place)) ||
             !e->operands[how.in_place].ndim))
            continue;
        for (how.mode = NN_WRITE; how.mode <= NN_DISCARD; ++how.mode) {
            if ((adds_only && how.mode == NN_WRITE) ||
                (how.mode == NN_ADD && e->operation == NN_OP_ARGMAX_M) ||
                (how.mode == NN_DISCARD && how.in_place >= 0))
                continue;
            if (how.mode == NN_WRITE && how.in_place >= 0 &&
                e->operation == NN_OP_COPY)
                continue; /* shown elsewhere */
            run_variant(e, &signature, &how, run, context);
        }
    }
}

void examples_check(example_runner run, void *context)
{
    size_t i;

    for (i = 0; i < N_EXAMPLES; ++i) {
        run_example(&examples[i], NN_FLOAT32, 0, run, context);
        run_example(&examples[i], NN_FLOAT32, 3, run, context);
        run_example(&examples[i], NN_FLOAT64, 0, run, context);
        run_example(&examples[i], NN_FLOAT64, 2, run, context);
    }
}
