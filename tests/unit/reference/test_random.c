/* SPDX-License-Identifier: MIT */
/* test_random.c - random fills and dropout: definition, statistics, and that
 * only the logical position counts. */
#include <nn/random.h>

#include "core/reference/reference.h"
#include "tests/unit/reference/support.h"

#define SAMPLES 100000

static const nn_random draw = {1, 2, 3, 0};

static int32_t run(uint32_t operation, double a, double b, nn_random random,
                   tensor *x, tensor *y)
{
    const nn_array *operands[2] = {x ? &x->array : &y->array, &y->array};
    void *data[2] = {tensor_data(x ? x : y), tensor_data(y)};
    nn_attributes with = nn_no_attributes();
    char text[128];
    int32_t code;

    with.a = a;
    with.b = b;
    with.random = random;
    code = nn_reference_check(operation, operands, &with, text, sizeof text);
    if (code)
        return code;
    return nn_reference_run(operation, operands, data, &with, text,
                            sizeof text);
}

static tensor *vector(uint32_t dtype, int64_t n)
{
    return tensor_make(dtype, 0, 1, &n);
}

/* The published test vectors of Philox 4x32-10 need a counter and key of our
 * own choice: the key is nn_mix(seed + nn_mix(stream)), so what is compared is
 * the generator written out in another way. */
static void words_are_philox(void **state)
{
    uint64_t key = nn_mix(draw.seed + nn_mix(draw.stream));
    uint32_t c[4] = {5, 0, 3, 0};
    uint32_t k[2] = {(uint32_t)key, (uint32_t)(key >> 32)};
    uint32_t words[4];
    int i;

    (void)state;
    for (i = 0; i < 10; ++i) {
        uint64_t left = UINT64_C(0xD2511F53) * c[0];
        uint64_t right = UINT64_C(0xCD9E8D57) * c[2];
        uint32_t next[4] = {(uint32_t)(right >> 32) ^ c[1] ^ k[0],
                            (uint32_t)right,
                            (uint32_t)(left >> 32) ^ c[3] ^ k[1],
                            (uint32_t)left};

        memcpy(c, next, sizeof c);
        k[0] += 0x9E3779B9u;
        k[1] += 0xBB67AE85u;
    }
    nn_random_block(&draw, 5, words);
    assert_memory_equal(words, c, sizeof c);
    for (i = 0; i < 4; ++i)
        assert_int_equal(nn_random_word(&draw, (uint64_t)(20 + i)), c[i]);
}

static void uniform_is_a_function_of_position(void **state)
{
    tensor *y = vector(NN_FLOAT64, 10);
    int i;

    (void)state;
    assert_int_equal(run(NN_OP_FILL_UNIFORM, -1, 3, draw, NULL, y), 0);
    for (i = 0; i < 10; ++i)
        assert_true(tensor_get(y, i) ==
                    -1 + 4 * (double)(nn_random_word(&draw, (uint64_t)i) >> 8) /
                             16777216);
    tensor_free(y);
}

static void type_and_pitch_do_not_matter(void **state)
{
    const int64_t shape[2] = {5, 7};
    tensor *dense = tensor_make(NN_FLOAT64, 0, 2, shape);
    tensor *gaps = tensor_make(NN_FLOAT32, 3, 2, shape);
    int64_t i;

    (void)state;
    run(NN_OP_FILL_UNIFORM, 0, 1, draw, NULL, dense);
    run(NN_OP_FILL_UNIFORM, 0, 1, draw, NULL, gaps);
    for (i = 0; i < 35; ++i)
        assert_true(tensor_get(dense, i) == tensor_get(gaps, i));
    tensor_check_guards(gaps);
    tensor_free(dense);
    tensor_free(gaps);
}

static void a_part_continues_the_whole(void **state)
{
    nn_random rest = draw;
    tensor *whole = vector(NN_FLOAT32, 20);
    tensor *part = vector(NN_FLOAT32, 13);
    uint32_t operation;
    int64_t i;

    (void)state;
    rest.first = 7;
    for (operation = NN_OP_FILL_UNIFORM; operation <= NN_OP_FILL_BERNOULLI;
         ++operation) {
        run(operation, 0.5, 1, draw, NULL, whole);
        run(operation, 0.5, 1, rest, NULL, part);
        for (i = 0; i < 13; ++i)
            assert_true(tensor_get(part, i) == tensor_get(whole, i + 7));
    }
    tensor_free(whole);
    tensor_free(part);
}

static void gaussian_has_its_moments(void **state)
{
    tensor *y = vector(NN_FLOAT64, SAMPLES);
    double sum = 0;
    double squares = 0;
    int64_t i;

    (void)state;
    run(NN_OP_FILL_GAUSSIAN, 5, 2, draw, NULL, y);
    for (i = 0; i < SAMPLES; ++i) {
        double z = (tensor_get(y, i) - 5) / 2;

        sum += z;
        squares += z * z;
    }
    /* 4.5 standard errors of mean and variance. */
    assert_true(fabs(sum / SAMPLES) < 4.5 / sqrt(SAMPLES));
    assert_true(fabs(squares / SAMPLES - 1) < 4.5 * sqrt(2.0 / SAMPLES));
    tensor_free(y);
}

static void bernoulli_has_its_frequency(void **state)
{
    tensor *y = vector(NN_FLOAT32, SAMPLES);
    int64_t events = 0;
    int64_t i;

    (void)state;
    run(NN_OP_FILL_BERNOULLI, 0.3, 7, draw, NULL, y);
    for (i = 0; i < SAMPLES; ++i) {
        assert_true(tensor_get(y, i) == 0 || tensor_get(y, i) == 7);
        events += tensor_get(y, i) == 7;
    }
    assert_true(llabs(events - 30000) < 650);
    tensor_free(y);
}

static void dropout_scales_what_survives(void **state)
{
    tensor *x = vector(NN_FLOAT32, SAMPLES);
    tensor *y = vector(NN_FLOAT32, SAMPLES);
    int64_t dropped = 0;
    int64_t i;

    (void)state;
    tensor_fill(x, 1);
    run(NN_OP_DROPOUT_T, 0.3, 0, draw, x, y);
    for (i = 0; i < SAMPLES; ++i) {
        dropped += tensor_get(y, i) == 0;
        assert_true(tensor_get(y, i) == 0 ||
                    tensor_get(y, i) == (double)(float)(1 / 0.7));
        assert_int_equal(tensor_get(y, i) != 0,
                         nn_random_event(&draw, (uint64_t)i, 1 - 0.3));
    }
    assert_true(llabs(dropped - 30000) < 650);
    tensor_free(x);
    tensor_free(y);
}

/* Share of places where two masks of 1000 with these draws agree. */
static double agreement(nn_random first, nn_random second)
{
    tensor *x = vector(NN_FLOAT32, 1000);
    tensor *y = vector(NN_FLOAT32, 1000);
    tensor *z = vector(NN_FLOAT32, 1000);
    int64_t equal = 0;
    int64_t i;

    tensor_fill(x, 1);
    run(NN_OP_DROPOUT_T, 0.5, 0, first, x, y);
    run(NN_OP_DROPOUT_T, 0.5, 0, second, x, z);
    for (i = 0; i < 1000; ++i)
        equal += tensor_get(y, i) == tensor_get(z, i);
    tensor_free(x);
    tensor_free(y);
    tensor_free(z);
    return (double)equal / 1000;
}

static void masks_differ_by_seed_stream_and_update(void **state)
{
    nn_random other = draw;

    (void)state;
    assert_true(agreement(draw, draw) == 1);
    other.seed = 9;
    assert_true(fabs(agreement(draw, other) - 0.5) < 0.08);
    other = draw;
    other.stream = 9;
    assert_true(fabs(agreement(draw, other) - 0.5) < 0.08);
    other = draw;
    other.offset = 4;
    assert_true(fabs(agreement(draw, other) - 0.5) < 0.08);
    other = draw;
    other.first = 1000;
    assert_true(fabs(agreement(draw, other) - 0.5) < 0.08);
}

static void dropout_is_exact_at_the_ends(void **state)
{
    static const double values[] = {1, -2, 3};
    tensor *x = vector(NN_FLOAT32, 3);
    tensor *y = vector(NN_FLOAT32, 3);
    int i;

    (void)state;
    tensor_set(x, values);
    run(NN_OP_DROPOUT_T, 0, 0, draw, x, y);
    assert_memory_equal(tensor_data(x), tensor_data(y), 3 * sizeof(float));
    run(NN_OP_DROPOUT_T, 1, 0, draw, x, y);
    for (i = 0; i < 3; ++i)
        assert_true(tensor_get(y, i) == 0);
    assert_int_equal(run(NN_OP_DROPOUT_T, -0.1, 0, draw, x, y),
                     NN_INVALID_ARGUMENT);
    assert_int_equal(run(NN_OP_DROPOUT_T, 1.5, 0, draw, x, y),
                     NN_INVALID_ARGUMENT);
    assert_int_equal(run(NN_OP_DROPOUT_T, NAN, 0, draw, x, y),
                     NN_INVALID_ARGUMENT);
    tensor_free(x);
    tensor_free(y);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_are_philox),
        cmocka_unit_test(uniform_is_a_function_of_position),
        cmocka_unit_test(type_and_pitch_do_not_matter),
        cmocka_unit_test(a_part_continues_the_whole),
        cmocka_unit_test(gaussian_has_its_moments),
        cmocka_unit_test(bernoulli_has_its_frequency),
        cmocka_unit_test(dropout_scales_what_survives),
        cmocka_unit_test(masks_differ_by_seed_stream_and_update),
        cmocka_unit_test(dropout_is_exact_at_the_ends),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
