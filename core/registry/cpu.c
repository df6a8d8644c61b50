/* SPDX-License-Identifier: MIT */
/* cpu.c - see cpu.h.
 *
 * The compiler's own test, which also asks whether the operating system saves
 * the registers, takes constant names only; hence the list.  On processors
 * other than x86 no name is known. */
#include "core/registry/cpu.h"

#include <string.h>

#if defined __x86_64__ || defined __i386__
#define FEATURES(X)                                                            \
    X("sse2")                                                                  \
    X("sse3")                                                                  \
    X("ssse3")                                                                 \
    X("sse4.1")                                                                \
    X("sse4.2")                                                                \
    X("popcnt")                                                                \
    X("avx")                                                                   \
    X("avx2")                                                                  \
    X("fma")                                                                   \
    X("bmi")                                                                   \
    X("bmi2")                                                                  \
    X("avx512f")                                                               \
    X("avx512bw")                                                              \
    X("avx512cd")                                                              \
    X("avx512dq")                                                              \
    X("avx512vl")                                                              \
    X("avx512vnni")
#else
#define FEATURES(X)
#endif

int32_t nn_cpu_has(const char *feature)
{
#define CHECK(name)                                                            \
    if (!strcmp(feature, name))                                                \
        return __builtin_cpu_supports(name) != 0;
    FEATURES(CHECK)
#undef CHECK
    (void)feature;
    return 0;
}
