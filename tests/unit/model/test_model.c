/* SPDX-License-Identifier: MIT */
/* test_model.c - configs brought to life: rendering, prediction, evaluation,
 * saving and loading. */
#include <math.h>
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

#define TEXT(classes, dtype)                                                   \
    "nervenet: 1\n"                                                            \
    "handler: reference\n"                                                     \
    "dtype: " dtype "\n"                                                       \
    "inputs: {x: [3], y: {shape: [1], dtype: int32}}\n"                        \
    "network:\n"                                                               \
    "  - fully_connected: {size: 4, activation: tanh, name: hidden}\n"         \
    "  - fully_connected: {size: " classes ", name: scores}\n"                 \
    "  - softmax_ce: {from: {default: scores, targets: y}}\n"                  \
    "evaluation: {scorers: [accuracy]}\n"

static const char text[] = TEXT("2", "float64");

static nn_config *parse(const char *yaml)
{
    nn_config *config;

    if (nn_config_parse(yaml, "test.yaml", NULL, &config))
        print_error("%s", nn_config_messages(config));
    assert_string_equal(nn_config_messages(config), "");
    return config;
}

static nn_model *make(nn_config *config, int training, int64_t B)
{
    nn_model_options options = {.size = sizeof options,
                                .training = training,
                                .T = 1,
                                .B = B};
    nn_model *model;

    assert_int_equal(nn_model_create(config, &options, &model), 0);
    return model;
}

static nn_host_array array(const char *name, uint32_t dtype, int64_t samples,
                           int64_t features, void *data)
{
    nn_host_array one = {sizeof one, name, dtype, 3, {1, samples, features},
                         data};

    return one;
}

static void fill(double *x, int n)
{
    int i;

    for (i = 0; i < n; ++i)
        x[i] = sin(i + 1.0);
}

/* ---- rendering --------------------------------------------------------- */

static void what_is_rendered_renders_as_itself(void **state)
{
    static const char full[] =
        "nervenet: 1\n"
        "handler: reference\n"
        "keep: [\"*.outputs.*\"]\n"
        "inputs: {x: [2, 3, 1], y: {shape: [1], dtype: int32}}\n"
        "network:\n"
        "  - fully_connected: {size: 4, initialize: {W: {gaussian: {std: "
        "2}}}}\n"
        "  - dropout\n"
        "  - fully_connected: {size: 4, name: b, from: x, share: "
        "fully_connected}\n"
        "  - concat: {from: [dropout, \"b[1:3]\"]}\n"
        "  - softmax_ce: {from: [concat, y]}\n"
        "initialize: {\"*.bias\": 1/3}\n"
        "training:\n"
        "  stepper: {adam: {learning_rate: {step: {from: 0.1, factor: 0.5, "
        "every: 3}}}}\n"
        "  epochs: 3\n"
        "  overrides: {\"b.*\": {epsilon: 1e-3}}\n"
        "  modifiers: [{l2: {factor: 1e-4, on: \"*.W\"}}]\n"
        "  hooks: [{save_log: {timescale: update, interval: 5}}, "
        "stop_on_nan]\n"
        "evaluation: {output: concat.outputs.default, scorers: [accuracy]}\n";
    nn_config *first = parse(full);
    nn_config *second;
    char *once = NULL;
    char *twice = NULL;

    (void)state;
    assert_int_equal(nn_config_render(first, &once), 0);
    second = parse(once);
    assert_int_equal(nn_config_render(second, &twice), 0);
    assert_string_equal(once, twice);
    assert_non_null(strstr(once, "probability: 0.5")); /* a default */
    assert_non_null(strstr(once, "interval: 5"));
    assert_non_null(strstr(once, "name: fully_connected"));
    nn_free(once);
    nn_free(twice);
    nn_config_destroy(first);
    nn_config_destroy(second);
}

static void all_errors_are_told_in_one_run(void **state)
{
    nn_config *config;
    const char *messages;

    (void)state;
    assert_int_not_equal(nn_config_parse("nervenet: 1\n"
                                         "handler: refrence\n"
                                         "inputs: {x: [3]}\n"
                                         "network:\n"
                                         "  - fully_connected: {sise: 4}\n"
                                         "  - fully_conected: 4\n"
                                         "trainin: {}\n",
                                         "bad.yaml", NULL, &config),
                         0);
    messages = nn_config_messages(config);
    assert_non_null(strstr(messages, "bad.yaml:2:"));
    assert_non_null(strstr(messages, "did you mean 'reference'?"));
    assert_non_null(strstr(messages, "bad.yaml:5:23: error: layer "
                                     "'fully_connected': unknown parameter "
                                     "'sise'; did you mean 'size'?"));
    assert_non_null(strstr(messages, "did you mean 'fully_connected'?"));
    assert_non_null(strstr(messages, "did you mean 'training'?"));
    nn_config_destroy(config);
}

/* ---- prediction -------------------------------------------------------- */

static void predictions_do_not_depend_on_the_batch_size(void **state)
{
    nn_config *config = parse(text);
    nn_model *whole = make(config, 0, 8);
    nn_model *parts = make(config, 0, 3);
    double x[21];
    nn_host_array in = array("x", NN_FLOAT64, 7, 3, x);
    nn_host_array a;
    nn_host_array b;
    int i;

    (void)state;
    fill(x, 21);
    assert_int_equal(nn_model_predict(whole, &in, 1, NULL, &a), 0);
    assert_int_equal(nn_model_predict(parts, &in, 1, NULL, &b), 0);
    assert_int_equal(a.shape[1], 7);
    assert_int_equal(a.shape[2], 2);
    assert_memory_equal(a.data, b.data, 14 * sizeof(double));
    for (i = 0; i < 7; ++i) {
        const double *p = (const double *)a.data + 2 * i;

        assert_true(fabs(p[0] + p[1] - 1) < 1e-12);
    }
    nn_free(a.data);
    nn_free(b.data);
    nn_model_destroy(whole);
    nn_model_destroy(parts);
    nn_config_destroy(config);
}

static void any_buffer_can_be_predicted(void **state)
{
    nn_config *config = parse(text);
    const char *keep[] = {"hidden.outputs.default"};
    nn_model_options options = {.size = sizeof options,
                                .B = 4,
                                .keep = keep,
                                .n_keep = 1};
    nn_model *model;
    double x[6];
    nn_host_array in = array("x", NN_FLOAT64, 2, 3, x);
    nn_host_array out;

    (void)state;
    fill(x, 6);
    assert_int_equal(nn_model_create(config, &options, &model), 0);
    assert_int_equal(nn_model_predict(model, &in, 1, keep[0], &out), 0);
    assert_int_equal(out.shape[2], 4);
    nn_free(out.data);
    nn_model_destroy(model);
    nn_config_destroy(config);
}

static void inputs_of_another_shape_or_name_are_refused(void **state)
{
    nn_config *config = parse(text);
    nn_model *model = make(config, 0, 4);
    double x[8] = {0};
    nn_host_array wide = array("x", NN_FLOAT64, 2, 4, x);
    nn_host_array misspelt = array("z", NN_FLOAT64, 2, 3, x);
    nn_host_array labels = array("y", NN_INT32, 2, 1, x);
    nn_host_array out;
    const char *message;

    (void)state;
    assert_int_equal(nn_model_predict(model, &wide, 1, NULL, &out), NN_SHAPE);
    nn_error(NULL, &message);
    assert_non_null(strstr(message, "(T, B, 3)"));
    assert_int_equal(nn_model_predict(model, &misspelt, 1, NULL, &out),
                     NN_NOT_FOUND);
    /* x is needed, y is not. */
    assert_int_equal(nn_model_predict(model, &labels, 1, NULL, &out),
                     NN_INVALID_ARGUMENT);
    assert_null(out.data);
    nn_model_destroy(model);
    nn_config_destroy(config);
}

/* Losses do without targets and masks when they predict; a layer that masks
 * its output does not. */
static void only_what_the_output_does_not_need_is_left_out(void **state)
{
    static const char masked[] =
        "nervenet: 1\n"
        "handler: reference\n"
        "dtype: float64\n"
        "keep: [\"*.outputs.*\"]\n"
        "inputs: {x: [3], m: [1], t: [3], z: [2]}\n"
        "network:\n"
        "  - mask: {from: [x, m]}\n"
        "  - fully_connected: {size: 2, name: other, from: z}\n"
        "  - squared_error: {from: {default: mask, targets: t}}\n";
    nn_config *config = parse(masked);
    nn_model *model = make(config, 0, 4);
    double x[6];
    double m[2] = {1, 0};
    nn_host_array in[] = {array("x", NN_FLOAT64, 2, 3, x),
                          array("m", NN_FLOAT64, 2, 1, m)};
    nn_host_array out;
    const char *message;

    (void)state;
    fill(x, 6);
    assert_int_equal(nn_model_predict(model, in, 2, NULL, &out), 0);
    assert_memory_equal(out.data, x, 3 * sizeof *x);
    assert_true(((const double *)out.data)[3] == 0);
    nn_free(out.data);
    assert_int_equal(nn_model_predict(model, in, 1, NULL, &out),
                     NN_INVALID_ARGUMENT);
    nn_error(NULL, &message);
    assert_non_null(strstr(message, "'m'"));
    assert_int_equal(nn_model_predict(model, in, 2, "other.outputs.default",
                                      &out),
                     NN_INVALID_ARGUMENT);
    nn_error(NULL, &message);
    assert_non_null(strstr(message, "'z'"));
    assert_int_equal(nn_model_predict(model, in, 2,
                                      "squared_error.outputs.loss", &out),
                     NN_INVALID_ARGUMENT);
    nn_error(NULL, &message);
    assert_non_null(strstr(message, "'t'"));
    assert_int_equal(nn_model_predict(model, in, 2, "nothing.outputs.default",
                                      &out),
                     NN_NOT_FOUND);
    assert_null(out.data);
    nn_model_destroy(model);
    nn_config_destroy(config);
}

/* ---- evaluation -------------------------------------------------------- */

/* Case S4: the mean over samples, whatever the batch size. */
static void a_short_last_batch_counts_as_what_it_is(void **state)
{
    static const char squares[] =
        "nervenet: 1\n"
        "handler: reference\n"
        "dtype: float64\n"
        "inputs: {x: [1], t: [1]}\n"
        "network:\n"
        "  - fully_connected: {size: 1, initialize: {W: 0, bias: 0}}\n"
        "  - squared_error: {half: false, from: [fully_connected, t]}\n";
    nn_config *config = parse(squares);
    double x[5] = {0};
    double t[5] = {1, 1, 1, 1, 4};
    nn_host_array arrays[2] = {array("x", NN_FLOAT64, 5, 1, x),
                               array("t", NN_FLOAT64, 5, 1, t)};
    int64_t size;

    (void)state;
    for (size = 1; size <= 6; ++size) {
        nn_model *model = make(config, 0, 6);
        nn_data *data;
        nn_score scores[4];
        uint32_t count;

        assert_int_equal(nn_iterator_from_arrays(arrays, 2, size, 0, &data), 0);
        assert_int_equal(nn_model_evaluate(model, data, scores, 4, &count), 0);
        assert_int_equal(count, 1);
        assert_true(fabs(scores[0].value - 4.0) < 1e-12);
        nn_data_destroy(data);
        nn_model_destroy(model);
    }
    nn_config_destroy(config);
}

/* Rows without mask count for nothing, whole batches of them too; and a caller
 * who only wants the number of scores needs no room. */
static void a_batch_without_weight_counts_for_nothing(void **state)
{
    static const char masked[] =
        "nervenet: 1\n"
        "handler: reference\n"
        "dtype: float64\n"
        "inputs: {x: [1], t: [1], m: [1]}\n"
        "network:\n"
        "  - squared_error: {from: {default: x, targets: t, mask: m}}\n";
    nn_config *config = parse(masked);
    nn_model *model = make(config, 0, 2);
    double x[3] = {1, 2, 3};
    double m[3] = {0, 0, 0};
    nn_host_array arrays[] = {array("x", NN_FLOAT64, 3, 1, x),
                              array("t", NN_FLOAT64, 3, 1, m),
                              array("m", NN_FLOAT64, 3, 1, m)};
    nn_score score = {NULL, 0};
    nn_data *data;
    uint32_t count;

    (void)state;
    assert_int_equal(nn_iterator_from_arrays(arrays, 3, 2, 0, &data), 0);
    assert_int_equal(nn_model_evaluate(model, data, &score, 1, &count), 0);
    assert_true(score.value == 0);
    m[2] = 1;
    assert_int_equal(nn_model_evaluate(model, data, NULL, 0, &count), 0);
    assert_int_equal(count, 1);
    assert_int_equal(nn_model_evaluate(model, data, &score, 1, &count), 0);
    assert_true(score.value == 4.0 / 2); /* half of (3 - 1) squared */
    nn_data_destroy(data);
    nn_model_destroy(model);
    nn_config_destroy(config);
}

static void a_label_out_of_range_names_the_layer(void **state)
{
    nn_config *config = parse(text);
    nn_model *model = make(config, 0, 4);
    double x[9];
    int32_t y[3] = {0, 7, 1};
    nn_host_array arrays[2] = {array("x", NN_FLOAT64, 3, 3, x),
                               array("y", NN_INT32, 3, 1, y)};
    nn_score scores[4];
    nn_data *data;
    const char *message;
    uint32_t count;

    (void)state;
    fill(x, 9);
    assert_int_equal(nn_iterator_from_arrays(arrays, 2, 4, 0, &data), 0);
    assert_int_not_equal(nn_model_evaluate(model, data, scores, 4, &count), 0);
    nn_error(NULL, &message);
    assert_non_null(strstr(message, "softmax_ce"));
    assert_non_null(strstr(message, "7"));
    nn_data_destroy(data);
    nn_model_destroy(model);
    nn_config_destroy(config);
}

/* ---- saving and loading ------------------------------------------------ */

static char *scratch(char path[64])
{
    strcpy(path, "/tmp/nn-model-XXXXXX");
    assert_non_null(mkdtemp(path));
    strcat(path, "/m.nn");
    return path;
}

static void remove_scratch(char path[64])
{
    unlink(path);
    *strrchr(path, '/') = '\0';
    rmdir(path);
}

static void what_was_saved_is_loaded_to_the_bit(void **state)
{
    nn_config *config = parse(text);
    nn_model *model = make(config, 1, 4);
    nn_model_options options = {.size = sizeof options, .B = 2};
    nn_model *loaded;
    nn_host_array a;
    nn_host_array b;
    char path[64];

    (void)state;
    assert_int_equal(nn_model_save(model, scratch(path)), 0);
    assert_int_equal(nn_model_load(path, &options, &loaded), 0);
    assert_int_equal(nn_network_snapshot(nn_model_network(model), "hidden.W",
                                         &a),
                     0);
    assert_int_equal(nn_network_snapshot(nn_model_network(loaded), "hidden.W",
                                         &b),
                     0);
    assert_memory_equal(a.data, b.data, 12 * sizeof(double));
    nn_free(a.data);
    nn_free(b.data);
    nn_model_destroy(model);
    nn_model_destroy(loaded);
    nn_config_destroy(config);
    remove_scratch(path);
}

/* Case F1: another number of classes, another precision. */
static void a_checkpoint_of_another_network_changes_nothing(void **state)
{
    static const char *const others[] = {TEXT("3", "float64"),
                                         TEXT("2", "float32")};
    nn_config *config = parse(text);
    nn_model *model = make(config, 0, 4);
    nn_checkpoint *checkpoint;
    char path[64];
    size_t i;

    (void)state;
    assert_int_equal(nn_model_save(model, scratch(path)), 0);
    assert_int_equal(nn_checkpoint_open(path, &checkpoint), 0);
    for (i = 0; i < 2; ++i) {
        nn_config *other = parse(others[i]);
        nn_model *live = make(other, 0, 4);
        nn_host_array before;
        nn_host_array after;
        const char *message;

        nn_network_snapshot(live->network, "hidden.W", &before);
        assert_int_equal(nn_model_restore(live, checkpoint), NN_FORMAT);
        nn_error(NULL, &message);
        assert_non_null(strstr(message, path));
        nn_network_snapshot(live->network, "hidden.W", &after);
        assert_memory_equal(before.data, after.data,
                            12 * (size_t)nn_dtype_bytes(before.dtype));
        nn_free(before.data);
        nn_free(after.data);
        nn_model_destroy(live);
        nn_config_destroy(other);
    }
    nn_checkpoint_close(checkpoint);
    nn_model_destroy(model);
    nn_config_destroy(config);
    remove_scratch(path);
}

static void data_that_the_config_lacks_are_named(void **state)
{
    nn_config *config;
    nn_data *data = NULL;

    (void)state;
    config = parse(text);
    assert_int_equal(nn_data_create(config, "train", &data), NN_NOT_FOUND);
    assert_null(data);
    nn_config_destroy(config);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_rendered_renders_as_itself),
        cmocka_unit_test(all_errors_are_told_in_one_run),
        cmocka_unit_test(predictions_do_not_depend_on_the_batch_size),
        cmocka_unit_test(any_buffer_can_be_predicted),
        cmocka_unit_test(inputs_of_another_shape_or_name_are_refused),
        cmocka_unit_test(only_what_the_output_does_not_need_is_left_out),
        cmocka_unit_test(a_batch_without_weight_counts_for_nothing),
        cmocka_unit_test(a_short_last_batch_counts_as_what_it_is),
        cmocka_unit_test(a_label_out_of_range_names_the_layer),
        cmocka_unit_test(what_was_saved_is_loaded_to_the_bit),
        cmocka_unit_test(a_checkpoint_of_another_network_changes_nothing),
        cmocka_unit_test(data_that_the_config_lacks_are_named),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
