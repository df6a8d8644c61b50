/* SPDX-License-Identifier: MIT */
/* test_owner.c - whose plugin is it? */
#define _GNU_SOURCE
#include "scratch.h"

#include "core/registry/owner.h"

/* Judges PATH; an objection must contain TEXT, NULL means that it is safe. */
static void judge(const char *path, const char *text)
{
    nn_text reason = {0};
    int32_t result = nn_owner_check(path, &reason);

    if (!text) {
        assert_string_equal(nn_text_string(&reason), "");
        assert_int_equal(result, 1);
    } else {
        assert_int_not_equal(result, 1);
        if (!strstr(nn_text_string(&reason), text))
            fail_msg("'%s' lacks '%s'", nn_text_string(&reason), text);
    }
    nn_text_finish(&reason);
}

static void own_files_are_safe(void **state)
{
    (void)state;
    mkdir(in_scratch("dir"), 0755);
    write_all(in_scratch("dir/x.so"), "", 0);
    judge(in_scratch("dir/x.so"), NULL);
    judge(in_scratch("dir/../dir/.//x.so"), NULL);
    judge("/", NULL);
    judge("/usr/bin/env", NULL);
}

static void a_writable_folder_or_file_is_not(void **state)
{
    (void)state;
    mkdir(in_scratch("open"), 0755);
    write_all(in_scratch("open/x.so"), "", 0);
    chmod(in_scratch("open"), 0777);
    judge(in_scratch("open/x.so"), "open may be written by everybody");
    chmod(in_scratch("open"), 0775);
    judge(in_scratch("open/x.so"), "open may be written by its group");
    chmod(in_scratch("open"), 0755);
    chmod(in_scratch("open/x.so"), 0666);
    judge(in_scratch("open/x.so"), "x.so may be written by everybody");
    chmod(in_scratch("open/x.so"), 0644);
    judge(in_scratch("open/x.so"), NULL);
}

static void a_link_is_followed_to_its_target(void **state)
{
    (void)state;
    mkdir(in_scratch("safe"), 0755);
    mkdir(in_scratch("unsafe"), 0755);
    write_all(in_scratch("unsafe/x.so"), "", 0);
    chmod(in_scratch("unsafe"), 0777);
    assert_int_equal(symlink("../unsafe/x.so", in_scratch("safe/y.so")), 0);
    judge(in_scratch("safe/y.so"), "unsafe may be written");
    assert_int_equal(symlink(in_scratch("unsafe"), in_scratch("safe/d")), 0);
    judge(in_scratch("safe/d/x.so"), "unsafe may be written");
    chmod(in_scratch("unsafe"), 0755);
    judge(in_scratch("safe/y.so"), NULL);
    judge(in_scratch("safe/d/x.so"), NULL);
    judge(in_scratch("safe/d/../unsafe/x.so"), NULL);
}

static void a_sticky_folder_is_safe_only_if_it_is_roots(void **state)
{
    (void)state;
    mkdir(in_scratch("sticky"), 0755);
    write_all(in_scratch("sticky/x.so"), "", 0);
    chmod(in_scratch("sticky"), 01777);
    judge(in_scratch("sticky/x.so"),
          geteuid() ? "sticky may be written by everybody" : NULL);
}

static void a_strangers_file_is_not_safe(void **state)
{
    (void)state;
    if (geteuid())
        skip();
    mkdir(in_scratch("theirs"), 0755);
    write_all(in_scratch("theirs/x.so"), "", 0);
    assert_int_equal(chown(in_scratch("theirs/x.so"), 12345, 12345), 0);
    judge(in_scratch("theirs/x.so"), "x.so belongs to user 12345");
    assert_int_equal(chown(in_scratch("theirs/x.so"), 0, 0), 0);
    assert_int_equal(chown(in_scratch("theirs"), 12345, 12345), 0);
    judge(in_scratch("theirs/x.so"), "theirs belongs to user 12345");
    assert_int_equal(symlink("dir", in_scratch("link")), 0);
    assert_int_equal(lchown(in_scratch("link"), 12345, 12345), 0);
    judge(in_scratch("link"), "link belongs to user 12345");
}

static void what_cannot_be_followed_is_an_error(void **state)
{
    (void)state;
    assert_int_equal(symlink("loop2", in_scratch("loop1")), 0);
    assert_int_equal(symlink("loop1", in_scratch("loop2")), 0);
    judge(in_scratch("loop1"), "Too many levels of symbolic links");
    judge(in_scratch("nothing/x.so"), "No such file");
    write_all(in_scratch("plain"), "", 0);
    judge(in_scratch("plain/x.so"), "Not a directory");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(own_files_are_safe),
        cmocka_unit_test(a_writable_folder_or_file_is_not),
        cmocka_unit_test(a_link_is_followed_to_its_target),
        cmocka_unit_test(a_sticky_folder_is_safe_only_if_it_is_roots),
        cmocka_unit_test(a_strangers_file_is_not_safe),
        cmocka_unit_test(what_cannot_be_followed_is_an_error),
    };

    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
