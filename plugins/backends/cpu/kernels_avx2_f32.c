/* SPDX-License-Identifier: MIT */
/* kernels_avx2_f32.c - the kernels for AVX2 and FMA, float. */
#if defined __x86_64__
#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx2,fma"))),              \
                             apply_to = function)
#else
#pragma GCC target("avx2,fma")
#endif

#define CPU_REAL float
#define CPU_DOUBLE 0
#define CPU_WIDTH 32
#define CPU_TABLE cpu_kernels_avx2_f32
#define CPU_WORDS cpu_words_avx2

#include "kernels_body.h"
#include "random_body.h"

#ifdef __clang__
#pragma clang attribute pop
#endif
#else
typedef int cpu_avx2_f32_is_for_x86_64;
#endif
