/* SPDX-License-Identifier: MIT */
/* test_scan.c - whatever a plugin does when it is opened, another process
 * bears it. */
#define _GNU_SOURCE
#include "scratch.h"

#include <signal.h>
#include <sys/wait.h>
#include <time.h>

#include "core/registry/description.h"
#include "core/registry/scan.h"

/* A sanitizer turns the signal into an exit. */
#ifdef __SANITIZE_ADDRESS__
#define SIGNAL_11 "called exit(1)"
#elif defined __SANITIZE_THREAD__
#define SIGNAL_11 "called exit(66)"
#else
#define SIGNAL_11 "killed by signal 11 (Segmentation fault)"
#endif

static const char *scanner(void)
{
    const char *path = getenv("NN_BUILD_SCAN");

    if (!path)
        fail_msg("NN_BUILD_SCAN is not set");
    return path;
}

static double seconds(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void finish(nn_scan_job *job)
{
    nn_text_finish(&job->description);
    nn_text_finish(&job->reason);
}

/* Scans PATH; the reason must contain TEXT. */
static void refuse(const char *path, const char *text)
{
    nn_scan_job job = {.path = path};

    nn_scan_run(scanner(), &job, 1, 10);
    assert_true(job.code < 0);
    assert_int_equal(job.passing, 0);
    if (!strstr(nn_text_string(&job.reason), text))
        fail_msg("'%s' lacks '%s'", nn_text_string(&job.reason), text);
    finish(&job);
}

static void accept(const char *path)
{
    nn_scan_job job = {.path = path};

    nn_scan_run(scanner(), &job, 1, 10);
    assert_string_equal(nn_text_string(&job.reason), "");
    assert_int_equal(job.code, 0);
    assert_true(job.description.length > 0);
    finish(&job);
}

static void a_description_comes_back_whole(void **state)
{
    nn_scan_job job = {.path = fixture("good")};
    nn_text reason = {0};
    const nn_component *mirror;
    const nn_param *const *params;
    nn_arena *arena;
    nn_plugin_data *entry;

    (void)state;
    nn_scan_run(scanner(), &job, 1, 10);
    assert_int_equal(job.code, 0);
    assert_int_equal(nn_arena_create(&arena), 0);
    assert_int_equal(nn_description_unpack(job.description.data,
                                           job.description.length, arena,
                                           &entry, &reason),
                     0);
    assert_string_equal(entry->plugin.id, "org.example.good");
    assert_string_equal(entry->plugin.author, "Zoë");
    assert_string_equal(entry->plugin.libraries[0], "libm");
    assert_null(entry->plugin.libraries[1]);
    assert_null(entry->plugin.url);
    assert_int_equal(entry->has_init, 1);
    assert_int_equal(entry->plugin.n_components, 2);
    mirror = entry->plugin.components[1];
    assert_int_equal(mirror->kind, NN_KIND_LAYER);
    assert_int_equal(mirror->flags, NN_LAYER_RANDOM);
    assert_string_equal(mirror->doc, "y = x\n\twith x the input");
    assert_int_equal(mirror->n_params, 4);
    params = mirror->params;
    assert_string_equal(params[0]->choices[1], "grün");
    assert_int_equal(params[1]->element->type, NN_PARAM_REAL);
    assert_int_equal(params[2]->kind, NN_KIND_LAYER);
    assert_string_equal(params[3]->fields[0]->default_text, "3");
    assert_int_equal(params[3]->fields[1]->element->element->type,
                     NN_PARAM_REAL);
    assert_null(params[3]->fields[2]);
    assert_int_equal(mirror->inputs[1]->flags,
                     NN_PORT_OPTIONAL | NN_PORT_NO_DELTA);
    assert_int_equal(mirror->n_outputs, 1);
    nn_arena_destroy(arena);
    finish(&job);
}

static void the_true_reason_is_told(void **state)
{
    (void)state;
    refuse(fixture("exits"), "called exit(0) while it was opened");
    refuse(fixture("crashes"), SIGNAL_11 " while it was opened");
    refuse(fixture("wild"), "while its description was read");
    refuse(fixture("undefined"), "undefined symbol: nn_test_function");
    refuse(fixture("magic"), "does not begin with the letters NNPLUGIN");
    refuse(fixture("nullname"), "the name of a component is NULL");
    refuse(fixture("hollow"), "its interface lacks `value`");
    refuse(fixture("future"), "it needs plugin interface 1.4294967295, this "
                              "host has 1.0");
    refuse(fixture("nosymbol"),
           "this file is not a Nervenet plugin (no symbol nn_plugin_v1)");
    refuse(fixture("tls"), "static TLS");
    refuse(in_scratch("none.so"), "No such file");
}

static void odd_but_sound_plugins_are_described(void **state)
{
    double start = seconds();

    (void)state;
    accept(fixture("prints"));
    accept(fixture("newer"));
    accept(fixture("openmp"));
    accept(fixture("lingers"));
    assert_true(seconds() - start < 5);
}

static void a_hanging_plugin_is_ended(void **state)
{
    nn_scan_job job = {.path = fixture("hangs")};
    double start = seconds();

    (void)state;
    nn_scan_run(scanner(), &job, 1, 1);
    assert_true(seconds() - start < 4);
    assert_int_equal(job.code, NN_FORMAT);
    assert_string_equal(nn_text_string(&job.reason),
                        "took longer than 1 s while it was opened");
    finish(&job);
}

static void hanging_ones_wait_together(void **state)
{
    const char *const paths[] = {fixture("hangs"), fixture("crashes"),
                                 fixture("good")};
    nn_scan_job jobs[9];
    double start = seconds();
    int i;

    (void)state;
    memset(jobs, 0, sizeof jobs);
    for (i = 0; i < 9; ++i)
        jobs[i].path = paths[i < 4 ? 0 : i < 6 ? 1 : 2];
    nn_scan_run(scanner(), jobs, 9, 1);
    assert_true(seconds() - start < 3);
    for (i = 0; i < 9; ++i) {
        assert_int_equal(jobs[i].code, i < 6 ? NN_FORMAT : NN_OK);
        finish(&jobs[i]);
    }
}

static void a_missing_scanner_is_no_fault_of_the_file(void **state)
{
    nn_scan_job job = {.path = fixture("good")};

    (void)state;
    nn_scan_run("/nonexistent/nn-scan", &job, 1, 10);
    assert_int_equal(job.passing, 1);
    assert_true(job.code < 0);
    assert_string_equal(
        nn_text_string(&job.reason),
        "cannot run /nonexistent/nn-scan: No such file or directory");
    finish(&job);
    memset(&job, 0, sizeof job);
    job.path = fixture("good");
    nn_scan_run("/bin/false", &job, 1, 10);
    assert_int_equal(job.passing, 1);
    assert_string_equal(nn_text_string(&job.reason),
                        "/bin/false ended without looking at it (exit 1)");
    finish(&job);
}

/* Number of open descriptors. */
static int count_files(void)
{
    int count = 0;
    int i;

    for (i = 0; i < 256; ++i)
        count += fcntl(i, F_GETFD) >= 0;
    return count;
}

/* Is there a process PID that is no zombie? */
static int is_running(int pid)
{
    char path[64];
    char state = 'X';
    FILE *file;

    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    file = fopen(path, "r");
    if (!file)
        return 0;
    if (fscanf(file, "%*d (%*[^)]) %c", &state) != 1)
        state = 'X';
    fclose(file);
    return state != 'Z' && state != 'X';
}

static void nothing_is_left_behind(void **state)
{
    int before = count_files();
    size_t length;
    char *left;
    int tries;

    (void)state;
    setenv("NN_TEST_RECORD", in_scratch("left"), 1);
    refuse(fixture("crashes"), SIGNAL_11);
    accept(fixture("good"));
    accept(fixture("lingers"));
    assert_int_equal(count_files(), before);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    left = read_all(in_scratch("left"), &length);
    left[length] = '\0';
    /* Killed, but perhaps not yet gone. */
    for (tries = 0; tries < 100 && is_running(atoi(left)); ++tries)
        usleep(10000);
    assert_false(is_running(atoi(left)));
    free(left);
    unsetenv("NN_TEST_RECORD");
}

static void a_program_that_ignores_its_children_is_served(void **state)
{
    (void)state;
    signal(SIGCHLD, SIG_IGN);
    accept(fixture("good"));
    refuse(fixture("exits"), "ended while it was opened");
    signal(SIGCHLD, SIG_DFL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_description_comes_back_whole),
        cmocka_unit_test(the_true_reason_is_told),
        cmocka_unit_test(odd_but_sound_plugins_are_described),
        cmocka_unit_test(a_hanging_plugin_is_ended),
        cmocka_unit_test(hanging_ones_wait_together),
        cmocka_unit_test(a_missing_scanner_is_no_fault_of_the_file),
        cmocka_unit_test(nothing_is_left_behind),
        cmocka_unit_test(a_program_that_ignores_its_children_is_served),
    };

    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
