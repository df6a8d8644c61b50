/* SPDX-License-Identifier: MIT */
/* test_schema.c - descriptions checked against parameters, and values back to
 * descriptions. */
#include <math.h>
#include <stdio.h>

#include <nervenet.h>

#include "core/config/schema.h"
#include "tests/unit/config/catalog.h"
#include "tests/unit/config/yaml.h"

/* What a test checked; `finish` ends it. */
struct checked {
    nn_node *node;
    nn_arena *arena;
    nn_diagnostics diagnostics;
    nn_named named;
    int32_t code;
};

static struct checked check(uint32_t kind, const char *text)
{
    static const char *const others[] = {"from", NULL};
    struct checked checked = {0};

    checked.node = yaml(text);
    assert_int_equal(nn_arena_create(&checked.arena), NN_OK);
    checked.code = nn_schema_component(&test_catalog, kind, checked.node,
                                       nn_kind_name(kind), others,
                                       checked.arena, &checked.diagnostics,
                                       &checked.named);
    return checked;
}

static void finish(struct checked *checked)
{
    nn_node_destroy(checked->node);
    nn_arena_destroy(checked->arena);
    nn_diagnostics_finish(&checked->diagnostics);
    nn_error_clear();
}

/* A check that must succeed; the tree is gone, as values do not need it. */
static struct checked good(uint32_t kind, const char *text)
{
    struct checked checked = check(kind, text);
    nn_text out = {0};

    nn_diagnostics_render(&checked.diagnostics, &out);
    assert_string_equal(nn_text_string(&out), "");
    assert_int_equal(checked.code, NN_OK);
    assert_non_null(checked.named.params);
    nn_node_destroy(checked.node);
    checked.node = NULL;
    return checked;
}

/* A check that must fail, with all that is told. */
static void refused(uint32_t kind, const char *text, const char *expected)
{
    struct checked checked = check(kind, text);

    assert_int_not_equal(checked.code, NN_OK);
    assert_null(checked.named.params);
    equals(told(&checked.diagnostics), expected);
    finish(&checked);
}

static const nn_value *value(const struct checked *checked, const char *name)
{
    const nn_setting *setting = nn_schema_find(checked->named.params, name);

    assert_non_null(setting);
    return &setting->value;
}

/* ---- values -------------------------------------------------------------- */

static void every_type_is_read(void **state)
{
    struct checked c = good(NN_KIND_LAYER,
                            "all: {int: -3, real: 1/4, bool: true, string: '3',"
                            " choice: tanh, list: [1, 2], map: {b: 1.5, a: 2},"
                            " scalar: 3x, file: data.gz}");

    (void)state;
    assert_int_equal(value(&c, "int")->type, NN_PARAM_INT);
    assert_int_equal(value(&c, "int")->integer, -3);
    assert_true(value(&c, "int")->real == -3);
    assert_true(value(&c, "real")->real == 0.25);
    assert_int_equal(value(&c, "bool")->integer, 1);
    assert_string_equal(value(&c, "string")->text, "3");
    assert_int_equal(value(&c, "choice")->integer, 1);
    assert_string_equal(value(&c, "choice")->text, "tanh");
    assert_int_equal(value(&c, "list")->count, 2);
    assert_int_equal(value(&c, "list")->items[1]->integer, 2);
    assert_string_equal(value(&c, "map")->keys[0], "b");
    assert_true(value(&c, "map")->items[1]->real == 2);
    assert_string_equal(value(&c, "scalar")->text, "3x");
    assert_string_equal(value(&c, "file")->text, "configs/data.gz");
    assert_int_equal(value(&c, "file")->given, 1);
    finish(&c);
}

static void defaults_are_filled_in(void **state)
{
    struct checked c = good(NN_KIND_LAYER, "all");

    (void)state;
    assert_int_equal(value(&c, "int")->integer, 7);
    assert_int_equal(value(&c, "int")->given, 0);
    assert_true(value(&c, "real")->real == 1.0 / 255);
    assert_int_equal(value(&c, "list")->count, 2);
    assert_int_equal(value(&c, "list")->items[0]->integer, 5);
    assert_int_equal(value(&c, "list")->items[0]->given, 0);
    assert_string_equal(value(&c, "string")->text, "");
    assert_int_equal(value(&c, "nullable")->type, 0);
    assert_int_equal(value(&c, "file")->type, 0);
    assert_int_equal(value(&c, "record")->count, 2);
    assert_int_equal(value(&c, "record")->items[0]->integer, 1);
    assert_int_equal(nn_schema_find(c.named.params, "int")->place.column, 1);
    finish(&c);
}

static void none_is_for_nullable_parameters_only(void **state)
{
    struct checked c = good(NN_KIND_LAYER,
                            "all: {nullable: none, string: none}");

    (void)state;
    assert_int_equal(value(&c, "nullable")->type, 0);
    assert_int_equal(value(&c, "nullable")->given, 1);
    assert_string_equal(value(&c, "string")->text, "none");
    finish(&c);
    c = good(NN_KIND_LAYER, "{\"all\": {\"nullable\": null}}");
    assert_int_equal(value(&c, "nullable")->type, 0);
    finish(&c);
    c = good(NN_KIND_LAYER, "all: {nullable: 'none'}");
    assert_string_equal(value(&c, "nullable")->text, "none");
    finish(&c);
    refused(NN_KIND_LAYER, "all: {int: none}",
            "x.yaml:1:12: error: layer 'all': parameter 'int': expected a "
            "whole number, got 'none'\nall: {int: none}\n           ^\n");
}

static void records_take_a_map_or_their_main_field(void **state)
{
    struct checked c = good(NN_KIND_LAYER, "all: {record: {side: right}}");

    (void)state;
    assert_int_equal(value(&c, "record")->type, NN_PARAM_RECORD);
    assert_int_equal(value(&c, "record")->items[0]->integer, 1);
    assert_int_equal(value(&c, "record")->items[0]->given, 0);
    assert_string_equal(value(&c, "record")->items[1]->text, "right");
    finish(&c);
    c = good(NN_KIND_LAYER, "all: {record: 9}");
    assert_int_equal(value(&c, "record")->items[0]->integer, 9);
    assert_string_equal(value(&c, "record")->items[1]->text, "left");
    finish(&c);
    refused(NN_KIND_LAYER, "all: {record: {sied: left}}",
            "x.yaml:1:16: error: layer 'all': parameter 'record': unknown "
            "parameter 'sied'; did you mean 'side'?\n"
            "all: {record: {sied: left}}\n               ^\n");
}

static void type_names_a_component_only_where_one_stands(void **state)
{
    (void)state;
    refused(NN_KIND_LAYER, "{type: all, record: {type: 3}}",
            "x.yaml:1:22: error: layer 'all': parameter 'record': unknown "
            "parameter 'type'\n{type: all, record: {type: 3}}\n"
            "                     ^\n");
}

/* ---- errors -------------------------------------------------------------- */

static void malformed_numbers_are_refused(void **state)
{
    static const char *const texts[] = {"3x",  "0x10", "1e400", "1_000",
                                        "1,5", "1.5",  "[1]",   "''"};
    size_t i;

    (void)state;
    for (i = 0; i < sizeof texts / sizeof texts[0]; ++i) {
        char text[64];
        struct checked c;

        snprintf(text, sizeof text, "{type: all, int: '%s'}", texts[i]);
        c = check(NN_KIND_LAYER, text);
        assert_int_equal(c.code, NN_INVALID_ARGUMENT);
        assert_int_equal(c.diagnostics.errors, 1);
        finish(&c);
        snprintf(text, sizeof text, "{type: all, real: \"%s\"}", texts[i]);
        c = check(NN_KIND_LAYER, text);
        assert_int_equal(c.code, strcmp(texts[i], "1.5") == 0
                                     ? NN_OK
                                     : NN_INVALID_ARGUMENT);
        finish(&c);
    }
}

static void a_lone_scalar_is_a_list_of_one(void **state)
{
    struct checked c = good(NN_KIND_LAYER, "all: {list: 3}");

    (void)state;
    assert_int_equal(value(&c, "list")->type, NN_PARAM_LIST);
    assert_int_equal(value(&c, "list")->count, 1);
    assert_int_equal(value(&c, "list")->items[0]->integer, 3);
    finish(&c);
}

static void one_map_can_take_all_other_keys(void **state)
{
    struct checked c = good(NN_KIND_ITERATOR,
                            "rest: {images: 1/4, size: 3, size2: 5}");
    nn_node *rendered = nn_schema_render_params(c.named.params);

    (void)state;
    assert_int_equal(value(&c, "size")->integer, 3);
    assert_int_equal(value(&c, "others")->count, 2);
    assert_string_equal(value(&c, "others")->keys[1], "size2");
    assert_true(value(&c, "others")->items[0]->real == 0.25);
    assert_non_null(nn_node_find(rendered, "images"));
    assert_null(nn_node_find(rendered, "others"));
    nn_node_destroy(rendered);
    finish(&c);
}

static void all_errors_are_told_in_one_run(void **state)
{
    (void)state;
    refused(NN_KIND_LAYER,
            "all:\n  sise: 1\n  int: 3x\n  bool: yes\n  choice: tahn\n"
            "  list: {a: 3}\n  map: [1]\n  real:\n",
            "x.yaml:2:3: error: layer 'all': unknown parameter 'sise'; did you "
            "mean 'size'?\n  sise: 1\n  ^\n"
            "x.yaml:3:8: error: layer 'all': parameter 'int': expected a whole "
            "number, got '3x'\n  int: 3x\n       ^\n"
            "x.yaml:4:9: error: layer 'all': parameter 'bool': expected true "
            "or false, got 'yes'\n  bool: yes\n        ^\n"
            "x.yaml:5:11: error: layer 'all': parameter 'choice': must be one "
            "of rel, tanh, linear; got 'tahn'; did you mean 'tanh'?\n"
            "  choice: tahn\n          ^\n"
            "x.yaml:6:9: error: layer 'all': parameter 'list': expected a list "
            "such as [1, 2], got a map\n  list: {a: 3}\n        ^\n"
            "x.yaml:7:8: error: layer 'all': parameter 'map': expected a map "
            "such as {a: 1}, got a list\n  map: [1]\n       ^\n"
            "x.yaml:8:8: error: layer 'all': parameter 'real': has no value\n"
            "  real:\n       ^\n");
}

static void ranges_are_kept(void **state)
{
    struct checked c = good(NN_KIND_LAYER, "drop: {rate: 0, steps: 1}");

    (void)state;
    finish(&c);
    refused(NN_KIND_LAYER, "drop: {rate: 1.0, steps: 0}",
            "x.yaml:1:14: error: layer 'drop': parameter 'rate': must be at "
            "least 0 and below 1, got '1.0'\n"
            "drop: {rate: 1.0, steps: 0}\n             ^\n"
            "x.yaml:1:26: error: layer 'drop': parameter 'steps': must be "
            "above 0, got '0'\n"
            "drop: {rate: 1.0, steps: 0}\n                         ^\n");
}

static void what_is_missing_is_told_at_the_component(void **state)
{
    (void)state;
    refused(NN_KIND_LAYER, "- linear\n",
            "x.yaml:1:1: error: expected a name or {name: ...}, got a list\n"
            "- linear\n^\n");
    refused(NN_KIND_LAYER, "{type: linear, from: x}",
            "x.yaml:1:8: error: layer 'linear': parameter 'size' is missing\n"
            "{type: linear, from: x}\n       ^\n");
    refused(NN_KIND_LAYER, "linear: {}",
            "x.yaml:1:1: error: layer 'linear': parameter 'size' is missing\n"
            "linear: {}\n^\n");
}

static void an_unknown_component_is_told_with_what_is_known(void **state)
{
    (void)state;
    refused(NN_KIND_LAYER, "{type: liner, size: 3}",
            "x.yaml:1:8: error: unknown layer 'liner'; did you mean 'linear'?\n"
            "{type: liner, size: 3}\n       ^\n");
    refused(NN_KIND_HANDLER, "tpu",
            "x.yaml:1:1: error: unknown handler 'tpu'; known are plain, "
            "wrap\ntpu\n^\n");
    refused(NN_KIND_HANDLER, "wrap(off)",
            "x.yaml:1:6: error: handler 'wrap': parameter 'inner': handler "
            "'off' cannot be used: it has no driver\nwrap(off)\n     ^\n");
}

static void a_broken_default_is_told_with_its_owner(void **state)
{
    struct checked c = check(NN_KIND_LAYER, "broken");
    char *text = told(&c.diagnostics);

    (void)state;
    assert_int_not_equal(c.code, NN_OK);
    assert_non_null(strstr(text, "default of 'list' of layer 'broken':1:4"));
    assert_non_null(strstr(text,
                           "x.yaml:1:1: error: layer 'broken': parameter "
                           "'int': expected a whole number, got 'seven'"));
    assert_non_null(strstr(text, "parameter 'what': the plugin describes this "
                                 "parameter wrongly"));
    free(text);
    finish(&c);
}

/* ---- forms of a component ------------------------------------------------ */

static void a_component_is_written_in_five_forms(void **state)
{
    static const char *const forms[] = {
        "linear: {size: 3}", "linear: 3", "{type: linear, size: 3}",
        "{\"linear\": {\"size\": 3, \"from\": \"x\"}}"};
    struct checked c;
    size_t i;

    (void)state;
    for (i = 0; i < sizeof forms / sizeof forms[0]; ++i) {
        c = good(NN_KIND_LAYER, forms[i]);
        assert_string_equal(c.named.component->name, "linear");
        assert_int_equal(value(&c, "size")->integer, 3);
        assert_int_equal(value(&c, "size")->given, 1);
        finish(&c);
    }
    c = good(NN_KIND_HANDLER, "plain");
    assert_string_equal(c.named.component->name, "plain");
    assert_null(c.named.body);
    finish(&c);
}

static void the_marked_parameter_is_the_main_one(void **state)
{
    struct checked c = good(NN_KIND_SCHEDULE, "decay: 0.5");

    (void)state;
    assert_true(value(&c, "rate")->real == 0.5);
    finish(&c);
    refused(NN_KIND_LAYER, "all: 3",
            "x.yaml:1:6: error: layer 'all': expected a map of parameters, got "
            "'3'\nall: 3\n     ^\n");
    refused(NN_KIND_LAYER, "linear:",
            "x.yaml:1:8: error: layer 'linear': expected a map of parameters, "
            "got an empty value\nlinear:\n       ^\n");
}

static void parentheses_hold_the_inner_component(void **state)
{
    struct checked c = good(NN_KIND_HANDLER, "wrap(wrap(plain))");
    const nn_child *child = value(&c, "inner")->child;

    (void)state;
    assert_string_equal(child->name, "inner");
    assert_int_equal(child->type, NN_PARAM_COMPONENT);
    assert_int_equal(child->kind, NN_KIND_HANDLER);
    assert_string_equal(child->component->name, "wrap");
    assert_string_equal(child->node->text, "wrap(plain)");
    assert_int_equal(child->node->place.column, 6);
    child = child->params->values[0]->child;
    assert_string_equal(child->component->name, "plain");
    finish(&c);
    c = good(NN_KIND_HANDLER, "{type: wrap(plain), deep: true}");
    assert_int_equal(value(&c, "deep")->integer, 1);
    finish(&c);
}

static void parentheses_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    refused(NN_KIND_HANDLER, "wrap(plain",
            "x.yaml:1:1: error: 'wrap(plain' is not of the form name(inner)\n"
            "wrap(plain\n^\n");
    refused(NN_KIND_HANDLER, "(plain)",
            "x.yaml:1:1: error: '(plain)' is not of the form name(inner)\n"
            "(plain)\n^\n");
    refused(NN_KIND_HANDLER, "plain(plain)",
            "x.yaml:1:1: error: handler 'plain': takes no handler in "
            "parentheses\nplain(plain)\n^\n");
    refused(NN_KIND_HANDLER, "wrap()",
            "x.yaml:1:6: error: handler 'wrap': parameter 'inner': expected a "
            "name or {name: ...}, got ''\nwrap()\n     ^\n");
    refused(NN_KIND_HANDLER, "{type: wrap(plain), inner: plain}",
            "x.yaml:1:8: error: handler 'wrap': parameter 'inner' is given "
            "twice\n{type: wrap(plain), inner: plain}\n       ^\n");
}

static void maps_that_are_no_component_are_refused(void **state)
{
    (void)state;
    refused(NN_KIND_LAYER, "{linear: 3, size: 3}",
            "x.yaml:1:1: error: write {name: ...} or {type: name, ...}, got a "
            "map\n{linear: 3, size: 3}\n^\n");
    refused(NN_KIND_LAYER, "{type: [linear], size: 3}",
            "x.yaml:1:8: error: `type` must be a name, got a list\n"
            "{type: [linear], size: 3}\n       ^\n");
    refused(NN_KIND_LAYER, "{}",
            "x.yaml:1:1: error: expected a name or {name: ...}, got a map\n"
            "{}\n^\n");
}

static void components_within_themselves_end_in_an_error(void **state)
{
    struct checked c = check(NN_KIND_HOOK, "ouroboros");
    nn_text text = {0};
    int i;

    (void)state;
    assert_int_equal(c.code, NN_INVALID_ARGUMENT);
    assert_string_equal(nn_error_id(), "config.too-deep");
    finish(&c);
    for (i = 0; i < 20000; ++i)
        nn_text_append(&text, "wrap(");
    nn_text_append(&text, "plain");
    nn_text_append_char(&text, ')', 20000);
    c = check(NN_KIND_HANDLER, nn_text_string(&text));
    assert_int_equal(c.code, NN_INVALID_ARGUMENT);
    assert_string_equal(nn_error_id(), "config.too-deep");
    finish(&c);
    nn_text_finish(&text);
}

static void children_in_lists_and_records_have_names_of_their_own(void **state)
{
    struct checked c = good(NN_KIND_LAYER,
                            "parent: {parts: [linear: 1, linear: 2],"
                            " named: {a: {linear: 3}}, net: [x, y]}");

    (void)state;
    assert_string_equal(value(&c, "parts")->items[1]->child->name, "parts_1");
    assert_string_equal(value(&c, "named")->items[0]->child->name, "named_a");
    assert_int_equal(value(&c, "net")->child->type, NN_PARAM_NETWORK);
    assert_string_equal(value(&c, "net")->child->name, "net");
    assert_int_equal(value(&c, "net")->child->node->count, 2);
    finish(&c);
}

static void a_tunable_number_may_be_a_schedule(void **state)
{
    struct checked c = good(NN_KIND_STEPPER, "sgd: {rate: {decay: 0.9}}");

    (void)state;
    assert_int_equal(value(&c, "rate")->type, NN_PARAM_REAL);
    assert_string_equal(value(&c, "rate")->child->component->name, "decay");
    finish(&c);
    c = good(NN_KIND_STEPPER, "sgd: {rate: decay}");
    assert_string_equal(value(&c, "rate")->text, "decay");
    finish(&c);
    c = good(NN_KIND_STEPPER, "sgd");
    assert_null(value(&c, "rate")->child);
    finish(&c);
    refused(NN_KIND_STEPPER, "sgd: {rate: 3x}",
            "x.yaml:1:13: error: stepper 'sgd': parameter 'rate': expected a "
            "number or a schedule, got '3x'\nsgd: {rate: 3x}\n"
            "            ^\n");
}

static void settings_of_no_component_are_checked_the_same(void **state)
{
    nn_node *node = yaml("{int: 3, other: 1}");
    nn_diagnostics diagnostics = {0};
    const nn_component *all = test_find(NULL, NN_KIND_LAYER, "all");
    const nn_params *params = NULL;
    nn_arena *arena = NULL;

    (void)state;
    assert_int_equal(nn_arena_create(&arena), NN_OK);
    assert_int_equal(nn_schema_params(&test_catalog, all->params, all->n_params,
                                      node, &node->place, "training", NULL,
                                      arena, &diagnostics, &params),
                     NN_INVALID_ARGUMENT);
    assert_null(params);
    equals(told(&diagnostics),
           "x.yaml:1:10: error: training: unknown parameter "
           "'other'\n{int: 3, other: 1}\n         ^\n");
    assert_int_equal(nn_schema_params(&test_catalog, all->params, all->n_params,
                                      NULL, NULL, "training", NULL, arena, NULL,
                                      &params),
                     NN_OK);
    assert_int_equal(params->count, all->n_params);
    nn_node_destroy(node);
    nn_arena_destroy(arena);
}

/* ---- the way back -------------------------------------------------------- */

/* Renders what TEXT means, and checks that this means the same. */
static char *rendered(uint32_t kind, const char *text)
{
    struct checked a = good(kind, text);
    nn_node *node = nn_schema_render(a.named.name, a.named.params);
    nn_text out = {0};
    struct checked b;
    nn_node *again;

    assert_non_null(node);
    assert_int_equal(nn_node_write(node, &out), NN_OK);
    b = good(kind, nn_text_string(&out));
    again = nn_schema_render(b.named.name, b.named.params);
    assert_true(nn_node_equal(node, again));
    nn_node_destroy(node);
    nn_node_destroy(again);
    finish(&a);
    finish(&b);
    return nn_text_take(&out);
}

static void rendering_fills_in_every_default(void **state)
{
    (void)state;
    equals(rendered(NN_KIND_LAYER, "all"), "all:\n"
                                           "  int: 7\n"
                                           "  real: 0.00392156862745098\n"
                                           "  bool: false\n"
                                           "  string: \"\"\n"
                                           "  choice: rel\n"
                                           "  list: [5, 6]\n"
                                           "  map: {}\n"
                                           "  scalar: a b\n"
                                           "  nullable: none\n"
                                           "  record: {count: 1, side: left}\n"
                                           "  size: 1\n");
    equals(rendered(NN_KIND_HANDLER, "plain"), "plain\n");
}

static void rendering_keeps_what_was_given(void **state)
{
    (void)state;
    equals(rendered(NN_KIND_LAYER,
                    "all: {real: 5e-324, file: data.gz, nullable: 'none', "
                    "map: {'a: b': 1/3}, record: 4, string: 'x: y'}"),
           "all:\n"
           "  int: 7\n"
           "  real: 5e-324\n"
           "  bool: false\n"
           "  string: \"x: y\"\n"
           "  choice: rel\n"
           "  list: [5, 6]\n"
           "  map: {\"a: b\": 0.3333333333333333}\n"
           "  scalar: a b\n"
           "  file: data.gz\n"
           "  nullable: \"none\"\n"
           "  record: {count: 4, side: left}\n"
           "  size: 1\n");
    equals(rendered(NN_KIND_HANDLER, "wrap(wrap(plain))"),
           "wrap:\n"
           "  inner: {wrap: {inner: plain, deep: false}}\n"
           "  deep: false\n");
    equals(rendered(NN_KIND_LAYER, "parent: {net: [{a: 1}]}"),
           "parent:\n  parts: []\n  named: {}\n  net: [{a: 1}]\n");
    equals(rendered(NN_KIND_STEPPER, "sgd: {rate: decay}"),
           "sgd:\n  rate: {decay: {rate: 0.1}}\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_type_is_read),
        cmocka_unit_test(defaults_are_filled_in),
        cmocka_unit_test(none_is_for_nullable_parameters_only),
        cmocka_unit_test(records_take_a_map_or_their_main_field),
        cmocka_unit_test(type_names_a_component_only_where_one_stands),
        cmocka_unit_test(malformed_numbers_are_refused),
        cmocka_unit_test(a_lone_scalar_is_a_list_of_one),
        cmocka_unit_test(one_map_can_take_all_other_keys),
        cmocka_unit_test(all_errors_are_told_in_one_run),
        cmocka_unit_test(ranges_are_kept),
        cmocka_unit_test(what_is_missing_is_told_at_the_component),
        cmocka_unit_test(an_unknown_component_is_told_with_what_is_known),
        cmocka_unit_test(a_broken_default_is_told_with_its_owner),
        cmocka_unit_test(a_component_is_written_in_five_forms),
        cmocka_unit_test(the_marked_parameter_is_the_main_one),
        cmocka_unit_test(parentheses_hold_the_inner_component),
        cmocka_unit_test(parentheses_that_do_not_fit_are_refused),
        cmocka_unit_test(maps_that_are_no_component_are_refused),
        cmocka_unit_test(components_within_themselves_end_in_an_error),
        cmocka_unit_test(children_in_lists_and_records_have_names_of_their_own),
        cmocka_unit_test(a_tunable_number_may_be_a_schedule),
        cmocka_unit_test(settings_of_no_component_are_checked_the_same),
        cmocka_unit_test(rendering_fills_in_every_default),
        cmocka_unit_test(rendering_keeps_what_was_given),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
