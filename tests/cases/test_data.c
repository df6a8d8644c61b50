/* SPDX-License-Identifier: MIT */
/* test_data.c - data of the case bank: I1, I3, I4, I5, I9, and that what does
 * not exist (I7, I8) is refused. */
#define _GNU_SOURCE
#include "cases.h"

#include <locale.h>

#define NET                                                                    \
    "inputs: {x: [%s], t: {shape: [1], dtype: int32}}\n"                       \
    "network:\n"                                                               \
    "  - fully_connected: {name: scores, size: 10}\n"                          \
    "  - softmax_ce: {from: [scores, t]}\n"                                    \
    "data: {train: %s}\n"                                                      \
    "training: {stepper: {sgd: {learning_rate: 0.5}}, epochs: 1}\n"

/* The config whose data are ITERATOR, in which %s is the test's folder. */
static nn_config *config_with(const char *shape, const char *iterator)
{
    char where[1024];
    char text[2048];

    snprintf(where, sizeof where, iterator, folder, folder);
    snprintf(text, sizeof text, NET, shape, where);
    return must_parse(text);
}

/* Batch after batch; field NAME of all of them in VALUES, N of them. */
static void read_all(nn_data *data, const char *name, double *values, int n)
{
    int count = 0;
    int32_t code;

    assert_done(nn_data_start(data, 1, 0));
    while ((code = nn_data_next(data)) == NN_OK) {
        nn_host_array array;
        int64_t elements = 1;
        int64_t i;
        uint32_t k;

        memset(&array, 0, sizeof array);
        array.size = sizeof array;
        assert_done(nn_data_field(data, name, &array));
        for (k = 0; k < array.ndim; ++k)
            elements *= array.shape[k];
        for (i = 0; i < elements; ++i, ++count) {
            assert_true(count < n);
            values[count] = array.dtype == NN_INT32
                                ? ((int32_t *)array.data)[i]
                            : array.dtype == NN_FLOAT64
                                ? ((double *)array.data)[i]
                                : (double)((float *)array.data)[i];
        }
    }
    assert_int_equal(code, NN_END);
    assert_int_equal(count, n);
}

/* The data deliver X, SAMPLES of this SHAPE, and labels T. */
static void assert_delivers(const char *iterator, const char *shape,
                            int samples, const double *x, const double *t)
{
    nn_config *config = config_with(shape, iterator);
    int features = strchr(shape, ',') ? 6 : atoi(shape);
    double got[64];
    nn_data *data;
    int i;

    assert_done(nn_config_check_data(config));
    assert_done(nn_data_create(config, "train", &data));
    assert_int_equal(nn_data_samples(data), samples);
    read_all(data, "x", got, samples * features);
    for (i = 0; i < samples * features; ++i)
        assert_exactly(got[i], x[i]);
    read_all(data, "t", got, samples);
    for (i = 0; i < samples; ++i)
        assert_exactly(got[i], t[i]);
    nn_data_destroy(data);
    nn_config_destroy(config);
}

static void assert_refused(const char *iterator, const char *shape,
                           const char *part)
{
    nn_config *config = config_with(shape, iterator);
    nn_data *data = NULL;

    assert_true(nn_config_check_data(config) < 0);
    assert_says(message(), part);
    assert_true(nn_data_create(config, "train", &data) < 0);
    assert_says(message(), part);
    assert_null(data);
    nn_config_destroy(config);
}

/* ---- I1 ------------------------------------------------------------------ */

/* A file of NumPy with header HEADER and N numbers of float32. */
static void write_npy(const char *name, const char *header, const float *values,
                      int n)
{
    char bytes[512] = "\x93NUMPY\x01";
    size_t room = 128 - 10;
    size_t length = strlen(header);

    bytes[8] = (char)room;
    memset(bytes + 10, ' ', room);
    memcpy(bytes + 10, header, length);
    bytes[127] = '\n';
    memcpy(bytes + 128, values, (size_t)n * sizeof *values);
    write_file(name, bytes, 128 + (size_t)n * sizeof *values);
}

static void write_labels(void)
{
    static const char header[] =
        "{'descr': '<i4', 'fortran_order': False, 'shape': (2,)}";
    static const int32_t labels[] = {3, 9};
    float values[2];

    memcpy(values, labels, sizeof values);
    write_npy("t.npy", header, values, 2);
}

#define NPY                                                                    \
    "{minibatches: {size: 1, inner: {npy: {x: %s/x.npy, t: %s/t.npy}}}}"

/* I1: Fortran order arrives in the right order; headers in other spellings;
 * an array without axes is refused. */
static void npy_in_fortran_order_arrives_in_order(void)
{
    static const float in_c[] = {1, 2, 3, 4, 5, 6};
    static const float in_fortran[] = {1, 4, 2, 5, 3, 6};
    static const double x[] = {1, 2, 3, 4, 5, 6};
    static const double t[] = {3, 9};
    static const char *const headers[] = {
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }",
        "{'fortran_order':False,'shape':(2,3),'descr':'<f4'}",
        "{ 'shape' : ( 2 , 3 , ) , 'descr' : '<f4' , 'fortran_order' : False }",
        "{\"descr\": \"<f4\", \"fortran_order\": False, \"shape\": (2,3,)}"};
    size_t i;

    make_folder();
    write_labels();
    write_npy("x.npy",
              "{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }",
              in_fortran, 6);
    assert_delivers(NPY, "3", 2, x, t);
    for (i = 0; i < sizeof headers / sizeof *headers; ++i) {
        write_npy("x.npy", headers[i], in_c, 6);
        assert_delivers(NPY, "3", 2, x, t);
    }
    write_npy("x.npy", "{'descr': '<f4', 'fortran_order': True, 'shape': (2,)}",
              in_c, 2);
    assert_delivers(NPY, "1", 2, x, t);
    write_npy("x.npy", "{'descr': '<f4', 'fortran_order': False, 'shape': ()}",
              in_c, 1);
    assert_refused(NPY, "1", "x.npy");
    remove_folder();
}

/* ---- I3 ------------------------------------------------------------------ */

#define CSV                                                                    \
    "{minibatches: {size: 2, inner: {csv: {file: %s/d.csv, columns: {x: [0, "  \
    "1], t: 2}}}}}"
#define CSV_HEADER                                                             \
    "{minibatches: {size: 2, inner: {csv: {file: %s/d.csv, header: true, "     \
    "columns: {x: [a, b], t: c}}}}}"

/* I3: dirty, but clear files are the plain one. */
static void clear_csv_is_read(void)
{
    static const char *const texts[] = {
        "1,2,0\n3,4,1\n",     "1,2,0\r\n3,4,1\r\n",    "1,2,0\n3,4,1",
        "1,2,0\n3,4,1\n\n",   "\xEF\xBB\xBF" "1,2,0\n3,4,1\n",
        " 1, 2 ,0\n3,\t4,1\n", "1e0,2,0\n\"3\",4,1\n",  "1,20e-1,0\n3,.4e1,1\n"};
    static const double x[] = {1, 2, 3, 4};
    static const double t[] = {0, 1};
    size_t i;

    make_folder();
    for (i = 0; i < sizeof texts / sizeof *texts; ++i) {
        write_file("d.csv", texts[i], strlen(texts[i]));
        assert_delivers(CSV, "2", 2, x, t);
    }
    write_file("d.csv", "a,b,c\n1,2,0\n3,4,1\n", 18);
    assert_delivers(CSV_HEADER, "2", 2, x, t);
    remove_folder();
}

/* I3: what is no number is an error with line and column, and trains nothing. */
static void unclear_csv_is_refused_with_its_place(void)
{
    static const struct {
        const char *text;
        const char *part;
    } all[] = {
        {"1,2,0\n3,,1\n", "d.csv:2:3"},      {"1,2,0\n3,?,1\n", "d.csv:2:3"},
        {"1,2,0\n3,nan,1\n", "d.csv:2:3"},   {"1,2,0\n3,4\n", "d.csv:2:4"},
        {"1,2,0\n3,4,1,5\n", "d.csv:2:7"},   {"1,2,0\n1.5abc,4,1\n", "d.csv:2:1"},
        {"1,2,0\n3,4,1.5\n", "d.csv:2:5"},   {"a,b,c\n1,2,0\n", "d.csv:1:1"},
        {"1,2,0\n\n3,4,1\n", "d.csv:2"},
    };
    size_t i;

    make_folder();
    for (i = 0; i < sizeof all / sizeof *all; ++i) {
        write_file("d.csv", all[i].text, strlen(all[i].text));
        assert_refused(CSV, "2", all[i].part);
    }
    remove_folder();
}

/* ---- I4 ------------------------------------------------------------------ */

/* Makes the locale of a country with a decimal comma and takes it on. */
static int take_comma(void)
{
    char command[256];

    if (setlocale(LC_ALL, "de_DE.UTF-8"))
        return 1;
    snprintf(command, sizeof command,
             "localedef -i de_DE -f UTF-8 '%s/de_DE.UTF-8' >/dev/null 2>&1",
             folder);
    if (system(command) == -1)
        return 0;
    setenv("LOCPATH", folder, 1);
    return setlocale(LC_ALL, "de_DE.UTF-8") != NULL;
}

/* I4: in a program with a decimal comma configs, data, models and logs are
 * what they are elsewhere. */
static void a_decimal_comma_changes_nothing(void)
{
    static const double x[] = {1.5, 2.5};
    static const double t[] = {0};
    field fields[] = {{"x", x, 2, 0}, {"t", t, 1, NN_INT32}};
    double w[4];
    char comma[16];
    char *rendered;
    char *log;
    size_t count;
    run r = {0};

    make_folder();
    if (!take_comma()) {
        remove_folder();
        skip();
    }
    snprintf(comma, sizeof comma, "%.1f", 0.5);
    assert_string_equal(comma, "0,5");
    write_file("d.csv", "1.5,2.5,0\n", 10);
    assert_delivers(CSV, "2", 1, x, t);
    r.config = config_with("2", CSV);
    assert_done(nn_config_render(r.config, &rendered));
    assert_says(rendered, "0.5");
    assert_null(strstr(rendered, "0,5"));
    nn_free(rendered);
    nn_config_destroy(r.config);
    set_model(&r,
              "inputs: {x: [2], t: {shape: [1], dtype: int32}}\n"
              "network:\n"
              "  - fully_connected: {name: out, size: 2, initialize: {W: 0.5}}\n"
              "  - softmax_ce: {from: [out, t]}\n"
              "training: {stepper: {sgd: {learning_rate: 0.5}}, epochs: 1, "
              "hooks: [save_log]}\n",
              1);
    set_data(&r, fields, 2, 1, 1);
    r.out = in_folder("run");
    assert_done(set_trainer(&r));
    assert_done(nn_trainer_run(r.trainer, NULL));
    parameter(&r, "out.W", w, 4);
    assert_close(w[0], 0.5 + 0.5 * 0.5 * 1.5);
    end_run(&r);
    log = read_bytes(in_folder("run/metrics.jsonl"), &count);
    assert_says(log, "0.69314");
    free(log);
    assert_string_equal(setlocale(LC_ALL, NULL), "de_DE.UTF-8");
    setlocale(LC_ALL, "C");
    remove_folder();
}

/* ---- I5 ------------------------------------------------------------------ */

#define IDX                                                                    \
    "{minibatches: {size: 2, inner: {idx: {x: %s/x.idx, t: %s/t.idx}}}}"

static const unsigned char images[] = {0, 0, 8, 3, 0, 0, 0,  3,  0,  0,  0, 2,
                                       0, 0, 0, 3, 0, 1, 2,  3,  4,  5,  6, 7,
                                       8, 9, 10, 11, 12, 13, 14, 15, 16, 17};
static const unsigned char three_labels[] = {0, 0, 8, 1, 0, 0, 0, 3, 7, 9, 1};

/* I5: images arrive as they stand; bytes are 0 to 255. */
static void idx_images_arrive_as_they_stand(void)
{
    static const double t[] = {7, 9, 1};
    double x[18];
    int i;

    for (i = 0; i < 18; ++i)
        x[i] = i;
    make_folder();
    write_file("x.idx", images, sizeof images);
    write_file("t.idx", three_labels, sizeof three_labels);
    assert_delivers(IDX, "2, 3", 3, x, t);
    remove_folder();
}

/* I5: unlike counts, each truncation, a wrong magic and absurd counts are
 * refused. */
static void idx_files_that_lie_are_refused(void)
{
    static const unsigned char two_labels[] = {0, 0, 8, 1, 0, 0, 0, 2, 7, 9};
    unsigned char bytes[sizeof images];
    size_t i;

    make_folder();
    write_file("x.idx", images, sizeof images);
    write_file("t.idx", two_labels, sizeof two_labels);
    assert_refused(IDX, "2, 3", "3");
    assert_says(message(), "2");
    write_file("t.idx", three_labels, sizeof three_labels);
    for (i = 0; i < sizeof images; ++i) {
        write_file("x.idx", images, i);
        assert_refused(IDX, "2, 3", "x.idx");
    }
    memcpy(bytes, images, sizeof bytes);
    bytes[3] = 2;
    write_file("x.idx", bytes, sizeof bytes);
    assert_refused(IDX, "2, 3", "x.idx");
    memcpy(bytes, images, sizeof bytes);
    memset(bytes + 4, 0xff, 4);
    write_file("x.idx", bytes, sizeof bytes);
    assert_refused(IDX, "2, 3", "x.idx");
    remove_folder();
}

/* I5: the counts of npy files are compared as well. */
static void npy_counts_that_differ_are_refused(void)
{
    static const float values[] = {1, 2, 3};

    make_folder();
    write_labels();
    write_npy("x.npy", "{'descr': '<f4', 'fortran_order': False, 'shape': (3,)}",
              values, 3);
    assert_refused(NPY, "1", "3");
    remove_folder();
}

/* ---- I7, I8 -------------------------------------------------------------- */

/* I7, I8: readers that do not exist are refused, not passed over. */
static void readers_that_do_not_exist_are_refused(void)
{
    static const char head[] =
        "inputs: {x: [3]}\nnetwork: [{fully_connected: 1}, loss]\n"
        "data: {train: {minibatches: {size: 3, inner: {%s: {x: a}}}}}\n";
    static const char *const names[] = {"hdf5", "images"};
    char text[512];
    int i;

    for (i = 0; i < 2; ++i) {
        snprintf(text, sizeof text, head, names[i]);
        refuse_config(text, names[i]);
    }
}

/* ---- I9 ------------------------------------------------------------------ */

/* I9: no samples are an error, as is nothing left; few make one batch, whose
 * loss is the mean over what there is. */
static void tiny_data_sets_end_well(void)
{
    static const char drop[] =
        "{minibatches: {size: 8, last: drop, inner: {csv: {file: %s/d.csv, "
        "columns: {x: [0, 1], t: 2}}}}}";
    static const char eight[] =
        "{minibatches: {size: 8, inner: {csv: {file: %s/d.csv, columns: {x: "
        "[0, 1], t: 2}}}}}";
    static const char none[] =
        "{minibatches: {size: 8, inner: {csv: {file: %s/d.csv, columns: {x: "
        "[0, 1], t: 2}, range: [0, 0]}}}}";
    static const double x[] = {1, 2, 3, 4, 5, 6};
    static const double t[] = {0, 1, 2};
    nn_config *config;
    nn_data *data;

    make_folder();
    write_file("d.csv", "", 0);
    assert_refused(eight, "2", "d.csv");
    write_file("d.csv", "1,2,0\n3,4,1\n5,6,2\n", 18);
    assert_delivers(eight, "2", 3, x, t);
    config = config_with("2", eight);
    assert_done(nn_data_create(config, "train", &data));
    assert_int_equal(nn_data_batches(data), 1);
    nn_data_destroy(data);
    nn_config_destroy(config);
    assert_refused(drop, "2", "8");
    assert_refused(none, "2", "range");
    write_file("d.csv", "1,2,0\n", 6);
    assert_delivers(eight, "2", 1, x, t);
    remove_folder();
}

/* I9: from arrays as well; an empty validation set is an error and no 0. */
static void no_samples_in_memory_are_an_error(void)
{
    double x[1] = {0};
    nn_host_array array = {sizeof array, "x", NN_FLOAT64, 3, {1, 0, 1}, x};
    nn_data *data = NULL;

    assert_true(nn_iterator_from_arrays(&array, 1, 8, 0, &data) < 0);
    assert_null(data);
    assert_true(*message() != '\0');
}

int main(void)
{
    static const one_case cases[] = {
        CASE(npy_in_fortran_order_arrives_in_order),
        CASE(clear_csv_is_read),
        CASE(unclear_csv_is_refused_with_its_place),
        CASE(a_decimal_comma_changes_nothing),
        CASE(idx_images_arrive_as_they_stand),
        CASE(idx_files_that_lie_are_refused),
        CASE(npy_counts_that_differ_are_refused),
        CASE(readers_that_do_not_exist_are_refused),
        CASE(tiny_data_sets_end_well),
        CASE(no_samples_in_memory_are_an_error),
    };

    return RUN_CASES(cases);
}
