/* SPDX-License-Identifier: MIT */
/* vector.h - vectors of CPU_REAL and their elementary functions.
 *
 * The including file defines CPU_REAL (float or double), CPU_DOUBLE (0 or 1)
 * and CPU_WIDTH (bytes of a vector), and has switched the compiler to the
 * instruction set.  Everything is written with the compiler's own vectors, so
 * one text serves every set; only what they cannot say is an intrinsic.
 *
 * Errors of the functions, in units of the last place of the result: exp and
 * log 1; tanh, sigmoid and softplus 3 (float32 measured over one in 37 of all
 * numbers, float64 over two million).  NaN gives NaN, infinity its limit, and
 * subnormal numbers are kept.
 *
 * Arithmetic on bits is unsigned, since it wraps; only shifts to the right are
 * signed. */
#ifndef CPU_VECTOR_H
#define CPU_VECTOR_H

#include <math.h>
#include <stdint.h>
#include <string.h>
#if defined __x86_64__
#include <immintrin.h>
#endif

#define CPU_INLINE static inline __attribute__((always_inline, unused))

#if CPU_DOUBLE
typedef int64_t cpu_bits;
typedef uint64_t cpu_word;
#define MANTISSA 52
#define BIAS 1023
#else
typedef int32_t cpu_bits;
typedef uint32_t cpu_word;
#define MANTISSA 23
#define BIAS 127
#endif

typedef CPU_REAL vreal __attribute__((vector_size(CPU_WIDTH)));
typedef cpu_bits vbits __attribute__((vector_size(CPU_WIDTH)));
typedef cpu_word vword __attribute__((vector_size(CPU_WIDTH)));

enum { LANES = CPU_WIDTH / sizeof(CPU_REAL) };

CPU_INLINE vreal all(CPU_REAL x)
{
    return x - (vreal){0};
}

CPU_INLINE vbits all_bits(cpu_bits x)
{
    return x - (vbits){0};
}

CPU_INLINE vreal load(const CPU_REAL *from)
{
    vreal x;

    memcpy(&x, from, sizeof x);
    return x;
}

CPU_INLINE void store(CPU_REAL *to, vreal x)
{
    memcpy(to, &x, sizeof x);
}

/* The first N < LANES numbers, zero behind them. */
CPU_INLINE vreal load_some(const CPU_REAL *from, int64_t n)
{
#if CPU_WIDTH == 64 && CPU_DOUBLE
    return (vreal)_mm512_maskz_loadu_pd((__mmask8)((1u << n) - 1), from);
#elif CPU_WIDTH == 64
    return (vreal)_mm512_maskz_loadu_ps((__mmask16)((1u << n) - 1), from);
#else
    vreal x = {0};
    int64_t i;

    for (i = 0; i < n; ++i)
        x[i] = from[i];
    return x;
#endif
}

CPU_INLINE void store_some(CPU_REAL *to, vreal x, int64_t n)
{
#if CPU_WIDTH == 64 && CPU_DOUBLE
    _mm512_mask_storeu_pd(to, (__mmask8)((1u << n) - 1), (__m512d)x);
#elif CPU_WIDTH == 64
    _mm512_mask_storeu_ps(to, (__mmask16)((1u << n) - 1), (__m512)x);
#else
    int64_t i;

    for (i = 0; i < n; ++i)
        to[i] = x[i];
#endif
}

/* X where MASK is set (all ones), else Z. */
CPU_INLINE vreal choose(vbits mask, vreal x, vreal z)
{
    return (vreal)((mask & (vbits)x) | (~mask & (vbits)z));
}

CPU_INLINE vreal magnitude(vreal x)
{
    return (vreal)((vword)x & (~(vword){0} >> 1));
}

/* The magnitude of X with the sign of S. */
CPU_INLINE vreal with_sign(vreal x, vreal s)
{
    vword rest = ~(vword){0} >> 1;

    return (vreal)(((vword)x & rest) | ((vword)s & ~rest));
}

/* Limits that let a NaN pass. */
CPU_INLINE vreal at_least(vreal x, vreal low)
{
    return choose(x < low, low, x);
}

CPU_INLINE vreal at_most(vreal x, vreal high)
{
    return choose(x > high, high, x);
}

CPU_INLINE vreal root(vreal x)
{
#if CPU_WIDTH == 64 && CPU_DOUBLE
    return (vreal)_mm512_sqrt_pd((__m512d)x);
#elif CPU_WIDTH == 64
    return (vreal)_mm512_sqrt_ps((__m512)x);
#elif CPU_WIDTH == 32 && CPU_DOUBLE
    return (vreal)_mm256_sqrt_pd((__m256d)x);
#elif CPU_WIDTH == 32
    return (vreal)_mm256_sqrt_ps((__m256)x);
#elif defined __x86_64__ && CPU_DOUBLE
    return (vreal)_mm_sqrt_pd((__m128d)x);
#elif defined __x86_64__
    return (vreal)_mm_sqrt_ps((__m128)x);
#else
    int i;

    for (i = 0; i < LANES; ++i)
        x[i] = (CPU_REAL)sqrt((double)x[i]);
    return x;
#endif
}

/* The value at X of the polynomial with COUNT coefficients, highest first. */
CPU_INLINE vreal polynomial(vreal x, const double *coefficients, int count)
{
    vreal sum = all((CPU_REAL)coefficients[0]);
    int i;

#pragma GCC unroll 16
    for (i = 1; i < count; ++i)
        sum = sum * x + all((CPU_REAL)coefficients[i]);
    return sum;
}

#define POLYNOMIAL(x, ...)                                                     \
    polynomial(x, (const double[]){__VA_ARGS__},                               \
               sizeof((const double[]){__VA_ARGS__}) / sizeof(double))

/* x = n log 2 + r, |r| <= log 2 / 2.  Returns e^r - 1 = r + r^2 P(r), P being
 * the polynomial of least error, and n as an integer. */
CPU_INLINE vreal reduce(vreal x, vbits *n)
{
#if CPU_DOUBLE
    const CPU_REAL magic = 6755399441055744.0;
    const CPU_REAL high = 0x1.62e42fee00000p-1;
    const CPU_REAL low = 1.908214929270587816e-10;
#else
    const CPU_REAL magic = 12582912.0f;
    const CPU_REAL high = 0x1.62e4p-1f;
    const CPU_REAL low = 1.42860682e-6f;
#endif
    vreal shifted = x * all((CPU_REAL)1.4426950408889634) + all(magic);
    vreal rounded = shifted - all(magic);
    vreal r = x - rounded * all(high) - rounded * all(low);

    *n = (vbits)((vword)shifted - (vword)all(magic));
#if CPU_DOUBLE
    return r + r * r *
                   POLYNOMIAL(r, 2.091469456035159158e-9,
                              2.510522763655175914e-8, 2.755727362486647633e-7,
                              2.755725537465874205e-6, 2.480158732556212581e-5,
                              1.984126987484076864e-4, 1.388888888888374419e-3,
                              8.333333333326129364e-3, 4.166666666666666976e-2,
                              1.666666666666667099e-1, 0.5);
#else
    return r + r * r *
                   POLYNOMIAL(r, 1.989100078e-4, 1.393365896e-3, 8.333310917e-3,
                              4.166646484e-2, 1.666666668e-1, 5.000000013e-1);
#endif
}

/* 2^N for -BIAS <= N <= BIAS + 1; the ends are 0 and infinity. */
CPU_INLINE vreal power_of_two(vbits n)
{
    return (vreal)(((vword)n + BIAS) << MANTISSA);
}

/* e^x.  Two factors reach the subnormal numbers and infinity. */
CPU_INLINE vreal exponential(vreal x)
{
    const CPU_REAL low = CPU_DOUBLE ? (CPU_REAL)-746.0 : (CPU_REAL)-104.0;
    const CPU_REAL high = CPU_DOUBLE ? (CPU_REAL)710.0 : (CPU_REAL)89.0;
    vbits n;
    vbits half;
    vreal p = reduce(at_most(at_least(x, all(low)), all(high)), &n);

    half = n >> 1;
    return ((CPU_REAL)1 + p) * power_of_two(half) * power_of_two(n - half);
}

/* e^x - 1, exact in the small, for x up to 80; below -80 (-700) it is -1. */
CPU_INLINE vreal exponential_minus_1(vreal x)
{
    const CPU_REAL low = CPU_DOUBLE ? (CPU_REAL)-700.0 : (CPU_REAL)-80.0;
    vbits n;
    vreal p = reduce(at_least(x, all(low)), &n);
    vreal scale = power_of_two(n);

    return scale * p + (scale - (CPU_REAL)1);
}

/* log x = e log 2 + log(1 + f), 1 + f in [sqrt(1/2), sqrt 2); with
 * s = f / (2 + f), log(1 + f) = f - f^2/2 + s (f^2/2 + s^2 R(s^2)). */
CPU_INLINE vreal logarithm(vreal x)
{
#if CPU_DOUBLE
    const CPU_REAL magic = 6755399441055744.0;
    const CPU_REAL high = 0x1.62e42fee00000p-1;
    const CPU_REAL low = 1.908214929270587816e-10;
    const CPU_REAL normal = 2.2250738585072014e-308;
    const CPU_REAL half_root = 0.70710678118654752440;
    const CPU_REAL up = 18014398509481984.0; /* 2^54 */
#else
    const CPU_REAL magic = 12582912.0f;
    const CPU_REAL high = 0x1.62e4p-1f;
    const CPU_REAL low = 1.42860682e-6f;
    const CPU_REAL normal = 1.17549435e-38f;
    const CPU_REAL half_root = 0.707106781f;
    const CPU_REAL up = 33554432.0f; /* 2^25 */
#endif
    vbits tiny = x < all(normal);
    vreal scaled = choose(tiny, x * all(up), x);
    vword above = (vword)scaled - (vword)all(half_root);
    vword exponent = (vword)((vbits)above >> MANTISSA);
    vreal f = (vreal)((vword)scaled - (exponent << MANTISSA)) - (CPU_REAL)1;
    vreal e = (vreal)(exponent - (vword)(tiny & (MANTISSA + 2)) +
                      (vword)all(magic)) -
              all(magic);
    vreal s = f / ((CPU_REAL)2 + f);
    vreal z = s * s;
    vreal half_square = (CPU_REAL)0.5 * f * f;
#if CPU_DOUBLE
    vreal r = POLYNOMIAL(z, 1.461658542488862197e-1, 1.533171061821077157e-1,
                         1.818288945567494604e-1, 2.222221113025987703e-1,
                         2.857142862600326874e-1, 3.999999999989944323e-1,
                         6.666666666666669688e-1);
#else
    vreal r = POLYNOMIAL(z, 2.333058194e-1, 2.855081660e-1, 4.000012188e-1,
                         6.666666655e-1);
#endif
    vreal result = e * all(high) -
                   ((half_square - (s * (half_square + z * r) + e * all(low))) -
                    f);

    result = choose(x == 0, all((CPU_REAL)-INFINITY), result);
    result = choose(x < 0, all((CPU_REAL)NAN), result);
    return choose((x == all((CPU_REAL)INFINITY)) | (x != x), x, result);
}

/* log(1 + t) for t in [0, 1]: 2 artanh(t / (2 + t)). */
CPU_INLINE vreal logarithm_of_1_plus(vreal t)
{
    vreal s = t / ((CPU_REAL)2 + t);
    vreal z = s * s;
#if CPU_DOUBLE
    vreal r = POLYNOMIAL(z, 1.563067348855088055e-1, 7.492093365922074138e-2,
                         1.084518965730214748e-1, 1.173427767334145946e-1,
                         1.333517873443414152e-1, 1.538454396015101738e-1,
                         1.818181989809319955e-1, 2.222222219823470547e-1,
                         2.857142857160011578e-1, 3.999999999999952245e-1,
                         6.666666666666666689e-1);
#else
    vreal r = POLYNOMIAL(z, 2.078768210e-1, 1.746468621e-1, 2.226471261e-1,
                         2.857030568e-1, 4.000001077e-1, 6.666666665e-1);
#endif

    return (CPU_REAL)2 * s + s * z * r;
}

CPU_INLINE vreal hyperbolic_tangent(vreal x)
{
    vreal e = exponential_minus_1(
        at_most((CPU_REAL)2 * magnitude(x), all((CPU_REAL)40)));

    return with_sign(e / (e + (CPU_REAL)2), x);
}

CPU_INLINE vreal logistic(vreal x)
{
    vreal e = exponential(-magnitude(x));

    return choose(x < 0, e, all(1)) / ((CPU_REAL)1 + e);
}

CPU_INLINE vreal softplus(vreal x)
{
    return at_least(x, all(0)) +
           logarithm_of_1_plus(exponential(-magnitude(x)));
}

#endif
