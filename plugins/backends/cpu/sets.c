/* SPDX-License-Identifier: MIT */
/* sets.c - the kernel sets, the best first, and what a processor must have. */
#include "kernels.h"

#include <string.h>

static const cpu_set plain = {
    .name = "plain",
    .title = "baseline vectors",
    .float32 = &cpu_kernels_plain_f32,
    .float64 = &cpu_kernels_plain_f64,
    .words = cpu_words_plain,
};

#if defined __x86_64__
static const cpu_set avx2 = {
    .name = "avx2",
    .title = "AVX2",
    .float32 = &cpu_kernels_avx2_f32,
    .float64 = &cpu_kernels_avx2_f64,
    .gemm = &cpu_gemm_avx2,
    .words = cpu_words_avx2,
};

static const cpu_set avx512 = {
    .name = "avx512",
    .title = "AVX-512",
    .float32 = &cpu_kernels_avx512_f32,
    .float64 = &cpu_kernels_avx512_f64,
    .gemm = &cpu_gemm_avx512,
    .words = cpu_words_avx512,
};

static int is_available(const cpu_set *set)
{
    __builtin_cpu_init();
    if (set == &plain)
        return 1;
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma"))
        return 0;
    return set == &avx2 || (__builtin_cpu_supports("avx512f") &&
                            __builtin_cpu_supports("avx512bw") &&
                            __builtin_cpu_supports("avx512dq") &&
                            __builtin_cpu_supports("avx512vl"));
}

static const cpu_set *const sets[] = {&avx512, &avx2, &plain};
#else
static int is_available(const cpu_set *set)
{
    return set == &plain;
}

static const cpu_set *const sets[] = {&plain};
#endif

const cpu_set *cpu_set_find(const char *name)
{
    size_t i;

    for (i = 0; i < sizeof sets / sizeof *sets; ++i)
        if ((!name || !strcmp(sets[i]->name, name)) && is_available(sets[i]))
            return sets[i];
    return NULL;
}
