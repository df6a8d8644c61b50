/* SPDX-License-Identifier: MIT */
/* mlp.c - one training step of the perceptron 784-1000-1000-10 with Nervenet.
 *
 * Prints two numbers: the median milliseconds of a step over 15 samples of
 * 10 steps (batch from memory, forward, cross entropy, backward, momentum,
 * batch 128, float32, through the trainer as a user runs it), and the page faults
 * that all of these steps made together.
 *
 *     mlp THREADS */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include <nervenet.h>

#define WARM_UP 40
#define SAMPLES 15
#define STEPS 10

static const char config_text[] =
    "nervenet: 1\n"
    "handler: cpu\n"
    "inputs: {x: [784], y: {shape: [1], dtype: int32}}\n"
    "network:\n"
    "  - fully_connected: {size: 1000, activation: relu}\n"
    "  - fully_connected: {size: 1000, activation: relu}\n"
    "  - fully_connected: {size: 10, name: scores}\n"
    "  - softmax_ce: {from: {default: scores, targets: y}}\n"
    "training:\n"
    "  stepper: {momentum: {learning_rate: 0.01, momentum: 0.9}}\n"
    "  updates: 190\n"
    "  hooks: [progress]\n";

typedef struct clock_state {
    double starts[SAMPLES + 1];
    int n;
    long faults;
} clock_state;

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static long faults(void)
{
    struct rusage usage;

    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_minflt + usage.ru_majflt;
}

static void progress(void *self, const nn_trainer_status *status)
{
    clock_state *state = self;
    long update = (long)status->update - WARM_UP;

    /* A hook shows progress after the update and after the epoch. */
    if (update != (long)state->n * STEPS || state->n > SAMPLES)
        return;
    if (update == 0)
        state->faults = faults();
    state->starts[state->n++] = now();
    if (state->n == SAMPLES + 1)
        state->faults = faults() - state->faults;
}

static int fail(const char *what)
{
    const char *text;

    nn_error(NULL, &text);
    fprintf(stderr, "%s: %s\n", what, text);
    return 1;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;

    return (x > y) - (x < y);
}

static void report(const clock_state *state)
{
    double times[SAMPLES];
    int i;

    for (i = 0; i < SAMPLES; ++i)
        times[i] = (state->starts[i + 1] - state->starts[i]) / STEPS;
    qsort(times, SAMPLES, sizeof *times, by_value);
    printf("%.4f %ld\n", 1e3 * times[SAMPLES / 2], state->faults);
}

int main(int argc, char **argv)
{
    static float x[1280 * 784];
    static int32_t y[1280];
    nn_host_array arrays[2];
    nn_trainer_options options;
    nn_model_options model_options;
    clock_state state;
    nn_config *config = NULL;
    nn_model *model = NULL;
    nn_data *data = NULL;
    nn_trainer *trainer = NULL;
    int i;

    memset(arrays, 0, sizeof arrays);
    memset(&options, 0, sizeof options);
    memset(&model_options, 0, sizeof model_options);
    memset(&state, 0, sizeof state);
    nn_set_threads(argc > 1 ? (uint32_t)atoi(argv[1]) : 1);
    for (i = 0; i < 1280 * 784; ++i)
        x[i] = (float)rand() / (float)RAND_MAX;
    for (i = 0; i < 1280; ++i)
        y[i] = rand() % 10;
    arrays[0] = (nn_host_array){sizeof *arrays, "x", NN_FLOAT32, 3,
                                {1, 1280, 784}, x};
    arrays[1] = (nn_host_array){sizeof *arrays, "y", NN_INT32, 3,
                                {1, 1280, 1}, y};
    model_options.size = sizeof model_options;
    model_options.training = 1;
    model_options.T = 1;
    model_options.B = 128;
    options.size = sizeof options;
    options.progress = progress;
    options.self = &state;
    if (nn_config_parse(config_text, "mlp", NULL, &config)) {
        fputs(nn_config_messages(config), stderr);
        return 1;
    }
    if (nn_iterator_from_arrays(arrays, 2, 128, 0, &data))
        return fail("data");
    if (nn_model_create(config, &model_options, &model))
        return fail("model");
    if (nn_trainer_create(model, data, &options, &trainer))
        return fail("trainer");
    if (nn_trainer_run(trainer, NULL))
        return fail("training");
    report(&state);
    nn_trainer_destroy(trainer);
    nn_model_destroy(model);
    nn_data_destroy(data);
    nn_config_destroy(config);
    return 0;
}
