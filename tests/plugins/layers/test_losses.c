/* SPDX-License-Identifier: MIT */
/* test_losses.c - the layers with a loss: gradients, masks, extreme inputs.
 *
 * The loss of the network is the sum of the output `loss` over its elements,
 * divided by the number of its rows; its delta is then 1 over that number. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "tests/plugins/layers/alone.h"

extern const nn_plugin layer_softmax_ce_LTX_nn_plugin_v1;
extern const nn_plugin layer_sigmoid_ce_LTX_nn_plugin_v1;
extern const nn_plugin layer_squared_error_LTX_nn_plugin_v1;
extern const nn_plugin layer_loss_LTX_nn_plugin_v1;

#define LAYER(name) layer_##name##_LTX_nn_plugin_v1.components[0]
#define PARAMS(...)                                                            \
    alone_params(sizeof((nn_value[]){__VA_ARGS__}) / sizeof(nn_value),         \
                 (nn_value[]){__VA_ARGS__})

enum { PREDICTIONS, LOSS, WEIGHT };
enum { LABELS, DISTRIBUTIONS }; /* targets of make() */

static double network_loss(alone *a)
{
    const nn_array *loss = &a->outputs.list[LOSS].array;
    double total = 0;
    int64_t k;

    for (k = 0; k < nn_elements(loss); ++k)
        total += alone_get(loss, k);
    return total / (double)nn_rows(loss);
}

/* Runs both passes as the core does; returns the network's loss. */
static double run(alone *a)
{
    const nn_array *loss = &a->outputs.list[LOSS].array;

    alone_want_output_delta(a, PREDICTIONS, 0);
    alone_fill(&a->outputs.list[LOSS].delta, 1.0 / (double)nn_rows(loss));
    assert_int_equal(alone_forward(a, NN_PASS_TRAIN | NN_PASS_BACKWARD), 0);
    assert_int_equal(alone_backward(a), 0);
    return network_loss(a);
}

/* A layer for rows (T, B, K) with targets of KIND and, if MASKED, a mask. */
static alone *make(const nn_component *component, const nn_params *params,
                   uint32_t real, int kind, int T, int B, int K, int masked)
{
    alone *a = alone_create(component, params, real, T, B);

    alone_input(a, real, 3, NN_T, NN_B, K);
    if (kind == LABELS)
        alone_input(a, NN_INT32, 3, NN_T, NN_B, 1);
    else
        alone_input(a, real, 3, NN_T, NN_B, K);
    if (masked)
        alone_input(a, real, 3, NN_T, NN_B, 1);
    else
        alone_input(a, real, 0);
    assert_int_equal(alone_setup(a), 0);
    return a;
}

static void close_to(double got, double wanted, double tolerance)
{
    if (!(fabs(got - wanted) <= tolerance * (1 + fabs(wanted))))
        fail_msg("%.12g, not %.12g", got, wanted);
}

/* -------------------------------------------------------------- gradients */

static void check_all(const nn_component *component, const nn_params *params,
                      int kind)
{
    int masked;

    for (masked = 0; masked < 2; ++masked) {
        alone *a = make(component, params, NN_FLOAT64, kind, 3, 2, 4, masked);

        alone_randomize(a);
        alone_check_gradients(a, NN_PASS_TRAIN);
        if (masked) {
            alone_set(&a->inputs[2], 1, 0.25);
            alone_check_gradients(a, 0);
            alone_fill(&a->inputs[2], 0);
            alone_check_gradients(a, 0);
        }
        alone_destroy(a);
    }
}

static void check_image(const nn_component *component, const nn_params *params,
                        int kind, int per_pixel)
{
    alone *a = alone_create(component, params, NN_FLOAT64, 1, 3);

    alone_input(a, NN_FLOAT64, 5, NN_T, NN_B, 2, 2, 3);
    if (kind == LABELS)
        alone_input(a, NN_INT32, 5, NN_T, NN_B, 2, 2, 1);
    else
        alone_input(a, NN_FLOAT64, 5, NN_T, NN_B, 2, 2, 3);
    if (per_pixel)
        alone_input(a, NN_FLOAT64, 5, NN_T, NN_B, 2, 2, 1);
    else
        alone_input(a, NN_FLOAT64, 3, NN_T, NN_B, 1);
    assert_int_equal(alone_setup(a), 0);
    alone_randomize(a);
    alone_set(&a->inputs[2], 0, 1);
    alone_check_gradients(a, 0);
    alone_destroy(a);
}

static void check_layer(const nn_component *component, nn_params *params,
                        int kind)
{
    check_all(component, params, kind);
    check_image(component, params, kind, 0);
    check_image(component, params, kind, 1);
    alone_params_free(params);
}

static void softmax_ce_gradients(void **unused)
{
    (void)unused;
    check_layer(LAYER(softmax_ce), PARAMS(alone_real(1)), LABELS);
    check_layer(LAYER(softmax_ce), PARAMS(alone_real(0.7)), DISTRIBUTIONS);
}

static void sigmoid_ce_gradients(void **unused)
{
    (void)unused;
    check_layer(LAYER(sigmoid_ce), PARAMS(alone_real(0.7)), DISTRIBUTIONS);
}

static void squared_error_gradients(void **unused)
{
    (void)unused;
    check_layer(LAYER(squared_error), PARAMS(alone_real(1), alone_int(1)),
                DISTRIBUTIONS);
    check_layer(LAYER(squared_error), PARAMS(alone_real(-2), alone_int(0)),
                DISTRIBUTIONS);
}

static void loss_gradients(void **unused)
{
    nn_params *params = PARAMS(alone_real(0.7));
    int mask;

    (void)unused;
    for (mask = 0; mask < 3; ++mask) {
        alone *a = alone_create(LAYER(loss), params, NN_FLOAT64, 2, 3);

        alone_input(a, NN_FLOAT64, 4, NN_T, NN_B, 2, 3);
        if (mask == 1)
            alone_input(a, NN_FLOAT64, 3, NN_T, NN_B, 1);
        else
            alone_input(a, NN_FLOAT64, mask ? 4 : 0, NN_T, NN_B, 2, 1);
        assert_int_equal(alone_setup(a), 0);
        alone_randomize(a);
        alone_check_gradients(a, 0);
        alone_destroy(a);
    }
    alone_params_free(params);
}

/* ------------------------------------------------------------ the formulas */

static void weights_and_means(void **unused)
{
    static const double x[] = {1, 2, 3, 5, 7, 11};
    static const double t[] = {0, 0, 0, 0, 0, 0};
    static const double m[] = {1, 0, 1};
    nn_params *params = PARAMS(alone_real(2), alone_int(1));
    alone *a = make(LAYER(squared_error), params, NN_FLOAT64, DISTRIBUTIONS, 3,
                    1, 2, 0);

    (void)unused;
    alone_values(&a->inputs[0], x);
    alone_values(&a->inputs[1], t);
    close_to(run(a), 2 * 0.5 * (5 + 34 + 170) / 3, 1e-15);
    close_to(alone_get(&a->outputs.list[WEIGHT].array, 0), 3, 0);
    close_to(alone_get(&a->input_deltas[0], 3), 2 * 5.0 / 3, 1e-15);
    alone_destroy(a);
    a = make(LAYER(squared_error), params, NN_FLOAT64, DISTRIBUTIONS, 3, 1, 2,
             1);
    alone_values(&a->inputs[0], x);
    alone_values(&a->inputs[1], t);
    alone_values(&a->inputs[2], m);
    close_to(run(a), 2 * 0.5 * (5 + 170) / 2, 1e-15);
    close_to(alone_get(&a->outputs.list[WEIGHT].array, 0), 2, 0);
    close_to(alone_get(&a->input_deltas[0], 3), 0, 0);
    close_to(alone_get(&a->input_deltas[0], 4), 7, 1e-15);
    alone_destroy(a);
    alone_params_free(params);
}

/* Case L1: large logits, as labels and as one-hot targets. */
static void check_large_logits(uint32_t real, int kind)
{
    static const double x[] = {1000, 1000, -1000};
    static const double losses[] = {0.6931471805599453, 0, 2000.6931471805599};
    nn_params *params = PARAMS(alone_real(1));
    alone *a = make(LAYER(softmax_ce), params, real, kind, 1, 1, 3, 0);
    double tolerance = real == NN_FLOAT64 ? 1e-12 : 1e-6;
    int label;
    int k;

    for (label = 0; label < 3; label += 2) {
        alone_values(&a->inputs[0], x);
        alone_fill(&a->inputs[1], kind == LABELS ? label : 0);
        if (kind == DISTRIBUTIONS)
            alone_set(&a->inputs[1], label, 1);
        close_to(run(a), losses[label], tolerance);
        for (k = 0; k < 3; ++k) {
            double p = k == 2 ? 0 : 0.5;

            close_to(alone_get(&a->outputs.list[PREDICTIONS].array, k), p, 0);
            close_to(alone_get(&a->input_deltas[0], k), p - (k == label),
                     tolerance);
        }
    }
    alone_destroy(a);
    alone_params_free(params);
}

static void softmax_ce_of_large_logits(void **unused)
{
    (void)unused;
    check_large_logits(NN_FLOAT32, LABELS);
    check_large_logits(NN_FLOAT32, DISTRIBUTIONS);
    check_large_logits(NN_FLOAT64, LABELS);
    check_large_logits(NN_FLOAT64, DISTRIBUTIONS);
}

/* A class that is ruled out by -inf costs nothing if it is not wanted. */
static void softmax_ce_with_a_class_ruled_out(void **unused)
{
    static const double x[] = {0, 0, -INFINITY};
    static const double t[] = {0.5, 0.5, 0};
    nn_params *params = PARAMS(alone_real(1));
    alone *a = make(LAYER(softmax_ce), params, NN_FLOAT64, DISTRIBUTIONS, 1, 1,
                    3, 0);
    int k;

    (void)unused;
    alone_values(&a->inputs[0], x);
    alone_values(&a->inputs[1], t);
    close_to(run(a), log(2), 1e-15);
    for (k = 0; k < 3; ++k)
        close_to(alone_get(&a->input_deltas[0], k), 0, 1e-16);
    alone_destroy(a);
    alone_params_free(params);
}

/* Case L2: one bad label among 64 good ones is an error that names it. */
static void label_out_of_range_is_an_error(void **unused)
{
    static const double bad[] = {3, -1, 1000, 2147483647};
    nn_params *params = PARAMS(alone_real(1));
    int masked;
    int i;

    (void)unused;
    for (masked = 0; masked < 2; ++masked)
        for (i = 0; i < 4; ++i) {
            alone *a = make(LAYER(softmax_ce), params, NN_FLOAT32, LABELS, 1,
                            65, 3, masked);
            const char *text = "";
            char number[16];

            alone_randomize(a);
            if (masked)
                alone_fill(&a->inputs[2], 1);
            alone_set(&a->inputs[1], 40, bad[i]);
            assert_int_equal(alone_forward(a, 0), NN_INVALID_ARGUMENT);
            nn_completed_error(a->completed, NULL, &text);
            snprintf(number, sizeof number, "%.0f", bad[i]);
            assert_non_null(strstr(text, number));
            assert_non_null(strstr(text, "40"));
            nn_completed_clear(a->completed);
            alone_destroy(a);
        }
    alone_params_free(params);
}

/* Labels of masked rows are not looked at: -1 is a common filling. */
static void label_of_a_masked_row_does_not_matter(void **unused)
{
    nn_params *params = PARAMS(alone_real(1));
    alone *a = make(LAYER(softmax_ce), params, NN_FLOAT32, LABELS, 1, 4, 3, 1);
    double before;

    (void)unused;
    alone_randomize(a);
    alone_fill(&a->inputs[2], 1);
    alone_set(&a->inputs[2], 2, 0);
    before = run(a);
    alone_set(&a->inputs[1], 2, -1);
    assert_true(run(a) == before);
    alone_set(&a->inputs[1], 2, 1e9);
    assert_true(run(a) == before);
    alone_destroy(a);
    alone_params_free(params);
}

static void real_labels_are_refused(void **unused)
{
    nn_params *params = PARAMS(alone_real(1));
    alone *a = alone_create(LAYER(softmax_ce), params, NN_FLOAT32, 1, 1);

    (void)unused;
    alone_input(a, NN_FLOAT32, 3, NN_T, NN_B, 3);
    alone_input(a, NN_FLOAT32, 3, NN_T, NN_B, 1);
    alone_input(a, NN_FLOAT32, 0);
    assert_int_equal(alone_setup(a), NN_SHAPE);
    assert_string_equal(alone_message(),
                        "layer 'softmax_ce', input 'targets': expected int32 "
                        "labels, or distributions of shape (T, B, 3) float32, "
                        "got (T, B, 1) float32");
    alone_destroy(a);
    alone_params_free(params);
}

/* Case L4: divisor and agreement of loss and gradient with a mask. */
static void masked_softmax_ce(void **unused)
{
    static const double x[] = {1, 2, 0.5, -0.5, 0, 0, 9, 9, 2, -1, -7, 3};
    static const double labels[] = {0, 1, 1, 0, 0, 1};
    static const double m[] = {1, 1, 1, 0, 1, 0};
    static const double g[] = {
        -0.182764645,  0.182764645,  0.182764645, -0.182764645,
        0.125,         -0.125,       0,           0,
        -0.0118564683, 0.0118564683, 0,           0};
    static const double rubbish[] = {9, 1e30, NAN, INFINITY};
    nn_params *params = PARAMS(alone_real(1));
    alone *a = make(LAYER(softmax_ce), params, NN_FLOAT64, LABELS, 3, 2, 2, 1);
    int i;
    int k;

    (void)unused;
    alone_values(&a->inputs[0], x);
    alone_values(&a->inputs[1], labels);
    alone_values(&a->inputs[2], m);
    for (i = 0; i < 4; ++i) {
        alone_set(&a->inputs[0], 6, rubbish[i]);
        alone_set(&a->inputs[0], 11, rubbish[i]);
        close_to(run(a), 0.842064477, 1e-9);
        close_to(alone_get(&a->outputs.list[WEIGHT].array, 0), 4, 0);
        for (k = 0; k < 12; ++k)
            close_to(alone_get(&a->input_deltas[0], k), g[k],
                     g[k] == 0 ? 0 : 1e-9);
        assert_true(alone_get(&a->outputs.list[LOSS].array, 3) == 0);
        assert_true(alone_get(&a->outputs.list[LOSS].array, 5) == 0);
    }
    alone_destroy(a);
    alone_params_free(params);
}

/* Case L4, third input: a mean, not a sum. */
static void four_equal_samples_count_as_one(void **unused)
{
    nn_params *params = PARAMS(alone_real(1));
    alone *one = make(LAYER(softmax_ce), params, NN_FLOAT64, LABELS, 1, 1, 3,
                      0);
    alone *four = make(LAYER(softmax_ce), params, NN_FLOAT64, LABELS, 1, 4, 3,
                       0);
    double sum = 0;
    int k;

    (void)unused;
    for (k = 0; k < 12; ++k)
        alone_set(&four->inputs[0], k, k % 3);
    for (k = 0; k < 3; ++k)
        alone_set(&one->inputs[0], k, k);
    alone_fill(&one->inputs[1], 2);
    alone_fill(&four->inputs[1], 2);
    close_to(run(one), run(four), 1e-15);
    for (k = 0; k < 12; k += 3)
        sum += alone_get(&four->input_deltas[0], k);
    close_to(sum, alone_get(&one->input_deltas[0], 0), 1e-15);
    alone_destroy(one);
    alone_destroy(four);
    alone_params_free(params);
}

/* Case L5: sigmoid and cross entropy of large inputs. */
static void sigmoid_ce_of_large_inputs(void **unused)
{
    static const struct {
        double x;
        double t;
        double loss;
        double delta;
    } cases[] = {
        {-1000, 1, 1000, -1},
        {-1000, 0, 0, 0},
        {100, 0, 100, 1},
        {1000, 1, 0, 0},
        {1000, 0, 1000, 1},
        {0, 0.5, 0.6931471805599453, 0},
        {-30, 1, 30.0000000000001, -1},
        {30, 1, 9.3576e-14, 0},
    };
    static const uint32_t reals[] = {NN_FLOAT32, NN_FLOAT64};
    nn_params *params = PARAMS(alone_real(1));
    uint32_t i;
    uint32_t r;

    (void)unused;
    for (r = 0; r < 2; ++r)
        for (i = 0; i < sizeof cases / sizeof *cases; ++i) {
            alone *a = make(LAYER(sigmoid_ce), params, reals[r], DISTRIBUTIONS,
                            1, 1, 1, 0);
            double tolerance = reals[r] == NN_FLOAT64 ? 1e-13 : 1e-7;

            alone_fill(&a->inputs[0], cases[i].x);
            alone_fill(&a->inputs[1], cases[i].t);
            close_to(run(a), cases[i].loss,
                     cases[i].loss < 1e-12 ? 1e-17 : tolerance);
            close_to(alone_get(&a->input_deltas[0], 0), cases[i].delta,
                     tolerance);
            alone_destroy(a);
        }
    alone_params_free(params);
}

/* Inputs and targets of masked rows are never seen, and a mask of zeros gives
 * zeros. */
static void check_rubbish(const nn_component *component, nn_params *params,
                          int kind)
{
    alone *a = make(component, params, NN_FLOAT64, kind, 2, 1, 3, 1);
    double right;
    int k;

    alone_randomize(a);
    alone_fill(&a->inputs[2], 1);
    alone_set(&a->inputs[2], 1, 0);
    right = run(a);
    assert_true(right != 0);
    for (k = 3; k < 6; ++k) {
        alone_set(&a->inputs[0], k, k == 4 ? NAN : 1e300);
        if (kind == DISTRIBUTIONS)
            alone_set(&a->inputs[1], k, NAN);
    }
    assert_true(run(a) == right);
    for (k = 3; k < 6; ++k)
        assert_true(alone_get(&a->input_deltas[0], k) == 0);
    alone_fill(&a->inputs[2], 0);
    assert_true(run(a) == 0);
    assert_true(alone_get(&a->outputs.list[WEIGHT].array, 0) == 0);
    for (k = 0; k < 6; ++k)
        assert_true(alone_get(&a->input_deltas[0], k) == 0);
    alone_destroy(a);
    alone_params_free(params);
}

static void masked_rows_change_nothing(void **unused)
{
    (void)unused;
    check_rubbish(LAYER(softmax_ce), PARAMS(alone_real(1)), LABELS);
    check_rubbish(LAYER(softmax_ce), PARAMS(alone_real(1)), DISTRIBUTIONS);
    check_rubbish(LAYER(sigmoid_ce), PARAMS(alone_real(1)), DISTRIBUTIONS);
    check_rubbish(LAYER(squared_error), PARAMS(alone_real(1), alone_int(1)),
                  DISTRIBUTIONS);
}

static void loss_of_a_masked_input(void **unused)
{
    static const double x[] = {1, 2, NAN, INFINITY, 3, 4};
    static const double m[] = {1, 0, 1};
    static const double g[] = {1.5, 1.5, 0, 0, 1.5, 1.5};
    nn_params *params = PARAMS(alone_real(3));
    alone *a = alone_create(LAYER(loss), params, NN_FLOAT64, 3, 1);
    int k;

    (void)unused;
    alone_input(a, NN_FLOAT64, 3, NN_T, NN_B, 2);
    alone_input(a, NN_FLOAT64, 3, NN_T, NN_B, 1);
    assert_int_equal(alone_setup(a), 0);
    alone_values(&a->inputs[0], x);
    alone_values(&a->inputs[1], m);
    alone_fill(&a->outputs.list[0].delta, 1);
    assert_int_equal(alone_forward(a, NN_PASS_BACKWARD), 0);
    assert_int_equal(alone_backward(a), 0);
    close_to(alone_get(&a->outputs.list[0].array, 0), 15, 1e-15);
    close_to(alone_get(&a->outputs.list[1].array, 0), 2, 0);
    for (k = 0; k < 6; ++k)
        close_to(alone_get(&a->input_deltas[0], k), g[k], 0);
    alone_fill(&a->inputs[1], 0);
    assert_int_equal(alone_forward(a, NN_PASS_BACKWARD), 0);
    assert_int_equal(alone_backward(a), 0);
    close_to(alone_get(&a->outputs.list[0].array, 0), 0, 0);
    close_to(alone_get(&a->outputs.list[1].array, 0), 0, 0);
    for (k = 0; k < 6; ++k)
        close_to(alone_get(&a->input_deltas[0], k), 0, 0);
    alone_destroy(a);
    alone_params_free(params);
}

/* Outputs that nobody wants are not touched, and the others stay right. */
static void unwanted_outputs_are_left_out(void **unused)
{
    nn_params *params = PARAMS(alone_real(1), alone_int(1));
    const nn_component *components[] = {LAYER(softmax_ce), LAYER(sigmoid_ce),
                                        LAYER(squared_error)};
    uint32_t i;
    uint32_t k;

    (void)unused;
    for (i = 0; i < 3; ++i) {
        alone *a = make(components[i], params, NN_FLOAT64, DISTRIBUTIONS, 2, 2,
                        3, 1);
        double right;

        alone_randomize(a);
        assert_int_equal(alone_forward(a, 0), 0);
        right = alone_get(&a->outputs.list[PREDICTIONS].array, 0);
        for (k = 0; k < 3; ++k)
            a->outputs.list[k].array.mode = NN_DISCARD;
        assert_int_equal(alone_forward(a, 0), 0);
        a->outputs.list[PREDICTIONS].array.mode = NN_WRITE;
        assert_int_equal(alone_forward(a, 0), 0);
        assert_true(alone_get(&a->outputs.list[PREDICTIONS].array, 0) == right);
        alone_destroy(a);
    }
    alone_params_free(params);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(softmax_ce_gradients),
        cmocka_unit_test(sigmoid_ce_gradients),
        cmocka_unit_test(squared_error_gradients),
        cmocka_unit_test(loss_gradients),
        cmocka_unit_test(weights_and_means),
        cmocka_unit_test(softmax_ce_of_large_logits),
        cmocka_unit_test(softmax_ce_with_a_class_ruled_out),
        cmocka_unit_test(label_out_of_range_is_an_error),
        cmocka_unit_test(label_of_a_masked_row_does_not_matter),
        cmocka_unit_test(real_labels_are_refused),
        cmocka_unit_test(masked_softmax_ce),
        cmocka_unit_test(four_equal_samples_count_as_one),
        cmocka_unit_test(sigmoid_ce_of_large_inputs),
        cmocka_unit_test(masked_rows_change_nothing),
        cmocka_unit_test(loss_of_a_masked_input),
        cmocka_unit_test(unwanted_outputs_are_left_out),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
