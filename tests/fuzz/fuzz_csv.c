/* SPDX-License-Identifier: MIT */
/* fuzz_csv.c - the bytes are comma-separated text. */
#include "../plugins/iterators/fuzz.h"

extern const nn_plugin iterator_csv_LTX_nn_plugin_v1;

const nn_plugin *const fake_plugins[] = {&iterator_csv_LTX_nn_plugin_v1, NULL};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    /* A number takes two bytes of text and up to eight of memory. */
    int64_t bound = 4 * (int64_t)size + 200000;

    fuzz_write("x.csv", data, size);
    fuzz_read("{csv: {file: %s/x.csv, columns: {x: 0}}}", NN_FLOAT64, bound);
    fuzz_read("{csv: {file: %s/x.csv, columns: {x: [a, 1], labels: 0}, "
              "header: true, missing: skip, delimiter: semicolon}}",
              NN_INT32, 2 * bound);
    return 0;
}
