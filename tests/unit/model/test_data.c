/* SPDX-License-Identifier: MIT */
/* test_data.c - batches from arrays of the caller, and data of a config. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/model/model.h"

#define SAMPLES 7
#define STEPS 2

/* x[t][b] = 100 t + b, so that a value says where it comes from. */
static double x[STEPS][SAMPLES][1];
static int32_t y[STEPS][SAMPLES][1];

static nn_host_array arrays[] = {
    {sizeof *arrays, "x", NN_FLOAT64, 3, {STEPS, SAMPLES, 1}, x},
    {sizeof *arrays, "y", NN_INT32, 3, {STEPS, SAMPLES, 1}, y}};

static nn_data *open_arrays(int64_t size, int32_t shuffle)
{
    nn_data *data;
    int t;
    int b;

    for (t = 0; t < STEPS; ++t)
        for (b = 0; b < SAMPLES; ++b) {
            x[t][b][0] = 100 * t + b;
            y[t][b][0] = 100 * t + b;
        }
    assert_int_equal(nn_iterator_from_arrays(arrays, 2, size, shuffle, &data),
                     0);
    return data;
}

/* The samples of the batches that are left, in their order, to ORDER; both
 * fields and all time steps must agree.  Returns how many. */
static int read_rest(nn_data *data, int order[SAMPLES])
{
    int n = 0;
    int32_t code;

    while (!(code = nn_data_next(data))) {
        nn_host_array real;
        nn_host_array whole;
        int64_t t;
        int64_t b;

        assert_int_equal(nn_data_field(data, "x", &real), 0);
        assert_int_equal(nn_data_field(data, "y", &whole), 0);
        assert_int_equal(real.shape[0], STEPS);
        assert_int_equal(real.shape[1], whole.shape[1]);
        for (t = 0; t < STEPS; ++t)
            for (b = 0; b < real.shape[1]; ++b) {
                int64_t at = t * real.shape[1] + b;
                int value = ((const int32_t *)whole.data)[at];

                assert_true(((const double *)real.data)[at] == value);
                if (t == 0)
                    order[n + b] = value;
                else
                    assert_int_equal(value, 100 + order[n + b]);
            }
        n += (int)real.shape[1];
    }
    assert_int_equal(code, NN_END);
    return n;
}

static void read_epoch(nn_data *data, uint64_t seed, uint64_t epoch,
                       int order[SAMPLES])
{
    int seen[SAMPLES] = {0};
    int i;

    assert_int_equal(nn_data_start(data, seed, epoch), 0);
    assert_int_equal(read_rest(data, order), SAMPLES);
    for (i = 0; i < SAMPLES; ++i)
        assert_int_equal(seen[order[i]]++, 0);
}

static void message_has(const char *part)
{
    const char *message;

    nn_error(NULL, &message);
    if (!strstr(message, part))
        fail_msg("no '%s' in '%s'", part, message);
}

/* ---- arrays ------------------------------------------------------------- */

static void the_last_batch_may_be_short(void **state)
{
    nn_data *data = open_arrays(3, 0);
    int64_t T;
    int64_t B;
    int order[SAMPLES];
    int i;

    (void)state;
    assert_int_equal(nn_data_samples(data), SAMPLES);
    assert_int_equal(nn_data_batches(data), 3);
    nn_data_largest(data, &T, &B);
    assert_int_equal(T, STEPS);
    assert_int_equal(B, 3);
    read_epoch(data, 1, 0, order);
    for (i = 0; i < SAMPLES; ++i)
        assert_int_equal(order[i], i);
    assert_int_equal(data->batch.B, 1);
    nn_data_destroy(data);
}

static void a_batch_is_never_larger_than_the_data(void **state)
{
    nn_data *data = open_arrays(INT64_MAX, 0);
    int64_t T;
    int64_t B;
    int order[SAMPLES];

    (void)state;
    nn_data_largest(data, &T, &B);
    assert_int_equal(B, SAMPLES);
    assert_int_equal(nn_data_batches(data), 1);
    read_epoch(data, 1, 0, order);
    nn_data_destroy(data);
}

static void the_order_is_that_of_seed_and_epoch(void **state)
{
    nn_data *data = open_arrays(3, 1);
    int first[SAMPLES];
    int again[SAMPLES];
    int other[SAMPLES];

    (void)state;
    read_epoch(data, 5, 0, first);
    read_epoch(data, 5, 1, other);
    assert_memory_not_equal(first, other, sizeof first);
    read_epoch(data, 6, 0, other);
    assert_memory_not_equal(first, other, sizeof first);
    read_epoch(data, 5, 0, again);
    assert_memory_equal(first, again, sizeof first);
    nn_data_destroy(data);
}

static void a_batch_that_is_sought_is_that_of_the_epoch(void **state)
{
    nn_data *data = open_arrays(3, 1);
    int all[SAMPLES];
    int rest[SAMPLES];

    (void)state;
    read_epoch(data, 5, 2, all);
    assert_int_equal(nn_data_start(data, 5, 2), 0);
    assert_int_equal(nn_data_seek(data, 2), 0);
    assert_int_equal(read_rest(data, rest), 1);
    assert_int_equal(rest[0], all[6]);
    assert_int_equal(nn_data_start(data, 5, 2), 0);
    assert_int_equal(nn_data_seek(data, 3), 0);
    assert_int_equal(read_rest(data, rest), 0);
    assert_int_equal(nn_data_seek(data, 4), NN_INVALID_ARGUMENT);
    message_has("batch 4 among 3");
    assert_int_equal(nn_data_seek(data, INT64_MAX), NN_INVALID_ARGUMENT);
    nn_data_destroy(data);
}

static void an_unknown_field_is_named_anew_each_time(void **state)
{
    nn_data *data = open_arrays(3, 0);
    nn_host_array out;

    (void)state;
    assert_int_equal(nn_data_field(data, "xx", &out), NN_NOT_FOUND);
    message_has("'xx'");
    assert_int_equal(nn_data_field(data, "zebra", &out), NN_NOT_FOUND);
    message_has("'zebra'");
    nn_data_destroy(data);
}

/* Breaks one thing of the second array. */
static void refused(nn_host_array broken, int32_t code, const char *part)
{
    nn_host_array both[2] = {arrays[0], broken};
    nn_data *data = (nn_data *)&data;

    assert_int_equal(nn_iterator_from_arrays(both, 2, 3, 0, &data), code);
    message_has(part);
    assert_null(data);
}

static void arrays_that_are_none_are_refused(void **state)
{
    nn_host_array broken = arrays[1];
    nn_data *data;

    (void)state;
    broken.data = NULL;
    refused(broken, NN_INVALID_ARGUMENT, "'y'");
    broken = arrays[1];
    broken.name = NULL;
    refused(broken, NN_INVALID_ARGUMENT, "(no name)");
    broken = arrays[1];
    broken.dtype = 99;
    refused(broken, NN_INVALID_ARGUMENT, "'y'");
    broken = arrays[1];
    broken.ndim = NN_MAX_DIMS + 1;
    refused(broken, NN_INVALID_ARGUMENT, "'y'");
    broken = arrays[1];
    broken.shape[2] = -1;
    refused(broken, NN_INVALID_ARGUMENT, "'y'");
    broken = arrays[1];
    broken.shape[1] = SAMPLES - 1;
    refused(broken, NN_SHAPE, "6 samples, 'x' has 2 and 7");
    assert_int_equal(nn_iterator_from_arrays(arrays, 2, 0, 0, &data),
                     NN_INVALID_ARGUMENT);
    assert_int_equal(nn_iterator_from_arrays(arrays, 0, 3, 0, &data),
                     NN_INVALID_ARGUMENT);
}

static void time_steps_and_samples_must_be_there(void **state)
{
    nn_host_array empty = arrays[0];
    nn_data *data;

    (void)state;
    empty.shape[0] = 0;
    assert_int_equal(nn_iterator_from_arrays(&empty, 1, 3, 0, &data),
                     NN_INVALID_ARGUMENT);
    empty = arrays[0];
    empty.shape[1] = 0;
    assert_int_equal(nn_iterator_from_arrays(&empty, 1, 3, 0, &data),
                     NN_INVALID_ARGUMENT);
    message_has("'x'");
}

/* ---- data of a config --------------------------------------------------- */

static char table[64]; /* a file of five rows "a,b,class" */

static int make_table(void **state)
{
    static const char rows[] = "1,2,0\n3,4,1\n5,6,0\n7,8,1\n9,10,0\n";
    int file;

    (void)state;
    strcpy(table, "/tmp/nn-data-XXXXXX");
    file = mkstemp(table);
    if (file < 0 || write(file, rows, sizeof rows - 1) < 0)
        return -1;
    return close(file);
}

static int remove_table(void **state)
{
    (void)state;
    return unlink(table);
}

/* A config with INPUTS whose data `train` are COLUMNS of the table, in
 * batches of two. */
static nn_config *config_of(const char *inputs, const char *columns)
{
    char yaml[1024];
    nn_config *config;

    snprintf(yaml, sizeof yaml,
             "nervenet: 1\nhandler: reference\ninputs: %s\n"
             "network: [{fully_connected: {size: 2, from: x}}]\n"
             "data: {train: {minibatches: {size: 2, inner: {csv: {file: %s, "
             "columns: %s}}}}}\n",
             inputs, table, columns);
    if (nn_config_parse(yaml, "data.yaml", NULL, &config))
        fail_msg("%s", nn_config_messages(config));
    return config;
}

#define INPUTS "{x: [2], y: {shape: [1], dtype: int32}}"

static void data_are_with_one_caller_at_a_time(void **state)
{
    nn_config *config = config_of(INPUTS, "{x: [0, 1], y: [2]}");
    nn_data *data;
    nn_data *second;

    (void)state;
    assert_int_equal(nn_data_create(config, "train", &data), 0);
    assert_int_equal(nn_data_create(config, "train", &second), NN_STATE);
    message_has("'train'");
    assert_null(second);
    nn_data_destroy(data);
    assert_int_equal(nn_data_create(config, "train", &second), 0);
    assert_int_equal(nn_data_start(second, 1, 0), 0);
    assert_int_equal(nn_data_next(second), 0);
    nn_data_destroy(second);
    nn_config_destroy(config);
}

static void data_that_were_checked_are_opened_once(void **state)
{
    nn_config *config = config_of(INPUTS, "{x: [0, 1], y: [2]}");
    nn_data *checked;
    nn_data *data;

    (void)state;
    assert_int_equal(nn_config_check_data(config), 0);
    checked = config->data[0].opened;
    assert_non_null(checked);
    assert_int_equal(nn_data_create(config, "train", &data), 0);
    assert_ptr_equal(checked, data);
    assert_int_equal(nn_config_check_data(config), 0);
    nn_data_destroy(data);
    assert_int_equal(nn_config_check_data(config), 0);
    nn_config_destroy(config);
}

/* A model for training has room for their batches, whoever has the data. */
static void data_in_use_are_counted_too(void **state)
{
    nn_config *config = config_of(INPUTS, "{x: [0, 1], y: [2]}");
    nn_model_options options = {.size = sizeof options, .training = 1};
    nn_model *model;
    nn_data *data;

    (void)state;
    assert_int_equal(nn_data_create(config, "train", &data), 0);
    assert_int_equal(nn_model_create(config, &options, &model), 0);
    assert_int_equal(model->network->layout->B, 2);
    nn_model_destroy(model);
    nn_data_destroy(data);
    nn_config_destroy(config);
}

static void data_that_do_not_fit(const char *columns, int32_t code,
                                 const char *part)
{
    nn_config *config = config_of(INPUTS, columns);
    const char *message;
    nn_data *data;

    assert_int_equal(nn_data_create(config, "train", &data), code);
    message_has(part);
    message_has("data 'train': ");
    nn_error(NULL, &message);
    assert_null(strstr(message + 1, "data 'train'")); /* said once */
    assert_null(data);
    nn_config_destroy(config);
}

/* What predicts needs no targets; what evaluates does. */
static void a_field_that_is_missing_is_named_where_it_is_needed(void **state)
{
    nn_config *config = config_of(INPUTS, "{x: [0, 1]}");
    nn_host_array field;
    nn_score score;
    nn_model *model;
    nn_data *data;
    uint32_t count;

    (void)state;
    assert_int_equal(nn_data_create(config, "train", &data), 0);
    assert_int_equal(nn_data_start(data, 1, 0), 0);
    assert_int_equal(nn_data_next(data), 0);
    assert_int_equal(nn_data_field(data, "x", &field), 0);
    assert_int_equal(nn_model_create(config, NULL, &model), 0);
    assert_int_equal(nn_model_evaluate(model, data, &score, 1, &count),
                     NN_NOT_FOUND);
    message_has("data 'train': there is no field 'y'");
    assert_int_equal(nn_config_check_data(config), NN_NOT_FOUND);
    message_has("data 'train': there is no field 'y'");
    nn_data_destroy(data);
    nn_model_destroy(model);
    nn_config_destroy(config);
}

static void a_field_of_another_shape_is_named_with_both(void **state)
{
    nn_config *config = config_of(INPUTS, "{x: [0, 1], y: [2]}");
    nn_model_options options = {.size = sizeof options, .T = STEPS};
    nn_data *data = open_arrays(3, 0);
    nn_score score;
    nn_model *model;
    uint32_t count;

    (void)state;
    data_that_do_not_fit("{x: [0], y: [2]}", NN_SHAPE, "'x'");
    assert_int_equal(nn_model_create(config, &options, &model), 0);
    assert_int_equal(nn_model_evaluate(model, data, &score, 1, &count),
                     NN_SHAPE);
    message_has("data 'arrays': field 'x' is (T, B, 1) float64, the network's "
                "input of that name (T, B, 2) float32");
    nn_data_destroy(data);
    nn_model_destroy(model);
    nn_config_destroy(config);
}

static void a_config_with_errors_is_not_used(void **state)
{
    nn_memory_summary memory = {.size = sizeof memory};
    nn_config *config;
    nn_model *model;
    nn_data *data;
    char *text;

    (void)state;
    assert_int_not_equal(nn_config_parse("nervenet: 1\nhandler: reference\n"
                                         "inputs: {x: [2]}\n"
                                         "network: [{fully_connected: 2}]\n"
                                         "data: {train: {no_such_thing: {}}}\n",
                                         "bad.yaml", NULL, &config),
                         0);
    assert_int_equal(nn_data_create(config, "train", &data), NN_STATE);
    assert_int_equal(nn_config_check_data(config), NN_STATE);
    assert_int_equal(nn_model_create(config, NULL, &model), NN_STATE);
    assert_int_equal(nn_config_memory(config, 0, 0, 0, &memory), NN_STATE);
    assert_int_equal(nn_config_render(config, &text), NN_STATE);
    message_has("errors");
    nn_config_destroy(config);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_last_batch_may_be_short),
        cmocka_unit_test(a_batch_is_never_larger_than_the_data),
        cmocka_unit_test(the_order_is_that_of_seed_and_epoch),
        cmocka_unit_test(a_batch_that_is_sought_is_that_of_the_epoch),
        cmocka_unit_test(an_unknown_field_is_named_anew_each_time),
        cmocka_unit_test(arrays_that_are_none_are_refused),
        cmocka_unit_test(time_steps_and_samples_must_be_there),
        cmocka_unit_test(data_are_with_one_caller_at_a_time),
        cmocka_unit_test(data_that_were_checked_are_opened_once),
        cmocka_unit_test(data_in_use_are_counted_too),
        cmocka_unit_test(a_field_that_is_missing_is_named_where_it_is_needed),
        cmocka_unit_test(a_field_of_another_shape_is_named_with_both),
        cmocka_unit_test(a_config_with_errors_is_not_used),
    };

    return cmocka_run_group_tests(tests, make_table, remove_table);
}
