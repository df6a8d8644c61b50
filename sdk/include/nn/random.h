/* SPDX-License-Identifier: MIT */
/* random.h - random numbers as a function of their position.
 *
 * Philox 4x32-10 (Salmon, Moraes, Dror, Shaw, "Parallel Random Numbers: As
 * Easy as 1, 2, 3", 2011).  The number at logical position p of a draw with
 * nn_random (seed, stream, offset, first) is word (first + p) % 4 of
 *     philox(counter = {low, high of (first + p) / 4, low, high of offset},
 *            key     = low, high of nn_mix(seed + nn_mix(stream))).
 * The logical position is the index in C order, without regard to pitch.  So
 * dtype, pitch, threads and the order of execution do not matter.
 *
 * From a word w: the uniform number is (w >> 8) / 2^24, in [0, 1), exact in
 * float32; an event of probability q happens if w < q 2^32; normal numbers
 * come from pairs of words (0, 1) and (2, 3) of a block (Box, Muller, "A Note
 * on the Generation of Random Normal Deviates", 1958):
 *     r = sqrt(-2 log(((w0 >> 8) + 1) / 2^24)), t = 2 pi (w1 >> 8) / 2^24,
 *     r cos t and r sin t.
 * Masks and uniform numbers are equal to the bit on every handler; normal
 * numbers to a tolerance. */
#ifndef NN_RANDOM_H
#define NN_RANDOM_H

#include <math.h>

#include <nn/operations.h>

NN_BEGIN_DECLS

/* A bijection of 64 bits that scatters (the finalizer of splitmix64: Steele,
 * Lea, Flood, "Fast Splittable Pseudorandom Number Generators", 2014).
 * [any] */
static inline uint64_t nn_mix(uint64_t x)
{
    x += UINT64_C(0x9E3779B97F4A7C15);
    x = (x ^ (x >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94D049BB133111EB);
    return x ^ (x >> 31);
}

/* FNV-1a hash of a NUL-terminated name (Fowler, Noll, Vo, 1991), scattered:
 * the stream of a layer.  [any] */
static inline uint64_t nn_hash_name(const char *name)
{
    uint64_t hash = UINT64_C(14695981039346656037);

    while (*name) {
        hash ^= (unsigned char)*name++;
        hash *= UINT64_C(1099511628211);
    }
    return nn_mix(hash);
}

/* The four words of block number BLOCK of RANDOM.  [any] */
static inline void nn_random_block(const nn_random *random, uint64_t block,
                                   uint32_t words[4])
{
    uint64_t key = nn_mix(random->seed + nn_mix(random->stream));
    uint32_t k0 = (uint32_t)key;
    uint32_t k1 = (uint32_t)(key >> 32);
    uint32_t c0 = (uint32_t)block;
    uint32_t c1 = (uint32_t)(block >> 32);
    uint32_t c2 = (uint32_t)random->offset;
    uint32_t c3 = (uint32_t)(random->offset >> 32);
    int round;

    for (round = 0; round < 10; ++round) {
        uint64_t p0 = (uint64_t)c0 * UINT32_C(0xD2511F53);
        uint64_t p1 = (uint64_t)c2 * UINT32_C(0xCD9E8D57);

        c0 = (uint32_t)(p1 >> 32) ^ c1 ^ k0;
        c2 = (uint32_t)(p0 >> 32) ^ c3 ^ k1;
        c1 = (uint32_t)p1;
        c3 = (uint32_t)p0;
        k0 += UINT32_C(0x9E3779B9);
        k1 += UINT32_C(0xBB67AE85);
    }
    words[0] = c0;
    words[1] = c1;
    words[2] = c2;
    words[3] = c3;
}

/* The word at logical position POSITION of a view.  [any] */
static inline uint32_t nn_random_word(const nn_random *random,
                                      uint64_t position)
{
    uint32_t words[4];

    position += random->first;
    nn_random_block(random, position / 4, words);
    return words[position % 4];
}

/* Uniform in [0, 1).  [any] */
static inline double nn_random_uniform(const nn_random *random,
                                       uint64_t position)
{
    return (nn_random_word(random, position) >> 8) * (1.0 / 16777216.0);
}

/* True with PROBABILITY, exactly never for 0 and always for 1.  [any] */
static inline int nn_random_event(const nn_random *random, uint64_t position,
                                  double probability)
{
    return nn_random_word(random, position) < probability * 4294967296.0;
}

/* Normal with mean 0 and standard deviation 1.  [any] */
static inline double nn_random_gaussian(const nn_random *random,
                                        uint64_t position)
{
    uint32_t words[4];
    double radius;
    double angle;
    uint32_t pair;

    position += random->first;
    nn_random_block(random, position / 4, words);
    pair = (uint32_t)(position % 4) & 2u;
    radius = sqrt(-2.0 * log(((words[pair] >> 8) + 1) * (1.0 / 16777216.0)));
    angle = (words[pair + 1] >> 8) * (6.283185307179586 / 16777216.0);
    return position & 1 ? radius * sin(angle) : radius * cos(angle);
}

/* COUNT VALUES with mean 0 and standard deviation STD: NORMAL, or else uniform
 * in [-sqrt(3) STD, sqrt(3) STD).  [any] */
static inline void nn_random_spread(const nn_random *random, int normal,
                                    double std, double *values, int64_t count)
{
    const double bound = sqrt(3.0) * std;
    uint64_t i;

    for (i = 0; i < (uint64_t)count; ++i)
        values[i] = normal ? std * nn_random_gaussian(random, i)
                           : bound * (2 * nn_random_uniform(random, i) - 1);
}

/* An integer in [0, limit), limit >= 1, for shuffling: two words an
 * integer, without rejection (bias below limit / 2^64).  [any] */
static inline uint64_t nn_random_below(const nn_random *random,
                                       uint64_t position, uint64_t limit)
{
    uint64_t words = (uint64_t)nn_random_word(random, 2 * position) << 32 |
                     nn_random_word(random, 2 * position + 1);

    return words % limit;
}

NN_END_DECLS

#endif
