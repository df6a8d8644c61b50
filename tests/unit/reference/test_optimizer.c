/* SPDX-License-Identifier: MIT */
/* test_optimizer.c - nn.optimizer/1 composed of base operations, against
 * numbers that were computed by hand from the published formulas. */
#include <nn/optimizer.h>

#include "core/util/error.h"
#include "tests/unit/reference/rows.h"

/* One weight with its vectors. */
typedef struct weight {
    bench b;
    uint32_t row;
    uint32_t n; /* operands */
    tensor *tensors[NN_OPTIMIZER_MAX_OPERANDS];
    nn_optimizer_attributes with;
} weight;

static void weight_init(weight *w, uint32_t real, uint32_t row, double start)
{
    static const uint32_t operands[] = {2, 3, 3, 4, 4, 5, 3, 3, 4};
    const int64_t one = 1;
    uint32_t i;

    memset(w, 0, sizeof *w);
    bench_init(&w->b, real);
    w->row = row;
    w->n = operands[row];
    for (i = 0; i < w->n; ++i) {
        w->tensors[i] = tensor_make(real, 0, 1, &one);
        tensor_fill(w->tensors[i], 0);
        if (i != NN_OPTIMIZER_G)
            w->tensors[i]->array.mode = NN_ADD; /* is ignored */
    }
    tensor_fill(w->tensors[NN_OPTIMIZER_W], start);
    w->with.size = NN_SIZEOF(nn_optimizer_attributes, decay);
    w->with.learning_rate = 0.1;
    w->with.momentum = 0.9;
    w->with.rho = 0.999;
    w->with.epsilon = 1e-8;
}

static void weight_finish(weight *w)
{
    uint32_t i;

    for (i = 0; i < w->n; ++i)
        tensor_free(w->tensors[i]);
    bench_finish(&w->b);
}

/* One update with gradient G; the new weight. */
static double step(weight *w, double g)
{
    double before;
    double after;

    ++w->with.update;
    tensor_fill(w->tensors[NN_OPTIMIZER_G], g);
    before = tensor_get(w->tensors[NN_OPTIMIZER_G], 0);
    assert_int_equal(bench_run(&w->b, NN_OPTIMIZER, w->row, w->tensors, w->n,
                               &w->with, 0, NULL),
                     NN_OK);
    after = tensor_get(w->tensors[NN_OPTIMIZER_G], 0);
    assert_memory_equal(&before, &after, sizeof before);
    return tensor_get(w->tensors[NN_OPTIMIZER_W], 0);
}

static void near(double got, double right)
{
    if (!(fabs(got - right) < 1e-9))
        fail_msg("%.12g, not %.12g", got, right);
}

static void adam_corrects_its_bias(void **state)
{
    weight w;
    int i;

    (void)state;
    weight_init(&w, NN_FLOAT64, NN_OPTIMIZER_ADAM, 1);
    near(step(&w, 1), 0.900000001);
    near(step(&w, -2), 0.936610353);
    near(step(&w, 3), 0.902286246);
    weight_finish(&w);
    weight_init(&w, NN_FLOAT64, NN_OPTIMIZER_ADAM, 1);
    near(step(&w, 1e-8), 0.95);
    weight_finish(&w);
    weight_init(&w, NN_FLOAT64, NN_OPTIMIZER_ADAM, 1);
    w.with.learning_rate = 0.001;
    for (i = 0; i < 9; ++i)
        step(&w, 0.3);
    near(step(&w, 0.3), 0.99000000033);
    weight_finish(&w);
}

static void decay_is_decoupled(void **state)
{
    weight w;

    (void)state;
    weight_init(&w, NN_FLOAT64, NN_OPTIMIZER_ADAM, 1);
    w.with.decay = 0.1;
    near(step(&w, 0), 0.99);
    near(step(&w, 0), 0.9801);
    weight_finish(&w);
    weight_init(&w, NN_FLOAT64, NN_OPTIMIZER_ADAM, 1);
    w.with.decay = 0.1;
    near(step(&w, 1), 0.890000001);
    near(step(&w, 1), 0.781100002);
    weight_finish(&w);
    weight_init(&w, NN_FLOAT64, NN_OPTIMIZER_SGD, 1);
    w.with.decay = 0.1;
    near(step(&w, 0), 0.99);
    near(step(&w, 0), 0.9801);
    weight_finish(&w);
}

static void momentum_keeps_its_velocity(void **state)
{
    static const double constant[2][3] = {{-0.1, -0.29, -0.561},
                                          {-0.19, -0.461, -0.8049}};
    static const double changed[2][3] = {{-0.1, -0.2, -0.3},
                                         {-0.19, -0.29, -0.39}};
    uint32_t i;
    int j;
    weight w;

    (void)state;
    for (i = 0; i < 2; ++i) {
        weight_init(&w, NN_FLOAT64, NN_OPTIMIZER_MOMENTUM + i, 0);
        for (j = 0; j < 3; ++j)
            near(step(&w, 1), constant[i][j]);
        weight_finish(&w);
        weight_init(&w, NN_FLOAT64, NN_OPTIMIZER_MOMENTUM + i, 0);
        for (j = 0; j < 3; ++j) {
            near(step(&w, 1), changed[i][j]);
            w.with.learning_rate = 0.01;
        }
        weight_finish(&w);
    }
}

static void no_momentum_is_sgd_to_the_bit(void **state)
{
    static const double gradients[] = {0.3, -1.7, 1e-3, 2.2};
    weight sgd;
    weight other;
    uint32_t row;
    int i;

    (void)state;
    for (row = NN_OPTIMIZER_MOMENTUM; row <= NN_OPTIMIZER_NESTEROV; ++row) {
        weight_init(&sgd, NN_FLOAT32, NN_OPTIMIZER_SGD, 0.7);
        weight_init(&other, NN_FLOAT32, row, 0.7);
        other.with.momentum = 0;
        for (i = 0; i < 4; ++i)
            assert_true(step(&sgd, gradients[i]) == step(&other, gradients[i]));
        weight_finish(&sgd);
        weight_finish(&other);
    }
}

static void rmsprop_takes_epsilon_in_either_place(void **state)
{
    static const double right[2][2] = {{0.990909091, 0.900009999},
                                       {0.990049628, 0.929289322}};
    weight w;
    uint32_t i;

    (void)state;
    for (i = 0; i < 4; ++i) {
        weight_init(&w, NN_FLOAT64, NN_OPTIMIZER_RMSPROP, 1);
        w.with.learning_rate = 0.01;
        w.with.rho = 0.99;
        w.with.flags = i / 2 ? NN_OPTIMIZER_EPSILON_INSIDE : 0;
        w.with.epsilon = i % 2 ? 1e-8 : 1;
        near(step(&w, i % 2 ? 1e-3 : 1), right[i / 2][i % 2]);
        weight_finish(&w);
    }
}

static void adagrad_sums_squares(void **state)
{
    static const double right[] = {0.9, 0.829289322, 0.771554295, 0.721554295};
    weight w;
    int i;

    (void)state;
    weight_init(&w, NN_FLOAT64, NN_OPTIMIZER_ADAGRAD, 1);
    w.with.epsilon = 0;
    for (i = 0; i < 4; ++i)
        near(step(&w, 0.5), right[i]);
    weight_finish(&w);
    weight_init(&w, NN_FLOAT64, NN_OPTIMIZER_ADAGRAD, 1);
    w.with.epsilon = 0;
    tensor_fill(w.tensors[NN_OPTIMIZER_VECTOR], 0.1);
    near(step(&w, 0.5), 0.915484575);
    weight_finish(&w);
}

static void adagrad_without_gradient_stays(void **state)
{
    weight w;
    uint32_t real;

    (void)state;
    for (real = NN_FLOAT32; real <= NN_FLOAT64; ++real) {
        weight_init(&w, real, NN_OPTIMIZER_ADAGRAD, 1);
        w.with.epsilon = 0;
        assert_true(step(&w, 0) == 1);
        w.with.flags = NN_OPTIMIZER_EPSILON_INSIDE;
        assert_true(step(&w, 0) == 1);
        weight_finish(&w);
    }
}

/* The formulas in doubles, for rows without a published example. */
static void other_rows_follow_their_formulas(void **state)
{
    static const double gradients[] = {0.5, -2, 0.25, 1};
    double p = 0, u = 0, q = 0, x = 1, largest = 0, moved = 0;
    double adamax = 1, amsgrad = 1, adadelta = 1;
    weight w[3];
    int t;

    (void)state;
    weight_init(&w[0], NN_FLOAT64, NN_OPTIMIZER_ADAMAX, 1);
    weight_init(&w[1], NN_FLOAT64, NN_OPTIMIZER_AMSGRAD, 1);
    weight_init(&w[2], NN_FLOAT64, NN_OPTIMIZER_ADADELTA, 1);
    for (t = 1; t <= 4; ++t) {
        double g = gradients[t - 1];

        p = 0.9 * p + 0.1 * g;
        u = fmax(0.999 * u, fabs(g));
        adamax -= 0.1 / (1 - pow(0.9, t)) * p / (u + 1e-8);
        q = 0.999 * q + 0.001 * g * g;
        largest = fmax(largest, q);
        amsgrad -= 0.1 * (p / (1 - pow(0.9, t))) /
                   (sqrt(largest / (1 - pow(0.999, t))) + 1e-8);
        x = g * sqrt(moved + 1e-8) / sqrt(q + 1e-8);
        adadelta -= 0.1 * x;
        moved = 0.999 * moved + 0.001 * x * x;
        near(step(&w[0], g), adamax);
        near(step(&w[1], g), amsgrad);
        near(step(&w[2], g), adadelta);
    }
    for (t = 0; t < 3; ++t)
        weight_finish(&w[t]);
}

static void infinity_and_nan_pass_through(void **state)
{
    weight w;
    uint32_t row;

    (void)state;
    for (row = 0; row < NN_OPTIMIZER_ROWS; ++row) {
        weight_init(&w, NN_FLOAT32, row, 1);
        assert_true(isnan(step(&w, NAN)));
        weight_finish(&w);
        weight_init(&w, NN_FLOAT32, row, 1);
        assert_false(isfinite(step(&w, INFINITY)) &&
                     row <= NN_OPTIMIZER_NESTEROV);
        weight_finish(&w);
    }
}

static void the_first_update_is_number_one(void **state)
{
    weight w;
    const char *text = NULL;

    (void)state;
    weight_init(&w, NN_FLOAT64, NN_OPTIMIZER_ADAM, 1);
    assert_int_equal(bench_run(&w.b, NN_OPTIMIZER, w.row, w.tensors, w.n,
                               &w.with, 0, NULL),
                     NN_INVALID_ARGUMENT);
    nn_completed_error(w.b.completed, NULL, &text);
    assert_string_equal(text, "adam: update is 0; the first one is 1");
    assert_true(tensor_get(w.tensors[0], 0) == 1);
    weight_finish(&w);
}

static void unequal_lengths_are_refused(void **state)
{
    weight w;
    const int64_t two = 2;

    (void)state;
    weight_init(&w, NN_FLOAT64, NN_OPTIMIZER_MOMENTUM, 1);
    tensor_free(w.tensors[2]);
    w.tensors[2] = tensor_make(NN_FLOAT64, 0, 1, &two);
    assert_int_equal(bench_run(&w.b, NN_OPTIMIZER, w.row, w.tensors, w.n,
                               &w.with, 0, NULL),
                     NN_SHAPE);
    assert_string_equal(nn_error_text(), "momentum: v (2) differs from w (1)");
    nn_error_clear();
    weight_finish(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(adam_corrects_its_bias),
        cmocka_unit_test(decay_is_decoupled),
        cmocka_unit_test(momentum_keeps_its_velocity),
        cmocka_unit_test(no_momentum_is_sgd_to_the_bit),
        cmocka_unit_test(rmsprop_takes_epsilon_in_either_place),
        cmocka_unit_test(adagrad_sums_squares),
        cmocka_unit_test(adagrad_without_gradient_stays),
        cmocka_unit_test(other_rows_follow_their_formulas),
        cmocka_unit_test(infinity_and_nan_pass_through),
        cmocka_unit_test(the_first_update_is_number_one),
        cmocka_unit_test(unequal_lengths_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
