/* SPDX-License-Identifier: MIT */
/* test_cpu_kernels.c - the inner loops of the handler cpu, every kernel set
 * that this processor has against plain loops in double precision.
 *
 * Products of small integers are exact and compared with ==; those of other
 * numbers with the bound k epsilon sum |a b|.  Bounds of functions are in units
 * of the last place of the exact result (plugins/backends/cpu/vector.h). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <nn/random.h>

#include "plugins/backends/cpu/kernels.h"

#define SLACK 3 /* elements from the end of a row to the next */

static const char *const names[] = {"plain", "avx2", "avx512"};

/* Calls RUN for every set of this processor. */
static void for_each_set(void (*run)(const cpu_set *set))
{
    size_t i;

    for (i = 0; i < sizeof names / sizeof *names; ++i) {
        const cpu_set *set = cpu_set_find(names[i]);

        if (set)
            run(set);
    }
}

static uint64_t seed = 1;

/* The next number of a fixed sequence, in -1 ... 1. */
static double next_number(void)
{
    seed = nn_mix(seed);
    return (double)(int64_t)(seed >> 11) * 0x1p-52 - 1;
}

static double next_integer(void)
{
    return floor(next_number() * 4);
}

/* One operand of a product, with a gap of NaNs after each row. */
typedef struct matrix {
    int64_t rows;
    int64_t columns;
    int64_t pitch;
    uint32_t real;
    void *data;
} matrix;

static double element(const matrix *m, int64_t row, int64_t column)
{
    int64_t at = row * m->pitch + column;

    return m->real == NN_FLOAT64 ? ((double *)m->data)[at]
                                 : (double)((float *)m->data)[at];
}

static void set_element(const matrix *m, int64_t at, double value)
{
    if (m->real == NN_FLOAT64)
        ((double *)m->data)[at] = value;
    else
        ((float *)m->data)[at] = (float)value;
}

static matrix make_matrix(int64_t rows, int64_t columns, uint32_t real,
                          double (*next)(void))
{
    matrix m = {rows, columns, columns + SLACK, real, NULL};
    int64_t i;

    m.data = malloc((size_t)(rows * m.pitch * nn_dtype_bytes(real)));
    assert_non_null(m.data);
    for (i = 0; i < rows * m.pitch; ++i)
        set_element(&m, i, next && i % m.pitch < columns ? next() : NAN);
    return m;
}

/* A product, its operands and its result. */
typedef struct problem {
    cpu_gemm product;
    matrix a;
    matrix b;
    matrix c;
} problem;

static problem make_problem(int64_t m, int64_t n, int64_t k, int flags,
                            uint32_t real, double (*next)(void))
{
    problem p = {.product = {.m = m, .n = n, .k = k}};

    p.product.transpose_a = flags & 1;
    p.product.transpose_b = flags >> 1 & 1;
    p.product.add = flags >> 2 & 1;
    p.a = flags & 1 ? make_matrix(k, m, real, next)
                    : make_matrix(m, k, real, next);
    p.b = flags & 2 ? make_matrix(n, k, real, next)
                    : make_matrix(k, n, real, next);
    p.c = make_matrix(m, n, real, p.product.add ? next : NULL);
    p.product.a = p.a.data;
    p.product.a_pitch = p.a.pitch;
    p.product.b = p.b.data;
    p.product.b_pitch = p.b.pitch;
    p.product.c = p.c.data;
    p.product.c_pitch = p.c.pitch;
    return p;
}

static void free_problem(problem *p)
{
    free(p->a.data);
    free(p->b.data);
    free(p->c.data);
}

static size_t result_bytes(const problem *p)
{
    return (size_t)(p->c.rows * p->c.pitch * nn_dtype_bytes(p->c.real));
}

/* Computes P on THREADS threads with KERNELS, or OpenBLAS for NULL. */
static void compute(const problem *p, const cpu_gemm_kernels *kernels,
                    int32_t threads)
{
    cpu_pool *pool = cpu_pool_create(threads);

    assert_non_null(pool);
    if (kernels) {
        int64_t bytes = cpu_gemm_workspace(kernels, p->product.m, p->product.k,
                                           threads);
        void *workspace = aligned_alloc(64, (size_t)(bytes + 63) / 64 * 64);

        assert_non_null(workspace);
        memset(workspace, 0xff, (size_t)bytes); /* NaNs */
        cpu_gemm_run(kernels, pool, &p->product, workspace);
        free(workspace);
    } else {
        cpu_blas_run(p->c.real, pool, &p->product);
    }
    cpu_pool_destroy(pool);
}

/* Sums of a b and of |a b| for one element. */
static double exact(const problem *p, int64_t i, int64_t j, double *bound)
{
    double sum = 0;
    int64_t d;

    *bound = 0;
    for (d = 0; d < p->product.k; ++d) {
        double a = p->product.transpose_a ? element(&p->a, d, i)
                                          : element(&p->a, i, d);
        double b = p->product.transpose_b ? element(&p->b, j, d)
                                          : element(&p->b, d, j);

        sum += a * b;
        *bound += fabs(a * b);
    }
    return sum;
}

/* P.c is right and BEFORE holds its bytes before the product. */
static void assert_product(const problem *p, const matrix *before, int is_exact)
{
    double epsilon = p->c.real == NN_FLOAT64 ? 0x1p-53 : 0x1p-24;
    int64_t size = nn_dtype_bytes(p->c.real);
    int64_t i;
    int64_t j;

    for (i = 0; i < p->c.rows; ++i) {
        int64_t gap = (i * p->c.pitch + p->c.columns) * size;

        for (j = 0; j < p->c.columns; ++j) {
            double bound;
            double sum = exact(p, i, j, &bound);

            if (p->product.add) {
                sum += element(before, i, j);
                bound += fabs(element(before, i, j));
            }
            if (is_exact)
                assert_true(element(&p->c, i, j) == sum);
            else
                assert_true(fabs(element(&p->c, i, j) - sum) <=
                            ((double)p->product.k + 2) * epsilon * bound);
        }
        assert_memory_equal((char *)p->c.data + gap, (char *)before->data + gap,
                            SLACK * size);
    }
}

static void check_product(int64_t m, int64_t n, int64_t k, int flags,
                          uint32_t real, const cpu_gemm_kernels *kernels,
                          int is_exact)
{
    problem p = make_problem(m, n, k, flags, real,
                             is_exact ? next_integer : next_number);
    matrix before = p.c;
    void *first = malloc(result_bytes(&p));
    int32_t threads;

    before.data = malloc(result_bytes(&p));
    assert_non_null(first);
    assert_non_null(before.data);
    memcpy(before.data, p.c.data, result_bytes(&p));
    compute(&p, kernels, 1);
    assert_product(&p, &before, is_exact);
    memcpy(first, p.c.data, result_bytes(&p));
    for (threads = 2; threads <= 3; ++threads) {
        memcpy(p.c.data, before.data, result_bytes(&p));
        compute(&p, kernels, threads);
        assert_memory_equal(p.c.data, first, result_bytes(&p));
    }
    free(first);
    free(before.data);
    free_problem(&p);
}

/* Sizes around those of tiles, slivers and blocks. */
static const int64_t sizes[][3] = {
    {1, 1, 1},    {5, 7, 3},      {17, 33, 65}, {1, 40, 9},
    {29, 1, 70},  {14, 32, 16},   {15, 31, 17}, {128, 10, 90},
    {6, 16, 321}, {43, 65, 1030}, {530, 3, 7},  {2, 70, 640},
};

static void products_of(uint32_t real, const cpu_gemm_kernels *kernels)
{
    size_t i;
    int flags;

    for (i = 0; i < sizeof sizes / sizeof *sizes; ++i)
        for (flags = 0; flags < 8; ++flags) {
            const int64_t *s = sizes[i];

            check_product(s[0], s[1], s[2], flags, real, kernels, 1);
            check_product(s[0], s[1], s[2], flags, real, kernels, 0);
        }
}

static void own_products(const cpu_set *set)
{
    if (set->gemm)
        products_of(NN_FLOAT32, set->gemm);
}

/* Every transpose, pitch and mode; C starts as NaN and is never read; gaps stay
 * as they are; threads change no bit. */
static void own_product_equals_the_naive_one(void **state)
{
    (void)state;
    for_each_set(own_products);
}

static void blas_product_equals_the_naive_one(void **state)
{
    (void)state;
    assert_non_null(cpu_blas_init());
    products_of(NN_FLOAT32, NULL);
    products_of(NN_FLOAT64, NULL);
}

static void nan_in_a(const cpu_set *set)
{
    problem p;
    int64_t j;

    if (!set->gemm)
        return;
    p = make_problem(20, 40, 50, 0, NN_FLOAT32, next_number);
    memset(p.b.data, 0, (size_t)(p.b.rows * p.b.pitch) * sizeof(float));
    set_element(&p.a, 7 * p.a.pitch + 11, NAN);
    compute(&p, set->gemm, 2);
    for (j = 0; j < 40; ++j) {
        assert_true(isnan(element(&p.c, 7, j)));
        assert_true(element(&p.c, 6, j) == 0);
    }
    free_problem(&p);
}

static void nan_times_zero_is_nan(void **state)
{
    (void)state;
    for_each_set(nan_in_a);
}

static void workspace_of(const cpu_set *set)
{
    int64_t last = 0;
    int64_t i;

    if (!set->gemm)
        return;
    for (i = 1; i < 3000; ++i) {
        int64_t bytes = cpu_gemm_workspace(set->gemm, 700, i, 2);

        assert_true(bytes >= last);
        last = bytes;
    }
    assert_true(cpu_gemm_workspace(set->gemm, INT32_MAX, INT32_MAX, 2) <
                4 << 20);
}

static void workspace_grows_with_the_batch_up_to_a_bound(void **state)
{
    (void)state;
    for_each_set(workspace_of);
}

/* Functions --------------------------------------------------------------- */

static double exact_sigmoid(double x)
{
    return x < 0 ? exp(x) / (1 + exp(x)) : 1 / (1 + exp(-x));
}

static double exact_softplus(double x)
{
    return (x > 0 ? x : 0) + log1p(exp(-fabs(x)));
}

/* |X| 2^-23, or the smallest subnormal number: a unit of the last place or
 * two. */
static double unit(double x)
{
    return fmax(fabs(x) * 0x1p-23, 0x1p-149);
}

/* Every 1009th float32 number through RUN. */
static void sweep(cpu_row_fn run, double (*f)(double), double units)
{
    uint64_t bits;

    for (bits = 0; bits <= UINT32_MAX; bits += 1009) {
        uint32_t pattern = (uint32_t)bits;
        float x;
        float y;
        cpu_row row = {.x = &x, .y = &y, .n = 1};
        double right;

        memcpy(&x, &pattern, sizeof x);
        run(&row);
        right = f((double)x);
        if (right != right)
            assert_true(y != y);
        else if (fabs(right) > 0x1.fffffp127)
            assert_true(fabsf(y) > 0x1.ffffep127f && (y > 0) == (right > 0));
        else
            assert_true(fabs((double)y - right) <= units * unit(right));
    }
}

static void functions_of(const cpu_set *set)
{
    const cpu_kernels *kernels = set->float32;

    sweep(kernels->map[NN_OP_EXP_T], exp, 1);
    sweep(kernels->map[NN_OP_LOG_T], log, 1);
    sweep(kernels->activation[NN_ACTIVATION_TANH], tanh, 3);
    sweep(kernels->activation[NN_ACTIVATION_SIGMOID], exact_sigmoid, 3);
    sweep(kernels->activation[NN_ACTIVATION_SOFTPLUS], exact_softplus, 3);
}

static void functions_are_accurate_from_end_to_end(void **state)
{
    (void)state;
    for_each_set(functions_of);
}

/* y = f(x) for each number of X in both real types. */
static void apply(const cpu_set *set, int is_double, uint32_t kind, int64_t n,
                  const double *x, double *y)
{
    float narrow[16];
    cpu_row row = {.x = x, .y = y, .n = n, .a = 0.5};
    int64_t i;

    assert_true(n <= 16);
    if (is_double) {
        set->float64->activation[kind](&row);
        return;
    }
    for (i = 0; i < n; ++i)
        narrow[i] = (float)x[i];
    row.x = narrow;
    row.y = narrow;
    set->float32->activation[kind](&row);
    for (i = 0; i < n; ++i)
        y[i] = (double)narrow[i];
}

static void ends_of(const cpu_set *set)
{
    static const double x[] = {-1000, -100, -20, 0, 20, 88, 100, 1000};
    static const double plus[] = {
        0, 0, 2.06115362e-09, 0.693147181, 20.0000000021, 88, 100, 1000};
    double y[9];
    int is_double;
    uint32_t kind;
    int i;

    for (is_double = 0; is_double < 2; ++is_double) {
        apply(set, is_double, NN_ACTIVATION_SIGMOID, 8, x, y);
        assert_true(y[0] == 0 && y[1] >= 0 && y[1] <= 4e-44);
        assert_true(fabs(y[2] - 2.06115362e-09) < 1e-15);
        assert_true(y[3] == 0.5 && y[6] == 1 && y[7] == 1);
        apply(set, is_double, NN_ACTIVATION_SOFTPLUS, 8, x, y);
        for (i = 0; i < 8; ++i)
            assert_true(fabs(y[i] - plus[i]) <= 1e-6 * plus[i] + 4e-44);
        apply(set, is_double, NN_ACTIVATION_TANH, 8, x, y);
        for (i = 0; i < 8; ++i)
            assert_true(y[i] == (x[i] > 0) - (x[i] < 0));
        for (kind = 0; kind < NN_ACTIVATION_COUNT; ++kind) {
            double nan = NAN;

            apply(set, is_double, kind, 1, &nan, y);
            assert_true(y[0] != y[0]);
        }
    }
}

static void activations_are_right_at_the_ends_and_keep_nan(void **state)
{
    (void)state;
    for_each_set(ends_of);
}

static void big_logits(const cpu_set *set)
{
    const float x[] = {1000, 1000, -1000};
    float y[3];
    cpu_row row = {.x = x, .y = y, .n = 3};

    set->float32->softmax[NN_OP_SOFTMAX_M](&row);
    assert_true(y[0] == 0.5f && y[1] == 0.5f && y[2] == 0);
    set->float32->softmax[NN_OP_LOG_SOFTMAX_M](&row);
    assert_true(fabsf(y[0] + 0.693147181f) < 1e-6f);
    assert_true(fabsf(y[2] + 2000.69315f) < 3e-4f);
}

static void softmax_bears_big_logits(void **state)
{
    (void)state;
    for_each_set(big_logits);
}

static void words_of(const cpu_set *set)
{
    nn_random random = {12345, 678, UINT64_C(0x123456789), 0};
    const uint64_t starts[] = {0, 1, 6, UINT64_C(0x3fffffff7)};
    uint32_t words[301];
    size_t s;
    int64_t i;

    for (s = 0; s < sizeof starts / sizeof *starts; ++s) {
        set->words(&random, starts[s], 301, words);
        for (i = 0; i < 301; ++i)
            assert_int_equal(words[i],
                             nn_random_word(&random, starts[s] + (uint64_t)i));
    }
}

static void random_words_equal_the_definition(void **state)
{
    (void)state;
    for_each_set(words_of);
}

/* The pool ---------------------------------------------------------------- */

#define TASKS 1000

typedef struct counts {
    int32_t times[TASKS];
} counts;

static void count_task(void *context, int64_t task, int32_t thread)
{
    counts *all = context;

    (void)thread;
    all->times[task]++;
}

/* Many short jobs on a pool of its own.  Returns NULL if each task ran once. */
static void *run_jobs(void *context)
{
    cpu_pool *pool = cpu_pool_create(3);
    counts *all = context;
    int64_t tasks;
    int64_t i;
    int job;

    if (!pool)
        return context;
    for (job = 0; job < 2000; ++job) {
        tasks = job % TASKS + 1;
        memset(all, 0, sizeof *all);
        cpu_pool_run(pool, tasks, count_task, all);
        for (i = 0; i < TASKS; ++i)
            if (all->times[i] != (i < tasks))
                context = NULL;
    }
    cpu_pool_destroy(pool);
    return context ? NULL : all;
}

static void two_pools_in_two_threads_run_each_task_once(void **state)
{
    static counts own[2];
    pthread_t thread;
    void *result;

    (void)state;
    assert_int_equal(pthread_create(&thread, NULL, run_jobs, &own[0]), 0);
    assert_null(run_jobs(&own[1]));
    assert_int_equal(pthread_join(thread, &result), 0);
    assert_null(result);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(own_product_equals_the_naive_one),
        cmocka_unit_test(blas_product_equals_the_naive_one),
        cmocka_unit_test(nan_times_zero_is_nan),
        cmocka_unit_test(workspace_grows_with_the_batch_up_to_a_bound),
        cmocka_unit_test(functions_are_accurate_from_end_to_end),
        cmocka_unit_test(activations_are_right_at_the_ends_and_keep_nan),
        cmocka_unit_test(softmax_bears_big_logits),
        cmocka_unit_test(random_words_equal_the_definition),
        cmocka_unit_test(two_pools_in_two_threads_run_each_task_once),
    };

    return cmocka_run_group_tests_name("cpu kernels", tests, NULL, NULL);
}
