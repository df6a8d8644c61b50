/* SPDX-License-Identifier: MIT */
/* Tests that broken files give an error and nothing else: every truncation,
 * bytes too many, bytes changed at random, and memory that runs out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <string.h>

#include <nn/random.h>

#include <cmocka.h>

#include "fake.h"
#include "make.h"
#include "make_zip.h"

extern const nn_plugin iterator_csv_LTX_nn_plugin_v1;
extern const nn_plugin iterator_idx_LTX_nn_plugin_v1;
extern const nn_plugin iterator_npy_LTX_nn_plugin_v1;

const nn_plugin *const fake_plugins[] = {
    &iterator_csv_LTX_nn_plugin_v1,
    &iterator_idx_LTX_nn_plugin_v1,
    &iterator_npy_LTX_nn_plugin_v1,
    NULL,
};

/* Files of 60 samples or more, and their configs. */
static const struct {
    const char *name;
    const char *config;
} files[] = {
    {"a.idx", "{idx: {x: %s/a.idx}}"},
    {"a.gz", "{idx: {x: %s/a.gz}}"},
    {"c.npy", "{npy: {x: %s/c.npy}}"},
    {"f.npy", "{npy: {x: %s/f.npy}}"},
    {"stored.npz", "{npy: {x: %s/stored.npz}}"},
    {"packed.npz", "{npy: {x: %s/packed.npz}}"},
    {"d.csv", "{csv: {file: %s/d.csv, columns: {x: 0:2}, header: true}}"},
};

#define N_FILES (sizeof files / sizeof *files)
#define N_SEALED (N_FILES - 1) /* those that know their own length */

static void write_files(void)
{
    unsigned char data[240];
    unsigned char file[500] = {0, 0, 8, 2, 0, 0, 0, 60, 0, 0, 0, 4};
    char text[1000] = "a,b,c\n";
    size_t used = strlen(text);
    size_t length;
    unsigned i;

    for (i = 0; i < sizeof data; ++i)
        data[i] = (unsigned char)(i * i % 16);
    memcpy(file + 12, data, sizeof data);
    files_write("a.idx", file, 12 + sizeof data);
    make_gzip("a.gz", file, 12 + sizeof data);
    length = make_npy(
        file, 1,
        "{'descr': '<i2', 'fortran_order': True, 'shape': (60, 2), }\n", data,
        sizeof data);
    files_write("f.npy", file, length);
    length = make_npy(
        file, 2, "{'descr': '<u2', 'fortran_order': False, 'shape': (60, 2)}\n",
        data, sizeof data);
    files_write("c.npy", file, length);
    make_zip("stored.npz", "x.npy", ZIP_CM_STORE, file, length);
    make_zip("packed.npz", "x.npy", ZIP_CM_DEFLATE, file, length);
    for (i = 0; i < 60; ++i)
        used += (size_t)snprintf(text + used, sizeof text - used,
                                 "%u.5,\"%u\",%u\n", i, i * 3, i % 2);
    files_write("d.csv", text, used);
}

static int begin(void **state)
{
    int code = files_begin(state);

    if (code == 0)
        write_files();
    return code;
}

/* Opens file NUMBER. */
static nn_child *open_file(size_t number)
{
    return fake_open(files_config(files[number].config), NN_FLOAT32, NULL, 0);
}

/* Reads all samples of IT, as far as they can be. */
static void read_all(nn_child *it)
{
    nn_batch *batch = fake_batch_create(it, 1);
    int64_t count = fake_info(it).n_samples;
    int64_t i;

    for (i = 0; i < count && i < 1000; ++i)
        if (fake_gather(it, &i, 1, batch))
            assert_true(fake.text[0] != '\0');
    fake_batch_destroy(batch);
}

static void test_the_files_are_good(void **state)
{
    size_t k;

    (void)state;
    for (k = 0; k < N_FILES; ++k) {
        nn_child *it = open_file(k);
        nn_batch *batch;
        int64_t id = 59;

        if (!it)
            fail_msg("%s", fake.text);
        assert_int_equal(fake_info(it).n_samples, 60);
        batch = fake_batch_create(it, 1);
        assert_int_equal(fake_gather(it, &id, 1, batch), NN_OK);
        fake_batch_destroy(batch);
        fake_close(it);
    }
}

static void test_every_truncation_is_refused(void **state)
{
    size_t k;
    size_t length;
    size_t cut;

    (void)state;
    for (k = 0; k < N_SEALED; ++k) {
        unsigned char *bytes = files_read(files[k].name, &length);

        for (cut = 0; cut < length; ++cut) {
            files_write(files[k].name, bytes, cut);
            if (open_file(k))
                fail_msg("%s of %zu bytes passes with %zu", files[k].name,
                         length, cut);
            assert_non_null(strstr(fake.text, files[k].name));
            assert_int_equal(fake.blocks, 0);
        }
        files_write(files[k].name, bytes, length);
        free(bytes);
    }
}

static void test_bytes_behind_the_data_are_refused(void **state)
{
    size_t k;
    size_t length;
    int byte;

    (void)state;
    for (k = 0; k < N_SEALED; ++k) {
        unsigned char *bytes = files_read(files[k].name, &length);

        for (byte = 0; byte < 256; ++byte) {
            bytes[length] = (unsigned char)byte;
            files_write(files[k].name, bytes, length + 1);
            if (open_file(k))
                fail_msg("%s passes with byte %d behind it", files[k].name,
                         byte);
        }
        files_write(files[k].name, bytes, length);
        free(bytes);
    }
}

/* Whatever is made of the file, it is read or refused, and takes no more
 * memory than there are bytes. */
static void test_changed_bytes_do_no_harm(void **state)
{
    nn_random random = {42, 0, 0, 0};
    uint64_t draw = 0;
    size_t k;
    size_t length;
    int round;
    int i;

    (void)state;
    for (k = 0; k < N_FILES; ++k) {
        unsigned char *bytes = files_read(files[k].name, &length);
        unsigned char *changed = malloc(length);

        for (round = 0; round < 2000; ++round) {
            int flips = 1 + (int)nn_random_below(&random, draw++, 3);
            nn_child *it;

            memcpy(changed, bytes, length);
            for (i = 0; i < flips; ++i) {
                uint64_t at = nn_random_below(&random, draw++, length);

                changed[at] ^=
                    (unsigned char)(1 + nn_random_below(&random, draw++, 255));
            }
            files_write(files[k].name, changed, length);
            it = open_file(k);
            if (it)
                read_all(it);
            assert_in_range(fake.peak, 0, 300000);
            fake_close(it);
            assert_int_equal(fake.blocks, 0);
        }
        files_write(files[k].name, bytes, length);
        free(changed);
        free(bytes);
    }
}

static void test_every_allocation_may_fail(void **state)
{
    size_t k;
    int64_t count;
    int64_t i;

    (void)state;
    for (k = 0; k < N_FILES; ++k) {
        fake_close(open_file(k));
        count = fake.calls;
        assert_true(count >= 4);
        for (i = 1; i <= count; ++i) {
            fake.fail = i;
            assert_null(open_file(k));
            assert_int_equal(fake.code, NN_NO_MEMORY);
            assert_int_equal(fake.blocks, 0);
        }
        fake.fail = 0;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_files_are_good),
        cmocka_unit_test(test_every_truncation_is_refused),
        cmocka_unit_test(test_bytes_behind_the_data_are_refused),
        cmocka_unit_test(test_changed_bytes_do_no_harm),
        cmocka_unit_test(test_every_allocation_may_fail),
    };

    return cmocka_run_group_tests_name("hostile files", tests, begin,
                                       files_end);
}
