/* SPDX-License-Identifier: MIT */
/* Tests of the iterators that hold another one, around the one of the
 * template: sample i of N is x = i / N, y = slope x. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <math.h>
#include <string.h>

#include <cmocka.h>

#include "fake.h"

extern const nn_plugin iterator_straight_line_LTX_nn_plugin_v1;
extern const nn_plugin iterator_minibatches_LTX_nn_plugin_v1;
extern const nn_plugin iterator_scale_LTX_nn_plugin_v1;
extern const nn_plugin iterator_standardize_LTX_nn_plugin_v1;
extern const nn_plugin iterator_undivided_LTX_nn_plugin_v1;

const nn_plugin *const fake_plugins[] = {
    &iterator_straight_line_LTX_nn_plugin_v1,
    &iterator_minibatches_LTX_nn_plugin_v1,
    &iterator_scale_LTX_nn_plugin_v1,
    &iterator_standardize_LTX_nn_plugin_v1,
    &iterator_undivided_LTX_nn_plugin_v1,
    NULL,
};

#define MAX_IDS 1000

static nn_child *open_config(const char *config)
{
    nn_child *it = fake_open(config, NN_FLOAT64, NULL, 0);

    if (!it)
        fail_msg("%s: %s", config, fake.text);
    return it;
}

static void assert_refused(const char *config, int32_t code, const char *part)
{
    assert_null(fake_open(config, NN_FLOAT64, NULL, 0));
    assert_int_equal(fake.code, code);
    if (!strstr(fake.text, part))
        fail_msg("'%s' does not say '%s'", fake.text, part);
    assert_int_equal(fake.blocks, 0);
}

/* Reads an epoch that was started.  Fills IDS with the samples in their order
 * and SIZES with the batches' sizes; returns the number of batches. */
static int read_on(nn_child *it, int64_t *ids, int64_t *sizes)
{
    nn_batch *batch = fake_batch_create(it, fake_info(it).max_B);
    int64_t used = 0;
    int count = 0;
    int32_t code;

    while ((code = fake_next(it, batch)) == NN_OK) {
        assert_int_equal(batch->T, 1);
        assert_true(used + batch->B <= MAX_IDS);
        memcpy(ids + used, batch->ids, (size_t)batch->B * sizeof *ids);
        assert_int_equal(batch->begins[batch->B - 1], 1);
        used += batch->B;
        if (sizes)
            sizes[count] = batch->B;
        ++count;
    }
    assert_int_equal(code, NN_END);
    assert_int_equal(fake_next(it, batch), NN_END);
    fake_batch_destroy(batch);
    return count;
}

static int read_epoch(nn_child *it, uint64_t seed, uint64_t epoch, int64_t *ids,
                      int64_t *sizes)
{
    assert_int_equal(fake_start(it, seed, epoch, 0, 1), NN_OK);
    return read_on(it, ids, sizes);
}

static void test_batches_in_order_end_with_a_short_one(void **state)
{
    nn_child *it = open_config(
        "{minibatches: {size: 4, inner: {straight_line: {samples: 10}}}}");
    nn_iterator_info info = fake_info(it);
    int64_t ids[MAX_IDS];
    int64_t sizes[MAX_IDS];
    int i;

    (void)state;
    assert_int_equal(info.n_samples, 10);
    assert_int_equal(info.n_batches, 3);
    assert_int_equal(info.max_B, 4);
    assert_int_equal(info.can_seek, 1);
    assert_int_equal(read_epoch(it, 1, 0, ids, sizes), 3);
    assert_int_equal(sizes[0], 4);
    assert_int_equal(sizes[2], 2);
    for (i = 0; i < 10; ++i)
        assert_int_equal(ids[i], i);
    fake_close(it);
    assert_int_equal(fake.blocks, 0);
}

static void test_values_come_with_their_ids(void **state)
{
    nn_child *it = open_config("{minibatches: {size: 3, shuffle: true, inner: "
                               "{straight_line: {samples: 8, slope: 2}}}}");
    nn_batch *batch = fake_batch_create(it, 3);
    int i;

    (void)state;
    assert_int_equal(fake_start(it, 5, 0, 0, 1), NN_OK);
    while (fake_next(it, batch) == NN_OK)
        for (i = 0; i < batch->B; ++i) {
            double x = (double)batch->ids[i] / 8;

            assert_true(((double *)batch->data[0])[i] == x);
            assert_true(((double *)batch->data[1])[i] == 2 * x);
        }
    fake_batch_destroy(batch);
    fake_close(it);
}

static void test_drop_leaves_the_short_batch_out(void **state)
{
    nn_child *it = open_config("{minibatches: {size: 4, last: drop, shuffle: "
                               "true, inner: {straight_line: {samples: 11}}}}");
    int64_t ids[MAX_IDS];
    int64_t sizes[MAX_IDS];

    (void)state;
    assert_int_equal(fake_info(it).n_samples, 8);
    assert_int_equal(read_epoch(it, 1, 0, ids, sizes), 2);
    assert_int_equal(sizes[1], 4);
    fake_close(it);
}

static void test_nothing_left_is_an_error_with_both_numbers(void **state)
{
    (void)state;
    assert_refused("{minibatches: {size: 8, last: drop, inner: {straight_line: "
                   "{samples: 3}}}}",
                   NN_INVALID_ARGUMENT, "3 samples in batches of 8");
    assert_refused("{minibatches: {size: 8, last: drop, limit: 7, inner: "
                   "{straight_line: {samples: 100}}}}",
                   NN_INVALID_ARGUMENT, "7 samples in batches of 8");
}

static void test_few_samples_make_one_short_batch(void **state)
{
    nn_child *it = open_config(
        "{minibatches: {size: 8, inner: {straight_line: {samples: 3}}}}");
    int64_t ids[MAX_IDS];
    int64_t sizes[MAX_IDS];

    (void)state;
    assert_int_equal(fake_info(it).max_B, 3);
    assert_int_equal(read_epoch(it, 1, 0, ids, sizes), 1);
    assert_int_equal(sizes[0], 3);
    fake_close(it);
}

static void test_shuffled_epochs_hold_each_sample_once(void **state)
{
    nn_child *it = open_config("{minibatches: {size: 7, shuffle: true, inner: "
                               "{straight_line: {samples: 100}}}}");
    int64_t ids[2][MAX_IDS];
    int moved = 0;
    int e;
    int i;

    (void)state;
    for (e = 0; e < 2; ++e) {
        int seen[100] = {0};

        assert_int_equal(read_epoch(it, 3, (uint64_t)e, ids[e], NULL), 15);
        for (i = 0; i < 100; ++i) {
            assert_int_equal(seen[ids[e][i]]++, 0);
            moved += ids[e][i] != i;
        }
    }
    assert_true(moved > 150);
    assert_memory_not_equal(ids[0], ids[1], 100 * sizeof **ids);
    fake_close(it);
}

static void test_order_is_a_function_of_seed_and_epoch(void **state)
{
    static const char config[] = "{minibatches: {size: 7, shuffle: true, "
                                 "inner: {straight_line: {samples: 50}}}}";
    nn_child *it = open_config(config);
    int64_t first[MAX_IDS];
    int64_t again[MAX_IDS];

    (void)state;
    read_epoch(it, 11, 4, first, NULL);
    read_epoch(it, 11, 5, again, NULL);
    assert_memory_not_equal(first, again, 50 * sizeof *first);
    read_epoch(it, 12, 4, again, NULL);
    assert_memory_not_equal(first, again, 50 * sizeof *first);
    fake_close(it);
    it = open_config(config);
    read_epoch(it, 11, 4, again, NULL);
    assert_memory_equal(first, again, 50 * sizeof *first);
    fake_close(it);
}

static void test_all_places_are_equally_likely(void **state)
{
    nn_child *it = open_config("{minibatches: {size: 5, shuffle: true, inner: "
                               "{straight_line: {samples: 5}}}}");
    int counts[5][5] = {{0}};
    int64_t ids[MAX_IDS];
    int e;
    int i;

    (void)state;
    for (e = 0; e < 5000; ++e) {
        read_epoch(it, 1, (uint64_t)e, ids, NULL);
        for (i = 0; i < 5; ++i)
            ++counts[i][ids[i]];
    }
    /* 1000 each, with a standard deviation of 28.3: five of them. */
    for (i = 0; i < 25; ++i)
        assert_in_range(counts[i / 5][i % 5], 858, 1142);
    fake_close(it);
}

static void test_limit_takes_the_first_of_the_order(void **state)
{
    nn_child *it = open_config("{minibatches: {size: 4, shuffle: true, inner: "
                               "{straight_line: {samples: 40}}}}");
    int64_t all[MAX_IDS];
    int64_t some[MAX_IDS];
    int64_t sizes[MAX_IDS];
    int i;

    (void)state;
    read_epoch(it, 2, 9, all, NULL);
    fake_close(it);
    it = open_config("{minibatches: {size: 4, shuffle: true, limit: 10, "
                     "inner: {straight_line: {samples: 40}}}}");
    assert_int_equal(fake_info(it).n_samples, 10);
    assert_int_equal(read_epoch(it, 2, 9, some, sizes), 3);
    assert_int_equal(sizes[2], 2);
    assert_memory_equal(all, some, 10 * sizeof *all);
    fake_close(it);
    it = open_config(
        "{minibatches: {size: 4, limit: 6, inner: {straight_line: {samples: 40}}}}");
    assert_int_equal(read_epoch(it, 2, 9, some, sizes), 2);
    for (i = 0; i < 6; ++i)
        assert_int_equal(some[i], i);
    fake_close(it);
}

static void test_seek_is_exact(void **state)
{
    nn_child *it = open_config("{minibatches: {size: 3, shuffle: true, inner: "
                               "{straight_line: {samples: 20}}}}");
    int64_t all[MAX_IDS];
    int64_t rest[MAX_IDS];

    (void)state;
    assert_int_equal(read_epoch(it, 8, 2, all, NULL), 7);
    assert_int_equal(fake_start(it, 8, 2, 0, 1), NN_OK);
    assert_int_equal(fake_seek(it, 5), NN_OK);
    assert_int_equal(read_on(it, rest, NULL), 2);
    assert_memory_equal(all + 15, rest, 5 * sizeof *all);
    assert_int_equal(fake_seek(it, 7), NN_OK);
    assert_int_equal(read_on(it, rest, NULL), 0);
    assert_int_equal(fake_seek(it, 8), NN_INVALID_ARGUMENT);
    assert_int_equal(fake_seek(it, -1), NN_INVALID_ARGUMENT);
    fake_close(it);
}

static void test_shards_get_every_nth_batch_and_equally_many(void **state)
{
    nn_child *it = open_config("{minibatches: {size: 2, shuffle: true, inner: "
                               "{straight_line: {samples: 22}}}}");
    int64_t all[MAX_IDS];
    int64_t ids[MAX_IDS];
    uint32_t shard;
    int b;

    (void)state;
    assert_int_equal(read_epoch(it, 1, 0, all, NULL), 11);
    for (shard = 0; shard < 3; ++shard) {
        assert_int_equal(fake_start(it, 1, 0, shard, 3), NN_OK);
        assert_int_equal(fake_info(it).n_batches, 3);
        assert_int_equal(read_on(it, ids, NULL), 3);
        for (b = 0; b < 3; ++b)
            assert_memory_equal(ids + 2 * b, all + 2 * (3 * b + (int)shard),
                                2 * sizeof *ids);
    }
    assert_int_equal(fake_start(it, 1, 0, 3, 3), NN_INVALID_ARGUMENT);
    assert_int_equal(fake_start(it, 1, 0, 0, 12), NN_INVALID_ARGUMENT);
    assert_non_null(strstr(fake.text, "11 batches, fewer than the 12"));
    fake_close(it);
}

static void test_a_batch_before_an_epoch_is_an_error(void **state)
{
    nn_child *it = open_config(
        "{minibatches: {size: 2, inner: {straight_line: {samples: 4}}}}");
    nn_batch *batch = fake_batch_create(it, 2);

    (void)state;
    assert_int_equal(fake_next(it, batch), NN_STATE);
    fake_batch_destroy(batch);
    fake_close(it);
}

static void test_sequential_data_are_refused_with_the_reason(void **state)
{
    (void)state;
    assert_refused("{minibatches: {size: 2, shuffle: true, inner: "
                   "{minibatches: {size: 1, inner: {straight_line: {samples: 4}}}}}}",
                   NN_UNSUPPORTED, "only in its own order");
    assert_refused("{undivided: {inner: {scale: {x: 2, inner: {minibatches: "
                   "{size: 1, inner: {straight_line: {samples: 4}}}}}}}}",
                   NN_UNSUPPORTED, "only in its own order");
}

static void test_next_allocates_nothing(void **state)
{
    nn_child *it = open_config(
        "{minibatches: {size: 4, shuffle: true, inner: {standardize: {x: all, "
        "inner: {scale: {y: 3, inner: {straight_line: {samples: 30}}}}}}}}");
    int64_t ids[MAX_IDS];
    int64_t calls = fake.calls;

    (void)state;
    read_epoch(it, 1, 0, ids, NULL);
    read_epoch(it, 1, 1, ids, NULL);
    assert_int_equal(fake.calls, calls);
    fake_close(it);
}

static void test_undivided_is_one_batch(void **state)
{
    nn_child *it = open_config("{undivided: {inner: {straight_line: {samples: 9}}}}");
    int64_t ids[MAX_IDS];
    int64_t sizes[MAX_IDS];

    (void)state;
    assert_int_equal(fake_info(it).n_batches, 1);
    assert_int_equal(fake_info(it).max_B, 9);
    assert_int_equal(read_epoch(it, 1, 0, ids, sizes), 1);
    assert_int_equal(sizes[0], 9);
    assert_int_equal(ids[8], 8);
    assert_int_equal(fake_seek(it, 0), NN_OK);
    assert_int_equal(read_on(it, ids, sizes), 1);
    assert_int_equal(fake_start(it, 1, 0, 0, 2), NN_INVALID_ARGUMENT);
    fake_close(it);
}

/* Reads all of IT, which is undivided, into X and Y. */
static void read_line(nn_child *it, int64_t count, double *x, double *y)
{
    nn_batch *batch = fake_batch_create(it, count);

    assert_int_equal(fake_start(it, 1, 0, 0, 1), NN_OK);
    assert_int_equal(fake_next(it, batch), NN_OK);
    memcpy(x, batch->data[0], (size_t)count * sizeof *x);
    memcpy(y, batch->data[1], (size_t)count * sizeof *y);
    fake_batch_destroy(batch);
}

static void test_scale_multiplies_and_adds(void **state)
{
    nn_child *it = open_config(
        "{undivided: {inner: {scale: {x: 1/4, y: {factor: 2, offset: -1}, "
        "inner: {straight_line: {samples: 8}}}}}}");
    double x[8];
    double y[8];
    int i;

    (void)state;
    read_line(it, 8, x, y);
    for (i = 0; i < 8; ++i) {
        assert_true(x[i] == i / 8.0 / 4);
        assert_true(y[i] == 2 * (i / 8.0) - 1);
    }
    fake_close(it);
}

static void test_scale_works_on_batches_too(void **state)
{
    nn_child *it = open_config("{scale: {x: 10, inner: {minibatches: {size: "
                               "3, inner: {straight_line: {samples: 5}}}}}}");
    nn_batch *batch = fake_batch_create(it, 3);

    (void)state;
    assert_int_equal(fake_info(it).n_samples, -1); /* no gather */
    assert_int_equal(fake_info(it).n_batches, 2);
    assert_int_equal(fake_start(it, 1, 0, 0, 1), NN_OK);
    assert_int_equal(fake_seek(it, 1), NN_OK);
    assert_int_equal(fake_next(it, batch), NN_OK);
    assert_int_equal(batch->B, 2);
    assert_true(((double *)batch->data[0])[1] == 10 * 0.8);
    assert_true(((double *)batch->data[1])[1] == 0.8);
    assert_int_equal(fake_next(it, batch), NN_END);
    assert_int_equal(fake_gather(it, batch->ids, 1, batch), NN_UNSUPPORTED);
    fake_batch_destroy(batch);
    fake_close(it);
}

static void test_unknown_fields_are_named_with_those_there_are(void **state)
{
    (void)state;
    assert_refused("{scale: {z: 1, inner: {straight_line: {samples: 5}}}}", NN_NOT_FOUND,
                   "'z'; the inner iterator has 'x', 'y'");
    assert_refused("{standardize: {q: all, inner: {straight_line: {samples: 5}}}}",
                   NN_NOT_FOUND, "'q'; the inner iterator has 'x', 'y'");
    assert_refused("{scale: {inner: {straight_line: {samples: 5}}}}",
                   NN_INVALID_ARGUMENT, "no field is named");
}

static void test_whole_numbers_cannot_be_scaled(void **state)
{
    nn_field request = fake_field("x", NN_INT32, 1, 1, 0, 0);

    (void)state;
    assert_null(fake_open("{scale: {x: 2, inner: {straight_line: {samples: 5}}}}",
                          NN_FLOAT32, &request, 1));
    assert_int_equal(fake.blocks, 0);
}

static void test_standardize_makes_mean_0_and_std_1(void **state)
{
    nn_child *it = open_config(
        "{undivided: {inner: {standardize: {x: feature, y: all, inner: {straight_line: "
        "{samples: 900, slope: 1000}}}}}}");
    double x[900];
    double y[900];
    double mean = 0;
    double squares = 0;
    int i;

    (void)state;
    read_line(it, 900, x, y);
    for (i = 0; i < 900; ++i) {
        mean += x[i] / 900;
        squares += x[i] * x[i] / 900;
        assert_true(fabs(x[i] - y[i]) < 1e-12);
    }
    /* Sums of 900 numbers below 2: errors far below 900 * 2^-52. */
    assert_true(fabs(mean) < 2e-13);
    assert_true(fabs(squares - 1) < 4e-13);
    fake_close(it);
}

/* The numbers 0 to N - 1 have mean (N - 1) / 2 and variance (N N - 1) / 12. */
static void test_blocks_are_joined_exactly(void **state)
{
    nn_child *it = open_config("{standardize: {x: all, inner: {scale: {x: "
                               "{factor: 5000, offset: 1000000}, inner: "
                               "{straight_line: {samples: 5000}}}}}}");

    (void)state;
    assert_string_equal(
        fake.log,
        "standardize: field 'x' has mean 1002499.5 and std 1443.37564");
    fake_close(it);
}

static void test_statistics_of_sequential_data(void **state)
{
    nn_child *it = open_config(
        "{standardize: {x: all, inner: {scale: {x: 10, inner: {minibatches: "
        "{size: 3, inner: {straight_line: {samples: 10}}}}}}}}");

    (void)state;
    assert_string_equal(
        fake.log, "standardize: field 'x' has mean 4.5 and std 2.87228132");
    fake_close(it);
}

static void test_given_numbers_are_used(void **state)
{
    nn_child *it = open_config(
        "{undivided: {inner: {standardize: {x: {mean: 0.5, std: 0.25}, y: "
        "{mean: [1], std: [0]}, inner: {straight_line: {samples: 4}}}}}}");
    double x[4];
    double y[4];
    int i;

    (void)state;
    assert_string_equal(fake.log, "");
    read_line(it, 4, x, y);
    for (i = 0; i < 4; ++i) {
        assert_true(x[i] == (i / 4.0 - 0.5) / 0.25);
        assert_true(y[i] == i / 4.0 - 1); /* std 0 counts as 1 */
    }
    fake_close(it);
    assert_refused("{standardize: {x: {mean: [1, 2], std: 1}, inner: {straight_line: "
                   "{samples: 4}}}}",
                   NN_SHAPE, "2 numbers are given for field 'x'");
}

static void test_a_constant_becomes_0(void **state)
{
    nn_child *it = open_config(
        "{undivided: {inner: {standardize: {y: feature, inner: {scale: {y: "
        "{factor: 0, offset: 7}, inner: {straight_line: {samples: 4}}}}}}}}");
    double x[4];
    double y[4];
    int i;

    (void)state;
    read_line(it, 4, x, y);
    for (i = 0; i < 4; ++i)
        assert_true(y[i] == 0);
    fake_close(it);
}

static void test_every_allocation_may_fail(void **state)
{
    static const char config[] =
        "{minibatches: {size: 4, shuffle: true, inner: {standardize: {x: all, "
        "y: {mean: 0}, inner: {scale: {y: 3, inner: {straight_line: {samples: "
        "30}}}}}}}}";
    int64_t count;
    int64_t i;

    (void)state;
    fake_close(open_config(config));
    count = fake.calls;
    assert_true(count > 20);
    for (i = 1; i <= count; ++i) {
        fake.fail = i;
        assert_null(fake_open(config, NN_FLOAT64, NULL, 0));
        assert_int_equal(fake.code, NN_NO_MEMORY);
        assert_int_equal(fake.blocks, 0);
    }
    fake.fail = 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_batches_in_order_end_with_a_short_one),
        cmocka_unit_test(test_values_come_with_their_ids),
        cmocka_unit_test(test_drop_leaves_the_short_batch_out),
        cmocka_unit_test(test_nothing_left_is_an_error_with_both_numbers),
        cmocka_unit_test(test_few_samples_make_one_short_batch),
        cmocka_unit_test(test_shuffled_epochs_hold_each_sample_once),
        cmocka_unit_test(test_order_is_a_function_of_seed_and_epoch),
        cmocka_unit_test(test_all_places_are_equally_likely),
        cmocka_unit_test(test_limit_takes_the_first_of_the_order),
        cmocka_unit_test(test_seek_is_exact),
        cmocka_unit_test(test_shards_get_every_nth_batch_and_equally_many),
        cmocka_unit_test(test_a_batch_before_an_epoch_is_an_error),
        cmocka_unit_test(test_sequential_data_are_refused_with_the_reason),
        cmocka_unit_test(test_next_allocates_nothing),
        cmocka_unit_test(test_undivided_is_one_batch),
        cmocka_unit_test(test_scale_multiplies_and_adds),
        cmocka_unit_test(test_scale_works_on_batches_too),
        cmocka_unit_test(test_unknown_fields_are_named_with_those_there_are),
        cmocka_unit_test(test_whole_numbers_cannot_be_scaled),
        cmocka_unit_test(test_standardize_makes_mean_0_and_std_1),
        cmocka_unit_test(test_blocks_are_joined_exactly),
        cmocka_unit_test(test_statistics_of_sequential_data),
        cmocka_unit_test(test_given_numbers_are_used),
        cmocka_unit_test(test_a_constant_becomes_0),
        cmocka_unit_test(test_every_allocation_may_fail),
    };

    return cmocka_run_group_tests_name("iterators in iterators", tests, NULL,
                                       NULL);
}
