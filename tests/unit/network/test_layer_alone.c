/* SPDX-License-Identifier: MIT */
/* test_layer_alone.c - one layer of a network, shown and run by itself. */
#include "tests/unit/network/support.h"

#include <string.h>

#include "tests/unit/network/own.h"

#define TRAIN_BOTH (NN_PASS_TRAIN | NN_PASS_BACKWARD)
#define FORWARD NN_PASS_FORWARD_OF
#define BACKWARD NN_PASS_BACKWARD_OF

static const char *const keep_all[] = {"*", NULL};
static const net_options alone = {.T = 2,
                                  .B = 3,
                                  .deltas = 1,
                                  .keep = keep_all};

#define DENSE "[{fully_connected: {size: 5, activation: tanh, name: l}}]"

static void run(net *n, uint32_t pass, uint32_t flags)
{
    if (nn_network_run(n->network, "l", pass, flags))
        fail_msg("%s", nn_error_text());
}

static nn_layer_context *show(net *n, uint32_t pass)
{
    nn_layer_context *context;

    if (nn_network_layer(n->network, "l", pass, &context))
        fail_msg("%s", nn_error_text());
    return context;
}

/* Sets the delta of the layer's output to numbers drawn from SEED. */
static void give(net *n, uint64_t seed)
{
    int64_t count;
    double *values = net_get(n, "l.output_deltas.default", &count);
    int64_t i;

    for (i = 0; i < count; ++i)
        values[i] = net_random(seed, (uint64_t)i);
    net_put(n, "l.output_deltas.default", values);
    free(values);
}

static void begin(net *n, const char *inputs, const char *layers)
{
    net_make(n, inputs, layers, &alone);
    net_begin(n, 2, 3, TRAIN_BOTH);
    net_draw(n, 3);
}

/* ---- as in a pass ------------------------------------------------------ */

/* What layer `l` of LAYERS gives in a whole pass and alone, any number of
 * times. */
static void check_alone(const char *inputs, const char *layers,
                        const char *const *paths)
{
    double *values[8];
    int64_t counts[8];
    int repeat;
    int k;
    net n;

    begin(&n, inputs, layers);
    net_forward(&n);
    give(&n, 9);
    net_backward(&n, NN_GIVEN_DELTAS);
    for (k = 0; paths[k]; ++k)
        values[k] = net_get(&n, paths[k], &counts[k]);
    net_begin(&n, 2, 3, TRAIN_BOTH);
    net_fill_block(&n, NN_BLOCK_ARENA, 255);
    net_fill_block(&n, NN_BLOCK_GRADIENTS, 255);
    net_draw(&n, 3);
    n.network->update = 0;
    for (repeat = 0; repeat < 3; ++repeat)
        run(&n, FORWARD, 0);
    for (repeat = 0; repeat < 3; ++repeat) {
        give(&n, 9);
        run(&n, BACKWARD, 0);
    }
    assert_int_equal(n.network->update, 0);
    for (k = 0; paths[k]; ++k) {
        net_check(&n, paths[k], values[k], counts[k], 0);
        free(values[k]);
    }
    net_finish(&n);
}

static void a_layer_alone_gives_what_it_gives_in_a_pass(void **state)
{
    static const char *const dense[] = {"l.outputs.default",
                                        "inputs.output_deltas.x",
                                        "l.gradients.W", "l.gradients.bias",
                                        NULL};
    static const char *const plain[] = {"l.outputs.default",
                                        "inputs.output_deltas.x", NULL};
    static const char *const chain[] = {"l.outputs.default",
                                        "inputs.output_deltas.x",
                                        "l.layers.a.gradients.W",
                                        "l.layers.b.gradients.W", NULL};

    (void)state;
    check_alone("{x: [4]}", DENSE, dense);
    check_alone("{x: [4]}", "[{dropout: {name: l}}]", plain);
    check_alone("{x: [4]}", "[{concat: {name: l, from: [x, x]}}]", plain);
    check_alone("{x: [2, 3, 4]}",
                "[{fully_connected: {size: 5, name: l, from: 'x[1:3]'}}]",
                dense);
    check_alone("{x: [4]}",
                "[{chain: {name: l, layers: [{fully_connected: {size: 3,"
                " activation: tanh, name: a}}, {fully_connected: {size: 2,"
                " name: b}}]}}]",
                chain);
    check_alone("{x: [4]}", "[{frames: {name: l}}]", plain);
}

static void a_loss_alone_takes_the_delta_that_is_given(void **state)
{
    static const double x[] = {0, 0, 0, 0, 0, 0};
    static const double t[] = {0, 1, 0};
    static const double delta[] = {1, 2, 4};
    static const double expected[] = {-0.5, 0.5, 1, -1, -2, 2};
    static const net_options options = {.T = 1,
                                        .B = 3,
                                        .deltas = 1,
                                        .keep = keep_all};
    net n;

    (void)state;
    net_make(&n, "{x: [2], t: {shape: [1], dtype: int32}}",
             "[{softmax_ce: {name: l, from: {default: x, targets: t}}}]",
             &options);
    net_begin(&n, 1, 3, TRAIN_BOTH);
    net_set(&n, "x", x);
    net_set(&n, "t", t);
    run(&n, FORWARD, 0);
    net_put(&n, "l.output_deltas.loss", delta);
    run(&n, BACKWARD, 0);
    net_check(&n, "inputs.output_deltas.x", expected, 6, 1e-12);
    net_check(&n, "inputs.outputs.t", t, 3, 0);
    net_finish(&n);
}

static void check_twice(const char *layers, const char *gradient)
{
    double *once;
    int64_t count;
    int64_t i;
    net n;

    begin(&n, "{x: [4]}", layers);
    run(&n, FORWARD, 0);
    give(&n, 9);
    run(&n, BACKWARD, 0);
    once = net_get(&n, gradient, &count);
    give(&n, 9);
    run(&n, BACKWARD, NN_ACCUMULATE);
    for (i = 0; i < count; ++i)
        once[i] *= 2;
    net_check(&n, gradient, once, count, 1e-12);
    free(once);
    net_finish(&n);
}

static void gradients_accumulate_if_asked_to(void **state)
{
    (void)state;
    check_twice(DENSE, "l.gradients.W");
    check_twice("[{chain: {name: l, layers: [{fully_connected: {size: 3,"
                " name: a}}]}}]",
                "l.layers.a.gradients.W");
}

/* ---- what the caller replaces ------------------------------------------ */

static void check_input(net *n, const char *path)
{
    int64_t count;
    double *x = net_get(n, "inputs.outputs.x", &count);

    net_check(n, path, x, count, 0);
    free(x);
}

/* 1 if the output differs from the input. */
static int drops(net *n)
{
    double *x = net_get(n, "inputs.outputs.x", NULL);
    int64_t count;
    double *y = net_get(n, "l.outputs.default", &count);
    int different = memcmp(x, y, (size_t)count * sizeof *x) != 0;

    free(x);
    free(y);
    return different;
}

static void what_is_replaced_holds_until_it_is_asked_for_again(void **state)
{
    nn_layer_context *context;
    net n;

    (void)state;
    begin(&n, "{x: [4]}", "[{dropout: {name: l}}]");
    context = show(&n, FORWARD);
    run(&n, FORWARD, 0);
    assert_true(drops(&n));
    context->flags &= ~NN_PASS_TRAIN;
    run(&n, FORWARD, 0);
    check_input(&n, "l.outputs.default");
    run(&n, FORWARD, 0);
    check_input(&n, "l.outputs.default");
    show(&n, FORWARD);
    run(&n, FORWARD, 0);
    assert_true(drops(&n));
    net_finish(&n);
}

static void passes_of_the_network_see_nothing_of_it(void **state)
{
    nn_layer_context *context;
    net n;

    (void)state;
    begin(&n, "{x: [4]}", "[{dropout: {name: l}}]");
    context = show(&n, FORWARD);
    context->flags &= ~NN_PASS_TRAIN;
    context->outputs = context->inputs;
    net_forward(&n);
    assert_true(drops(&n));
    context = show(&n, FORWARD);
    context->flags &= ~NN_PASS_TRAIN;
    net_begin(&n, 2, 3, TRAIN_BOTH);
    net_draw(&n, 3);
    run(&n, FORWARD, 0);
    assert_true(drops(&n));
    net_finish(&n);
}

/* An input delta that is not wanted stays as it is. */
static void modes_can_be_replaced(void **state)
{
    double before[2 * 3 * 4];
    nn_array delta;
    nn_layer_context *context;
    int i;
    net n;

    (void)state;
    for (i = 0; i < 24; ++i)
        before[i] = i;
    begin(&n, "{x: [4]}", DENSE);
    run(&n, FORWARD, 0);
    give(&n, 9);
    net_put(&n, "inputs.output_deltas.x", before);
    context = show(&n, BACKWARD);
    assert_int_equal(context->input_deltas[0].mode, NN_WRITE);
    assert_int_equal(context->outputs[0].flags, NN_READ_ONLY);
    delta = context->input_deltas[0];
    delta.mode = NN_DISCARD;
    context->input_deltas = &delta;
    run(&n, BACKWARD, 0);
    net_check(&n, "inputs.output_deltas.x", before, 24, 0);
    net_finish(&n);
}

/* The same where the core makes a dense copy for the layer. */
static void a_copy_that_is_not_wanted_is_not_passed_on(void **state)
{
    double before[2 * 3 * 24];
    nn_array delta;
    nn_layer_context *context;
    int i;
    net n;

    (void)state;
    for (i = 0; i < 144; ++i)
        before[i] = i;
    begin(&n, "{x: [2, 3, 4]}",
          "[{fully_connected: {size: 5, name: l, from: 'x[1:3]'}}]");
    run(&n, FORWARD, 0);
    give(&n, 9);
    net_put(&n, "inputs.output_deltas.x", before);
    context = show(&n, BACKWARD);
    delta = context->input_deltas[0];
    delta.mode = NN_DISCARD;
    delta.memory = NULL;
    context->input_deltas = &delta;
    run(&n, BACKWARD, NN_ACCUMULATE);
    net_check(&n, "inputs.output_deltas.x", before, 144, 0);
    net_finish(&n);
}

/* Backward draws what the layer's last forward drew. */
static void a_backward_alone_has_the_mask_of_the_pass_before(void **state)
{
    double *in_pass;
    int64_t count;
    net n;

    (void)state;
    begin(&n, "{x: [4]}", "[{dropout: {name: l}}]");
    net_forward(&n);
    assert_int_equal(n.network->update, 1);
    give(&n, 9);
    net_backward(&n, NN_GIVEN_DELTAS);
    in_pass = net_get(&n, "inputs.output_deltas.x", &count);
    show(&n, BACKWARD);
    run(&n, BACKWARD, 0);
    net_check(&n, "inputs.output_deltas.x", in_pass, count, 0);
    free(in_pass);
    net_finish(&n);
}

/* ---- what cannot be ---------------------------------------------------- */

static int32_t setup_blind(nn_setup *setup)
{
    return own_output(setup, "default");
}

static void copy(const nn_layer_context *context)
{
    nn_copy(context->ops, &context->inputs[0], &context->outputs[0]);
}

OWN_PORT(port, "default", 0);
static const nn_port *const ports[] = {&port};
OWN_LAYER(blind, ports, ports, NULL, copy, NULL);
static const nn_component *const components[] = {&blind, NULL};

static void refused(net *n, const char *name, uint32_t pass, int32_t code,
                    const char *text)
{
    nn_layer_context *context;

    assert_int_equal(nn_network_layer(n->network, name, pass, &context), code);
    assert_null(context);
    assert_non_null(strstr(nn_error_text(), text));
    nn_error_clear();
    assert_int_equal(nn_network_run(n->network, name, pass, 0), code);
    assert_non_null(strstr(nn_error_text(), text));
}

static void what_cannot_run_alone_is_told(void **state)
{
    net n;

    (void)state;
    net_components = components;
    net_make(&n, "{x: [4]}",
             "[{fully_connected: {size: 5, name: hidden}},"
             " {blind: {name: blind}}]",
             &alone);
    refused(&n, "hidden", FORWARD, NN_STATE, "nn_network_begin");
    net_begin(&n, 2, 3, NN_PASS_TRAIN);
    net_draw(&n, 3);
    refused(&n, "hiden", FORWARD, NN_NOT_FOUND, "did you mean 'hidden'?");
    refused(&n, "inputs", FORWARD, NN_NOT_FOUND, "inputs");
    refused(&n, "hidden", 2, NN_INVALID_ARGUMENT, "NN_PASS_FORWARD_OF");
    refused(&n, "hidden", BACKWARD, NN_STATE, "NN_PASS_BACKWARD");
    refused(&n, "blind", BACKWARD, NN_UNSUPPORTED, "'blind' has no backward");
    net_begin(&n, 2, 3, TRAIN_BOTH);
    net_draw(&n, 3);
    refused(&n, "hidden", BACKWARD, NN_UNSUPPORTED, "no delta reaches");
    assert_int_equal(nn_network_run(n.network, "blind", FORWARD, 0), 0);
    net_finish(&n);
    net_components = NULL;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_layer_alone_gives_what_it_gives_in_a_pass),
        cmocka_unit_test(a_loss_alone_takes_the_delta_that_is_given),
        cmocka_unit_test(gradients_accumulate_if_asked_to),
        cmocka_unit_test(what_is_replaced_holds_until_it_is_asked_for_again),
        cmocka_unit_test(passes_of_the_network_see_nothing_of_it),
        cmocka_unit_test(modes_can_be_replaced),
        cmocka_unit_test(a_copy_that_is_not_wanted_is_not_passed_on),
        cmocka_unit_test(a_backward_alone_has_the_mask_of_the_pass_before),
        cmocka_unit_test(what_cannot_run_alone_is_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
