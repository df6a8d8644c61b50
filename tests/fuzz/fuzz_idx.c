/* SPDX-License-Identifier: MIT */
/* fuzz_idx.c - the bytes are an IDX file, plain or packed by gzip. */
#include "../plugins/iterators/fuzz.h"

extern const nn_plugin iterator_idx_LTX_nn_plugin_v1;

const nn_plugin *const fake_plugins[] = {&iterator_idx_LTX_nn_plugin_v1, NULL};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    /* deflate packs 1032 to 1 at most; two streams of it take 200 kB. */
    int64_t bound = 1032 * (int64_t)size + 400000;

    fuzz_write("x.idx", data, size);
    fuzz_read("{idx: {x: %s/x.idx}}", NN_FLOAT32, bound);
    fuzz_read("{idx: {x: %s/x.idx, range: [1, 2]}}", NN_INT32, bound);
    return 0;
}
