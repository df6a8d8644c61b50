/* SPDX-License-Identifier: MIT */
/* gemm_avx512.c - tiles and packing of the float32 product for AVX-512.
 *
 * A tile of up to 14 rows and 2 vectors of 16 columns keeps its 28 sums in
 * registers; a step of the summed axis loads the two vectors of the sliver and
 * multiplies them by each number of the panel, so the multipliers are busy and
 * the load ports are half idle.  Each number of rows has a copy of the loop of
 * its own: a panel is 9 to 14 rows high most of the time. */
#include "gemm.h"

#if defined __x86_64__
#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx512f"))),               \
                             apply_to = function)
#else
#pragma GCC target("avx512f")
#endif
#include <immintrin.h>

#define ROWS 14
#define VECTORS 2
#define LANES 16

static inline __attribute__((always_inline)) void tile(
    int32_t rows, int32_t vectors, int64_t depth, const float *panel,
    const float *sliver, float *c, int64_t pitch, int64_t columns, int add)
{
    __m512 sum[ROWS][VECTORS];
    __mmask16 last = (__mmask16)(0xffffu >> (vectors * LANES - columns));
    int32_t i;
    int32_t j;

#pragma GCC unroll 16
    for (i = 0; i < rows; ++i)
#pragma GCC unroll 2
        for (j = 0; j < vectors; ++j)
            sum[i][j] = _mm512_setzero_ps();
    for (; depth > 0; --depth) {
        __m512 b[VECTORS];

#pragma GCC unroll 2
        for (j = 0; j < vectors; ++j)
            b[j] = _mm512_load_ps(sliver + j * LANES);
#pragma GCC unroll 16
        for (i = 0; i < rows; ++i)
#pragma GCC unroll 2
            for (j = 0; j < vectors; ++j)
                sum[i][j] = _mm512_fmadd_ps(_mm512_set1_ps(panel[i]), b[j],
                                            sum[i][j]);
        panel += rows;
        sliver += vectors * LANES;
    }
#pragma GCC unroll 16
    for (i = 0; i < rows; ++i)
#pragma GCC unroll 2
        for (j = 0; j < vectors; ++j) {
            float *to = c + i * pitch + j * LANES;
            __mmask16 mask = j == vectors - 1 ? last : (__mmask16)0xffff;

            if (add)
                sum[i][j] = _mm512_add_ps(_mm512_maskz_loadu_ps(mask, to),
                                          sum[i][j]);
            _mm512_mask_storeu_ps(to, mask, sum[i][j]);
        }
}

/* One copy of the tile for every number of rows. */
#define TILE(r, v)                                                             \
    case r:                                                                    \
        tile(r, v, depth, panel, sliver, c, pitch, columns, add);              \
        break;
/* clang-format off */
#define TILES(v)                                                               \
    TILE(1, v) TILE(2, v) TILE(3, v) TILE(4, v) TILE(5, v) TILE(6, v)          \
    TILE(7, v) TILE(8, v) TILE(9, v) TILE(10, v) TILE(11, v) TILE(12, v)       \
    TILE(13, v) TILE(14, v)
/* clang-format on */

static void run_tile(int32_t rows, int32_t vectors, int64_t depth,
                     const float *panel, const float *sliver, float *c,
                     int64_t pitch, int64_t columns, int add)
{
    if (vectors == 2) {
        switch (rows) {
            TILES(2)
        }
    } else {
        switch (rows) {
            TILES(1)
        }
    }
}

/* Numbers D to D + 3 of each of the rows I, I + 4, I + 8, I + 12. */
static inline __m512 load_quads(const float *const *rows, int i, int64_t d)
{
    __m512 x = _mm512_castps128_ps512(_mm_loadu_ps(rows[i] + d));

    x = _mm512_insertf32x4(x, _mm_loadu_ps(rows[i + 4] + d), 1);
    x = _mm512_insertf32x4(x, _mm_loadu_ps(rows[i + 8] + d), 2);
    return _mm512_insertf32x4(x, _mm_loadu_ps(rows[i + 12] + d), 3);
}

/* Transposes 16 rows by 4 numbers a time: quads of rows 4 apart stand in one
 * vector, so that a 4 by 4 transpose within each quarter is all that is left.
 * Rows past COUNT repeat the last one. */
static void pack_rows(const float *source, int64_t pitch, int32_t count,
                      int64_t depth, float *packed, int64_t step, int32_t width)
{
    const float *rows[LANES];
    __mmask16 mask = (__mmask16)(0xffffu >> (LANES - width));
    int64_t d;
    int i;

    for (i = 0; i < LANES; ++i)
        rows[i] = source + (i < count ? i : count - 1) * pitch;
    for (d = 0; d + 4 <= depth; d += 4, packed += 4 * step) {
        __m512 x0 = load_quads(rows, 0, d);
        __m512 x1 = load_quads(rows, 1, d);
        __m512 x2 = load_quads(rows, 2, d);
        __m512 x3 = load_quads(rows, 3, d);
        __m512d low01 = _mm512_castps_pd(_mm512_unpacklo_ps(x0, x1));
        __m512d high01 = _mm512_castps_pd(_mm512_unpackhi_ps(x0, x1));
        __m512d low23 = _mm512_castps_pd(_mm512_unpacklo_ps(x2, x3));
        __m512d high23 = _mm512_castps_pd(_mm512_unpackhi_ps(x2, x3));

        x0 = _mm512_castpd_ps(_mm512_unpacklo_pd(low01, low23));
        x1 = _mm512_castpd_ps(_mm512_unpackhi_pd(low01, low23));
        x2 = _mm512_castpd_ps(_mm512_unpacklo_pd(high01, high23));
        x3 = _mm512_castpd_ps(_mm512_unpackhi_pd(high01, high23));
        _mm512_mask_storeu_ps(packed, mask, x0);
        _mm512_mask_storeu_ps(packed + step, mask, x1);
        _mm512_mask_storeu_ps(packed + 2 * step, mask, x2);
        _mm512_mask_storeu_ps(packed + 3 * step, mask, x3);
    }
    for (; d < depth; ++d, packed += step)
        for (i = 0; i < width; ++i)
            packed[i] = rows[i][d];
}

static void pack_columns(const float *source, int64_t pitch, int32_t count,
                         int64_t depth, float *packed, int64_t step)
{
    int32_t whole = count / LANES * LANES;
    __mmask16 mask = (__mmask16)(0xffffu >> (LANES - (count - whole)));
    int32_t j;

    for (; depth > 0; --depth, source += pitch, packed += step) {
        for (j = 0; j < whole; j += LANES)
            _mm512_storeu_ps(packed + j, _mm512_loadu_ps(source + j));
        if (whole < count)
            _mm512_mask_storeu_ps(packed + whole, mask,
                                  _mm512_maskz_loadu_ps(mask, source + whole));
    }
}

const cpu_gemm_kernels cpu_gemm_avx512 = {
    .max_rows = ROWS,
    .max_vectors = VECTORS,
    .lanes = LANES,
    .tile = run_tile,
    .pack_rows = pack_rows,
    .pack_columns = pack_columns,
};

#ifdef __clang__
#pragma clang attribute pop
#endif
#endif
