/* SPDX-License-Identifier: MIT */
/* test_layers.c - the layers that map inputs to outputs: gradients of every
 * choice in every mode, and the cases that others got wrong. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/plugins/layers/alone.h"

extern const nn_plugin layer_input_LTX_nn_plugin_v1;
extern const nn_plugin layer_fully_connected_LTX_nn_plugin_v1;
extern const nn_plugin layer_activation_LTX_nn_plugin_v1;
extern const nn_plugin layer_dropout_LTX_nn_plugin_v1;
extern const nn_plugin layer_concat_LTX_nn_plugin_v1;
extern const nn_plugin layer_mask_LTX_nn_plugin_v1;
extern const nn_plugin layer_softmax_LTX_nn_plugin_v1;
extern const nn_plugin layer_square_LTX_nn_plugin_v1;

#define LAYER(name) layer_##name##_LTX_nn_plugin_v1.components[0]
#define PARAMS(...)                                                            \
    alone_params(sizeof((nn_value[]){__VA_ARGS__}) / sizeof(nn_value),         \
                 (nn_value[]){__VA_ARGS__})

static const nn_params none = {NN_SIZEOF(nn_params, values), 0, NULL};

/* ------------------------------------------------------------ every choice */

static void input_declares_what_shapes_says(void **unused)
{
    static const char *const keys[] = {"default", "targets"};
    const nn_value sizes[] = {alone_int(4), alone_int(3)};
    const nn_value one[] = {alone_int(1)};
    const nn_value image[] = {alone_list(NN_PARAM_LIST, 2, sizes, NULL),
                              alone_int(0)};
    const nn_value label[] = {alone_list(NN_PARAM_LIST, 1, one, NULL),
                              alone_int(1)};
    const nn_value entries[] = {alone_list(NN_PARAM_RECORD, 2, image, NULL),
                                alone_list(NN_PARAM_RECORD, 2, label, NULL)};
    nn_params *params = PARAMS(alone_list(NN_PARAM_MAP, 2, entries, keys));
    alone *a = alone_create(LAYER(input), params, NN_FLOAT32, 3, 2);

    (void)unused;
    assert_int_equal(alone_setup(a), 0);
    assert_int_equal(a->outputs.n, 2);
    assert_string_equal(a->outputs.list[0].name, "default");
    assert_int_equal(a->outputs.list[0].declared.shape.dims[0], NN_T);
    assert_int_equal(a->outputs.list[0].declared.shape.dims[1], NN_B);
    assert_int_equal(a->outputs.list[0].array.shape[2], 4);
    assert_int_equal(a->outputs.list[0].array.shape[3], 3);
    assert_int_equal(a->outputs.list[1].array.dtype, NN_INT32);
    assert_int_equal(a->outputs.list[1].declared.flags, NN_BUFFER_NO_DELTA);
    alone_destroy(a);
    alone_params_free(params);
}

static void input_refuses_too_many_axes(void **unused)
{
    static const char *const keys[] = {"default"};
    const nn_value sizes[] = {alone_int(1), alone_int(1), alone_int(1),
                              alone_int(1), alone_int(1), alone_int(1),
                              alone_int(1)};
    const nn_value fields[] = {alone_list(NN_PARAM_LIST, 7, sizes, NULL),
                               alone_int(0)};
    const nn_value entries[] = {alone_list(NN_PARAM_RECORD, 2, fields, NULL)};
    nn_params *params = PARAMS(alone_list(NN_PARAM_MAP, 1, entries, keys));
    alone *a = alone_create(LAYER(input), params, NN_FLOAT32, 3, 2);

    (void)unused;
    assert_int_equal(alone_setup(a), NN_SHAPE);
    assert_non_null(strstr(alone_message(), "'input'"));
    assert_non_null(strstr(alone_message(), "7"));
    alone_destroy(a);
    alone_params_free(params);
}

static void check_fully_connected(uint32_t kind, int bias, uint32_t ndim)
{
    nn_params *params = PARAMS(alone_int(4), alone_int(kind), alone_none(),
                               alone_int(bias));
    alone *a = alone_create(LAYER(fully_connected), params, NN_FLOAT64, 2, 3);

    alone_input(a, NN_FLOAT64, ndim, NN_T, NN_B, 3, 2);
    assert_int_equal(alone_setup(a), 0);
    assert_int_equal(a->parameters.n, bias ? 2 : 1);
    assert_int_equal(a->parameters.list[0].array.shape[0], 4);
    assert_int_equal(a->parameters.list[0].array.shape[1], ndim == 4 ? 6 : 3);
    alone_randomize(a);
    alone_check_gradients(a, 0);
    alone_destroy(a);
    alone_params_free(params);
}

static void fully_connected_gradients(void **unused)
{
    uint32_t kind;

    (void)unused;
    for (kind = 0; kind < NN_ACTIVATION_COUNT; ++kind) {
        check_fully_connected(kind, 1, 3);
        check_fully_connected(kind, 0, 4);
    }
}

static void fully_connected_works_on_batches_without_time(void **unused)
{
    nn_params *params = PARAMS(alone_int(2), alone_int(0), alone_none(),
                               alone_int(1));
    alone *a = alone_create(LAYER(fully_connected), params, NN_FLOAT64, 2, 3);

    (void)unused;
    alone_input(a, NN_FLOAT64, 2, NN_B, 5);
    assert_int_equal(alone_setup(a), 0);
    assert_int_equal(a->outputs.list[0].array.ndim, 2);
    alone_randomize(a);
    alone_check_gradients(a, 0);
    alone_destroy(a);
    alone_params_free(params);
}

static void fully_connected_starts_as_its_activation_wants(void **unused)
{
    uint32_t kind;

    (void)unused;
    for (kind = 0; kind < NN_ACTIVATION_COUNT; ++kind) {
        int saturates = kind == NN_ACTIVATION_LINEAR ||
                        kind == NN_ACTIVATION_TANH ||
                        kind == NN_ACTIVATION_SIGMOID;
        nn_params *params = PARAMS(alone_int(2), alone_int(kind), alone_none(),
                                   alone_int(1));
        alone *a = alone_create(LAYER(fully_connected), params, NN_FLOAT32, 1,
                                1);

        alone_input(a, NN_FLOAT32, 3, NN_T, NN_B, 5);
        assert_int_equal(alone_setup(a), 0);
        assert_string_equal(a->parameters.list[0].declared.initializer,
                            saturates ? "{glorot: {}}" : "{he: {}}");
        assert_int_equal(a->parameters.list[1].declared.tags, NN_TAG_BIAS);
        alone_destroy(a);
        alone_params_free(params);
    }
}

static void fully_connected_says_what_shape_it_wants(void **unused)
{
    nn_params *params = PARAMS(alone_int(2), alone_int(0), alone_none(),
                               alone_int(1));
    alone *a = alone_create(LAYER(fully_connected), params, NN_FLOAT32, 1, 1);

    (void)unused;
    alone_input(a, NN_FLOAT32, 2, NN_T, NN_B);
    assert_int_equal(alone_setup(a), NN_SHAPE);
    assert_string_equal(alone_message(),
                        "layer 'fully_connected', input 'default': expected "
                        "(T, B, features...), got (T, B) float32");
    alone_destroy(a);
    alone_params_free(params);
}

static void activation_gradients(void **unused)
{
    uint32_t kind;

    (void)unused;
    for (kind = 0; kind < NN_ACTIVATION_COUNT; ++kind) {
        nn_params *params = PARAMS(alone_int(kind), alone_none());
        alone *a = alone_create(LAYER(activation), params, NN_FLOAT64, 2, 3);

        alone_input(a, NN_FLOAT64, 4, NN_T, NN_B, 2, 3);
        assert_int_equal(alone_setup(a), 0);
        alone_randomize(a);
        alone_check_gradients(a, NN_PASS_TRAIN);
        alone_destroy(a);
        alone_params_free(params);
    }
}

static void activation_alpha_is_used_or_refused(void **unused)
{
    uint32_t kind;

    (void)unused;
    for (kind = 0; kind < NN_ACTIVATION_COUNT; ++kind) {
        nn_params *params = PARAMS(alone_int(kind), alone_real(0.25));
        alone *a = alone_create(LAYER(activation), params, NN_FLOAT64, 1, 1);

        alone_input(a, NN_FLOAT64, 3, NN_T, NN_B, 2);
        if (kind != NN_ACTIVATION_ELU && kind != NN_ACTIVATION_LEAKY_RELU) {
            assert_int_equal(alone_setup(a), NN_UNSUPPORTED);
            assert_non_null(strstr(alone_message(), "alpha"));
        } else {
            assert_int_equal(alone_setup(a), 0);
            alone_values(&a->inputs[0], (const double[]){-2, 2});
            assert_int_equal(alone_forward(a, 0), 0);
            assert_true(fabs(alone_get(&a->outputs.list[0].array, 0) -
                             (kind == NN_ACTIVATION_ELU ? 0.25 * expm1(-2)
                                                        : -0.5)) < 1e-15);
            alone_check_gradients(a, 0);
        }
        alone_destroy(a);
        alone_params_free(params);
    }
}

/* Case N3: the ends of the range, and NaN. */
static void activations_at_the_ends(void **unused)
{
    static const double x[] = {-1000, -100, -20, 0, 20, 88, 100, 1000, NAN};
    static const double sigmoid[] = {0, 0, 2.06115362e-09, 0.5, 1 - 2.06e-09, 1,
                                     1, 1};
    static const double softplus[] = {
        0, 0, 2.06115362e-09, 0.693147181, 20.0000000021, 88, 100, 1000};
    uint32_t kind;
    uint32_t k;

    (void)unused;
    for (kind = 0; kind < NN_ACTIVATION_COUNT; ++kind) {
        nn_params *params = PARAMS(alone_int(kind), alone_none());
        alone *a = alone_create(LAYER(activation), params, NN_FLOAT32, 1, 1);
        const nn_array *y;

        alone_input(a, NN_FLOAT32, 3, NN_T, NN_B, 9);
        assert_int_equal(alone_setup(a), 0);
        y = &a->outputs.list[0].array;
        alone_values(&a->inputs[0], x);
        alone_fill(&a->outputs.list[0].delta, 1);
        assert_int_equal(alone_forward(a, NN_PASS_BACKWARD), 0);
        assert_int_equal(alone_backward(a), 0);
        assert_true(isnan(alone_get(y, 8)));
        for (k = 0; k < 8; ++k) {
            double got = alone_get(y, k);

            assert_true(isfinite(alone_get(&a->input_deltas[0], k)));
            if (kind == NN_ACTIVATION_SIGMOID)
                assert_true(fabs(got - sigmoid[k]) <=
                            1e-6 * sigmoid[k] + 1e-43);
            if (kind == NN_ACTIVATION_SOFTPLUS)
                assert_true(fabs(got - softplus[k]) <=
                            1e-6 * softplus[k] + 1e-43);
            if (kind == NN_ACTIVATION_SOFTPLUS && x[k] >= 88)
                assert_true(alone_get(&a->input_deltas[0], k) == 1);
        }
        if (kind == NN_ACTIVATION_RELU)
            assert_true(alone_get(&a->input_deltas[0], 3) == 0);
        alone_destroy(a);
        alone_params_free(params);
    }
}

/* -------------------------------------------------------------- dropout */

static alone *make_dropout(double probability, uint32_t real, int features,
                           nn_params **params)
{
    alone *a;

    *params = PARAMS(alone_real(probability));
    a = alone_create(LAYER(dropout), *params, real, 1, 1);
    alone_input(a, real, 3, NN_T, NN_B, features);
    assert_int_equal(alone_setup(a), 0);
    return a;
}

/* Case D1: p = 0, p = 1 and passes that do not train. */
static void dropout_at_the_ends(void **unused)
{
    static const struct {
        double probability;
        uint32_t flags;
        double factor;
    } cases[] = {{0, NN_PASS_TRAIN, 1}, {1, NN_PASS_TRAIN, 0}, {0.5, 0, 1}};
    static const double x[] = {1, -2, 3};
    uint32_t i;
    uint32_t k;

    (void)unused;
    for (i = 0; i < 3; ++i) {
        nn_params *params;
        alone *a = make_dropout(cases[i].probability, NN_FLOAT32, 3, &params);

        alone_values(&a->inputs[0], x);
        alone_values(&a->outputs.list[0].delta, x);
        assert_int_equal(alone_forward(a, cases[i].flags | NN_PASS_BACKWARD),
                         0);
        assert_int_equal(alone_backward(a), 0);
        for (k = 0; k < 3; ++k) {
            assert_true(alone_get(&a->outputs.list[0].array, k) ==
                        x[k] * cases[i].factor);
            assert_true(alone_get(&a->input_deltas[0], k) ==
                        x[k] * cases[i].factor);
        }
        alone_destroy(a);
        alone_params_free(params);
    }
}

/* Case D3: scale, rate, and the same mask in both passes. */
static void dropout_scales_what_survives(void **unused)
{
    enum { N = 100000 };
    nn_params *params;
    alone *a = make_dropout(0.3, NN_FLOAT32, N, &params);
    const nn_array *y = &a->outputs.list[0].array;
    int64_t dropped = 0;
    int64_t first_half = 0;
    int64_t k;
    char *mask = malloc(N);
    int64_t same = 0;

    (void)unused;
    alone_fill(&a->inputs[0], 1);
    alone_fill(&a->outputs.list[0].delta, 1);
    assert_int_equal(alone_forward(a, NN_PASS_TRAIN | NN_PASS_BACKWARD), 0);
    assert_int_equal(alone_backward(a), 0);
    for (k = 0; k < N; ++k) {
        double value = alone_get(y, k);

        assert_true(value == 0 || value == (double)(float)(1 / 0.7));
        assert_true(alone_get(&a->input_deltas[0], k) == value);
        mask[k] = value == 0;
        dropped += mask[k];
        if (k < N / 2)
            first_half += mask[k];
    }
    assert_true(llabs(dropped - 30000) <= 650);
    assert_true(llabs(first_half - 15000) <= 460);
    for (k = 0; k < N / 2; ++k)
        same += mask[k] == mask[k + N / 2];
    assert_true(same < N / 2 * 0.65);
    a->context.random.offset = 1;
    assert_int_equal(alone_forward(a, NN_PASS_TRAIN), 0);
    for (same = 0, k = 0; k < N; ++k)
        same += (alone_get(y, k) == 0) == mask[k];
    assert_true(same < N * 0.65);
    free(mask);
    alone_destroy(a);
    alone_params_free(params);
}

static void dropout_gradients(void **unused)
{
    nn_params *params;
    alone *a = make_dropout(0.4, NN_FLOAT64, 9, &params);

    (void)unused;
    alone_randomize(a);
    alone_check_gradients(a, NN_PASS_TRAIN);
    alone_check_gradients(a, 0);
    alone_destroy(a);
    alone_params_free(params);
}

/* --------------------------------------------------------------- concat */

static void concat_gradients(void **unused)
{
    alone *a = alone_create(LAYER(concat), &none, NN_FLOAT64, 2, 2);
    uint32_t k;

    (void)unused;
    alone_input(a, NN_FLOAT64, 3, NN_T, NN_B, 2);
    alone_input(a, NN_FLOAT64, 3, NN_T, NN_B, 1);
    alone_input(a, NN_FLOAT64, 3, NN_T, NN_B, 3);
    assert_int_equal(alone_setup(a), 0);
    alone_randomize(a);
    assert_int_equal(alone_forward(a, 0), 0);
    for (k = 0; k < 4; ++k) {
        const nn_array *y = &a->outputs.list[0].array;

        assert_true(alone_get(y, 6 * k + 1) ==
                    alone_get(&a->inputs[0], 2 * k + 1));
        assert_true(alone_get(y, 6 * k + 2) == alone_get(&a->inputs[1], k));
        assert_true(alone_get(y, 6 * k + 5) ==
                    alone_get(&a->inputs[2], 3 * k + 2));
    }
    alone_check_gradients(a, 0);
    alone_destroy(a);
}

static void concat_names_both_shapes(void **unused)
{
    alone *a = alone_create(LAYER(concat), &none, NN_FLOAT64, 2, 2);

    (void)unused;
    alone_input(a, NN_FLOAT64, 4, NN_T, NN_B, 5, 2);
    alone_input(a, NN_FLOAT64, 4, NN_T, NN_B, 6, 2);
    assert_int_equal(alone_setup(a), NN_SHAPE);
    assert_non_null(strstr(alone_message(), "(T, B, 5, 2)"));
    assert_non_null(strstr(alone_message(), "(T, B, 6, 2)"));
    assert_non_null(strstr(alone_message(), "input number 2"));
    alone_destroy(a);
}

/* ------------------------------------------------------- mask and softmax */

static void check_mask(int per_pixel)
{
    alone *a = alone_create(LAYER(mask), &none, NN_FLOAT64, 2, 2);

    alone_input(a, NN_FLOAT64, 4, NN_T, NN_B, 2, 3);
    if (per_pixel)
        alone_input(a, NN_FLOAT64, 4, NN_T, NN_B, 2, 1);
    else
        alone_input(a, NN_FLOAT64, 3, NN_T, NN_B, 1);
    assert_int_equal(alone_setup(a), 0);
    alone_randomize(a);
    alone_set(&a->inputs[1], 0, 0.25);
    alone_check_gradients(a, 0);
    alone_destroy(a);
}

static void mask_gradients(void **unused)
{
    (void)unused;
    check_mask(0);
    check_mask(1);
}

static void mask_lets_no_nan_through(void **unused)
{
    alone *a = alone_create(LAYER(mask), &none, NN_FLOAT64, 2, 1);
    static const double x[] = {NAN, INFINITY, 3, 4};
    static const double m[] = {0, 1};
    uint32_t k;

    (void)unused;
    alone_input(a, NN_FLOAT64, 3, NN_T, NN_B, 2);
    alone_input(a, NN_FLOAT64, 3, NN_T, NN_B, 1);
    assert_int_equal(alone_setup(a), 0);
    alone_values(&a->inputs[0], x);
    alone_values(&a->inputs[1], m);
    alone_values(&a->outputs.list[0].delta, x);
    assert_int_equal(alone_forward(a, NN_PASS_BACKWARD), 0);
    assert_int_equal(alone_backward(a), 0);
    for (k = 0; k < 4; ++k) {
        double right = k < 2 ? 0 : x[k];

        assert_true(alone_get(&a->outputs.list[0].array, k) == right);
        assert_true(alone_get(&a->input_deltas[0], k) == right);
    }
    alone_destroy(a);
}

static void mask_of_another_shape_is_refused(void **unused)
{
    alone *a = alone_create(LAYER(mask), &none, NN_FLOAT64, 2, 1);

    (void)unused;
    alone_input(a, NN_FLOAT64, 4, NN_T, NN_B, 2, 3);
    alone_input(a, NN_FLOAT64, 3, NN_T, NN_B, 2);
    assert_int_equal(alone_setup(a), NN_SHAPE);
    assert_non_null(strstr(alone_message(), "input 'mask'"));
    assert_non_null(strstr(alone_message(), "(T, B, 2, 1)"));
    assert_non_null(strstr(alone_message(), "got (T, B, 2) float64"));
    alone_destroy(a);
}

static void softmax_gradients(void **unused)
{
    alone *a = alone_create(LAYER(softmax), &none, NN_FLOAT64, 2, 2);

    (void)unused;
    alone_input(a, NN_FLOAT64, 4, NN_T, NN_B, 2, 5);
    assert_int_equal(alone_setup(a), 0);
    alone_randomize(a);
    alone_check_gradients(a, 0);
    alone_destroy(a);
}

/* The first half of case L1. */
static void softmax_of_large_inputs(void **unused)
{
    alone *a = alone_create(LAYER(softmax), &none, NN_FLOAT32, 1, 1);
    static const double x[] = {1000, 1000, -1000};
    static const double y[] = {0.5, 0.5, 0};
    uint32_t k;

    (void)unused;
    alone_input(a, NN_FLOAT32, 3, NN_T, NN_B, 3);
    assert_int_equal(alone_setup(a), 0);
    alone_values(&a->inputs[0], x);
    assert_int_equal(alone_forward(a, 0), 0);
    for (k = 0; k < 3; ++k)
        assert_true(alone_get(&a->outputs.list[0].array, k) == y[k]);
    alone_destroy(a);
}

static void template_gradients(void **unused)
{
    nn_params *params = PARAMS(alone_real(2));
    alone *a = alone_create(LAYER(square), params, NN_FLOAT64, 2, 2);

    (void)unused;
    alone_input(a, NN_FLOAT64, 4, NN_T, NN_B, 2, 3);
    assert_int_equal(alone_setup(a), 0);
    assert_true(a->parameters.list[0].declared.value == 2);
    alone_randomize(a);
    alone_check_gradients(a, 0);
    alone_destroy(a);
    alone_params_free(params);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(input_declares_what_shapes_says),
        cmocka_unit_test(input_refuses_too_many_axes),
        cmocka_unit_test(fully_connected_gradients),
        cmocka_unit_test(fully_connected_works_on_batches_without_time),
        cmocka_unit_test(fully_connected_starts_as_its_activation_wants),
        cmocka_unit_test(fully_connected_says_what_shape_it_wants),
        cmocka_unit_test(activation_gradients),
        cmocka_unit_test(activation_alpha_is_used_or_refused),
        cmocka_unit_test(activations_at_the_ends),
        cmocka_unit_test(dropout_at_the_ends),
        cmocka_unit_test(dropout_scales_what_survives),
        cmocka_unit_test(dropout_gradients),
        cmocka_unit_test(concat_gradients),
        cmocka_unit_test(concat_names_both_shapes),
        cmocka_unit_test(mask_gradients),
        cmocka_unit_test(mask_lets_no_nan_through),
        cmocka_unit_test(mask_of_another_shape_is_refused),
        cmocka_unit_test(softmax_gradients),
        cmocka_unit_test(softmax_of_large_inputs),
        cmocka_unit_test(template_gradients),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
