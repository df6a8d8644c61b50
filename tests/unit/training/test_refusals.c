/* SPDX-License-Identifier: MIT */
/* test_refusals.c - what a run cannot go on from is told with its reason, and
 * changes nothing. */
#include "tests/unit/training/training.h"

/* Resuming TEXT from cut.nn is refused with ID and changes no parameter. */
static void refused(const char *text, const char *file, const char *id,
                    const char *part)
{
    size_t bytes;
    double *before;
    double *after;
    run r;

    start_run(&r, text);
    open_model(&r, 3, 1);
    before = all_parameters(&r, &bytes);
    r.options.resume = in_folder(file);
    assert_true(open_trainer(&r) < 0);
    if (strcmp(nn_error_id(), id) || !strstr(nn_error_text(), part))
        fail_msg("%s: %s", nn_error_id(), nn_error_text());
    after = all_parameters(&r, &bytes);
    assert_memory_equal(before, after, bytes);
    free(before);
    free(after);
    end_run(&r);
}

#define ONE "training: {stepper: {sgd: {learning_rate: 0.1}}, epochs: 1}\n"

static void test_another_run_is_refused_and_says_why(void **state)
{
    run r;

    (void)state;
    train(&r, PLAIN "training: {stepper: {momentum: 0.1}, epochs: 1}\n", 3,
          in_folder("one"), NULL, 0);
    assert_int_equal(nn_model_save(r.model, in_folder("model.nn")), 0);
    end_run(&r);
    refused(PLAIN ONE, "one", "resume.stepper",
            "stepper 'momentum', the run has 'sgd'");
    refused(PLAIN ONE, "model.nn", "resume.no-training", "a model alone");
    refused(PLAIN ONE, "nothing.nn", "file.failed", "nothing.nn");
    refused("nervenet: 1\nhandler: reference\ndtype: float64\n"
            "inputs: {x: [3], t: [2], m: [1]}\nnetwork:\n"
            "  - fully_connected: {name: hidden, size: 4, activation: tanh}\n"
            "  - fully_connected: {name: out, size: 2}\n"
            "  - squared_error: {from: [out, t, m]}\n"
            "training: {stepper: {momentum: 0.1}, epochs: 1}\n",
            "one", "resume.other", "hidden.W");
}

/* In mid-epoch the place in the data is a number of batches; between epochs
 * it is nothing. */
static void test_other_batches_are_refused_in_mid_epoch(void **state)
{
    run r;

    (void)state;
    start_run(&r, PLAIN "training: {stepper: {sgd: 0.1}, updates: 2}\n");
    open_model(&r, 3, 1);
    r.options.out = in_folder("mid");
    must_open(&r);
    must_run(&r);
    end_run(&r);
    train(&r, PLAIN ONE, 3, in_folder("whole"), NULL, 0);
    end_run(&r);

    start_run(&r, PLAIN ONE);
    open_model(&r, 2, 1);
    r.options.resume = in_folder("mid");
    assert_int_equal(open_trainer(&r), NN_FORMAT);
    assert_string_equal(nn_error_id(), "resume.batches");
    assert_non_null(strstr(nn_error_text(), "batch 2 of an epoch of 3"));
    r.options.resume = in_folder("whole");
    r.options.epochs = 2;
    must_open(&r);
    assert_int_equal(must_run(&r), NN_ENDED_EPOCHS);
    assert_int_equal(r.trainer->update, 3 + 4);
    end_run(&r);
}

/* Fewer epochs than are done: there is nothing to do, and nothing is lost. */
static void test_fewer_epochs_than_done_change_nothing(void **state)
{
    run done;
    run r;

    (void)state;
    train(&done, PLAIN ONE, 3, in_folder("done"), NULL, 3);
    train(&r, PLAIN ONE, 3, in_folder("done"), in_folder("done"), 2);
    assert_int_equal(r.trainer->epoch, 3);
    assert_true(same_parameters(&done, &r));
    assert_true(same_logs(&done, &r));
    end_run(&r);
    end_run(&done);
}

static void test_other_type_is_refused_by_name(void **state)
{
    float zeros[3 * SAMPLES] = {0};
    nn_host_array arrays[] = {
        {sizeof *arrays, "x", NN_FLOAT32, 3, {1, SAMPLES, 3}, zeros},
        {sizeof *arrays, "t", NN_FLOAT32, 3, {1, SAMPLES, 2}, zeros},
        {sizeof *arrays, "m", NN_FLOAT32, 3, {1, SAMPLES, 1}, zeros}};
    run r;

    (void)state;
    train(&r, PLAIN ONE, 3, in_folder("one"), NULL, 0);
    end_run(&r);
    start_run(&r, "nervenet: 1\nhandler: reference\ndtype: float32\n"
                  "inputs: {x: [3], t: [2], m: [1]}\nnetwork:\n"
                  "  - fully_connected: {name: out, size: 2}\n"
                  "  - squared_error: {from: [out, t, m]}\n" ONE);
    open_model(&r, 3, 1);
    nn_data_destroy(r.data);
    assert_int_equal(nn_iterator_from_arrays(arrays, 3, 3, 0, &r.data), 0);
    r.options.resume = in_folder("one");
    assert_true(open_trainer(&r) < 0);
    assert_string_equal(nn_error_id(), "resume.dtype");
    assert_non_null(strstr(nn_error_text(),
                           "its network is float64, the run's is float32"));
    end_run(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(
            test_another_run_is_refused_and_says_why, make_folder,
            remove_folder),
        cmocka_unit_test_setup_teardown(
            test_other_batches_are_refused_in_mid_epoch, make_folder,
            remove_folder),
        cmocka_unit_test_setup_teardown(
            test_fewer_epochs_than_done_change_nothing, make_folder,
            remove_folder),
        cmocka_unit_test_setup_teardown(test_other_type_is_refused_by_name,
                                        make_folder, remove_folder),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
