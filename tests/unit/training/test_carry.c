/* SPDX-License-Identifier: MIT */
/* test_carry.c - frames that are carried from batch to batch are part of a
 * checkpoint.
 *
 * The layer of this test, y[t] = y[t - 1] + x[t], is linked into the program,
 * as the table nn_static_plugins says here in the place of the library's. */
#include "tests/unit/training/training.h"

#include "core/registry/static.h"

enum { SUM }; /* internals */

static int32_t setup(nn_setup *setup_of)
{
    nn_buffer y = nn_buffer_named("default");
    nn_buffer sum = nn_buffer_named("sum");

    y.shape = setup_of->inputs[0];
    y.shape.dtype = NN_REAL;
    y.context_before = 1;
    sum.shape = y.shape;
    sum.context_after = 1;
    sum.flags = NN_BUFFER_BACKWARD_ONLY;
    if (setup_of->declare(setup_of, NN_DECLARE_OUTPUT, &y) < 0)
        return NN_INTERNAL;
    return setup_of->declare(setup_of, NN_DECLARE_INTERNAL, &sum) < 0
               ? NN_INTERNAL
               : NN_OK;
}

static void forward(const nn_layer_context *context)
{
    int64_t t;

    for (t = 0; t < context->T; ++t) {
        nn_array before = nn_slice(&context->outputs[0], t - 1, 1);
        nn_array x = nn_slice(&context->inputs[0], t, 1);
        nn_array y = nn_slice(&context->outputs[0], t, 1);

        nn_add_tt(context->ops, &before, &x, &y);
    }
}

static void backward(const nn_layer_context *context)
{
    const nn_array *sum = &context->internals[SUM];
    int64_t t;

    for (t = context->T - 1; t >= 0; --t) {
        nn_array after = nn_slice(sum, t + 1, 1);
        nn_array dy = nn_slice(&context->output_deltas[0], t, 1);
        nn_array here = nn_slice(sum, t, 1);

        nn_add_tt(context->ops, &after, &dy, &here);
    }
    nn_copy(context->ops, sum, &context->input_deltas[0]);
}

static const nn_layer_interface interface = {
    .size = NN_SIZEOF(nn_layer_interface, backward),
    .setup = setup,
    .forward = forward,
    .backward = backward,
};

static const nn_port input = {
    .size = NN_SIZEOF(nn_port, doc),
    .dtypes = 1u << NN_REAL,
    .name = "default",
    .doc = "x: (T, B, F)",
};

static const nn_port output = {
    .size = NN_SIZEOF(nn_port, doc),
    .dtypes = 1u << NN_REAL,
    .name = "default",
    .doc = "y: (T, B, F)",
};

static const nn_port *const inputs[] = {&input};
static const nn_port *const outputs[] = {&output};

static const nn_component component = {
    .size = NN_SIZEOF(nn_component, outputs),
    .kind = NN_KIND_LAYER,
    .name = "running_sum",
    .summary = "Adds up over time",
    .doc = "y[t] = y[t - 1] + x[t]",
    .interface = &interface,
    .n_inputs = 1,
    .n_outputs = 1,
    .inputs = inputs,
    .outputs = outputs,
};

static const nn_component *const components[] = {&component};

static const nn_plugin plugin = {
    NN_PLUGIN_HEAD,
    .id = "org.nervenet.test.running-sum",
    .name = "running_sum",
    .version = "0.1.0",
    .license = "MIT",
    .author = "Nervenet contributors",
    .summary = "Adds up over time",
    .n_components = 1,
    .components = components,
};

const nn_static_plugin nn_static_plugins[] = {{"layer_running_sum", &plugin},
                                              {NULL, NULL}};

/* ---- a run -------------------------------------------------------------- */

#define STEPS 2
#define BATCH 3
#define BATCHES 4
#define COUNT (BATCH * BATCHES)

static const char config[] =
    "nervenet: 1\n"
    "handler: reference\n"
    "dtype: float64\n"
    "inputs: {x: [2], t: [2]}\n"
    "initialize: {\"*.W\": 0.5}\n"
    "network:\n"
    "  - fully_connected: {name: hidden, size: 2}\n"
    "  - running_sum: {name: sum}\n"
    "  - squared_error: {from: {default: sum, targets: t}}\n"
    "training: {stepper: {sgd: 0.01}, updates: 6, carry_state: true}\n";

static int32_t (*next_of_arrays)(nn_iterator *iterator, nn_batch *batch);

/* Every batch goes on from the one before. */
static int32_t next(nn_iterator *iterator, nn_batch *batch)
{
    int32_t code = next_of_arrays(iterator, batch);

    memset(batch->begins, 0, BATCH);
    return code;
}

static double x[STEPS][COUNT][2];
static double t[STEPS][COUNT][2];

static void open_run(run *r, const char *out, const char *resume)
{
    nn_model_options options = {.size = sizeof options, .training = 1};
    nn_host_array arrays[] = {
        {sizeof *arrays, "x", NN_FLOAT64, 3, {STEPS, COUNT, 2}, x},
        {sizeof *arrays, "t", NN_FLOAT64, 3, {STEPS, COUNT, 2}, t}};
    int i;

    for (i = 0; i < STEPS * COUNT * 2; ++i) {
        (&x[0][0][0])[i] = sin(1.0 + i);
        (&t[0][0][0])[i] = cos(2.0 * i);
    }
    start_run(r, config);
    options.T = STEPS;
    options.B = COUNT; /* more than a batch has */
    assert_int_equal(nn_model_create(r->config, &options, &r->model), 0);
    assert_int_equal(nn_iterator_from_arrays(arrays, 2, BATCH, 0, &r->data), 0);
    next_of_arrays = r->data->interface.next;
    r->data->interface.next = next;
    r->options.out = out;
    r->options.resume = resume;
}

static void test_carried_frames_go_on(void **state)
{
    nn_checkpoint *checkpoint;
    nn_tensor tensor;
    run straight;
    run fresh;
    run r;

    (void)state;
    open_run(&straight, NULL, NULL);
    must_open(&straight);
    must_run(&straight);
    open_run(&r, in_folder("out"), NULL);
    must_open(&r);
    r.trainer->updates = 3; /* in mid-epoch */
    must_run(&r);
    end_run(&r);
    open_run(&r, NULL, in_folder("out"));
    must_open(&r);
    must_run(&r);
    assert_true(same_parameters(&straight, &r));
    end_run(&r);

    /* Without the frames the end is another one. */
    open_run(&fresh, NULL, in_folder("out"));
    must_open(&fresh);
    fresh.model->network->carrying = 0;
    must_run(&fresh);
    assert_false(same_parameters(&straight, &fresh));
    end_run(&fresh);
    end_run(&straight);

    assert_int_equal(nn_checkpoint_open(in_folder("out/checkpoint.nn"),
                                        &checkpoint),
                     0);
    assert_true(nn_checkpoint_find(checkpoint, "context", "sum.outputs.default",
                                   &tensor));
    assert_int_equal(tensor.ndim, 3);
    assert_int_equal(tensor.shape[0], 1);
    assert_int_equal(tensor.shape[1], BATCH);
    assert_int_equal(tensor.shape[2], 2);
    nn_checkpoint_close(checkpoint);
}

/* ---- evaluation ---------------------------------------------------------- */

static int failing; /* batches until fail_later fails */

static int32_t fail_later(nn_iterator *iterator, nn_batch *batch)
{
    if (failing-- == 0)
        return nn_error_set(NN_IO, "test.broken", "the disk is gone");
    return next(iterator, batch);
}

/* The frames that RUN carries; the caller frees them. */
static void *carried(run *r, int64_t *B)
{
    void *bytes = malloc((size_t)nn_network_context_bytes(r->model->network));

    assert_int_equal(nn_network_context_get(r->model->network, bytes, B), 0);
    return bytes;
}

static void test_evaluation_leaves_carried_frames(void **state)
{
    nn_score score;
    uint32_t count;
    int64_t B;
    void *before;
    void *after;
    int i;
    run r;

    (void)state;
    open_run(&r, NULL, NULL);
    must_open(&r);
    must_run(&r);
    before = carried(&r, &B);
    assert_int_equal(B, BATCH);
    for (i = 0; i < 2; ++i) {
        if (i) {
            failing = 2;
            r.data->interface.next = fail_later;
        }
        assert_int_equal(nn_model_evaluate(r.model, r.data, &score, 1, &count),
                         i ? NN_IO : 0);
        assert_string_equal(nn_error_id(), i ? "test.broken" : "");
        after = carried(&r, &B);
        assert_int_equal(B, BATCH);
        assert_memory_equal(before, after,
                            (size_t)nn_network_context_bytes(r.model->network));
        free(after);
    }
    free(before);
    end_run(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_carried_frames_go_on, make_folder,
                                        remove_folder),
        cmocka_unit_test(test_evaluation_leaves_carried_frames),
    };
    const char *plugins = getenv("NN_BUILD_PLUGINS");

    /* A build whose plugins are linked in has none besides this one here. */
    if (plugins && access(plugins, R_OK))
        return 77;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
