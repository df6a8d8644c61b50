/* SPDX-License-Identifier: MIT */
/* Tests of the npy iterator on files written here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <string.h>

#include <cmocka.h>

#include "fake.h"
#include "make.h"
#include "make_zip.h"

extern const nn_plugin iterator_npy_LTX_nn_plugin_v1;

const nn_plugin *const fake_plugins[] = {&iterator_npy_LTX_nn_plugin_v1, NULL};

static unsigned char file[2000];

/* Writes x.npy with dictionary TEXT and LENGTH bytes of data. */
static void write_npy(const char *text, const void *bytes, size_t length)
{
    files_write("x.npy", file, make_npy(file, 1, text, bytes, length));
}

/* CODE 0: any. */
static void assert_refused(const char *config, int32_t code, const char *part)
{
    assert_null(fake_open(files_config(config), NN_FLOAT32, NULL, 0));
    if (fake.code >= 0 || (code && fake.code != code) ||
        !strstr(fake.text, part))
        fail_msg("'%s' (%d) does not say '%s'", fake.text, (int)fake.code,
                 part);
    assert_int_equal(fake.blocks, 0);
}

/* Opens CONFIG with x in DTYPE and checks that its COUNT samples hold the
 * TOTAL numbers RIGHT. */
static void assert_holds(const char *config, uint32_t dtype, int64_t count,
                         const double *right, int64_t total)
{
    nn_field request = fake_field("x", dtype, 0, 0, 0, 0);
    nn_child *it = fake_open(files_config(config), NN_FLOAT32, &request, 1);
    nn_batch *batch;
    int64_t ids[16];
    int64_t i;

    if (!it)
        fail_msg("%s", fake.text);
    assert_int_equal(fake_info(it).n_samples, count);
    batch = fake_batch_create(it, count);
    for (i = 0; i < count; ++i)
        ids[i] = i;
    if (fake_gather(it, ids, count, batch))
        fail_msg("%s", fake.text);
    for (i = 0; i < total; ++i) {
        double value = dtype == NN_FLOAT32   ? ((float *)batch->data[0])[i]
                       : dtype == NN_FLOAT64 ? ((double *)batch->data[0])[i]
                       : dtype == NN_INT32   ? ((int32_t *)batch->data[0])[i]
                                             : ((uint8_t *)batch->data[0])[i];

        if (value != right[i])
            fail_msg("number %d is %g, not %g", (int)i, value, right[i]);
    }
    fake_batch_destroy(batch);
    fake_close(it);
    assert_int_equal(fake.blocks, 0);
}

static const double one_to_six[] = {1, 2, 3, 4, 5, 6};

static void test_fortran_order(void **state)
{
    (void)state;
    write_npy("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }\n",
              make_fortran_data, sizeof make_fortran_data);
    assert_holds("{npy: {x: %s/x.npy}}", NN_FLOAT32, 2, one_to_six, 6);
    assert_holds("{npy: {x: %s/x.npy, range: [1, 2]}}", NN_FLOAT32, 1,
                 one_to_six + 3, 3);
}

static void test_fortran_order_of_four_axes(void **state)
{
    unsigned char data[24];
    double right[24];
    int n;
    int i;
    int j;
    int k;

    (void)state;
    for (n = 0; n < 2; ++n)
        for (i = 0; i < 3; ++i)
            for (j = 0; j < 2; ++j)
                for (k = 0; k < 2; ++k) {
                    int at = ((n * 3 + i) * 2 + j) * 2 + k;

                    right[at] = at;
                    data[n + 2 * (i + 3 * (j + 2 * k))] = (unsigned char)at;
                }
    write_npy("{'descr':'|u1','fortran_order':True,'shape':(2,3,2,2)}", data,
              24);
    assert_holds("{npy: {x: %s/x.npy}}", NN_UINT8, 2, right, 24);
}

static void test_headers_in_every_spelling(void **state)
{
    static const unsigned char data[] = {1, 2, 3, 4, 5, 6};
    static const char *const texts[] = {
        "{'descr': '|u1', 'fortran_order': False, 'shape': (6,), }   \n",
        "{'shape': (2,3,), 'fortran_order': False,'descr':'|u1'}",
        "{\"shape\" :(2 , 3 ) ,\"descr\": \"<u1\",\"fortran_order\":False , }",
        " { 'fortran_order' : False , 'shape': (3L, 2L), 'descr': '|i1' }\n\n",
        "{'descr': '|u1', 'fortran_order': False, 'shape': (1, 6), }",
    };
    size_t i;

    (void)state;
    for (i = 0; i < sizeof texts / sizeof *texts; ++i) {
        static const int64_t counts[] = {6, 2, 2, 3, 1};

        write_npy(texts[i], data, 6);
        assert_holds("{npy: {x: %s/x.npy}}", NN_FLOAT32, counts[i], one_to_six,
                     6);
    }
}

static void test_versions(void **state)
{
    static const unsigned char data[] = {1, 2, 3, 4, 5, 6};
    static const char text[] =
        "{'descr': '|u1', 'fortran_order': False, 'shape': (2, 3), }\n";
    int version;

    (void)state;
    for (version = 1; version <= 3; ++version) {
        files_write("x.npy", file, make_npy(file, version, text, data, 6));
        assert_holds("{npy: {x: %s/x.npy}}", NN_FLOAT32, 2, one_to_six, 6);
    }
    files_write("x.npy", file, make_npy(file, 4, text, data, 6));
    assert_refused("{npy: {x: %s/x.npy}}", NN_UNSUPPORTED, "version 4.0");
}

/* Each type holds 1 and -2 (unsigned: 254 or 255; truth: 1 and 0). */
static void test_all_types_are_read(void **state)
{
    static const struct {
        const char *type;
        unsigned bytes;
        unsigned char data[16];
        double second;
    } types[] = {
        {"|b1", 1, {1, 0}, 0},
        {"|u1", 1, {1, 254}, 254},
        {"|i1", 1, {1, 254}, -2},
        {"<i2", 2, {1, 0, 0xFE, 0xFF}, -2},
        {">i2", 2, {0, 1, 0xFF, 0xFE}, -2},
        {">u2", 2, {0, 1, 0, 254}, 254},
        {"<i4", 4, {1, 0, 0, 0, 0xFE, 0xFF, 0xFF, 0xFF}, -2},
        {">u4", 4, {0, 0, 0, 1, 0, 0, 0, 254}, 254},
        {"<i8",
         8,
         {1, 0, 0, 0, 0, 0, 0, 0, 0xFE, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
          0xFF},
         -2},
        {"<u8", 8, {1, 0, 0, 0, 0, 0, 0, 0, 254}, 254},
        {"<f2", 2, {0, 0x3C, 0, 0xC0}, -2},
        {">f2", 2, {0x3C, 0, 0xC0, 0}, -2},
        {"<f4", 4, {0, 0, 0x80, 0x3F, 0, 0, 0, 0xC0}, -2},
        {">f4", 4, {0x3F, 0x80, 0, 0, 0xC0, 0, 0, 0}, -2},
        {"<f8",
         8,
         {0, 0, 0, 0, 0, 0, 0xF0, 0x3F, 0, 0, 0, 0, 0, 0, 0, 0xC0},
         -2},
        {">f8", 8, {0x3F, 0xF0, 0, 0, 0, 0, 0, 0, 0xC0}, -2},
    };
    size_t i;

    (void)state;
    for (i = 0; i < sizeof types / sizeof *types; ++i) {
        double right[2] = {1, 0};
        char text[100];

        right[1] = types[i].second;
        snprintf(text, sizeof text,
                 "{'descr': '%s', 'fortran_order': False, 'shape': (2,), }",
                 types[i].type);
        write_npy(text, types[i].data, 2u * types[i].bytes);
        assert_holds("{npy: {x: %s/x.npy}}", NN_FLOAT32, 2, right, 2);
        assert_holds("{npy: {x: %s/x.npy}}", NN_FLOAT64, 2, right, 2);
        assert_holds("{npy: {x: %s/x.npy}}", NN_INT32, 2, right, 2);
        if (right[1] >= 0)
            assert_holds("{npy: {x: %s/x.npy}}", NN_UINT8, 2, right, 2);
    }
}

static void test_halves(void **state)
{
    /* 65504, the smallest normal, the smallest of all, 0.333251953125. */
    static const unsigned char data[] = {0xFF, 0x7B, 0, 4, 1, 0, 0x55, 0x35};
    static const double right[] = {65504, 0x1p-14, 0x1p-24, 0.333251953125};

    (void)state;
    write_npy("{'descr': '<f2', 'fortran_order': False, 'shape': (4,), }", data,
              8);
    assert_holds("{npy: {x: %s/x.npy}}", NN_FLOAT32, 4, right, 4);
}

static void test_malformed_headers_are_refused(void **state)
{
    static const char *const texts[] = {
        "",
        "{}",
        "{'descr': '|u1', 'fortran_order': False}",
        "{'descr': '|u1', 'fortran_order': False, 'shape': (6)}",
        "{'descr': '|u1', 'fortran_order': False, 'shape': [6]}",
        "{'descr': '|u1', 'fortran_order': False, 'shape': (,)}",
        "{'descr': '|u1', 'fortran_order': False, 'shape': (-6,)}",
        "{'descr': '|u1', 'fortran_order': False, 'shape': (2 3)}",
        "{'descr': '|u1', 'fortran_order': False, 'shape': (2,,3)}",
        "{'descr': '|u1', 'fortran_order': False, 'shape': (6,)",
        "{'descr': '|u1', 'fortran_order': False, 'shape': (6,)} x",
        "{'descr': '|u1' 'fortran_order': False, 'shape': (6,)}",
        "{'descr': '|u1', 'fortran_order': false, 'shape': (6,)}",
        "{'descr': '|u1', 'fortran_order': False, 'shape': (6,), 'x': 1}",
        "{'descr': '|u1', 'descr': '|u1', 'fortran_order': False, 'shape': "
        "(6,)}",
        "{'descr': '|u1', 'fortran_order': False, 'shape': (6,)}\x01",
        "{'descr': '|u\\x31', 'fortran_order': False, 'shape': (6,)}",
        "{'descr': '|u1', 'fortran_order': False, 'shape': "
        "(99999999999999999999,)}",
        "{'descr': '|u1', 'fortran_order': False, 'shape': (4294967296, "
        "4294967296)}",
        "{'descr': '|u1', 'fortran_order': False, 'shape': (6, 0)}",
        "{'descr': '|u1', 'fortran_order': False, 'shape': (0,)}",
        "{'descr': '|u1', 'fortran_order': False, 'shape': ()}",
        "{'descr': '|u1', 'fortran_order': False, 'shape': "
        "(1,1,1,1,1,1,1,1,6)}",
        "{'descr': '|u1', 'fortran_order': False, 'shape': (1,1,1,1,1,1,1,6)}",
        "{'descr': '|O', 'fortran_order': False, 'shape': (6,)}",
        "{'descr': '<u3', 'fortran_order': False, 'shape': (2,)}",
        "{'descr': '|u2', 'fortran_order': False, 'shape': (3,)}",
        "{'descr': '<c8', 'fortran_order': False, 'shape': (6,)}",
        "{'descr': '<U1', 'fortran_order': False, 'shape': (6,)}",
        "{'descr': [('a', '|u1')], 'fortran_order': False, 'shape': (6,)}",
        "{'descr': '|u1', 'fortran_order': False, 'shape': (5,)}",
        "{'descr': '|u1', 'fortran_order': False, 'shape': (7,)}",
        "{'descr': '|u1', 'fortran_order': False, 'shape': (1099511627776, 4)}",
    };
    static const unsigned char data[] = {1, 2, 3, 4, 5, 6};
    size_t i;

    (void)state;
    for (i = 0; i < sizeof texts / sizeof *texts; ++i) {
        write_npy(texts[i], data, 6);
        assert_refused("{npy: {x: %s/x.npy}}", 0, "x.npy");
        assert_in_range(fake.peak, 0, 100000);
    }
}

static void test_labels_are_whole_numbers_in_range(void **state)
{
    /* 2 and 1.5; 1 and 2^40. */
    static const unsigned char real[] = {0, 0, 0, 0, 0, 0, 0,    0x40,
                                         0, 0, 0, 0, 0, 0, 0xF8, 0x3F};
    static const unsigned char big[] = {1, 0, 0, 0, 0, 0, 0, 0,
                                        0, 0, 0, 0, 0, 1, 0, 0};
    static const int64_t order[] = {0, 1};
    nn_field request = fake_field("x", NN_INT32, 1, 1, 0, 0);
    int i;

    (void)state;
    for (i = 0; i < 2; ++i) {
        nn_child *it;
        nn_batch *batch;

        write_npy(i ? "{'descr':'<i8','fortran_order':False,'shape':(2,)}"
                    : "{'descr':'<f8','fortran_order':False,'shape':(2,)}",
                  i ? big : real, 16);
        it = fake_open(files_config("{npy: {x: %s/x.npy}}"), NN_FLOAT32,
                       &request, 1);
        assert_non_null(it);
        batch = fake_batch_create(it, 2);
        assert_int_equal(fake_gather(it, order, 1, batch), NN_OK);
        assert_int_equal(fake_gather(it, order, 2, batch), NN_FORMAT);
        assert_non_null(strstr(fake.text, i ? "x.npy: sample 1 holds 1.0995"
                                            : "x.npy: sample 1 holds 1.5"));
        fake_batch_destroy(batch);
        fake_close(it);
    }
}

static void test_nan_and_infinity_are_refused(void **state)
{
    static const unsigned char data[] = {0,    0,    0x80, 0x3F, 0,    0,
                                         0xC0, 0x7F, 0,    0,    0x80, 0xFF};
    static const int64_t order[] = {0, 1, 2};
    nn_child *it;
    nn_batch *batch;

    (void)state;
    write_npy("{'descr':'<f4','fortran_order':False,'shape':(3,)}", data, 12);
    it = fake_open(files_config("{npy: {x: %s/x.npy}}"), NN_FLOAT32, NULL, 0);
    batch = fake_batch_create(it, 3);
    assert_int_equal(fake_gather(it, order + 1, 1, batch), NN_NOT_FINITE);
    assert_non_null(strstr(fake.text, "sample 1 holds"));
    assert_int_equal(fake_gather(it, order + 2, 1, batch), NN_NOT_FINITE);
    assert_int_equal(fake_gather(it, order, 3, batch), NN_NOT_FINITE);
    assert_int_equal(fake_gather(it, order, 1, batch), NN_OK);
    fake_batch_destroy(batch);
    fake_close(it);
}

static void test_members_of_archives(void **state)
{
    static const unsigned char data[] = {1, 2, 3, 4, 5, 6};
    static const int methods[] = {ZIP_CM_STORE, ZIP_CM_DEFLATE};
    size_t length = make_npy(
        file, 1, "{'descr': '|u1', 'fortran_order': False, 'shape': (2, 3), }",
        data, 6);
    int i;

    (void)state;
    for (i = 0; i < 2; ++i) {
        make_zip("a.npz", "x.npy", methods[i], file, length);
        assert_holds("{npy: {x: %s/a.npz}}", NN_FLOAT32, 2, one_to_six, 6);
        assert_holds("{npy: {x: \"%s/a.npz:x\"}}", NN_FLOAT32, 2, one_to_six,
                     6);
        assert_holds("{npy: {x: \"%s/a.npz:x.npy\", range: [1, 2]}}",
                     NN_FLOAT32, 1, one_to_six + 3, 3);
        assert_refused("{npy: {y: %s/a.npz}}", NN_NOT_FOUND,
                       "no array 'y', but 'x.npy'");
        assert_refused("{npy: {x: \"%s/a.npz:\"}}", NN_NOT_FOUND, "no array");
        make_zip("a.npz", "x.npy", methods[i], file, length - 1);
        assert_refused("{npy: {x: %s/a.npz}}", NN_FORMAT, "truncated");
        make_zip("a.npz", "x.npy", methods[i], file, length + 1);
        assert_refused("{npy: {x: %s/a.npz}}", NN_FORMAT, "more follow");
    }
    assert_refused("{npy: {x: %s/none.npz}}", NN_IO, "none.npz: No such file");
    files_write("bad.npz", file, length);
    assert_refused("{npy: {x: %s/bad.npz}}", NN_FORMAT, "bad.npz");
}

/* More data than may be kept: the file has a hole. */
static void test_large_files_stay_on_disk(void **state)
{
    static const int64_t order[] = {299, 0};
    static const char text[] =
        "{'descr': '<f4', 'fortran_order': False, 'shape': (300, 262144), }";
    unsigned char bytes[] = {0, 0, 0x80, 0x3F, 0, 0, 0, 0x40};
    int64_t sample = 262144 * 4;
    size_t header = make_npy(file, 1, text, bytes, 0);
    FILE *out = fopen(files_path("x.npy"), "wb");
    nn_child *it;
    nn_batch *batch;

    (void)state;
    fwrite(file, 1, header, out);
    fseeko(out, (off_t)(299 * sample), SEEK_CUR);
    fwrite(bytes, 1, sizeof bytes, out);
    fflush(out);
    assert_int_equal(ftruncate(fileno(out), (off_t)header + 300 * sample), 0);
    fclose(out);
    it = fake_open(files_config("{npy: {x: %s/x.npy, range: [0, 300]}}"),
                   NN_FLOAT32, NULL, 0);
    assert_non_null(it);
    assert_in_range(fake.peak, sample, 2 * sample);
    batch = fake_batch_create(it, 2);
    assert_int_equal(fake_gather(it, order, 2, batch), NN_OK);
    assert_true(((float *)batch->data[0])[0] == 1);
    assert_true(((float *)batch->data[0])[1] == 2);
    assert_true(((float *)batch->data[0])[262144] == 0);
    assert_int_equal(truncate(files_path("x.npy"), (off_t)header), 0);
    assert_int_equal(fake_gather(it, order, 2, batch), NN_IO);
    assert_non_null(strstr(fake.text, "became shorter"));
    fake_batch_destroy(batch);
    fake_close(it);
    files_write("x.npy", file, header);
    assert_refused("{npy: {x: %s/x.npy}}", NN_FORMAT,
                   "promises 314572800 bytes of data, but the file is "
                   "truncated");
}

static void test_counts_that_differ_are_refused_with_both(void **state)
{
    static const unsigned char data[] = {1, 2, 3};
    static const char two[] =
        "{'descr': '|u1', 'fortran_order': False, 'shape': (2,), }";

    (void)state;
    write_npy("{'descr': '|u1', 'fortran_order': False, 'shape': (3,), }", data,
              3);
    files_write("y.npy", file, make_npy(file, 1, two, data, 2));
    assert_refused("{npy: {x: %s/x.npy, y: %s/y.npy}}", NN_SHAPE,
                   "x.npy holds 3 samples, but ");
    assert_non_null(strstr(fake.text, "y.npy holds 2"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fortran_order),
        cmocka_unit_test(test_fortran_order_of_four_axes),
        cmocka_unit_test(test_headers_in_every_spelling),
        cmocka_unit_test(test_versions),
        cmocka_unit_test(test_all_types_are_read),
        cmocka_unit_test(test_halves),
        cmocka_unit_test(test_malformed_headers_are_refused),
        cmocka_unit_test(test_labels_are_whole_numbers_in_range),
        cmocka_unit_test(test_nan_and_infinity_are_refused),
        cmocka_unit_test(test_members_of_archives),
        cmocka_unit_test(test_large_files_stay_on_disk),
        cmocka_unit_test(test_counts_that_differ_are_refused_with_both),
    };

    return cmocka_run_group_tests_name("npy", tests, files_begin, files_end);
}
