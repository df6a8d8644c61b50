/* SPDX-License-Identifier: MIT */
/* test_number.c - numbers as text: what is read, what is refused, and that
 * what is written reads back bit by bit, whatever the locale. */
#define _GNU_SOURCE
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/util/number.h"

static double real(const char *text)
{
    double value = -99;

    assert_int_equal(nn_number_parse_real(text, strlen(text), &value), NN_OK);
    return value;
}

static int32_t real_code(const char *text)
{
    double value = -99;
    int32_t code = nn_number_parse_real(text, strlen(text), &value);

    if (code)
        assert_true(value == -99);
    return code;
}

static void same_bits(double a, double b)
{
    assert_memory_equal(&a, &b, sizeof a);
}

static void reads_decimals_exponents_and_ratios(void **state)
{
    (void)state;
    assert_true(real("3") == 3);
    assert_true(real("+3.") == 3);
    assert_true(real("-.5") == -0.5);
    assert_true(real("1e-3") == 0.001);
    assert_true(real("2.5E+2") == 250);
    assert_true(real("007") == 7);
    assert_true(real("1/255") == 1.0 / 255);
    assert_true(real("-1e2/4") == -25);
    assert_true(real("0e999") == 0);
    same_bits(real("-0"), -0.0);
    same_bits(real("5e-324"), 5e-324);
    same_bits(real("1.7976931348623157e308"), 1.7976931348623157e308);
    same_bits(real("0.1"), 0.1);
}

static void refuses_what_is_no_number(void **state)
{
    static const char *const texts[] = {
        "",      "3x",   "0x10",  "1_000", "1,5", " 1",       "1 ",  "e5", "1e",
        "1e+",   ".",    "-",     "+",     "--1", "inf",      "nan", "1/", "/2",
        "1/2/3", "1//2", "1 / 2", "1.2.3", "٣",   "infinity", "1f"};
    size_t i;

    (void)state;
    for (i = 0; i < sizeof texts / sizeof texts[0]; ++i)
        assert_int_equal(real_code(texts[i]), NN_FORMAT);
}

static void refuses_what_a_double_cannot_hold(void **state)
{
    (void)state;
    assert_int_equal(real_code("1e400"), NN_INVALID_ARGUMENT);
    assert_int_equal(real_code("-1e400"), NN_INVALID_ARGUMENT);
    assert_int_equal(real_code("1e-400"), NN_INVALID_ARGUMENT);
    assert_int_equal(real_code("1/0"), NN_INVALID_ARGUMENT);
    assert_int_equal(real_code("1e300/1e-300"), NN_INVALID_ARGUMENT);
}

static void reads_only_the_given_length(void **state)
{
    double value = 0;
    int64_t whole = 0;

    (void)state;
    assert_int_equal(nn_number_parse_real("12345", 2, &value), NN_OK);
    assert_true(value == 12);
    assert_int_equal(nn_number_parse_int("12345", 3, &whole), NN_OK);
    assert_int_equal(whole, 123);
    assert_int_equal(nn_number_parse_real("1\0002", 3, &value), NN_FORMAT);
}

static void refuses_a_number_of_endless_length(void **state)
{
    char text[NN_NUMBER_LENGTH + 2];

    (void)state;
    memset(text, '0', sizeof text);
    text[NN_NUMBER_LENGTH + 1] = '\0';
    assert_int_equal(real_code(text), NN_FORMAT);
    assert_true(real(text + 1) == 0);
}

static void extended_reads_infinity_and_nan(void **state)
{
    double value = 0;

    (void)state;
    assert_int_equal(nn_number_parse_extended("-inf", 4, &value), NN_OK);
    assert_true(value == -INFINITY);
    assert_int_equal(nn_number_parse_extended("+.inf", 5, &value), NN_OK);
    assert_true(value == INFINITY);
    assert_int_equal(nn_number_parse_extended("nan", 3, &value), NN_OK);
    assert_true(isnan(value));
    assert_int_equal(nn_number_parse_extended("1/4", 3, &value), NN_OK);
    assert_true(value == 0.25);
    assert_int_equal(nn_number_parse_extended("infx", 4, &value), NN_FORMAT);
    assert_int_equal(nn_number_parse_extended("..inf", 5, &value), NN_FORMAT);
}

static int32_t whole_code(const char *text, int64_t *value)
{
    return nn_number_parse_int(text, strlen(text), value);
}

static void reads_whole_numbers_up_to_their_limits(void **state)
{
    int64_t value = 5;

    (void)state;
    assert_int_equal(whole_code("9223372036854775807", &value), NN_OK);
    assert_true(value == INT64_MAX);
    assert_int_equal(whole_code("-9223372036854775808", &value), NN_OK);
    assert_true(value == INT64_MIN);
    assert_int_equal(whole_code("+010", &value), NN_OK);
    assert_true(value == 10);
    assert_int_equal(whole_code("9223372036854775808", &value),
                     NN_INVALID_ARGUMENT);
    assert_int_equal(whole_code("-9223372036854775809", &value),
                     NN_INVALID_ARGUMENT);
    assert_int_equal(whole_code("99999999999999999999", &value),
                     NN_INVALID_ARGUMENT);
    assert_true(value == 10);
}

static void refuses_what_is_no_whole_number(void **state)
{
    static const char *const texts[] = {"",      "-",  "1.0", "1e3", "0x10",
                                        "1_000", "3x", " 3",  "3 ",  "1/1"};
    int64_t value = 5;
    size_t i;

    (void)state;
    for (i = 0; i < sizeof texts / sizeof texts[0]; ++i)
        assert_int_equal(whole_code(texts[i], &value), NN_FORMAT);
    assert_int_equal(value, 5);
}

static void writes_the_shortest_text(void **state)
{
    char text[32];

    (void)state;
    assert_string_equal(nn_number_format(0.1, text), "0.1");
    assert_string_equal(nn_number_format(1000000, text), "1000000");
    assert_string_equal(nn_number_format(-0.0, text), "-0");
    assert_string_equal(nn_number_format(5e-324, text), "5e-324");
    assert_string_equal(nn_number_format(1.0 / 3, text), "0.3333333333333333");
    assert_string_equal(nn_number_format(1e300, text), "1e+300");
    assert_string_equal(nn_number_format(NAN, text), "nan");
    assert_string_equal(nn_number_format(-NAN, text), "nan");
    assert_string_equal(nn_number_format(-INFINITY, text), "-inf");
}

/* VALUE, written and read again. */
static double round_trip(double value)
{
    char text[32];
    double back = 0;

    nn_number_format(value, text);
    assert_int_equal(nn_number_parse_real(text, strlen(text), &back), NN_OK);
    return back;
}

static void every_double_survives_the_round_trip(void **state)
{
    static const double values[] = {5e-324,
                                    -5e-324,
                                    2.2250738585072014e-308,
                                    1.7976931348623157e308,
                                    -0.0,
                                    0.1f,
                                    1.0f / 3,
                                    1.4e-45f,
                                    3.4028235e38f,
                                    9007199254740993.0,
                                    123456789012345680.0,
                                    999999999999999.0,
                                    1e15,
                                    1e22,
                                    1e23};
    uint64_t bits = 88172645463325252u;
    size_t i;

    (void)state;
    for (i = 0; i < sizeof values / sizeof values[0]; ++i)
        same_bits(round_trip(values[i]), values[i]);
    for (i = 0; i < 20000; ++i) { /* bit patterns of xorshift64 */
        double value;

        bits ^= bits << 13;
        bits ^= bits >> 7;
        bits ^= bits << 17;
        memcpy(&value, &bits, sizeof value);
        if (isfinite(value))
            same_bits(round_trip(value), value);
    }
}

/* Enters a locale with a decimal comma, made here if need be; 0 if there is
 * none to be had. */
static int enter_comma_locale(char folder[64])
{
    char command[256];

    folder[0] = '\0';
    if (setlocale(LC_ALL, "de_DE.UTF-8") || setlocale(LC_ALL, "fr_FR.UTF-8"))
        return 1;
    strcpy(folder, "test-number-XXXXXX");
    if (!mkdtemp(folder))
        return 0;
    snprintf(command, sizeof command,
             "localedef -i de_DE -f UTF-8 ./%s/de_DE.UTF-8 >/dev/null 2>&1",
             folder);
    if (system(command) != 0)
        return 0;
    setenv("LOCPATH", folder, 1);
    return setlocale(LC_ALL, "de_DE.UTF-8") != NULL;
}

static void leave_comma_locale(const char *folder)
{
    char command[128];

    setlocale(LC_ALL, "C");
    if (!folder[0])
        return;
    unsetenv("LOCPATH");
    snprintf(command, sizeof command, "rm -rf ./%s", folder);
    assert_int_equal(system(command), 0);
}

static void a_decimal_comma_of_the_locale_changes_nothing(void **state)
{
    char folder[64];
    char text[32];
    int entered = enter_comma_locale(folder);
    double half = 0;
    int32_t dot = 0;
    int32_t comma = 0;

    (void)state;
    if (entered) {
        snprintf(text, sizeof text, "%.1f", 0.5);
        entered = strcmp(text, "0,5") == 0;
        dot = nn_number_parse_real("0.5", 3, &half);
        comma = real_code("0,5");
        nn_number_format(0.5, text);
    }
    leave_comma_locale(folder);
    if (!entered)
        skip();
    assert_int_equal(dot, NN_OK);
    assert_true(half == 0.5);
    assert_int_equal(comma, NN_FORMAT);
    assert_string_equal(text, "0.5");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_decimals_exponents_and_ratios),
        cmocka_unit_test(refuses_what_is_no_number),
        cmocka_unit_test(refuses_what_a_double_cannot_hold),
        cmocka_unit_test(reads_only_the_given_length),
        cmocka_unit_test(refuses_a_number_of_endless_length),
        cmocka_unit_test(extended_reads_infinity_and_nan),
        cmocka_unit_test(reads_whole_numbers_up_to_their_limits),
        cmocka_unit_test(refuses_what_is_no_whole_number),
        cmocka_unit_test(writes_the_shortest_text),
        cmocka_unit_test(every_double_survives_the_round_trip),
        cmocka_unit_test(a_decimal_comma_of_the_locale_changes_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
