/* SPDX-License-Identifier: MIT */
/* test_errors.c - failures of layers and handlers: who is named, and what works
 * afterwards. */
#include "tests/unit/network/support.h"

#include <string.h>

#include "tests/unit/network/own.h"

#define LOSS ", {squared_error: {from: {default: out, targets: t}}}]"

/* ---- layers of the test ------------------------------------------------ */

OWN_PORT(port, "default", 0);
static const nn_port *const ports[] = {&port};

/* Fails in one way or another. */
static enum { FINE, PREPARE, SILENT, SLOT, EXTENSION, FORWARD, BACKWARD } fault;

static int32_t setup_faulty(nn_setup *setup)
{
    return own_output(setup, "default");
}

static int32_t prepare_faulty(const nn_layer_context *c)
{
    const nn_array *operands[] = {&c->inputs[0], &c->outputs[0]};

    if (fault == PREPARE)
        return nn_fail(c->host, NN_UNSUPPORTED, "faulty.prepare", "no way");
    if (fault == SILENT)
        return NN_INTERNAL;
    if (fault == SLOT)
        return c->plan(c, 64, "test.keep/1", 0, operands, 2, NULL);
    if (fault == EXTENSION)
        assert_int_equal(c->plan(c, 0, "test.none/1", 0, operands, 2, NULL),
                         NN_UNSUPPORTED);
    return NN_OK;
}

static void fail_if(const nn_layer_context *c, int now)
{
    nn_array wrong = c->outputs[0];

    wrong.shape[0] += 1;
    wrong.flags = 0;
    if (now)
        nn_copy(c->ops, &c->inputs[0], &wrong);
}

static void forward_faulty(const nn_layer_context *c)
{
    fail_if(c, fault == FORWARD);
    nn_copy(c->ops, &c->inputs[0], &c->outputs[0]);
}

static void backward_faulty(const nn_layer_context *c)
{
    fail_if(c, fault == BACKWARD);
    nn_copy(c->ops, &c->output_deltas[0], &c->input_deltas[0]);
}

OWN_LAYER(faulty, ports, ports, prepare_faulty, forward_faulty,
          backward_faulty);

/* Writes what is only to be read. */
static int which;

static void forward_vandal(const nn_layer_context *c)
{
    if (which == 0)
        nn_fill(c->ops, &c->inputs[0], 0);
    if (which == 1)
        nn_fill(c->ops, &c->parameters[0], 0);
    if (which == 2)
        nn_fill(c->ops, &c->parameter_groups[0], 0);
    nn_copy(c->ops, &c->inputs[0], &c->outputs[0]);
}

static void backward_vandal(const nn_layer_context *c)
{
    if (which == 3)
        nn_fill(c->ops, &c->outputs[0], 0);
    if (which == 4)
        nn_fill(c->ops, &c->output_deltas[0], 0);
    nn_copy(c->ops, &c->output_deltas[0], &c->input_deltas[0]);
    nn_fill(c->ops, &c->gradients[0], 0);
}

static int32_t setup_vandal(nn_setup *setup)
{
    nn_buffer w = nn_buffer_named("w");
    int32_t code = own_output(setup, "default");

    w.shape.ndim = 1;
    w.shape.dims[0] = 2;
    w.group = "g";
    if (!code)
        code = setup->declare(setup, NN_DECLARE_PARAMETER, &w);
    return code < 0 ? code : NN_OK;
}

OWN_LAYER(vandal, ports, ports, NULL, forward_vandal, backward_vandal);

static const nn_component *const own[] = {&faulty, &vandal, NULL};

static int use_own(void **state)
{
    (void)state;
    net_components = own;
    net_adapt = NULL;
    fault = FINE;
    return 0;
}

/* ---- errors ------------------------------------------------------------ */

static void errors_of_prepare_name_the_layer(void **state)
{
    net n;

    (void)state;
    fault = PREPARE;
    net_expect("{x: [2]}", "[{faulty: {name: f}}]", NULL, "faulty.prepare",
               "layer 'f'", "no way", (char *)NULL);
    fault = SILENT;
    net_expect("{x: [2]}", "[{chain: {name: f, layers: [faulty]}}]", NULL,
               "layer.prepare", "layer 'f.layers.faulty'", (char *)NULL);
    fault = SLOT;
    net_expect("{x: [2]}", "[{faulty: {name: f}}]", NULL, "plan.slot", "'f'",
               "64", (char *)NULL);
    /* A layer may do without an extension: no message is left behind. */
    fault = EXTENSION;
    net_make(&n, "{x: [2]}", "[{faulty: {name: f}}]", NULL);
    net_finish(&n);
}

static void errors_of_a_pass_name_the_layer(void **state)
{
    const net_options options = {.T = 1, .B = 2};
    double loss;
    net n;

    (void)state;
    net_make(&n, "{x: [2], t: [2]}",
             "[{fully_connected: {size: 2, name: a}}, {faulty: {name: bad}},"
             " {fully_connected: {size: 2, name: out}}" LOSS,
             &options);
    net_pass(&n, 1, 2, NN_PASS_BACKWARD, 1);
    loss = net_loss(&n);
    fault = FORWARD;
    assert_int_equal(nn_network_forward(n.network, 0, NULL), NN_SHAPE);
    assert_non_null(strstr(nn_error_text(), "at or before layer 'bad'"));
    nn_error_clear();
    assert_int_equal(nn_network_backward(n.network, 0), NN_STATE);
    nn_error_clear();
    fault = BACKWARD;
    net_forward(&n);
    assert_int_equal(nn_network_backward(n.network, 0), NN_SHAPE);
    assert_non_null(strstr(nn_error_text(), "at or before layer 'bad'"));
    nn_error_clear();
    /* It was told once, and is over. */
    fault = FINE;
    net_pass(&n, 1, 2, NN_PASS_BACKWARD, 1);
    assert_true(net_loss(&n) == loss);
    net_finish(&n);
}

/* Frames of the failed pass and of the one before are not mixed. */
static void nothing_is_carried_from_a_pass_that_failed(void **state)
{
    static const char *const keep[] = {"*", NULL};
    const net_options options = {.T = 2, .B = 2, .keep = keep};
    double *anew;
    int64_t count;
    net n;

    (void)state;
    net_make(&n, "{x: [2]}", "[{frames: {name: s}}, faulty]", &options);
    net_pass(&n, 2, 2, 0, 1);
    anew = net_get(&n, "s.outputs.default", &count);
    fault = FORWARD;
    assert_int_equal(nn_network_forward(n.network, 1, NULL), NN_SHAPE);
    nn_error_clear();
    fault = FINE;
    assert_int_equal(nn_network_forward(n.network, 1, NULL), 0);
    net_check(&n, "s.outputs.default", anew, count, 0);
    free(anew);
    net_finish(&n);
}

static void a_wrong_label_names_its_layer(void **state)
{
    const net_options options = {.T = 1, .B = 2};
    static const double labels[] = {1, 7};
    void *before;
    void *after;
    net n;

    (void)state;
    net_make(&n, "{x: [2], l: {shape: [1], dtype: int32}}",
             "[{fully_connected: {size: 3, name: out}},"
             " {softmax_ce: {name: ce, from: {default: out, targets: l}}}]",
             &options);
    before = net_block(&n, NN_BLOCK_PARAMETERS);
    net_begin(&n, 1, 2, NN_PASS_BACKWARD);
    net_draw(&n, 1);
    net_set(&n, "l", labels);
    assert_int_equal(nn_network_forward(n.network, 0, NULL),
                     NN_INVALID_ARGUMENT);
    assert_non_null(strstr(nn_error_text(), "'ce'"));
    assert_non_null(strstr(nn_error_text(), "7"));
    nn_error_clear();
    after = net_block(&n, NN_BLOCK_PARAMETERS);
    assert_memory_equal(before, after,
                        n.network->layout->bytes[NN_BLOCK_PARAMETERS]);
    free(before);
    free(after);
    net_finish(&n);
}

static void vandals_are_caught(const char *layers)
{
    const net_options options = {.T = 1, .B = 2};
    net n;

    net_make(&n, "{x: [2], t: [2]}", layers, &options);
    for (which = 0; which < 5; ++which) {
        int32_t code;

        net_begin(&n, 1, 2, NN_PASS_BACKWARD);
        net_draw(&n, 1);
        code = nn_network_forward(n.network, 0, NULL);
        if (!code)
            code = nn_network_backward(n.network, 0);
        assert_int_equal(code, NN_INVALID_ARGUMENT);
        assert_non_null(strstr(nn_error_text(), "read-only"));
        nn_error_clear();
    }
    net_pass(&n, 1, 2, NN_PASS_BACKWARD, 1);
    net_finish(&n);
}

/* What a layer must not write is read only. */
static void layers_write_only_what_is_theirs(void **state)
{
    (void)state;
    vandals_are_caught("[{fully_connected: 2}, {vandal: {name: out}}" LOSS);
    vandals_are_caught("[{fully_connected: 2}, {chain: {name: out, layers: ["
                       "vandal]}}" LOSS);
}

/* ---- handlers ---------------------------------------------------------- */

static int32_t few_bytes;

static int32_t (*allocate_before)(nn_handler *handler, int64_t bytes,
                                  nn_memory **memory);

static int32_t allocate_little(nn_handler *handler, int64_t bytes,
                               nn_memory **memory)
{
    *memory = NULL;
    if (bytes > few_bytes)
        return nn_error_set(NN_NO_MEMORY, "test.memory", "it is full");
    return allocate_before(handler, bytes, memory);
}

static void describe_odd(nn_handler *handler, nn_handler_info *info)
{
    (void)handler;
    info->redzone_bytes = 32;
}

static void adapt_little(nn_handler_interface *interface)
{
    allocate_before = interface->allocate;
    interface->allocate = allocate_little;
}

static void adapt_odd(nn_handler_interface *interface)
{
    interface->describe = describe_odd;
}

static void handlers_without_memory_say_which_is_missing(void **state)
{
    const net_options options = {.T = 1, .B = 100};

    (void)state;
    net_adapt = adapt_little;
    few_bytes = 10;
    net_expect("{x: [2]}", "[{fully_connected: 2}]", &options, "test.memory",
               "activations", "it is full", (char *)NULL);
    few_bytes = 20000;
    net_expect("{x: [2]}", "[{fully_connected: {size: 2000}}]", &options,
               "test.memory", "activations", (char *)NULL);
    net_adapt = adapt_odd;
    net_expect("{x: [2]}", "[{fully_connected: 2}]", &options,
               "handler.redzone", "32", (char *)NULL);
}

#define CASE(name) cmocka_unit_test_setup(name, use_own)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(errors_of_prepare_name_the_layer),
        CASE(errors_of_a_pass_name_the_layer),
        CASE(nothing_is_carried_from_a_pass_that_failed),
        CASE(a_wrong_label_names_its_layer),
        CASE(layers_write_only_what_is_theirs),
        CASE(handlers_without_memory_say_which_is_missing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
