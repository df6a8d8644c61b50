/* SPDX-License-Identifier: MIT */
/* peak.c - what the processor could do: fused multiply-adds on registers.
 *
 * Prints GFLOP/s (two a multiply-add) of float32 over all of THREADS threads,
 * the best of 20 bursts of about 2 ms, with the widest vectors there are.
 *
 *     peak THREADS */
#include <immintrin.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define CHAINS 16
#define ROUNDS 200000
#define BURSTS 20
#define MAX_THREADS 64

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Keeps VALUE from being optimized away. */
static volatile float sink;

__attribute__((target("avx512f"))) static double burst_avx512(void)
{
    __m512 sums[CHAINS];
    __m512 a = _mm512_set1_ps(0.999f);
    double start;
    int i;
    int k;

    for (k = 0; k < CHAINS; ++k)
        sums[k] = _mm512_set1_ps((float)k);
    start = now();
    for (i = 0; i < ROUNDS; ++i)
#pragma GCC unroll 16
        for (k = 0; k < CHAINS; ++k)
            sums[k] = _mm512_fmadd_ps(sums[k], a, a);
    start = now() - start;
    for (k = 0; k < CHAINS; ++k)
        sink = _mm512_reduce_add_ps(sums[k]);
    return 2.0 * 16 * CHAINS * ROUNDS / start;
}

__attribute__((target("avx2,fma"))) static double burst_avx2(void)
{
    __m256 sums[CHAINS - 4];
    __m256 a = _mm256_set1_ps(0.999f);
    double start;
    int i;
    int k;

    for (k = 0; k < CHAINS - 4; ++k)
        sums[k] = _mm256_set1_ps((float)k);
    start = now();
    for (i = 0; i < ROUNDS; ++i)
#pragma GCC unroll 12
        for (k = 0; k < CHAINS - 4; ++k)
            sums[k] = _mm256_fmadd_ps(sums[k], a, a);
    start = now() - start;
    for (k = 0; k < CHAINS - 4; ++k)
        sink = sums[k][0];
    return 2.0 * 8 * (CHAINS - 4) * ROUNDS / start;
}

typedef struct worker {
    pthread_t thread;
    pthread_barrier_t *barrier;
    double best;
} worker;

static void *work(void *self)
{
    worker *own = self;
    int i;

    for (i = 0; i < BURSTS; ++i) {
        double rate;

        pthread_barrier_wait(own->barrier);
        rate = __builtin_cpu_supports("avx512f") ? burst_avx512()
                                                 : burst_avx2();
        if (rate > own->best)
            own->best = rate;
    }
    return NULL;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 1;
    worker workers[MAX_THREADS] = {{0}};
    pthread_barrier_t barrier;
    double sum = 0;
    int i;

    if (n < 1 || n > MAX_THREADS || !__builtin_cpu_supports("fma"))
        return 2;
    pthread_barrier_init(&barrier, NULL, (unsigned)n);
    for (i = 0; i < n; ++i) {
        workers[i].barrier = &barrier;
        if (pthread_create(&workers[i].thread, NULL, work, &workers[i]))
            return 1;
    }
    for (i = 0; i < n; ++i) {
        pthread_join(workers[i].thread, NULL);
        sum += workers[i].best;
    }
    printf("%.1f\n", sum / 1e9);
    return 0;
}
