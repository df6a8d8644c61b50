/* SPDX-License-Identifier: MIT */
/* make_checkpoints.c - writes the inputs of corpus/checkpoint that are not
 * found by chance: `make_checkpoints FOLDER`.
 *
 * Whole files of every kind of content, and bare headers, which the fuzzer
 * puts into a file itself. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/store/build.h"

static const char *folder;
static int failed;

/* The path of NAME; the buffer is used again. */
static const char *path_of(const char *name)
{
    static char path[4096];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void write_bytes(const char *name, const void *bytes, size_t size)
{
    FILE *out = fopen(path_of(name), "wb");

    failed |= !out || fwrite(bytes, 1, size, out) != size;
    if (out)
        failed |= fclose(out) != 0;
}

static void write_whole(const char *name, nn_checkpoint_writer *writer)
{
    failed |= nn_checkpoint_write(writer, path_of(name)) != NN_OK;
    nn_checkpoint_writer_destroy(writer);
}

/* A file with every element type and several ranks. */
static void write_types(void)
{
    static const uint8_t data[96] = {1, 2, 3, 4};
    nn_checkpoint_writer *writer = NULL;
    nn_tensor tensor = {.group = "parameters", .data = data};
    char name[16];
    uint32_t i;

    failed |= nn_checkpoint_writer_create(&writer) != NN_OK;
    for (i = 1; writer && nn_dtype_bytes(i); ++i) {
        snprintf(name, sizeof name, "t%u", i);
        tensor.name = name;
        tensor.dtype = i;
        tensor.ndim = i % 4;
        tensor.shape[0] = tensor.shape[1] = tensor.shape[2] = 2;
        tensor.bytes = nn_dtype_bytes(i) << tensor.ndim;
        failed |= nn_checkpoint_put_tensor(writer, &tensor) != NN_OK;
    }
    write_whole("types", writer);
}

/* A file with every kind of value. */
static void write_values(void)
{
    nn_checkpoint_writer *writer = NULL;

    failed |= nn_checkpoint_writer_create(&writer) != NN_OK;
    nn_checkpoint_put_text(writer, "config", "network: {}\n");
    nn_checkpoint_put_text(writer, "name", "gr\xc3\xbcn");
    nn_checkpoint_put_int(writer, "update", 70000);
    nn_checkpoint_put_int(writer, "least", INT64_MIN);
    nn_checkpoint_put_real(writer, "rate", 0.1);
    write_whole("values", writer);
}

static void write_nothing(void)
{
    nn_checkpoint_writer *writer = NULL;

    failed |= nn_checkpoint_writer_create(&writer) != NN_OK;
    write_whole("nothing", writer);
}

/* Headers with tensors that fit, and with some that nearly do. */
static void write_tables(void)
{
    static const entry rows[] = {
        {"g", "a", "float32", {4, 4}, 2, 0, 64},
        {"g", "b", "uint8", {1}, 1, 64, 1},
        {"h", "a", "float64", {2, 1, 1, 1, 1, 1, 1, 2}, 8, 4032, 32},
        {"h", "c", "int32", {0}, 1, 4096, 0},
        {"h", "d", "float32", {(int64_t)1 << 32, (int64_t)1 << 32}, 2, 0, 0}};
    char name[16];
    uint32_t i;

    for (i = 1; i <= 5; ++i) {
        nn_text out = {0};
        uint32_t j;

        nn_pack_map(&out, 3);
        nn_pack_text(&out, "tensors");
        nn_pack_array(&out, i);
        for (j = 0; j < i; ++j)
            pack_entry(&out, &rows[j]);
        nn_pack_text(&out, "optional");
        nn_pack_bytes(&out, "\0\1\2", 3);
        nn_pack_text(&out, "values");
        nn_pack_map(&out, 1);
        nn_pack_text(&out, "list");
        nn_pack_array(&out, 1);
        nn_pack_nil(&out);
        snprintf(name, sizeof name, "table%u", i);
        write_bytes(name, out.data, out.length);
        nn_text_finish(&out);
    }
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: make_checkpoints FOLDER\n");
        return EXIT_FAILURE;
    }
    folder = argv[1];
    write_types();
    write_values();
    write_nothing();
    write_tables();
    write_bytes("counts", "\x82\xa7tensors\xdd\xff\xff\xff\xff\xa6values\x80",
                21);
    write_bytes("text", "\x81\xa6values\x81\xa1k\xdb\xff\xff\xff\xff", 16);
    write_bytes("deep",
                "\x81\xa1x\x91\x91\x91\x91\x91\x91\x91\x91\x91\x91\x91"
                "\x91\x91\x91\x91\x91\x91\xc0",
                21);
    if (failed)
        fprintf(stderr, "make_checkpoints: %s\n", nn_error_text());
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
