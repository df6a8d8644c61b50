/* SPDX-License-Identifier: MIT */
/* fuzz.h - what the fuzzers of the iterators that read files share: bytes
 * become a file, the file an iterator, and the iterator is read.  With
 * NN_REPLAY the fuzzer is a program that runs the files that it is given. */
#ifndef NN_TESTS_PLUGINS_ITERATORS_FUZZ_H
#define NN_TESTS_PLUGINS_ITERATORS_FUZZ_H

#include "fake.h"
#include "files.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Samples that are read of what a file holds. */
#define FUZZ_SAMPLES 64

static void fuzz_end(void)
{
    files_end(NULL);
}

/* Makes the file NAME of SIZE bytes. */
static inline void fuzz_write(const char *name, const uint8_t *data,
                              size_t size)
{
    if (!files_folder[0]) {
        if (files_begin(NULL))
            abort();
        atexit(fuzz_end);
    }
    files_write(name, data, size);
}

/* Opens CONFIG (see files_config), whose field x is wanted as DTYPE, reads it
 * and checks that nothing is left and little memory was taken: BOUND bytes. */
static inline void fuzz_read(const char *config, uint32_t dtype, int64_t bound)
{
    nn_field request = fake_field("x", dtype, 0, 0, 0, 0);
    nn_child *it = fake_open(files_config(config), NN_FLOAT32, &request, 1);
    int64_t i;

    if (it) {
        nn_batch *batch = fake_batch_create(it, 1);
        int64_t count = fake_info(it).n_samples;

        for (i = 0; i < count && i < FUZZ_SAMPLES; ++i)
            if (fake_gather(it, &i, 1, batch) && fake.text[0] == '\0')
                abort();
        fake_batch_destroy(batch);
    }
    fake_close(it);
    if (fake.blocks != 0 || fake.peak > bound)
        abort();
}

#ifdef NN_REPLAY
/* Bytes of a file at most. */
#define FUZZ_BYTES (1 << 20)

int main(int argc, char **argv)
{
    uint8_t *data = malloc(FUZZ_BYTES);
    int good = data && argc > 1;
    int i;

    for (i = 1; i < argc && good; ++i) {
        FILE *in = fopen(argv[i], "rb");

        good = in != NULL;
        if (good) {
            LLVMFuzzerTestOneInput(data, fread(data, 1, FUZZ_BYTES, in));
            fclose(in);
        } else {
            fprintf(stderr, "cannot read %s\n", argv[i]);
        }
    }
    free(data);
    return !good;
}
#endif

#endif
