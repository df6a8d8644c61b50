/* SPDX-License-Identifier: MIT */
/* random_body.h - Philox 4x32-10 of nn/random.h, one block a lane.
 *
 * As kernels_body.h, compiled once for each instruction set under the name
 * CPU_WORDS; the numbers are those of nn_random_block to the bit. */
#ifndef CPU_RANDOM_BODY_H
#define CPU_RANDOM_BODY_H

#include <nn/random.h>

#include "kernels.h"
#include "vector.h"

enum { BLOCKS = CPU_WIDTH / 4 };

typedef uint32_t vwords __attribute__((vector_size(CPU_WIDTH)));

/* The low and high halves of the products of the lanes of X with FACTOR. */
CPU_INLINE void multiply_wide(vwords x, uint32_t factor, vwords *low,
                              vwords *high)
{
#if CPU_WIDTH == 64
    __m512i m = _mm512_set1_epi32((int)factor);
    __m512i even = _mm512_mul_epu32((__m512i)x, m);
    __m512i odd = _mm512_mul_epu32(_mm512_srli_epi64((__m512i)x, 32), m);

    *low = (vwords)_mm512_mask_blend_epi32(0xaaaa, even,
                                           _mm512_slli_epi64(odd, 32));
    *high = (vwords)_mm512_mask_blend_epi32(0xaaaa, _mm512_srli_epi64(even, 32),
                                            odd);
#elif CPU_WIDTH == 32
    __m256i m = _mm256_set1_epi32((int)factor);
    __m256i even = _mm256_mul_epu32((__m256i)x, m);
    __m256i odd = _mm256_mul_epu32(_mm256_srli_epi64((__m256i)x, 32), m);

    *low = (vwords)_mm256_blend_epi32(even, _mm256_slli_epi64(odd, 32), 0xaa);
    *high = (vwords)_mm256_blend_epi32(_mm256_srli_epi64(even, 32), odd, 0xaa);
#else
    int i;

    for (i = 0; i < BLOCKS; ++i) {
        uint64_t product = (uint64_t)x[i] * factor;

        (*low)[i] = (uint32_t)product;
        (*high)[i] = (uint32_t)(product >> 32);
    }
#endif
}

/* Words of the BLOCKS blocks from BLOCK on: words[4 i + j] is word j of block
 * BLOCK + i. */
CPU_INLINE void draw_blocks(const nn_random *random, uint64_t block,
                            uint32_t *words)
{
    uint64_t key = nn_mix(random->seed + nn_mix(random->stream));
    uint32_t k0 = (uint32_t)key;
    uint32_t k1 = (uint32_t)(key >> 32);
    uint32_t counters[2][BLOCKS];
    vwords c[4];
    int round;
    int i;

    for (i = 0; i < BLOCKS; ++i) {
        counters[0][i] = (uint32_t)(block + (uint64_t)i);
        counters[1][i] = (uint32_t)((block + (uint64_t)i) >> 32);
    }
    memcpy(c, counters, sizeof counters);
    c[2] = (uint32_t)random->offset - (vwords){0};
    c[3] = (uint32_t)(random->offset >> 32) - (vwords){0};
    for (round = 0; round < 10; ++round) {
        vwords low0;
        vwords high0;
        vwords low1;
        vwords high1;

        multiply_wide(c[0], UINT32_C(0xD2511F53), &low0, &high0);
        multiply_wide(c[2], UINT32_C(0xCD9E8D57), &low1, &high1);
        c[0] = high1 ^ c[1] ^ k0;
        c[2] = high0 ^ c[3] ^ k1;
        c[1] = low1;
        c[3] = low0;
        k0 += UINT32_C(0x9E3779B9);
        k1 += UINT32_C(0xBB67AE85);
    }
    for (i = 0; i < BLOCKS; ++i, words += 4) {
        words[0] = c[0][i];
        words[1] = c[1][i];
        words[2] = c[2][i];
        words[3] = c[3][i];
    }
}

void CPU_WORDS(const nn_random *random, uint64_t first, int64_t n,
               uint32_t *words)
{
    uint32_t buffer[4 * BLOCKS];

    while (n > 0) {
        int64_t skip = (int64_t)(first % 4);
        int64_t some = 4 * BLOCKS - skip;

        if (some > n)
            some = n;
        draw_blocks(random, first / 4, buffer);
        memcpy(words, buffer + skip, (size_t)some * sizeof *words);
        first += (uint64_t)some;
        words += some;
        n -= some;
    }
}

#endif
