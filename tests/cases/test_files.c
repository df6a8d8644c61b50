/* SPDX-License-Identifier: MIT */
/* test_files.c - checkpoints of the case bank: F1, F2, F4 and F6. */
#define _GNU_SOURCE
#include "cases.h"

#include <sys/resource.h>

#define NET                                                                    \
    "inputs: {x: [3]}\n"                                                       \
    "network:\n"                                                               \
    "  - fully_connected: {name: a, size: 2, activation: tanh}\n"              \
    "  - fully_connected: {name: b, size: %d}\n"                               \
    "  - loss\n"                                                               \
    "training: {stepper: {momentum: 0.1}, epochs: 1}\n"

static void net_of(char *text, size_t size, int classes)
{
    snprintf(text, size, NET, classes);
}

/* A run to its end in the test's folder; its bytes are returned. */
static char *make_checkpoint(size_t *count)
{
    static const double x[] = {1, 2, 3};
    field fields[] = {{"x", x, 3, 0}};
    char text[512];
    run r = {0};

    net_of(text, sizeof text, 2);
    r.out = in_folder("run");
    assert_done(train(&r, text, fields, 1, 1, 1));
    assert_done(nn_trainer_save(r.trainer, in_folder("good.nn")));
    end_run(&r);
    return read_bytes(in_folder("good.nn"), count);
}

static void refuse_file(const char *name, const char *part)
{
    nn_model_options options;
    nn_checkpoint *checkpoint = NULL;
    nn_model *model = NULL;

    memset(&options, 0, sizeof options);
    options.size = sizeof options;
    assert_true(nn_checkpoint_open(in_folder(name), &checkpoint) < 0);
    assert_null(checkpoint);
    assert_says(message(), name);
    assert_says(message(), part);
    assert_true(nn_model_load(in_folder(name), &options, &model) < 0);
    assert_null(model);
    assert_says(message(), part);
}

/* ---- F1 ------------------------------------------------------------------ */

/* F1: a checkpoint that was cut anywhere, or has a byte too many, is refused. */
static void every_cut_of_a_checkpoint_is_refused(void)
{
    size_t count;
    size_t i;
    char *bytes;

    make_folder();
    bytes = make_checkpoint(&count);
    for (i = 0; i < count; ++i) {
        write_file("cut.nn", bytes, i);
        refuse_file("cut.nn", "");
    }
    write_file("cut.nn", bytes, count + 1);
    refuse_file("cut.nn", "");
    free(bytes);
    remove_folder();
}

/* The run of a net with CLASSES and another type, if OTHER_TYPE, does not go
 * on from good.nn, and its weights are not touched. */
static void refuse_resume(int classes, int other_type)
{
    static const double x[] = {1, 2, 3};
    static const way single_type = {"reference", NN_FLOAT32, 1};
    static const way double_type = {"reference", NN_FLOAT64, 1};
    const way *before_way = now;
    field fields[] = {{"x", x, 3, 0}};
    double before[6];
    double after[6];
    char text[512];
    run r = {0};

    if (other_type)
        now = is_double() ? &single_type : &double_type;
    net_of(text, sizeof text, classes);
    set_model(&r, text, 1);
    set_data(&r, fields, 1, 1, 1);
    parameter(&r, "a.W", before, 6);
    r.resume = in_folder("good.nn");
    assert_true(set_trainer(&r) < 0);
    assert_says(message(), "good.nn");
    assert_null(r.trainer);
    parameter(&r, "a.W", after, 6);
    assert_memory_equal(before, after, sizeof before);
    end_run(&r);
    now = before_way;
}

/* F1: nor does a network of another shape or type take it. */
static void a_checkpoint_of_another_network_changes_nothing(void)
{
    size_t count;

    make_folder();
    free(make_checkpoint(&count));
    refuse_resume(3, 0);
    refuse_resume(2, 1);
    remove_folder();
}

/* ---- F2 ------------------------------------------------------------------ */

/* Lets the address space grow by 100 MB; the old limit, for the end.  Programs
 * with sanitizers have no such limit. */
static struct rlimit limit_memory(void)
{
    struct rlimit old;
    struct rlimit limit;
    size_t pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");

    assert_int_equal(getrlimit(RLIMIT_AS, &old), 0);
    limit = old;
    if (file) {
        assert_int_equal(fscanf(file, "%zu", &pages), 1);
        fclose(file);
        limit.rlim_cur = pages * (size_t)sysconf(_SC_PAGESIZE) + 100000000;
    }
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    limit = old;
#endif
    assert_int_equal(setrlimit(RLIMIT_AS, &limit), 0);
    return old;
}

/* F2: whatever bytes are overwritten by huge numbers, the file is refused, and
 * in little memory. */
static void absurd_lengths_are_refused_in_little_memory(void)
{
    static const unsigned char huge[] = {0xff, 0xff, 0xff, 0xff,
                                         0xff, 0xff, 0xff, 0x7f};
    struct rlimit old;
    size_t count;
    size_t i;
    char *bytes;
    char *copy;

    make_folder();
    bytes = make_checkpoint(&count);
    copy = malloc(count);
    assert_non_null(copy);
    old = limit_memory();
    for (i = 8; i + sizeof huge <= count; ++i) {
        memcpy(copy, bytes, count);
        memcpy(copy + i, huge, sizeof huge);
        write_file("absurd.nn", copy, count);
        refuse_file("absurd.nn", "");
    }
    assert_int_equal(setrlimit(RLIMIT_AS, &old), 0);
    free(copy);
    free(bytes);
    remove_folder();
}

/* ---- F4 ------------------------------------------------------------------ */

/* F4: each other kind of file is refused with a message of its own. */
static void other_kinds_of_files_are_told_apart(void)
{
    static const unsigned char swapped[] = {0x0a, 0x0d, 't', 'e',
                                            'n',  'N',  'N', 0x89};
    size_t count;
    char *bytes;

    make_folder();
    bytes = make_checkpoint(&count);
    write_file("empty.nn", "", 0);
    refuse_file("empty.nn", "empty");
    write_file("text.nn", "this is a text\n", 15);
    refuse_file("text.nn", "a text");
    refuse_file("nowhere.nn", "No such file");
    refuse_file("", "has no checkpoint"); /* the folder, as a run's */
    bytes[8] = 2;
    write_file("newer.nn", bytes, count);
    refuse_file("newer.nn", "version 2, and this Nervenet reads version 1");
    bytes[8] = 0;
    write_file("zero.nn", bytes, count);
    refuse_file("zero.nn", "version 0");
    bytes[8] = 1;
    bytes[1] ^= 1;
    write_file("magic.nn", bytes, count);
    refuse_file("magic.nn", "first bytes are damaged");
    bytes[1] ^= 1;
    memcpy(bytes, swapped, sizeof swapped);
    write_file("swapped.nn", bytes, count);
    refuse_file("swapped.nn", "swapped");
    free(bytes);
    remove_folder();
}

/* ---- F6 ------------------------------------------------------------------ */

static void assert_same_files(const char *a, const char *b)
{
    size_t count_a;
    size_t count_b;
    char *bytes_a = read_bytes(in_folder(a), &count_a);
    char *bytes_b = read_bytes(in_folder(b), &count_b);

    assert_int_equal(count_a, count_b);
    assert_memory_equal(bytes_a, bytes_b, count_a);
    free(bytes_a);
    free(bytes_b);
}

/* F6: every number comes back to the bit, be it -0, denormal, infinite or
 * NaN. */
static void numbers_come_back_to_the_bit(void)
{
    static const char text[] =
        "inputs: {x: [4]}\n"
        "network: [{fully_connected: {name: out, size: 3}}, loss]\n";
    static const double doubles[] = {0.1,  5e-324, 1.7976931348623157e308,
                                     -0.0, NAN,    INFINITY, -INFINITY,
                                     1.0 / 3, 2.2250738585072014e-308, -1e-320,
                                     3, 0};
    static const float floats[] = {0.1f,     1.4e-45f, 3.4028235e38f, -0.0f,
                                   NAN,      INFINITY, -INFINITY,     1 / 3.0f,
                                   1.17549435e-38f, -1e-44f, 3, 0};
    const void *right = is_double() ? (const void *)doubles
                                    : (const void *)floats;
    size_t bytes = is_double() ? sizeof doubles : sizeof floats;
    nn_model_options options;
    nn_host_array back;
    nn_model *loaded;
    nn_array array;
    net n;

    make_folder();
    memset(&options, 0, sizeof options);
    options.size = sizeof options;
    open_net(&n, text, 1, 1);
    array = array_of(&n, "out.W");
    assert_done(nn_network_upload(n.network, &array, right));
    assert_done(nn_model_save(n.model, in_folder("m.nn")));
    assert_done(nn_model_load(in_folder("m.nn"), &options, &loaded));
    assert_done(nn_network_snapshot(nn_model_network(loaded), "out.W", &back));
    assert_memory_equal(back.data, right, bytes);
    nn_free(back.data);
    assert_done(nn_model_save(loaded, in_folder("again.nn")));
    assert_same_files("m.nn", "again.nn");
    nn_model_destroy(loaded);
    close_net(&n);
    remove_folder();
}

int main(void)
{
    static const one_case cases[] = {
        CASE(every_cut_of_a_checkpoint_is_refused),
        CASE(a_checkpoint_of_another_network_changes_nothing),
        CASE(absurd_lengths_are_refused_in_little_memory),
        CASE(other_kinds_of_files_are_told_apart),
        CASE(numbers_come_back_to_the_bit),
    };

    return RUN_CASES(cases);
}
