/* SPDX-License-Identifier: MIT */
/* test_access.c - buffers by path: views, copies, what must be kept; and layers
 * with lists, maps, records, optional and variadic inputs. */
#include "tests/unit/network/support.h"

#include <string.h>

#define LAYERS                                                                 \
    "[{fully_connected: {size: 2, name: a}}, {fully_connected: {size: 2,"      \
    " name: b}}, {concat: {name: c, from: [a, b]}},"                           \
    " {fully_connected: {size: 2, name: d}},"                                  \
    " {squared_error: {name: e, from: {default: d, targets: t}}}]"
#define INPUTS "{x: [2], t: [2]}"

static int32_t view(net *n, const char *path)
{
    nn_array array;
    int32_t code = nn_network_view(n->network, path, &array);

    assert_true(code || array.memory);
    return code;
}

/* ---- views ------------------------------------------------------------- */

static void what_is_not_kept_cannot_be_read(void **state)
{
    nn_host_array copy;
    net n;

    (void)state;
    net_make(&n, INPUTS, LAYERS, NULL);
    net_pass(&n, 1, 3, NN_PASS_BACKWARD, 1);
    assert_int_equal(view(&n, "a.outputs.default"), NN_STATE);
    assert_string_equal(nn_error_id(), "network.not-kept");
    assert_non_null(strstr(nn_error_text(), "\"a.outputs.default\""));
    assert_non_null(strstr(nn_error_text(), "keep"));
    nn_error_clear();
    assert_int_equal(nn_network_snapshot(n.network, "d.output_deltas.default",
                                         &copy),
                     NN_STATE);
    assert_null(copy.data);
    nn_error_clear();
    /* What stays anyhow. */
    assert_int_equal(view(&n, "a.W"), 0);
    assert_int_equal(view(&n, "a.gradients.W"), 0);
    assert_int_equal(view(&n, "inputs.outputs.x"), 0);
    assert_int_equal(view(&n, "e.outputs.predictions"), 0);
    assert_int_equal(view(&n, "e.outputs.loss"), 0);
    net_finish(&n);
}

static void a_message_is_that_of_the_last_call(void **state)
{
    net n;

    (void)state;
    net_make(&n, INPUTS, LAYERS, NULL);
    assert_int_equal(view(&n, "nowhere"), NN_NOT_FOUND);
    assert_int_equal(nn_network_backward(n.network, 0), NN_STATE);
    assert_string_equal(nn_error_id(), "network.no-forward");
    assert_int_equal(nn_network_loss(n.network, NULL, NULL, NULL), NN_STATE);
    assert_string_equal(nn_error_id(), "network.no-pass");
    assert_int_equal(nn_network_begin(n.network, 1, 1, 0), 0);
    assert_int_equal(nn_error_code(), 0);
    net_finish(&n);
}

/* Everything that a pattern keeps is there when a pass is over: the values are
 * those of a network in which everything is kept. */
static void what_is_kept_can_be_read(void **state)
{
    static const char *const patterns[][2] = {{"a.outputs.default", NULL},
                                              {"*.output_deltas.*", NULL},
                                              {"*.internals.*", NULL},
                                              {"c.*", NULL},
                                              {"*", NULL}};
    const net_options all = {.T = 2, .keep = patterns[4]};
    size_t k;
    net whole;

    (void)state;
    net_make(&whole, INPUTS, LAYERS, &all);
    net_pass(&whole, 2, 3, NN_PASS_BACKWARD, 1);
    for (k = 0; k < 5; ++k) {
        const net_options options = {.T = 2, .keep = patterns[k]};
        int seen = 0;
        int32_t i;
        net n;

        net_make(&n, INPUTS, LAYERS, &options);
        net_pass(&n, 2, 3, NN_PASS_BACKWARD, 1);
        for (i = 0; i < n.network->layout->n_records; ++i) {
            const char *path = n.network->layout->records[i].path;
            int64_t count;
            double *values;

            if (!nn_pattern_matches(patterns[k][0], path) ||
                n.network->layout->records[i].sort == NN_SORT_WORKSPACE)
                continue;
            values = net_get(&whole, path, &count);
            net_check(&n, path, values, count, 0);
            free(values);
            ++seen;
        }
        assert_true(seen > 0);
        net_finish(&n);
    }
    net_finish(&whole);
}

static void unknown_paths_come_with_a_suggestion(void **state)
{
    nn_array array;
    net n;

    (void)state;
    net_make(&n, "{image: [2]}", "[{fully_connected: {size: 2, name: a}}]",
             NULL);
    net_begin(&n, 1, 3, 0);
    assert_int_equal(view(&n, "a.parameters.w"), NN_NOT_FOUND);
    assert_non_null(strstr(nn_error_text(), "did you mean 'a.parameters.W'"));
    nn_error_clear();
    assert_int_equal(nn_network_input(n.network, "imgae", &array),
                     NN_NOT_FOUND);
    assert_non_null(strstr(nn_error_text(), "did you mean 'image'"));
    nn_error_clear();
    net_finish(&n);
}

/* Columns of a concatenation are read and written past their neighbours. */
static void slices_are_copied_row_by_row(void **state)
{
    static const char *const keep[] = {"*", NULL};
    static const double a[] = {1, 2, 3, 4, 5, 6};
    static const double b[] = {7, 8, 9, 10, 11, 12};
    static const double c[] = {1, 2, 7, 8, 3, 4, 9, 10, 5, 6, 11, 12};
    const net_options options = {.keep = keep};
    nn_array array;
    net n;

    (void)state;
    net_make(&n, INPUTS, LAYERS, &options);
    net_begin(&n, 1, 3, 0);
    assert_int_equal(nn_network_view(n.network, "a.outputs.default", &array),
                     0);
    assert_false(nn_is_dense(&array));
    net_put(&n, "b.outputs.default", b);
    net_put(&n, "a.outputs.default", a);
    net_check(&n, "c.outputs.default", c, 12, 0);
    net_check(&n, "a.outputs.default", a, 6, 0);
    net_check(&n, "b.outputs.default", b, 6, 0);
    net_finish(&n);
}

static void all_paths_are_listed_and_found(void **state)
{
    const char *path;
    uint32_t count;
    net n;

    (void)state;
    net_make(&n, INPUTS, LAYERS, NULL);
    for (count = 0; (path = nn_network_path(n.network, count)); ++count)
        assert_int_equal(nn_layout_find(n.network->layout, path), count);
    assert_true(count > 20);
    assert_null(nn_network_path(n.network, count));
    net_finish(&n);
}

static void blocks_are_vectors(void **state)
{
    nn_array parameters;
    nn_array gradients;
    net n;

    (void)state;
    net_make(&n, INPUTS, LAYERS, NULL);
    parameters = nn_network_parameters(n.network);
    gradients = nn_network_gradients(n.network);
    assert_int_equal(parameters.ndim, 1);
    assert_int_equal(parameters.dtype, NN_FLOAT64);
    assert_true(nn_same_shape(&parameters, &gradients));
    assert_int_equal(nn_network_block(n.network, NN_BLOCK_STATE).ndim, 0);
    net_finish(&n);
}

/* ---- parameters of layers ----------------------------------------------- */

/* a = (2 + 3) * 2 squared, b = 1 - 4. */
static void lists_maps_and_records_arrive(void **state)
{
    static const double x[] = {1, 2};
    static const double y[] = {97, 197};
    static const char *const keep[] = {"*", NULL};
    const net_options options = {.B = 1, .keep = keep};
    net n;

    (void)state;
    net_make(&n, "{x: [2]}",
             "[{lists: {name: l, factors: [2, 3], offsets: {p: 1, q: -4},"
             " scale: {value: 2, power: 2}}}]",
             &options);
    net_begin(&n, 1, 1, 0);
    net_set(&n, "x", x);
    net_forward(&n);
    net_check(&n, "l.outputs.default", y, 2, 0);
    net_finish(&n);
}

/* y = x + 2 e + 3 v0 + 4 v1. */
static void optional_and_variadic_inputs_arrive(void **state)
{
    static const double x[] = {1};
    static const double absent[] = {1 + 3 + 4};
    static const double all[] = {1 + 2 + 3 + 4};
    static const double one[] = {1 + 2 + 3};
    static const char *const keep[] = {"*", NULL};
    const net_options options = {.B = 1, .keep = keep};
    net n;

    (void)state;
    net_make(&n, "{x: [1]}",
             "[{optional: {name: a, from: [x, none, x, x]}},"
             " {optional: {name: b, from: [x, x, x, x]}},"
             " {optional: {name: c, from: {default: x, extra: x, more: x}}}]",
             &options);
    net_begin(&n, 1, 1, 0);
    net_set(&n, "x", x);
    net_forward(&n);
    net_check(&n, "a.outputs.default", absent, 1, 0);
    net_check(&n, "b.outputs.default", all, 1, 0);
    net_check(&n, "c.outputs.default", one, 1, 0);
    net_finish(&n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_not_kept_cannot_be_read),
        cmocka_unit_test(a_message_is_that_of_the_last_call),
        cmocka_unit_test(what_is_kept_can_be_read),
        cmocka_unit_test(unknown_paths_come_with_a_suggestion),
        cmocka_unit_test(slices_are_copied_row_by_row),
        cmocka_unit_test(all_paths_are_listed_and_found),
        cmocka_unit_test(blocks_are_vectors),
        cmocka_unit_test(lists_maps_and_records_arrive),
        cmocka_unit_test(optional_and_variadic_inputs_arrive),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
