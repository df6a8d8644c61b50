/* SPDX-License-Identifier: MIT */
/* test_elf.c - which files are fit to be opened. */
#define _GNU_SOURCE
#include "scratch.h"

#include "core/registry/elf.h"

/* Judges PATH; a refusal must contain TEXT, NULL means that it is fine. */
static void judge(const char *path, const char *text)
{
    nn_text reason = {0};
    struct stat status;
    int32_t code = nn_elf_check(path, &status, &reason);

    if (!text) {
        assert_string_equal(nn_text_string(&reason), "");
        assert_int_equal(code, NN_OK);
    } else {
        assert_true(code < 0);
        if (!strstr(nn_text_string(&reason), text))
            fail_msg("'%s' lacks '%s'", nn_text_string(&reason), text);
    }
    nn_text_finish(&reason);
}

static void a_plugin_is_fit(void **state)
{
    (void)state;
    judge(fixture("good"), NULL);
}

static void what_is_no_file_is_named(void **state)
{
    (void)state;
    assert_int_equal(mkdir(in_scratch("d.so"), 0755), 0);
    assert_int_equal(mkfifo(in_scratch("f.so"), 0644), 0);
    assert_int_equal(symlink("nowhere", in_scratch("dangling.so")), 0);
    assert_int_equal(symlink("b.so", in_scratch("a.so")), 0);
    assert_int_equal(symlink("a.so", in_scratch("b.so")), 0);
    judge(in_scratch("d.so"), "a folder");
    judge(in_scratch("f.so"), "a FIFO");
    judge(in_scratch("dangling.so"), "No such file");
    judge(in_scratch("a.so"), "Too many levels of symbolic links");
    judge("/dev/null", "a device");
}

static void what_is_no_elf_file_is_refused(void **state)
{
    (void)state;
    write_all(in_scratch("empty.so"), "", 0);
    write_all(in_scratch("text.so"), "just a note", 11);
    write_all(in_scratch("head.so"), "\177ELF", 4);
    judge(in_scratch("empty.so"), "empty");
    judge(in_scratch("text.so"), "no ELF header");
    judge(in_scratch("head.so"), "cut off");
}

static void an_unreadable_file_is_refused(void **state)
{
    const char *path = put("good", "secret.so");

    (void)state;
    if (!geteuid())
        skip();
    assert_int_equal(chmod(path, 0), 0);
    judge(path, "Permission denied");
}

static void every_cut_is_refused(void **state)
{
    size_t length;
    char *bytes = read_all(fixture("good"), &length);
    size_t n;

    (void)state;
    for (n = 1; n < length; n += n < 200 ? 1 : 97) {
        write_all(in_scratch("cut.so"), bytes, n);
        judge(in_scratch("cut.so"), n < 4 ? "no ELF header" : "cut off");
    }
    write_all(in_scratch("cut.so"), bytes, length - 1);
    judge(in_scratch("cut.so"), "cut off");
    free(bytes);
}

/* Changes one byte of a plugin's ELF header. */
static void judge_changed(size_t offset, char value, const char *text)
{
    size_t length;
    char *bytes = read_all(fixture("good"), &length);

    bytes[offset] = value;
    write_all(in_scratch("changed.so"), bytes, length);
    free(bytes);
    judge(in_scratch("changed.so"), text);
}

static void another_machine_or_kind_is_refused(void **state)
{
    (void)state;
    judge_changed(4, 9, "another machine");      /* class */
    judge_changed(5, 9, "another machine");      /* byte order */
    judge_changed(18, 99, "another machine");    /* machine */
    judge_changed(16, 1, "not a shared object"); /* type: object file */
    judge_changed(54, 1, "damaged");             /* size of a program header */
}

static void a_segment_beyond_the_end_is_refused(void **state)
{
    (void)state;
    /* The most significant byte of the first segment's size in the file. */
    judge_changed(64 + 32 + 7, 0x7f, "segment 0");
    /* And of its offset, so that the sum would overflow. */
    judge_changed(64 + 8 + 7, (char)0xff, "segment 0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plugin_is_fit),
        cmocka_unit_test(what_is_no_file_is_named),
        cmocka_unit_test(what_is_no_elf_file_is_refused),
        cmocka_unit_test(an_unreadable_file_is_refused),
        cmocka_unit_test(every_cut_is_refused),
        cmocka_unit_test(another_machine_or_kind_is_refused),
        cmocka_unit_test(a_segment_beyond_the_end_is_refused),
    };

    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
