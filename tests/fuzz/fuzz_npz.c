/* SPDX-License-Identifier: MIT */
/* fuzz_npz.c - the bytes are an archive of npy files. */
#include "../plugins/iterators/fuzz.h"

extern const nn_plugin iterator_npy_LTX_nn_plugin_v1;

const nn_plugin *const fake_plugins[] = {&iterator_npy_LTX_nn_plugin_v1, NULL};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    /* deflate packs 1032 to 1 at most. */
    int64_t bound = 2 * 1032 * (int64_t)size + 200000;

    fuzz_write("x.npz", data, size);
    fuzz_read("{npy: {x: %s/x.npz}}", NN_FLOAT64, bound);
    return 0;
}
