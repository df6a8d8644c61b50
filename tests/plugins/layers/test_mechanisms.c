/* SPDX-License-Identifier: MIT */
/* test_mechanisms.c - layers of tests/plugins_src/layers, each of which uses
 * one mechanism: context frames, children, references, state, optional and
 * variadic inputs, groups, structured parameters. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "tests/plugins/layers/alone.h"

extern const nn_plugin layer_fully_connected_LTX_nn_plugin_v1;
extern const nn_plugin test_frames_LTX_nn_plugin_v1;
extern const nn_plugin test_pair_LTX_nn_plugin_v1;
extern const nn_plugin test_chain_LTX_nn_plugin_v1;
extern const nn_plugin test_tied_LTX_nn_plugin_v1;
extern const nn_plugin test_counter_LTX_nn_plugin_v1;
extern const nn_plugin test_optional_LTX_nn_plugin_v1;
extern const nn_plugin test_grouped_LTX_nn_plugin_v1;
extern const nn_plugin test_reserve_LTX_nn_plugin_v1;
extern const nn_plugin test_lists_LTX_nn_plugin_v1;

#define TEST(name) test_##name##_LTX_nn_plugin_v1.components[0]
#define PARAMS(...)                                                            \
    alone_params(sizeof((nn_value[]){__VA_ARGS__}) / sizeof(nn_value),         \
                 (nn_value[]){__VA_ARGS__})

static const nn_params none = {NN_SIZEOF(nn_params, values), 0, NULL};

static alone *make(const nn_component *component, const nn_params *params)
{
    alone *a = alone_create(component, params, NN_FLOAT64, 3, 2);

    alone_input(a, NN_FLOAT64, 3, NN_T, NN_B, 3);
    return a;
}

static void finish(alone *a, nn_params *params)
{
    alone_randomize(a);
    alone_check_gradients(a, NN_PASS_TRAIN);
    alone_destroy(a);
    alone_params_free(params);
}

static void frames_sum_over_time(void **unused)
{
    alone *a = make(TEST(frames), &none);
    const nn_array *y = &a->outputs.list[0].array;
    nn_array before;

    (void)unused;
    assert_int_equal(alone_setup(a), 0);
    alone_fill(&a->inputs[0], 1);
    before = nn_slice(y, -1, 1);
    alone_fill(&before, 10);
    assert_int_equal(alone_forward(a, 0), 0);
    assert_true(alone_get(y, 0) == 11);
    assert_true(alone_get(y, 17) == 13);
    alone_fill(&before, 0);
    finish(a, NULL);
}

static alone *make_child(nn_params **params, int64_t size, uint32_t kind)
{
    *params = PARAMS(alone_int(size), alone_int(kind), alone_none(),
                     alone_int(1));
    return alone_create(layer_fully_connected_LTX_nn_plugin_v1.components[0],
                        *params, NN_FLOAT64, 3, 2);
}

static void pair_runs_its_child_step_by_step(void **unused)
{
    nn_params *inner;
    alone *layer = make_child(&inner, 3, NN_ACTIVATION_TANH);
    nn_params *params = PARAMS(alone_owned(alone_child(1, &layer)));
    alone *a = make(TEST(pair), params);

    (void)unused;
    assert_int_equal(alone_setup(a), 0);
    finish(a, params);
    alone_params_free(inner);
}

static void chain_runs_a_network(void **unused)
{
    nn_params *inner[2];
    alone *layers[2] = {make_child(&inner[0], 4, NN_ACTIVATION_SOFTPLUS),
                        make_child(&inner[1], 2, NN_ACTIVATION_TANH)};
    nn_params *params = PARAMS(alone_owned(alone_child(2, layers)));
    alone *a = make(TEST(chain), params);

    (void)unused;
    assert_int_equal(alone_setup(a), 0);
    assert_int_equal(a->outputs.list[0].array.shape[2], 2);
    finish(a, params);
    alone_params_free(inner[0]);
    alone_params_free(inner[1]);
}

static void tied_adds_to_the_other_gradient(void **unused)
{
    nn_params *params = PARAMS(alone_text("fc"));
    alone *a = make(TEST(tied), params);

    (void)unused;
    alone_reference(a, "fc.parameters.W", NN_FLOAT64, 2, 3, 5);
    assert_int_equal(alone_setup(a), 0);
    assert_int_equal(a->outputs.list[0].array.shape[2], 5);
    finish(a, params);
}

static void tied_names_what_is_missing(void **unused)
{
    nn_params *params = PARAMS(alone_text("nowhere"));
    alone *a = make(TEST(tied), params);

    (void)unused;
    assert_int_equal(alone_setup(a), NN_NOT_FOUND);
    assert_non_null(strstr(alone_message(), "nowhere.parameters.W"));
    alone_destroy(a);
    alone_params_free(params);
}

static void counter_counts_training_passes_only(void **unused)
{
    alone *a = make(TEST(counter), &none);

    (void)unused;
    assert_int_equal(alone_setup(a), 0);
    alone_fill(&a->inputs[0], 0.5);
    assert_int_equal(alone_forward(a, NN_PASS_TRAIN), 0);
    assert_int_equal(alone_forward(a, NN_PASS_TRAIN | NN_PASS_BACKWARD), 0);
    assert_int_equal(alone_forward(a, 0), 0);
    assert_int_equal(alone_forward(a, NN_PASS_BACKWARD), 0);
    assert_true(alone_get(&a->state.list[0].array, 0) == 2);
    assert_true(alone_get(&a->outputs.list[0].array, 3) == 2.5);
    finish(a, NULL);
}

static void optional_inputs_may_be_absent(void **unused)
{
    uint32_t extra;
    uint32_t more;

    (void)unused;
    for (extra = 0; extra < 2; ++extra)
        for (more = 1; more < 4; ++more) {
            alone *a = make(TEST(optional), &none);
            uint32_t i;

            alone_input(a, NN_FLOAT64, extra ? 3 : 0, NN_T, NN_B, 3);
            for (i = 0; i < more; ++i)
                alone_input(a, NN_FLOAT64, 3, NN_T, NN_B, 3);
            assert_int_equal(alone_setup(a), 0);
            alone_randomize(a);
            for (i = 0; i < a->n_inputs; ++i)
                if (nn_present(&a->inputs[i]))
                    alone_fill(&a->inputs[i], 1);
            assert_int_equal(alone_forward(a, 0), 0);
            assert_true(alone_get(&a->outputs.list[0].array, 0) ==
                        1 + 2 * extra + 3 * more + more * (more - 1) / 2);
            finish(a, NULL);
        }
}

static void grouped_matrices_are_one(void **unused)
{
    nn_params *params = PARAMS(alone_int(2));
    alone *a = make(TEST(grouped), params);

    (void)unused;
    assert_int_equal(alone_setup(a), 0);
    assert_int_equal(a->n_groups, 1);
    assert_int_equal(a->groups[0].shape[0], 8);
    finish(a, params);
}

static void reserve_shows_the_first_bytes(void **unused)
{
    nn_params *params = PARAMS(alone_text("pool"), alone_int(4));
    alone *a = make(TEST(reserve), params);
    static const double bytes[] = {200, 7, 1};
    int k;

    (void)unused;
    alone_reference(a, "pool.reserve.0", NN_UINT8, 1, 3);
    assert_int_equal(alone_setup(a), 0);
    alone_values(&a->references[0], bytes);
    assert_int_equal(alone_forward(a, 0), 0);
    for (k = 0; k < 4; ++k)
        assert_true(alone_get(&a->outputs.list[1].array, k) ==
                    (k < 3 ? bytes[k] : 0));
    finish(a, params);
}

static void lists_reads_structured_parameters(void **unused)
{
    static const char *const keys[] = {"left", "right"};
    const nn_value factors[] = {alone_real(1), alone_real(0.5)};
    const nn_value offsets[] = {alone_real(4), alone_real(-1)};
    const nn_value scale[] = {alone_real(-2), alone_int(2)};
    nn_params *params = PARAMS(alone_list(NN_PARAM_LIST, 2, factors, NULL),
                               alone_list(NN_PARAM_MAP, 2, offsets, keys),
                               alone_list(NN_PARAM_RECORD, 2, scale, NULL));
    alone *a = make(TEST(lists), params);

    (void)unused;
    assert_int_equal(alone_setup(a), 0);
    alone_fill(&a->inputs[0], 2);
    assert_int_equal(alone_forward(a, 0), 0);
    assert_true(alone_get(&a->outputs.list[0].array, 0) == 21);
    finish(a, params);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_sum_over_time),
        cmocka_unit_test(pair_runs_its_child_step_by_step),
        cmocka_unit_test(chain_runs_a_network),
        cmocka_unit_test(tied_adds_to_the_other_gradient),
        cmocka_unit_test(tied_names_what_is_missing),
        cmocka_unit_test(counter_counts_training_passes_only),
        cmocka_unit_test(optional_inputs_may_be_absent),
        cmocka_unit_test(grouped_matrices_are_one),
        cmocka_unit_test(reserve_shows_the_first_bytes),
        cmocka_unit_test(lists_reads_structured_parameters),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
