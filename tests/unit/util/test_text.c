/* SPDX-License-Identifier: MIT */
/* test_text.c - strings that grow, UTF-8, and memory that dies together. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/util/arena.h"
#include "core/util/error.h"
#include "core/util/text.h"

static void a_text_grows_by_all_means(void **state)
{
    nn_text text = {0};
    char *taken;
    int i;

    (void)state;
    assert_string_equal(nn_text_string(&text), "");
    nn_text_append(&text, "ab");
    nn_text_append_bytes(&text, "cde", 1);
    nn_text_append_char(&text, '-', 3);
    nn_text_format(&text, "%d%s", 7, "x");
    assert_string_equal(nn_text_string(&text), "abc---7x");
    for (i = 0; i < 1000; ++i)
        nn_text_append(&text, "0123456789");
    assert_int_equal(text.length, 10008);
    assert_int_equal(strlen(nn_text_string(&text)), 10008);
    taken = nn_text_take(&text);
    assert_int_equal(strlen(taken), 10008);
    assert_string_equal(nn_text_string(&text), "");
    free(taken);
}

static void taking_nothing_gives_an_empty_string(void **state)
{
    nn_text text = {0};
    char *taken = nn_text_take(&text);

    (void)state;
    assert_string_equal(taken, "");
    free(taken);
}

static void a_failed_append_is_remembered(void **state)
{
    nn_text text = {0};

    (void)state;
    nn_text_append(&text, "kept");
    nn_text_append_char(&text, 'x', SIZE_MAX - 2);
    nn_text_append(&text, "dropped");
    assert_string_equal(nn_text_string(&text), "kept");
    assert_int_equal(nn_text_status(&text), NN_NO_MEMORY);
    assert_int_equal(nn_error_code(), NN_NO_MEMORY);
    nn_error_clear();
    assert_null(nn_text_take(&text));
    nn_error_clear();
}

/* Length and code of the character at BYTES. */
static size_t next(const char *bytes, uint32_t *code)
{
    *code = 0;
    return nn_utf8_next(bytes, strlen(bytes), code);
}

static void utf8_is_read_character_by_character(void **state)
{
    uint32_t code;

    (void)state;
    assert_int_equal(next("a", &code), 1);
    assert_int_equal(code, 'a');
    assert_int_equal(next("\xc3\xa4x", &code), 2);
    assert_int_equal(code, 0xe4);
    assert_int_equal(next("\xe2\x82\xac", &code), 3);
    assert_int_equal(code, 0x20ac);
    assert_int_equal(next("\xf0\x9f\x98\x80", &code), 4);
    assert_int_equal(code, 0x1f600);
    assert_int_equal(nn_utf8_next("", 0, &code), 0);
    assert_int_equal(nn_utf8_next("\0", 1, &code), 1);
}

static void broken_utf8_is_no_character(void **state)
{
    static const char *const broken[] = {"\x80",
                                         "\xff",
                                         "\xc0\x80",
                                         "\xc1\xbf",
                                         "\xc3",
                                         "\xc3x",
                                         "\xe0\x80\x80",
                                         "\xe2\x82",
                                         "\xed\xa0\x80",
                                         "\xf0\x80\x80\x80",
                                         "\xf4\x90\x80\x80",
                                         "\xf5\x80\x80\x80"};
    uint32_t code;
    size_t i;

    (void)state;
    for (i = 0; i < sizeof broken / sizeof broken[0]; ++i)
        assert_int_equal(next(broken[i], &code), 0);
}

static void arena_memory_is_zeroed_and_aligned(void **state)
{
    nn_arena *arena = NULL;
    int64_t size;

    (void)state;
    assert_int_equal(nn_arena_create(&arena), NN_OK);
    for (size = 0; size < 6000; size += 37) {
        char *memory = nn_arena_alloc(arena, 1, size);
        int64_t i;

        assert_non_null(memory);
        assert_int_equal((uintptr_t)memory % 16, 0);
        for (i = 0; i < size; ++i)
            assert_int_equal(memory[i], 0);
        memset(memory, 0xff, (size_t)size);
    }
    assert_string_equal(nn_arena_string(arena, "text"), "text");
    nn_arena_destroy(arena);
    nn_arena_destroy(NULL);
}

static void an_arena_refuses_sizes_that_overflow(void **state)
{
    nn_arena *arena = NULL;

    (void)state;
    assert_int_equal(nn_arena_create(&arena), NN_OK);
    assert_null(nn_arena_alloc(arena, INT64_MAX, 2));
    assert_null(nn_arena_alloc(arena, INT64_MAX, 1));
    assert_null(nn_arena_alloc(arena, -1, 1));
    assert_int_equal(nn_error_code(), NN_NO_MEMORY);
    nn_error_clear();
    assert_non_null(nn_arena_alloc(arena, 3, 3));
    nn_arena_destroy(arena);
}

/* Appends a digit to a number: shows the order of the calls. */
static void note_one(void *number)
{
    *(int *)number = *(int *)number * 10 + 1;
}

static void note_two(void *number)
{
    *(int *)number = *(int *)number * 10 + 2;
}

static void an_arena_finishes_the_latest_first(void **state)
{
    nn_arena *arena = NULL;
    int number = 0;

    (void)state;
    assert_int_equal(nn_arena_create(&arena), NN_OK);
    assert_int_equal(nn_arena_defer(arena, note_one, &number), NN_OK);
    assert_int_equal(nn_arena_defer(arena, note_two, &number), NN_OK);
    assert_int_equal(number, 0);
    nn_arena_destroy(arena);
    assert_int_equal(number, 21);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_text_grows_by_all_means),
        cmocka_unit_test(taking_nothing_gives_an_empty_string),
        cmocka_unit_test(a_failed_append_is_remembered),
        cmocka_unit_test(utf8_is_read_character_by_character),
        cmocka_unit_test(broken_utf8_is_no_character),
        cmocka_unit_test(arena_memory_is_zeroed_and_aligned),
        cmocka_unit_test(an_arena_refuses_sizes_that_overflow),
        cmocka_unit_test(an_arena_finishes_the_latest_first),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
