/* SPDX-License-Identifier: MIT */
/* test_read.c - YAML to trees: what is read, with which places, and what is
 * refused, with which message. */
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/config/yaml.h"

static nn_node *at(const nn_node *list, int64_t i)
{
    assert_true(i < list->count);
    return list->entries[i].node;
}

static void maps_keep_order_and_places(void **state)
{
    nn_node *node = yaml("net:\n  size: 10\n  from: [a, 'b c']\nz: {y: x}\n");
    const nn_entry *net = nn_node_entry(node, "net");
    const nn_node *from = nn_node_find(net->node, "from");

    (void)state;
    assert_int_equal(node->kind, NN_NODE_MAP);
    assert_int_equal(node->count, 2);
    assert_string_equal(node->entries[1].key, "z");
    assert_int_equal(net->key_place.line, 1);
    assert_int_equal(net->node->place.line, 2);
    assert_int_equal(net->node->place.column, 3);
    assert_int_equal(from->kind, NN_NODE_LIST);
    assert_int_equal(from->place.column, 9);
    assert_int_equal(from->end_line, 3);
    assert_int_equal(from->end_column, 19);
    assert_string_equal(at(from, 1)->text, "b c");
    assert_int_equal(at(from, 1)->quoted, 1);
    assert_int_equal(at(from, 0)->quoted, 0);
    assert_string_equal(nn_source_name(from->place.source), "x.yaml");
    assert_null(nn_node_find(node, "nett"));
    assert_null(nn_node_find(from, "net"));
    assert_null(nn_node_find(NULL, "net"));
    nn_node_destroy(node);
}

static void json_is_read_as_well(void **state)
{
    nn_node *node = yaml("{\"a\": [1, 2.5e-3, null, true],\n \"b\": {}}");

    (void)state;
    assert_string_equal(at(nn_node_find(node, "a"), 1)->text, "2.5e-3");
    assert_int_equal(nn_node_find(node, "b")->kind, NN_NODE_MAP);
    nn_node_destroy(node);
}

static void marks_and_line_ends_of_other_systems_do_not_matter(void **state)
{
    nn_node *a = yaml("a: 1\nb:\n  - 2\n");
    nn_node *b = yaml("\xef\xbb\xbf"
                      "a: 1\r\nb:\r\n  - 2");

    (void)state;
    assert_true(nn_node_equal(a, b));
    assert_int_equal(b->entries[0].key_place.column, 1);
    nn_node_destroy(a);
    nn_node_destroy(b);
}

static void an_empty_value_is_not_an_empty_text(void **state)
{
    nn_node *node = yaml("a:\nb: ''\n");
    char say[64];

    (void)state;
    assert_int_equal(nn_node_find(node, "a")->quoted, 0);
    assert_int_equal(nn_node_find(node, "b")->quoted, 1);
    assert_false(nn_node_equal(at(node, 0), at(node, 1)));
    assert_string_equal(nn_node_say(at(node, 0), say), "an empty value");
    assert_string_equal(nn_node_say(at(node, 1), say), "''");
    assert_string_equal(nn_node_say(node, say), "a map");
    nn_node_destroy(node);
}

/* Reads TEXT, which must fail, and compares all that is told. */
static void refused(const char *text, int32_t code, const char *expected)
{
    nn_diagnostics diagnostics = {0};
    nn_node *node = (nn_node *)1;

    assert_int_equal(nn_node_read(text, strlen(text), "x.yaml", &diagnostics,
                                  &node),
                     code);
    assert_null(node);
    equals(told(&diagnostics), expected);
}

static void broken_syntax_shows_where(void **state)
{
    (void)state;
    refused("a: b: c\n", NN_FORMAT,
            "x.yaml:1:5: error: mapping values are not allowed in this "
            "context\na: b: c\n    ^\n");
    refused("a: [1,\n  2", NN_FORMAT,
            "x.yaml:2:4: error: did not find expected ',' or ']' while parsing "
            "a flow sequence that starts in line 1\n  2\n   ^\n");
    refused("a:\n\t- b\n", NN_FORMAT,
            "x.yaml:2:1: error: found character that cannot start any token "
            "while scanning for the next token; YAML allows no tabs for "
            "indentation\n\t- b\n^\n");
    refused("keep: *.outputs\n", NN_FORMAT,
            "x.yaml:1:8: error: did not find expected alphabetic or numeric "
            "character while scanning an alias; quote a text that begins with "
            "'*'\nkeep: *.outputs\n       ^\n");
}

static void bytes_that_are_no_text_show_where(void **state)
{
    (void)state;
    refused("a: 1\nb: \xff\n", NN_FORMAT,
            "x.yaml:2:4: error: invalid leading UTF-8 octet\nb: ?\n   ^\n");
    refused("a: \x1b[1m\n", NN_FORMAT,
            "x.yaml:1:4: error: control characters are not allowed\n"
            "a: ?[1m\n   ^\n");
    refused("a: \"\\0\"\n", NN_INVALID_ARGUMENT,
            "x.yaml:1:4: error: this text contains a NUL character\n"
            "a: \"\\0\"\n   ^\n");
}

static void a_nul_byte_does_not_end_the_text_in_silence(void **state)
{
    nn_diagnostics diagnostics = {0};
    nn_node *node = NULL;

    (void)state;
    assert_int_equal(nn_node_read("a: 1\0b: 2", 9, "x.yaml", &diagnostics,
                                  &node),
                     NN_FORMAT);
    equals(told(&diagnostics),
           "x.yaml:1:5: error: control characters are not allowed\n"
           "a: 1?b: 2\n    ^\n");
}

static void repeated_keys_name_both_lines(void **state)
{
    (void)state;
    refused("rate: 1\nx: {b: 1, c: 2, b: 3}\nsize: 2\nrate: 2\n",
            NN_INVALID_ARGUMENT,
            "x.yaml:2:17: error: key 'b' in line 2 was already given in line "
            "2\nx: {b: 1, c: 2, b: 3}\n                ^\n"
            "x.yaml:4:1: error: key 'rate' in line 4 was already given in line "
            "1\nrate: 2\n^\n");
}

static void anchors_aliases_and_tags_are_refused(void **state)
{
    (void)state;
    refused("a: &x [*x]\nb: !!int 3\n", NN_INVALID_ARGUMENT,
            "x.yaml:1:4: error: anchors such as '&x' are not allowed\n"
            "a: &x [*x]\n   ^\n"
            "x.yaml:1:8: error: aliases such as '*x' are not allowed; quote a "
            "text that begins with '*'\na: &x [*x]\n       ^\n"
            "x.yaml:2:4: error: tags such as 'tag:yaml.org,2002:int' are not "
            "allowed\nb: !!int 3\n   ^\n");
    refused("&a {&b x: 1}\n", NN_INVALID_ARGUMENT,
            "x.yaml:1:1: error: anchors such as '&a' are not allowed\n"
            "&a {&b x: 1}\n^\n"
            "x.yaml:1:5: error: anchors such as '&b' are not allowed\n"
            "&a {&b x: 1}\n    ^\n");
}

static void keys_are_words(void **state)
{
    char text[NN_NODE_KEY + 8];

    (void)state;
    refused("{[a]: 1}", NN_INVALID_ARGUMENT,
            "x.yaml:1:2: error: a key must be a word, not a list or a map\n"
            "{[a]: 1}\n ^\n");
    refused("'': 1", NN_INVALID_ARGUMENT,
            "x.yaml:1:1: error: an empty key; one has 1 to 200 bytes\n"
            "'': 1\n^\n");
    memset(text, 'k', NN_NODE_KEY);
    strcpy(text + NN_NODE_KEY, ": 1");
    nn_node_destroy(yaml(text));
    memset(text, 'k', NN_NODE_KEY + 1);
    strcpy(text + NN_NODE_KEY + 1, ": 1");
    assert_int_equal(nn_node_read(text, strlen(text), "x", NULL,
                                  &(nn_node *){0}),
                     NN_INVALID_ARGUMENT);
    nn_error_clear();
}

static void there_is_exactly_one_document(void **state)
{
    (void)state;
    refused("", NN_FORMAT, "x.yaml: error: there is nothing in it\n");
    refused("# a comment\n", NN_FORMAT,
            "x.yaml: error: there is nothing in it\n");
    refused("--- {a: 1}\n--- {b: 1}\n", NN_INVALID_ARGUMENT,
            "x.yaml:2:1: error: a second document begins here; only one is "
            "allowed\n--- {b: 1}\n^\n");
}

static void brackets_without_end_are_no_stack_overflow(void **state)
{
    size_t length = 10000000;
    char *text = malloc(length);
    nn_node *node = NULL;

    (void)state;
    memset(text, '[', length);
    assert_int_equal(nn_node_read(text, length, "x.yaml", NULL, &node),
                     NN_INVALID_ARGUMENT);
    assert_string_equal(nn_error_id(), "config.too-deep");
    nn_error_clear();
    memset(text, '{', length);
    assert_int_equal(nn_node_read(text, length, "x.yaml", NULL, &node),
                     NN_INVALID_ARGUMENT);
    nn_error_clear();
    memset(text, '[', NN_NODE_DEPTH);
    memset(text + NN_NODE_DEPTH, ']', NN_NODE_DEPTH);
    assert_int_equal(nn_node_read(text, 2 * NN_NODE_DEPTH, "x.yaml", NULL,
                                  &node),
                     NN_OK);
    assert_int_equal(nn_node_depth(node), NN_NODE_DEPTH);
    nn_node_destroy(node);
    free(text);
}

static void the_number_of_values_is_bounded(void **state)
{
    size_t length = 2 * (size_t)NN_NODE_LIMIT + 3;
    char *text = malloc(length);
    nn_node *node = NULL;
    size_t i;

    (void)state;
    text[0] = '[';
    for (i = 1; i < length; i += 2)
        memcpy(text + i, "a,", 2);
    assert_int_equal(nn_node_read(text, length, "x.yaml", NULL, &node),
                     NN_INVALID_ARGUMENT);
    assert_string_equal(nn_error_id(), "config.too-large");
    nn_error_clear();
    free(text);
}

static void a_map_of_many_keys_is_read_in_time(void **state)
{
    nn_text text = {0};
    nn_node *node = NULL;
    int i;

    (void)state;
    for (i = 0; i < 200000; ++i)
        nn_text_format(&text, "key%d: 1\n", i);
    nn_text_append(&text, "key7: 1\n");
    assert_int_equal(nn_node_read(text.data, text.length, "x.yaml", NULL,
                                  &node),
                     NN_INVALID_ARGUMENT);
    assert_string_equal(nn_error_id(), "config.repeated-key");
    nn_error_clear();
    nn_text_finish(&text);
}

/* Writes TEXT to a file of the test and returns its name. */
static const char *file(const char *text)
{
    FILE *out = fopen("test_read.tmp", "wb");

    assert_non_null(out);
    assert_int_equal(fwrite(text, 1, strlen(text), out), strlen(text));
    assert_int_equal(fclose(out), 0);
    return "test_read.tmp";
}

static void a_file_is_read_and_named_in_messages(void **state)
{
    nn_diagnostics diagnostics = {0};
    nn_node *node = NULL;

    (void)state;
    assert_int_equal(nn_node_read_file(file("a: 1"), &diagnostics, &node),
                     NN_OK);
    assert_string_equal(nn_node_find(node, "a")->text, "1");
    nn_node_destroy(node);
    assert_int_equal(nn_node_read_file(file("a: ["), &diagnostics, &node),
                     NN_FORMAT);
    assert_null(node);
    assert_int_equal(strncmp(nn_error_text(), "test_read.tmp:1:5: error: ", 26),
                     0);
    free(told(&diagnostics));
    unlink("test_read.tmp");
}

static void what_is_no_file_is_refused_at_once(void **state)
{
    nn_diagnostics diagnostics = {0};
    nn_node *node = NULL;

    (void)state;
    assert_int_equal(nn_node_read_file("no/such.yaml", &diagnostics, &node),
                     NN_IO);
    equals(told(&diagnostics),
           "no/such.yaml: error: No such file or directory\n");
    assert_int_equal(nn_node_read_file("/", &diagnostics, &node), NN_IO);
    equals(told(&diagnostics), "/: error: is a directory\n");
    unlink("test_read.fifo");
    assert_int_equal(mkfifo("test_read.fifo", 0600), 0);
    assert_int_equal(nn_node_read_file("test_read.fifo", &diagnostics, &node),
                     NN_IO);
    equals(told(&diagnostics), "test_read.fifo: error: is no regular file\n");
    unlink("test_read.fifo");
}

static void a_file_that_is_too_large_is_refused(void **state)
{
    nn_diagnostics diagnostics = {0};
    nn_node *node = NULL;

    (void)state;
    assert_int_equal(truncate(file("a: 1"), (off_t)NN_NODE_BYTES + 1), 0);
    assert_int_equal(nn_node_read_file("test_read.tmp", &diagnostics, &node),
                     NN_INVALID_ARGUMENT);
    equals(told(&diagnostics), "test_read.tmp: error: is larger than 16 MiB\n");
    unlink("test_read.tmp");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(maps_keep_order_and_places),
        cmocka_unit_test(json_is_read_as_well),
        cmocka_unit_test(marks_and_line_ends_of_other_systems_do_not_matter),
        cmocka_unit_test(an_empty_value_is_not_an_empty_text),
        cmocka_unit_test(broken_syntax_shows_where),
        cmocka_unit_test(bytes_that_are_no_text_show_where),
        cmocka_unit_test(a_nul_byte_does_not_end_the_text_in_silence),
        cmocka_unit_test(repeated_keys_name_both_lines),
        cmocka_unit_test(anchors_aliases_and_tags_are_refused),
        cmocka_unit_test(keys_are_words),
        cmocka_unit_test(there_is_exactly_one_document),
        cmocka_unit_test(brackets_without_end_are_no_stack_overflow),
        cmocka_unit_test(the_number_of_values_is_bounded),
        cmocka_unit_test(a_map_of_many_keys_is_read_in_time),
        cmocka_unit_test(a_file_is_read_and_named_in_messages),
        cmocka_unit_test(what_is_no_file_is_refused_at_once),
        cmocka_unit_test(a_file_that_is_too_large_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
