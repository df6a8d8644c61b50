/* SPDX-License-Identifier: MIT */
/* test_path.c - nodes by dotted path, and `--set`. */
#include "tests/unit/config/yaml.h"

static const char config[] = "handler: cpu\n"
                             "net:\n"
                             "  layers:\n"
                             "    - {name: h1, type: linear, size: 10}\n"
                             "    - softmax: {name: out, size: 3}\n"
                             "    - dropout: {rate: 0.5}\n"
                             "    - dropout: {rate: 0.2}\n"
                             "hooks: [progress, {stop: {after: 3}}]\n"
                             "initialize: {h1.W: 1, h1: {W: 2}, h1.W.x: 3}\n";

/* The text of the scalar at PATH. */
static void found(const char *path, const char *expected)
{
    nn_node *root = yaml(config);
    nn_node *node = NULL;

    assert_int_equal(nn_node_get(root, path, NULL, NULL, &node), NN_OK);
    assert_string_equal(node->text, expected);
    nn_node_destroy(root);
}

static void a_path_goes_through_keys_indices_and_names(void **state)
{
    (void)state;
    found("handler", "cpu");
    found("net.layers.0.size", "10");
    found("net.layers.h1.size", "10");
    found("net.layers.softmax.size", "3");
    found("net.layers.out.size", "3");
    found("net.layers.3.dropout.rate", "0.2");
    found("hooks.progress", "progress");
    found("hooks.stop.after", "3");
}

static void of_keys_with_dots_the_longest_is_taken(void **state)
{
    (void)state;
    found("initialize.h1.W", "1");
    found("initialize.h1.W.x", "3");
}

static void an_empty_path_is_the_root(void **state)
{
    nn_node *root = yaml(config);
    nn_node *node = NULL;

    (void)state;
    assert_int_equal(nn_node_get(root, "", NULL, NULL, &node), NN_OK);
    assert_ptr_equal(node, root);
    nn_node_destroy(root);
}

/* Carries out ASSIGNMENT, which must fail, and compares what is told. */
static void refused(const char *assignment, int32_t code, const char *expected)
{
    nn_node *root = yaml(config);
    nn_node *before = nn_node_copy(root);
    nn_diagnostics diagnostics = {0};

    assert_int_equal(nn_node_assign(root, assignment, "--set", &diagnostics),
                     code);
    assert_true(nn_node_equal(root, before));
    nn_node_destroy(root);
    nn_node_destroy(before);
    equals(told(&diagnostics), expected);
}

static void a_part_that_does_not_exist_is_named(void **state)
{
    (void)state;
    refused("net.layer.h1.size=3", NN_NOT_FOUND,
            "--set:1:5: error: there is no 'layer' in 'net'; did you mean "
            "'layers'?\nnet.layer.h1.size=3\n    ^\n");
    refused("nett.layers=3", NN_NOT_FOUND,
            "--set:1:1: error: there is no 'nett' at the top; did you mean "
            "'net'?\nnett.layers=3\n^\n");
    refused("net.layers.oud.size=3", NN_NOT_FOUND,
            "--set:1:12: error: there is no 'oud' in 'net.layers'; did you "
            "mean 'out'?\nnet.layers.oud.size=3\n           ^\n");
    refused("net.layers.7.size=3", NN_NOT_FOUND,
            "--set:1:12: error: there is no '7' in 'net.layers'\n"
            "net.layers.7.size=3\n           ^\n");
    refused("handler.type=3", NN_NOT_FOUND,
            "--set:1:9: error: there is no 'type' in 'handler', which is "
            "'cpu'\nhandler.type=3\n        ^\n");
}

static void a_name_of_several_elements_is_refused(void **state)
{
    (void)state;
    refused("net.layers.dropout.rate=0", NN_INVALID_ARGUMENT,
            "--set:1:1: error: several elements are called 'dropout'; use an "
            "index from 0\nnet.layers.dropout.rate=0\n^\n");
}

static void what_is_no_assignment_is_refused(void **state)
{
    (void)state;
    refused("handler", NN_INVALID_ARGUMENT,
            "--set:1:1: error: expected path=value\nhandler\n^\n");
    refused("handler= ", NN_INVALID_ARGUMENT,
            "--set:1:1: error: expected path=value\nhandler= \n^\n");
    refused(
        "=cpu", NN_INVALID_ARGUMENT,
        "--set:1:1: error: '' is no path such as training.epochs\n=cpu\n^\n");
    refused("net..layers=1", NN_INVALID_ARGUMENT,
            "--set:1:1: error: 'net..layers' is no path such as "
            "training.epochs\nnet..layers=1\n^\n");
    refused("net={a: [}", NN_FORMAT,
            "--set:1:10: error: did not find expected node content while "
            "parsing a flow node\nnet={a: [}\n         ^\n");
}

static void a_path_without_end_is_refused(void **state)
{
    size_t length = 200000;
    char *text = malloc(length + 3);
    nn_node *root = yaml(config);
    size_t i;

    (void)state;
    for (i = 0; i < length; i += 2)
        memcpy(text + i, "a.", 2);
    strcpy(text + length - 1, "=1");
    assert_int_equal(nn_node_assign(root, text, "--set", NULL),
                     NN_INVALID_ARGUMENT);
    assert_string_equal(nn_error_id(), "config.too-deep");
    nn_error_clear();
    nn_node_destroy(root);
    free(text);
}

static void assignments_replace_and_add(void **state)
{
    nn_node *root = yaml("a: {b: 1}\nlist: [{name: x, v: 1}, y]\n");

    (void)state;
    assert_int_equal(nn_node_assign(root, "a.b = 2", "--set", NULL), NN_OK);
    assert_int_equal(nn_node_assign(root, "a.new=[1, 2]", "--set", NULL),
                     NN_OK);
    assert_int_equal(nn_node_assign(root, "list.x.v='q'", "--set", NULL),
                     NN_OK);
    assert_int_equal(nn_node_assign(root, "list.1={z: 1}", "--set", NULL),
                     NN_OK);
    assert_int_equal(nn_node_assign(root, "a.u=x=y", "--set", NULL), NN_OK);
    equals(written(root), "a: {b: 2, new: [1, 2], u: x=y}\n"
                          "list: [{name: x, v: \"q\"}, {z: 1}]\n");
}

static void a_value_that_was_set_knows_its_place(void **state)
{
    nn_node *root = yaml("a: {b: 1}");
    const nn_entry *entry;

    (void)state;
    assert_int_equal(nn_node_assign(root, "a.c=5", "--set", NULL), NN_OK);
    entry = nn_node_entry(nn_node_find(root, "a"), "c");
    assert_string_equal(nn_source_name(entry->node->place.source), "--set");
    assert_int_equal(entry->node->place.column, 5);
    assert_int_equal(entry->key_place.column, 1);
    nn_node_destroy(root);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_path_goes_through_keys_indices_and_names),
        cmocka_unit_test(of_keys_with_dots_the_longest_is_taken),
        cmocka_unit_test(an_empty_path_is_the_root),
        cmocka_unit_test(a_part_that_does_not_exist_is_named),
        cmocka_unit_test(a_name_of_several_elements_is_refused),
        cmocka_unit_test(what_is_no_assignment_is_refused),
        cmocka_unit_test(a_path_without_end_is_refused),
        cmocka_unit_test(assignments_replace_and_add),
        cmocka_unit_test(a_value_that_was_set_knows_its_place),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
