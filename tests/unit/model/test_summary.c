/* SPDX-License-Identifier: MIT */
/* test_summary.c - what is told of a network before it runs, its memory and
 * its layers, and of the plugins. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/model/model.h"

#define TEXT(classes)                                                          \
    "nervenet: 1\n"                                                            \
    "handler: reference\n"                                                     \
    "dtype: float64\n"                                                         \
    "inputs: {x: [3], y: {shape: [1], dtype: int32}}\n"                        \
    "network:\n"                                                               \
    "  - fully_connected: {size: 4, activation: tanh, name: hidden}\n"         \
    "  - fully_connected: {size: " classes ", name: scores}\n"                 \
    "  - softmax_ce: {from: {default: scores, targets: y}}\n"                  \
    "training: {stepper: {momentum: 0.1}, epochs: 1}\n"

static const char text[] = TEXT("2");

static nn_config *parse(const char *yaml)
{
    nn_config *config;

    if (nn_config_parse(yaml, "test.yaml", NULL, &config))
        print_error("%s", nn_config_messages(config));
    assert_string_equal(nn_config_messages(config), "");
    return config;
}

/* ---- memory ------------------------------------------------------------ */

static void the_summary_is_what_the_network_allocates(void **state)
{
    nn_config *config = parse(text);
    int training;

    (void)state;
    for (training = 0; training < 2; ++training) {
        nn_model_options options = {.size = sizeof options,
                                    .training = training,
                                    .B = 100};
        nn_memory_summary memory = {.size = sizeof memory};
        nn_model *model;

        assert_int_equal(nn_model_create(config, &options, &model), 0);
        assert_int_equal(nn_config_memory(config, 1, 100, training, &memory),
                         0);
        assert_int_equal(memory.total - memory.stepper,
                         model->network->allocated);
        assert_int_equal(memory.stepper, training ? memory.parameters : 0);
        assert_true(training ? memory.gradients == memory.parameters
                             : memory.gradients == 0);
        nn_model_destroy(model);
    }
    nn_config_destroy(config);
}

/* A program of an earlier version has shorter structs. */
static void structs_are_filled_as_far_as_the_caller_knows_them(void **state)
{
    nn_config *config = parse(text);
    struct {
        nn_memory_summary memory;
        char behind;
    } it;
    nn_model_options options = {.size = offsetof(nn_model_options,
                                                 uninitialized),
                                .uninitialized = 1};
    const char *folder = "/nowhere/at/all";
    nn_plugins_options wanted = {.size = offsetof(nn_plugins_options, files),
                                 .n_files = 1,
                                 .files = &folder};
    nn_plugins *plugins;
    nn_host_array W;
    nn_model *model;

    (void)state;
    memset(&it, 7, sizeof it);
    it.memory.size = offsetof(nn_memory_summary, total);
    assert_int_equal(nn_config_memory(config, 1, 4, 1, &it.memory), 0);
    assert_true(it.memory.parameters > 0);
    assert_int_equal(it.memory.total, 0x0707070707070707);
    assert_int_equal(nn_model_create(config, &options, &model), 0);
    assert_int_equal(nn_network_snapshot(model->network, "hidden.W", &W), 0);
    assert_true(((const double *)W.data)[0] != 0);
    nn_free(W.data);
    assert_int_equal(nn_plugins_create(&wanted, &plugins), 0);
    nn_plugins_destroy(plugins);
    nn_model_destroy(model);
    nn_config_destroy(config);
}

static const nn_handler_interface *true_handler;

static void describe_little_memory(nn_handler *handler, nn_handler_info *info)
{
    true_handler->describe(handler, info);
    info->memory = 1 << 20;
}

static void a_batch_too_large_for_the_handler_is_told_what_fits(void **state)
{
    static const char wide[] = TEXT("1000");
    nn_config *config = parse(wide);
    nn_component small = *config->handler;
    nn_handler_interface interface;
    nn_model_options options = {.size = sizeof options, .B = 100000};
    const char *message;
    const char *number;
    nn_model *model;

    (void)state;
    true_handler = config->handler->interface;
    interface = *true_handler;
    interface.describe = describe_little_memory;
    small.interface = &interface;
    config->handler = &small;
    assert_int_equal(nn_model_create(config, &options, &model), NN_NO_MEMORY);
    assert_null(model);
    nn_error(NULL, &message);
    assert_non_null(strstr(message, "100000 samples"));
    assert_non_null(strstr(message, "1 MiB"));
    number = strstr(message, "the largest batch that fits has ");
    assert_non_null(number);
    options.B = atoll(number + strlen("the largest batch that fits has "));
    assert_in_range(options.B, 1, 99999);
    assert_int_equal(nn_model_create(config, &options, &model), 0);
    nn_model_destroy(model);
    ++options.B;
    assert_int_equal(nn_model_create(config, &options, &model), NN_NO_MEMORY);
    nn_config_destroy(config);
}

/* Case N7: sizes whose product does not fit. */
static void a_layer_too_large_for_any_memory_is_named(void **state)
{
    static const char *const sizes[] = {"4294967296", "3037000500",
                                        "9007199254740991"};
    char yaml[512];
    size_t i;

    (void)state;
    for (i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
        nn_config *config;

        snprintf(yaml, sizeof yaml,
                 "nervenet: 1\nhandler: reference\ninputs: {x: [%s]}\n"
                 "network: [{fully_connected: {size: %s, name: huge}}]\n",
                 sizes[i], sizes[i]);
        if (nn_config_parse(yaml, "huge.yaml", NULL, &config) == 0) {
            nn_model *model = NULL;
            const char *message;

            assert_int_equal(nn_model_create(config, NULL, &model),
                             NN_NO_MEMORY);
            nn_error(NULL, &message);
            assert_non_null(strstr(message, "memory"));
            assert_null(model);
        } else {
            assert_non_null(strstr(nn_config_messages(config), "huge"));
        }
        nn_config_destroy(config);
    }
}

/* ---- what is there ------------------------------------------------------ */

static void layers_are_told_in_the_order_of_execution(void **state)
{
    static const char shared[] =
        "nervenet: 1\n"
        "handler: reference\n"
        "inputs: {x: [4, 6, 2], y: [5]}\n"
        "network:\n"
        "  - fully_connected: {size: 3, name: last, from: \"twin[1:3]\"}\n"
        "  - fully_connected: {size: 5, name: first, from: y}\n"
        "  - fully_connected: {size: 5, name: twin, from: first}\n"
        "  - fully_connected: {size: 5, name: again, from: first, "
        "share: twin}\n";
    nn_config *config = parse(shared);
    nn_layer_summary layer;
    uint32_t seen = 0;
    uint32_t i;

    (void)state;
    for (i = 0; nn_config_layer(config, i, &layer); ++i) {
        if (!strcmp(layer.name, "first")) {
            assert_string_equal(layer.inputs, "y");
            assert_string_equal(layer.type, "fully_connected");
            assert_string_equal(layer.shape, "(T, B, 5)");
            assert_int_equal(layer.parameters, 30);
            assert_int_equal(layer.multiply_adds, 25);
            assert_int_equal(seen++, 0);
        } else if (!strcmp(layer.name, "twin")) {
            assert_int_equal(seen++ > 0, 1);
        } else if (!strcmp(layer.name, "again")) {
            assert_string_equal(layer.notes, "shares twin");
            assert_int_equal(layer.parameters, 0);
            assert_int_equal(layer.multiply_adds, 25);
            ++seen;
        } else if (!strcmp(layer.name, "last")) {
            assert_string_equal(layer.inputs, "twin[1:3]");
            assert_int_equal(layer.multiply_adds, 6);
            ++seen;
        }
    }
    assert_int_equal(seen, 4);
    assert_int_equal(i, 5);
    assert_null(layer.name);
    nn_config_destroy(config);
}

static void plugins_are_listed_with_what_they_hold(void **state)
{
    nn_plugins *plugins;
    nn_plugin_component found;
    nn_plugin_file file;
    const char *reason;
    uint32_t files = 0;
    int layers = 0;
    uint32_t i;

    (void)state;
    assert_int_equal(nn_plugins_create(NULL, &plugins), 0);
    for (i = 0; nn_plugins_component(plugins, i, &found); ++i) {
        assert_non_null(nn_kind_name(found.component->kind));
        if (found.component->kind != NN_KIND_LAYER ||
            strcmp(found.component->name, "fully_connected") ||
            found.state != NN_STATE_OK)
            continue;
        ++layers;
        assert_non_null(found.plugin->version);
        assert_non_null(found.path);
        assert_null(found.reason);
    }
    assert_null(found.component);
    assert_int_equal(layers, 1);
    while (nn_plugins_file(plugins, files, &file)) {
        assert_non_null(file.path);
        assert_true(file.reason != NULL || file.state == NN_STATE_OK);
        ++files;
    }
    assert_true(files > 0);
    assert_null(file.path);
    for (i = 0; nn_plugins_folder(plugins, i, &reason);)
        ++i;
    assert_null(reason);
    assert_null(nn_plugins_folder(plugins, i, NULL));
    assert_null(nn_kind_name(999));
    nn_plugins_destroy(plugins);
}

static void a_plugin_that_must_load_is_named(void **state)
{
    const char *nowhere = "/nowhere/layer.so";
    nn_plugins_options options = {.size = sizeof options,
                                  .files = &nowhere,
                                  .n_files = 1};
    nn_plugins *plugins;
    const char *message;

    (void)state;
    assert_true(nn_plugins_create(&options, &plugins) < 0);
    assert_null(plugins);
    nn_error(NULL, &message);
    assert_non_null(strstr(message, nowhere));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_summary_is_what_the_network_allocates),
        cmocka_unit_test(structs_are_filled_as_far_as_the_caller_knows_them),
        cmocka_unit_test(a_batch_too_large_for_the_handler_is_told_what_fits),
        cmocka_unit_test(a_layer_too_large_for_any_memory_is_named),
        cmocka_unit_test(layers_are_told_in_the_order_of_execution),
        cmocka_unit_test(plugins_are_listed_with_what_they_hold),
        cmocka_unit_test(a_plugin_that_must_load_is_named),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
