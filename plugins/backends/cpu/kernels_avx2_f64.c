/* SPDX-License-Identifier: MIT */
/* kernels_avx2_f64.c - the kernels for AVX2 and FMA, double. */
#if defined __x86_64__
#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx2,fma"))),              \
                             apply_to = function)
#else
#pragma GCC target("avx2,fma")
#endif

#define CPU_REAL double
#define CPU_DOUBLE 1
#define CPU_WIDTH 32
#define CPU_TABLE cpu_kernels_avx2_f64

#include "kernels_body.h"

#ifdef __clang__
#pragma clang attribute pop
#endif
#else
typedef int cpu_avx2_f64_is_for_x86_64;
#endif
