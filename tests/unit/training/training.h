/* SPDX-License-Identifier: MIT */
/* training.h - small runs for tests of the trainer.
 *
 * A run is a config, its model, seven samples in memory and a trainer.  Tests
 * put components of their own in the place of the config's hooks and
 * modifiers, so that they see what such a component sees. */
#ifndef NN_TESTS_UNIT_TRAINING_TRAINING_H
#define NN_TESTS_UNIT_TRAINING_TRAINING_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/training/trainer.h"
#include "core/util/error.h"

#define SAMPLES 7

/* The head of a config with inputs x (3), t (2) and mask m (1). */
#define INPUTS                                                                 \
    "nervenet: 1\n"                                                            \
    "handler: reference\n"                                                     \
    "dtype: float64\n"                                                         \
    "seed: 7\n"                                                                \
    "inputs: {x: [3], t: [2], m: [1]}\n"
#define HEAD INPUTS "initialize: {\"*.W\": {gaussian: {std: 0.5}}}\n"

/* Two layers with dropout between them. */
#define NETWORK                                                                \
    HEAD "network:\n"                                                          \
         "  - fully_connected: {name: hidden, size: 5, activation: tanh}\n"    \
         "  - dropout: 0.25\n"                                                 \
         "  - fully_connected: {name: out, size: 2}\n"                         \
         "  - squared_error: {from: {default: out, targets: t, mask: m}}\n"

/* The same without chance. */
#define PLAIN                                                                  \
    HEAD "network:\n"                                                          \
         "  - fully_connected: {name: hidden, size: 5, activation: tanh}\n"    \
         "  - fully_connected: {name: out, size: 2}\n"                         \
         "  - squared_error: {from: {default: out, targets: t, mask: m}}\n"

/* A run; zeros at first. */
typedef struct run {
    nn_config *config;
    nn_model *model;
    nn_data *data;
    nn_trainer *trainer;
    double x[SAMPLES][3];
    double t[SAMPLES][2];
    double m[SAMPLES][1];
    nn_trainer_options options;
} run;

static inline void fill_samples(run *r)
{
    int i;
    int k;

    for (i = 0; i < SAMPLES; ++i) {
        for (k = 0; k < 3; ++k)
            r->x[i][k] = sin(1.0 + 3 * i + k);
        for (k = 0; k < 2; ++k)
            r->t[i][k] = cos(2.0 * i + k);
        r->m[i][0] = 1;
    }
}

/* Parses TEXT and fills the samples. */
static inline void start_run(run *r, const char *text)
{
    memset(r, 0, sizeof *r);
    r->options.size = sizeof r->options;
    fill_samples(r);
    if (nn_config_parse(text, "test.yaml", NULL, &r->config))
        fail_msg("%s", nn_config_messages(r->config));
}

/* Model and data of SIZE samples a batch. */
static inline void open_model(run *r, int64_t size, int32_t shuffle)
{
    nn_model_options options = {.size = sizeof options, .training = 1};
    nn_host_array arrays[] = {
        {sizeof *arrays, "x", NN_FLOAT64, 3, {1, SAMPLES, 3}, r->x},
        {sizeof *arrays, "t", NN_FLOAT64, 3, {1, SAMPLES, 2}, r->t},
        {sizeof *arrays, "m", NN_FLOAT64, 3, {1, SAMPLES, 1}, r->m}};

    options.T = 1;
    options.B = SAMPLES;
    if (nn_model_create(r->config, &options, &r->model))
        fail_msg("%s", nn_error_text());
    if (nn_iterator_from_arrays(arrays, 3, size, shuffle, &r->data))
        fail_msg("%s", nn_error_text());
}

/* The trainer, or the code of why there is none. */
static inline int32_t open_trainer(run *r)
{
    return nn_trainer_create(r->model, r->data, &r->options, &r->trainer);
}

static inline void must_open(run *r)
{
    if (open_trainer(r))
        fail_msg("%s", nn_error_text());
}

static inline int32_t must_run(run *r)
{
    int32_t ended = -1;

    if (nn_trainer_run(r->trainer, &ended))
        fail_msg("%s", nn_error_text());
    return ended;
}

static inline void end_run(run *r)
{
    nn_trainer_destroy(r->trainer);
    nn_data_destroy(r->data);
    nn_model_destroy(r->model);
    nn_config_destroy(r->config);
    nn_error_clear();
}

/* All in one, SIZE samples a batch and shuffled. */
static inline void train(run *r, const char *text, int64_t size,
                         const char *out, const char *resume, int64_t epochs)
{
    start_run(r, text);
    open_model(r, size, 1);
    r->options.out = out;
    r->options.resume = resume;
    r->options.epochs = epochs;
    must_open(r);
    must_run(r);
}

/* ---- looking ------------------------------------------------------------ */

/* The COUNT values of the buffer at PATH. */
static inline void read_values(run *r, const char *path, double *values,
                               int count)
{
    nn_host_array array;

    if (nn_network_snapshot(r->model->network, path, &array))
        fail_msg("%s", nn_error_text());
    assert_int_equal(array.dtype, NN_FLOAT64);
    memcpy(values, array.data, (size_t)count * sizeof *values);
    nn_free(array.data);
}

/* All parameters with their padding; the caller frees them. */
static inline double *all_parameters(run *r, size_t *bytes)
{
    nn_array all = nn_network_parameters(r->model->network);
    double *values;

    *bytes = (size_t)nn_elements(&all) * sizeof *values;
    values = malloc(*bytes);
    assert_non_null(values);
    assert_int_equal(nn_network_download(r->model->network, &all, values), 0);
    return values;
}

/* 1 if A and B have equal parameters, to the bit. */
static inline int same_parameters(run *a, run *b)
{
    size_t bytes_a;
    size_t bytes_b;
    double *values_a = all_parameters(a, &bytes_a);
    double *values_b = all_parameters(b, &bytes_b);
    int same = bytes_a == bytes_b && !memcmp(values_a, values_b, bytes_a);

    free(values_a);
    free(values_b);
    return same;
}

static inline int same_logs(const run *a, const run *b)
{
    const nn_logs *x = &a->trainer->logs;
    const nn_logs *y = &b->trainer->logs;
    uint32_t i;

    if (x->count != y->count)
        return 0;
    for (i = 0; i < x->count; ++i)
        if (strcmp(x->items[i].name, y->items[i].name) ||
            x->items[i].count != y->items[i].count ||
            memcmp(x->items[i].values, y->items[i].values,
                   (size_t)x->items[i].count * sizeof(double)))
            return 0;
    return 1;
}

#define assert_near(a, b, tolerance)                                           \
    do {                                                                       \
        double near_a = (a);                                                   \
        double near_b = (b);                                                   \
                                                                               \
        if (!(fabs(near_a - near_b) <= (tolerance)))                           \
            fail_msg("%.17g is not %.17g", near_a, near_b);                    \
    } while (0)

/* ---- folders ------------------------------------------------------------ */

static char folder[64]; /* of this test */

static inline int make_folder(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/nn-training-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static inline int remove_folder(void **state)
{
    char command[128];

    (void)state;
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}

/* NAME in the test's folder; as many as four live at once. */
static inline const char *in_folder(const char *name)
{
    static char paths[4][400];
    static int next;
    char *path = paths[next++ % 4];

    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

/* The text of a file; the caller frees it. */
static inline char *read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    char *text = calloc(1, 1 << 20);
    size_t length;

    if (!file)
        fail_msg("there is no %s", path);
    length = fread(text, 1, (1 << 20) - 1, file);
    assert_true(length < (1 << 20) - 1);
    fclose(file);
    return text;
}

/* ---- components of the test --------------------------------------------- */

/* A hook that calls SPY; its name in a config is that of the component whose
 * place it takes. */
static int32_t (*spy)(const nn_hook_context *context);

static inline int32_t spy_call(nn_hook *hook, const nn_hook_context *context)
{
    (void)hook;
    return spy(context);
}

static nn_hook_interface spy_interface = {
    .size = NN_SIZEOF(nn_hook_interface, call),
    .events = NN_AT_START | NN_AT_UPDATE | NN_AT_EPOCH | NN_AT_END,
    .call = spy_call,
};

/* Puts spies in the place of all hooks called "spy...". */
static inline void place_spies(run *r,
                               int32_t (*function)(const nn_hook_context *))
{
    static nn_component component;
    int64_t i;

    spy = function;
    for (i = 0; i < r->config->hooks.count; ++i) {
        nn_extra *extra = &r->config->hooks.items[i];

        if (strncmp(extra->name, "spy", 3))
            continue;
        component = *extra->named.component;
        component.interface = &spy_interface;
        extra->named.component = &component;
    }
}

/* A modifier that sets every gradient to the value. */
static double forced_gradient;

static inline int32_t force(const nn_modifier_context *context)
{
    uint32_t i;

    for (i = 0; i < context->n_modified; ++i)
        nn_fill(context->ops, &context->modified[i].gradient, forced_gradient);
    return NN_OK;
}

/* Puts it in the place of the config's first modifier. */
static inline void force_gradients(run *r, double value)
{
    static const nn_modifier_interface interface = {
        .size = NN_SIZEOF(nn_modifier_interface, modify),
        .when = NN_MODIFY_GRADIENT,
        .modify = force,
    };
    static nn_component component;

    forced_gradient = value;
    component = *r->config->modifiers.items[0].named.component;
    component.interface = &interface;
    r->config->modifiers.items[0].named.component = &component;
}

#endif
