/* SPDX-License-Identifier: MIT */
/* test_resume.c - a run that was broken and went on is the run that was not:
 * equal parameters to the bit, equal logs, equal files. */
#include "tests/unit/training/training.h"

#include "core/store/checkpoint.h"

/* Everything that has a state: chance, vectors, a schedule, the order of the
 * samples, hooks that remember, files that grow. */
#define LEARNING                                                               \
    "training:\n"                                                              \
    "  stepper: {adam: {learning_rate: {exponential: {from: 0.02, factor: "    \
    "0.9, by: update}}, decay: 0.01}}\n"
#define HOOKS                                                                  \
    "  hooks:\n"                                                               \
    "    - checkpoint: {timescale: update, path: every.nn}\n"                  \
    "    - monitor_loss: {data: train, interval: 2, output: losses.txt}\n"     \
    "    - save_best: {log: train.loss, output: best.txt}\n"                   \
    "    - save_log: {timescale: update}\n"                                    \
    "    - early_stopping: {log: training.loss, patience: 40}\n"
#define FULL NETWORK LEARNING HOOKS "  epochs: 6\n"

/* ---- stopping ----------------------------------------------------------- */

static int64_t stop_at; /* update */

static int32_t stop_there(const nn_hook_context *context)
{
    return context->when == NN_AT_UPDATE && context->progress.update == stop_at
               ? NN_HOOK_STOP
               : NN_HOOK_CONTINUE;
}

/* TEXT with a last hook that stops at update AT; 0: nowhere. */
static void train_until(run *r, const char *text, int64_t at, const char *out,
                        const char *resume)
{
    start_run(r, text);
    open_model(r, 3, 1);
    stop_at = at;
    place_spies(r, stop_there);
    r->options.out = out;
    r->options.resume = resume;
    must_open(r);
    must_run(r);
}

#define STOPPED                                                                \
    NETWORK LEARNING HOOKS "    - progress: {name: spy, timescale: update}\n"  \
                           "  epochs: 6\n"

static void same_file(const char *a, const char *b)
{
    char *x = read_file(a);
    char *y = read_file(b);

    assert_string_equal(x, y);
    assert_true(strlen(x) > 20);
    free(x);
    free(y);
}

/* ---- the same run ------------------------------------------------------- */

static void test_broken_anywhere_equals_unbroken(void **state)
{
    char straight_out[256];
    run straight;
    int64_t at;

    (void)state;
    snprintf(straight_out, sizeof straight_out, "%s", in_folder("straight"));
    train_until(&straight, STOPPED, 0, straight_out, NULL);
    assert_int_equal(straight.trainer->update, 18);
    for (at = 1; at < 18; ++at) {
        char out[256];
        run first;
        run second;

        snprintf(out, sizeof out, "%s/at%d", folder, (int)at);
        train_until(&first, STOPPED, at, out, NULL);
        assert_int_equal(first.trainer->update, at);
        assert_false(same_parameters(&straight, &first));
        end_run(&first);
        train_until(&second, STOPPED, 0, out, out);
        assert_int_equal(second.trainer->update, 18);
        assert_true(same_parameters(&straight, &second));
        assert_true(same_logs(&straight, &second));
        end_run(&second);
        snprintf(out, sizeof out, "at%d/metrics.jsonl", (int)at);
        same_file(in_folder("straight/metrics.jsonl"), in_folder(out));
        snprintf(out, sizeof out, "at%d/losses.txt", (int)at);
        same_file(in_folder("straight/losses.txt"), in_folder(out));
        snprintf(out, sizeof out, "at%d/best.txt", (int)at);
        same_file(in_folder("straight/best.txt"), in_folder(out));
    }
    end_run(&straight);
}

/* A checkpoint that a hook saved says which hooks are still to be called. */
static void test_checkpoint_of_a_hook_finishes_its_event(void **state)
{
    run straight;
    run first;
    run second;
    int64_t at;

    (void)state;
    train_until(&straight, STOPPED, 0, in_folder("straight"), NULL);
    for (at = 3; at <= 6; at += 3) { /* with it an epoch is over */
        /* every.nn is of the update before the monitor's turn. */
        train_until(&first, STOPPED, at, in_folder("other"), NULL);
        end_run(&first);
        train_until(&second, STOPPED, 0, in_folder("other"),
                    in_folder("other/every.nn"));
        assert_true(same_parameters(&straight, &second));
        assert_true(same_logs(&straight, &second));
        end_run(&second);
        same_file(in_folder("straight/metrics.jsonl"),
                  in_folder("other/metrics.jsonl"));
    }
    end_run(&straight);
}

#define SAVING                                                                 \
    NETWORK LEARNING "  hooks:\n"                                              \
                     "    - checkpoint: {path: epoch.nn}\n"                    \
                     "    - monitor_loss: train\n"                             \
                     "    - save_log: {}\n"                                    \
                     "  epochs: 6\n"

/* The same after an epoch: the log of the second hook of that moment is not
 * in the checkpoint, and is made up for. */
static void test_hooks_after_the_one_that_saved_are_called(void **state)
{
    run straight;
    run first;
    run second;

    (void)state;
    train(&straight, SAVING, 3, in_folder("straight"), NULL, 0);
    train(&first, SAVING, 3, in_folder("other"), NULL, 3);
    assert_int_equal(nn_logs_find(&first.trainer->logs, "train.loss")->count,
                     3);
    end_run(&first);
    train(&second, SAVING, 3, in_folder("other"), in_folder("other/epoch.nn"),
          0);
    assert_true(same_parameters(&straight, &second));
    assert_true(same_logs(&straight, &second));
    same_file(in_folder("straight/metrics.jsonl"),
              in_folder("other/metrics.jsonl"));
    end_run(&second);
    end_run(&straight);
}

/* Broken after three epochs, the files of both runs are equal to the byte. */
static void test_equal_runs_write_equal_checkpoints(void **state)
{
    run r;
    nn_checkpoint *a;
    nn_checkpoint *b;
    nn_tensor x;
    nn_tensor y;
    uint32_t i;

    (void)state;
    train(&r, FULL, 3, in_folder("straight"), NULL, 0);
    end_run(&r);
    train(&r, FULL, 3, in_folder("other"), NULL, 3);
    end_run(&r);
    train(&r, FULL, 3, in_folder("other"), in_folder("other"), 0);
    end_run(&r);
    assert_int_equal(nn_checkpoint_open(in_folder("straight/checkpoint.nn"),
                                        &a),
                     0);
    assert_int_equal(nn_checkpoint_open(in_folder("other/checkpoint.nn"), &b),
                     0);
    for (i = 0; nn_checkpoint_tensor(a, i, &x); ++i) {
        assert_true(nn_checkpoint_tensor(b, i, &y));
        assert_string_equal(x.name, y.name);
        assert_memory_equal(x.data, y.data, (size_t)x.bytes);
    }
    assert_false(nn_checkpoint_tensor(b, i, &y));
    for (i = 0; nn_checkpoint_key(a, i); ++i)
        assert_string_equal(nn_checkpoint_key(a, i), nn_checkpoint_key(b, i));
    nn_checkpoint_close(a);
    nn_checkpoint_close(b);
}

/* ---- what hooks see ----------------------------------------------------- */

static char news[1000];

static void note_news(void *self, const char *name, double value)
{
    size_t used = strlen(news);

    (void)self;
    (void)value;
    snprintf(news + used, sizeof news - used, " %s", name);
}

/* "spy_a" logs something once, and at the end; "spy_b" says every second epoch
 * what is new, and saves. */
static int32_t log_and_look(const nn_hook_context *context)
{
    size_t used = strlen(news);

    if (!strcmp(context->name, "spy_a")) {
        if (context->when == NN_AT_END)
            return context->log(context, "at.end", 1);
        return context->when == NN_AT_EPOCH && context->progress.epoch == 1
                   ? context->log(context, "once", 1)
                   : NN_OK;
    }
    if (context->when != NN_AT_EPOCH)
        return NN_OK;
    snprintf(news + used, sizeof news - used, "%s%d:", used ? " " : "",
             (int)context->progress.epoch);
    context->log_new(context, note_news, NULL);
    return context->save(context,
                         context->progress.epoch == 2 ? "two.nn" : "more.nn");
}

static void look(const char *resume, int64_t epochs)
{
    run r;

    start_run(&r, PLAIN LEARNING
              "  epochs: 4\n"
              "  hooks: [{progress: {name: spy_a}}, {progress: {name: spy_b, "
              "interval: 2}}, {save_log: {interval: 3}}]\n");
    open_model(&r, 3, 1);
    place_spies(&r, log_and_look);
    r.options.out = in_folder(epochs == 4 && !resume ? "straight" : "other");
    r.options.resume = resume;
    r.options.epochs = epochs;
    must_open(&r);
    must_run(&r);
    assert_int_equal(nn_logs_find(&r.trainer->logs, "at.end")->count, 1);
    end_run(&r);
}

#define NEWS "2: training.loss once 4: training.loss"

static void test_news_are_told_once(void **state)
{
    (void)state;
    news[0] = '\0';
    look(NULL, 4);
    assert_string_equal(news, NEWS);
    news[0] = '\0';
    look(NULL, 1); /* at its end the log file gets a line too many */
    look(in_folder("other"), 4);
    assert_string_equal(news, NEWS);
    same_file(in_folder("straight/metrics.jsonl"),
              in_folder("other/metrics.jsonl"));
    news[0] = '\0';
    look(in_folder("other/two.nn"), 4);
    assert_string_equal(news, "4: training.loss");
    same_file(in_folder("straight/metrics.jsonl"),
              in_folder("other/metrics.jsonl"));
}

/* In another folder the files begin where the run goes on. */
static void test_other_folder_gets_the_rest(void **state)
{
    char *text;
    run r;

    (void)state;
    train(&r, FULL, 3, in_folder("one"), NULL, 3);
    end_run(&r);
    train(&r, FULL, 3, in_folder("two"), in_folder("one"), 0);
    end_run(&r);
    text = read_file(in_folder("two/metrics.jsonl"));
    assert_memory_equal(text, "{\"epoch\": 3, \"update\": 10,", 26);
    free(text);
}

/* The seed is that of the checkpoint, whatever the model was made with. */
static void test_seed_of_the_checkpoint_holds(void **state)
{
    run straight;
    run r;

    (void)state;
    train(&straight, FULL, 3, in_folder("straight"), NULL, 0);
    train(&r, FULL, 3, in_folder("other"), NULL, 3);
    end_run(&r);
    start_run(&r, FULL);
    r.config->seed = 8;
    open_model(&r, 3, 1);
    assert_int_equal(r.model->network->seed, 8);
    r.options.out = r.options.resume = in_folder("other");
    must_open(&r);
    must_run(&r);
    assert_true(same_parameters(&straight, &r));
    end_run(&r);
    end_run(&straight);
}

/* ---- the schedule ------------------------------------------------------- */

/* The bias after each of ten epochs, with gradient -1. */
static double biases[10];
static run *watched;

static int32_t note_bias(const nn_hook_context *context)
{
    if (context->when == NN_AT_EPOCH)
        read_values(watched, "out.bias", &biases[context->progress.epoch - 1],
                    1);
    return NN_HOOK_CONTINUE;
}

static void train_steps(const char *out, const char *resume, int64_t epochs)
{
    run r;

    start_run(&r, PLAIN "training:\n"
                        "  stepper: {sgd: {learning_rate: {step: {from: 0.1, "
                        "factor: 0.1, every: 3}}}}\n"
                        "  epochs: 10\n"
                        "  modifiers: [{l2: 0}]\n"
                        "  hooks: [{progress: {name: spy}}]\n");
    open_model(&r, SAMPLES, 0);
    force_gradients(&r, -1);
    place_spies(&r, note_bias);
    watched = &r;
    r.options.out = out;
    r.options.resume = resume;
    r.options.epochs = epochs;
    must_open(&r);
    must_run(&r);
    end_run(&r);
}

static void test_step_schedule_goes_on_where_it_stood(void **state)
{
    static const double right[] = {0.1,  0.2,   0.3,   0.31,  0.32,
                                   0.33, 0.331, 0.332, 0.333, 0.3331};
    int64_t at;
    int i;

    (void)state;
    for (at = 1; at <= 10; ++at) {
        memset(biases, 0, sizeof biases);
        train_steps(in_folder("steps"), NULL, at);
        train_steps(in_folder("steps"), in_folder("steps"), 10);
        for (i = 0; i < 10; ++i)
            assert_near(biases[i], right[i], 1e-12);
    }
}

/* ---- every stored part is needed ---------------------------------------- */

/* Copies FROM to TO without the value or tensor WITHOUT; what must be there
 * becomes 0 instead.  Returns how many it was. */
static int rewrite(const char *from, const char *to, const char *without)
{
    nn_checkpoint *checkpoint;
    nn_checkpoint_writer *writer;
    nn_tensor tensor;
    const char *key;
    int found = 0;
    uint32_t i;

    assert_int_equal(nn_checkpoint_open(from, &checkpoint), 0);
    assert_int_equal(nn_checkpoint_writer_create(&writer), 0);
    for (i = 0; (key = nn_checkpoint_key(checkpoint, i)); ++i) {
        const char *text = nn_checkpoint_get_text(checkpoint, key);
        int drop = !strncmp(key, without, strlen(without));
        int64_t integer;
        double real;

        found += drop;
        if (text && !drop)
            nn_checkpoint_put_text(writer, key, text);
        else if (!nn_checkpoint_get_int(checkpoint, key, &integer))
            nn_checkpoint_put_int(writer, key, drop ? 0 : integer);
        else if (!nn_checkpoint_get_real(checkpoint, key, &real) &&
                 (!drop || !strcmp(key, "trainer.loss")))
            nn_checkpoint_put_real(writer, key, drop ? 0 : real);
    }
    for (i = 0; nn_checkpoint_tensor(checkpoint, i, &tensor); ++i) {
        static const double zeros[64];
        char name[512];

        snprintf(name, sizeof name, "%s:%s", tensor.group, tensor.name);
        if (!strncmp(name, without, strlen(without))) {
            ++found;
            if (strcmp(tensor.group, "stepper") &&
                strncmp(tensor.name, "loss_", 5))
                continue;
            assert_true(tensor.bytes <= (int64_t)sizeof zeros);
            tensor.data = zeros;
        }
        nn_checkpoint_put_tensor(writer, &tensor);
    }
    assert_int_equal(nn_checkpoint_write(writer, to), 0);
    nn_checkpoint_writer_destroy(writer);
    nn_checkpoint_close(checkpoint);
    return found;
}

/* 1 if a run that goes on without WITHOUT still ends as STRAIGHT did. */
static int ends_the_same(run *straight, const char *without)
{
    run broken;
    run r;
    int same;
    char *a;
    char *b;

    train_until(&broken, STOPPED, 7, in_folder("broken"), NULL);
    end_run(&broken);
    if (!rewrite(in_folder("broken/checkpoint.nn"), in_folder("cut.nn"),
                 without))
        fail_msg("there is no '%s' in the checkpoint", without);
    train_until(&r, STOPPED, 0, in_folder("broken"), in_folder("cut.nn"));
    same = same_parameters(straight, &r) && same_logs(straight, &r);
    end_run(&r);
    a = read_file(in_folder("straight/metrics.jsonl"));
    b = read_file(in_folder("broken/metrics.jsonl"));
    same = same && !strcmp(a, b);
    free(a);
    free(b);
    a = read_file(in_folder("straight/best.txt"));
    b = read_file(in_folder("broken/best.txt"));
    same = same && !strcmp(a, b);
    free(a);
    free(b);
    return same;
}

static void test_every_part_of_the_checkpoint_is_needed(void **state)
{
    static const char *const parts[] = {
        "trainer.seed",
        "trainer.epoch",
        "trainer.update",
        "trainer.batch",
        "trainer.passes",
        "training:loss_sums",
        "training:loss_weights",
        "training:seen/save_log",
        "stepper:adam/mean/hidden.W",
        "stepper:adam/mean_square/out.bias",
        "logs:training.loss",
        "logs:train.loss",
        "file/metrics.jsonl",
        "file/best.txt",
        "hook/save_best/best",
    };
    run straight;
    size_t i;

    (void)state;
    train_until(&straight, STOPPED, 0, in_folder("straight"), NULL);
    assert_true(ends_the_same(&straight, "trainer.loss")); /* for display */
    for (i = 0; i < sizeof parts / sizeof *parts; ++i)
        if (ends_the_same(&straight, parts[i]))
            fail_msg("nobody misses '%s'", parts[i]);
    end_run(&straight);
}

/* ---- what hooks set ----------------------------------------------------- */

static double rates[32];

static int32_t tune_once(const nn_hook_context *context)
{
    if (context->when == NN_AT_UPDATE)
        rates[context->progress.update] =
            nn_tuned_find(&watched->trainer->runs.settings[0], "learning_rate")
                ->value.real;
    if (context->when == NN_AT_UPDATE && context->progress.update == 4)
        return context->tune(context, "stepper.learning_rate", 0.25);
    return NN_HOOK_CONTINUE;
}

static void test_what_a_hook_set_holds_after_a_resume(void **state)
{
    static const char text[] = PLAIN
        "training:\n"
        "  stepper: {sgd: {learning_rate: {exponential: {from: 0.5, "
        "factor: 0.5, by: update}}}}\n"
        "  epochs: 4\n"
        "  hooks: [{progress: {name: spy, timescale: update}}]\n";
    run r;
    int64_t epochs;

    (void)state;
    for (epochs = 2; epochs <= 4; epochs += 2) {
        start_run(&r, text);
        open_model(&r, 3, 1);
        place_spies(&r, tune_once);
        watched = &r;
        r.options.out = in_folder("tuned");
        r.options.resume = epochs == 4 ? in_folder("tuned") : NULL;
        r.options.epochs = epochs;
        must_open(&r);
        must_run(&r);
        end_run(&r);
    }
    assert_near(rates[1], 0.5, 0);
    assert_near(rates[4], 0.0625, 0);
    assert_near(rates[5], 0.25, 0);
    assert_near(rates[12], 0.25, 0);
}

/* ---- stop --------------------------------------------------------------- */

static int32_t stop_from_outside(const nn_hook_context *context)
{
    if (context->when == NN_AT_UPDATE && context->progress.update == stop_at)
        nn_trainer_stop(watched->trainer);
    return NN_HOOK_CONTINUE;
}

/* In mid-epoch; the same trainer can also go on by itself. */
static void test_stopped_run_goes_on(void **state)
{
    int32_t ended = -1;
    run straight;
    run r;

    (void)state;
    train_until(&straight, STOPPED, 0, in_folder("straight"), NULL);
    start_run(&r, STOPPED);
    open_model(&r, 3, 1);
    place_spies(&r, stop_from_outside);
    watched = &r;
    stop_at = 8;
    r.options.out = in_folder("other");
    must_open(&r);
    assert_int_equal(nn_trainer_run(r.trainer, &ended), 0);
    assert_int_equal(ended, NN_ENDED_STOPPED);
    assert_int_equal(r.trainer->update, 8);
    assert_int_equal(r.trainer->batch, 2);
    stop_at = 0;
    assert_int_equal(must_run(&r), NN_ENDED_EPOCHS);
    assert_true(same_parameters(&straight, &r));
    assert_true(same_logs(&straight, &r));
    same_file(in_folder("straight/metrics.jsonl"),
              in_folder("other/metrics.jsonl"));
    end_run(&r);
    end_run(&straight);
}

/* Logs of the end are read until training goes on, and are in no checkpoint. */
static void test_logs_of_the_end_are_of_the_end(void **state)
{
    nn_logs logs = {0};

    (void)state;
    assert_int_equal(nn_logs_append(&logs, "a", 1), 0);
    nn_logs_freeze(&logs);
    assert_int_equal(nn_logs_append(&logs, "a", 2), 0);
    assert_int_equal(nn_logs_append(&logs, "b", 3), 0);
    assert_int_equal(nn_logs_find(&logs, "a")->count, 2);
    assert_non_null(nn_logs_find(&logs, "b"));
    nn_logs_thaw(&logs);
    assert_int_equal(nn_logs_find(&logs, "a")->count, 1);
    assert_null(nn_logs_find(&logs, "b"));
    nn_logs_thaw(&logs);
    assert_int_equal(nn_logs_find(&logs, "a")->count, 1);
    nn_logs_finish(&logs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_broken_anywhere_equals_unbroken,
                                        make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(
            test_checkpoint_of_a_hook_finishes_its_event, make_folder,
            remove_folder),
        cmocka_unit_test_setup_teardown(
            test_hooks_after_the_one_that_saved_are_called, make_folder,
            remove_folder),
        cmocka_unit_test_setup_teardown(test_equal_runs_write_equal_checkpoints,
                                        make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(test_news_are_told_once, make_folder,
                                        remove_folder),
        cmocka_unit_test_setup_teardown(test_other_folder_gets_the_rest,
                                        make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(test_seed_of_the_checkpoint_holds,
                                        make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(
            test_step_schedule_goes_on_where_it_stood, make_folder,
            remove_folder),
        cmocka_unit_test_setup_teardown(
            test_every_part_of_the_checkpoint_is_needed, make_folder,
            remove_folder),
        cmocka_unit_test_setup_teardown(
            test_what_a_hook_set_holds_after_a_resume, make_folder,
            remove_folder),
        cmocka_unit_test(test_logs_of_the_end_are_of_the_end),
        cmocka_unit_test_setup_teardown(test_stopped_run_goes_on, make_folder,
                                        remove_folder),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
