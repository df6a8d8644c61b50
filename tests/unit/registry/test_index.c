/* SPDX-License-Identifier: MIT */
/* test_index.c - what is remembered of earlier scans, and for how long. */
#define _GNU_SOURCE
#include "scratch.h"

#include <time.h>

#include <nn/base.h>

#include "core/registry/index.h"

static char path[4200]; /* of the index */

static const char *const scanner = "/bin/true";
static int64_t now; /* in ns since 1970 */

/* The state of a file that was changed long ago. */
static struct stat old_status(void)
{
    struct stat status;

    assert_int_equal(stat("/bin/true", &status), 0);
    return status;
}

static int fresh(void **state)
{
    (void)state;
    now = (int64_t)time(NULL) * 1000000000;
    snprintf(path, sizeof path, "%s", in_scratch("c/a/che/plugins.idx"));
    unlink(path);
    return 0;
}

static nn_index *open_index(const char *program)
{
    nn_index *index;

    assert_int_equal(nn_index_open(path, program, now, &index), 0);
    return index;
}

/* Writes an index that knows of /p/a.so. */
static void write_index(int32_t code, const char *bytes)
{
    nn_index *index = open_index(scanner);
    struct stat status = old_status();
    nn_index_answer answer = {code, bytes, strlen(bytes)};

    nn_index_add(index, "/p/a.so", &status, &answer);
    nn_index_close(index);
}

/* Is /p/a.so with STATUS known to the index on disk? */
static int knows(const struct stat *status, const char *bytes)
{
    nn_index *index = open_index(scanner);
    nn_index_answer answer = {0, NULL, 0};
    int found = nn_index_find(index, "/p/a.so", status, &answer);

    if (found && bytes) {
        assert_int_equal(answer.length, strlen(bytes));
        assert_memory_equal(answer.bytes, bytes, answer.length);
    }
    nn_index_close(index);
    return found;
}

static void an_answer_is_remembered(void **state)
{
    struct stat status = old_status();

    (void)state;
    assert_false(knows(&status, NULL));
    write_index(NN_OK, "answer");
    assert_true(knows(&status, "answer"));
    write_index(NN_FORMAT, "reason");
    assert_true(knows(&status, "reason"));
}

static void any_change_of_the_file_makes_it_unknown(void **state)
{
    struct stat status = old_status();
    struct stat other = status;

    (void)state;
    write_index(NN_OK, "answer");
    other.st_dev++;
    assert_false(knows(&other, NULL));
    other = status;
    other.st_ino++;
    assert_false(knows(&other, NULL));
    other = status;
    other.st_size++;
    assert_false(knows(&other, NULL));
    other = status;
    other.st_mtim.tv_nsec ^= 1;
    assert_false(knows(&other, NULL));
    other = status;
    other.st_ctim.tv_nsec ^= 1;
    assert_false(knows(&other, NULL));
    assert_true(knows(&status, NULL));
}

static void only_failures_grow_old(void **state)
{
    const int64_t second = 1000000000;
    struct stat status = old_status();

    (void)state;
    write_index(NN_FORMAT, "reason");
    now += (NN_INDEX_FAILURE_SECONDS - 1) * second;
    assert_true(knows(&status, "reason"));
    now += second;
    assert_false(knows(&status, NULL));
    now -= 2 * NN_INDEX_FAILURE_SECONDS * second;
    assert_false(knows(&status, NULL));
    write_index(NN_OK, "answer");
    now += 1000000 * second;
    assert_true(knows(&status, "answer"));
}

static void another_scanner_asks_anew(void **state)
{
    struct stat status = old_status();
    nn_index_answer answer;
    nn_index *index;

    (void)state;
    write_index(NN_OK, "answer");
    index = open_index("/bin/false");
    assert_false(nn_index_find(index, "/p/a.so", &status, &answer));
    nn_index_close(index);
    assert_true(knows(&status, NULL));
}

static void a_file_of_this_moment_is_not_remembered(void **state)
{
    nn_index_answer answer = {NN_OK, "x", 1};
    nn_index *index;
    struct stat status;

    (void)state;
    write_all(in_scratch("new.so"), "", 0);
    assert_int_equal(stat(in_scratch("new.so"), &status), 0);
    index = open_index(scanner);
    nn_index_add(index, in_scratch("new.so"), &status, &answer);
    nn_index_close(index);
    index = open_index(scanner);
    assert_false(nn_index_find(index, in_scratch("new.so"), &status, &answer));
    nn_index_close(index);
}

static void every_broken_index_is_as_good_as_none(void **state)
{
    struct stat status = old_status();
    size_t length;
    char *bytes;
    size_t n;

    (void)state;
    write_index(NN_OK, "answer");
    bytes = read_all(path, &length);
    for (n = 0; n < length; ++n) {
        write_all(path, bytes, n);
        assert_false(knows(&status, NULL));
        bytes[n] ^= 4;
        write_all(path, bytes, length);
        assert_false(knows(&status, NULL));
        bytes[n] ^= 4;
    }
    write_all(path, bytes, length);
    assert_true(knows(&status, "answer"));
    free(bytes);
}

static void an_index_that_others_can_write_is_not_read(void **state)
{
    struct stat status = old_status();

    (void)state;
    write_index(NN_OK, "answer");
    assert_int_equal(chmod(path, 0666), 0);
    assert_false(knows(&status, NULL));
    assert_int_equal(chmod(path, 0644), 0);
    assert_true(knows(&status, NULL));
    if (!geteuid()) {
        assert_int_equal(chown(path, 12345, 12345), 0);
        assert_false(knows(&status, NULL));
    }
}

static void what_is_gone_is_dropped_when_it_is_written(void **state)
{
    struct stat status = old_status();
    nn_index_answer answer = {NN_OK, "x", 1};
    nn_index *index;

    (void)state;
    write_index(NN_OK, "answer");
    index = open_index(scanner);
    nn_index_add(index, "/bin/true", &status, &answer);
    nn_index_close(index);
    assert_false(knows(&status, NULL));
    index = open_index(scanner);
    nn_index_add(index, "/p/b.so", &status, &answer);
    nn_index_close(index);
    index = open_index(scanner);
    assert_true(nn_index_find(index, "/bin/true", &status, &answer));
    assert_true(nn_index_find(index, "/p/b.so", &status, &answer));
    nn_index_close(index);
}

static void nowhere_to_write_is_no_error(void **state)
{
    struct stat status = old_status();
    nn_index_answer answer = {NN_OK, "x", 1};
    nn_index *index;

    (void)state;
    write_all(in_scratch("plain"), "", 0);
    assert_int_equal(nn_index_open(in_scratch("plain/c/i"), scanner, now,
                                   &index),
                     0);
    nn_index_add(index, "/p/a.so", &status, &answer);
    assert_true(nn_index_find(index, "/p/a.so", &status, &answer));
    nn_index_close(index);
    assert_int_equal(nn_index_open(NULL, scanner, now, &index), 0);
    nn_index_add(index, "/p/a.so", &status, &answer);
    nn_index_close(index);
    nn_index_close(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(an_answer_is_remembered, fresh),
        cmocka_unit_test_setup(any_change_of_the_file_makes_it_unknown, fresh),
        cmocka_unit_test_setup(only_failures_grow_old, fresh),
        cmocka_unit_test_setup(another_scanner_asks_anew, fresh),
        cmocka_unit_test_setup(a_file_of_this_moment_is_not_remembered, fresh),
        cmocka_unit_test_setup(every_broken_index_is_as_good_as_none, fresh),
        cmocka_unit_test_setup(an_index_that_others_can_write_is_not_read,
                               fresh),
        cmocka_unit_test_setup(what_is_gone_is_dropped_when_it_is_written,
                               fresh),
        cmocka_unit_test_setup(nowhere_to_write_is_no_error, fresh),
    };

    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
