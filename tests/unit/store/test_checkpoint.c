/* SPDX-License-Identifier: MIT */
/* test_checkpoint.c - what is written comes back to the bit. */
#define _GNU_SOURCE
#include <float.h>
#include <limits.h>
#include <math.h>

#include "core/store/format.h"
#include "tests/unit/store/files.h"

static nn_checkpoint_writer *writer_create(void)
{
    nn_checkpoint_writer *writer = NULL;

    assert_int_equal(nn_checkpoint_writer_create(&writer), NN_OK);
    return writer;
}

/* Puts the tensor NAME of GROUP with one axis. */
static int32_t put(nn_checkpoint_writer *writer, const char *group,
                   const char *name, uint32_t dtype, const void *data,
                   int64_t count)
{
    const nn_tensor tensor = {.name = name,
                              .group = group,
                              .dtype = dtype,
                              .ndim = 1,
                              .shape = {count},
                              .data = data,
                              .bytes = count * nn_dtype_bytes(dtype)};

    return nn_checkpoint_put_tensor(writer, &tensor);
}

/* Writes and ends WRITER, and opens what it wrote. */
static nn_checkpoint *through(nn_checkpoint_writer *writer, const char *path)
{
    if (nn_checkpoint_write(writer, path) != NN_OK)
        fail_msg("%s", nn_error_text());
    nn_checkpoint_writer_destroy(writer);
    return opened(path);
}

static void same_tensor(const nn_checkpoint *checkpoint, const char *group,
                        const char *name, const void *data, int64_t bytes)
{
    nn_tensor tensor;

    assert_int_equal(nn_checkpoint_find(checkpoint, group, name, &tensor), 1);
    assert_string_equal(tensor.group, group);
    assert_string_equal(tensor.name, name);
    assert_true(tensor.bytes == bytes);
    assert_memory_equal(tensor.data, data, (size_t)bytes);
    assert_true((uintptr_t)tensor.data % NN_CHECKPOINT_ALIGNMENT == 0);
}

static void reals_come_back_to_the_bit(void **state)
{
    const uint32_t singles[] = {
        0x3dcccccd,             /* 0.1 */
        0x3eaaaaab,             /* 1 / 3 */
        0x00000001,             /* 1.4e-45 */
        0x7f7fffff,             /* FLT_MAX */
        0x80000000,             /* -0.0 */
        0x7f800000, 0xff800000, /* infinities */
        0x7fc00000, 0xffc12345, /* quiet NaN */
        0x7f800001, 0xffbfffff  /* signalling NaN */
    };
    const double doubles[] = {0.1,      5e-324, DBL_MAX,   -0.0,
                              INFINITY, NAN,    -INFINITY, DBL_MIN};
    nn_checkpoint_writer *writer = writer_create();
    nn_checkpoint *checkpoint;
    char key[16];
    size_t i;

    (void)state;
    put(writer, "parameters", "singles", NN_FLOAT32, singles, 11);
    put(writer, "parameters", "doubles", NN_FLOAT64, doubles, 8);
    for (i = 0; i < 8; ++i) {
        snprintf(key, sizeof key, "real%zu", i);
        assert_int_equal(nn_checkpoint_put_real(writer, key, doubles[i]),
                         NN_OK);
    }
    checkpoint = through(writer, in_scratch("reals.nn"));
    same_tensor(checkpoint, "parameters", "singles", singles, 44);
    same_tensor(checkpoint, "parameters", "doubles", doubles, 64);
    for (i = 0; i < 8; ++i) {
        double back = 0;

        snprintf(key, sizeof key, "real%zu", i);
        assert_int_equal(nn_checkpoint_get_real(checkpoint, key, &back), NN_OK);
        assert_memory_equal(&back, &doubles[i], sizeof back);
    }
    nn_checkpoint_close(checkpoint);
}

static void every_type_and_rank_comes_back(void **state)
{
    static const uint8_t data[240] = {1, 2, 3, 250, 0, 255, 7};
    nn_checkpoint_writer *writer = writer_create();
    nn_tensor tensor = {.group = "g", .data = data};
    nn_checkpoint *checkpoint;
    char name[32];
    uint32_t i;

    (void)state;
    for (i = 1; nn_dtype_bytes(i); ++i) {
        snprintf(name, sizeof name, "type%u", i);
        assert_int_equal(put(writer, "g", name, i, data, 30), NN_OK);
    }
    for (i = 0; i <= NN_MAX_DIMS; ++i) {
        snprintf(name, sizeof name, "rank%u", i);
        tensor.name = name;
        tensor.dtype = NN_UINT8;
        tensor.ndim = i;
        tensor.bytes = 1 << i;
        tensor.bytes = i == 0 ? 1 : i < 8 ? tensor.bytes : 0;
        if (i)
            tensor.shape[i - 1] = i < 8 ? 2 : 0;
        assert_int_equal(nn_checkpoint_put_tensor(writer, &tensor), NN_OK);
    }
    checkpoint = through(writer, in_scratch("types.nn"));
    for (i = 1; nn_dtype_bytes(i); ++i) {
        snprintf(name, sizeof name, "type%u", i);
        same_tensor(checkpoint, "g", name, data, 30 * nn_dtype_bytes(i));
        assert_int_equal(nn_checkpoint_tensor(checkpoint, i - 1, &tensor), 1);
        assert_string_equal(tensor.name, name);
        assert_int_equal(tensor.dtype, i);
    }
    same_tensor(checkpoint, "g", "rank0", data, 1);
    same_tensor(checkpoint, "g", "rank7", data, 128);
    same_tensor(checkpoint, "g", "rank8", data, 0);
    assert_int_equal(nn_checkpoint_find(checkpoint, "g", "rank8", &tensor), 1);
    assert_int_equal(tensor.ndim, 8);
    assert_true(tensor.shape[0] == 2 && tensor.shape[7] == 0);
    assert_int_equal(nn_checkpoint_tensor(checkpoint, 15, &tensor), 0);
    nn_checkpoint_close(checkpoint);
}

static void values_have_their_type_and_order(void **state)
{
    nn_checkpoint_writer *writer = writer_create();
    nn_checkpoint *checkpoint;
    int64_t integer = 5;
    double real = 5;

    (void)state;
    nn_checkpoint_put_int(writer, "z", INT64_MIN);
    nn_checkpoint_put_int(writer, "a", INT64_MAX);
    nn_checkpoint_put_text(writer, "config", "a: 1\nb: \"grün\"\n");
    nn_checkpoint_put_real(writer, "real", 2);
    nn_checkpoint_put_text(writer, "empty", "");
    checkpoint = through(writer, in_scratch("values.nn"));
    assert_string_equal(nn_checkpoint_key(checkpoint, 0), "z");
    assert_string_equal(nn_checkpoint_key(checkpoint, 1), "a");
    assert_string_equal(nn_checkpoint_key(checkpoint, 4), "empty");
    assert_null(nn_checkpoint_key(checkpoint, 5));
    assert_int_equal(nn_checkpoint_get_int(checkpoint, "z", &integer), NN_OK);
    assert_true(integer == INT64_MIN);
    assert_int_equal(nn_checkpoint_get_int(checkpoint, "a", &integer), NN_OK);
    assert_true(integer == INT64_MAX);
    assert_string_equal(nn_checkpoint_config(checkpoint),
                        "a: 1\nb: \"grün\"\n");
    assert_string_equal(nn_checkpoint_get_text(checkpoint, "empty"), "");
    assert_null(nn_checkpoint_get_text(checkpoint, "a"));
    assert_null(nn_checkpoint_get_text(checkpoint, "b"));
    assert_int_equal(nn_checkpoint_get_real(checkpoint, "a", &real),
                     NN_NOT_FOUND);
    assert_int_equal(nn_checkpoint_get_int(checkpoint, "real", &integer),
                     NN_NOT_FOUND);
    assert_int_equal(nn_error_code(), 0);
    assert_string_equal(nn_checkpoint_path(checkpoint),
                        in_scratch("values.nn"));
    nn_checkpoint_close(checkpoint);
}

static void groups_are_apart(void **state)
{
    const float one = 1;
    const float two = 2;
    nn_checkpoint_writer *writer = writer_create();
    nn_checkpoint *checkpoint;
    nn_tensor tensor;

    (void)state;
    put(writer, "parameters", "h.W", NN_FLOAT32, &one, 1);
    put(writer, "stepper", "h.W", NN_FLOAT32, &two, 1);
    checkpoint = through(writer, in_scratch("groups.nn"));
    same_tensor(checkpoint, "parameters", "h.W", &one, 4);
    same_tensor(checkpoint, "stepper", "h.W", &two, 4);
    assert_int_equal(nn_checkpoint_find(checkpoint, "state", "h.W", &tensor),
                     0);
    assert_string_equal(nn_checkpoint_config(checkpoint), "");
    nn_checkpoint_close(checkpoint);
}

static void nothing_at_all_comes_back(void **state)
{
    nn_checkpoint *checkpoint = through(writer_create(), in_scratch("none.nn"));
    nn_tensor tensor;

    (void)state;
    assert_null(nn_checkpoint_key(checkpoint, 0));
    assert_null(nn_checkpoint_get_text(checkpoint, "config"));
    assert_int_equal(nn_checkpoint_tensor(checkpoint, 0, &tensor), 0);
    assert_int_equal(nn_checkpoint_find(checkpoint, "g", "n", &tensor), 0);
    nn_checkpoint_close(checkpoint);
    nn_checkpoint_close(NULL);
    nn_checkpoint_writer_destroy(NULL);
}

/* The same contents make the same bytes, whoever writes them. */
static void the_file_is_always_the_same(void **state)
{
    const float data[3] = {1, 2, 3};
    nn_checkpoint_writer *writer = writer_create();
    uint8_t *first;
    uint8_t *second;
    size_t length[2];

    (void)state;
    nn_checkpoint_put_int(writer, "n", 70000);
    put(writer, "g", "t", NN_FLOAT32, data, 3);
    assert_int_equal(nn_checkpoint_write(writer, in_scratch("a.nn")), NN_OK);
    assert_int_equal(nn_checkpoint_write(writer, in_scratch("b.nn")), NN_OK);
    first = read_all(in_scratch("a.nn"), &length[0]);
    second = read_all(in_scratch("b.nn"), &length[1]);
    assert_int_equal(length[0], length[1]);
    assert_memory_equal(first, second, length[0]);
    assert_memory_equal(first, "\211NNnet\r\n\1\0\0\0", 12);
    assert_memory_equal(first + length[0] - 24, "\0\0\x80\x3f\0\0\0\x40", 8);
    assert_int_equal(nn_little_get(first + length[0] - 4, 4),
                     nn_crc32(0, first, (int64_t)length[0] - 4));
    free(first);
    free(second);
    nn_checkpoint_writer_destroy(writer);
}

static void not_put(int32_t code, const char *words)
{
    assert_int_equal(code, NN_INVALID_ARGUMENT);
    if (!strstr(nn_error_text(), words))
        fail_msg("\"%s\" is not in: %s", words, nn_error_text());
    nn_error_clear();
}

static void what_could_not_be_read_is_not_put(void **state)
{
    nn_checkpoint_writer *writer = writer_create();
    nn_tensor tensor = {.group = "g", .name = "n", .dtype = NN_FLOAT32};
    const float data[4] = {0};
    char name[1026] = {0};

    (void)state;
    memset(name, 'x', 1025);
    not_put(nn_checkpoint_put_int(writer, "", 1), "key");
    not_put(nn_checkpoint_put_int(writer, name, 1), "key");
    not_put(nn_checkpoint_put_int(writer, "a\nb", 1), "key");
    not_put(nn_checkpoint_put_int(writer, "\xff", 1), "key");
    not_put(nn_checkpoint_put_text(writer, "key", "\xc3"), "\"key\"");
    not_put(put(writer, "", "n", NN_FLOAT32, data, 1), "group");
    not_put(put(writer, "g", "\x1b[2J", NN_FLOAT32, data, 1), "name");
    not_put(put(writer, "g", "n", NN_REAL, data, 0), "type");
    not_put(put(writer, "g", "n", 7, data, 0), "type");
    not_put(put(writer, "g", "n", NN_FLOAT32, NULL, 4), "no data");
    not_put(put(writer, "g", "n", NN_FLOAT32, data, -1), "shape");
    tensor.data = data;
    tensor.ndim = 1;
    tensor.shape[0] = 4;
    tensor.bytes = 12;
    not_put(nn_checkpoint_put_tensor(writer, &tensor), "bytes");
    tensor.ndim = 9;
    not_put(nn_checkpoint_put_tensor(writer, &tensor), "shape");
    tensor.ndim = 2;
    tensor.shape[0] = tensor.shape[1] = (int64_t)1 << 32;
    tensor.bytes = 0;
    not_put(nn_checkpoint_put_tensor(writer, &tensor), "shape");
    nn_checkpoint_writer_destroy(writer);
}

static void what_is_there_twice_is_not_written(void **state)
{
    nn_checkpoint_writer *writer = writer_create();
    const float data = 1;

    (void)state;
    nn_checkpoint_put_int(writer, "key", 1);
    nn_checkpoint_put_real(writer, "key", 1);
    not_put(nn_checkpoint_write(writer, in_scratch("twice.nn")), "\"key\"");
    nn_checkpoint_writer_destroy(writer);
    writer = writer_create();
    put(writer, "g", "h.W", NN_FLOAT32, &data, 1);
    put(writer, "g", "h.W", NN_UINT8, &data, 1);
    not_put(nn_checkpoint_write(writer, in_scratch("twice.nn")), "\"h.W\"");
    nn_checkpoint_writer_destroy(writer);
    assert_int_equal(access(in_scratch("twice.nn"), F_OK), -1);
}

static void many_names_are_found(void **state)
{
    enum { MANY = 3000 };
    nn_checkpoint_writer *writer = writer_create();
    nn_checkpoint *checkpoint;
    int32_t data[MANY];
    char name[32];
    int32_t i;

    (void)state;
    for (i = 0; i < MANY; ++i) {
        data[i] = i * 7;
        snprintf(name, sizeof name, "layer%d.W", i);
        assert_int_equal(put(writer, "g", name, NN_INT32, &data[i], 1), NN_OK);
        assert_int_equal(nn_checkpoint_put_int(writer, name, i), NN_OK);
    }
    checkpoint = through(writer, in_scratch("many.nn"));
    for (i = 0; i < MANY; ++i) {
        int64_t value = -1;

        snprintf(name, sizeof name, "layer%d.W", i);
        same_tensor(checkpoint, "g", name, &data[i], 4);
        nn_checkpoint_get_int(checkpoint, name, &value);
        assert_true(value == i);
    }
    nn_checkpoint_close(checkpoint);
}

/* Writes a checkpoint whose value "n" is N. */
static void numbered(const char *path, int64_t n)
{
    nn_checkpoint_writer *writer = writer_create();

    nn_checkpoint_put_int(writer, "n", n);
    nn_checkpoint_close(through(writer, path));
}

static void has_number(const char *path, int64_t n)
{
    nn_checkpoint *checkpoint = opened(path);
    int64_t value = -1;

    nn_checkpoint_get_int(checkpoint, "n", &value);
    assert_true(value == n);
    nn_checkpoint_close(checkpoint);
}

static void a_folder_gives_its_best_or_last(void **state)
{
    const char *folder = in_scratch("run");
    uint8_t *bytes;
    size_t length;

    (void)state;
    assert_int_equal(mkdir(folder, 0777), 0);
    refused(folder, NN_NOT_FOUND, "\"best.nn\" nor \"checkpoint.nn\"");
    numbered(in_scratch("run/checkpoint.nn"), 1);
    has_number(folder, 1);
    numbered(in_scratch("run/best.nn"), 2);
    has_number(folder, 2);
    has_number(in_scratch("run/"), 2);
    has_number(in_scratch("run/checkpoint.nn"), 1);
    bytes = read_all(in_scratch("run/best.nn"), &length);
    write_all(in_scratch("run/best.nn"), bytes, length - 1);
    free(bytes);
    refused(folder, NN_FORMAT, "run/best.nn\": it is cut off");
    unlink(in_scratch("run/best.nn"));
    assert_int_equal(symlink("gone", in_scratch("run/best.nn")), 0);
    refused(folder, NN_IO, "run/best.nn\": No such file");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(reals_come_back_to_the_bit, forget),
        cmocka_unit_test_setup(every_type_and_rank_comes_back, forget),
        cmocka_unit_test_setup(values_have_their_type_and_order, forget),
        cmocka_unit_test_setup(groups_are_apart, forget),
        cmocka_unit_test_setup(nothing_at_all_comes_back, forget),
        cmocka_unit_test_setup(the_file_is_always_the_same, forget),
        cmocka_unit_test_setup(what_could_not_be_read_is_not_put, forget),
        cmocka_unit_test_setup(what_is_there_twice_is_not_written, forget),
        cmocka_unit_test_setup(many_names_are_found, forget),
        cmocka_unit_test_setup(a_folder_gives_its_best_or_last, forget),
    };

    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
