/* SPDX-License-Identifier: MIT */
/* test_references.c - layers that use buffers of others: members of groups,
 * outputs, internals and state, forward and backward. */
#include "tests/unit/network/support.h"

#include <string.h>

#include "tests/unit/network/own.h"

#define LOSS ", {squared_error: {from: {default: out, targets: t}}}]"

static const char *const keep_deltas[] = {"*.output_deltas.*", NULL};

OWN_PORT(port, "default", 0);
static const nn_port *const ports[] = {&port};

/* y = x W_b' with a member of the group of layer `g`. */
static int32_t setup_borrower(nn_setup *setup)
{
    nn_buffer y = nn_buffer_like("default", &setup->inputs[0]);
    nn_shape w;
    int32_t code = setup->reference(setup, "g.parameters.W_b", &w);

    if (code < 0)
        return code;
    y.shape.dims[2] = w.dims[0];
    code = setup->declare(setup, NN_DECLARE_OUTPUT, &y);
    return code < 0 ? code : NN_OK;
}

static void forward_borrower(const nn_layer_context *c)
{
    nn_dot_mm(c->ops, &c->inputs[0], &c->references[0], &c->outputs[0],
              NN_TRANSPOSE_B);
}

static void backward_borrower(const nn_layer_context *c)
{
    assert_int_equal(c->reference_deltas[0].mode, NN_ADD);
    nn_dot_mm(c->ops, &c->output_deltas[0], &c->references[0],
              &c->input_deltas[0], 0);
    nn_dot_mm(c->ops, &c->output_deltas[0], &c->inputs[0],
              &c->reference_deltas[0], NN_TRANSPOSE_A);
}

OWN_LAYER(borrower, ports, ports, NULL, forward_borrower, backward_borrower);

/* y = (x + 2) a with the output of layer `a`. */
static int32_t setup_factor(nn_setup *setup)
{
    int32_t code = setup->reference(setup, "a.outputs.default", NULL);

    return code < 0 ? code : own_output(setup, "default");
}

static void forward_factor(const nn_layer_context *c)
{
    nn_add_ts(c->ops, &c->inputs[0], 2, &c->outputs[0]);
    nn_mult_tt(c->ops, &c->outputs[0], &c->references[0], &c->outputs[0]);
}

static void backward_factor(const nn_layer_context *c)
{
    const nn_array *dy = &c->output_deltas[0];

    nn_mult_ts(c->ops, dy, 2, &c->reference_deltas[0]);
    nn_mult_tt(c->ops, dy, &c->inputs[0], &c->reference_deltas[0]);
    nn_mult_tt(c->ops, dy, &c->references[0], &c->input_deltas[0]);
}

OWN_LAYER(factor, ports, ports, NULL, forward_factor, backward_factor);

/* y = x + state of `c` + internal of `k`, which have no deltas. */
static int32_t setup_reader(nn_setup *setup)
{
    nn_shape rows;
    int32_t code = setup->reference(setup, "c.state.count", NULL);

    if (code >= 0)
        code = setup->reference(setup, "k.internals.rows", &rows);
    assert_true(code < 0 || (code == 1 && rows.dims[2] == 1));
    return code < 0 ? code : own_output(setup, "default");
}

static void forward_reader(const nn_layer_context *c)
{
    nn_add_mv(c->ops, &c->inputs[0], &c->references[0], &c->outputs[0]);
    nn_add_mv(c->ops, &c->outputs[0], &c->references[1], &c->outputs[0]);
}

static void backward_reader(const nn_layer_context *c)
{
    assert_int_equal(c->reference_deltas[0].mode, NN_DISCARD);
    assert_int_equal(c->reference_deltas[1].mode, NN_DISCARD);
    nn_copy(c->ops, &c->output_deltas[0], &c->input_deltas[0]);
}

OWN_LAYER(reader, ports, ports, NULL, forward_reader, backward_reader);

static const nn_component *const own[] = {&borrower, &factor, &reader, NULL};

static int use_own(void **state)
{
    (void)state;
    net_components = own;
    return 0;
}

static void check(const char *layers)
{
    const net_options options = {.T = 2, .B = 3, .keep = keep_deltas};
    net n;

    net_make(&n, "{x: [3], m: [1], t: [2]}", layers, &options);
    net_check_gradients(&n, 2, 3, 0);
    net_finish(&n);
}

/* ---- parameters -------------------------------------------------------- */

/* Backward meets the borrower first, so W_b is not written but added to, and
 * so is the group with all its members. */
static void a_group_adds_if_one_member_was_written(void **state)
{
    static const char layers[] =
        "[{grouped: {size: 3, name: g}}, {borrower: {name: b}},"
        " {fully_connected: {size: 2, name: out}}" LOSS;
    const net_options options = {.T = 1, .B = 3};
    double *once;
    int64_t count;
    int64_t i;
    net n;

    (void)state;
    check(layers);
    net_make(&n, "{x: [3], m: [1], t: [2]}", layers, &options);
    net_pass(&n, 1, 3, NN_PASS_BACKWARD, 1);
    once = net_get(&n, "g.gradients.W_a", &count);
    net_begin(&n, 1, 3, NN_PASS_BACKWARD);
    net_draw(&n, 1);
    net_forward(&n);
    net_backward(&n, NN_ACCUMULATE);
    for (i = 0; i < count; ++i)
        once[i] *= 2;
    net_check(&n, "g.gradients.W_a", once, count, 1e-14);
    free(once);
    net_finish(&n);
}

/* ---- outputs ----------------------------------------------------------- */

static void deltas_go_through_references_to_outputs(void **state)
{
    (void)state;
    /* Somebody else reads a; nobody does; the same layer does. */
    check("[{fully_connected: {size: 2, activation: tanh, name: a}},"
          " {fully_connected: {size: 2, activation: tanh, name: b}},"
          " {factor: {name: out}}" LOSS);
    check("[{fully_connected: {size: 2, activation: tanh, name: a}},"
          " {fully_connected: {size: 2, name: b, from: x}},"
          " {factor: {name: out}}" LOSS);
    check("[{fully_connected: {size: 2, activation: tanh, name: a}},"
          " {factor: {name: out}}" LOSS);
    check("[{chain: {name: out, layers: [{fully_connected: {size: 2, name: a, "
          "activation: tanh}}, {fully_connected: 2}, factor]}}" LOSS);
    check("[{fully_connected: 2}, {pair: {name: out, inner: {chain: {layers: "
          "[{fully_connected: {size: 2, name: a, activation: tanh}}, "
          "{fully_connected: 2}, factor]}}}}" LOSS);
}

/* In a forward pass alone an output that is referred to is not replaced, nor
 * is its memory used again. */
static void outputs_that_are_referred_to_stay(void **state)
{
    static const char *const layers[] = {
        "[{lists: {name: a}}, {activation: {kind: relu}},"
        " {factor: {name: out}}]",
        "[{lists: {name: a}}, {lists: [0]}, {lists: [0]}, {lists: [0]},"
        " {factor: {name: out}}]"};
    const net_options options = {.B = 1, .inference = 1};
    static const double x[] = {-1};
    static const double y[] = {(0 + 2) * -1};
    size_t i;

    (void)state;
    for (i = 0; i < 2; ++i) {
        net n;

        net_make(&n, "{x: [1]}", layers[i], &options);
        net_begin(&n, 1, 1, 0);
        net_set(&n, "x", x);
        net_forward(&n);
        net_check(&n, "out.outputs.default", y, 1, 0);
        net_finish(&n);
    }
}

static void state_and_internals_have_no_delta(void **state)
{
    (void)state;
    check("[{fully_connected: {size: 2, name: a}}, {counter: {name: c}},"
          " {mask: {name: k, from: {default: c, mask: m}}},"
          " {reader: {name: out}}" LOSS);
}

/* ---- mistakes ---------------------------------------------------------- */

static void references_point_at_layers_before(void **state)
{
    (void)state;
    net_expect("{x: [2]}", "[factor, {fully_connected: {size: 2, name: a}}]",
               NULL, "layer.reference", "'factor'", "a.outputs.default",
               (char *)NULL);
    net_expect("{x: [2]}", "[{factor: {name: a}}]", NULL, "layer.reference",
               "'a'", (char *)NULL);
    net_expect("{x: [2]}", "[{dropout: {name: g}}, borrower]", NULL,
               "layer.reference", "g.parameters.W_b", (char *)NULL);
    /* A child does not see the layers around it. */
    net_expect("{x: [2]}",
               "[{fully_connected: {size: 2, name: a}},"
               " {chain: {name: c, layers: [factor]}}]",
               NULL, "layer.reference", "c.layers.factor", (char *)NULL);
}

#define CASE(name) cmocka_unit_test_setup(name, use_own)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_group_adds_if_one_member_was_written),
        CASE(deltas_go_through_references_to_outputs),
        CASE(outputs_that_are_referred_to_stay),
        CASE(state_and_internals_have_no_delta),
        CASE(references_point_at_layers_before),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
