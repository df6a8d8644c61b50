/* SPDX-License-Identifier: MIT */
/* kernels_plain_f32.c - the kernels for any processor (vectors of 16 bytes),
 * float. */

#define CPU_REAL float
#define CPU_DOUBLE 0
#define CPU_WIDTH 16
#define CPU_TABLE cpu_kernels_plain_f32
#define CPU_WORDS cpu_words_plain

#include "kernels_body.h"
#include "random_body.h"
