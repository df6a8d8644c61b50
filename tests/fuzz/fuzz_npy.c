/* SPDX-License-Identifier: MIT */
/* fuzz_npy.c - the bytes are an npy file. */
#include "../plugins/iterators/fuzz.h"

extern const nn_plugin iterator_npy_LTX_nn_plugin_v1;

const nn_plugin *const fake_plugins[] = {&iterator_npy_LTX_nn_plugin_v1, NULL};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int64_t bound = 4 * (int64_t)size + 200000;

    fuzz_write("x.npy", data, size);
    fuzz_read("{npy: {x: %s/x.npy}}", NN_FLOAT64, bound);
    fuzz_read("{npy: {x: %s/x.npy, range: [1, 2]}}", NN_INT32, bound);
    return 0;
}
