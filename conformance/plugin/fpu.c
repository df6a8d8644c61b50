/* SPDX-License-Identifier: MIT */
/* fpu.c - see fpu.h. */
#define _GNU_SOURCE
#include "conformance/plugin/fpu.h"

#include <fenv.h>
#include <float.h>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

#define FLUSHES 0x8040u /* flush to zero, denormals are zero */

int fpu_flush(int on)
{
#if defined(__x86_64__)
    _mm_setcsr(on ? _mm_getcsr() | FLUSHES : _mm_getcsr() & ~FLUSHES);
    return 1;
#elif defined(__aarch64__)
    uint64_t control;

    __asm__ volatile("mrs %0, fpcr" : "=r"(control));
    control = on ? control | 1u << 24 : control & ~(uint64_t)(1u << 24);
    __asm__ volatile("msr fpcr, %0" : : "r"(control));
    return 1;
#else
    return !on;
#endif
}

/* Of vectors and scalars; fegetround of x86 asks the old unit alone. */
static int rounding(void)
{
#if defined(__x86_64__)
    return (int)(_mm_getcsr() & _MM_ROUND_MASK);
#else
    return fegetround();
#endif
}

static void set_rounding(int mode)
{
#if defined(__x86_64__)
    _mm_setcsr((_mm_getcsr() & ~(unsigned)_MM_ROUND_MASK) | (unsigned)mode);
#else
    fesetround(mode);
#endif
}

fpu_state fpu_look(void)
{
    volatile double small = DBL_MIN;
    fpu_state now;

    now.rounding = rounding();
    now.traps = fegetexcept();
    now.flushes = small / 4 == 0;
    return now;
}

void fpu_judge(trial *t, const char *where, fpu_state wanted)
{
    fpu_state now = fpu_look();

    trial_tested(t, 1);
    if (now.rounding != wanted.rounding)
        trial_fail(t, where, "the rounding mode stays",
                   trial_text(t, "mode %d became %d", wanted.rounding,
                              now.rounding));
    if (now.traps != wanted.traps)
        trial_fail(t, where, "what traps stays",
                   trial_text(t, "%#x became %#x", (unsigned)wanted.traps,
                              (unsigned)now.traps));
    if (now.flushes != wanted.flushes)
        trial_fail(t, where, "denormal numbers stay",
                   now.flushes ? "they become 0" : "they no longer become 0");
    set_rounding(wanted.rounding);
    fpu_flush(wanted.flushes);
}
