/* SPDX-License-Identifier: MIT */
/* test_updates.c - what an update does, and to which parameters. */
#include "tests/unit/training/training.h"

#define SGD "training:\n  stepper: {sgd: {learning_rate: 0.1}}\n  epochs: 1\n"

static double last_loss(run *r)
{
    return nn_trainer_log(r->trainer, "training.loss");
}

/* ---- losses ------------------------------------------------------------- */

/* Five samples with targets 1, 1, 1, 1, 4 and a prediction that stays 0. */
static double epoch_loss_with(int64_t size)
{
    run r;
    nn_host_array arrays[2];
    nn_model_options options = {.size = sizeof options, .training = 1};
    double x[5] = {0};
    double t[5] = {1, 1, 1, 1, 4};
    double loss;

    start_run(&r, "nervenet: 1\nhandler: reference\ndtype: float64\n"
                  "inputs: {x: [1], t: [1]}\n"
                  "network:\n"
                  "  - fully_connected: {size: 1, bias: false}\n"
                  "  - squared_error: {half: false,"
                  " from: {default: fully_connected, targets: t}}\n"
                  "initialize: {\"*\": 0}\n"
                  "training: {stepper: {sgd: 0}, epochs: 1}\n");
    options.T = 1;
    options.B = 6;
    assert_int_equal(nn_model_create(r.config, &options, &r.model), 0);
    arrays[0] = (nn_host_array){sizeof *arrays, "x", NN_FLOAT64, 3,
                                {1, 5, 1},      x};
    arrays[1] = (nn_host_array){sizeof *arrays, "t", NN_FLOAT64, 3,
                                {1, 5, 1},      t};
    assert_int_equal(nn_iterator_from_arrays(arrays, 2, size, 0, &r.data), 0);
    must_open(&r);
    must_run(&r);
    loss = last_loss(&r);
    end_run(&r);
    return loss;
}

static void test_short_batch_counts_as_what_it_is(void **state)
{
    int64_t size;

    (void)state;
    for (size = 1; size <= 6; ++size)
        assert_near(epoch_loss_with(size), 4.0, 1e-15);
}

/* ---- masks -------------------------------------------------------------- */

static double after_empty[64];
static double before_empty[64];
static run *watched;

static int32_t watch_empty(const nn_hook_context *context)
{
    if (context->when == NN_AT_UPDATE && context->progress.update == 1)
        read_values(watched, "hidden.W", before_empty, 15);
    return NN_HOOK_CONTINUE;
}

static void test_batch_without_weight_makes_no_update(void **state)
{
    static const char text[] = PLAIN
        "training:\n"
        "  stepper: {momentum: {learning_rate: 0.1, decay: 0.1}}\n"
        "  epochs: 1\n"
        "  hooks: [{progress: {name: spy, timescale: update}}]\n";
    run r;
    double loss = 0;
    double values[2];
    int i;

    (void)state;
    start_run(&r, text);
    for (i = 0; i < SAMPLES; ++i)
        r.m[i][0] = i < 3;
    for (i = 3; i < SAMPLES; ++i)
        r.x[i][0] = NAN; /* padding, whatever it is */
    open_model(&r, 3, 0);
    watched = &r;
    place_spies(&r, watch_empty);
    must_open(&r);
    must_run(&r);
    assert_int_equal(r.trainer->update, 1);
    assert_int_equal(r.trainer->passes, 3);
    read_values(&r, "hidden.W", after_empty, 15);
    assert_memory_equal(before_empty, after_empty, 15 * sizeof(double));
    loss = last_loss(&r);
    assert_true(isfinite(loss) && loss > 0);
    read_values(&r, "out.bias", values, 2);
    assert_true(isfinite(values[0]) && isfinite(values[1]));
    end_run(&r);
}

static void test_epoch_without_weight_has_loss_zero(void **state)
{
    run r;
    double before[10];
    double after[10];
    int i;

    (void)state;
    start_run(&r, PLAIN SGD);
    for (i = 0; i < SAMPLES; ++i)
        r.m[i][0] = 0;
    open_model(&r, 3, 0);
    must_open(&r);
    read_values(&r, "out.W", before, 10);
    must_run(&r);
    read_values(&r, "out.W", after, 10);
    assert_memory_equal(before, after, sizeof before);
    assert_near(last_loss(&r), 0, 0);
    end_run(&r);
}

/* Without a number of epochs such training would never end. */
static void test_endless_training_without_weight_is_an_error(void **state)
{
    run r;
    int i;

    (void)state;
    start_run(&r, PLAIN "training: {stepper: {sgd: 0.1}, updates: 3}\n");
    for (i = 0; i < SAMPLES; ++i)
        r.m[i][0] = 0;
    open_model(&r, 3, 0);
    must_open(&r);
    assert_int_equal(nn_trainer_run(r.trainer, NULL), NN_INVALID_ARGUMENT);
    assert_string_equal(nn_error_id(), "training.no-updates");
    end_run(&r);
}

/* ---- accumulation ------------------------------------------------------- */

static void test_accumulated_batches_equal_one_large_batch(void **state)
{
    double small[15];
    double large[15];
    run r;
    int i;

    (void)state;
    start_run(&r, PLAIN "training: {stepper: {adam: {}}, epochs: 3, "
                        "accumulate: 7}\n");
    open_model(&r, 1, 0);
    must_open(&r);
    must_run(&r);
    assert_int_equal(r.trainer->update, 3);
    read_values(&r, "hidden.W", small, 15);
    end_run(&r);
    start_run(&r, PLAIN "training: {stepper: {adam: {}}, epochs: 3}\n");
    open_model(&r, 7, 0);
    must_open(&r);
    must_run(&r);
    read_values(&r, "hidden.W", large, 15);
    end_run(&r);
    for (i = 0; i < 15; ++i)
        assert_near(small[i], large[i], 1e-12);
}

/* Seven batches by four are two updates an epoch, the second of three. */
static void test_rest_of_an_epoch_is_an_update(void **state)
{
    run r;

    (void)state;
    start_run(&r, PLAIN "training: {stepper: {sgd: 0.1}, epochs: 2, "
                        "accumulate: 4}\n");
    open_model(&r, 1, 0);
    must_open(&r);
    assert_int_equal(nn_trainer_progress(r.trainer).updates_in_epoch, 2);
    assert_int_equal(nn_trainer_progress(r.trainer).total_updates, 4);
    must_run(&r);
    assert_int_equal(r.trainer->update, 4);
    assert_int_equal(r.trainer->passes, 14);
    end_run(&r);
}

static void test_updates_end_training_within_an_epoch(void **state)
{
    run r;

    (void)state;
    start_run(&r, PLAIN "training: {stepper: {sgd: 0.1}, updates: 4}\n");
    open_model(&r, 3, 0);
    must_open(&r);
    assert_int_equal(must_run(&r), NN_ENDED_EPOCHS);
    assert_int_equal(r.trainer->epoch, 1);
    assert_int_equal(r.trainer->update, 4);
    assert_int_equal(r.trainer->batch, 1);
    end_run(&r);
    start_run(&r, PLAIN "training: {stepper: {sgd: 0.1}, updates: 3}\n");
    open_model(&r, 3, 0);
    must_open(&r);
    must_run(&r);
    assert_int_equal(r.trainer->epoch, 1); /* the last one is whole */
    assert_false(isnan(last_loss(&r)));
    end_run(&r);
}

/* ---- which parameters --------------------------------------------------- */

/* What one update with gradient -1 everywhere adds to the first element of
 * the four parameters. */
static void changes(const char *training, double change[4])
{
    static const char *const names[] = {"hidden.W", "hidden.bias", "out.W",
                                        "out.bias"};
    double before[4];
    run r;
    int i;

    start_run(&r, training);
    open_model(&r, SAMPLES, 0);
    force_gradients(&r, -1);
    must_open(&r);
    for (i = 0; i < 4; ++i)
        read_values(&r, names[i], &before[i], 1);
    must_run(&r);
    for (i = 0; i < 4; ++i) {
        read_values(&r, names[i], &change[i], 1);
        change[i] -= before[i];
    }
    end_run(&r);
}

#define FORCED "  modifiers: [{l2: 0}]\n  epochs: 1\n"

static void test_last_override_that_matches_wins(void **state)
{
    double change[4];

    (void)state;
    changes(PLAIN "training:\n"
                  "  stepper: {sgd: 0.5}\n"
                  "  overrides:\n"
                  "    \"*.bias\": {learning_rate: 0.25}\n"
                  "    \"out.*\": {learning_rate: 0.125}\n" FORCED,
            change);
    assert_near(change[0], 0.5, 1e-12);
    assert_near(change[1], 0.25, 1e-12);
    assert_near(change[2], 0.125, 1e-12);
    assert_near(change[3], 0.125, 1e-12);
}

static void test_frozen_parameters_stay(void **state)
{
    double change[4];

    (void)state;
    changes(PLAIN "training:\n"
                  "  stepper: {momentum: {learning_rate: 0.5, decay: 1}}\n"
                  "  freeze: [\"hidden.*\"]\n" FORCED,
            change);
    assert_true(change[0] == 0 && change[1] == 0);
    assert_true(change[2] != 0 && change[3] != 0);
}

static void test_decay_passes_biases_by(void **state)
{
    double change[4];

    (void)state;
    /* A bias starts as 0: one that is 0.5 would show decay. */
    changes(INPUTS
            "network:\n"
            "  - fully_connected: {name: hidden, size: 5, initialize: "
            "{W: 1, bias: 1}}\n"
            "  - fully_connected: {name: out, size: 2, initialize: "
            "{W: 1, bias: 1}}\n"
            "  - squared_error: {from: {default: out, targets: t, "
            "mask: m}}\n"
            "training:\n"
            "  stepper: {sgd: {learning_rate: 0.5, decay: 0.5}}\n" FORCED,
            change);
    assert_near(change[0], 0.25, 1e-12);
    assert_near(change[1], 0.5, 1e-12);
    assert_near(change[2], 0.25, 1e-12);
    assert_near(change[3], 0.5, 1e-12);
}

static uint32_t runs_of(const char *text)
{
    uint32_t count;
    run r;

    start_run(&r, text);
    open_model(&r, SAMPLES, 0);
    must_open(&r);
    count = r.trainer->runs.count;
    end_run(&r);
    return count;
}

static void test_runs_are_as_long_as_they_can_be(void **state)
{
    (void)state;
    assert_int_equal(runs_of(PLAIN SGD), 1);
    assert_int_equal(runs_of(PLAIN SGD "  freeze: [hidden.bias]\n"), 2);
    assert_int_equal(runs_of(PLAIN SGD
                             "  overrides: {\"out.*\": {decay: 0}}\n"),
                     2);
    assert_int_equal(runs_of(PLAIN "training: {stepper: {sgd: "
                                   "{learning_rate: 1, decay: 1}}, "
                                   "epochs: 1}\n"),
                     4);
}

/* Adam changes nothing in the padding between parameters. */
static void test_padding_stays_zero(void **state)
{
    run r;
    size_t bytes;
    double *all;

    (void)state;
    train(&r, PLAIN "training: {stepper: {adam: {decay: 0.1}}, epochs: 4}\n", 3,
          NULL, NULL, 0);
    all = all_parameters(&r, &bytes);
    /* hidden.W has 15 elements and 1 of padding, hidden.bias 5 and 3. */
    assert_true(all[14] != 0);
    assert_true(all[15] == 0);
    assert_true(all[20] != 0 && all[21] == 0 && all[23] == 0);
    free(all);
    end_run(&r);
}

static void refused(const char *text, const char *id, const char *part)
{
    run r;

    start_run(&r, text);
    open_model(&r, 3, 0);
    assert_true(open_trainer(&r) < 0);
    assert_string_equal(nn_error_id(), id);
    if (!strstr(nn_error_text(), part))
        fail_msg("%s", nn_error_text());
    assert_null(r.trainer);
    end_run(&r);
}

static void test_a_pattern_that_names_nothing_is_an_error(void **state)
{
    (void)state;
    refused(PLAIN SGD "  freeze: [hiden.W]\n", "training.pattern",
            "did you mean 'hidden.W'?");
    refused(PLAIN SGD "  overrides: {\"in.*\": {decay: 1}}\n",
            "training.pattern", "overrides: no parameter");
    refused(PLAIN SGD "  modifiers: [{l2: {factor: 1, on: nothing}}]\n",
            "training.pattern", "modifier 'l2': no parameter");
    refused(PLAIN SGD "  modifiers: [{l2: {factor: 1, on: {a: b}}}]\n",
            "training.patterns", "a list of them");
}

/* ---- modifiers ---------------------------------------------------------- */

static void test_modifiers_change_what_they_are_pointed_at(void **state)
{
    double change[4];

    (void)state;
    changes(INPUTS
            "network:\n"
            "  - fully_connected: {name: hidden, size: 5, initialize: "
            "{W: 2}}\n"
            "  - fully_connected: {name: out, size: 2, initialize: "
            "{W: 2}}\n"
            "  - squared_error: {from: {default: out, targets: t, "
            "mask: m}}\n"
            "training:\n"
            "  stepper: {sgd: 1}\n"
            "  epochs: 1\n"
            "  modifiers: [{l2: 0}, {l2: {factor: 0.25, on: [out.*]}}]\n",
            change);
    assert_near(change[0], 1, 1e-12);
    assert_near(change[2], 0.5, 1e-12);
    assert_near(change[3], 1, 1e-12); /* l2 spares biases */
}

static void test_clipping_sees_one_norm_of_all(void **state)
{
    double change[4];
    double norm = sqrt(15 + 5 + 10 + 2);

    (void)state;
    changes(PLAIN "training:\n"
                  "  stepper: {sgd: 1}\n"
                  "  epochs: 1\n"
                  "  modifiers: [{l2: 0}, {clip_gradient_norm: 1}]\n",
            change);
    assert_near(change[0], 1 / norm, 1e-12);
    assert_near(change[3], 1 / norm, 1e-12);
}

/* What is frozen counts in no norm. */
static void test_modifiers_do_not_see_what_is_frozen(void **state)
{
    double change[4];

    (void)state;
    changes(PLAIN "training:\n"
                  "  stepper: {sgd: 1}\n"
                  "  epochs: 1\n"
                  "  freeze: [hidden.*]\n"
                  "  modifiers: [{l2: 0}, {clip_gradient_norm: 1}]\n",
            change);
    assert_near(change[2], 1 / sqrt(10 + 2), 1e-12);
}

static void test_update_with_such_a_gradient_is_not_made(void **state)
{
    double before[15];
    double after[15];
    run r;

    (void)state;
    start_run(&r, PLAIN "training:\n"
                        "  stepper: {adam: {}}\n"
                        "  epochs: 1\n"
                        "  modifiers: [{l2: 0}, {clip_gradient_norm: 1}]\n");
    open_model(&r, SAMPLES, 0);
    force_gradients(&r, NAN);
    must_open(&r);
    read_values(&r, "hidden.W", before, 15);
    assert_int_equal(nn_trainer_run(r.trainer, NULL), NN_NOT_FINITE);
    assert_non_null(strstr(nn_error_text(), "modifier 'clip_gradient_norm': "
                                            "gradient norm is nan before "
                                            "update 1"));
    read_values(&r, "hidden.W", after, 15);
    assert_memory_equal(before, after, sizeof before);
    assert_int_equal(r.trainer->update, 0);
    end_run(&r);
}

/* ---- creation ----------------------------------------------------------- */

static void test_what_can_be_checked_is_checked_before(void **state)
{
    double x[3] = {0};
    nn_host_array array = {sizeof array, "x", NN_FLOAT64, 3, {1, 1, 3}, x};
    nn_data *data;
    run r;

    (void)state;
    refused(PLAIN "training: {stepper: {sgd: 0.1}}\n", "training.no-end",
            "give 'epochs'");
    refused(PLAIN "training: {stepper: {sgd: {learning_rate: {linear: "
                  "{from: 1}}}}, hooks: "
                  "[progress]}\n",
            "schedule.length", "schedule 'linear' of stepper.learning_rate");
    refused(PLAIN, "training.no-section", "'training'");
    start_run(&r, PLAIN SGD);
    open_model(&r, 3, 0);
    assert_int_equal(nn_iterator_from_arrays(&array, 1, 1, 0, &data), 0);
    assert_int_equal(nn_trainer_create(r.model, data, NULL, &r.trainer),
                     NN_NOT_FOUND);
    assert_string_equal(nn_error_id(), "data.missing-field");
    nn_data_destroy(data);
    r.data->info.max_B = 8;
    assert_int_equal(open_trainer(&r), NN_SHAPE);
    assert_string_equal(nn_error_id(), "model.batch");
    end_run(&r);
}

static void test_narrow_field_for_a_wide_input_is_refused(void **state)
{
    float x[3] = {0};
    double t[2] = {0};
    nn_host_array arrays[] = {
        {sizeof *arrays, "x", NN_FLOAT32, 3, {1, 1, 3}, x},
        {sizeof *arrays, "t", NN_FLOAT64, 3, {1, 1, 2}, t},
        {sizeof *arrays, "m", NN_FLOAT64, 3, {1, 1, 1}, t}};
    nn_data *data;
    run r;

    (void)state;
    start_run(&r, PLAIN SGD);
    open_model(&r, 3, 0);
    assert_int_equal(nn_iterator_from_arrays(arrays, 3, 1, 0, &data), 0);
    assert_int_equal(nn_trainer_create(r.model, data, NULL, &r.trainer),
                     NN_SHAPE);
    assert_string_equal(nn_error_id(), "data.field");
    nn_data_destroy(data);
    end_run(&r);
}

static void test_model_without_gradients_is_refused(void **state)
{
    nn_model_options options = {.size = sizeof options};
    run r;

    (void)state;
    start_run(&r, PLAIN SGD);
    assert_int_equal(nn_model_create(r.config, &options, &r.model), 0);
    assert_int_equal(open_trainer(&r), NN_STATE);
    assert_string_equal(nn_error_id(), "training.inference");
    end_run(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_short_batch_counts_as_what_it_is),
        cmocka_unit_test(test_batch_without_weight_makes_no_update),
        cmocka_unit_test(test_epoch_without_weight_has_loss_zero),
        cmocka_unit_test(test_endless_training_without_weight_is_an_error),
        cmocka_unit_test(test_accumulated_batches_equal_one_large_batch),
        cmocka_unit_test(test_rest_of_an_epoch_is_an_update),
        cmocka_unit_test(test_updates_end_training_within_an_epoch),
        cmocka_unit_test(test_last_override_that_matches_wins),
        cmocka_unit_test(test_frozen_parameters_stay),
        cmocka_unit_test(test_decay_passes_biases_by),
        cmocka_unit_test(test_runs_are_as_long_as_they_can_be),
        cmocka_unit_test(test_padding_stays_zero),
        cmocka_unit_test(test_a_pattern_that_names_nothing_is_an_error),
        cmocka_unit_test(test_modifiers_change_what_they_are_pointed_at),
        cmocka_unit_test(test_clipping_sees_one_norm_of_all),
        cmocka_unit_test(test_modifiers_do_not_see_what_is_frozen),
        cmocka_unit_test(test_update_with_such_a_gradient_is_not_made),
        cmocka_unit_test(test_what_can_be_checked_is_checked_before),
        cmocka_unit_test(test_narrow_field_for_a_wide_input_is_refused),
        cmocka_unit_test(test_model_without_gradients_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
