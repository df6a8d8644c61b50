/* SPDX-License-Identifier: MIT */
/* Tests of the idx iterator on files written here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <string.h>

#include <cmocka.h>

#include "fake.h"
#include "make.h"

extern const nn_plugin iterator_idx_LTX_nn_plugin_v1;

const nn_plugin *const fake_plugins[] = {&iterator_idx_LTX_nn_plugin_v1, NULL};

/* CODE 0: any. */
static void assert_refused(const char *config, const nn_field *request,
                           uint32_t count, int32_t code, const char *part)
{
    assert_null(fake_open(files_config(config), NN_FLOAT32, request, count));
    assert_true(fake.code < 0);
    if (code)
        assert_int_equal(fake.code, code);
    if (!strstr(fake.text, part))
        fail_msg("'%s' does not say '%s'", fake.text, part);
    assert_int_equal(fake.blocks, 0);
}

static nn_child *open_config(const char *config, const nn_field *request,
                             uint32_t count)
{
    nn_child *it = fake_open(files_config(config), NN_FLOAT32, request, count);

    if (!it)
        fail_msg("%s: %s", config, fake.text);
    return it;
}

static void test_images_arrive_as_they_stand(void **state)
{
    static const int64_t order[] = {2, 0};
    static const float right[] = {12, 13, 14, 15, 16, 17, 0, 1, 2, 3, 4, 5};
    nn_field request = fake_field("images", NN_FLOAT32, 3, 2, 3, 1);
    int i;

    (void)state;
    files_write("a.idx", make_idx_images, sizeof make_idx_images);
    make_gzip("a.gz", make_idx_images, sizeof make_idx_images);
    for (i = 0; i < 2; ++i) {
        nn_child *it = open_config(i ? "{idx: {images: %s/a.gz}}"
                                     : "{idx: {images: %s/a.idx}}",
                                   &request, 1);
        nn_iterator_info info = fake_info(it);
        nn_batch *batch = fake_batch_create(it, 2);

        assert_int_equal(info.n_samples, 3);
        assert_int_equal(info.fields[0]->ndim, 3);
        assert_string_equal(info.fields[0]->name, "images");
        assert_int_equal(fake_gather(it, order, 2, batch), NN_OK);
        assert_memory_equal(batch->data[0], right, sizeof right);
        assert_memory_equal(batch->ids, order, sizeof order);
        fake_batch_destroy(batch);
        fake_close(it);
        assert_int_equal(fake.blocks, 0);
    }
}

static void test_samples_come_one_by_one(void **state)
{
    nn_field request = fake_field("labels", NN_INT32, 1, 1, 0, 0);
    nn_child *it;
    nn_batch *batch;

    (void)state;
    files_write("l.idx", make_idx_labels, sizeof make_idx_labels);
    it = open_config("{idx: {labels: %s/l.idx}}", &request, 1);
    batch = fake_batch_create(it, 1);
    assert_int_equal(fake_next(it, batch), NN_STATE);
    assert_int_equal(fake_start(it, 1, 0, 0, 1), NN_OK);
    assert_int_equal(fake_next(it, batch), NN_OK);
    assert_int_equal(*(int32_t *)batch->data[0], 7);
    assert_int_equal(fake_next(it, batch), NN_OK);
    assert_int_equal(*(int32_t *)batch->data[0], 9);
    assert_int_equal(batch->ids[0], 1);
    assert_int_equal(fake_next(it, batch), NN_END);
    assert_int_equal(fake_seek(it, 1), NN_OK);
    assert_int_equal(fake_next(it, batch), NN_OK);
    assert_int_equal(*(int32_t *)batch->data[0], 9);
    fake_batch_destroy(batch);
    fake_close(it);
}

static void test_counts_that_differ_are_refused_with_both(void **state)
{
    (void)state;
    files_write("a.idx", make_idx_images, sizeof make_idx_images);
    files_write("l.idx", make_idx_labels, sizeof make_idx_labels);
    assert_refused("{idx: {images: %s/a.idx, labels: %s/l.idx}}", NULL, 0,
                   NN_SHAPE, "a.idx holds 3 samples, but ");
    assert_non_null(strstr(fake.text, "l.idx holds 2"));
}

static void test_shapes_that_differ_are_refused_with_both(void **state)
{
    nn_field request = fake_field("images", NN_FLOAT32, 2, 3, 2, 0);

    (void)state;
    files_write("a.idx", make_idx_images, sizeof make_idx_images);
    assert_refused("{idx: {images: %s/a.idx}}", &request, 1, NN_SHAPE,
                   "a.idx: samples of field 'images' have shape (2, 3), the "
                   "network wants (3, 2)");
    request = fake_field("images", NN_FLOAT32, 2, -1, 3, 0);
    fake_close(open_config("{idx: {images: %s/a.idx}}", &request, 1));
}

static void test_range_cuts_the_files(void **state)
{
    static const int64_t first[] = {0};
    nn_child *it;
    nn_batch *batch;

    (void)state;
    files_write("a.idx", make_idx_images, sizeof make_idx_images);
    it = open_config("{idx: {images: %s/a.idx, range: [1, 3]}}", NULL, 0);
    assert_int_equal(fake_info(it).n_samples, 2);
    assert_int_equal(fake_info(it).fields[0]->dtype, NN_UINT8);
    batch = fake_batch_create(it, 1);
    assert_int_equal(fake_gather(it, first, 1, batch), NN_OK);
    assert_int_equal(*(uint8_t *)batch->data[0], 6);
    fake_batch_destroy(batch);
    fake_close(it);
    assert_refused("{idx: {images: %s/a.idx, range: [1, 4]}}", NULL, 0,
                   NN_INVALID_ARGUMENT, "[1, 4] does not lie in the 3");
    assert_refused("{idx: {images: %s/a.idx, range: [2, 2]}}", NULL, 0,
                   NN_INVALID_ARGUMENT, "[2, 2]");
    assert_refused("{idx: {images: %s/a.idx, range: [0, 1, 2]}}", NULL, 0,
                   NN_INVALID_ARGUMENT, "range has 3 numbers");
}

/* Each type holds the numbers 1 and -2 (unsigned: 254). */
static void test_all_types_are_read(void **state)
{
    static const struct {
        unsigned char code;
        unsigned char bytes;
        unsigned char data[16];
    } types[] = {
        {0x08, 1, {1, 254}},
        {0x09, 1, {1, 0xFE}},
        {0x0B, 2, {0, 1, 0xFF, 0xFE}},
        {0x0C, 4, {0, 0, 0, 1, 0xFF, 0xFF, 0xFF, 0xFE}},
        {0x0D, 4, {0x3F, 0x80, 0, 0, 0xC0, 0, 0, 0}},
        {0x0E, 8, {0x3F, 0xF0, 0, 0, 0, 0, 0, 0, 0xC0}},
    };
    static const int64_t order[] = {0, 1};
    nn_field request = fake_field("x", NN_FLOAT32, 1, 1, 0, 0);
    size_t i;

    (void)state;
    for (i = 0; i < sizeof types / sizeof *types; ++i) {
        unsigned char file[24] = {0, 0, types[i].code, 1, 0, 0, 0, 2};
        nn_child *it;
        nn_batch *batch;

        memcpy(file + 8, types[i].data, 16);
        files_write("t.idx", file, 8u + 2u * types[i].bytes);
        it = open_config("{idx: {x: %s/t.idx}}", &request, 1);
        batch = fake_batch_create(it, 2);
        assert_int_equal(fake_gather(it, order, 2, batch), NN_OK);
        assert_true(((float *)batch->data[0])[0] == 1);
        assert_true(((float *)batch->data[0])[1] == (i ? -2 : 254));
        fake_batch_destroy(batch);
        fake_close(it);
    }
}

static void test_lies_of_the_header_cost_no_memory(void **state)
{
    static const struct {
        unsigned char file[36];
        size_t length;
    } lies[] = {
        {{0, 0, 8, 1, 0xFF, 0xFF, 0xFF, 0xFF, 1, 2, 3}, 11},
        {{0, 0, 8, 3, 0, 0, 0, 3, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
          0xFF, 1},
         17},
        {{0, 0, 14, 3, 0x80, 0, 0, 0, 0x80, 0, 0, 0, 0x80, 0, 0, 0, 1}, 17},
        {{0, 0, 8, 2, 0, 0, 0, 3, 0, 0, 0, 0}, 12},
        {{0, 0, 8, 1, 0, 0, 0, 0}, 8},
        {{0, 0, 8, 0, 1}, 5},
        {{0, 0, 8, 200, 1, 2, 3, 4}, 8},
        {{0, 0, 10, 1, 0, 0, 0, 1, 1}, 9},
        {{0, 1, 8, 1, 0, 0, 0, 1, 1}, 9},
    };
    size_t i;

    (void)state;
    for (i = 0; i < sizeof lies / sizeof *lies; ++i) {
        files_write("lie.idx", lies[i].file, lies[i].length);
        assert_refused("{idx: {x: %s/lie.idx}}", NULL, 0, 0, "lie.idx");
        assert_in_range(fake.peak, 0, 200000);
        make_gzip("lie.idx", lies[i].file, lies[i].length);
        assert_refused("{idx: {x: %s/lie.idx}}", NULL, 0, 0, "lie.idx");
        assert_in_range(fake.peak, 0, 200000);
    }
}

static void test_a_wrong_number_of_axes_is_noticed(void **state)
{
    unsigned char file[sizeof make_idx_images];

    (void)state;
    memcpy(file, make_idx_images, sizeof file);
    file[3] = 2;
    files_write("two.idx", file, sizeof file);
    assert_refused("{idx: {x: %s/two.idx}}", NULL, 0, NN_FORMAT,
                   "promises 6 bytes of data, but more follow");
}

static void test_files_that_are_none(void **state)
{
    (void)state;
    assert_refused("{idx: {x: %s/none.idx}}", NULL, 0, NN_IO,
                   "none.idx: No such file");
    assert_refused("{idx: {x: %s}}", NULL, 0, NN_IO, "no regular file");
    assert_refused("{idx: {x: /usr/share/datasets/none/x.gz}}", NULL, 0, NN_IO,
                   "apt-get install dataset-none");
    files_write("empty.idx", "", 0);
    assert_refused("{idx: {x: %s/empty.idx}}", NULL, 0, NN_FORMAT, "truncated");
}

static void test_members_of_gzip_are_joined(void **state)
{
    unsigned char *first;
    unsigned char *second;
    unsigned char both[300];
    size_t a;
    size_t b;
    nn_child *it;

    (void)state;
    make_gzip("1.gz", make_idx_images, 20);
    make_gzip("2.gz", make_idx_images + 20, sizeof make_idx_images - 20);
    first = files_read("1.gz", &a);
    second = files_read("2.gz", &b);
    memcpy(both, first, a);
    memcpy(both + a, second, b);
    files_write("both.gz", both, a + b);
    it = open_config("{idx: {x: %s/both.gz}}", NULL, 0);
    assert_int_equal(fake_info(it).n_samples, 3);
    fake_close(it);
    both[a + b] = 'x';
    files_write("both.gz", both, a + b + 1);
    assert_refused("{idx: {x: %s/both.gz}}", NULL, 0, NN_FORMAT,
                   "other bytes follow");
    free(first);
    free(second);
}

static void test_ids_outside_are_refused(void **state)
{
    static const int64_t high[] = {0, 3};
    static const int64_t low[] = {-1};
    nn_child *it;
    nn_batch *batch;

    (void)state;
    files_write("a.idx", make_idx_images, sizeof make_idx_images);
    it = open_config("{idx: {images: %s/a.idx}}", NULL, 0);
    batch = fake_batch_create(it, 2);
    assert_int_equal(fake_gather(it, high, 2, batch), NN_INVALID_ARGUMENT);
    assert_int_equal(fake_gather(it, low, 1, batch), NN_INVALID_ARGUMENT);
    fake_batch_destroy(batch);
    fake_close(it);
}

static void test_no_field_is_an_error(void **state)
{
    (void)state;
    assert_refused("{idx: {range: [0, 1]}}", NULL, 0, NN_INVALID_ARGUMENT,
                   "no field is named");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_images_arrive_as_they_stand),
        cmocka_unit_test(test_samples_come_one_by_one),
        cmocka_unit_test(test_counts_that_differ_are_refused_with_both),
        cmocka_unit_test(test_shapes_that_differ_are_refused_with_both),
        cmocka_unit_test(test_range_cuts_the_files),
        cmocka_unit_test(test_all_types_are_read),
        cmocka_unit_test(test_lies_of_the_header_cost_no_memory),
        cmocka_unit_test(test_a_wrong_number_of_axes_is_noticed),
        cmocka_unit_test(test_files_that_are_none),
        cmocka_unit_test(test_members_of_gzip_are_joined),
        cmocka_unit_test(test_ids_outside_are_refused),
        cmocka_unit_test(test_no_field_is_an_error),
    };

    return cmocka_run_group_tests_name("idx", tests, files_begin, files_end);
}
