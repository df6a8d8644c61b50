/* SPDX-License-Identifier: MIT */
/* test_damage.c - files that are cut, changed, hostile or something else are
 * refused, each with its own message, without much memory. */
#define _GNU_SOURCE
#include <sys/resource.h>
#include <sys/wait.h>

#include "tests/unit/store/build.h"
#include "tests/unit/store/files.h"

#define N(array) (sizeof(array) / sizeof(array)[0])

/* A small file as the writer makes it, with two tensors and three values. */
static uint8_t *small_file(size_t *length)
{
    static const float weights[6] = {1, 2, 3, 4, 5, 6};
    static const uint8_t bias[3] = {7, 8, 9};
    nn_tensor tensor = {.name = "h.W",
                        .group = "parameters",
                        .dtype = NN_FLOAT32,
                        .ndim = 2,
                        .shape = {2, 3},
                        .data = weights,
                        .bytes = sizeof weights};
    nn_checkpoint_writer *writer = NULL;

    assert_int_equal(nn_checkpoint_writer_create(&writer), NN_OK);
    nn_checkpoint_put_text(writer, "config", "training: {}\n");
    nn_checkpoint_put_int(writer, "epoch", 3);
    nn_checkpoint_put_real(writer, "rate", 0.1);
    assert_int_equal(nn_checkpoint_put_tensor(writer, &tensor), NN_OK);
    tensor.name = "h.b";
    tensor.dtype = NN_UINT8;
    tensor.ndim = 1;
    tensor.shape[0] = 3;
    tensor.data = bias;
    tensor.bytes = 3;
    assert_int_equal(nn_checkpoint_put_tensor(writer, &tensor), NN_OK);
    assert_int_equal(nn_checkpoint_write(writer, in_scratch("small.nn")),
                     NN_OK);
    nn_checkpoint_writer_destroy(writer);
    return read_all(in_scratch("small.nn"), length);
}

/* What reading COUNT bytes says; they lie in memory of just that size. */
static int32_t judge(const uint8_t *bytes, size_t count)
{
    nn_checkpoint *checkpoint = NULL;
    uint8_t *copy = aligned(count);
    int32_t code;

    memcpy(copy, bytes, count);
    nn_error_clear();
    code = nn_checkpoint_adopt(copy, (int64_t)count, "memory", &checkpoint);
    assert_true((code == NN_OK) == (checkpoint != NULL));
    assert_int_equal(code, nn_error_code());
    nn_checkpoint_close(checkpoint);
    return code;
}

static void every_cut_is_refused(void **state)
{
    size_t length;
    uint8_t *bytes = small_file(&length);
    size_t i;

    (void)state;
    assert_int_equal(judge(bytes, length), NN_OK);
    for (i = 0; i < length; ++i) {
        assert_int_equal(judge(bytes, i), NN_FORMAT);
        write_all(in_scratch("cut.nn"), bytes, i);
        refused(in_scratch("cut.nn"), NN_FORMAT, i ? "cut off" : "empty");
    }
    free(bytes);
}

static void every_change_of_a_byte_is_refused(void **state)
{
    static const uint8_t patterns[] = {1,  2,   4,    8,    16,   32,
                                       64, 128, 0xff, 0x0f, 0x55, 0xaa};
    size_t length;
    uint8_t *bytes = small_file(&length);
    size_t i;
    size_t j;

    (void)state;
    for (i = 0; i < length; ++i) {
        for (j = 0; j < N(patterns); ++j) {
            int32_t code;

            bytes[i] ^= patterns[j];
            code = judge(bytes, length);
            bytes[i] ^= patterns[j];
            if (code != NN_FORMAT && (i / 4 != 2 || code != NN_UNSUPPORTED))
                fail_msg("byte %zu changed by %02x gives %d", i, patterns[j],
                         (int)code);
        }
    }
    assert_int_equal(judge(bytes, length), NN_OK);
    free(bytes);
}

static void bytes_that_are_exchanged_are_refused(void **state)
{
    size_t length;
    uint8_t *bytes = small_file(&length);
    size_t i;

    (void)state;
    for (i = 1; i < length; ++i) {
        uint8_t byte = bytes[i];

        if (byte == bytes[i - 1])
            continue;
        bytes[i] = bytes[i - 1];
        bytes[i - 1] = byte;
        assert_true(judge(bytes, length) < 0);
        bytes[i - 1] = bytes[i];
        bytes[i] = byte;
    }
    free(bytes);
}

static void more_bytes_are_refused(void **state)
{
    size_t length;
    uint8_t *bytes = small_file(&length);
    uint8_t *more = calloc(1, 2 * length);

    (void)state;
    assert_non_null(more);
    memcpy(more, bytes, length);
    write_all(in_scratch("more.nn"), more, length + 1);
    refused(in_scratch("more.nn"), NN_FORMAT, "goes on after its end");
    memcpy(more + length, bytes, length);
    assert_int_equal(judge(more, 2 * length), NN_FORMAT);
    free(more);
    free(bytes);
}

static void damage_says_where(void **state)
{
    size_t length;
    uint8_t *bytes = small_file(&length);
    const char *path = in_scratch("damaged.nn");

    (void)state;
    bytes[length - 13] ^= 1;
    write_all(path, bytes, length);
    refused(path, NN_FORMAT, "checksum of \"h.b\" of \"parameters\"");
    bytes[length - 13] ^= 1;
    bytes[40] ^= 1;
    write_all(path, bytes, length);
    refused(path, NN_FORMAT, "checksum of its header");
    bytes[40] ^= 1;
    bytes[17] ^= 1;
    write_all(path, bytes, length);
    refused(path, NN_FORMAT, "checksum of its first bytes");
    bytes[17] ^= 1;
    bytes[length - 20] ^= 1; /* between the tensors */
    write_all(path, bytes, length);
    refused(path, NN_FORMAT, "checksum of the file");
    free(bytes);
}

/* PATH gets BYTES with the magic turned around in groups of WIDTH. */
static void write_swapped(const char *path, uint8_t *bytes, size_t length,
                          int64_t width)
{
    nn_swap_bytes(bytes, 8 / width, width);
    write_all(path, bytes, length);
    nn_swap_bytes(bytes, 8 / width, width);
}

static void other_files_are_named(void **state)
{
    size_t length;
    uint8_t *bytes = small_file(&length);
    const char *path = in_scratch("other.nn");
    uint8_t noise[100];
    size_t i;

    (void)state;
    refused(in_scratch("missing.nn"), NN_IO, "No such file");
    refused(in_scratch("small.nn/x"), NN_IO, "Not a directory");
    write_all(path, "", 0);
    refused(path, NN_FORMAT, "it is empty");
    write_all(path, "network:\n  hidden: {}\n", 22);
    refused(path, NN_FORMAT, "it is a text");
    for (i = 0; i < sizeof noise; ++i)
        noise[i] = (uint8_t)(i * 37);
    write_all(path, noise, sizeof noise);
    refused(path, NN_FORMAT, "it is no checkpoint");
    bytes[3] ^= 4;
    write_all(path, bytes, length);
    refused(path, NN_FORMAT, "first bytes are damaged");
    bytes[3] ^= 4;
    for (i = 2; i <= 8; i *= 2) {
        write_swapped(path, bytes, length, (int64_t)i);
        refused(path, NN_FORMAT, "bytes are swapped");
    }
    bytes[8] = 2;
    write_all(path, bytes, length);
    refused(path, NN_UNSUPPORTED, "version 2");
    refused(path, NN_UNSUPPORTED, "version 1");
    bytes[8] = 0;
    write_all(path, bytes, length);
    refused(path, NN_FORMAT, "version 0");
    assert_int_equal(mkfifo(in_scratch("pipe.nn"), 0666), 0);
    refused(in_scratch("pipe.nn"), NN_IO, "a pipe");
    refused("/dev/null", NN_IO, "no regular file");
    assert_int_equal(mkdir(in_scratch("in"), 0777), 0);
    assert_int_equal(mkdir(in_scratch("in/best.nn"), 0777), 0);
    refused(in_scratch("in"), NN_IO, "a folder");
    free(bytes);
}

static void unknown_keys_are_passed_over(void **state)
{
    nn_checkpoint *checkpoint = NULL;
    nn_text out = {0};
    nn_tensor tensor;
    int64_t value = 0;
    uint8_t *file;
    size_t size;
    entry row = {"g", "n", "float32", {2}, 1, 128, 8};

    (void)state;
    nn_pack_map(&out, 4);
    nn_pack_text(&out, "optional");
    nn_pack_array(&out, 2);
    nn_pack_map(&out, 1);
    nn_pack_bool(&out, 1);
    nn_pack_nil(&out);
    nn_pack_bytes(&out, "\0\1", 2);
    nn_pack_text(&out, "values");
    nn_pack_map(&out, 3);
    nn_pack_text(&out, "list");
    nn_pack_array(&out, 1);
    nn_pack_int(&out, 5);
    nn_pack_text(&out, "n");
    nn_pack_int(&out, 7);
    nn_pack_text(&out, "nil");
    nn_pack_nil(&out);
    nn_pack_text(&out, "tensors");
    nn_pack_array(&out, 1);
    pack_entry(&out, &row);
    nn_pack_text(&out, "more");
    nn_pack_int(&out, 1);
    file = build(out.data, out.length, 320, &size);
    nn_text_finish(&out);
    assert_int_equal(nn_checkpoint_adopt(file, (int64_t)size, "memory",
                                         &checkpoint),
                     NN_OK);
    assert_string_equal(nn_checkpoint_key(checkpoint, 0), "n");
    assert_null(nn_checkpoint_key(checkpoint, 1));
    assert_int_equal(nn_checkpoint_get_int(checkpoint, "n", &value), NN_OK);
    assert_true(value == 7);
    assert_int_equal(nn_checkpoint_find(checkpoint, "g", "n", &tensor), 1);
    nn_checkpoint_close(checkpoint);
}

/* ---- hostile headers ---------------------------------------------------- */

typedef struct hostile {
    const char *what;
    entry rows[2];
    uint32_t n;
} hostile;

#define BIG ((int64_t)1 << 32)

static const hostile tables[] = {
    {"axes whose product wraps to 0",
     {{"g", "n", "float32", {BIG, BIG}, 2, 0, 0}},
     1},
    {"axes whose product wraps to 16",
     {{"g", "n", "float32", {((int64_t)1 << 62) + 1, 4}, 2, 0, 16}},
     1},
    {"bytes that wrap",
     {{"g", "n", "float64", {(int64_t)1 << 61}, 1, 0, 0}},
     1},
    {"axes that wrap after a 0",
     {{"g", "n", "uint8", {BIG, BIG, 0}, 3, 0, 0}},
     1},
    {"a negative axis", {{"g", "n", "uint8", {-4}, 1, 0, 4}}, 1},
    {"nine axes",
     {{"g", "n", "uint8", {1, 1, 1, 1, 1, 1, 1, 1, 1}, 9, 0, 1}},
     1},
    {"fewer bytes than its shape", {{"g", "n", "float32", {4}, 1, 0, 12}}, 1},
    {"more bytes than its shape", {{"g", "n", "float32", {4}, 1, 0, 20}}, 1},
    {"negative bytes", {{"g", "n", "uint8", {4}, 1, 0, -4}}, 1},
    {"bytes past the end", {{"g", "n", "uint8", {1025}, 1, 0, 1025}}, 1},
    {"an offset past the end", {{"g", "n", "uint8", {4}, 1, 1088, 4}}, 1},
    {"an offset and bytes that wrap",
     {{"g", "n", "uint8", {INT64_MAX}, 1, 64, INT64_MAX}},
     1},
    {"a huge offset", {{"g", "n", "uint8", {4}, 1, INT64_MAX - 63, 4}}, 1},
    {"a negative offset", {{"g", "n", "uint8", {4}, 1, -64, 4}}, 1},
    {"an offset that is not aligned", {{"g", "n", "uint8", {4}, 1, 4, 4}}, 1},
    {"an unknown type", {{"g", "n", "float128", {4}, 1, 0, 4}}, 1},
    {"an open type", {{"g", "n", "real", {4}, 1, 0, 0}}, 1},
    {"no name", {{"g", "", "uint8", {4}, 1, 0, 4}}, 1},
    {"no group", {{"", "n", "uint8", {4}, 1, 0, 4}}, 1},
    {"a name that clears the terminal",
     {{"g", "\x1b[2J", "uint8", {4}, 1, 0, 4}},
     1},
    {"two of one name",
     {{"g", "n", "uint8", {4}, 1, 0, 4}, {"g", "n", "uint8", {4}, 1, 64, 4}},
     2},
    {"two that overlap",
     {{"g", "n", "uint8", {65}, 1, 0, 65}, {"g", "m", "uint8", {4}, 1, 64, 4}},
     2},
    {"two in one place",
     {{"g", "n", "uint8", {4}, 1, 64, 4}, {"g", "m", "uint8", {4}, 1, 64, 4}},
     2},
    {"two in the wrong order",
     {{"g", "n", "uint8", {4}, 1, 64, 4}, {"g", "m", "uint8", {4}, 1, 0, 4}},
     2},
};

/* Headers byte by byte; {"values": {}, "tensors": []} would be good. */
#define VALUES "\x82\xa6values"
#define TENSORS "\x80\xa7tensors"
#define TENSOR                                                                 \
    "\xa5group\xa1g\xa4name\xa1n\xa5"                                          \
    "dtype\xa5uint8\xa5shape\x91\x00"                                          \
    "\xa6offset\x00\xa5"                                                       \
    "bytes\x00\xa5"                                                            \
    "crc32\x00"

typedef struct raw {
    const char *what;
    const char *header;
    size_t length;
} raw;

#define RAW(what, header)                                                      \
    {                                                                          \
        what, header, sizeof(header) - 1                                       \
    }

static const raw headers[] = {
    RAW("nothing", ""),
    RAW("no map", "\xc0"),
    RAW("an empty map", "\x80"),
    RAW("2^32 - 1 keys", "\xdf\xff\xff\xff\xff"),
    RAW("2^32 - 1 values", VALUES "\xdf\xff\xff\xff\xff"),
    RAW("2^32 - 1 tensors", VALUES TENSORS "\xdd\xff\xff\xff\xff"),
    RAW("2^28 tensors", VALUES TENSORS "\xdd\x10\x00\x00\x00\xc0"),
    RAW("a text of 2^32 - 1 bytes", VALUES "\x81\xa1k\xdb\xff\xff\xff\xff"),
    RAW("a key of 2^32 - 1 bytes", VALUES "\x81\xdb\xff\xff\xff\xffx"),
    RAW("bytes of 2^32 - 1 bytes", VALUES "\x81\xa1k\xc6\xff\xff\xff\xff"),
    RAW("an axis count of 10^6",
        VALUES TENSORS "\x91\x81\xa5shape\xdd\x00\x0f\x42\x40"),
    RAW("something after its end", VALUES TENSORS "\x90\xc0"),
    RAW("a key twice", "\x83\xa6values\x80\xa7tensors\x90\xa6values\x80"),
    RAW("tensors twice", "\x83\xa6values\x80\xa7tensors\x90\xa7tensors\x90"),
    RAW("a value twice", VALUES "\x82\xa1k\x01\xa1k\x02\xa7tensors\x90"),
    RAW("a value without key", VALUES "\x81\xa0\x01\xa7tensors\x90"),
    RAW("an integer of 2^64 - 1",
        VALUES "\x81\xa1k\xcf\xff\xff\xff\xff\xff\xff\xff\xff\xa7tensors\x90"),
    RAW("a key that is a number", "\x83\x01\x01\xa6values\x80\xa7tensors\x90"),
    RAW("a text that is not UTF-8", VALUES "\x81\xa1k\xa1\xff\xa7tensors\x90"),
    RAW("a text with NUL", VALUES "\x81\xa1k\xa2x\0\xa7tensors\x90"),
    RAW("an extension type", VALUES "\x81\xa1k\xd4\x01\x01\xa7tensors\x90"),
    RAW("values that are a list", VALUES "\x90\xa7tensors\x90"),
    RAW("tensors that are a map", VALUES TENSORS "\x80"),
    RAW("an empty tensor", VALUES TENSORS "\x91\x80"),
    RAW("a tensor of nil", VALUES TENSORS "\x91\xc0"),
    RAW("a tensor with a key twice",
        VALUES TENSORS "\x91\x88" TENSOR "\xa4name\xa1n"),
};

/* Writes hostile files 0, 1, ... to the scratch folder; returns how many. */
static int write_hostile(void)
{
    const char *name = in_scratch("hostile-000.nn");
    char path[5000];
    uint8_t *file;
    uint8_t *deep = malloc(1000000);
    size_t size;
    size_t i;
    int n = 0;

    assert_non_null(deep);
    for (i = 0; i < N(tables); ++i) {
        file = build_tensors(tables[i].rows, tables[i].n, 1024, &size);
        snprintf(path, sizeof path, "%.*s%03d.nn", (int)strlen(name) - 6, name,
                 n++);
        write_all(path, file, size);
        free(file);
    }
    for (i = 0; i < N(headers); ++i) {
        file = build(headers[i].header, headers[i].length, 0, &size);
        snprintf(path, sizeof path, "%.*s%03d.nn", (int)strlen(name) - 6, name,
                 n++);
        write_all(path, file, size);
        free(file);
    }
    memcpy(deep, "\x81\xa1x", 3); /* a million lists in each other */
    memset(deep + 3, 0x91, 1000000 - 3);
    file = build(deep, 1000000, 0, &size);
    snprintf(path, sizeof path, "%.*s%03d.nn", (int)strlen(name) - 6, name,
             n++);
    write_all(path, file, size);
    free(file);
    free(deep);
    return n;
}

static const char *hostile_name(int i)
{
    if (i < (int)N(tables))
        return tables[i].what;
    i -= (int)N(tables);
    return i < (int)N(headers) ? headers[i].what : "a deep header";
}

/* The same table without its flaw is read: it is the flaw that is refused. */
static void what_is_built_by_hand_is_read(void **state)
{
    const entry rows[2] = {{"g", "n", "uint8", {2, 2}, 2, 0, 4},
                           {"g", "m", "float64", {120}, 1, 64, 960}};
    const char good[] = VALUES TENSORS "\x91\x87" TENSOR;
    size_t size;
    uint8_t *file = build_tensors(rows, 2, 1024, &size);

    (void)state;
    assert_int_equal(judge(file, size), NN_OK);
    free(file);
    file = build(good, sizeof good - 1, 0, &size);
    assert_int_equal(judge(file, size), NN_OK);
    free(file);
}

/* Opens N hostile files in 500 MB of address space and 100 MB of memory;
 * returns 0, the number of the first one that was not refused from 1 on, 254
 * if there was no message, or 255 if memory was used. */
static int open_hostile(int n)
{
    const struct rlimit limit = {500000000, 500000000};
    nn_checkpoint *checkpoint = NULL;
    struct rusage usage;
    char path[5000];
    int i;

#ifndef __SANITIZE_ADDRESS__
    if (setrlimit(RLIMIT_AS, &limit) != 0)
        return 253;
#endif
    (void)limit;
    for (i = 0; i < n; ++i) {
        snprintf(path, sizeof path, "%s/hostile-%03d.nn", scratch, i);
        if (nn_checkpoint_open(path, &checkpoint) != NN_FORMAT || checkpoint)
            return i + 1;
        if (strstr(nn_error_text(), "checksum")) /* the flaw was not seen */
            return i + 1;
        if (!strstr(nn_error_text(), path))
            return 254;
    }
#ifndef __SANITIZE_ADDRESS__
    getrusage(RUSAGE_SELF, &usage);
    if (usage.ru_maxrss > 100000)
        return 255;
#endif
    (void)usage;
    return 0;
}

static void hostile_headers_are_refused_in_little_memory(void **state)
{
    int n = write_hostile();
    pid_t child = fork();
    int status = -1;

    (void)state;
    if (child == 0)
        _exit(open_hostile(n));
    assert_true(child > 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    status = WEXITSTATUS(status);
    if (status)
        fail_msg("%d: %s", status,
                 status <= n ? hostile_name(status - 1) : "memory or message");
}

/* Lengths in the first bytes, with a checksum that is right. */
static void hostile_lengths_are_refused(void **state)
{
    static const uint64_t lengths[] = {29,         (uint64_t)1 << 26,
                                       1 << 27,    (uint64_t)1 << 40,
                                       INT64_MAX,  UINT64_MAX - 35,
                                       UINT64_MAX, (uint64_t)1 << 63};
    size_t size;
    size_t i;

    (void)state;
    for (i = 0; i < N(lengths); ++i) {
        uint8_t *file = build("", 0, 0, &size);

        nn_little_put(file + 24, lengths[i], 8);
        nn_little_put(file + 32, nn_crc32(0, file, 32), 4);
        assert_int_equal(judge(file, size), NN_FORMAT);
        assert_non_null(strstr(nn_error_text(), "too long"));
        nn_little_put(file + 16, lengths[i], 8);
        nn_little_put(file + 32, nn_crc32(0, file, 32), 4);
        assert_int_equal(judge(file, size), NN_FORMAT);
        free(file);
    }
}

static void another_end_mark_is_refused(void **state)
{
    size_t size;
    uint8_t *file = build_tensors(NULL, 0, 64, &size);

    (void)state;
    assert_int_equal(judge(file, size), NN_OK);
    file[size - 10] ^= 1;
    nn_little_put(file + size - 4, nn_crc32(0, file, (int64_t)size - 4), 4);
    assert_int_equal(judge(file, size), NN_FORMAT);
    free(file);
}

/* A file of a terabyte that is no checkpoint, or says so of itself without
 * being one, is not read to its end. */
static void a_huge_file_is_refused_at_once(void **state)
{
    const char *path = in_scratch("huge.nn");
    size_t length;
    uint8_t *bytes = small_file(&length);

    (void)state;
    write_all(path, bytes, length);
    free(bytes);
    if (truncate(path, (off_t)1 << 40) != 0)
        skip();
    refused(path, NN_FORMAT, "goes on after its end");
    write_all(path, "", 0);
    assert_int_equal(truncate(path, (off_t)1 << 40), 0);
    refused(path, NN_FORMAT, "it is no checkpoint");
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(every_cut_is_refused, forget),
        cmocka_unit_test_setup(every_change_of_a_byte_is_refused, forget),
        cmocka_unit_test_setup(bytes_that_are_exchanged_are_refused, forget),
        cmocka_unit_test_setup(more_bytes_are_refused, forget),
        cmocka_unit_test_setup(damage_says_where, forget),
        cmocka_unit_test_setup(other_files_are_named, forget),
        cmocka_unit_test_setup(unknown_keys_are_passed_over, forget),
        cmocka_unit_test_setup(what_is_built_by_hand_is_read, forget),
        cmocka_unit_test_setup(hostile_headers_are_refused_in_little_memory,
                               forget),
        cmocka_unit_test_setup(hostile_lengths_are_refused, forget),
        cmocka_unit_test_setup(another_end_mark_is_refused, forget),
        cmocka_unit_test_setup(a_huge_file_is_refused_at_once, forget),
    };

    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
