/* SPDX-License-Identifier: MIT */
/* fuzz_checkpoint.c - no bytes crash the reading of checkpoints, and what is
 * accepted is whole.
 *
 * The input is read three times: as a file; as a file whose lengths and
 * checksums are made right first, since no mutation gets past them; and as the
 * header of a file that is right otherwise.  Of what is accepted, every value
 * and tensor is found again by its name, and every byte of a tensor is read.
 * With NN_REPLAY this is a program that runs the files that it is given, such
 * as those of corpus/checkpoint. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/store/build.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Ends the run, since what must hold does not. */
#define require(condition)                                                     \
    do {                                                                       \
        if (!(condition)) {                                                    \
            fprintf(stderr, "fuzz_checkpoint: %s\n", #condition);              \
            abort();                                                           \
        }                                                                      \
    } while (0)

static void use_values(const nn_checkpoint *checkpoint)
{
    const char *key;
    int64_t integer;
    double real;
    uint32_t i;

    for (i = 0; (key = nn_checkpoint_key(checkpoint, i)); ++i) {
        const char *text = nn_checkpoint_get_text(checkpoint, key);
        int found = text != NULL;

        found += nn_checkpoint_get_int(checkpoint, key, &integer) == NN_OK;
        found += nn_checkpoint_get_real(checkpoint, key, &real) == NN_OK;
        require(found == 1);
        require(!text || strlen(text) < (size_t)NN_CHECKPOINT_HEADER);
    }
}

static void use_tensors(const nn_checkpoint *checkpoint)
{
    nn_tensor tensor;
    nn_tensor again;
    uint32_t i;

    for (i = 0; nn_checkpoint_tensor(checkpoint, i, &tensor); ++i) {
        require(
            nn_checkpoint_find(checkpoint, tensor.group, tensor.name, &again));
        require(again.data == tensor.data);
        require(tensor.ndim <= NN_MAX_DIMS && nn_dtype_bytes(tensor.dtype));
        require((uintptr_t)tensor.data % NN_CHECKPOINT_ALIGNMENT == 0);
        nn_crc32(0, tensor.data, tensor.bytes);
    }
}

/* Reads the SIZE bytes at FILE, which are freed. */
static void read_file(uint8_t *file, size_t size)
{
    nn_checkpoint *checkpoint = NULL;
    int32_t code;

    nn_error_clear();
    code = nn_checkpoint_adopt(file, (int64_t)size, "fuzz", &checkpoint);
    require((code == NN_OK) == (checkpoint != NULL));
    require(code == nn_error_code());
    if (!checkpoint)
        return;
    use_values(checkpoint);
    use_tensors(checkpoint);
    require(strcmp(nn_checkpoint_path(checkpoint), "fuzz") == 0);
    nn_checkpoint_close(checkpoint);
}

/* The input with lengths and checksums made right. */
static void read_sealed(const uint8_t *data, size_t size)
{
    size_t room = NN_CHECKPOINT_PRELUDE + NN_CHECKPOINT_FOOTER;
    uint8_t *file;
    uint64_t header;

    if (size < room)
        return;
    header = nn_little_get(data + 24, 8);
    file = aligned(size);
    memcpy(file, data, size);
    seal(file, size, header > size - room ? size - room : (size_t)header);
    read_file(file, size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t *file = aligned(size);
    size_t built;

    if (size)
        memcpy(file, data, size);
    read_file(file, size);
    read_sealed(data, size);
    file = build(data, size, 4096, &built);
    read_file(file, built);
    return 0;
}

#ifdef NN_REPLAY

#define MOST_BYTES ((size_t)1 << 24)

/* Runs one file; returns 0 if it cannot be read. */
static int replay(const char *path)
{
    FILE *in = fopen(path, "rb");
    uint8_t *data = malloc(MOST_BYTES);
    size_t size = 0;

    if (in && data)
        size = fread(data, 1, MOST_BYTES, in);
    if (in)
        fclose(in);
    if (in && data)
        LLVMFuzzerTestOneInput(data, size);
    else
        fprintf(stderr, "fuzz_checkpoint: cannot read %s\n", path);
    free(data);
    return in && data;
}

int main(int argc, char **argv)
{
    int good = argc > 1;
    int i;

    for (i = 1; i < argc; ++i)
        good &= replay(argv[i]);
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}

#endif
