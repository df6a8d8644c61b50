/* SPDX-License-Identifier: MIT */
/* test_folder.c - an unusable folder is found before training, and logs have
 * whole lines. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "core/store/folder.h"
#include "tests/unit/store/files.h"

/* PATH is refused as a folder, with WORDS and the path. */
static void no_folder(const char *path, const char *words)
{
    assert_int_equal(nn_file_make_folder(path), NN_IO);
    if (!strstr(nn_error_text(), words) || !strstr(nn_error_text(), path))
        fail_msg("\"%s\" and the path are not in: %s", words, nn_error_text());
    nn_error_clear();
}

static int is_folder(const char *path)
{
    struct stat status;

    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

static void parents_are_made_too(void **state)
{
    (void)state;
    assert_int_equal(nn_file_make_folder(in_scratch("a/b//c/")), NN_OK);
    assert_true(is_folder(in_scratch("a/b/c")));
    assert_int_equal(count_files(in_scratch("a/b/c")), 0);
    assert_int_equal(nn_file_make_folder(in_scratch("a/b/c")), NN_OK);
    assert_int_equal(nn_file_make_folder(in_scratch("a/./b/../d")), NN_OK);
    assert_true(is_folder(in_scratch("a/d")));
}

static void a_name_in_the_current_folder_will_do(void **state)
{
    int here = open(".", O_RDONLY | O_DIRECTORY);

    (void)state;
    assert_int_equal(chdir(scratch), 0);
    assert_int_equal(nn_file_make_folder("."), NN_OK);
    assert_int_equal(nn_file_make_folder("plain"), NN_OK);
    assert_true(is_folder("plain"));
    assert_int_equal(fchdir(here), 0);
    close(here);
}

static void what_cannot_be_used_is_an_error(void **state)
{
    (void)state;
    no_folder("", "No such file");
    write_all(in_scratch("file"), "x", 1);
    no_folder(in_scratch("file"), "cannot make the folder");
    no_folder(in_scratch("file/below"), "Not a directory");
    assert_int_equal(symlink("nowhere", in_scratch("dangling")), 0);
    no_folder(in_scratch("dangling"), "File exists");
    if (access("/proc/self", F_OK) == 0)
        no_folder("/proc/self", "cannot write in the folder");
    if (geteuid() == 0)
        return;
    assert_int_equal(mkdir(in_scratch("read-only"), 0555), 0);
    no_folder(in_scratch("read-only"), "cannot write in the folder");
    no_folder(in_scratch("read-only/x"), "cannot make the folder");
}

/* PATH holds TEXT. */
static void holds(const char *path, const char *text)
{
    size_t length;
    uint8_t *bytes = read_all(path, &length);

    assert_int_equal(length, strlen(text));
    assert_memory_equal(bytes, text, length);
    free(bytes);
}

static void lines_are_appended_and_cut(void **state)
{
    const char *path = in_scratch("log");

    (void)state;
    assert_int_equal(nn_file_truncate(path, 0), NN_OK);
    assert_int_equal(nn_file_truncate(path, 3), NN_END);
    assert_int_equal(access(path, F_OK), -1);
    assert_int_equal(nn_file_append(path, "one\n", 4), NN_OK);
    assert_int_equal(nn_file_append(path, "", 0), NN_OK);
    assert_int_equal(nn_file_append(path, "two\n", 4), NN_OK);
    holds(path, "one\ntwo\n");
    assert_int_equal(nn_file_truncate(path, 9), NN_END);
    holds(path, "one\ntwo\n");
    assert_int_equal(nn_file_truncate(path, 8), NN_OK);
    holds(path, "one\ntwo\n");
    assert_int_equal(nn_file_truncate(path, 4), NN_OK);
    holds(path, "one\n");
    assert_int_equal(nn_file_append(path, "2\n", 2), NN_OK);
    holds(path, "one\n2\n");
    assert_int_equal(nn_file_truncate(path, 0), NN_OK);
    holds(path, "");
    assert_int_equal(nn_error_code(), 0);
}

static void a_line_that_does_not_fit_is_not_there(void **state)
{
    const struct rlimit limit = {6, 6};
    const char *path = in_scratch("limited");
    int status = -1;
    pid_t child;

    (void)state;
    assert_int_equal(nn_file_append(path, "one\n", 4), NN_OK);
    child = fork();
    if (child == 0) {
        signal(SIGXFSZ, SIG_IGN);
        setrlimit(RLIMIT_FSIZE, &limit);
        if (nn_file_append(path, "three\n", 6) != NN_IO)
            _exit(1);
        _exit(strstr(nn_error_text(), "File too large") &&
                      strstr(nn_error_text(), path)
                  ? 0
                  : 2);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    holds(path, "one\n");
}

static void only_files_are_logs(void **state)
{
    (void)state;
    assert_int_equal(nn_file_append(scratch, "x", 1), NN_IO);
    assert_non_null(strstr(nn_error_text(), "Is a directory"));
    nn_error_clear();
    assert_int_equal(nn_file_append(in_scratch("none/log"), "x", 1), NN_IO);
    assert_non_null(strstr(nn_error_text(), "none/log\": No such file"));
    nn_error_clear();
    assert_int_equal(mkfifo(in_scratch("pipe"), 0666), 0);
    assert_int_equal(nn_file_append(in_scratch("pipe"), "x", 1), NN_IO);
    nn_error_clear();
    assert_int_equal(nn_file_append("/dev/null", "x", 1), NN_IO);
    nn_error_clear();
    assert_int_equal(nn_file_truncate(scratch, 1), NN_IO);
    assert_non_null(strstr(nn_error_text(), "cannot shorten"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(parents_are_made_too, forget),
        cmocka_unit_test_setup(a_name_in_the_current_folder_will_do, forget),
        cmocka_unit_test_setup(what_cannot_be_used_is_an_error, forget),
        cmocka_unit_test_setup(lines_are_appended_and_cut, forget),
        cmocka_unit_test_setup(a_line_that_does_not_fit_is_not_there, forget),
        cmocka_unit_test_setup(only_files_are_logs, forget),
    };

    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
