/* SPDX-License-Identifier: MIT */
/* test_suggest.c - which known name a misspelt one is taken for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "core/util/suggest.h"

/* The suggestion for WORD among the names of a config. */
static const char *suggest(const char *word)
{
    static const char *const names[] = {"size",          "activation",
                                        "learning_rate", "kernel",
                                        "rate",          "inputs",
                                        "targets",       "fully_connected",
                                        "training",      "x"};
    nn_suggest suggestion;
    size_t i;

    nn_suggest_start(&suggestion, word);
    nn_suggest_offer(&suggestion, NULL);
    for (i = 0; i < sizeof names / sizeof names[0]; ++i)
        nn_suggest_offer(&suggestion, names[i]);
    return suggestion.name ? suggestion.name : "";
}

static void a_slip_of_the_finger_is_recognized(void **state)
{
    (void)state;
    assert_string_equal(suggest("sise"), "size");
    assert_string_equal(suggest("szie"), "size");
    assert_string_equal(suggest("sizes"), "size");
    assert_string_equal(suggest("siz"), "size");
    assert_string_equal(suggest("learing_rate"), "learning_rate");
    assert_string_equal(suggest("kernal"), "kernel");
    assert_string_equal(suggest("fuly_conected"), "fully_connected");
}

static void case_and_dashes_do_not_matter(void **state)
{
    (void)state;
    assert_string_equal(suggest("Learning-Rate"), "learning_rate");
    assert_string_equal(suggest("SIZE"), "size");
}

static void the_nearest_of_several_wins(void **state)
{
    (void)state;
    assert_string_equal(suggest("rates"), "rate");
    assert_string_equal(suggest("input"), "inputs");
}

static void the_beginning_or_end_of_a_name_is_enough(void **state)
{
    (void)state;
    assert_string_equal(suggest("fully"), "fully_connected");
    assert_string_equal(suggest("connected"), "fully_connected");
    assert_string_equal(suggest("nected"), "");
    assert_string_equal(suggest("fu"), "");
}

static void what_is_far_gets_no_suggestion(void **state)
{
    char longest[200];

    (void)state;
    assert_string_equal(suggest("momentum"), "");
    assert_string_equal(suggest("y"), "");
    assert_string_equal(suggest(""), "");
    memset(longest, 's', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    assert_string_equal(suggest(longest), "");
}

static void the_tail_of_a_message_is_a_question(void **state)
{
    nn_suggest suggestion;
    char tail[128];

    (void)state;
    nn_suggest_start(&suggestion, "sise");
    assert_string_equal(nn_suggest_tail(&suggestion, tail), "");
    nn_suggest_offer(&suggestion, "size");
    assert_string_equal(nn_suggest_tail(&suggestion, tail),
                        "; did you mean 'size'?");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_slip_of_the_finger_is_recognized),
        cmocka_unit_test(case_and_dashes_do_not_matter),
        cmocka_unit_test(the_nearest_of_several_wins),
        cmocka_unit_test(the_beginning_or_end_of_a_name_is_enough),
        cmocka_unit_test(what_is_far_gets_no_suggestion),
        cmocka_unit_test(the_tail_of_a_message_is_a_question),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
