/* SPDX-License-Identifier: MIT */
/* kernels_plain_f64.c - the kernels for any processor (vectors of 16 bytes),
 * double. */

#define CPU_REAL double
#define CPU_DOUBLE 1
#define CPU_WIDTH 16
#define CPU_TABLE cpu_kernels_plain_f64

#include "kernels_body.h"
