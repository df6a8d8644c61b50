/* SPDX-License-Identifier: MIT */
/* test_pack.c - msgpack that nobody vouches for. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/util/pack.h"

static void start(nn_unpack *in, const char *bytes, size_t length)
{
    nn_unpack_start(in, bytes, length, 4);
}

static void everything_comes_back(void **state)
{
    const int64_t numbers[] = {0,         1,         127,
                               128,       255,       256,
                               65535,     65536,     -1,
                               -32,       -33,       -128,
                               -129,      -32768,    -32769,
                               INT32_MAX, INT32_MIN, (int64_t)INT32_MAX + 1,
                               INT64_MAX, INT64_MIN};
    nn_text out = {0};
    nn_unpack in;
    size_t length;
    size_t i;

    (void)state;
    for (i = 0; i < sizeof numbers / sizeof numbers[0]; ++i)
        nn_pack_int(&out, numbers[i]);
    nn_pack_uint(&out, UINT64_MAX);
    nn_pack_real(&out, -0.1);
    nn_pack_bool(&out, 1);
    nn_pack_text(&out, "grün");
    nn_pack_text(&out, NULL);
    nn_pack_bytes(&out, "a\0b", 3);
    nn_pack_map(&out, 1);
    nn_pack_text(&out, "key");
    nn_pack_array(&out, 0);
    nn_unpack_start(&in, out.data, out.length, 2);
    for (i = 0; i < sizeof numbers / sizeof numbers[0]; ++i)
        assert_true(nn_unpack_int(&in) == numbers[i]);
    assert_true(nn_unpack_uint(&in, UINT64_MAX) == UINT64_MAX);
    assert_true(nn_unpack_real(&in) == -0.1);
    assert_int_equal(nn_unpack_bool(&in), 1);
    assert_memory_equal(nn_unpack_text(&in, &length), "grün", 5);
    assert_int_equal(length, 5);
    assert_int_equal(nn_unpack_nil(&in), 1);
    assert_memory_equal(nn_unpack_bytes(&in, &length), "a\0b", 3);
    assert_int_equal(length, 3);
    assert_int_equal(nn_unpack_map(&in, 9), 1);
    assert_memory_equal(nn_unpack_text(&in, &length), "key", 3);
    assert_int_equal(nn_unpack_array(&in, 9), 0);
    nn_unpack_leave(&in);
    nn_unpack_leave(&in);
    assert_true(nn_unpack_finished(&in));
    nn_text_finish(&out);
}

static void every_cut_is_noticed(void **state)
{
    nn_text out = {0};
    nn_unpack in;
    char *copy;
    size_t n;

    (void)state;
    nn_pack_array(&out, 6);
    nn_pack_uint(&out, UINT64_MAX);
    nn_pack_real(&out, 1);
    nn_pack_text(&out, "a text of more than thirty-two bytes");
    nn_pack_bytes(&out, "bytes", 5);
    nn_pack_map(&out, 1);
    nn_pack_int(&out, -70000);
    nn_pack_nil(&out);
    nn_pack_bool(&out, 0);
    for (n = 0; n < out.length; ++n) {
        copy = malloc(n);
        memcpy(copy, out.data, n);
        nn_unpack_start(&in, copy, n, 4);
        nn_unpack_skip(&in);
        assert_false(nn_unpack_finished(&in));
        free(copy);
    }
    nn_unpack_start(&in, out.data, out.length, 4);
    nn_unpack_skip(&in);
    assert_true(nn_unpack_finished(&in));
    nn_text_finish(&out);
}

static void a_count_is_bounded_by_what_is_left(void **state)
{
    nn_unpack in;

    (void)state;
    start(&in, "\xdd\xff\xff\xff\xff", 5);
    assert_int_equal(nn_unpack_array(&in, UINT32_MAX), 0);
    assert_string_equal(in.problem, "it counts more than it holds");
    start(&in, "\x82\xc0\xc0\xc0", 4);
    assert_int_equal(nn_unpack_map(&in, 9), 0);
    start(&in,
          "\xdb\xff\xff\xff\xff"
          "abc",
          8);
    nn_unpack_skip(&in);
    assert_string_equal(in.problem, "it is cut off");
    start(&in, "\xc0", 0);
    nn_unpack_skip(&in);
    assert_string_equal(in.problem, "it is cut off");
    start(&in, "\x93\xc0\xc0\xc0", 4);
    assert_int_equal(nn_unpack_array(&in, 2), 0);
    assert_string_equal(in.problem, "it has a list that is too long");
}

static void depth_is_bounded(void **state)
{
    char nested[100000];
    nn_unpack in;

    (void)state;
    memset(nested, '\x91', sizeof nested);
    nested[sizeof nested - 1] = '\xc0';
    nn_unpack_start(&in, nested, sizeof nested, 64);
    nn_unpack_skip(&in);
    assert_string_equal(in.problem, "it is nested too deeply");
    start(&in, "\x91\x91\x91\x91\xc0", 5);
    nn_unpack_skip(&in);
    assert_true(nn_unpack_finished(&in));
    start(&in, "\x91\x91\x91\x91\x91\xc0", 6);
    nn_unpack_skip(&in);
    assert_false(nn_unpack_finished(&in));
}

static void wrong_types_and_ranges_are_refused(void **state)
{
    nn_unpack in;
    size_t length;

    (void)state;
    start(&in, "\xc0", 1);
    assert_int_equal(nn_unpack_uint(&in, 9), 0);
    assert_non_null(in.problem);
    assert_ptr_equal(in.next, in.start);
    start(&in, "\x0a", 1);
    assert_int_equal(nn_unpack_uint(&in, 9), 0);
    assert_string_equal(in.problem, "it has a number out of range");
    start(&in, "\xcf\xff\xff\xff\xff\xff\xff\xff\xff", 9);
    assert_int_equal(nn_unpack_int(&in), 0);
    assert_non_null(in.problem);
    start(&in, "\xa2\xff\xff", 3);
    assert_null(nn_unpack_text(&in, &length));
    start(&in, "\xa1\0", 2);
    assert_null(nn_unpack_text(&in, &length));
    start(&in, "\xd4\x01\x02", 3);
    nn_unpack_skip(&in);
    assert_non_null(in.problem);
    start(&in, "\xc1", 1);
    nn_unpack_skip(&in);
    assert_non_null(in.problem);
}

static void a_failure_stays(void **state)
{
    nn_unpack in;

    (void)state;
    start(&in, "\xc0\x05", 2);
    nn_unpack_bool(&in);
    assert_int_equal(nn_unpack_nil(&in), 0);
    nn_unpack_skip(&in);
    assert_string_equal(in.problem, "it has a value of the wrong type");
    assert_false(nn_unpack_finished(&in));
    start(&in, "\xc0\x05", 2);
    assert_int_equal(nn_unpack_nil(&in), 1);
    assert_false(nn_unpack_finished(&in));
    assert_string_equal(in.problem, "something follows its end");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything_comes_back),
        cmocka_unit_test(every_cut_is_noticed),
        cmocka_unit_test(a_count_is_bounded_by_what_is_left),
        cmocka_unit_test(depth_is_bounded),
        cmocka_unit_test(wrong_types_and_ranges_are_refused),
        cmocka_unit_test(a_failure_stays),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
