/* SPDX-License-Identifier: MIT */
/* processor.h - changes how this thread computes. */
#ifndef ZOO_PROCESSOR_H
#define ZOO_PROCESSOR_H

#include <stdint.h>

/* Sets BITS of the control word: X86 or ARM ones. */
static inline void set_control(uint32_t x86, uint64_t arm)
{
#if defined(__x86_64__)
    (void)arm;
    __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | x86);
#elif defined(__aarch64__)
    uint64_t control;

    (void)x86;
    __asm__ volatile("mrs %0, fpcr" : "=r"(control));
    __asm__ volatile("msr fpcr, %0" : : "r"(control | arm));
#else
#error "this animal does not know the processor"
#endif
}

static inline void round_towards_zero(void)
{
    set_control(0x6000, UINT64_C(3) << 22);
}

static inline void flush_denormals(void)
{
    set_control(0x8040, UINT64_C(1) << 24);
}

#endif
