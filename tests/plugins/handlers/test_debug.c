/* SPDX-License-Identifier: MIT */
/* test_debug.c - a zoo of bad calls: each is told by exactly one finding.
 *
 * The handler stands before `reference` and goes on after a finding, so what is
 * told can be counted; a call that is right tells nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <nervenet.h>
#include <nn/linear.h>
#include <nn/track.h>

#define BYTES 4096
#define MOST 16

static nn_plugins *plugins;
static char told[MOST][1024]; /* texts of findings since the last call */
static int n_told;

/* A handler and a block. */
static nn_part *part;
static nn_device *device;
static const nn_handler_interface *functions;
static nn_handler *handler;
static const nn_operations *ops;
static nn_memory *memory;

static void note(void *self, uint32_t level, const char *text)
{
    (void)self;
    (void)level;
    if (!strncmp(text, "NN-", 3) && n_told < MOST)
        snprintf(told[n_told++], sizeof *told, "%s", text);
}

static void begin_as(const char *text)
{
    nn_handler_request request = {NN_SIZEOF(nn_handler_request, deterministic),
                                  NN_FLOAT32, 1};
    void *bytes;

    assert_int_equal(
        nn_part_create(plugins, NN_KIND_HANDLER, text, NULL, &part), 0);
    assert_int_equal(nn_device_create(part, &request, &device), 0);
    functions = nn_device_functions(device);
    handler = nn_device_handler(device);
    ops = nn_device_operations(device);
    assert_int_equal(functions->allocate(handler, BYTES, &memory), 0);
    bytes = functions->map(handler, memory, 0, BYTES / 2, NN_MAP_WRITE);
    assert_non_null(bytes);
    memset(bytes, 0, BYTES / 2);
    functions->unmap(handler, memory, bytes, NN_MAP_WRITE);
    n_told = 0;
}

static int begin(void **state)
{
    (void)state;
    begin_as("{debug: {inner: reference, stop: never}}");
    return 0;
}

static int end(void **state)
{
    (void)state;
    functions->release(handler, memory);
    nn_device_destroy(device);
    nn_part_destroy(part);
    return 0;
}

/* (ROWS, COLUMNS) of real numbers at OFFSET of the block.  The first half of
 * the block is written, the second is not. */
static nn_array at(int64_t offset, int64_t rows, int64_t columns)
{
    nn_array array;

    memset(&array, 0, sizeof array);
    array.memory = memory;
    array.offset = offset;
    array.ndim = 2;
    array.shape[0] = rows;
    array.shape[1] = array.pitch = columns;
    array.dtype = NN_FLOAT32;
    return array;
}

/* Exactly one finding came, and it begins with ID. */
static void assert_told(const char *id)
{
    if (n_told != 1 || strncmp(told[0], id, strlen(id)) != 0 ||
        told[0][strlen(id)] != ':')
        fail_msg("wanted one finding %s, got %d: %s", id, n_told,
                 n_told ? told[0] : "");
    n_told = 0;
}

static void a_right_call_tells_nothing(void **state)
{
    nn_array x = at(0, 3, 4);
    nn_array y = at(2048, 3, 4);

    (void)state;
    nn_add_ts(ops, &x, 1.0, &y);
    nn_add_tt(ops, &x, &y, &y);
    y.mode = NN_ADD;
    nn_square_t(ops, &x, &y);
    y.mode = NN_DISCARD;
    nn_square_t(ops, &x, &y);
    assert_int_equal(n_told, 0);
}

static void what_the_table_of_operations_forbids_is_told(void **state)
{
    nn_array x = at(0, 3, 4);
    nn_array y = at(1024, 3, 4);
    nn_array wrong;

    (void)state;
    wrong = at(1024, 4, 3);
    nn_square_t(ops, &x, &wrong);
    assert_told("NN-square_t-shape");
    wrong = y;
    wrong.pitch = 2;
    nn_square_t(ops, &x, &wrong);
    assert_told("NN-square_t-pitch");
    wrong = y;
    wrong.dtype = NN_INT32;
    nn_square_t(ops, &x, &wrong);
    assert_told("NN-square_t-dtype");
    wrong = y;
    wrong.mode = 7;
    nn_square_t(ops, &x, &wrong);
    assert_told("NN-square_t-mode");
    wrong = y;
    wrong.flags = NN_READ_ONLY;
    nn_square_t(ops, &x, &wrong);
    assert_told("NN-square_t-read-only");
    wrong = at(8, 3, 4);
    nn_square_t(ops, &x, &wrong);
    assert_told("NN-square_t-overlap");
    wrong = y;
    wrong.ndim = 9;
    nn_square_t(ops, &x, &wrong);
    assert_told("NN-square_t-rank");
    nn_square_t(ops, NULL, &y);
    assert_told("NN-square_t-absent");
    nn_clip_t(ops, &x, 2, 1, &y);
    assert_told("NN-clip_t-argument");
}

static void memory_that_is_not_there_is_told(void **state)
{
    nn_array x = at(0, 3, 4);
    nn_array y = at(1024, 3, 4);
    nn_array wrong = y;
    int stranger = 0;
    nn_memory *freed;

    (void)state;
    wrong.memory = NULL;
    nn_square_t(ops, &x, &wrong);
    assert_told("NN-square_t-memory");
    wrong.memory = (nn_memory *)&stranger;
    nn_square_t(ops, &x, &wrong);
    assert_told("NN-square_t-foreign");
    assert_int_equal(functions->allocate(handler, 64, &freed), 0);
    functions->release(handler, freed);
    wrong = at(0, 1, 4);
    wrong.memory = freed;
    x = at(0, 1, 4);
    nn_square_t(ops, &x, &wrong);
    assert_told("NN-square_t-freed");
    wrong = at(BYTES - 8, 1, 4);
    nn_square_t(ops, &x, &wrong);
    assert_told("NN-square_t-bounds");
    functions->release(handler, freed);
    assert_told("NN-release-freed");
    assert_null(functions->map(handler, memory, BYTES, 1, NN_MAP_READ));
    assert_told("NN-map-bounds");
}

static void what_nobody_wrote_is_told(void **state)
{
    nn_array x = at(3072, 3, 4);
    nn_array y = at(1024, 3, 4);

    (void)state;
    nn_square_t(ops, &x, &y);
    assert_told("NN-square_t-unwritten");
    x = at(0, 3, 4);
    y = at(3072, 3, 4);
    y.mode = NN_ADD;
    nn_square_t(ops, &x, &y);
    assert_told("NN-square_t-unwritten");
}

static void an_index_out_of_range_is_told_with_its_place(void **state)
{
    nn_array m = at(0, 3, 4);
    nn_array y = at(1024, 3, 1);
    nn_array v = at(512, 3, 1);
    int32_t *labels;

    (void)state;
    v.dtype = NN_INT32;
    labels = functions->map(handler, memory, 512, 12, NN_MAP_WRITE);
    labels[0] = 1;
    labels[1] = 4;
    labels[2] = -1;
    functions->unmap(handler, memory, labels, NN_MAP_WRITE);
    nn_index_m_by_v(ops, &m, &v, &y);
    assert_non_null(strstr(told[0], "v[1] is 4, outside of 0 to 3"));
    assert_told("NN-index_m_by_v-index");
}

static void nan_out_of_numbers_is_told(void **state)
{
    nn_array x = at(0, 3, 4);
    nn_array y = at(1024, 3, 4);

    (void)state;
    nn_log_t(ops, &x, &y);
    assert_told("NN-log_t-not-finite");
    nn_square_t(ops, &y, &x);
    assert_int_equal(n_told, 0); /* the first producer is told, no other */
}

/* ---- what the core tells ----------------------------------------------- */

static void place(const nn_track *track, uint32_t what, int64_t offset,
                  const char *path)
{
    nn_tracked tracked = {NN_SIZEOF(nn_tracked, path),
                          what,
                          NN_FLOAT32,
                          0,
                          memory,
                          offset,
                          64,
                          path};

    track->buffer(handler, &tracked);
}

static void buffers_have_bounds_and_lives(void **state)
{
    const nn_track *track = functions->get_interface(handler, NN_TRACK);
    nn_array x = at(128, 4, 4);
    nn_array y = at(320, 4, 4);

    (void)state;
    assert_non_null(track);
    place(track, NN_TRACK_PLACED, 128, "hidden.outputs.default");
    place(track, NN_TRACK_PLACED, 320, "scores.outputs.default");
    track->step(handler, NN_TRACK_FORWARD, "hidden", 3);
    nn_fill(ops, &x, 1.0);
    nn_square_t(ops, &x, &y);
    assert_int_equal(n_told, 0);
    x = at(128, 5, 4);
    nn_fill(ops, &x, 1.0);
    assert_non_null(strstr(told[0], "'hidden.outputs.default'"));
    assert_non_null(strstr(told[0], "in forward of 'hidden', update 3"));
    assert_told("NN-fill-bounds");
    x = at(128, 4, 4);
    place(track, NN_TRACK_BORN, 128, "hidden.outputs.default");
    nn_square_t(ops, &x, &y);
    assert_told("NN-square_t-unwritten");
    nn_fill(ops, &x, 1.0);
    place(track, NN_TRACK_DEAD, 128, "hidden.outputs.default");
    nn_square_t(ops, &x, &y);
    assert_told("NN-square_t-dead");
    track->step(handler, NN_TRACK_OUTSIDE, NULL, 3);
    nn_square_t(ops, &y, &y);
    assert_told("NN-square_t-outside");
}

/* ---- rows -------------------------------------------------------------- */

static void a_row_runs_by_its_plan_alone(void **state)
{
    nn_linear_attributes attributes = {NN_SIZEOF(nn_linear_attributes, alpha),
                                       NN_ACTIVATION_LINEAR, 0};
    nn_array x = at(0, 3, 4);
    nn_array w = at(256, 2, 4);
    nn_array y = at(512, 3, 2);
    nn_array other = at(512, 2, 2);
    const nn_array *operands[5] = {&x, &w, NULL, NULL, &y};
    nn_plan_request request = {NN_SIZEOF(nn_plan_request, reserve_limit), 5,
                               operands, &attributes, 0, 0};
    nn_plan_result result = {0};
    nn_handler *self;
    const nn_row *row = nn_device_row(device, NN_LINEAR, NN_LINEAR_FORWARD, 0,
                                      &self);
    nn_array workspace;

    (void)state;
    if (self != handler)
        skip(); /* the inner handler has no row of its own */
    result.size = NN_SIZEOF(nn_plan_result, reserve_bytes);
    assert_int_equal(row->plan(self, &request, &result), 0);
    if (result.workspace_bytes)
        assert_int_equal(functions->allocate(handler, result.workspace_bytes,
                                             &workspace.memory),
                         0);
    memset(&workspace.offset, 0, sizeof workspace - sizeof workspace.memory);
    workspace.dtype = NN_UINT8;
    workspace.ndim = 1;
    workspace.shape[0] = workspace.pitch = result.workspace_bytes;
    row->run(self, result.plan, operands, 5, &attributes,
             result.workspace_bytes ? &workspace : NULL, NULL);
    assert_int_equal(n_told, 0);
    operands[4] = &other;
    row->run(self, result.plan, operands, 5, &attributes, NULL, NULL);
    assert_told("NN-linear_forward-plan");
    operands[4] = &y;
    row->destroy(self, result.plan);
    row->run(self, result.plan, operands, 5, &attributes, NULL, NULL);
    assert_told("NN-row-plan");
    if (result.workspace_bytes)
        functions->release(handler, workspace.memory);
}

static int begin_on_cpu(void **state)
{
    (void)state;
    begin_as("{debug: {inner: cpu, stop: never}}");
    return 0;
}

/* ---- parameters -------------------------------------------------------- */

static int begin_nothing(void **state)
{
    (void)state;
    return 0;
}

static void muted_findings_are_not_told(void **state)
{
    nn_array x;
    nn_array y;

    (void)state;
    begin_as("{debug: {inner: reference, mute: [\"NN-*-not-finite\"]}}");
    x = at(0, 3, 4);
    y = at(1024, 3, 4);
    nn_log_t(ops, &x, &y);
    assert_int_equal(n_told, 0);
    assert_int_equal(functions->error(handler, NULL, NULL), 0);
    end(NULL);
}

static void the_first_finding_is_an_error_unless_it_is_to_go_on(void **state)
{
    const char *id = NULL;
    const char *text = NULL;
    nn_array x;
    nn_array y;

    (void)state;
    begin_as("debug(reference)");
    x = at(0, 3, 4);
    y = at(1024, 4, 3);
    nn_square_t(ops, &x, &y);
    assert_int_equal(functions->error(handler, &id, &text), NN_SHAPE);
    assert_string_equal(id, "NN-square_t-shape");
    assert_non_null(strstr(text, "NN-square_t-shape: "));
    assert_int_equal(n_told, 0); /* whoever asks for the error tells it */
    y = at(3072, 3, 4);
    nn_square_t(ops, &x, &y); /* does nothing */
    functions->clear_error(handler);
    assert_int_equal(functions->error(handler, NULL, NULL), 0);
    nn_square_t(ops, &y, &x);
    assert_int_equal(functions->error(handler, &id, NULL),
                     NN_INVALID_ARGUMENT);
    assert_string_equal(id, "NN-square_t-unwritten");
    functions->clear_error(handler);
    end(NULL);
}

static void past_the_limit_findings_are_counted(void **state)
{
    nn_array x;
    nn_array y;
    int i;

    (void)state;
    begin_as("{debug: {inner: reference, stop: never, limit: 2}}");
    x = at(0, 3, 4);
    y = at(1024, 4, 3);
    for (i = 0; i < 5; ++i)
        nn_square_t(ops, &x, &y);
    assert_int_equal(n_told, 3); /* two, and that there will be no more */
    assert_non_null(strstr(told[2], "NN-debug-limit"));
    end(NULL);
}

/* ---- transparency ------------------------------------------------------ */

#define TEXT(handler)                                                          \
    "nervenet: 1\nhandler: " handler "\n"                                      \
    "inputs: {x: [5], y: [3]}\n"                                               \
    "network:\n"                                                               \
    "  - fully_connected: {name: a, from: x, size: 7, activation: tanh}\n"      \
    "  - dropout: {name: d, probability: 0.25}\n"                               \
    "  - fully_connected: {name: b, size: 3}\n"                                 \
    "  - squared_error: {name: loss, from: [b, y]}\n"                           \
    "training: {stepper: {adam: 0.01}, epochs: 5}\n"

/* All parameters after 20 updates. */
static void train(const char *text, float *parameters, int64_t room)
{
    float x[16 * 5];
    float y[16 * 3];
    nn_host_array arrays[2] = {
        {sizeof *arrays, "x", NN_FLOAT32, 3, {1, 16, 5}, x},
        {sizeof *arrays, "y", NN_FLOAT32, 3, {1, 16, 3}, y}};
    nn_model_options options = {.size = sizeof options,
                                .training = 1,
                                .T = 1,
                                .B = 4};
    nn_trainer *trainer;
    nn_config *config;
    nn_model *model;
    nn_data *data;
    int i;

    for (i = 0; i < 16 * 5; ++i)
        x[i] = sinf((float)i);
    for (i = 0; i < 16 * 3; ++i)
        y[i] = cosf((float)i);
    assert_int_equal(nn_config_parse(text, "test", NULL, &config), 0);
    assert_int_equal(nn_model_create(config, &options, &model), 0);
    assert_int_equal(nn_iterator_from_arrays(arrays, 2, 4, 1, &data), 0);
    assert_int_equal(nn_trainer_create(model, data, NULL, &trainer), 0);
    assert_int_equal(nn_trainer_run(trainer, NULL), 0);
    for (i = 0; i < 2; ++i) {
        nn_host_array copy;

        assert_int_equal(nn_network_snapshot(nn_model_network(model),
                                             i ? "b.W" : "a.W", &copy),
                         0);
        assert_true(copy.shape[0] * copy.shape[1] <= room);
        memcpy(parameters, copy.data,
               (size_t)(copy.shape[0] * copy.shape[1]) * sizeof *parameters);
        parameters += copy.shape[0] * copy.shape[1];
        room -= copy.shape[0] * copy.shape[1];
        nn_free(copy.data);
    }
    nn_trainer_destroy(trainer);
    nn_data_destroy(data);
    nn_model_destroy(model);
    nn_config_destroy(config);
}

static void training_is_the_same_to_the_bit(void **state)
{
    float plain[64] = {0};
    float watched[64] = {0};

    (void)state;
    n_told = 0;
    train(TEXT("reference"), plain, 64);
    train(TEXT("debug(reference)"), watched, 64);
    assert_memory_equal(plain, watched, sizeof plain);
    train(TEXT("cpu"), plain, 64);
    train(TEXT("debug(cpu)"), watched, 64);
    assert_memory_equal(plain, watched, sizeof plain);
    train(TEXT("debug(debug(cpu))"), watched, 64);
    assert_memory_equal(plain, watched, sizeof plain);
    assert_int_equal(n_told, 0);
}

static int find_plugins(void **state)
{
    (void)state;
    nn_log_to(note, NULL);
    return nn_plugins_create(NULL, &plugins);
}

static int leave_plugins(void **state)
{
    (void)state;
    nn_plugins_destroy(plugins);
    return 0;
}

#define BAD(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        BAD(a_right_call_tells_nothing),
        BAD(what_the_table_of_operations_forbids_is_told),
        BAD(memory_that_is_not_there_is_told),
        BAD(what_nobody_wrote_is_told),
        BAD(an_index_out_of_range_is_told_with_its_place),
        BAD(nan_out_of_numbers_is_told),
        BAD(buffers_have_bounds_and_lives),
        cmocka_unit_test_setup_teardown(a_row_runs_by_its_plan_alone,
                                        begin_on_cpu, end),
        cmocka_unit_test_setup(muted_findings_are_not_told, begin_nothing),
        cmocka_unit_test_setup(
            the_first_finding_is_an_error_unless_it_is_to_go_on, begin_nothing),
        cmocka_unit_test_setup(past_the_limit_findings_are_counted,
                               begin_nothing),
        cmocka_unit_test(training_is_the_same_to_the_bit),
    };

    return cmocka_run_group_tests(tests, find_plugins, leave_plugins);
}
