/* SPDX-License-Identifier: MIT */
/* test_gradients.c - gradients of whole networks by central differences. */
#include "tests/unit/network/support.h"

#include <math.h>

static const char *const keep_all[] = {"*", NULL};
static const char *const keep_deltas[] = {"*.output_deltas.*", NULL};

static void check(const char *inputs, const char *layers, uint32_t flags)
{
    const net_options options = {.T = 2, .B = 3, .keep = keep_deltas};
    net n;

    net_make(&n, inputs, layers, &options);
    n.update = 5;
    net_check_gradients(&n, 2, 3, flags);
    net_check_gradients(&n, 1, 2, flags);
    net_finish(&n);
}

#define LOSS ", {squared_error: {from: {default: out, targets: t}}}]"

static void branches_add_their_deltas(void **state)
{
    (void)state;
    check("{x: [3], t: [2]}",
          "[{fully_connected: {size: 4, activation: tanh, name: a}},"
          " {fully_connected: {size: 2, activation: sigmoid, name: b, from: a}}"
          ", {fully_connected: {size: 2, name: c, from: a}},"
          " {concat: {name: d, from: [b, c, a]}},"
          " {fully_connected: {size: 2, name: out}}" LOSS,
          0);
}

static void shared_layers_add_their_gradients(void **state)
{
    (void)state;
    check("{x: [3], t: [2]}",
          "[{fully_connected: {size: 3, activation: tanh, name: a}},"
          " {fully_connected: {size: 3, activation: tanh, name: b, share: a}},"
          " {fully_connected: {size: 3, name: c, share: b}},"
          " {fully_connected: {size: 2, name: out}}" LOSS,
          0);
}

static void concatenated_slices_have_gradients(void **state)
{
    (void)state;
    check("{x: [3], image: [2, 1, 2], t: [2]}",
          "[{fully_connected: {size: 4, activation: tanh, name: a}},"
          " {concat: {name: b, from: ['a[1:3]', 'x[0:2]', 'a[2:4]', a]}},"
          " {dropout: {probability: 0, name: i, from: image}},"
          " {fully_connected: {size: 2, name: c, from: 'i[1:2]'}},"
          " {fully_connected: {size: 2, name: e, from: 'i[0:1]'}},"
          " {concat: {name: d, from: [c, b, e]}},"
          " {fully_connected: {size: 2, name: out}}" LOSS,
          0);
}

static void one_output_may_be_read_at_two_ports(void **state)
{
    (void)state;
    check("{x: [3], t: [2]}",
          "[{fully_connected: {size: 2, activation: tanh, name: a}},"
          " {optional: {name: b, from: [a, a, a, a]}},"
          " {optional: {name: out, from: ['b[0:2]', a, b]}}" LOSS,
          0);
    check("{x: [3], t: [4]}",
          "[{fully_connected: {size: 2, activation: tanh, name: a}},"
          " {concat: {name: out, from: [a, a]}}" LOSS,
          0);
}

static void masks_hide_and_have_no_delta(void **state)
{
    (void)state;
    check("{x: [3], m: [1], t: [2]}",
          "[{fully_connected: {size: 2, activation: tanh, name: a}},"
          " {mask: {name: b, from: {default: a, mask: m}}},"
          " {mask: {name: c, from: {default: b, mask: m}}},"
          " {fully_connected: {size: 2, name: out}},"
          " {squared_error: {from: {default: out, targets: t, mask: m}}}]",
          0);
}

static void dropout_draws_the_same_mask_backward(void **state)
{
    (void)state;
    check("{x: [3], t: [2]}",
          "[{fully_connected: {size: 5, activation: tanh, name: a}}, dropout,"
          " {chain: {name: b, layers: [dropout, {fully_connected: 4}]}},"
          " {pair: {name: c, inner: dropout}},"
          " {fully_connected: {size: 2, name: out}}" LOSS,
          NN_PASS_TRAIN);
}

static void losses_have_importances_and_add_up(void **state)
{
    net n;
    const net_options options = {.T = 2, .B = 3, .keep = keep_all};
    static const char layers[] =
        "[{fully_connected: {size: 2, activation: tanh, name: out}},"
        " {squared_error: {importance: 3, from: {default: out, targets: t}}},"
        " {loss: {importance: 0.25, from: out}},"
        " {softmax_ce: {importance: 2, from: {default: out, targets: l}}}]";
    double values[3];
    double weights[3];
    double loss;

    (void)state;
    check("{x: [3], t: [2], l: {shape: [1], dtype: int32}}", layers, 0);
    net_make(&n, "{x: [3], t: [2], l: {shape: [1], dtype: int32}}", layers,
             &options);
    net_pass(&n, 2, 3, 0, 1);
    assert_int_equal(nn_network_losses(n.network), 3);
    assert_int_equal(nn_network_loss(n.network, &loss, values, weights), 0);
    assert_true(fabs(loss - values[0] - values[1] - values[2]) < 1e-15);
    assert_true(weights[0] == 6 && weights[1] == 6 && weights[2] == 6);
    assert_int_equal(nn_network_loss(n.network, NULL, NULL, NULL), 0);
    net_finish(&n);
}

/* A loss that a layer reads is that layer's affair. */
static void losses_that_are_read_are_none_of_the_network(void **state)
{
    static const char layers[] =
        "[{fully_connected: {size: 2, activation: tanh, name: out}},"
        " {squared_error: {name: e, from: {default: out, targets: t}}},"
        " {lists: {name: twice, factors: [2], from: e.loss}}, loss]";
    const net_options options = {.T = 2, .B = 3};
    net n;

    (void)state;
    check("{x: [3], t: [2]}", layers, 0);
    net_make(&n, "{x: [3], t: [2]}", layers, &options);
    assert_int_equal(nn_network_losses(n.network), 1);
    net_finish(&n);
}

static void references_have_gradients(void **state)
{
    (void)state;
    check("{x: [3], t: [3]}",
          "[{fully_connected: {size: 2, activation: tanh, name: a}},"
          " {tied: {of: a, name: out}}" LOSS,
          0);
    check("{x: [3], t: [3]}",
          "[{fully_connected: {size: 2, activation: tanh, name: a}},"
          " {fully_connected: {size: 2, share: a, from: x, name: b}},"
          " {tied: {of: b, name: out}}" LOSS,
          0);
}

static void groups_have_gradients(void **state)
{
    (void)state;
    check("{x: [3], t: [2]}",
          "[{fully_connected: {size: 3, activation: tanh}},"
          " {grouped: {size: 2, name: out}}" LOSS,
          0);
    check("{x: [3], t: [3]}",
          "[{grouped: {size: 3, name: a}}, {grouped: {size: 3, share: a,"
          " name: out}}" LOSS,
          0);
}

static void random_networks_have_right_gradients(void **state)
{
    uint64_t seed;

    (void)state;
    for (seed = 1; seed <= 40; ++seed) {
        char *text = net_random_layers(seed);

        check(NET_RANDOM_INPUTS, text, NN_PASS_TRAIN);
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(branches_add_their_deltas),
        cmocka_unit_test(shared_layers_add_their_gradients),
        cmocka_unit_test(concatenated_slices_have_gradients),
        cmocka_unit_test(one_output_may_be_read_at_two_ports),
        cmocka_unit_test(masks_hide_and_have_no_delta),
        cmocka_unit_test(dropout_draws_the_same_mask_backward),
        cmocka_unit_test(losses_have_importances_and_add_up),
        cmocka_unit_test(losses_that_are_read_are_none_of_the_network),
        cmocka_unit_test(references_have_gradients),
        cmocka_unit_test(groups_have_gradients),
        cmocka_unit_test(random_networks_have_right_gradients),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
