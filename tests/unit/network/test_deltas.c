/* SPDX-License-Identifier: MIT */
/* test_deltas.c - deltas of inputs, and deltas that the caller gives. */
#include "tests/unit/network/support.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/unit/network/own.h"

#define TRAIN_BOTH (NN_PASS_TRAIN | NN_PASS_BACKWARD)

static const net_options asked = {.T = 2, .B = 3, .deltas = 1};
static const char *const keep_all[] = {"*", NULL};

#define LOSS "{squared_error: {from: {default: out, targets: t}}}"
#define NETWORK                                                                \
    "[{fully_connected: {size: 5, activation: tanh, name: hidden, from: x}},"  \
    " {fully_connected: {size: 2, name: out}}, " LOSS "]"

/* ---- which deltas there are -------------------------------------------- */

static int exists(const net *n, const char *path)
{
    return nn_layout_find(n->network->layout, path) >= 0;
}

static void inputs_have_deltas_if_asked_for(void **state)
{
    static const net_options plain = {.T = 2, .B = 3};
    net n;

    (void)state;
    net_make(&n, "{x: [4], t: [2], spare: [3]}", NETWORK, &plain);
    assert_false(exists(&n, "inputs.output_deltas.x"));
    net_finish(&n);
    net_make(&n, "{x: [4], t: [2], spare: [3]}", NETWORK, &asked);
    assert_true(exists(&n, "inputs.output_deltas.x"));
    assert_false(exists(&n, "inputs.output_deltas.t"));
    assert_false(exists(&n, "inputs.output_deltas.spare"));
    net_finish(&n);
}

/* Of integers there is no derivative. */
static void integer_inputs_have_none(void **state)
{
    net n;

    (void)state;
    net_make(&n, "{x: [4], t: {shape: [1], dtype: int32}}",
             "[{softmax_ce: {name: loss, from: {default: x, targets: t}}}]",
             &asked);
    assert_true(exists(&n, "inputs.output_deltas.x"));
    assert_false(exists(&n, "inputs.output_deltas.t"));
    assert_true(exists(&n, "loss.output_deltas.loss"));
    net_finish(&n);
}

/* The inputs' deltas are those that finite differences give. */
static void input_deltas_are_right(void **state)
{
    net n;

    (void)state;
    net_make(&n, "{x: [4], t: [2]}", NETWORK, &asked);
    net_check_gradients(&n, 2, 3, TRAIN_BOTH);
    net_finish(&n);
}

static void random_networks_have_the_gradients_that_they_had(void **state)
{
    uint64_t seed;

    (void)state;
    for (seed = 501; seed <= 540; ++seed) {
        const net_options plain = {.T = 2, .B = 3};
        char *text = net_random_layers(seed);
        void *x;
        void *y;
        net a;
        net b;

        net_make(&a, NET_RANDOM_INPUTS, text, &plain);
        net_make(&b, NET_RANDOM_INPUTS, text, &asked);
        net_pass(&a, 2, 3, TRAIN_BOTH, 3);
        net_pass(&b, 2, 3, TRAIN_BOTH, 3);
        assert_true(net_loss(&a) == net_loss(&b));
        x = net_block(&a, NN_BLOCK_GRADIENTS);
        y = net_block(&b, NN_BLOCK_GRADIENTS);
        assert_memory_equal(
            x, y, (size_t)a.network->layout->bytes[NN_BLOCK_GRADIENTS]);
        free(x);
        free(y);
        net_finish(&a);
        net_finish(&b);
        free(text);
    }
}

/* ---- deltas that are given --------------------------------------------- */

static double *drawn(int64_t count, uint64_t seed)
{
    double *values = malloc((size_t)count * sizeof *values);
    int64_t i;

    for (i = 0; i < count; ++i)
        values[i] = net_random(seed, (uint64_t)i);
    return values;
}

/* Draws the delta at PATH. */
static void give(net *n, const char *path, uint64_t seed)
{
    int64_t count;
    double *values;

    free(net_get(n, path, &count));
    values = drawn(count, seed);
    net_put(n, path, values);
    free(values);
}

/* Backward is linear in what is given: half the derivative of the loss gives
 * half the gradients. */
static void half_the_loss_has_half_the_gradients(void **state)
{
    double *delta;
    double *whole;
    double *w;
    int64_t count;
    int64_t all;
    int64_t i;
    net n;

    (void)state;
    net_make(&n, "{x: [4], t: [2]}",
             "[{fully_connected: {size: 5, activation: tanh, name: hidden,"
             " from: x}}, {fully_connected: {size: 2, name: out}},"
             " {squared_error: {name: loss, from: {default: out,"
             " targets: t}}}]",
             &asked);
    net_pass(&n, 2, 3, TRAIN_BOTH, 7);
    whole = net_get(&n, "inputs.output_deltas.x", &count);
    w = net_get(&n, "hidden.gradients.W", &all);
    delta = net_get(&n, "loss.output_deltas.loss", &i);
    while (i--)
        delta[i] /= 2;
    net_begin(&n, 2, 3, TRAIN_BOTH);
    net_draw(&n, 7);
    net_forward(&n);
    net_put(&n, "loss.output_deltas.loss", delta);
    net_backward(&n, NN_GIVEN_DELTAS);
    for (i = 0; i < count; ++i)
        whole[i] /= 2;
    for (i = 0; i < all; ++i)
        w[i] /= 2;
    net_check(&n, "inputs.output_deltas.x", whole, count, 0);
    net_check(&n, "hidden.gradients.W", w, all, 0);
    free(delta);
    free(whole);
    free(w);
    net_finish(&n);
}

/* Several ends of one network take deltas, and nothing overwrites them before
 * they are read: y = x W^T for each, so dx is the sum of all dy W. */
static void all_given_deltas_are_read(void **state)
{
    static const char *const names[] = {"a", "b", "c"};
    double expected[3 * 4] = {0};
    char path[64];
    int k;
    int r;
    int u;
    int i;
    net n;

    (void)state;
    net_make(&n, "{x: [4]}",
             "[{fully_connected: {size: 6, name: a, from: x}},"
             " {fully_connected: {size: 6, name: b, from: x}},"
             " {fully_connected: {size: 6, name: c, from: x}}]",
             &asked);
    net_begin(&n, 1, 3, TRAIN_BOTH);
    net_draw(&n, 4);
    net_forward(&n);
    for (k = 0; k < 3; ++k) {
        double *w;
        double *dy;

        snprintf(path, sizeof path, "%s.output_deltas.default", names[k]);
        give(&n, path, 40 + (uint64_t)k);
        dy = net_get(&n, path, NULL);
        snprintf(path, sizeof path, "%s.W", names[k]);
        w = net_get(&n, path, NULL);
        for (r = 0; r < 3; ++r)
            for (u = 0; u < 6; ++u)
                for (i = 0; i < 4; ++i)
                    expected[r * 4 + i] += dy[r * 6 + u] * w[u * 4 + i];
        free(w);
        free(dy);
    }
    net_backward(&n, NN_GIVEN_DELTAS);
    net_check(&n, "inputs.output_deltas.x", expected, 12, 1e-12);
    net_finish(&n);
}

/* Without NN_GIVEN_DELTAS what was given before counts as nothing. */
static void deltas_are_zero_unless_given(void **state)
{
    const double zeros[2 * 3 * 4] = {0};
    net n;

    (void)state;
    net_make(&n, "{x: [4]}", "[{fully_connected: {size: 3, name: a}}]", &asked);
    net_begin(&n, 2, 3, TRAIN_BOTH);
    net_draw(&n, 4);
    net_forward(&n);
    give(&n, "a.output_deltas.default", 3);
    net_backward(&n, 0);
    net_check(&n, "inputs.output_deltas.x", zeros, 24, 0);
    net_check(&n, "a.gradients.W", zeros, 12, 0);
    net_finish(&n);
}

static void giving_deltas_needs_a_network_with_them(void **state)
{
    static const net_options plain = {.T = 2, .B = 3};
    net n;

    (void)state;
    net_make(&n, "{x: [4], t: [2]}", NETWORK, &plain);
    net_begin(&n, 2, 3, TRAIN_BOTH);
    net_draw(&n, 4);
    net_forward(&n);
    assert_int_equal(nn_network_backward(n.network, NN_GIVEN_DELTAS), NN_STATE);
    assert_string_equal(nn_error_id(), "network.no-deltas");
    assert_non_null(strstr(nn_error_text(), "nn_model_options.deltas"));
    assert_int_equal(nn_network_backward(n.network, 0), 0);
    net_finish(&n);
}

/* ---- a concatenation behind the inputs --------------------------------- */

static void a_kept_concatenation_shows_inputs_outputs_and_deltas(void **state)
{
    static const net_options kept = {.T = 1,
                                     .B = 2,
                                     .deltas = 1,
                                     .keep = keep_all};
    static const double a[] = {1, 2, 3, 4};
    static const double b[] = {5, 6};
    static const double y[] = {1, 2, 5, 3, 4, 6};
    static const double dy[] = {10, 20, 30, 40, 50, 60};
    static const double da[] = {10, 20, 40, 50};
    static const double db[] = {30, 60};
    net n;

    (void)state;
    net_make(&n, "{a: [2], b: [1]}", "[{concat: {name: c, from: [a, b]}}]",
             &kept);
    net_begin(&n, 1, 2, TRAIN_BOTH);
    net_set(&n, "a", a);
    net_set(&n, "b", b);
    net_forward(&n);
    net_put(&n, "c.output_deltas.default", dy);
    net_backward(&n, NN_GIVEN_DELTAS);
    net_check(&n, "inputs.outputs.a", a, 4, 0);
    net_check(&n, "inputs.outputs.b", b, 2, 0);
    net_check(&n, "c.outputs.default", y, 6, 0);
    net_check(&n, "c.output_deltas.default", dy, 6, 0);
    net_check(&n, "inputs.output_deltas.a", da, 4, 0);
    net_check(&n, "inputs.output_deltas.b", db, 2, 0);
    net_finish(&n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inputs_have_deltas_if_asked_for),
        cmocka_unit_test(integer_inputs_have_none),
        cmocka_unit_test(input_deltas_are_right),
        cmocka_unit_test(random_networks_have_the_gradients_that_they_had),
        cmocka_unit_test(half_the_loss_has_half_the_gradients),
        cmocka_unit_test(all_given_deltas_are_read),
        cmocka_unit_test(deltas_are_zero_unless_given),
        cmocka_unit_test(giving_deltas_needs_a_network_with_them),
        cmocka_unit_test(a_kept_concatenation_shows_inputs_outputs_and_deltas),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
