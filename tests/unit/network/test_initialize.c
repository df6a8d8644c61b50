/* SPDX-License-Identifier: MIT */
/* test_initialize.c - which rule fills which parameter, and with what. */
#include "tests/unit/network/support.h"

#include <math.h>
#include <string.h>

#define LAYERS                                                                 \
    "[{fully_connected: {size: 3, name: a}},"                                  \
    " {fully_connected: {size: 3, name: b, initialize: {W: 4, bias: 5}}}]"

static void all_are(net *n, const char *path, double value)
{
    int64_t count;
    double *values = net_get(n, path, &count);
    int64_t i;

    for (i = 0; i < count; ++i)
        if (!(values[i] == value))
            fail_msg("%s is %g instead of %g", path, values[i], value);
    free(values);
}

static void make(net *n, const char *layers, const char *rules, uint64_t seed)
{
    const net_options options = {.rules = rules, .seed = seed};

    net_make(n, "{x: [3]}", layers, &options);
}

/* ---- which rule -------------------------------------------------------- */

static void the_last_rule_that_matches_wins(void **state)
{
    net n;

    (void)state;
    make(&n, LAYERS, "{'*': 1, '*.W': 2, a.W: 3}", 1);
    all_are(&n, "a.W", 3);
    all_are(&n, "b.W", 2);
    all_are(&n, "a.bias", 1);
    all_are(&n, "b.bias", 1);
    net_finish(&n);
    make(&n, LAYERS, "{a.W: 3, '*.W': {constant: 7}}", 1);
    all_are(&n, "a.W", 7);
    net_finish(&n);
}

static void rules_come_before_the_layers_own_and_its_defaults(void **state)
{
    net n;

    (void)state;
    make(&n, LAYERS, "{b.W: 1/4}", 1);
    all_are(&n, "b.W", 0.25);
    all_are(&n, "b.bias", 5);
    all_are(&n, "a.bias", 0);
    net_finish(&n);
    make(&n,
         "[{fully_connected: {size: 3, name: a, initialize: {'*': 1, W: 2}}}]",
         NULL, 1);
    all_are(&n, "a.W", 2);
    all_are(&n, "a.bias", 1);
    net_finish(&n);
}

static void members_of_groups_and_children_have_names(void **state)
{
    net n;

    (void)state;
    make(&n,
         "[{grouped: {size: 2, name: g, initialize: {W_c: 3}}},"
         " {chain: {name: c, layers: [{fully_connected: {size: 2, name: f,"
         " initialize: {bias: 6}}}]}}]",
         "{g.W_b: 2, c.layers.f.W: 4}", 1);
    all_are(&n, "g.W_b", 2);
    all_are(&n, "g.W_c", 3);
    all_are(&n, "c.layers.f.W", 4);
    all_are(&n, "c.layers.f.bias", 6);
    net_finish(&n);
}

/* ---- mistakes ---------------------------------------------------------- */

static void refused(const char *layers, const char *rules, const char *id,
                    const char *text)
{
    const net_options options = {.rules = rules};

    net_expect("{x: [3]}", layers, &options, id, text, (char *)NULL);
}

static void rules_that_match_nothing_are_errors(void **state)
{
    (void)state;
    refused(LAYERS, "{'*.w': 1}", "initialize.unused", "'*.w'");
    refused(LAYERS, "{'*.W': 1, c.W: 2}", "initialize.unused", "'c.W'");
    refused("[{fully_connected: {size: 3, name: a, initialize: {w: 1}}}]", NULL,
            "initialize.unused", "layer 'a'");
    refused("[{fully_connected: {size: 3, name: a, initialize: {a.W: 1}}}]",
            NULL, "initialize.unused", "'a.W'");
    refused("[{fully_connected: {size: 3, name: a, initialize: 1}}]", NULL,
            "initialize.map", "layer 'a'");
    /* Parameters of another layer are not one's own. */
    refused("[{fully_connected: {size: 3, name: a}}, {fully_connected: {size: "
            "3, name: b, share: a, initialize: {W: 1}}}]",
            NULL, "initialize.unused", "layer 'b'");
    refused("[{chain: {layers: [{fully_connected: {size: 3, initialize: {V: 1}}"
            "}]}}]",
            NULL, "initialize.unused", "'V'");
}

static void wrong_initializers_are_errors(void **state)
{
    (void)state;
    refused(LAYERS, "{a.W: hee}", "config.unknown-component", "'hee'");
    refused(LAYERS, "{a.W: {gaussian: {sdt: 1}}}", "config.unknown-key",
            "'sdt'");
}

/* ---- what values ------------------------------------------------------- */

static void values_follow_from_seed_and_name(void **state)
{
    double *first;
    double *other;
    int64_t count;
    net n;

    (void)state;
    make(&n, LAYERS, "{'*': {gaussian: 1}}", 3);
    first = net_get(&n, "a.W", &count);
    other = net_get(&n, "b.W", NULL);
    assert_memory_not_equal(first, other, (size_t)count * 8);
    free(other);
    net_finish(&n);
    /* Other layers, before and behind, change nothing. */
    make(&n,
         "[{fully_connected: 3}, " /* another one first */
         "{fully_connected: {size: 3, name: a, from: x}}, dropout]",
         "{'*': {gaussian: 1}}", 3);
    net_check(&n, "a.W", first, count, 0);
    net_finish(&n);
    make(&n, LAYERS, "{'*': {gaussian: 1}}", 4);
    other = net_get(&n, "a.W", NULL);
    assert_memory_not_equal(first, other, (size_t)count * 8);
    free(other);
    free(first);
    net_finish(&n);
}

static void values_are_rounded_once(void **state)
{
    const net_options single = {.rules = "{'*': {gaussian: 1}}",
                                .real = NN_FLOAT32};
    double *values;
    int64_t count;
    int64_t i;
    net n;

    (void)state;
    make(&n, LAYERS, "{'*': {gaussian: 1}}", 1);
    values = net_get(&n, "a.W", &count);
    net_finish(&n);
    for (i = 0; i < count; ++i)
        values[i] = (double)(float)values[i];
    net_make(&n, "{x: [3]}", LAYERS, &single);
    net_check(&n, "a.W", values, count, 0);
    free(values);
    net_finish(&n);
}

static void initializing_again_resets_state_and_parameters(void **state)
{
    static const double one[] = {1};
    static const double nine[9] = {9, 9, 9, 9, 9, 9, 9, 9, 9};
    net n;

    (void)state;
    make(&n, "[{fully_connected: {size: 3, name: a}}, {counter: {name: c}}]",
         "{a.W: 2}", 1);
    net_pass(&n, 1, 2, NN_PASS_TRAIN, 1);
    net_check(&n, "c.state.count", one, 1, 0);
    net_put(&n, "a.W", nine);
    assert_int_equal(nn_network_initialize(n.network, n.rules, NULL), 0);
    all_are(&n, "a.W", 2);
    all_are(&n, "c.state.count", 0);
    net_finish(&n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_last_rule_that_matches_wins),
        cmocka_unit_test(rules_come_before_the_layers_own_and_its_defaults),
        cmocka_unit_test(members_of_groups_and_children_have_names),
        cmocka_unit_test(rules_that_match_nothing_are_errors),
        cmocka_unit_test(wrong_initializers_are_errors),
        cmocka_unit_test(values_follow_from_seed_and_name),
        cmocka_unit_test(values_are_rounded_once),
        cmocka_unit_test(initializing_again_resets_state_and_parameters),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
