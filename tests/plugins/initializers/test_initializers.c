/* SPDX-License-Identifier: MIT */
/* test_initializers.c - moments, bounds and structure of what the initializers
 * write, and that it is a function of the random stream alone. */
#include <math.h>

#include "tests/plugins/fake_host.h"

#include <nn/random.h>
#include <nn/training.h>

extern const nn_plugin initializer_constant_LTX_nn_plugin_v1;
extern const nn_plugin initializer_gaussian_LTX_nn_plugin_v1;
extern const nn_plugin initializer_uniform_LTX_nn_plugin_v1;
extern const nn_plugin initializer_glorot_LTX_nn_plugin_v1;
extern const nn_plugin initializer_he_LTX_nn_plugin_v1;
extern const nn_plugin initializer_orthogonal_LTX_nn_plugin_v1;
extern const nn_plugin initializer_sparse_LTX_nn_plugin_v1;

#define INITIALIZER(name) (&initializer_##name##_LTX_nn_plugin_v1)

/* Statistics are of so many numbers: their relative error is about 1 %. */
#define ROWS 100
#define COLUMNS 200
#define MANY (ROWS * COLUMNS)

static double values[MANY];
static fake_params given;

static void use(const nn_plugin *plugin)
{
    fake_clear();
    fake_params_init(&given,
                     fake_component(plugin, NN_KIND_INITIALIZER, plugin->name));
}

/* Fills a parameter of this shape; what is not written is NaN. */
static int32_t fill(int64_t rows, int64_t columns, uint64_t seed)
{
    const nn_initializer_interface *interface = given.component->interface;
    const int64_t shape[2] = {rows, columns};
    nn_initialize what = {
        .size = NN_SIZEOF(nn_initialize, values),
        .ndim = columns ? 2 : 1,
        .host = &fake_host,
        .params = &given.params,
        .name = "hidden.W",
        .shape = shape,
        .fan_in = columns ? columns : 1,
        .fan_out = rows,
        .random = {.seed = seed, .stream = nn_hash_name("hidden.W")},
        .values = values,
    };
    int i;

    for (i = 0; i < MANY; ++i)
        values[i] = NAN;
    return interface->fill(&what);
}

static double mean(void)
{
    double sum = 0;
    int i;

    for (i = 0; i < MANY; ++i)
        sum += values[i];
    return sum / MANY;
}

static double deviation(void)
{
    const double middle = mean();
    double sum = 0;
    int i;

    for (i = 0; i < MANY; ++i)
        sum += (values[i] - middle) * (values[i] - middle);
    return sqrt(sum / MANY);
}

static double largest(void)
{
    double most = 0;
    int i;

    for (i = 0; i < MANY; ++i)
        most = fmax(most, fabs(values[i]));
    return most;
}

static void assert_close(double got, double wanted, double tolerance)
{
    if (!(fabs(got - wanted) <= tolerance))
        fail_msg("%g is not %g", got, wanted);
}

static void constant_is_zero_unless_given(void **state)
{
    int i;

    (void)state;
    use(INITIALIZER(constant));
    assert_int_equal(fill(3, 5, 1), NN_OK);
    for (i = 0; i < 15; ++i)
        assert_true(values[i] == 0);
    assert_true(isnan(values[15]));
    fake_set_real(&given, "value", -1.5);
    assert_int_equal(fill(7, 0, 1), NN_OK);
    assert_true(values[0] == -1.5 && values[6] == -1.5);
}

static void gaussian_has_its_moments(void **state)
{
    (void)state;
    use(INITIALIZER(gaussian));
    assert_int_equal(fill(ROWS, COLUMNS, 1), NN_OK);
    assert_close(mean(), 0, 3 * 0.01 / sqrt(MANY));
    assert_close(deviation(), 0.01, 0.01 * 0.02);
    assert_true(largest() > 0.03);
    fake_set_real(&given, "std", 2);
    fake_set_real(&given, "mean", 5);
    assert_int_equal(fill(ROWS, COLUMNS, 1), NN_OK);
    assert_close(mean(), 5, 3 * 2 / sqrt(MANY));
    assert_close(deviation(), 2, 2 * 0.02);
}

static void uniform_stays_in_its_range(void **state)
{
    int i;

    (void)state;
    use(INITIALIZER(uniform));
    fake_set_real(&given, "low", 1);
    fake_set_real(&given, "high", 3);
    assert_int_equal(fill(ROWS, COLUMNS, 1), NN_OK);
    for (i = 0; i < MANY; ++i)
        assert_true(values[i] >= 1 && values[i] < 3);
    assert_close(mean(), 2, 0.02);
    assert_close(deviation(), 2 / sqrt(12), 0.01);
    fake_set_real(&given, "high", 0.5);
    assert_int_equal(fill(2, 2, 1), NN_INVALID_ARGUMENT);
}

/* fan_in 200 and fan_out 100. */
static void glorot_takes_both_fans(void **state)
{
    const double std = sqrt(2.0 / 300);

    (void)state;
    use(INITIALIZER(glorot));
    assert_int_equal(fill(ROWS, COLUMNS, 1), NN_OK);
    assert_true(largest() <= sqrt(6.0 / 300));
    assert_true(largest() > 0.999 * sqrt(6.0 / 300));
    assert_close(deviation(), std, 0.02 * std);
    fake_set_int(&given, "distribution", 1);
    fake_set_real(&given, "gain", 2);
    assert_int_equal(fill(ROWS, COLUMNS, 1), NN_OK);
    assert_true(largest() > 6 * std);
    assert_close(deviation(), 2 * std, 0.04 * std);
}

static void he_takes_the_fan_in(void **state)
{
    const double std = sqrt(2.0 / 200);

    (void)state;
    use(INITIALIZER(he));
    assert_int_equal(fill(ROWS, COLUMNS, 1), NN_OK);
    assert_true(largest() > 3 * std);
    assert_close(deviation(), std, 0.02 * std);
    fake_set_int(&given, "distribution", 1);
    assert_int_equal(fill(ROWS, COLUMNS, 1), NN_OK);
    assert_true(largest() <= sqrt(3) * std * (1 + 1e-12));
    assert_close(deviation(), std, 0.02 * std);
}

/* Element (a, b) of A A^T for ROWS x COLUMNS, or of A^T A. */
static double product(int64_t rows, int64_t columns, int64_t a, int64_t b)
{
    double sum = 0;
    int64_t i;

    if (rows <= columns)
        for (i = 0; i < columns; ++i)
            sum += values[a * columns + i] * values[b * columns + i];
    else
        for (i = 0; i < rows; ++i)
            sum += values[i * columns + a] * values[i * columns + b];
    return sum;
}

static void orthogonal_is(void **state)
{
    static const int64_t shapes[][2] = {{1, 1},   {1, 7},   {7, 1},
                                        {40, 40}, {30, 90}, {90, 30}};
    size_t n;

    (void)state;
    use(INITIALIZER(orthogonal));
    fake_set_real(&given, "gain", 2);
    for (n = 0; n < sizeof shapes / sizeof *shapes; ++n) {
        const int64_t rows = shapes[n][0];
        const int64_t columns = shapes[n][1];
        const int64_t count = rows < columns ? rows : columns;
        int64_t a;
        int64_t b;

        assert_int_equal(fill(rows, columns, 3), NN_OK);
        for (a = 0; a < count; ++a)
            for (b = 0; b < count; ++b)
                assert_close(product(rows, columns, a, b), a == b ? 4 : 0,
                             1e-14 * 100);
    }
    assert_int_equal(fake_blocks, 0);
}

static void orthogonal_needs_two_axes(void **state)
{
    (void)state;
    use(INITIALIZER(orthogonal));
    assert_int_equal(fill(5, 0, 1), NN_SHAPE);
    assert_non_null(strstr(fake_text, "hidden.W"));
}

/* Columns of a random orthogonal matrix have no preferred sign. */
static void orthogonal_has_no_preferred_sign(void **state)
{
    int positive = 0;
    uint64_t seed;

    (void)state;
    use(INITIALIZER(orthogonal));
    for (seed = 0; seed < 400; ++seed) {
        assert_int_equal(fill(2, 2, seed), NN_OK);
        positive += values[0] > 0;
    }
    assert_in_range(positive, 150, 250);
}

static int connections(int64_t row, int64_t columns)
{
    int count = 0;
    int64_t j;

    for (j = 0; j < columns; ++j) {
        assert_false(isnan(values[row * columns + j]));
        count += values[row * columns + j] != 0;
    }
    return count;
}

static void sparse_gives_each_unit_its_connections(void **state)
{
    int used[COLUMNS] = {0};
    int64_t row;
    int64_t j;

    (void)state;
    use(INITIALIZER(sparse));
    assert_int_equal(fill(ROWS, COLUMNS, 1), NN_OK);
    for (row = 0; row < ROWS; ++row) {
        assert_int_equal(connections(row, COLUMNS), 15);
        for (j = 0; j < COLUMNS; ++j)
            used[j] += values[row * COLUMNS + j] != 0;
    }
    for (j = 0; j < COLUMNS; ++j) /* 7.5 on average */
        assert_in_range(used[j], 0, 22);
    assert_close(deviation(), 0.01 * sqrt(15.0 / COLUMNS), 1e-4);
    assert_int_equal(fill(ROWS, 4, 1), NN_OK);
    assert_int_equal(connections(99, 4), 4);
}

static void sparse_takes_a_share_instead(void **state)
{
    int64_t row;

    (void)state;
    use(INITIALIZER(sparse));
    fake_set_real(&given, "sparsity", 0.9);
    assert_int_equal(fill(ROWS, COLUMNS, 1), NN_OK);
    for (row = 0; row < ROWS; ++row)
        assert_int_equal(connections(row, COLUMNS), 20);
    fake_set_real(&given, "sparsity", 1);
    assert_int_equal(fill(2, 5, 1), NN_OK);
    assert_int_equal(connections(1, 5), 0);
    fake_set_int(&given, "connections", 3);
    assert_int_equal(fill(2, 5, 1), NN_INVALID_ARGUMENT);
}

static void numbers_are_those_of_the_stream(void **state)
{
    const nn_plugin *const random[] = {
        INITIALIZER(gaussian), INITIALIZER(uniform),    INITIALIZER(glorot),
        INITIALIZER(he),       INITIALIZER(orthogonal), INITIALIZER(sparse)};
    double before[64 * 3];
    size_t n;

    (void)state;
    for (n = 0; n < sizeof random / sizeof *random; ++n) {
        use(random[n]);
        assert_int_equal(fill(3, 64, 7), NN_OK);
        memcpy(before, values, sizeof before);
        assert_int_equal(fill(3, 64, 7), NN_OK);
        assert_memory_equal(before, values, sizeof before);
        assert_int_equal(fill(3, 64, 8), NN_OK);
        assert_memory_not_equal(before, values, sizeof before);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(constant_is_zero_unless_given),
        cmocka_unit_test(gaussian_has_its_moments),
        cmocka_unit_test(uniform_stays_in_its_range),
        cmocka_unit_test(glorot_takes_both_fans),
        cmocka_unit_test(he_takes_the_fan_in),
        cmocka_unit_test(orthogonal_is),
        cmocka_unit_test(orthogonal_needs_two_axes),
        cmocka_unit_test(orthogonal_has_no_preferred_sign),
        cmocka_unit_test(sparse_gives_each_unit_its_connections),
        cmocka_unit_test(sparse_takes_a_share_instead),
        cmocka_unit_test(numbers_are_those_of_the_stream),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
