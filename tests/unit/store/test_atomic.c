/* SPDX-License-Identifier: MIT */
/* test_atomic.c - whatever happens while a checkpoint is written, the name
 * leads to the old file or the new one, and failures are told.
 *
 * With the argument --write this program writes one checkpoint after the other
 * until it is killed. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

#include "tests/unit/store/files.h"

#define COUNT 50000 /* integers in the tensor */
#define ROUNDS 50
#define SKIPPED 77

/* ---- calls that can fail, in place of the C library's ------------------- */

enum { FAIL_NONE, FAIL_FSYNC, FAIL_CLOSE, FAIL_RENAME };

static int failing;     /* which call is the next to fail */
static char calls[256]; /* "file folder": what was synced and renamed */

/* Notes WHAT; returns -1 if it is CALL that is to fail now. */
static int note(int call, const char *what)
{
    if (strlen(calls) + strlen(what) < sizeof calls)
        strcat(calls, what);
    if (!call || failing != call)
        return 0;
    failing = FAIL_NONE;
    errno = EIO;
    return -1;
}

int fsync(int file)
{
    struct stat status;

    if (fstat(file, &status) == 0 && S_ISDIR(status.st_mode))
        note(FAIL_NONE, "folder ");
    else if (note(FAIL_FSYNC, "file "))
        return -1;
    return (int)syscall(SYS_fsync, file);
}

int close(int file)
{
    int result = (int)syscall(SYS_close, file);

    return failing == FAIL_CLOSE && note(FAIL_CLOSE, "") ? -1 : result;
}

int rename(const char *from, const char *to)
{
    if (note(FAIL_RENAME, "rename "))
        return -1;
    return (int)syscall(SYS_renameat, AT_FDCWD, from, AT_FDCWD, to);
}

/* ---- checkpoints with one number ---------------------------------------- */

/* Writes to PATH a checkpoint whose value and tensor of COUNT elements are all
 * N. */
static int32_t write_number(const char *path, int32_t n, int64_t count)
{
    int32_t *data = malloc((size_t)count * sizeof *data);
    nn_checkpoint_writer *writer = NULL;
    nn_tensor tensor = {.group = "parameters",
                        .name = "W",
                        .dtype = NN_INT32,
                        .ndim = 1,
                        .shape = {count},
                        .data = data,
                        .bytes = count * 4};
    int64_t i;
    int32_t code = data ? nn_checkpoint_writer_create(&writer) : NN_NO_MEMORY;

    for (i = 0; !code && i < count; ++i)
        data[i] = n;
    if (!code)
        code = nn_checkpoint_put_int(writer, "n", n);
    if (!code)
        code = nn_checkpoint_put_tensor(writer, &tensor);
    if (!code)
        code = nn_checkpoint_write(writer, path);
    nn_checkpoint_writer_destroy(writer);
    free(data);
    return code;
}

/* The number in PATH, of which every element must agree; -1 if not. */
static int32_t read_number(const char *path)
{
    nn_checkpoint *checkpoint = NULL;
    nn_tensor tensor;
    int64_t n = -1;
    int64_t i;

    if (nn_checkpoint_open(path, &checkpoint) != NN_OK)
        return -1;
    nn_checkpoint_get_int(checkpoint, "n", &n);
    nn_checkpoint_find(checkpoint, "parameters", "W", &tensor);
    for (i = 0; i < tensor.shape[0]; ++i) {
        if (((const int32_t *)tensor.data)[i] != n)
            n = -1;
    }
    nn_checkpoint_close(checkpoint);
    return (int32_t)n;
}

/* The other side of the kill: writes N, N + 1, ... and says so on stdout. */
static int write_until_killed(const char *path, int32_t n)
{
    for (;; ++n) {
        if (write_number(path, n, COUNT) != NN_OK)
            return EXIT_FAILURE;
        if (write(STDOUT_FILENO, &n, sizeof n) != sizeof n)
            return EXIT_FAILURE;
    }
}

static void pause_for(long nanoseconds)
{
    struct timespec time = {0, nanoseconds};

    nanosleep(&time, NULL);
}

/* This program.  Not /proc/self/exe: a checker that runs it is there. */
static const char *program;

/* Runs the writer from N on and kills it some DELAY after its first file.
 * Returns the last number that it said it had written. */
static int32_t kill_a_writer(const char *path, int32_t n, long delay)
{
    char text[16];
    int32_t said = -1;
    int pipes[2];
    int status;
    pid_t child;

    assert_int_equal(pipe(pipes), 0);
    snprintf(text, sizeof text, "%d", (int)n);
    child = fork();
    if (child == 0) {
        dup2(pipes[1], STDOUT_FILENO);
        close(pipes[0]);
        execl(program, program, "--write", path, text, (char *)NULL);
        _exit(127);
    }
    close(pipes[1]);
    assert_int_equal(read(pipes[0], &said, sizeof said), sizeof said);
    pause_for(delay);
    kill(child, SIGKILL);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
    while (read(pipes[0], &n, sizeof n) == sizeof n)
        said = n;
    close(pipes[0]);
    return said;
}

static void a_kill_leaves_the_old_or_the_new(void **state)
{
    const char *path = in_scratch("killed.nn");
    unsigned seed = 1;
    int32_t n = 0;
    int i;

    (void)state;
    for (i = 0; i < ROUNDS; ++i) {
        int32_t said;
        int32_t is;

        seed = seed * 1103515245u + 12345u;
        said = kill_a_writer(path, n, (long)(seed >> 8) % 8000000);
        is = read_number(path);
        if (is != said && is != said + 1)
            fail_msg("round %d: %d was written, %d is there: %s", i, said, is,
                     nn_error_text());
        n = is + 1;
    }
}

/* Writes too much in a child whose files are limited.  Returns its status. */
static int write_limited(const char *path, int ignore)
{
    const struct rlimit limit = {100000, 100000};
    const struct rlimit none = {0, 0};
    int status = -1;
    pid_t child = fork();

    if (child == 0) {
        setrlimit(RLIMIT_CORE, &none);
        setrlimit(RLIMIT_FSIZE, &limit);
        signal(SIGXFSZ, ignore ? SIG_IGN : SIG_DFL);
        if (write_number(path, 2, COUNT) != NN_IO ||
            !strstr(nn_error_text(), path) ||
            !strstr(nn_error_text(), "File too large"))
            _exit(1);
        _exit(read_number(path) == 1 ? 0 : 2);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

static void a_limit_of_files_is_an_error(void **state)
{
    const char *path = in_scratch("alone/limited.nn");

    (void)state;
    assert_int_equal(mkdir(in_scratch("alone"), 0777), 0);
    assert_int_equal(write_number(path, 1, 10), NN_OK);
    assert_int_equal(write_limited(path, 1), 0);
    assert_int_equal(read_number(path), 1);
    assert_int_equal(count_files(in_scratch("alone")), 1);
}

static void the_signal_of_that_limit_leaves_the_old(void **state)
{
    const char *path = in_scratch("alone/limited.nn");
    int status = write_limited(path, 0);

    (void)state;
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGXFSZ);
    assert_int_equal(read_number(path), 1);
}

/* In a child: a file system of 1 MB of its own, which gets full. */
static int fill_a_disk(const char *folder)
{
    char path[5000];
    int32_t code;

    if (unshare(CLONE_NEWNS) != 0 ||
        mount("none", "/", "", MS_REC | MS_PRIVATE, "") != 0 ||
        mount("none", folder, "tmpfs", 0, "size=1m") != 0)
        return SKIPPED;
    snprintf(path, sizeof path, "%s/full.nn", folder);
    if (write_number(path, 1, 1000) != NN_OK)
        return 1;
    code = write_number(path, 2, 500000);
    if (code != NN_IO || !strstr(nn_error_text(), "No space left") ||
        !strstr(nn_error_text(), path))
        return 2;
    if (read_number(path) != 1 || count_files(folder) != 1)
        return 3;
    return 0;
}

static void a_full_disk_is_an_error(void **state)
{
    const char *folder = in_scratch("disk");
    int status = -1;
    pid_t child;

    (void)state;
    assert_int_equal(mkdir(folder, 0777), 0);
    child = fork();
    if (child == 0)
        _exit(fill_a_disk(folder));
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == SKIPPED)
        skip();
    assert_int_equal(WEXITSTATUS(status), 0);
}

static void file_and_folder_are_synced_in_order(void **state)
{
    (void)state;
    calls[0] = '\0';
    assert_int_equal(write_number(in_scratch("synced.nn"), 1, 10), NN_OK);
    assert_string_equal(calls, "file rename folder ");
}

static void a_step_that_fails_is_told(void **state)
{
    const char *path = in_scratch("steps/x.nn");
    int i;

    (void)state;
    assert_int_equal(mkdir(in_scratch("steps"), 0777), 0);
    assert_int_equal(write_number(path, 1, 10), NN_OK);
    for (i = FAIL_FSYNC; i <= FAIL_RENAME; ++i) {
        nn_error_clear();
        failing = i;
        assert_int_equal(write_number(path, 2, 10), NN_IO);
        assert_int_equal(failing, FAIL_NONE);
        assert_non_null(strstr(nn_error_text(), path));
        assert_non_null(strstr(nn_error_text(), "Input/output error"));
        assert_int_equal(read_number(path), 1);
        assert_int_equal(count_files(in_scratch("steps")), 1);
    }
}

static void a_folder_that_is_gone_is_an_error(void **state)
{
    const char *path = in_scratch("gone/x.nn");

    (void)state;
    assert_int_equal(write_number(path, 1, 10), NN_IO);
    assert_non_null(strstr(nn_error_text(), path));
    assert_non_null(strstr(nn_error_text(), "No such file"));
}

static void a_folder_that_may_not_be_written_is_an_error(void **state)
{
    const char *path = in_scratch("read-only/x.nn");

    (void)state;
    assert_int_equal(mkdir(in_scratch("read-only"), 0777), 0);
    assert_int_equal(write_number(path, 1, 10), NN_OK);
    if (geteuid() == 0)
        skip();
    assert_int_equal(chmod(in_scratch("read-only"), 0555), 0);
    assert_int_equal(write_number(path, 2, 10), NN_IO);
    assert_non_null(strstr(nn_error_text(), "Permission denied"));
    assert_int_equal(read_number(path), 1);
    assert_int_equal(chmod(in_scratch("read-only"), 0755), 0);
}

static void folders_and_devices_are_not_replaced(void **state)
{
    struct stat status;

    (void)state;
    assert_int_equal(mkdir(in_scratch("is-folder"), 0777), 0);
    assert_int_equal(write_number(in_scratch("is-folder"), 1, 10), NN_IO);
    assert_non_null(strstr(nn_error_text(), "Is a directory"));
    nn_error_clear();
    assert_int_equal(mkfifo(in_scratch("is-pipe"), 0666), 0);
    assert_int_equal(write_number(in_scratch("is-pipe"), 1, 10), NN_IO);
    assert_non_null(strstr(nn_error_text(), "no regular file"));
    assert_int_equal(lstat(in_scratch("is-pipe"), &status), 0);
    assert_true(S_ISFIFO(status.st_mode));
}

static void a_link_is_replaced_not_followed(void **state)
{
    struct stat status;

    (void)state;
    assert_int_equal(write_number(in_scratch("aim.nn"), 1, 10), NN_OK);
    assert_int_equal(symlink("aim.nn", in_scratch("link.nn")), 0);
    assert_int_equal(read_number(in_scratch("link.nn")), 1);
    assert_int_equal(write_number(in_scratch("link.nn"), 2, 10), NN_OK);
    assert_int_equal(lstat(in_scratch("link.nn"), &status), 0);
    assert_true(S_ISREG(status.st_mode));
    assert_int_equal(read_number(in_scratch("aim.nn")), 1);
    assert_int_equal(read_number(in_scratch("link.nn")), 2);
}

/* Names that a killed process of the same number left are passed over. */
static void left_files_are_passed_over(void **state)
{
    char name[64];
    int i;

    (void)state;
    assert_int_equal(mkdir(in_scratch("left"), 0777), 0);
    for (i = 0; i < 100; ++i) {
        snprintf(name, sizeof name, "left/x.nn.tmp-%ld-%d", (long)getpid(), i);
        write_all(in_scratch(name), "old", 3);
    }
    assert_int_equal(write_number(in_scratch("left/x.nn"), 3, 10), NN_OK);
    assert_int_equal(read_number(in_scratch("left/x.nn")), 3);
    assert_int_equal(count_files(in_scratch("left")), 101);
}

static void a_name_in_the_current_folder_will_do(void **state)
{
    int here = open(".", O_RDONLY | O_DIRECTORY);

    (void)state;
    assert_int_equal(chdir(scratch), 0);
    assert_int_equal(write_number("plain.nn", 4, 10), NN_OK);
    assert_int_equal(read_number("plain.nn"), 4);
    assert_int_equal(fchdir(here), 0);
    close(here);
}

static void impossible_names_are_an_error(void **state)
{
    char name[300] = {0};

    (void)state;
    memset(name, 'x', 250); /* no room for the temporary name */
    assert_int_equal(write_number(in_scratch(name), 1, 10), NN_IO);
    assert_non_null(strstr(nn_error_text(), "File name too long"));
    nn_error_clear();
    assert_int_equal(write_number(in_scratch("alone/limited.nn/x"), 1, 10),
                     NN_IO);
    assert_non_null(strstr(nn_error_text(), "Not a directory"));
    assert_int_equal(read_number(in_scratch("alone/limited.nn")), 1);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_kill_leaves_the_old_or_the_new, forget),
        cmocka_unit_test_setup(a_limit_of_files_is_an_error, forget),
        cmocka_unit_test_setup(the_signal_of_that_limit_leaves_the_old, forget),
        cmocka_unit_test_setup(impossible_names_are_an_error, forget),
        cmocka_unit_test_setup(a_full_disk_is_an_error, forget),
        cmocka_unit_test_setup(file_and_folder_are_synced_in_order, forget),
        cmocka_unit_test_setup(a_step_that_fails_is_told, forget),
        cmocka_unit_test_setup(a_folder_that_is_gone_is_an_error, forget),
        cmocka_unit_test_setup(a_folder_that_may_not_be_written_is_an_error,
                               forget),
        cmocka_unit_test_setup(folders_and_devices_are_not_replaced, forget),
        cmocka_unit_test_setup(a_link_is_replaced_not_followed, forget),
        cmocka_unit_test_setup(left_files_are_passed_over, forget),
        cmocka_unit_test_setup(a_name_in_the_current_folder_will_do, forget),
    };

    program = argv[0];
    if (argc == 4 && strcmp(argv[1], "--write") == 0)
        return write_until_killed(argv[2], (int32_t)strtol(argv[3], NULL, 10));
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
