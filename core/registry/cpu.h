/* SPDX-License-Identifier: MIT */
/* cpu.h - what the processor can do, by the names that plugins use. */
#ifndef NN_CORE_REGISTRY_CPU_H
#define NN_CORE_REGISTRY_CPU_H

#include <nn/base.h>

/* 1 if this processor has FEATURE ("avx2", "fma", "avx512f", as GCC names
 * them); 0 if it has not, or if the name means nothing here.  [any] */
int32_t nn_cpu_has(const char *feature);

#endif
