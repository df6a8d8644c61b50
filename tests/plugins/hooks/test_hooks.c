/* SPDX-License-Identifier: MIT */
/* test_hooks.c - the hooks in a run that is only pretended. */
#include "tests/plugins/hooks/fake_run.h"

#include <nn/text.h>

extern const nn_plugin hook_progress_LTX_nn_plugin_v1;
extern const nn_plugin hook_monitor_loss_LTX_nn_plugin_v1;
extern const nn_plugin hook_monitor_scores_LTX_nn_plugin_v1;
extern const nn_plugin hook_save_best_LTX_nn_plugin_v1;
extern const nn_plugin hook_checkpoint_LTX_nn_plugin_v1;
extern const nn_plugin hook_early_stopping_LTX_nn_plugin_v1;
extern const nn_plugin hook_stop_on_nan_LTX_nn_plugin_v1;
extern const nn_plugin hook_save_log_LTX_nn_plugin_v1;
extern const nn_plugin hook_stop_below_LTX_nn_plugin_v1;

#define HOOK(name) (&hook_##name##_LTX_nn_plugin_v1)

static fake_run run;

/* ---- early_stopping ---------------------------------------------------- */

/* The epoch after which these values of the log stop training; 0: none. */
static int stops_after(const char *log, int64_t patience, const double *values,
                       int count)
{
    int i;

    run_init(&run, HOOK(early_stopping));
    fake_set_text(&run.given, "log", log);
    fake_set_int(&run.given, "patience", patience);
    for (i = 0; i < count; ++i) {
        int32_t code;

        run_add(&run.context, log, values[i]);
        code = run_epoch(&run, i + 1);
        assert_true(code == NN_HOOK_CONTINUE || code == NN_HOOK_STOP);
        if (code == NN_HOOK_STOP)
            return i + 1;
    }
    return 0;
}

static const double losses[] = {1.0, 0.9, 0.95, 0.96, 0.8};

static void stops_when_patience_epochs_passed(void **state)
{
    (void)state;
    assert_int_equal(stops_after("validation.loss", 2, losses, 5), 4);
    assert_string_equal(run.emitted,
                        "epoch 4: stopping, the best validation.loss 0.9 is 2 "
                        "values ago\n");
    assert_int_equal(stops_after("validation.loss", 1, losses, 5), 3);
    assert_int_equal(stops_after("validation.loss", 3, losses, 5), 0);
}

static void ties_are_no_improvement(void **state)
{
    static const double equal[] = {1, 1, 1, 1};

    (void)state;
    assert_int_equal(stops_after("validation.loss", 2, equal, 4), 3);
    assert_int_equal(stops_after("validation.accuracy", 2, equal, 4), 3);
}

static void nan_is_no_improvement(void **state)
{
    static const double values[] = {NAN, 0.9, NAN, NAN, 0.8};

    (void)state;
    assert_int_equal(stops_after("validation.loss", 2, values, 5), 4);
}

static void the_name_or_the_user_tells_the_direction(void **state)
{
    static const double rising[] = {0.1, 0.2, 0.3, 0.4};

    (void)state;
    assert_int_equal(stops_after("validation.accuracy", 1, rising, 4), 0);
    assert_int_equal(stops_after("accuracy.loss", 1, rising, 4), 2);
    assert_int_equal(stops_after("v.mean_squared_error", 1, rising, 4), 2);

    run_init(&run, HOOK(early_stopping));
    fake_set_text(&run.given, "log", "validation.wealth");
    assert_int_equal(run_epoch(&run, 1), NN_INVALID_ARGUMENT);
    assert_non_null(strstr(fake_text, "validation.wealth"));
    fake_set_int(&run.given, "criterion", 1); /* max */
    run_add(&run.context, "validation.wealth", 1);
    run_epoch(&run, 1);
    run_add(&run.context, "validation.wealth", 2);
    assert_int_equal(run_epoch(&run, 2), NN_HOOK_CONTINUE);
    fake_set_int(&run.given, "criterion", 2); /* min */
    run_add(&run.context, "validation.wealth", 3);
    assert_int_equal(run_epoch(&run, 3), NN_HOOK_STOP);
}

/* A monitor that writes every second epoch does not double the patience. */
static void only_new_values_count(void **state)
{
    (void)state;
    run_init(&run, HOOK(early_stopping));
    fake_set_text(&run.given, "log", "validation.loss");
    run_add(&run.context, "validation.loss", 1);
    assert_int_equal(run_epoch(&run, 1), NN_HOOK_CONTINUE);
    assert_int_equal(run_epoch(&run, 2), NN_HOOK_CONTINUE);
    run_add(&run.context, "validation.loss", 2);
    assert_int_equal(run_epoch(&run, 3), NN_HOOK_STOP);
}

static void a_log_that_never_was_is_reported(void **state)
{
    const nn_plugin *const watchers[] = {HOOK(early_stopping), HOOK(save_best)};
    int i;

    (void)state;
    for (i = 0; i < 2; ++i) {
        run_init(&run, watchers[i]);
        fake_set_text(&run.given, "log", "validaton.loss");
        assert_int_equal(run_epoch(&run, 1), NN_HOOK_CONTINUE);
        assert_int_equal(fake_warnings, 0);
        assert_int_equal(run_call(&run, NN_AT_END), NN_HOOK_CONTINUE);
        assert_int_equal(fake_warnings, 1);
    }
}

/* ---- save_best --------------------------------------------------------- */

static void save_best_saves_at_the_best_epoch_only(void **state)
{
    static const int wanted[] = {1, 2, 2, 2, 3};
    int i;

    (void)state;
    run_init(&run, HOOK(save_best));
    fake_set_text(&run.given, "log", "validation.loss");
    for (i = 0; i < 5; ++i) {
        run_add(&run.context, "validation.loss", losses[i]);
        assert_int_equal(run_epoch(&run, i + 1), NN_HOOK_CONTINUE);
        assert_int_equal(run.saves, wanted[i]);
    }
    assert_string_equal(run.path, "best.nn");
    assert_true(run.saved_best == 0.8);
    assert_non_null(strstr(run.emitted, "epoch 5: validation.loss 0.8 is the "
                                        "best so far, saved as best.nn\n"));
}

static void save_best_passes_ties_and_nan_by(void **state)
{
    static const double values[] = {NAN, 0.5, 0.5, NAN, 0.6};
    static const int wanted[] = {0, 1, 1, 1, 2};
    int i;

    (void)state;
    run_init(&run, HOOK(save_best));
    fake_set_text(&run.given, "log", "validation.accuracy");
    fake_set_text(&run.given, "path", "top.nn");
    for (i = 0; i < 5; ++i) {
        run_add(&run.context, "validation.accuracy", values[i]);
        assert_int_equal(run_epoch(&run, i + 1), NN_HOOK_CONTINUE);
        assert_int_equal(run.saves, wanted[i]);
    }
    assert_string_equal(run.path, "top.nn");
}

static void save_best_forgets_what_it_could_not_save(void **state)
{
    (void)state;
    run_init(&run, HOOK(save_best));
    fake_set_text(&run.given, "log", "validation.loss");
    run_add(&run.context, "validation.loss", 0.5);
    run.save_code = NN_IO;
    assert_int_equal(run_epoch(&run, 1), NN_IO);
    run.save_code = NN_OK;
    assert_int_equal(run_epoch(&run, 2), NN_HOOK_CONTINUE);
    assert_int_equal(run.saves, 1);
}

/* ---- checkpoint -------------------------------------------------------- */

static void checkpoint_saves_each_time_and_at_the_end(void **state)
{
    (void)state;
    run_init(&run, HOOK(checkpoint));
    run_epoch(&run, 2);
    run_epoch(&run, 4);
    assert_int_equal(run.saves, 2);
    assert_string_equal(run.path, "checkpoint.nn");
    run_call(&run, NN_AT_END); /* nothing new */
    assert_int_equal(run.saves, 2);
    run.context.progress.update = 22;
    run_call(&run, NN_AT_END);
    assert_int_equal(run.saves, 3);
}

static void checkpoint_keeps_the_last_good_one(void **state)
{
    (void)state;
    run_init(&run, HOOK(checkpoint));
    run_call(&run, NN_AT_END); /* no update was made */
    run.context.progress.update = 3;
    run.not_finite = "hidden.W";
    run_call(&run, NN_AT_END);
    assert_int_equal(run.saves, 0);
}

static void checkpoint_reports_a_failure(void **state)
{
    (void)state;
    run_init(&run, HOOK(checkpoint));
    run.save_code = NN_IO;
    assert_int_equal(run_epoch(&run, 1), NN_IO);
}

/* ---- stop_on_nan ------------------------------------------------------- */

static void stop_on_nan_checks_the_loss_of_each_batch(void **state)
{
    (void)state;
    run_init(&run, HOOK(stop_on_nan));
    assert_int_equal(run_update(&run, 1), NN_HOOK_CONTINUE);
    run.context.loss = NAN;
    assert_int_equal(run_update(&run, 2), NN_NOT_FINITE);
    assert_string_equal(fake_text, "loss is nan after update 2");
    fake_clear();
    run.context.loss = -INFINITY;
    assert_int_equal(run_update(&run, 3), NN_NOT_FINITE);
    assert_string_equal(fake_text, "loss is inf after update 3");
}

static void stop_on_nan_checks_the_epoch(void **state)
{
    (void)state;
    run_init(&run, HOOK(stop_on_nan));
    assert_int_equal(run_epoch(&run, 1), NN_HOOK_CONTINUE);
    run.not_finite = "hidden.W";
    assert_int_equal(run_epoch(&run, 2), NN_NOT_FINITE);
    assert_string_equal(fake_text,
                        "parameter hidden.W is not finite after update 10");
    fake_set_int(&run.given, "parameters", 0);
    assert_int_equal(run_epoch(&run, 2), NN_HOOK_CONTINUE);
    run_add(&run.context, "training.loss", NAN);
    assert_int_equal(run_epoch(&run, 3), NN_NOT_FINITE);
}

/* ---- monitors, progress ------------------------------------------------ */

static void monitor_loss_logs_and_tells(void **state)
{
    (void)state;
    run_init(&run, HOOK(monitor_loss));
    run.evaluation = 0.31;
    run_add(&run.context, "training.loss", 0.2);
    run_add(&run.context, "validation2.loss", 0.2);
    assert_int_equal(run_epoch(&run, 3), NN_HOOK_CONTINUE);
    assert_string_equal(run.emitted, "epoch 3: validation.loss 0.31\n");
    assert_null(run.scorers);
    assert_int_equal(run_update(&run, 17), NN_HOOK_CONTINUE);
    assert_non_null(strstr(run.emitted, "update 17: validation.loss 0.31\n"));
    fake_set_text(&run.given, "data", "absent");
    assert_int_equal(run_epoch(&run, 4), NN_NOT_FOUND);
}

static void monitor_scores_hands_its_scorers_over(void **state)
{
    static const nn_value accuracy = {.type = NN_PARAM_COMPONENT,
                                      .text = "accuracy"};
    static const nn_value *const items[] = {&accuracy};
    nn_value *scorers;

    (void)state;
    run_init(&run, HOOK(monitor_scores));
    run.evaluation = 1e-7;
    scorers = fake_given(&run.given, "scorers");
    scorers->count = 1;
    scorers->items = items;
    assert_int_equal(run_epoch(&run, 3), NN_HOOK_CONTINUE);
    assert_string_equal(
        run.emitted,
        "epoch 3: validation.loss 1e-07 validation.accuracy 0.8893\n");
    assert_ptr_equal(run.scorers, scorers);
}

static void a_long_line_goes_on_in_the_next(void **state)
{
    char name[120];
    const char *line;
    int i;

    (void)state;
    run_init(&run, HOOK(monitor_loss));
    for (i = 0; i < 30; ++i) {
        snprintf(name, sizeof name, "validation.%080d", i);
        run_add(&run.context, name, i);
    }
    assert_int_equal(run_epoch(&run, 1), NN_HOOK_CONTINUE);
    for (i = 0; i < 30; ++i) {
        snprintf(name, sizeof name, "%080d %d", i, i);
        assert_non_null(strstr(run.emitted, name));
    }
    for (line = run.emitted; *line; line = strchr(line, '\n') + 1)
        assert_memory_equal(line, "epoch 1: validation.", 20);
}

static void progress_shows_and_tells(void **state)
{
    (void)state;
    run_init(&run, HOOK(progress));
    run_update(&run, 1);
    assert_int_equal(run.shown, 1);
    assert_string_equal(run.emitted, "");
    run_epoch(&run, 3);
    assert_string_equal(run.emitted, "epoch 3/10: loss 0.5, 12.5 s\n");
    run_add(&run.context, "training.loss", 0.31234);
    run.context.progress.total_epochs = -1;
    run_epoch(&run, 4);
    assert_non_null(strstr(run.emitted, "epoch 4: loss 0.3123, 12.5 s\n"));
}

/* ---- save_log ---------------------------------------------------------- */

static void save_log_writes_a_line_of_json(void **state)
{
    (void)state;
    run_init(&run, HOOK(save_log));
    run_add(&run.context, "training.loss", 0.1);
    run_add(&run.context, "validation.loss", 1.0 / 3);
    run_epoch(&run, 1);
    assert_string_equal(run.file, "{\"epoch\": 1, \"update\": 5, "
                                  "\"training.loss\": 0.1, "
                                  "\"validation.loss\": 0.3333333333333333}\n");
    assert_string_equal(run.path, "metrics.jsonl");
    run_epoch(&run, 2); /* nothing new */
    assert_int_equal(run.appends, 1);
    run.file[0] = '\0';
    run_add(&run.context, "training.loss", 0.05);
    run_epoch(&run, 3);
    assert_string_equal(run.file, "{\"epoch\": 3, \"update\": 15, "
                                  "\"training.loss\": 0.05}\n");
}

static void save_log_adds_the_loss_of_an_update(void **state)
{
    (void)state;
    run_init(&run, HOOK(save_log));
    run_update(&run, 7);
    assert_string_equal(run.file,
                        "{\"epoch\": 1, \"update\": 7, \"loss\": 0.5}\n");
}

static void save_log_quotes_what_json_lacks(void **state)
{
    (void)state;
    run_init(&run, HOOK(save_log));
    run_add(&run.context, "a\"b\\c\n", NAN);
    run_add(&run.context, "up", INFINITY);
    run_add(&run.context, "down", -INFINITY);
    run_epoch(&run, 1);
    assert_string_equal(run.file,
                        "{\"epoch\": 1, \"update\": 5, "
                        "\"a\\\"b\\\\c\\u000a\": \"nan\", \"up\": \"inf\", "
                        "\"down\": \"-inf\"}\n");
}

static void save_log_writes_long_lines_in_parts(void **state)
{
    char name[700];
    int i;

    (void)state;
    run_init(&run, HOOK(save_log));
    for (i = 0; i < 20; ++i) {
        snprintf(name, sizeof name, "%0600d", i);
        run_add(&run.context, name, i);
    }
    assert_int_equal(run_epoch(&run, 1), NN_HOOK_CONTINUE);
    assert_int_equal(run.appends, 2);
    assert_int_equal(strlen(run.file), 24 + 20 * 606 + 10 * 1 + 10 * 2 + 2);
    assert_ptr_equal(strchr(run.file, '\n'), run.file + strlen(run.file) - 1);
}

static void save_log_reports_failures(void **state)
{
    static char name[1500];

    (void)state;
    run_init(&run, HOOK(save_log));
    run_add(&run.context, "training.loss", 1);
    run.append_code = NN_IO;
    assert_int_equal(run_epoch(&run, 1), NN_IO);
    run_init(&run, HOOK(save_log));
    memset(name, 'x', sizeof name - 1);
    run_add(&run.context, name, 1);
    run_add(&run.context, "training.loss", 1);
    assert_int_equal(run_epoch(&run, 1), NN_UNSUPPORTED);
}

/* ---- text, template ---------------------------------------------------- */

static const char *written(double value, int digits)
{
    static char bytes[64];
    nn_text text = nn_text_in(bytes, sizeof bytes);

    nn_text_add_real(&text, value, digits);
    assert_false(text.full);
    return bytes;
}

static void numbers_read_back_as_they_were(void **state)
{
    static const double values[] = {0.1,
                                    1.0 / 3,
                                    5e-324,
                                    1e300,
                                    -0.0,
                                    123456789012345678.0,
                                    1.7976931348623157e308,
                                    2.5};
    size_t i;

    (void)state;
    for (i = 0; i < sizeof values / sizeof *values; ++i) {
        const double back = strtod(written(values[i], 0), NULL);

        assert_memory_equal(&back, &values[i], sizeof back);
    }
    assert_string_equal(written(0.1, 0), "0.1");
    assert_string_equal(written(-NAN, 0), "nan");
    assert_string_equal(written(0.88931, 4), "0.8893");
}

/* Whatever the locale's decimal point is, of one byte or of two. */
static void a_point_is_a_point(void **state)
{
    char comma[] = "-0,25e-07";
    char arabic[] = "1\xd9\xab"
                    "5";

    (void)state;
    nn_text_point(comma);
    assert_string_equal(comma, "-0.25e-07");
    nn_text_point(arabic);
    assert_string_equal(arabic, "1.5");
}

static void what_does_not_fit_is_left_out(void **state)
{
    char bytes[6];
    nn_text text = nn_text_in(bytes, sizeof bytes);

    (void)state;
    nn_text_add(&text, "abc");
    assert_false(text.full);
    nn_text_add(&text, "def");
    assert_true(text.full);
    assert_string_equal(bytes, "abc");
    nn_text_add(&text, "de");
    assert_string_equal(bytes, "abcde");
}

static void the_template_stops_below_its_threshold(void **state)
{
    run_init(&run, &hook_stop_below_LTX_nn_plugin_v1);
    (void)state;
    fake_set_real(&run.given, "threshold", 0.05);
    assert_int_equal(run_epoch(&run, 1), NN_HOOK_CONTINUE);
    run_add(&run.context, "training.loss", 0.06);
    assert_int_equal(run_epoch(&run, 2), NN_HOOK_CONTINUE);
    run_add(&run.context, "training.loss", 0.05);
    assert_int_equal(run_epoch(&run, 3), NN_HOOK_STOP);
    assert_string_equal(run.emitted,
                        "stop_below: reached 0.05 after 3 calls\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stops_when_patience_epochs_passed),
        cmocka_unit_test(ties_are_no_improvement),
        cmocka_unit_test(nan_is_no_improvement),
        cmocka_unit_test(the_name_or_the_user_tells_the_direction),
        cmocka_unit_test(only_new_values_count),
        cmocka_unit_test(a_log_that_never_was_is_reported),
        cmocka_unit_test(save_best_saves_at_the_best_epoch_only),
        cmocka_unit_test(save_best_passes_ties_and_nan_by),
        cmocka_unit_test(save_best_forgets_what_it_could_not_save),
        cmocka_unit_test(checkpoint_saves_each_time_and_at_the_end),
        cmocka_unit_test(checkpoint_keeps_the_last_good_one),
        cmocka_unit_test(checkpoint_reports_a_failure),
        cmocka_unit_test(stop_on_nan_checks_the_loss_of_each_batch),
        cmocka_unit_test(stop_on_nan_checks_the_epoch),
        cmocka_unit_test(monitor_loss_logs_and_tells),
        cmocka_unit_test(monitor_scores_hands_its_scorers_over),
        cmocka_unit_test(a_long_line_goes_on_in_the_next),
        cmocka_unit_test(progress_shows_and_tells),
        cmocka_unit_test(save_log_writes_a_line_of_json),
        cmocka_unit_test(save_log_adds_the_loss_of_an_update),
        cmocka_unit_test(save_log_quotes_what_json_lacks),
        cmocka_unit_test(save_log_writes_long_lines_in_parts),
        cmocka_unit_test(save_log_reports_failures),
        cmocka_unit_test(numbers_read_back_as_they_were),
        cmocka_unit_test(a_point_is_a_point),
        cmocka_unit_test(what_does_not_fit_is_left_out),
        cmocka_unit_test(the_template_stops_below_its_threshold),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
