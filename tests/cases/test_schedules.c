/* SPDX-License-Identifier: MIT */
/* test_schedules.c - schedules, early stopping, resuming and the loss of an
 * epoch: S1 to S4 of the case bank. */
#include "cases.h"

/* ---- S1 ------------------------------------------------------------------ */

/* One bias whose gradient is always -1. */
#define STEPS                                                                  \
    "inputs: {x: [1]}\n"                                                       \
    "network:\n"                                                               \
    "  - fully_connected: {name: out, size: 1}\n"                              \
    "  - loss: {importance: -1}\n"                                             \
    "training: {stepper: {sgd: {learning_rate: {step: {from: 0.1, factor: "    \
    "0.1, every: 3}}}}, epochs: 10}\n"

static const double steps_right[] = {0.1,  0.2,   0.3,   0.31,  0.32,
                                     0.33, 0.331, 0.332, 0.333, 0.3331};

/* Trains to EPOCHS, from the run's folder if AGAIN, and checks the bias. */
static void train_steps(int epochs, int again)
{
    static const double x[] = {0};
    field fields[] = {{"x", x, 1, 0}};
    run r = {0};
    double bias;

    r.epochs = epochs;
    r.out = in_folder("run");
    r.resume = again ? in_folder("run") : NULL;
    assert_done(train(&r, STEPS, fields, 1, 1, 1));
    parameter(&r, "out.bias", &bias, 1);
    close_to(bias, steps_right[epochs - 1], is_double() ? 1e-14 : 1e-6,
             __LINE__);
    note(bias);
    end_run(&r);
}

/* S1: the rate falls after every third epoch. */
static void the_rate_falls_after_three_epochs(void)
{
    int epochs;

    for (epochs = 1; epochs <= 10; ++epochs) {
        make_folder();
        train_steps(epochs, 0);
        remove_folder();
    }
}

/* S1: the same after a resume, be it after any epoch or after each. */
static void a_schedule_goes_on_after_a_resume(void)
{
    int epochs;

    for (epochs = 1; epochs < 10; ++epochs) {
        make_folder();
        train_steps(epochs, 0);
        train_steps(10, 1);
        remove_folder();
    }
    make_folder();
    for (epochs = 1; epochs <= 10; ++epochs)
        train_steps(epochs, epochs > 1);
    remove_folder();
}

/* ---- S2 ------------------------------------------------------------------ */

#define SCRIPTED                                                               \
    "inputs: {x: [1]}\n"                                                       \
    "network:\n"                                                               \
    "  - fully_connected: {name: out, size: 1, initialize: {W: 1}}\n"          \
    "  - loss\n"                                                               \
    "training:\n"                                                              \
    "  stepper: {sgd: 0.1}\n"                                                  \
    "  epochs: 5\n"                                                            \
    "  hooks:\n"                                                               \
    "    - scripted: [%s]\n"                                                   \
    "    - save_best: validation.loss\n"                                       \
    "    - early_stopping: {log: validation.loss, patience: %d}\n"

/* The bytes of out.W in a checkpoint; the caller has ROOM for them. */
static size_t stored_weight(const char *path, void *bytes, size_t room)
{
    nn_checkpoint *checkpoint;
    nn_tensor tensor;
    size_t count = 0;
    uint32_t i;

    assert_done(nn_checkpoint_open(path, &checkpoint));
    for (i = 0; nn_checkpoint_tensor(checkpoint, i, &tensor); ++i)
        if (!strcmp(tensor.name, "out.W") &&
            !strcmp(tensor.group, "parameters")) {
            count = (size_t)tensor.bytes;
            assert_true(count <= room);
            memcpy(bytes, tensor.data, count);
        }
    nn_checkpoint_close(checkpoint);
    return count;
}

/* The weight after EPOCHS epochs without hooks, as the checkpoint has it. */
static size_t weight_after(int epochs, void *bytes, size_t room)
{
    static const double x[] = {1};
    field fields[] = {{"x", x, 1, 0}};
    char text[512];
    size_t count;
    run r = {0};

    snprintf(text, sizeof text,
             "inputs: {x: [1]}\n"
             "network: [{fully_connected: {name: out, size: 1, initialize: "
             "{W: 1}}}, loss]\n"
             "training: {stepper: {sgd: 0.1}, epochs: %d}\n",
             epochs);
    assert_done(train(&r, text, fields, 1, 1, 1));
    assert_done(nn_model_save(r.model, in_folder("straight.nn")));
    count = stored_weight(in_folder("straight.nn"), bytes, room);
    end_run(&r);
    return count;
}

/* Training with these validation losses ends after ENDS epochs, and epoch BEST
 * is kept. */
static void assert_stops(const char *losses, int patience, int ends, int best)
{
    static const double x[] = {1};
    field fields[] = {{"x", x, 1, 0}};
    char plugin[512];
    char text[1024];
    unsigned char kept[16];
    unsigned char right[16];
    size_t count;
    int32_t ended = -1;
    double w;
    run r = {0};

    snprintf(plugin, sizeof plugin, "%s/tests/cases/.libs/scripted.so",
             getenv("abs_top_builddir"));
    own_plugin = plugin;
    make_folder();
    snprintf(text, sizeof text, SCRIPTED, losses, patience);
    r.out = in_folder("run");
    set_model(&r, text, 1);
    set_data(&r, fields, 1, 1, 1);
    assert_done(set_trainer(&r));
    assert_done(nn_trainer_run(r.trainer, &ended));
    own_plugin = NULL;
    assert_int_equal(ended, ends < 5 ? NN_ENDED_HOOK : NN_ENDED_EPOCHS);
    parameter(&r, "out.W", &w, 1); /* the last one, not the best */
    close_to(w, 1 - 0.1 * ends, is_double() ? 1e-12 : 1e-6, __LINE__);
    end_run(&r);
    count = stored_weight(in_folder("run/best.nn"), kept, sizeof kept);
    assert_int_equal(weight_after(best, right, sizeof right), count);
    assert_memory_equal(kept, right, count);
    remove_folder();
}

/* S2: training stops when patience epochs in a row were not better, and the
 * best one is kept. */
static void early_stopping_counts_epochs_without_improvement(void)
{
    assert_stops("1.0, 0.9, 0.95, 0.96, 0.8", 2, 4, 2);
    assert_stops("1.0, 0.9, 0.95, 0.96, 0.8", 1, 3, 2);
    assert_stops("1.0, 0.9, 0.95, 0.96, 0.8", 3, 5, 5);
}

/* S2: equal is no improvement. */
static void ties_are_no_improvement(void)
{
    assert_stops("1.0, 1.0, 1.0", 2, 3, 1);
}

/* ---- S3 ------------------------------------------------------------------ */

#define CHANCE                                                                 \
    "seed: 3\n"                                                                \
    "inputs: {x: [3], t: [1]}\n"                                               \
    "network:\n"                                                               \
    "  - fully_connected: {name: hidden, size: 6, activation: tanh}\n"         \
    "  - dropout: {name: d, probability: 0.4}\n"                               \
    "  - fully_connected: {name: out, size: 1}\n"                              \
    "  - squared_error: {from: [out, t]}\n"                                    \
    "training:\n"                                                              \
    "  stepper: {%s: {learning_rate: {exponential: {from: 0.05, factor: "      \
    "0.8}}}}\n"                                                                \
    "  epochs: 6\n"                                                            \
    "  hooks: [checkpoint, {save_log: {timescale: update}}]\n"

/* Trains to EPOCHS in folder NAME; 18 + 6 + 6 + 1 parameters. */
static void train_chance(const char *stepper, const char *name, int epochs,
                         int again, double w[31])
{
    double x[21];
    double t[7];
    field fields[] = {{"x", x, 3, 0}, {"t", t, 1, 0}};
    char text[1024];
    run r = {0};
    int i;

    for (i = 0; i < 21; ++i)
        x[i] = sin(i);
    for (i = 0; i < 7; ++i)
        t[i] = cos(2 * i);
    snprintf(text, sizeof text, CHANCE, stepper);
    r.shuffle = 1;
    r.epochs = epochs;
    r.out = in_folder(name);
    r.resume = again ? r.out : NULL;
    assert_done(train(&r, text, fields, 2, 7, 3));
    parameter(&r, "hidden.W", w, 18);
    parameter(&r, "hidden.bias", w + 18, 6);
    parameter(&r, "out.W", w + 24, 6);
    parameter(&r, "out.bias", w + 30, 1);
    end_run(&r);
}

/* S3: three epochs, an end, and three more are six: weights to the bit, and
 * every line of the log. */
static void stopping_and_resuming_equals_not_stopping(void)
{
    static const char *const steppers[] = {"momentum", "adam"};
    double straight[31];
    double broken[31];
    size_t i;

    for (i = 0; i < 2; ++i) {
        size_t count_a;
        size_t count_b;
        char *a;
        char *b;

        make_folder();
        train_chance(steppers[i], "straight", 6, 0, straight);
        train_chance(steppers[i], "broken", 3, 0, broken);
        assert_memory_not_equal(straight, broken, sizeof straight);
        train_chance(steppers[i], "broken", 6, 1, broken);
        assert_memory_equal(straight, broken, sizeof straight);
        a = read_bytes(in_folder("straight/metrics.jsonl"), &count_a);
        b = read_bytes(in_folder("broken/metrics.jsonl"), &count_b);
        assert_string_equal(a, b);
        assert_says(a, "\"epoch\": 6");
        free(a);
        free(b);
        remove_folder();
    }
}

/* ---- S4 ------------------------------------------------------------------ */

/* S4: the loss of an epoch and of an evaluation is the mean over samples,
 * whatever the size of the batches. */
static void a_short_last_batch_counts_as_what_it_is(void)
{
    static const double x[5] = {0};
    static const double t[] = {1, 1, 1, 1, 4};
    static const char text[] =
        "inputs: {x: [1], t: [1]}\n"
        "network:\n"
        "  - fully_connected: {name: out, size: 1, initialize: {W: 0}}\n"
        "  - squared_error: {half: false, from: [out, t]}\n"
        "training: {stepper: {sgd: 0}, epochs: 1}\n";
    field fields[] = {{"x", x, 1, 0}, {"t", t, 1, 0}};
    nn_score score;
    uint32_t count;
    int size;

    for (size = 1; size <= 6; ++size) {
        run r = {0};

        assert_done(train(&r, text, fields, 2, 5, size));
        close_to(nn_trainer_log(r.trainer, "training.loss"), 4,
                 is_double() ? 1e-15 : 1e-6, __LINE__);
        assert_done(nn_model_evaluate(r.model, r.data, &score, 1, &count));
        close_to(score.value, 4, is_double() ? 1e-15 : 1e-6, __LINE__);
        end_run(&r);
    }
}

int main(void)
{
    static const one_case cases[] = {
        CASE(the_rate_falls_after_three_epochs),
        CASE(a_schedule_goes_on_after_a_resume),
        CASE(early_stopping_counts_epochs_without_improvement),
        CASE(ties_are_no_improvement),
        CASE(stopping_and_resuming_equals_not_stopping),
        CASE(a_short_last_batch_counts_as_what_it_is),
    };

    return RUN_CASES(cases);
}
