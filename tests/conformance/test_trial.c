/* SPDX-License-Identifier: MIT */
/* test_trial.c - what a check says, as it arrives on the other side. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "conformance/channel.h"
#include "conformance/memory.h"
#include "conformance/result.h"
#include "conformance/trial.h"

static const ending well = {CLD_EXITED, 0, 0, ""};

/* Runs FUNCTION as a check in this process that then ENDED, and reads what came
 * through the channel without its last CUT bytes. */
static result run(void (*function)(trial *trial), const ending *ended,
                  size_t cut)
{
    const check one = {.id = "test.one", .run = function};
    trial subject = {.check = &one, .seed = 7};
    int file = memfd_create("channel", 0);
    result got;
    size_t length;
    char *bytes;

    channel_open(file);
    trial_run(&subject);
    channel_open(-1);
    length = (size_t)lseek(file, 0, SEEK_END) - cut;
    bytes = take(length + 1, 1);
    assert_int_equal(pread(file, bytes, length, 0), length);
    close(file);
    result_read(&got, bytes, length, take(1, 1), take(1, 1), ended);
    return got;
}

static void say_nothing(trial *trial)
{
    (void)trial;
}

static void test_three(trial *trial)
{
    trial_tested(trial, 1);
    trial_tested(trial, 2);
}

static void skip_it(trial *trial)
{
    trial_skip(trial, "no %s", "mask");
}

static void fail_often(trial *trial)
{
    int i;

    for (i = 0; i < 1000; ++i)
        trial_fail(trial, trial_text(trial, "y[%d]", i), NULL, "NaN");
    trial_skip(trial, "too late");
}

static void break_it(trial *trial)
{
    trial_tested(trial, 1);
    trial_fail(trial, NULL, "a", "b");
    trial_broken(trial, "no memory");
}

static void a_check_that_tests_nothing_fails(void **state)
{
    result got = run(say_nothing, &well, 0);

    (void)state;
    assert_int_equal(got.status, STATUS_FAIL);
    assert_string_equal(got.findings[0].got, "it tested nothing");
    result_finish(&got);
}

static void what_was_tested_is_counted(void **state)
{
    result got = run(test_three, &well, 0);

    (void)state;
    assert_int_equal(got.status, STATUS_PASS);
    assert_int_equal(got.tested, 3);
    result_finish(&got);
}

static void a_skip_has_its_reason(void **state)
{
    result got = run(skip_it, &well, 0);

    (void)state;
    assert_int_equal(got.status, STATUS_SKIP);
    assert_string_equal(got.reason, "no mask");
    result_finish(&got);
}

static void failures_beyond_those_told_are_counted(void **state)
{
    result got = run(fail_often, &well, 0);

    (void)state;
    assert_int_equal(got.status, STATUS_FAIL);
    assert_int_equal(got.failures, 1000);
    assert_in_range(got.n_findings, 10, 999);
    assert_string_equal(got.findings[3].where, "y[3]");
    assert_string_equal(got.findings[3].expected, "");
    result_finish(&got);
}

static void what_is_broken_is_no_failure_of_the_plugin(void **state)
{
    result got = run(break_it, &well, 0);

    (void)state;
    assert_int_equal(got.status, STATUS_BROKEN);
    assert_string_equal(got.reason, "no memory");
    result_finish(&got);
}

static void a_lost_mark_is_a_failure(void **state)
{
    size_t cut;

    (void)state;
    for (cut = 1; cut < 6; ++cut) {
        result got = run(test_three, &well, cut);

        assert_int_equal(got.status, STATUS_FAIL);
        result_finish(&got);
    }
}

static void an_end_by_signal_is_a_crash_even_after_the_mark(void **state)
{
    const ending killed = {CLD_KILLED, SIGSEGV, 0, "destroy"};
    result got = run(test_three, &killed, 0);

    (void)state;
    assert_int_equal(got.status, STATUS_CRASH);
    assert_string_equal(got.findings[0].where, "in destroy");
    assert_non_null(strstr(got.findings[0].got, "signal 11"));
    result_finish(&got);
}

static void another_exit_status_is_a_failure(void **state)
{
    const ending other = {CLD_EXITED, 3, 0, ""};
    result got = run(test_three, &other, 0);

    (void)state;
    assert_int_equal(got.status, STATUS_FAIL);
    assert_string_equal(got.findings[0].got, "status 3");
    result_finish(&got);
}

static void a_process_that_was_late_hung(void **state)
{
    const ending late = {CLD_KILLED, SIGTERM, 5, "forward"};
    result got = run(test_three, &late, 0);

    (void)state;
    assert_int_equal(got.status, STATUS_TIMEOUT);
    assert_non_null(strstr(got.findings[0].got, "after 5 s"));
    result_finish(&got);
}

/* Numbers of the seed alone; whole ranges can be drawn. */
static double drawn[3];
static int64_t whole[64];

static void draw(trial *trial)
{
    int i;

    for (i = 0; i < 3; ++i)
        drawn[i] = trial_uniform(trial);
    for (i = 0; i < 64; ++i) {
        whole[i] = trial_integer(trial, INT64_MIN, INT64_MAX);
        assert_in_range(trial_integer(trial, 3, 5), 3, 5);
        assert_int_equal(trial_integer(trial, -4, -4), -4);
    }
    trial_tested(trial, 1);
}

static void random_numbers_are_a_function_of_the_seed(void **state)
{
    double before[3];
    int negative = 0;
    result got;
    int i;

    (void)state;
    got = run(draw, &well, 0);
    result_finish(&got);
    memcpy(before, drawn, sizeof before);
    got = run(draw, &well, 0);
    result_finish(&got);
    assert_memory_equal(before, drawn, sizeof before);
    assert_true(drawn[0] != drawn[1]);
    for (i = 0; i < 64; ++i)
        negative += whole[i] < 0;
    assert_in_range(negative, 10, 54);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_check_that_tests_nothing_fails),
        cmocka_unit_test(what_was_tested_is_counted),
        cmocka_unit_test(a_skip_has_its_reason),
        cmocka_unit_test(failures_beyond_those_told_are_counted),
        cmocka_unit_test(what_is_broken_is_no_failure_of_the_plugin),
        cmocka_unit_test(a_lost_mark_is_a_failure),
        cmocka_unit_test(an_end_by_signal_is_a_crash_even_after_the_mark),
        cmocka_unit_test(another_exit_status_is_a_failure),
        cmocka_unit_test(a_process_that_was_late_hung),
        cmocka_unit_test(random_numbers_are_a_function_of_the_seed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
