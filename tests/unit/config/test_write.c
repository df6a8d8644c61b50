/* SPDX-License-Identifier: MIT */
/* test_write.c - trees built, copied and written; what is written reads as an
 * equal tree. */
#include "tests/unit/config/yaml.h"

/* Writes what TEXT reads as, and checks that this reads as the same. */
static char *again(const char *text)
{
    nn_node *node = yaml(text);
    nn_text out = {0};
    nn_node *back;

    assert_int_equal(nn_node_write(node, &out), NN_OK);
    back = yaml(nn_text_string(&out));
    assert_true(nn_node_equal(node, back));
    nn_node_destroy(node);
    nn_node_destroy(back);
    return nn_text_take(&out);
}

static void short_lists_and_maps_take_one_line(void **state)
{
    (void)state;
    equals(again("a:\n- 1\n- 2\nb:\n  c: 1\n  d: [x]\n"),
           "a: [1, 2]\nb: {c: 1, d: [x]}\n");
    equals(again("[]"), "[]\n");
    equals(again("{}"), "{}\n");
    equals(again("a: {}\nb: [[], {}]"), "a: {}\nb: [[], {}]\n");
}

static void long_or_deep_ones_take_a_line_an_entry(void **state)
{
    (void)state;
    equals(again("layers: [{name: hidden, type: fully_connected, size: 500, "
                 "activation: rel, from: input},\n {name: b}]"),
           "layers:\n"
           "  - name: hidden\n"
           "    type: fully_connected\n"
           "    size: 500\n"
           "    activation: rel\n"
           "    from: input\n"
           "  - {name: b}\n");
    equals(again("a: [[[b, [c]]]]"), "a:\n  - - [b, [c]]\n");
    equals(again("- a:\n    b: {c: {d: {e: 1}}}\n  f: 1\n"),
           "- a:\n    b:\n      c: {d: {e: 1}}\n  f: 1\n");
}

static void a_line_has_at_most_80_characters(void **state)
{
    char text[120] = "key: [";
    char *out;

    (void)state;
    memset(text + 6, 'a', 73);
    strcpy(text + 79, "]");
    out = again(text);
    assert_int_equal(strlen(out), 81);
    free(out);
    strcpy(text + 79, "a]");
    out = again(text);
    assert_int_equal(strncmp(out, "key:\n  - aaa", 12), 0);
    free(out);
}

static void quotes_stay_where_they_are_needed(void **state)
{
    (void)state;
    equals(again("a: 'none'\nb: none\nc: \"\"\nd:\n"),
           "a: \"none\"\nb: none\nc: \"\"\nd:\n");
    equals(again(
               "- 'it''s \"so\"'\n- 'C:\\x'\n- \"\\t\\n\\e\\u2028\\uFEFF\"\n"),
           "- 'it''s \"so\"'\n- 'C:\\x'\n- \"\\t\\n\\x1B\\u2028\\uFEFF\"\n");
    equals(again("'a: b': 1\n'#x': 2\n'*': 3\n"),
           "\"a: b\": 1\n\"#x\": 2\n\"*\": 3\n");
}

static void plain_texts_that_flow_style_forbids_take_a_line(void **state)
{
    (void)state;
    equals(again("from: hidden[0:10]\nurl: x://y?z\n"),
           "from: hidden[0:10]\nurl: x://y?z\n");
    equals(again("a:\n  b: c[0:1]\n"), "a:\n  b: c[0:1]\n");
    equals(again("a:\n- b, c\n-\n- -\n- - d\n"),
           "a:\n  - b, c\n  -\n  - -\n  - [d]\n");
}

static void a_text_of_several_lines_becomes_one_line(void **state)
{
    (void)state;
    equals(again("a: |\n  two\n  lines\nb: >\n  folded\n  text\nc: x\n  y\n"),
           "a: \"two\\nlines\\n\"\nb: \"folded text\\n\"\nc: x y\n");
}

static void built_scalars_are_quoted_only_if_they_must_be(void **state)
{
    static const char *const plain[] = {"a",   "-1",  "1e-3",       "a b",
                                        "a:b", "a#b", "a,b",        "x[1]",
                                        "ä",   "a-",  "debug(cpu)", "~",
                                        "=",   "-a"};
    static const char *const quoted[] = {
        "",         " a",           "a ",           "a: b",
        "a:",       "a #b",         "- a",          "-",
        "---",      "...",          "? a",          "#a",
        "&a",       "*a",           "!a",           "|",
        ">",        "'a'",          "\"",           "%a",
        "@a",       "`a",           "[a]",          "{a}",
        ", a",      "a\nb",         "a\tb",         "\x7f",
        "\xc2\x85", "\xef\xbb\xbf", "\xef\xbf\xbe", "-[",
        "-,"};
    size_t i;

    (void)state;
    for (i = 0; i < sizeof plain / sizeof plain[0]; ++i) {
        nn_node *node = nn_node_scalar(plain[i]);

        assert_int_equal(node->quoted, 0);
        nn_node_destroy(node);
    }
    for (i = 0; i < sizeof quoted / sizeof quoted[0]; ++i) {
        nn_node *node = nn_node_scalar(quoted[i]);
        nn_node *back;
        nn_text out = {0};

        assert_int_equal(node->quoted, 1);
        assert_int_equal(nn_node_write(node, &out), NN_OK);
        back = yaml(nn_text_string(&out));
        assert_true(nn_node_equal(node, back));
        nn_text_finish(&out);
        nn_node_destroy(node);
        nn_node_destroy(back);
    }
}

static void trees_can_be_built(void **state)
{
    nn_node *map = nn_node_map();
    nn_node *list = nn_node_list();

    (void)state;
    assert_int_equal(nn_node_append(list, nn_node_int(-5)), NN_OK);
    assert_int_equal(nn_node_append(list, nn_node_real(0.1)), NN_OK);
    assert_int_equal(nn_node_put(map, "a", nn_node_scalar("old")), NN_OK);
    assert_int_equal(nn_node_put(map, "b", list), NN_OK);
    assert_int_equal(nn_node_put(map, "a", nn_node_quoted("new")), NN_OK);
    equals(written(map), "a: \"new\"\nb: [-5, 0.1]\n");
}

static void what_cannot_be_written_cannot_be_built(void **state)
{
    nn_node *map = nn_node_map();

    (void)state;
    assert_null(nn_node_scalar("\xff"));
    assert_int_equal(nn_error_code(), NN_INVALID_ARGUMENT);
    assert_int_equal(nn_node_put(map, "a", NULL), NN_INVALID_ARGUMENT);
    assert_int_equal(nn_node_append(map, NULL), NN_INVALID_ARGUMENT);
    nn_error_clear();
    assert_int_equal(nn_node_put(map, "", nn_node_int(1)), NN_INVALID_ARGUMENT);
    nn_error_clear();
    assert_int_equal(nn_node_put(map, "\xff", nn_node_int(1)),
                     NN_INVALID_ARGUMENT);
    nn_error_clear();
    assert_int_equal(map->count, 0);
    nn_node_destroy(map);
}

static void the_longest_key_can_be_read_again(void **state)
{
    char key[NN_NODE_KEY + 1];
    nn_node *map = nn_node_map();
    nn_node *back;
    nn_text out = {0};

    (void)state;
    memset(key, '\x1b', NN_NODE_KEY); /* every byte becomes four */
    key[NN_NODE_KEY] = '\0';
    assert_int_equal(nn_node_put(map, key, nn_node_int(1)), NN_OK);
    assert_int_equal(nn_node_write(map, &out), NN_OK);
    back = yaml(nn_text_string(&out));
    assert_true(nn_node_equal(map, back));
    nn_text_finish(&out);
    nn_node_destroy(map);
    nn_node_destroy(back);
}

static void a_copy_is_equal_and_its_own(void **state)
{
    nn_node *node = yaml("a: [1, {b: 'c'}]\nd: e\n");
    nn_node *copy = nn_node_copy(node);
    uint32_t line;

    (void)state;
    assert_true(nn_node_equal(node, copy));
    nn_node_destroy(node);
    assert_int_equal(copy->entries[1].key_place.line, 2);
    nn_source_line(copy->place.source, 2, &(size_t){0});
    line = copy->entries[0].node->place.line;
    assert_int_equal(line, 1);
    nn_node_destroy(copy);
}

static void trees_that_differ_are_not_equal(void **state)
{
    static const char *const texts[] = {"a: 1", "a: '1'",       "a: 2",
                                        "b: 1", "[a, 1]",       "a: [1]",
                                        "a",    "{a: 1, b: 1}", "{b: 1, a: 1}"};
    size_t i;
    size_t j;

    (void)state;
    for (i = 0; i < sizeof texts / sizeof texts[0]; ++i)
        for (j = 0; j < sizeof texts / sizeof texts[0]; ++j) {
            nn_node *a = yaml(texts[i]);
            nn_node *b = yaml(texts[j]);

            assert_int_equal(nn_node_equal(a, b), i == j);
            nn_node_destroy(a);
            nn_node_destroy(b);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(short_lists_and_maps_take_one_line),
        cmocka_unit_test(long_or_deep_ones_take_a_line_an_entry),
        cmocka_unit_test(a_line_has_at_most_80_characters),
        cmocka_unit_test(quotes_stay_where_they_are_needed),
        cmocka_unit_test(plain_texts_that_flow_style_forbids_take_a_line),
        cmocka_unit_test(a_text_of_several_lines_becomes_one_line),
        cmocka_unit_test(built_scalars_are_quoted_only_if_they_must_be),
        cmocka_unit_test(trees_can_be_built),
        cmocka_unit_test(what_cannot_be_written_cannot_be_built),
        cmocka_unit_test(the_longest_key_can_be_read_again),
        cmocka_unit_test(a_copy_is_equal_and_its_own),
        cmocka_unit_test(trees_that_differ_are_not_equal),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
