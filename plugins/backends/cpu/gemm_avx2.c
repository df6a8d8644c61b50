/* SPDX-License-Identifier: MIT */
/* gemm_avx2.c - tiles and packing of the float32 product for AVX2 and FMA.
 *
 * As gemm_avx512.c with vectors of 8: a tile has up to 6 rows and 2 vectors,
 * 12 sums in the 16 registers.  Columns past the last whole vector are read and
 * written with masks, after the inner loop. */
#include "gemm.h"

#if defined __x86_64__
#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx2,fma"))),              \
                             apply_to = function)
#else
#pragma GCC target("avx2,fma")
#endif
#include <immintrin.h>

#define ROWS 6
#define VECTORS 2
#define LANES 8

/* The mask of the first COUNT lanes. */
static inline __m256i first_lanes(int64_t count)
{
    const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);

    return _mm256_cmpgt_epi32(_mm256_set1_epi32((int)count), lane);
}

static inline __attribute__((always_inline)) void tile(
    int32_t rows, int32_t vectors, int64_t depth, const float *panel,
    const float *sliver, float *c, int64_t pitch, int64_t columns, int add)
{
    __m256 sum[ROWS][VECTORS];
    __m256i last = first_lanes(columns - (vectors - 1) * LANES);
    int32_t i;
    int32_t j;

#pragma GCC unroll 8
    for (i = 0; i < rows; ++i)
#pragma GCC unroll 2
        for (j = 0; j < vectors; ++j)
            sum[i][j] = _mm256_setzero_ps();
    for (; depth > 0; --depth) {
        __m256 b[VECTORS];

#pragma GCC unroll 2
        for (j = 0; j < vectors; ++j)
            b[j] = _mm256_load_ps(sliver + j * LANES);
#pragma GCC unroll 8
        for (i = 0; i < rows; ++i) {
            __m256 a = _mm256_broadcast_ss(panel + i);

#pragma GCC unroll 2
            for (j = 0; j < vectors; ++j)
                sum[i][j] = _mm256_fmadd_ps(a, b[j], sum[i][j]);
        }
        panel += rows;
        sliver += vectors * LANES;
    }
#pragma GCC unroll 8
    for (i = 0; i < rows; ++i)
#pragma GCC unroll 2
        for (j = 0; j < vectors; ++j) {
            float *to = c + i * pitch + j * LANES;

            if (j < vectors - 1 || columns == vectors * LANES) {
                if (add)
                    sum[i][j] = _mm256_add_ps(_mm256_loadu_ps(to), sum[i][j]);
                _mm256_storeu_ps(to, sum[i][j]);
            } else {
                if (add)
                    sum[i][j] = _mm256_add_ps(_mm256_maskload_ps(to, last),
                                              sum[i][j]);
                _mm256_maskstore_ps(to, last, sum[i][j]);
            }
        }
}

/* One copy of the tile for every number of rows. */
#define TILE(r, v)                                                             \
    case r:                                                                    \
        tile(r, v, depth, panel, sliver, c, pitch, columns, add);              \
        break;
/* clang-format off */
#define TILES(v)                                                               \
    TILE(1, v) TILE(2, v) TILE(3, v) TILE(4, v) TILE(5, v) TILE(6, v)
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

/* Numbers D to D + 3 of the rows I and I + 4. */
static inline __m256 load_quads(const float *const *rows, int i, int64_t d)
{
    return _mm256_insertf128_ps(_mm256_castps128_ps256(
                                    _mm_loadu_ps(rows[i] + d)),
                                _mm_loadu_ps(rows[i + 4] + d), 1);
}

static inline void store_first(float *to, int32_t width, __m256i mask, __m256 x)
{
    if (width == LANES)
        _mm256_storeu_ps(to, x);
    else
        _mm256_maskstore_ps(to, mask, x);
}

static void pack_rows(const float *source, int64_t pitch, int32_t count,
                      int64_t depth, float *packed, int64_t step, int32_t width)
{
    const float *rows[LANES];
    __m256i mask = first_lanes(width);
    int64_t d;
    int i;

    for (i = 0; i < LANES; ++i)
        rows[i] = source + (i < count ? i : count - 1) * pitch;
    for (d = 0; d + 4 <= depth; d += 4, packed += 4 * step) {
        __m256 x0 = load_quads(rows, 0, d);
        __m256 x1 = load_quads(rows, 1, d);
        __m256 x2 = load_quads(rows, 2, d);
        __m256 x3 = load_quads(rows, 3, d);
        __m256d low01 = _mm256_castps_pd(_mm256_unpacklo_ps(x0, x1));
        __m256d high01 = _mm256_castps_pd(_mm256_unpackhi_ps(x0, x1));
        __m256d low23 = _mm256_castps_pd(_mm256_unpacklo_ps(x2, x3));
        __m256d high23 = _mm256_castps_pd(_mm256_unpackhi_ps(x2, x3));

        x0 = _mm256_castpd_ps(_mm256_unpacklo_pd(low01, low23));
        x1 = _mm256_castpd_ps(_mm256_unpackhi_pd(low01, low23));
        x2 = _mm256_castpd_ps(_mm256_unpacklo_pd(high01, high23));
        x3 = _mm256_castpd_ps(_mm256_unpackhi_pd(high01, high23));
        store_first(packed, width, mask, x0);
        store_first(packed + step, width, mask, x1);
        store_first(packed + 2 * step, width, mask, x2);
        store_first(packed + 3 * step, width, mask, x3);
    }
    for (; d < depth; ++d, packed += step)
        for (i = 0; i < width; ++i)
            packed[i] = rows[i][d];
}

static void pack_columns(const float *source, int64_t pitch, int32_t count,
                         int64_t depth, float *packed, int64_t step)
{
    int32_t whole = count / LANES * LANES;
    __m256i mask = first_lanes(count - whole);
    int32_t j;

    for (; depth > 0; --depth, source += pitch, packed += step) {
        for (j = 0; j < whole; j += LANES)
            _mm256_storeu_ps(packed + j, _mm256_loadu_ps(source + j));
        if (whole < count)
            _mm256_maskstore_ps(packed + whole, mask,
                                _mm256_maskload_ps(source + whole, mask));
    }
}

const cpu_gemm_kernels cpu_gemm_avx2 = {
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
