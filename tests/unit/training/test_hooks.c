/* SPDX-License-Identifier: MIT */
/* test_hooks.c - which hooks are called when, what they can do, and how their
 * errors end training. */
#include "tests/unit/training/training.h"

#define STEPPER "training:\n  stepper: {sgd: {learning_rate: 0.1}}\n"

/* The calls that spies saw: "S", "U1", "E1", "X" for the end. */
static char calls[1000];

static int32_t note(const nn_hook_context *context)
{
    size_t used = strlen(calls);
    char *to = calls + used;
    size_t room = sizeof calls - used;

    if (context->when == NN_AT_START)
        snprintf(to, room, "S ");
    else if (context->when == NN_AT_UPDATE)
        snprintf(to, room, "U%d ", (int)context->progress.update);
    else if (context->when == NN_AT_EPOCH)
        snprintf(to, room, "E%d ", (int)context->progress.epoch);
    else
        snprintf(to, room, "X");
    return NN_HOOK_CONTINUE;
}

/* The calls of one hook with KEYS and EVENTS in two epochs of three updates. */
static const char *calls_with(const char *keys, uint32_t events)
{
    nn_text text = {0};
    run r;

    nn_text_format(&text,
                   PLAIN STEPPER "  epochs: 2\n"
                                 "  hooks: [{progress: {name: spy%s}}]\n",
                   keys);
    start_run(&r, nn_text_string(&text));
    nn_text_finish(&text);
    open_model(&r, 3, 0);
    calls[0] = '\0';
    place_spies(&r, note);
    spy_interface.events = events;
    must_open(&r);
    must_run(&r);
    spy_interface.events = NN_AT_START | NN_AT_UPDATE | NN_AT_EPOCH | NN_AT_END;
    end_run(&r);
    return calls;
}

static void test_timescale_and_interval(void **state)
{
    const uint32_t all = NN_AT_START | NN_AT_UPDATE | NN_AT_EPOCH | NN_AT_END;

    (void)state;
    assert_string_equal(calls_with("", all), "S E1 E2 X");
    assert_string_equal(calls_with(", timescale: update", all),
                        "S U1 U2 U3 U4 U5 U6 X");
    assert_string_equal(calls_with(", timescale: update, interval: 2", all),
                        "S U2 U4 U6 X");
    assert_string_equal(calls_with(", interval: 2", all), "S E2 X");
    assert_string_equal(calls_with("", NN_AT_UPDATE), "U1 U2 U3 U4 U5 U6 ");
    assert_string_equal(calls_with("", NN_AT_END), "X");
}

static void test_always_gets_updates_and_epochs(void **state)
{
    const uint32_t all = NN_AT_UPDATE | NN_AT_EPOCH | NN_AT_ALWAYS;

    (void)state;
    assert_string_equal(calls_with("", all), "U1 U2 U3 E1 U4 U5 U6 E2 ");
    assert_string_equal(calls_with(", timescale: update, interval: 3", all),
                        "U3 E1 U6 E2 ");
    assert_string_equal(calls_with(", interval: 2", all),
                        "U1 U2 U3 U4 U5 U6 E2 ");
}

/* A trainer for TEXT is refused with a message that holds PART. */
static void refused(const char *text, const char *part)
{
    run r;

    start_run(&r, text);
    open_model(&r, 3, 0);
    place_spies(&r, note);
    spy_interface.events = NN_AT_EPOCH;
    assert_true(open_trainer(&r) < 0);
    spy_interface.events = NN_AT_START | NN_AT_UPDATE | NN_AT_EPOCH | NN_AT_END;
    if (!strstr(nn_error_text(), part))
        fail_msg("%s", nn_error_text());
    end_run(&r);
}

static void test_hooks_are_checked_before_the_run(void **state)
{
    (void)state;
    refused(PLAIN STEPPER "  epochs: 1\n  hooks: [{progress: {name: spy, "
                          "timescale: update}}]\n",
            "hook 'spy': it is not called after an update");
    refused(PLAIN STEPPER "  epochs: 1\n  hooks: [{progress: {output: a.txt}}]"
                          "\n",
            "hook 'progress': its output is the file 'a.txt', but the run has "
            "no folder");
    refused(PLAIN STEPPER "  epochs: 1\n  hooks: [{save_best: foo.bar}]\n",
            "hook 'save_best': save_best: the name of log foo.bar does not "
            "tell");
}

/* ---- the end of training ------------------------------------------------ */

static int32_t misbehave(const nn_hook_context *context)
{
    note(context);
    if (context->when != NN_AT_UPDATE || context->progress.update != 2)
        return NN_HOOK_CONTINUE;
    if (!strcmp(context->name, "spy_stop"))
        return NN_HOOK_STOP;
    if (!strcmp(context->name, "spy_quiet"))
        return NN_DEVICE;
    return nn_fail(context->host, NN_IO, "test.io", "no more paper");
}

static int32_t run_with(const char *name, int32_t *ended)
{
    nn_text text = {0};
    int32_t code;
    run r;

    nn_text_format(&text,
                   PLAIN STEPPER "  epochs: 2\n"
                                 "  hooks: [{progress: {name: %s, timescale: "
                                 "update}}]\n",
                   name);
    start_run(&r, nn_text_string(&text));
    nn_text_finish(&text);
    open_model(&r, 3, 0);
    calls[0] = '\0';
    place_spies(&r, misbehave);
    r.options.out = in_folder("out");
    must_open(&r);
    code = nn_trainer_run(r.trainer, ended);
    nn_trainer_destroy(r.trainer); /* keeps the message */
    nn_data_destroy(r.data);
    nn_model_destroy(r.model);
    nn_config_destroy(r.config);
    return code;
}

static void test_hook_can_end_training(void **state)
{
    int32_t ended = -1;

    (void)state;
    assert_int_equal(run_with("spy_stop", &ended), 0);
    assert_int_equal(ended, NN_ENDED_HOOK);
    assert_string_equal(calls, "S U1 U2 X");
    assert_int_equal(access(in_folder("out/checkpoint.nn"), R_OK), 0);
}

/* The hooks of the end are called all the same, the message is the first
 * one's, and there is no checkpoint of such an end. */
static void test_error_of_a_hook_ends_training_with_its_name(void **state)
{
    int32_t ended = -1;

    (void)state;
    assert_int_equal(run_with("spy_loud", &ended), NN_IO);
    assert_string_equal(nn_error_text(), "hook 'spy_loud': no more paper");
    assert_string_equal(nn_error_id(), "test.io");
    assert_int_equal(ended, -1);
    assert_string_equal(calls, "S U1 U2 X");
    assert_int_not_equal(access(in_folder("out/checkpoint.nn"), F_OK), 0);
    assert_int_equal(run_with("spy_quiet", &ended), NN_DEVICE);
    assert_non_null(strstr(nn_error_text(), "hook 'spy_quiet': it failed"));
}

static void test_nan_ends_training_where_a_hook_looks(void **state)
{
    run r;

    (void)state;
    start_run(&r, PLAIN STEPPER "  epochs: 2\n  hooks: [stop_on_nan]\n");
    r.x[4][0] = NAN;
    open_model(&r, 3, 0);
    r.options.out = in_folder("out");
    must_open(&r);
    assert_int_equal(nn_trainer_run(r.trainer, NULL), NN_NOT_FINITE);
    assert_string_equal(nn_error_text(),
                        "hook 'stop_on_nan': loss is nan after update 2");
    end_run(&r);
}

/* Without the hook training goes on, and its end is not saved. */
static void test_nan_goes_on_where_no_hook_looks(void **state)
{
    run r;

    (void)state;
    start_run(&r, PLAIN STEPPER "  epochs: 2\n");
    r.x[4][0] = NAN;
    open_model(&r, 3, 0);
    r.options.out = in_folder("out");
    must_open(&r);
    assert_int_equal(must_run(&r), NN_ENDED_EPOCHS);
    assert_int_equal(r.trainer->update, 6);
    assert_true(isnan(nn_trainer_log(r.trainer, "training.loss")));
    assert_int_not_equal(access(in_folder("out/checkpoint.nn"), F_OK), 0);
    end_run(&r);
}

/* ---- what a context offers ---------------------------------------------- */

static run *watched;

static int32_t look_around(const nn_hook_context *context)
{
    const char *name = NULL;
    int64_t count = -1;

    if (context->when != NN_AT_EPOCH || context->progress.epoch != 1)
        return NN_HOOK_CONTINUE;
    assert_int_equal(context->batches, 0);
    assert_int_equal(context->progress.total_updates, 6);
    assert_true(isfinite(context->loss));
    assert_true(isfinite(context->log_last(context, "training.loss", &count)));
    assert_int_equal(count, 1);
    assert_true(isnan(context->log_at(context, "training.loss", 1)));
    assert_true(isnan(context->log_last(context, "no.log", &count)));
    assert_int_equal(count, 0);
    assert_int_equal(context->log(context, "my.log", 3), 0);
    assert_near(context->log_at(context, "my.log", 0), 3, 0);
    assert_true(isnan(context->recall(context, "key")));
    assert_int_equal(context->remember(context, "key", 5), 0);
    assert_near(context->recall(context, "key"), 5, 0);
    assert_int_equal(context->all_finite(context, "parameters", &name), 1);
    assert_int_equal(context->all_finite(context, "gradients", &name), 1);
    assert_int_equal(context->all_finite(context, "weather", &name),
                     NN_INVALID_ARGUMENT);
    nn_error_clear();
    assert_int_equal(context->tune(context, "stepper.learning_rat", 1),
                     NN_NOT_FOUND);
    assert_non_null(strstr(nn_error_text(), "'stepper.learning_rate'?"));
    nn_error_clear();
    assert_int_equal(context->tune(context, "stepper.learning_rate", -1),
                     NN_INVALID_ARGUMENT);
    nn_error_clear();
    assert_int_equal(context->tune(context, "stepper.learning_rate", 0), 0);
    read_values(watched, "out.W", (double[10]){0}, 10);
    return NN_HOOK_CONTINUE;
}

static void test_context_does_what_it_says(void **state)
{
    double before[10];
    double after[10];
    run r;

    (void)state;
    start_run(&r, PLAIN STEPPER "  epochs: 2\n  hooks: [{progress: {name: "
                                "spy}}]\n");
    open_model(&r, 3, 0);
    place_spies(&r, look_around);
    watched = &r;
    r.options.epochs = 1;
    must_open(&r);
    r.trainer->epochs = 2;
    read_values(&r, "out.W", before, 10);
    must_run(&r);
    assert_near(nn_trainer_log(r.trainer, "my.log"), 3, 0);
    read_values(&r, "out.W", after, 10);
    assert_true(memcmp(before, after, sizeof before) != 0);
    end_run(&r);
}

static int32_t leave(const nn_hook_context *context)
{
    static const char *const outside[] = {"../a", "/tmp/a", "b/../../a", ""};
    size_t i;

    if (context->when != NN_AT_START)
        return NN_HOOK_CONTINUE;
    for (i = 0; i < sizeof outside / sizeof *outside; ++i) {
        assert_int_equal(context->save(context, outside[i]),
                         NN_INVALID_ARGUMENT);
        nn_error_clear();
        assert_int_equal(context->append(context, outside[i], "x", 1),
                         NN_INVALID_ARGUMENT);
        nn_error_clear();
    }
    assert_int_equal(context->append(context, "..a", "x", 1), 0);
    return context->save(context, "mine.nn");
}

static void test_files_stay_in_the_folder(void **state)
{
    run r;

    (void)state;
    start_run(&r, PLAIN STEPPER "  epochs: 1\n  hooks: [{progress: {name: "
                                "spy}}]\n");
    open_model(&r, 3, 0);
    place_spies(&r, leave);
    r.options.out = in_folder("out");
    must_open(&r);
    must_run(&r);
    assert_int_equal(access(in_folder("out/mine.nn"), R_OK), 0);
    assert_int_equal(access(in_folder("out/config.resolved.yaml"), R_OK), 0);
    end_run(&r);
}

/* ---- evaluation --------------------------------------------------------- */

static void test_evaluation_does_not_disturb_training(void **state)
{
    static const char quiet[] = NETWORK STEPPER "  epochs: 2\n";
    static const char watchful[] = NETWORK STEPPER
        "  epochs: 2\n"
        "  hooks:\n"
        "    - monitor_scores: {scorers: [hamming, "
        "mean_squared_error], data: train, timescale: update}"
        "\n"
        "    - monitor_loss: {data: other}\n";
    nn_data *other;
    nn_host_array arrays[3];
    run a;
    run b;

    (void)state;
    train(&a, quiet, 3, NULL, NULL, 0);
    start_run(&b, watchful);
    open_model(&b, 3, 1);
    arrays[0] = (nn_host_array){sizeof *arrays,  "x", NN_FLOAT64, 3,
                                {1, SAMPLES, 3}, b.x};
    arrays[1] = (nn_host_array){sizeof *arrays,  "t", NN_FLOAT64, 3,
                                {1, SAMPLES, 2}, b.t};
    arrays[2] = (nn_host_array){sizeof *arrays,  "m", NN_FLOAT64, 3,
                                {1, SAMPLES, 1}, b.m};
    assert_int_equal(nn_iterator_from_arrays(arrays, 3, 2, 0, &other), 0);
    must_open(&b);
    assert_int_equal(nn_trainer_add_data(b.trainer, "other", other), 0);
    must_run(&b);
    assert_true(same_parameters(&a, &b));
    assert_near(nn_trainer_log(a.trainer, "training.loss"),
                nn_trainer_log(b.trainer, "training.loss"), 0);
    assert_int_equal(nn_logs_find(&b.trainer->logs, "train.loss")->count, 6);
    assert_int_equal(nn_logs_find(&b.trainer->logs, "other.loss")->count, 2);
    assert_near(nn_trainer_log(b.trainer, "train.loss"),
                nn_trainer_log(b.trainer, "other.loss"), 1e-14);
    /* half the sum over two columns */
    assert_near(nn_trainer_log(b.trainer, "train.mean_squared_error"),
                nn_trainer_log(b.trainer, "train.loss"), 1e-14);
    end_run(&a);
    end_run(&b);
    nn_data_destroy(other);
}

static void test_unknown_data_end_training(void **state)
{
    run r;

    (void)state;
    start_run(&r, PLAIN STEPPER "  epochs: 1\n  hooks: [monitor_loss]\n");
    open_model(&r, 3, 0);
    must_open(&r);
    assert_int_equal(nn_trainer_run(r.trainer, NULL), NN_NOT_FOUND);
    assert_non_null(strstr(nn_error_text(), "hook 'monitor_loss': "));
    assert_non_null(strstr(nn_error_text(), "validation"));
    end_run(&r);
}

/* ---- display ------------------------------------------------------------ */

static char emitted[2000];
static int shown;
static nn_trainer_status last_status;

static void take_text(void *self, const char *text)
{
    assert_ptr_equal(self, &shown);
    strncat(emitted, text, sizeof emitted - strlen(emitted) - 1);
}

static void take_status(void *self, const nn_trainer_status *status)
{
    assert_ptr_equal(self, &shown);
    ++shown;
    last_status = *status;
}

static void test_program_gets_text_and_progress(void **state)
{
    run r;

    (void)state;
    start_run(&r, PLAIN STEPPER "  epochs: 2\n  hooks: [progress, "
                                "{monitor_loss: {data: train, output: "
                                "a.txt}}]\n");
    open_model(&r, 3, 0);
    r.options.emit = take_text;
    r.options.progress = take_status;
    r.options.self = &shown;
    r.options.out = in_folder("out");
    must_open(&r);
    must_run(&r);
    assert_non_null(strstr(emitted, "epoch 1/2: loss "));
    assert_non_null(strstr(emitted, "epoch 2/2: loss "));
    assert_null(strstr(emitted, "train.loss"));
    assert_int_equal(shown, 14); /* 6 updates, 8 calls of the hook */
    assert_int_equal(last_status.epoch, 2);
    assert_int_equal(last_status.epochs, 2);
    assert_int_equal(last_status.update, 6);
    assert_int_equal(last_status.samples, 14);
    assert_int_equal(last_status.batches, 3);
    assert_true(last_status.seconds >= 0 && last_status.seconds < 60);
    end_run(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_timescale_and_interval),
        cmocka_unit_test(test_always_gets_updates_and_epochs),
        cmocka_unit_test(test_hooks_are_checked_before_the_run),
        cmocka_unit_test_setup_teardown(test_hook_can_end_training, make_folder,
                                        remove_folder),
        cmocka_unit_test_setup_teardown(
            test_error_of_a_hook_ends_training_with_its_name, make_folder,
            remove_folder),
        cmocka_unit_test_setup_teardown(
            test_nan_ends_training_where_a_hook_looks, make_folder,
            remove_folder),
        cmocka_unit_test_setup_teardown(test_nan_goes_on_where_no_hook_looks,
                                        make_folder, remove_folder),
        cmocka_unit_test(test_context_does_what_it_says),
        cmocka_unit_test_setup_teardown(test_files_stay_in_the_folder,
                                        make_folder, remove_folder),
        cmocka_unit_test(test_evaluation_does_not_disturb_training),
        cmocka_unit_test(test_unknown_data_end_training),
        cmocka_unit_test_setup_teardown(test_program_gets_text_and_progress,
                                        make_folder, remove_folder),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
