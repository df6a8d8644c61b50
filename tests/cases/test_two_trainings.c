/* SPDX-License-Identifier: MIT */
/* test_two_trainings.c - two trainings in two threads of one program, each with
 * config, plugins, handler, network and trainer of its own, end with the same
 * bits as one after the other. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <nervenet.h>

#define SAMPLES 96
#define FEATURES 20

static const char *const handlers[] = {"reference", "{type: cpu, threads: 2}"};

typedef struct training {
    const char *handler;
    uint64_t seed;
    float x[SAMPLES * FEATURES];
    int32_t y[SAMPLES];
    int32_t code;
    nn_host_array weights; /* after training */
    char text[256];        /* of an error */
} training;

static void fill(training *t)
{
    int i;

    for (i = 0; i < SAMPLES * FEATURES; ++i)
        t->x[i] = (float)((i * 37 + (int)t->seed * 11) % 101) / 50 - 1;
    for (i = 0; i < SAMPLES; ++i)
        t->y[i] = (i * 7 + (int)t->seed) % 5;
}

static int32_t parse(const training *t, nn_config **config)
{
    char text[1024];

    snprintf(text, sizeof text,
             "nervenet: 1\nhandler: %s\nseed: %d\n"
             "inputs: {x: [20], y: {shape: [1], dtype: int32}}\n"
             "network:\n"
             "  - fully_connected: {size: 70, activation: tanh}\n"
             "  - dropout: 0.3\n"
             "  - fully_connected: {size: 5, name: scores}\n"
             "  - softmax_ce: {from: [scores, y]}\n"
             "training: {stepper: {adam: 0.01}, epochs: 4}\n",
             t->handler, (int)t->seed);
    return nn_config_parse(text, "two.yaml", NULL, config);
}

static int32_t train(training *t, nn_config *config)
{
    nn_host_array arrays[2] = {
        {sizeof *arrays, "x", NN_FLOAT32, 3, {1, SAMPLES, FEATURES}, t->x},
        {sizeof *arrays, "y", NN_INT32, 3, {1, SAMPLES, 1}, t->y}};
    nn_model_options options = {.size = sizeof options,
                                .training = 1,
                                .T = 1,
                                .B = 16};
    nn_model *model = NULL;
    nn_data *data = NULL;
    nn_trainer *trainer = NULL;
    int32_t code = nn_model_create(config, &options, &model);

    if (!code)
        code = nn_iterator_from_arrays(arrays, 2, 16, 1, &data);
    if (!code)
        code = nn_trainer_create(model, data, NULL, &trainer);
    if (!code)
        code = nn_trainer_run(trainer, NULL);
    if (!code)
        code = nn_network_snapshot(nn_model_network(model),
                                   "fully_connected.W", &t->weights);
    nn_trainer_destroy(trainer);
    nn_data_destroy(data);
    nn_model_destroy(model);
    return code;
}

/* Everything without assertions, which belong to the first thread. */
static void *run(void *self)
{
    training *t = self;
    nn_config *config = NULL;
    const char *text;

    t->code = parse(t, &config);
    if (!t->code)
        t->code = train(t, config);
    nn_error(NULL, &text);
    snprintf(t->text, sizeof t->text, "%s", text);
    nn_config_destroy(config);
    return NULL;
}

static void compare(const training *a, const training *b)
{
    if (a->code || b->code)
        print_error("%s%s\n", a->text, b->text);
    assert_int_equal(a->code, 0);
    assert_int_equal(b->code, 0);
    assert_memory_equal(a->weights.data, b->weights.data,
                        70 * FEATURES * sizeof(float));
}

static void train_twice(const char *handler)
{
    static training together[2];
    static training alone[2];
    pthread_t threads[2];
    int i;

    for (i = 0; i < 2; ++i) {
        memset(&together[i], 0, sizeof together[i]);
        together[i].handler = handler;
        together[i].seed = 3 + (uint64_t)i;
        fill(&together[i]);
        alone[i] = together[i];
    }
    for (i = 0; i < 2; ++i)
        assert_int_equal(pthread_create(&threads[i], NULL, run, &together[i]),
                         0);
    for (i = 0; i < 2; ++i)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    for (i = 0; i < 2; ++i) {
        run(&alone[i]);
        compare(&alone[i], &together[i]);
    }
    assert_memory_not_equal(alone[0].weights.data, alone[1].weights.data,
                            70 * FEATURES * sizeof(float));
    for (i = 0; i < 2; ++i) {
        nn_free(alone[i].weights.data);
        nn_free(together[i].weights.data);
    }
}

/* 1 if this build has the handler cpu. */
static int has_cpu(void)
{
    nn_plugin_component one;
    nn_plugins *plugins;
    uint32_t i;
    int found = 0;

    assert_int_equal(nn_plugins_create(NULL, &plugins), 0);
    for (i = 0; nn_plugins_component(plugins, i, &one); ++i)
        if (one.state == NN_STATE_OK &&
            one.component->kind == NN_KIND_HANDLER &&
            !strcmp(one.component->name, "cpu"))
            found = 1;
    nn_plugins_destroy(plugins);
    return found;
}

static void two_trainings_at_once_are_as_one_after_the_other(void **state)
{
    size_t i;

    (void)state;
    for (i = 0; i < sizeof handlers / sizeof *handlers; ++i)
        if (i == 0 || has_cpu())
            train_twice(handlers[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_trainings_at_once_are_as_one_after_the_other),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
