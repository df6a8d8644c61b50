/* SPDX-License-Identifier: MIT */
/* test_operations.c - what every operation computes. */
#include "tests/unit/reference/examples.h"

#include "core/reference/reference.h"
#include "core/reference/signature.h"

static int32_t run_directly(void *context, uint32_t operation,
                            const nn_array *const *operands,
                            const nn_attributes *attributes)
{
    void *data[NN_BASE_OPERANDS] = {NULL};
    nn_signature signature;
    char text[256] = "";
    int32_t code;
    uint32_t i;

    (void)context;
    nn_signature_parse(operation, &signature);
    for (i = 0; i < signature.n_operands; ++i)
        if (nn_wanted(operands[i]))
            data[i] = operands[i]->memory->bytes + operands[i]->offset;
    code = nn_reference_check(operation, operands, attributes, text,
                              sizeof text);
    if (!code)
        code = nn_reference_run(operation, operands, data, attributes, text,
                                sizeof text);
    if (code)
        print_message("%s\n", text);
    return code;
}

static void run(uint32_t operation, const nn_attributes *with, tensor *x,
                tensor *z, tensor *y)
{
    const nn_array *operands[3] = {&x->array, z ? &z->array : &y->array,
                                   &y->array};

    assert_int_equal(run_directly(NULL, operation, operands, with), NN_OK);
    tensor_check_guards(y);
}

static void run_kind(uint32_t operation, uint32_t kind, tensor *x, tensor *y)
{
    nn_attributes with = nn_no_attributes();

    with.kind = kind;
    run(operation, &with, x, NULL, y);
}

static tensor *vector(uint32_t dtype, int64_t n, const double *values)
{
    tensor *t = tensor_make(dtype, 0, 1, &n);

    if (values)
        tensor_set(t, values);
    return t;
}

static void every_operation_has_an_example(void **state)
{
    uint32_t i;

    (void)state;
    for (i = 0; i < NN_OP_COUNT; ++i)
        if (!examples_show(i) && i != NN_OP_FILL_UNIFORM &&
            i != NN_OP_FILL_GAUSSIAN && i != NN_OP_FILL_BERNOULLI &&
            i != NN_OP_DROPOUT_T)
            fail_msg("no example of %s", nn_operation_name(i));
}

static void examples_come_out_exactly(void **state)
{
    (void)state;
    examples_check(run_directly, NULL);
}

static void nan_stays_nan(void **state)
{
    static const double values[] = {NAN, 1};
    static const uint32_t kinds[] = {
        NN_ACTIVATION_LINEAR,    NN_ACTIVATION_RELU, NN_ACTIVATION_TANH,
        NN_ACTIVATION_SIGMOID,   NN_ACTIVATION_ELU,  NN_ACTIVATION_SOFTPLUS,
        NN_ACTIVATION_LEAKY_RELU};
    static const uint32_t operations[] = {NN_OP_CLIP_T, NN_OP_SIGN_T,
                                          NN_OP_ABS_T, NN_OP_SOFTMAX_M,
                                          NN_OP_LOG_SOFTMAX_M};
    tensor *x = vector(NN_FLOAT32, 2, values);
    tensor *y = vector(NN_FLOAT32, 2, NULL);
    size_t i;

    (void)state;
    for (i = 0; i < sizeof kinds / sizeof kinds[0]; ++i) {
        tensor_fill(y, 0);
        run_kind(NN_OP_ACTIVATION_T, kinds[i], x, y);
        assert_true(isnan(tensor_get(y, 0)));
        assert_true(tensor_get(y, 1) == tensor_get(y, 1));
    }
    for (i = 0; i < sizeof operations / sizeof operations[0]; ++i) {
        tensor_fill(y, 0);
        run_kind(operations[i], 0, x, y);
        assert_true(isnan(tensor_get(y, 0)));
    }
    tensor_free(x);
    tensor_free(y);
}

static void extremes_pass_nan_on(void **state)
{
    static const double with_nan[] = {1, NAN, 3};
    static const double numbers[] = {NAN, 2, 2};
    nn_attributes all = nn_no_attributes();
    tensor *x = vector(NN_FLOAT64, 3, with_nan);
    tensor *z = vector(NN_FLOAT64, 3, numbers);
    tensor *y = vector(NN_FLOAT64, 3, NULL);
    tensor *one = vector(NN_FLOAT64, 1, NULL);
    tensor *place = vector(NN_INT32, 1, NULL);

    (void)state;
    run(NN_OP_MAXIMUM_TT, &all, x, z, y);
    assert_true(isnan(tensor_get(y, 0)) && isnan(tensor_get(y, 1)));
    assert_true(tensor_get(y, 2) == 3);
    run(NN_OP_MINIMUM_TT, &all, x, z, y);
    assert_true(isnan(tensor_get(y, 0)) && isnan(tensor_get(y, 1)));
    assert_true(tensor_get(y, 2) == 2);
    all.axis = NN_AXIS_ALL;
    tensor_fill(one, 0);
    run(NN_OP_MAX_T, &all, x, NULL, one);
    assert_true(isnan(tensor_get(one, 0)));
    run(NN_OP_ARGMAX_M, &all, x, NULL, place);
    assert_true(tensor_get(place, 0) == 1);
    run(NN_OP_EQUAL_TT, &all, x, x, y);
    assert_true(tensor_get(y, 0) == 1 && tensor_get(y, 1) == 0);
    tensor_free(x);
    tensor_free(z);
    tensor_free(y);
    tensor_free(one);
    tensor_free(place);
}

static void activations_are_right_at_the_ends(void **state)
{
    static const double at[] = {-1000, -100, -20, 0, 20, 88, 100, 1000};
    static const double sigmoid[] = {
        0, 0, 2.0611536e-09, 0.5, 1 - 2.0611536e-09, 1, 1, 1};
    static const double softplus[] = {0,  0,  2.0611536e-09, 0.69314718,
                                      20, 88, 100,           1000};
    static const double ones[] = {1, 1, 1, 1, 1, 1, 1, 1};
    const nn_array *operands[4] = {NULL};
    nn_attributes with = nn_no_attributes();
    tensor *x = vector(NN_FLOAT32, 8, at);
    tensor *y = vector(NN_FLOAT32, 8, NULL);
    tensor *dy = vector(NN_FLOAT32, 8, ones);
    tensor *dx = vector(NN_FLOAT32, 8, NULL);
    int i;

    (void)state;
    run_kind(NN_OP_ACTIVATION_T, NN_ACTIVATION_SIGMOID, x, y);
    for (i = 0; i < 8; ++i)
        assert_true(fabs(tensor_get(y, i) - sigmoid[i]) <=
                    1e-7 * sigmoid[i] + 4e-44);
    run_kind(NN_OP_ACTIVATION_T, NN_ACTIVATION_SOFTPLUS, x, y);
    for (i = 0; i < 8; ++i)
        assert_true(fabs(tensor_get(y, i) - softplus[i]) <=
                    1e-7 * softplus[i] + 4e-44);
    operands[1] = &y->array;
    operands[2] = &dy->array;
    operands[3] = &dx->array;
    with.kind = NN_ACTIVATION_SOFTPLUS;
    run_directly(NULL, NN_OP_ACTIVATION_BACKWARD_T, operands, &with);
    for (i = 0; i < 8; ++i)
        assert_true(fabs(tensor_get(dx, i) - sigmoid[i]) <= 1e-7);
    tensor_free(x);
    tensor_free(y);
    tensor_free(dy);
    tensor_free(dx);
}

static void log_softmax_keeps_big_losses(void **state)
{
    static const double logits[] = {1000, 1000, -1000};
    nn_attributes none = nn_no_attributes();
    tensor *x = vector(NN_FLOAT32, 3, logits);
    tensor *y = vector(NN_FLOAT32, 3, NULL);

    (void)state;
    run(NN_OP_LOG_SOFTMAX_M, &none, x, NULL, y);
    assert_true(fabs(tensor_get(y, 0) + 0.693147181) < 1e-7);
    assert_true(fabs(tensor_get(y, 2) + 2000.69315) < 1e-4);
    tensor_free(x);
    tensor_free(y);
}

/* loss = softplus(x) - t x and its derivative sigmoid(x) - t. */
static void sigmoid_cross_entropy_is_finite(void **state)
{
    static const double x_of[] = {-1000, -1000, 100, 1000, 1000, 0, -30, 30};
    static const double t_of[] = {1, 0, 0, 1, 0, .5, 1, 1};
    static const double loss[] = {1000, 0, 100, 0, 1000, 0.693147181, 30, 0};
    static const double slope[] = {-1, 0, 1, 0, 1, 0, -1, 0};
    tensor *x = vector(NN_FLOAT64, 8, x_of);
    tensor *y = vector(NN_FLOAT64, 8, NULL);
    int i;

    (void)state;
    run_kind(NN_OP_ACTIVATION_T, NN_ACTIVATION_SOFTPLUS, x, y);
    for (i = 0; i < 8; ++i)
        assert_true(fabs(tensor_get(y, i) - t_of[i] * x_of[i] - loss[i]) <
                    1e-9);
    run_kind(NN_OP_ACTIVATION_T, NN_ACTIVATION_SIGMOID, x, y);
    for (i = 0; i < 8; ++i)
        assert_true(fabs(tensor_get(y, i) - t_of[i] - slope[i]) < 1e-9);
    tensor_free(x);
    tensor_free(y);
}

/* exp(-40) is below the epsilon of doubles, where log(1 + exp(x)) is 0. */
static void softplus_does_not_lose_small_numbers(void **state)
{
    static const double at[] = {-40};
    tensor *x = vector(NN_FLOAT64, 1, at);
    tensor *y = vector(NN_FLOAT64, 1, NULL);

    (void)state;
    run_kind(NN_OP_ACTIVATION_T, NN_ACTIVATION_SOFTPLUS, x, y);
    assert_true(fabs(tensor_get(y, 0) / exp(-40) - 1) < 1e-15);
    tensor_free(x);
    tensor_free(y);
}

static double element(int64_t i)
{
    return (double)(i * 7 % 11 - 5);
}

/* One product against three loops; C starts as NaN, then adds to 2. */
static void check_product(uint32_t real, uint32_t flags, int64_t m, int64_t k,
                          int64_t n)
{
    const int64_t x_shape[2] = {flags & NN_TRANSPOSE_A ? k : m,
                                flags & NN_TRANSPOSE_A ? m : k};
    const int64_t z_shape[2] = {flags & NN_TRANSPOSE_B ? n : k,
                                flags & NN_TRANSPOSE_B ? k : n};
    const int64_t y_shape[2] = {m, n};
    tensor *x = tensor_make(real, 3, 2, x_shape);
    tensor *z = tensor_make(real, 1, 2, z_shape);
    tensor *y = tensor_make(real, 2, 2, y_shape);
    nn_attributes with = nn_no_attributes();
    int64_t i;
    int64_t j;

    with.flags = flags;
    for (i = 0; i < m * k; ++i)
        tensor_put(x, i, element(i));
    for (i = 0; i < k * n; ++i)
        tensor_put(z, i, element(3 * i + 1));
    run(NN_OP_DOT_MM, &with, x, z, y);
    for (i = 0; i < m * n; ++i) {
        double sum = 0;

        for (j = 0; j < k; ++j)
            sum += tensor_get(x, flags & NN_TRANSPOSE_A ? j * m + i / n
                                                        : i / n * k + j) *
                   tensor_get(z, flags & NN_TRANSPOSE_B ? i % n * k + j
                                                        : j * n + i % n);
        assert_true(tensor_get(y, i) == sum);
        tensor_put(y, i, 2 - sum);
    }
    y->array.mode = NN_ADD;
    run(NN_OP_DOT_MM, &with, x, z, y);
    for (i = 0; i < m * n; ++i)
        assert_true(tensor_get(y, i) == 2);
    tensor_free(x);
    tensor_free(z);
    tensor_free(y);
}

static void products_ignore_what_was_there(void **state)
{
    uint32_t flags;
    uint32_t real;

    (void)state;
    for (real = NN_FLOAT32; real <= NN_FLOAT64; ++real)
        for (flags = 0; flags < 4; ++flags) {
            check_product(real, flags, 1, 1, 1);
            check_product(real, flags, 5, 3, 7);
            check_product(real, flags, 17, 65, 33);
            check_product(real, flags, 9, 2, 300);
        }
}

static void zero_times_nan_is_nan(void **state)
{
    static const double left[] = {0, 1};
    static const double right[] = {NAN, 1};
    const int64_t row[2] = {1, 2};
    const int64_t column[2] = {2, 1};
    const int64_t one[2] = {1, 1};
    nn_attributes none = nn_no_attributes();
    tensor *x = tensor_make(NN_FLOAT32, 0, 2, row);
    tensor *z = tensor_make(NN_FLOAT32, 0, 2, column);
    tensor *y = tensor_make(NN_FLOAT32, 0, 2, one);

    (void)state;
    tensor_set(x, left);
    tensor_set(z, right);
    tensor_fill(y, 0);
    run(NN_OP_DOT_MM, &none, x, z, y);
    assert_true(isnan(tensor_get(y, 0)));
    tensor_free(x);
    tensor_free(z);
    tensor_free(y);
}

static double long_sum(int64_t n, double value)
{
    nn_attributes all = nn_no_attributes();
    tensor *x = vector(NN_FLOAT32, n, NULL);
    tensor *y = vector(NN_FLOAT32, 1, NULL);
    double sum;

    all.axis = NN_AXIS_ALL;
    tensor_fill(x, value);
    run(NN_OP_SUM_T, &all, x, NULL, y);
    sum = tensor_get(y, 0);
    tensor_free(x);
    tensor_free(y);
    return sum;
}

static void long_sums_do_not_stop(void **state)
{
    (void)state;
    assert_true(long_sum(17640000, 1) == 17640000);
    assert_true(fabs(long_sum(1392640, 0.1) - 139264) < 1e-4 * 139264);
}

static void copies_keep_every_bit(void **state)
{
    static const uint32_t bits[] = {0x80000000u, 0x7FC12345u, 0x00000001u};
    nn_attributes none = nn_no_attributes();
    tensor *x = vector(NN_FLOAT32, 3, NULL);
    tensor *y = vector(NN_FLOAT32, 3, NULL);

    (void)state;
    memcpy(tensor_data(x), bits, sizeof bits);
    run(NN_OP_COPY, &none, x, NULL, y);
    assert_memory_equal(tensor_data(y), bits, sizeof bits);
    run(NN_OP_COPY, &none, x, NULL, x);
    assert_memory_equal(tensor_data(x), bits, sizeof bits);
    tensor_free(x);
    tensor_free(y);
}

static void casts_truncate_and_saturate(void **state)
{
    static const double reals[] = {-1.9, 2.9, 300, -1e30, 1e30, NAN};
    static const double as_int[] = {-1, 2, 300, INT32_MIN, INT32_MAX, 0};
    static const double as_byte[] = {0, 2, 255, 0, 255, 0};
    nn_attributes none = nn_no_attributes();
    tensor *x = vector(NN_FLOAT64, 6, reals);
    tensor *i = vector(NN_INT32, 6, NULL);
    tensor *b = vector(NN_UINT8, 6, NULL);
    tensor *f = vector(NN_FLOAT32, 6, NULL);
    int k;

    (void)state;
    run(NN_OP_CAST, &none, x, NULL, i);
    run(NN_OP_CAST, &none, x, NULL, b);
    run(NN_OP_CAST, &none, b, NULL, f);
    for (k = 0; k < 6; ++k) {
        assert_true(tensor_get(i, k) == as_int[k]);
        assert_true(tensor_get(b, k) == as_byte[k]);
        assert_true(tensor_get(f, k) == as_byte[k]);
    }
    tensor_free(x);
    tensor_free(i);
    tensor_free(b);
    tensor_free(f);
}

/* A scalar that is compared has the type of what it is compared with. */
static void a_tenth_equals_a_tenth(void **state)
{
    static const double tenth[] = {0.1};
    nn_attributes with = nn_no_attributes();
    tensor *x = vector(NN_FLOAT32, 1, tenth);
    tensor *y = vector(NN_FLOAT32, 1, NULL);

    (void)state;
    with.a = 0.1;
    run(NN_OP_EQUAL_TS, &with, x, NULL, y);
    assert_true(tensor_get(y, 0) == 1);
    run(NN_OP_GREATER_TS, &with, x, NULL, y);
    assert_true(tensor_get(y, 0) == 0);
    tensor_free(x);
    tensor_free(y);
}

/* An index out of range is named, and nothing is written. */
static void bad_indices_are_named(void **state)
{
    static const double good_and_bad[] = {0, 3, -1};
    const int64_t shape[2] = {3, 3};
    tensor *x = tensor_make(NN_FLOAT32, 1, 2, shape);
    tensor *v = vector(NN_INT32, 3, good_and_bad);
    tensor *y = tensor_make(NN_FLOAT32, 1, 2, shape);
    const nn_array *operands[3] = {&x->array, &v->array, &y->array};
    void *data[3] = {tensor_data(x), tensor_data(v), tensor_data(y)};
    char text[128];
    int i;

    (void)state;
    tensor_fill(x, 1);
    tensor_fill(y, 5);
    assert_int_equal(nn_reference_run(NN_OP_GATHER_M_BY_V, operands, data, NULL,
                                      text, sizeof text),
                     NN_INVALID_ARGUMENT);
    assert_string_equal(text, "gather_m_by_v: v[1] = 3 is not in 0 to 2");
    y->array.mode = NN_ADD;
    tensor_put(v, 1, 2);
    assert_int_equal(nn_reference_run(NN_OP_SCATTER_M_BY_V, operands, data,
                                      NULL, text, sizeof text),
                     NN_INVALID_ARGUMENT);
    assert_string_equal(text, "scatter_m_by_v: v[2] = -1 is not in 0 to 2");
    for (i = 0; i < 9; ++i)
        assert_true(tensor_get(y, i) == 5);
    tensor_free(x);
    tensor_free(v);
    tensor_free(y);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_operation_has_an_example),
        cmocka_unit_test(examples_come_out_exactly),
        cmocka_unit_test(nan_stays_nan),
        cmocka_unit_test(extremes_pass_nan_on),
        cmocka_unit_test(activations_are_right_at_the_ends),
        cmocka_unit_test(softplus_does_not_lose_small_numbers),
        cmocka_unit_test(log_softmax_keeps_big_losses),
        cmocka_unit_test(sigmoid_cross_entropy_is_finite),
        cmocka_unit_test(products_ignore_what_was_there),
        cmocka_unit_test(zero_times_nan_is_nan),
        cmocka_unit_test(long_sums_do_not_stop),
        cmocka_unit_test(copies_keep_every_bit),
        cmocka_unit_test(casts_truncate_and_saturate),
        cmocka_unit_test(a_tenth_equals_a_tenth),
        cmocka_unit_test(bad_indices_are_named),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
