/* SPDX-License-Identifier: MIT */
/* cases.h - networks and runs for the tests of the case bank.
 *
 * Everything goes through nervenet.h and configs, as in a user's program.  A
 * case runs in eight ways: two handlers, two types, one thread and four.  What
 * `get` reads is recorded, and the ways are compared: the number of threads
 * changes no bit, and in float64 the handlers agree to 1e-12. */
#ifndef NN_TESTS_CASES_CASES_H
#define NN_TESTS_CASES_CASES_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <nervenet.h>

/* ---- ways ---------------------------------------------------------------- */

typedef struct way {
    const char *handler;
    uint32_t dtype;
    uint32_t threads;
} way;

#define WAYS 8

/* Four threads come right after one. */
static const way ways[WAYS] = {
    {"reference", NN_FLOAT64, 1}, {"reference", NN_FLOAT64, 4},
    {"reference", NN_FLOAT32, 1}, {"reference", NN_FLOAT32, 4},
    {"cpu", NN_FLOAT64, 1},       {"cpu", NN_FLOAT64, 4},
    {"cpu", NN_FLOAT32, 1},       {"cpu", NN_FLOAT32, 4}};

static const way *now; /* the way of this moment */

static inline int is_double(void)
{
    return now->dtype == NN_FLOAT64;
}

/* Relative: the bank prints 7 to 9 digits. */
static inline double tolerance(void)
{
    return is_double() ? 1e-7 : 1e-5;
}

/* ---- records ------------------------------------------------------------- */

#define RECORD_ROOM 16384

typedef struct record {
    size_t count;
    double values[RECORD_ROOM];
} record;

static record first;  /* of the first way */
static record single; /* of the last way with one thread */
static record last;   /* of this way */

static inline void note(double value)
{
    if (last.count == RECORD_ROOM)
        fail_msg("the record is full");
    last.values[last.count++] = value;
}

static inline int same_bits(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b));
}

static inline void compare_ways(void)
{
    size_t i;

    if (now == ways)
        first = last;
    if (now->threads == 1)
        single = last;
    assert_int_equal(last.count, single.count);
    for (i = 0; i < last.count; ++i)
        if (!same_bits(last.values[i], single.values[i]))
            fail_msg("4 threads: %.17g, 1 thread: %.17g", last.values[i],
                     single.values[i]);
    if (!is_double())
        return;
    assert_int_equal(last.count, first.count);
    for (i = 0; i < last.count; ++i) {
        double a = last.values[i];
        double b = first.values[i];

        if (!same_bits(a, b) &&
            !(fabs(a - b) <= 1e-12 * fmax(fabs(a), fabs(b))))
            fail_msg("%s: %.17g, %s: %.17g", now->handler, a, ways->handler, b);
    }
}

/* ---- running ------------------------------------------------------------- */

typedef struct one_case {
    const char *name;
    void (*show)(void);
    int ways; /* how many: WAYS, or 1 where no network is involved */
} one_case;

#define CASE(show)                                                             \
    {                                                                          \
        #show, show, WAYS                                                      \
    }
#define CASE_ONCE(show)                                                        \
    {                                                                          \
        #show, show, 1                                                         \
    }
#define RUN_CASES(cases) run_cases(cases, sizeof(cases) / sizeof *(cases))

typedef struct one_test {
    char name[128];
    const one_case *what;
    const way *how;
} one_test;

/* 1 if this build has the handler NAME. */
static inline int has_handler(const char *name)
{
    nn_plugin_component one;
    nn_plugins *plugins;
    uint32_t i;
    int found = 0;

    assert_int_equal(nn_plugins_create(NULL, &plugins), 0);
    for (i = 0; nn_plugins_component(plugins, i, &one); ++i)
        found |= one.state == NN_STATE_OK &&
                 one.component->kind == NN_KIND_HANDLER &&
                 !strcmp(one.component->name, name);
    nn_plugins_destroy(plugins);
    return found;
}

static inline void run_one(void **state)
{
    const one_test *test = *state;

    now = test->how;
    if (!has_handler(now->handler))
        skip();
    last.count = 0;
    nn_set_threads(now->threads);
    test->what->show();
    if (test->what->ways == WAYS)
        compare_ways();
}

static inline int run_cases(const one_case *cases, size_t n)
{
    struct CMUnitTest *tests = calloc(n * WAYS, sizeof *tests);
    one_test *each = calloc(n * WAYS, sizeof *each);
    size_t count = 0;
    size_t i;
    int status = 1;
    int k;

    for (i = 0; tests && each && i < n; ++i)
        for (k = 0; k < cases[i].ways; ++k, ++count) {
            one_test *test = &each[count];

            test->what = &cases[i];
            test->how = &ways[k];
            snprintf(test->name, sizeof test->name, "%s [%s %s %u]",
                     cases[i].name, ways[k].handler,
                     ways[k].dtype == NN_FLOAT64 ? "float64" : "float32",
                     (unsigned)ways[k].threads);
            tests[count] = (struct CMUnitTest){test->name, run_one, NULL, NULL,
                                               test};
        }
    if (tests && each)
        status = _cmocka_run_group_tests("cases", tests, count, NULL, NULL);
    free(tests);
    free(each);
    return status;
}

/* ---- assertions ---------------------------------------------------------- */

static inline void close_to(double got, double wanted, double relative,
                            int line)
{
    if (got == wanted || (isnan(got) && isnan(wanted)))
        return;
    if (!(fabs(got - wanted) <= relative * fabs(wanted)))
        fail_msg("line %d: %.17g is not %.17g", line, got, wanted);
}

/* To the tolerance of the type; 0 is 0. */
#define assert_close(got, wanted) close_to(got, wanted, tolerance(), __LINE__)

#define assert_all_close(got, wanted, n)                                       \
    do {                                                                       \
        int close_i;                                                           \
                                                                               \
        for (close_i = 0; close_i < (n); ++close_i)                            \
            close_to((got)[close_i], (wanted)[close_i], tolerance(),           \
                     __LINE__);                                                \
    } while (0)

/* To the bit. */
#define assert_exactly(got, wanted)                                            \
    do {                                                                       \
        double exact_got = (got);                                              \
        double exact_wanted = (wanted);                                        \
                                                                               \
        if (!same_bits(exact_got, exact_wanted))                               \
            fail_msg("line %d: %.17g is not %.17g", __LINE__, exact_got,       \
                     exact_wanted);                                            \
    } while (0)

#define assert_says(text, part)                                                \
    do {                                                                       \
        if (!strstr(text, part))                                               \
            fail_msg("line %d: '%s' does not say '%s'", __LINE__, text,        \
                     part);                                                    \
    } while (0)

/* The message of the last failure. */
static inline const char *message(void)
{
    const char *text = NULL;

    nn_error(NULL, &text);
    return text ? text : "";
}

#define assert_done(call)                                                      \
    do {                                                                       \
        if (call)                                                              \
            fail_msg("line %d: %s", __LINE__, message());                      \
    } while (0)

/* ---- networks ------------------------------------------------------------ */

typedef struct net {
    nn_config *config;
    nn_model *model;
    nn_network *network;
} net;

/* A plugin file for the configs of the test, or NULL. */
static const char *own_plugin;

/* TEXT behind the head of a config that says the way. */
static inline int32_t parse(const char *text, nn_config **config)
{
    nn_config_options options;
    size_t size = strlen(text) + 256;
    char *whole = malloc(size);
    int32_t code;

    memset(&options, 0, sizeof options);
    options.size = sizeof options;
    options.plugins = &own_plugin;
    options.n_plugins = own_plugin != NULL;
    assert_non_null(whole);
    snprintf(whole, size, "nervenet: 1\nhandler: %s\ndtype: %s\n%s",
             now->handler, is_double() ? "float64" : "float32", text);
    code = nn_config_parse(whole, "case.yaml", &options, config);
    free(whole);
    assert_non_null(*config);
    return code;
}

static inline nn_config *must_parse(const char *text)
{
    nn_config *config;

    if (parse(text, &config))
        fail_msg("%s", nn_config_messages(config));
    return config;
}

/* The config is refused with a message that says PART. */
static inline void refuse_config(const char *text, const char *part)
{
    nn_config *config;

    if (!parse(text, &config))
        fail_msg("'%s' is accepted", text);
    assert_says(nn_config_messages(config), part);
    nn_config_destroy(config);
}

static inline void open_net(net *n, const char *text, int64_t T, int64_t B)
{
    nn_model_options options;

    memset(&options, 0, sizeof options);
    options.size = sizeof options;
    options.training = 1;
    options.T = T;
    options.B = B;
    n->config = must_parse(text);
    assert_done(nn_model_create(n->config, &options, &n->model));
    n->network = nn_model_network(n->model);
}

static inline void close_net(net *n)
{
    nn_model_destroy(n->model);
    nn_config_destroy(n->config);
}

/* The network input, or the buffer with a dotted path. */
static inline nn_array array_of(net *n, const char *name)
{
    nn_array array;

    if (strchr(name, '.'))
        assert_done(nn_network_view(n->network, name, &array));
    else
        assert_done(nn_network_input(n->network, name, &array));
    return array;
}

/* COUNT numbers as DTYPE; free it. */
static inline void *convert(const double *values, int64_t count, uint32_t dtype)
{
    void *data = calloc((size_t)count + 1, sizeof(double));
    int64_t i;

    assert_non_null(data);
    for (i = 0; i < count; ++i)
        if (dtype == NN_FLOAT64)
            ((double *)data)[i] = values[i];
        else if (dtype == NN_FLOAT32)
            ((float *)data)[i] = (float)values[i];
        else
            ((int32_t *)data)[i] = (int32_t)values[i];
    return data;
}

static inline void put(net *n, const char *name, const double *values)
{
    nn_array array = array_of(n, name);
    void *data = convert(values, nn_elements(&array), array.dtype);

    assert_done(nn_network_upload(n->network, &array, data));
    free(data);
}

static inline void put_all(net *n, const char *name, double value)
{
    nn_array array = array_of(n, name);
    double *values = calloc((size_t)nn_elements(&array), sizeof *values);
    int64_t i;

    assert_non_null(values);
    for (i = 0; i < nn_elements(&array); ++i)
        values[i] = value;
    put(n, name, values);
    free(values);
}

/* All COUNT numbers of the buffer, not recorded. */
static inline void look(net *n, const char *path, double *values, int64_t count)
{
    nn_array array = array_of(n, path);
    void *data = calloc((size_t)count, sizeof(double));
    int64_t i;

    assert_non_null(data);
    assert_int_equal(nn_elements(&array), count);
    assert_done(nn_network_download(n->network, &array, data));
    for (i = 0; i < count; ++i)
        if (array.dtype == NN_FLOAT64)
            values[i] = ((double *)data)[i];
        else if (array.dtype == NN_FLOAT32)
            values[i] = ((float *)data)[i];
        else
            values[i] = ((int32_t *)data)[i];
    free(data);
}

static inline void get(net *n, const char *path, double *values, int64_t count)
{
    int64_t i;

    look(n, path, values, count);
    for (i = 0; i < count; ++i)
        note(values[i]);
}

static inline double get_loss(net *n)
{
    double value;

    assert_done(nn_network_loss(n->network, &value, NULL, NULL));
    note(value);
    return value;
}

#define TRAINING (NN_PASS_TRAIN | NN_PASS_BACKWARD)

static inline void begin(net *n, int64_t T, int64_t B)
{
    assert_done(nn_network_begin(n->network, T, B, TRAINING));
}

static inline void forward(net *n)
{
    assert_done(nn_network_forward(n->network, 0, NULL));
}

static inline void backward(net *n)
{
    assert_done(nn_network_backward(n->network, 0));
}

/* ---- data and runs ------------------------------------------------------- */

/* A field of data in memory: (1, samples, features). */
typedef struct field {
    const char *name;
    const double *values;
    int64_t features;
    uint32_t dtype; /* NN_REAL: the way's */
} field;

#define FIELDS 4

typedef struct run {
    nn_config *config;
    nn_model *model;
    nn_data *data;
    nn_trainer *trainer;
    void *memory[FIELDS];
    const char *out;
    const char *resume;
    int64_t epochs;
    int32_t shuffle;
} run;

static inline void set_data(run *r, const field *fields, uint32_t n,
                            int64_t samples, int64_t size)
{
    nn_host_array arrays[FIELDS];
    uint32_t i;

    memset(arrays, 0, sizeof arrays);
    for (i = 0; i < n; ++i) {
        uint32_t dtype = fields[i].dtype ? fields[i].dtype : now->dtype;

        r->memory[i] = convert(fields[i].values, samples * fields[i].features,
                               dtype);
        arrays[i] = (nn_host_array){sizeof *arrays,  fields[i].name, dtype, 3,
                                    {1, samples, fields[i].features},
                                    r->memory[i]};
    }
    assert_done(nn_iterator_from_arrays(arrays, n, size, r->shuffle,
                                        &r->data));
}

/* Config and model; B samples at most. */
static inline void set_model(run *r, const char *text, int64_t B)
{
    nn_model_options options;

    memset(&options, 0, sizeof options);
    options.size = sizeof options;
    options.training = 1;
    options.B = B;
    r->config = must_parse(text);
    assert_done(nn_model_create(r->config, &options, &r->model));
}

static inline int32_t set_trainer(run *r)
{
    nn_trainer_options options;

    memset(&options, 0, sizeof options);
    options.size = sizeof options;
    options.out = r->out;
    options.resume = r->resume;
    options.epochs = r->epochs;
    return nn_trainer_create(r->model, r->data, &options, &r->trainer);
}

static inline void end_run(run *r)
{
    int i;

    nn_trainer_destroy(r->trainer);
    nn_data_destroy(r->data);
    nn_model_destroy(r->model);
    nn_config_destroy(r->config);
    for (i = 0; i < FIELDS; ++i)
        free(r->memory[i]);
    memset(r, 0, sizeof *r);
}

/* Trains in batches of SIZE; the code of the run. */
static inline int32_t train(run *r, const char *text, const field *fields,
                            uint32_t n, int64_t samples, int64_t size)
{
    set_model(r, text, samples < size ? samples : size);
    set_data(r, fields, n, samples, size);
    assert_done(set_trainer(r));
    return nn_trainer_run(r->trainer, NULL);
}

/* The COUNT numbers of a parameter, not recorded. */
static inline void parameter(run *r, const char *path, double *values,
                             int64_t count)
{
    net n = {r->config, r->model, nn_model_network(r->model)};

    look(&n, path, values, count);
}

/* ---- files --------------------------------------------------------------- */

static char folder[64]; /* of the test; "" if there is none */

static inline void make_folder(void)
{
    snprintf(folder, sizeof folder, "/tmp/nn-cases-XXXXXX");
    assert_non_null(mkdtemp(folder));
}

static inline void remove_folder(void)
{
    char command[128];

    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    assert_int_equal(system(command), 0);
}

/* NAME in it; as many as eight live at once. */
static inline const char *in_folder(const char *name)
{
    static char paths[8][256];
    static int next;
    char *path = paths[next++ % 8];

    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

static inline void write_file(const char *name, const void *bytes, size_t count)
{
    FILE *file = fopen(in_folder(name), "wb");

    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, count, file), count);
    assert_int_equal(fclose(file), 0);
}

/* The bytes of a file, with a zero behind them; free it. */
static inline char *read_bytes(const char *path, size_t *count)
{
    FILE *file = fopen(path, "rb");
    char *bytes = calloc(1, 1 << 20);

    assert_non_null(file);
    assert_non_null(bytes);
    *count = fread(bytes, 1, (1 << 20) - 1, file);
    assert_true(*count < (1 << 20) - 1);
    fclose(file);
    return bytes;
}

#endif
