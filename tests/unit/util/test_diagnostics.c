/* SPDX-License-Identifier: MIT */
/* test_diagnostics.c - how errors in a text are shown, and how many. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/util/diagnostics.h"
#include "core/util/error.h"

static nn_source *make_source(const char *text)
{
    nn_source *source = NULL;

    assert_int_equal(nn_source_create("x.yaml", text, strlen(text), &source),
                     NN_OK);
    return source;
}

/* What an error "wrong" at LINE, COLUMN of TEXT looks like; caller frees. */
static char *render(const char *text, uint32_t line, uint32_t column)
{
    nn_place place = {make_source(text), line, column};
    nn_diagnostics diagnostics = {0};
    nn_text out = {0};

    assert_int_equal(nn_diagnostics_error(&diagnostics, NN_FORMAT, "t.wrong",
                                          &place, "wrong"),
                     NN_FORMAT);
    nn_source_release(place.source); /* the list holds it */
    nn_diagnostics_render(&diagnostics, &out);
    nn_diagnostics_finish(&diagnostics);
    nn_error_clear();
    return nn_text_take(&out);
}

static void expect(char *rendered, const char *expected)
{
    assert_string_equal(rendered, expected);
    free(rendered);
}

static void an_error_shows_its_line_and_a_caret(void **state)
{
    (void)state;
    expect(render("a: 1\nbb: 22\nc: 3", 2, 5),
           "x.yaml:2:5: error: wrong\nbb: 22\n    ^\n");
    expect(render("a: 1", 1, 5), "x.yaml:1:5: error: wrong\na: 1\n    ^\n");
}

static void tabs_stay_tabs_before_the_caret(void **state)
{
    (void)state;
    expect(render("\ta:\t1", 1, 5),
           "x.yaml:1:5: error: wrong\n\ta:\t1\n\t  \t^\n");
}

static void columns_count_characters(void **state)
{
    (void)state;
    expect(render("\xc3\xa4\xc3\xb6: 1", 1, 5),
           "x.yaml:1:5: error: wrong\n\xc3\xa4\xc3\xb6: 1\n    ^\n");
}

static void every_kind_of_line_end_is_known(void **state)
{
    (void)state;
    expect(render("a\r\nb\rc\xe2\x80\xa8"
                  "d",
                  4, 1),
           "x.yaml:4:1: error: wrong\nd\n^\n");
    expect(render("a\n", 7, 1), "x.yaml:7:1: error: wrong\n\n^\n");
}

static void a_place_without_line_shows_none(void **state)
{
    (void)state;
    expect(render("a", 0, 0), "x.yaml: error: wrong\n");
}

static void what_a_terminal_would_obey_is_masked(void **state)
{
    (void)state;
    expect(render("a\x1b[31m\xff\xc2\x9b", 1, 2),
           "x.yaml:1:2: error: wrong\na?[31m??\n ^\n");
}

static void of_a_long_line_a_window_is_shown(void **state)
{
    char text[5001];
    char *rendered;
    char *line;

    (void)state;
    memset(text, 'x', 5000);
    text[5000] = '\0';
    text[2999] = '!';
    rendered = render(text, 1, 3000);
    line = strchr(rendered, '\n') + 1;
    assert_true(strlen(rendered) < 400);
    assert_int_equal(strchr(line, '!') - line,
                     strchr(line, '^') - strchr(line, '\n') - 1);
    free(rendered);
}

static void a_place_and_its_line_belong_together(void **state)
{
    nn_source *source = make_source("ab\r\n\xc3\xa4z\n");
    nn_place place = nn_source_place(source, 6);

    (void)state;
    assert_int_equal(place.line, 2);
    assert_int_equal(place.column, 2);
    place = nn_source_place(source, SIZE_MAX);
    assert_int_equal(place.line, 3);
    assert_int_equal(place.column, 1);
    nn_source_release(source);
}

static void the_first_error_becomes_the_threads(void **state)
{
    nn_place place = {make_source("a: 1"), 1, 4};
    nn_diagnostics diagnostics = {0};

    (void)state;
    nn_error_clear();
    nn_diagnostics_warn(&diagnostics, "t.odd", &place, "odd");
    assert_int_equal(nn_diagnostics_status(&diagnostics), NN_OK);
    nn_diagnostics_error(&diagnostics, NN_SHAPE, "t.first", &place, "one\ntwo");
    nn_diagnostics_error(&diagnostics, NN_FORMAT, "t.second", NULL, "three");
    assert_int_equal(nn_diagnostics_status(&diagnostics), NN_SHAPE);
    assert_int_equal(nn_error_code(), NN_SHAPE);
    assert_string_equal(nn_error_id(), "t.first");
    assert_string_equal(nn_error_text(), "x.yaml:1:4: error: one?two");
    nn_diagnostics_finish(&diagnostics);
    nn_source_release(place.source);
    nn_error_clear();
}

static void without_a_list_the_thread_still_learns(void **state)
{
    (void)state;
    assert_int_equal(nn_diagnostics_error(NULL, NN_IO, "t.io", NULL, "no %s",
                                          "disk"),
                     NN_IO);
    nn_diagnostics_warn(NULL, "t.odd", NULL, "odd");
    assert_string_equal(nn_error_text(), "error: no disk");
    nn_error_clear();
}

static void after_twenty_errors_the_rest_is_counted(void **state)
{
    nn_diagnostics diagnostics = {0};
    nn_text out = {0};
    const char *tail;
    int i;

    (void)state;
    for (i = 0; i < 50; ++i)
        nn_diagnostics_warn(&diagnostics, "t.odd", NULL, "odd %d", i);
    for (i = 0; i < 23; ++i)
        nn_diagnostics_error(&diagnostics, NN_FORMAT, "t.bad", NULL, "bad %d",
                             i);
    nn_diagnostics_render(&diagnostics, &out);
    assert_non_null(strstr(nn_text_string(&out), "error: bad 19\n"));
    assert_null(strstr(nn_text_string(&out), "bad 20"));
    tail = strstr(nn_text_string(&out), "… and");
    assert_string_equal(tail, "… and 3 more errors\n… and 30 more warnings\n");
    nn_text_finish(&out);
    nn_diagnostics_finish(&diagnostics);
    nn_error_clear();
}

static void a_long_message_is_cut(void **state)
{
    nn_diagnostics diagnostics = {0};
    char text[3000];

    (void)state;
    memset(text, 'y', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    nn_diagnostics_error(&diagnostics, NN_FORMAT, "t.long", NULL, "%s", text);
    assert_true(strlen(diagnostics.items[0].text) < NN_DIAGNOSTIC_TEXT + 4);
    assert_non_null(strstr(diagnostics.items[0].text, "y..."));
    nn_diagnostics_finish(&diagnostics);
    nn_error_clear();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_error_shows_its_line_and_a_caret),
        cmocka_unit_test(tabs_stay_tabs_before_the_caret),
        cmocka_unit_test(columns_count_characters),
        cmocka_unit_test(every_kind_of_line_end_is_known),
        cmocka_unit_test(a_place_without_line_shows_none),
        cmocka_unit_test(what_a_terminal_would_obey_is_masked),
        cmocka_unit_test(of_a_long_line_a_window_is_shown),
        cmocka_unit_test(a_place_and_its_line_belong_together),
        cmocka_unit_test(the_first_error_becomes_the_threads),
        cmocka_unit_test(without_a_list_the_thread_still_learns),
        cmocka_unit_test(after_twenty_errors_the_rest_is_counted),
        cmocka_unit_test(a_long_message_is_cut),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
