/* SPDX-License-Identifier: MIT */
/* test_children.c - layers in layers: step by step, in each other, with frames
 * of context, references, state, and memory of every run. */
#include "tests/unit/network/support.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/unit/network/own.h"

#define LOSS ", {squared_error: {from: {default: out, targets: t}}}]"

static const char *const keep_deltas[] = {"*.output_deltas.*", NULL};
static const char *const keep_all[] = {"*", NULL};

/* ---- layers of the test ------------------------------------------------ */

OWN_PORT(port, "default", 0);
OWN_PORT(loss_port, "loss", NN_PORT_LOSS);
OWN_PORT(other_port, "other", NN_PORT_OPTIONAL);
static const nn_port *const ports[] = {&port};
static const nn_port *const two_in[] = {&port, &other_port};
static const nn_port *const two_out[] = {&port, &loss_port};

/* y = s x, s = sum of x over this run, which has neither T nor B and is needed
 * again: dx = s dy + sum of dy x. */
static int32_t setup_total(nn_setup *setup)
{
    nn_buffer sum = nn_buffer_named("sum");
    nn_buffer work = nn_buffer_like("work", &setup->inputs[0]);
    nn_buffer dot = nn_buffer_named("dot");
    int32_t code = own_output(setup, "default");

    sum.shape.ndim = dot.shape.ndim = 1;
    sum.shape.dims[0] = dot.shape.dims[0] = 1;
    if (code >= 0)
        code = setup->declare(setup, NN_DECLARE_INTERNAL, &sum);
    if (code >= 0)
        code = setup->declare(setup, NN_DECLARE_INTERNAL, &work);
    if (code >= 0)
        code = setup->declare(setup, NN_DECLARE_INTERNAL, &dot);
    return code < 0 ? code : NN_OK;
}

static void forward_total(const nn_layer_context *c)
{
    nn_sum_t(c->ops, &c->inputs[0], NN_AXIS_ALL, &c->internals[0]);
    nn_mult_mv(c->ops, &c->inputs[0], &c->internals[0], &c->outputs[0]);
}

static void backward_total(const nn_layer_context *c)
{
    const nn_array *work = &c->internals[1];
    nn_array more = nn_adding(&c->input_deltas[0]);

    nn_mult_tt(c->ops, &c->inputs[0], &c->output_deltas[0], work);
    nn_sum_t(c->ops, work, NN_AXIS_ALL, &c->internals[2]);
    nn_mult_mv(c->ops, &c->output_deltas[0], &c->internals[0],
               &c->input_deltas[0]);
    nn_broadcast_t(c->ops, &c->internals[2], &more);
}

OWN_LAYER(total, ports, ports, NULL, forward_total, backward_total);

/* Two outputs, x and the sum of x over this run; a parent that knows one of
 * them leaves the other's delta. */
static int32_t setup_twins(nn_setup *setup)
{
    nn_buffer sum = nn_buffer_named("loss");
    int32_t code = own_output(setup, "default");

    sum.shape.ndim = 1;
    sum.shape.dims[0] = 1;
    if (!code)
        code = setup->declare(setup, NN_DECLARE_OUTPUT, &sum);
    return code < 0 ? code : NN_OK;
}

static void forward_twins(const nn_layer_context *c)
{
    nn_copy(c->ops, &c->inputs[0], &c->outputs[0]);
    nn_sum_t(c->ops, &c->inputs[0], NN_AXIS_ALL, &c->outputs[1]);
}

static void backward_twins(const nn_layer_context *c)
{
    nn_add_mv(c->ops, &c->output_deltas[0], &c->output_deltas[1],
              &c->input_deltas[0]);
}

OWN_LAYER(twins, ports, two_out, NULL, forward_twins, backward_twins);

/* y (2, 2, 2), the sum of x over this run in all places, and the way back. */
static int32_t setup_spread(nn_setup *setup)
{
    nn_buffer y = nn_buffer_named("default");
    nn_buffer sum = nn_buffer_named("sum");
    int32_t code;

    y.shape.ndim = 3;
    y.shape.dims[0] = y.shape.dims[1] = y.shape.dims[2] = 2;
    sum.shape.ndim = 1;
    sum.shape.dims[0] = 1;
    code = setup->declare(setup, NN_DECLARE_OUTPUT, &y);
    if (code >= 0)
        code = setup->declare(setup, NN_DECLARE_INTERNAL, &sum);
    return code < 0 ? code : NN_OK;
}

static void forward_spread(const nn_layer_context *c)
{
    nn_sum_t(c->ops, &c->inputs[0], NN_AXIS_ALL, &c->internals[0]);
    nn_broadcast_t(c->ops, &c->internals[0], &c->outputs[0]);
}

static void backward_spread(const nn_layer_context *c)
{
    nn_sum_t(c->ops, &c->output_deltas[0], NN_AXIS_ALL, &c->internals[0]);
    nn_broadcast_t(c->ops, &c->internals[0], &c->input_deltas[0]);
}

OWN_LAYER(spread, ports, ports, NULL, forward_spread, backward_spread);

/* y = x + the sum of f f, where f (2, 2, 1) is seen as one row. */
static int32_t setup_fold(nn_setup *setup)
{
    nn_buffer sum = nn_buffer_named("sum");
    nn_buffer row = nn_buffer_named("row");
    int32_t code = own_output(setup, "default");

    sum.shape.ndim = row.shape.ndim = 1;
    sum.shape.dims[0] = 1;
    row.shape.dims[0] = 4;
    if (!code)
        code = setup->declare(setup, NN_DECLARE_INTERNAL, &sum);
    if (code >= 0)
        code = setup->declare(setup, NN_DECLARE_INTERNAL, &row);
    return code < 0 ? code : NN_OK;
}

static void forward_fold(const nn_layer_context *c)
{
    nn_array row = nn_flatten(&c->inputs[1], 0);

    assert_true(nn_is_dense(&c->inputs[1]));
    nn_sum_squares_t(c->ops, &row, NN_AXIS_ALL, &c->internals[0]);
    nn_add_mv(c->ops, &c->inputs[0], &c->internals[0], &c->outputs[0]);
}

static void backward_fold(const nn_layer_context *c)
{
    nn_array row = nn_flatten(&c->inputs[1], 0);
    nn_array drow = nn_flatten(&c->input_deltas[1], 0);

    nn_copy(c->ops, &c->output_deltas[0], &c->input_deltas[0]);
    nn_sum_t(c->ops, &c->output_deltas[0], NN_AXIS_ALL, &c->internals[0]);
    nn_mult_ts(c->ops, &row, 2, &c->internals[1]);
    nn_mult_mv(c->ops, &c->internals[1], &c->internals[0], &drow);
}

OWN_PORT(flat_port, "flat", NN_PORT_DENSE);
static const nn_port *const fold_in[] = {&port, &flat_port};
OWN_LAYER(fold, fold_in, ports, NULL, forward_fold, backward_fold);

/* y = 1, 0 or -1: without a derivative. */
static int32_t setup_blind(nn_setup *setup)
{
    return own_output(setup, "default");
}

static void forward_blind(const nn_layer_context *c)
{
    nn_sign_t(c->ops, &c->inputs[0], &c->outputs[0]);
}

OWN_LAYER(blind, ports, ports, NULL, forward_blind, NULL);

/* A parent that does what `rule` says, right or wrong. */
static enum { RIGHT, STRIDED, BEHIND, UNEVEN, FEWER, TWICE, SURPLUS } rule;

static const nn_param inner = {
    .size = NN_SIZEOF(nn_param, fields),
    .type = NN_PARAM_COMPONENT,
    .flags = NN_PARAM_REQUIRED | NN_PARAM_MAIN,
    .kind = NN_KIND_LAYER,
    .name = "inner",
    .doc = "the child",
};
static const nn_param *const parent_params[] = {&inner};

static int32_t setup_parent(nn_setup *setup)
{
    nn_child *child = nn_param_child(setup->params, 0);
    nn_shape shapes[2] = {setup->inputs[0], setup->inputs[0]};
    int32_t code;

    if (rule != SURPLUS)
        shapes[1].ndim = 0; /* the child's optional input stays open */
    if (rule == STRIDED)
        shapes[0].dims[2] -= 1;
    code = setup->child(setup, child, shapes, 2, rule == UNEVEN ? 2 : 1);
    if (!code && rule == TWICE)
        code = setup->child(setup, child, shapes, 2, 1);
    return code ? code : own_output(setup, "default");
}

static void forward_parent(const nn_layer_context *c)
{
    nn_child *child = nn_param_child(c->params, 0);
    int64_t t;

    nn_copy(c->ops, &c->inputs[0], &c->outputs[0]);
    for (t = 0; t < c->T - (rule == UNEVEN); ++t) {
        nn_array inputs[2];

        memset(inputs, 0, sizeof inputs);
        inputs[0] = nn_slice(&c->inputs[0], t, 1);
        if (rule == STRIDED)
            inputs[0] = nn_column_slice(&inputs[0], 0,
                                        nn_columns(&inputs[0]) - 1);
        c->child_forward(c, child, inputs, rule == FEWER ? 1 : 2,
                         rule == BEHIND ? t + 1 : t);
    }
}

static void backward_parent(const nn_layer_context *c)
{
    nn_copy(c->ops, &c->output_deltas[0], &c->input_deltas[0]);
}

static const nn_layer_interface parent_interface = {
    .size = NN_SIZEOF(nn_layer_interface, backward),
    .setup = setup_parent,
    .forward = forward_parent,
    .backward = backward_parent,
};
static const nn_component parent = {
    .size = NN_SIZEOF(nn_component, outputs),
    .kind = NN_KIND_LAYER,
    .n_params = 1,
    .params = parent_params,
    .name = "parent",
    .interface = &parent_interface,
    .n_inputs = 1,
    .n_outputs = 1,
    .inputs = ports,
    .outputs = ports,
};

/* A child with an optional second input. */
static int32_t setup_choosy(nn_setup *setup)
{
    assert_int_equal(setup->n_inputs, 2);
    assert_int_equal(setup->inputs[1].ndim, 0);
    return own_output(setup, "default");
}

static void forward_choosy(const nn_layer_context *c)
{
    assert_false(nn_present(&c->inputs[1]));
    nn_copy(c->ops, &c->inputs[0], &c->outputs[0]);
}

static void backward_choosy(const nn_layer_context *c)
{
    nn_copy(c->ops, &c->output_deltas[0], &c->input_deltas[0]);
}

OWN_LAYER(choosy, two_in, ports, NULL, forward_choosy, backward_choosy);

static const nn_component *const own[] = {&total, &twins,  &spread, &fold,
                                          &blind, &parent, &choosy, NULL};

static int use_own(void **state)
{
    (void)state;
    net_components = own;
    rule = RIGHT;
    return 0;
}

/* ---- gradients --------------------------------------------------------- */

/* LAYERS as they are; and with memory that holds NaN before each pass. */
static void check(const char *layers, uint32_t flags)
{
    const net_options options = {.T = 3, .B = 2, .keep = keep_deltas};
    double *clean;
    int64_t count;
    net n;

    net_make(&n, "{x: [3], t: [3]}", layers, &options);
    net_check_gradients(&n, 3, 2, flags);
    net_check_gradients(&n, 2, 1, flags);
    net_pass(&n, 3, 2, flags | NN_PASS_BACKWARD, 1);
    clean = net_get(&n, "inputs.output_deltas.x", &count);
    net_begin(&n, 3, 2, flags | NN_PASS_BACKWARD);
    net_fill_block(&n, NN_BLOCK_ARENA, 255);
    net_fill_block(&n, NN_BLOCK_GRADIENTS, 255);
    net_draw(&n, 1);
    net_forward(&n);
    net_backward(&n, 0);
    net_check(&n, "inputs.output_deltas.x", clean, count, 0);
    free(clean);
    net_finish(&n);
}

#define DENSE "{fully_connected: {size: 3, activation: tanh}}"

static void children_have_gradients(void **state)
{
    (void)state;
    check("[{pair: {inner: " DENSE ", name: out}}" LOSS, 0);
    check("[{chain: {name: out, layers: [{fully_connected: {size: 4, "
          "activation: tanh}}, " DENSE "]}}" LOSS,
          0);
    check("[{chain: {name: out, layers: [dropout, " DENSE ", dropout]}}" LOSS,
          NN_PASS_TRAIN);
}

static void children_in_children_have_gradients(void **state)
{
    (void)state;
    check("[{pair: {name: out, inner: {pair: {inner: " DENSE "}}}}" LOSS, 0);
    check("[{pair: {name: out, inner: {chain: {layers: [{fully_connected: 2}, "
          "{pair: {inner: {fully_connected: {size: 2, activation: sigmoid}}}},"
          " " DENSE "]}}}}" LOSS,
          0);
    check("[{chain: {name: out, layers: [{pair: {inner: {pair: {inner: {chain:"
          " {layers: [dropout, " DENSE "]}}}}}}]}}" LOSS,
          NN_PASS_TRAIN);
}

/* One input is read by two children and a layer: WRITE, then ADD. */
static void children_write_and_add_to_deltas(void **state)
{
    (void)state;
    check("[{fully_connected: {size: 3, activation: tanh, name: a}},"
          " {chain: {name: b, from: a, layers: [" DENSE "]}},"
          " {chain: {name: c, from: a, layers: [{concat: {from: ['input[0:1]',"
          " input, 'input[1:3]']}}, " DENSE "]}},"
          " {pair: {name: d, from: a, inner: " DENSE "}},"
          " {optional: {name: out, from: [a, b, c, d, a]}}" LOSS,
          0);
}

/* A layer that hands out no delta, and one that reads only a part. */
static void deltas_that_a_child_does_not_write_are_zero(void **state)
{
    (void)state;
    check("[{fully_connected: {size: 3, activation: tanh, name: a}},"
          " {chain: {name: b, layers: [{fully_connected: {size: 3, from: "
          "'input[1:2]'}}]}},"
          " {optional: {name: out, from: [b, none, a]}}" LOSS,
          0);
    check("[{fully_connected: {size: 3, activation: tanh, name: a}},"
          " {chain: {name: b, layers: [blind]}},"
          " {fully_connected: {size: 3, name: c, from: x}},"
          " {optional: {name: out, from: [b, none, c]}}" LOSS,
          0);
}

static void slices_of_children_are_parts_of_their_frames(void **state)
{
    (void)state;
    check("[{chain: {name: out, layers: [{fully_connected: {size: 4, name: a, "
          "activation: tanh}}, {pair: {name: p, from: 'a[1:4]', inner: " DENSE
          "}}, {fully_connected: {size: 3, from: 'a[0:2]', name: b}},"
          " {optional: {from: [p, b, input]}}]}}" LOSS,
          0);
    check("[{pair: {name: out, inner: {chain: {layers: [{fully_connected: "
          "{size: 4, name: a}}, {pair: {name: p, from: 'a[1:4]', inner: " DENSE
          "}}, {concat: {from: ['p[0:2]', 'a[0:1]']}}]}}}}" LOSS,
          0);
}

static void references_in_children_have_gradients(void **state)
{
    (void)state;
    check("[{chain: {name: out, layers: [{fully_connected: {size: 2, name: a, "
          "activation: tanh}}, {tied: a}]}}" LOSS,
          0);
    check("[{pair: {name: out, inner: {chain: {layers: [{fully_connected: "
          "{size: 2, name: a, activation: tanh}}, {tied: a}]}}}}" LOSS,
          0);
}

static void what_has_no_time_axis_is_kept_for_every_run(void **state)
{
    (void)state;
    check("[{pair: {name: out, inner: total}}" LOSS, 0);
    check("[{pair: {name: out, inner: {chain: {layers: [{pair: {inner: total}}"
          ", " DENSE "]}}}}" LOSS,
          0);
    check("[{chain: {name: out, layers: [total, " DENSE "]}}" LOSS, 0);
    check("[{pair: {name: out, inner: {chain: {layers: [" DENSE ", {spread: "
          "{name: s}}, {fold: {from: {default: input, flat: "
          "'s[1:2]'}}}]}}}}" LOSS,
          0);
}

static void deltas_that_the_parent_leaves_are_zero(void **state)
{
    (void)state;
    check("[{chain: {name: out, layers: [" DENSE ", twins]}}" LOSS, 0);
    check("[{pair: {name: out, inner: {chain: {layers: [" DENSE
          ", twins]}}}}" LOSS,
          0);
}

static void optional_inputs_of_children_may_be_absent(void **state)
{
    (void)state;
    check("[{fully_connected: 3}, {parent: {name: out, inner: choosy}}" LOSS,
          0);
}

/* ---- frames of context ------------------------------------------------- */

static void frames_of_children_are_carried(void **state)
{
    const net_options options = {.T = 4, .B = 2, .keep = keep_all};
    double x[4 * 2 * 3];
    double *y;
    int i;
    net n;

    (void)state;
    check("[{pair: {name: out, inner: {pair: {inner: frames}}}}" LOSS, 0);
    for (i = 0; i < 24; ++i)
        x[i] = net_random(1, (uint64_t)i);
    net_make(&n, "{x: [3]}",
             "[{pair: {name: out, inner: {chain: {layers: ["
             "frames, " DENSE ", frames]}}}}]",
             &options);
    net_begin(&n, 4, 2, 0);
    net_set(&n, "x", x);
    net_forward(&n);
    y = net_get(&n, "out.outputs.default", NULL);
    net_begin(&n, 1, 2, 0);
    net_set(&n, "x", x);
    net_forward(&n);
    net_check(&n, "out.outputs.default", y, 6, 0);
    net_begin(&n, 3, 2, 0);
    net_set(&n, "x", x + 6);
    assert_int_equal(nn_network_forward(n.network, 1, NULL), 0);
    net_check(&n, "out.outputs.default", y + 6, 18, 0);
    free(y);
    net_finish(&n);
}

/* ---- random numbers ---------------------------------------------------- */

/* y[t] = x[t] + mask[t] x[t]: frames differ, and a pass of one frame draws what
 * the first frame of a longer one drew. */
static void every_frame_draws_its_own_numbers(void **state)
{
    const net_options options = {.T = 2, .B = 2, .keep = keep_all};
    double x[2 * 2 * 50];
    double *y;
    int i;
    net n;

    (void)state;
    for (i = 0; i < 200; ++i)
        x[i] = 1;
    net_make(&n, "{x: [50]}",
             "[{pair: {name: out, inner: {pair: {inner: "
             "dropout}}}}]",
             &options);
    net_begin(&n, 2, 2, NN_PASS_TRAIN);
    net_set(&n, "x", x);
    net_forward(&n);
    y = net_get(&n, "out.outputs.default", NULL);
    assert_memory_not_equal(y, y + 100, 100 * sizeof *y);
    net_begin(&n, 1, 2, NN_PASS_TRAIN);
    net_set(&n, "x", x);
    net_forward(&n);
    net_check(&n, "out.outputs.default", y, 100, 0);
    free(y);
    net_finish(&n);
}

/* ---- names and state --------------------------------------------------- */

static void buffers_of_children_have_paths(void **state)
{
    const net_options options = {.T = 2, .B = 2, .keep = keep_all};
    static const double two[] = {2};
    nn_array array;
    net n;

    (void)state;
    net_make(&n, "{x: [3]}",
             "[{chain: {name: a, layers: [{fully_connected: {size: 3, name: f}}"
             ", {counter: {name: c}}, {pair: {name: p, inner: frames}}]}}]",
             &options);
    net_pass(&n, 2, 2, NN_PASS_TRAIN, 1);
    net_pass(&n, 1, 2, NN_PASS_TRAIN, 1);
    net_pass(&n, 1, 2, 0, 1);
    assert_int_equal(nn_network_view(n.network, "a.layers.f.W", &array), 0);
    assert_int_equal(array.shape[0], 3);
    assert_int_equal(nn_network_view(n.network,
                                     "a.layers.p.inner.frames.outputs.default",
                                     &array),
                     0);
    net_check(&n, "a.layers.c.state.count", two, 1, 0);
    net_finish(&n);
}

/* ---- what a parent must not do ----------------------------------------- */

static void refused(int what, const char *child, int64_t frames,
                    const char *text)
{
    const net_options options = {.T = 3, .B = 2, .inference = 1};
    char layers[100];
    net n;

    rule = what;
    snprintf(layers, sizeof layers, "[{parent: {name: wrong, inner: %s}}]",
             child);
    net_make(&n, "{x: [3]}", layers, &options);
    net_begin(&n, frames, 2, 0);
    net_draw(&n, 1);
    assert_int_equal(nn_network_forward(n.network, 0, NULL),
                     NN_INVALID_ARGUMENT);
    assert_string_equal(nn_error_id(), "layer.child-run");
    assert_non_null(strstr(nn_error_text(), "'wrong'"));
    assert_non_null(strstr(nn_error_text(), text));
    nn_error_clear();
    net_finish(&n);
}

static void parents_are_watched(void **state)
{
    (void)state;
    refused(STRIDED, "choosy", 3, "gaps");
    refused(BEHIND, "choosy", 3, "frames");
    refused(UNEVEN, "choosy", 3, "frames");
    refused(FEWER, "choosy", 3, "number of inputs");
    rule = TWICE;
    net_expect("{x: [3]}", "[{parent: {name: wrong, inner: choosy}}]", NULL,
               "layer.child-twice", "'wrong'", "'inner'", (char *)NULL);
    rule = SURPLUS;
    net_expect("{x: [3]}", "[{parent: {name: wrong, inner: dropout}}]", NULL,
               "layer.child-inputs", "wrong.inner.dropout", "2", "1",
               (char *)NULL);
    rule = RIGHT;
    net_expect("{x: [3]}", "[{parent: {name: wrong, inner: mask}}]", NULL,
               "graph.open-input", "wrong.inner.mask", "'mask'", (char *)NULL);
    net_expect("{x: [3]}", "[{chain: {name: wrong, layers: []}}]", NULL,
               "graph.layers", "at least one", (char *)NULL);
    net_expect("{x: [3]}",
               "[{chain: {name: wrong, layers: [{dropout: {from: x}}]}}]", NULL,
               "graph.unknown-source", "'x'", (char *)NULL);
}

#define CASE(name) cmocka_unit_test_setup(name, use_own)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(children_have_gradients),
        CASE(children_in_children_have_gradients),
        CASE(children_write_and_add_to_deltas),
        CASE(deltas_that_a_child_does_not_write_are_zero),
        CASE(slices_of_children_are_parts_of_their_frames),
        CASE(references_in_children_have_gradients),
        CASE(what_has_no_time_axis_is_kept_for_every_run),
        CASE(deltas_that_the_parent_leaves_are_zero),
        CASE(optional_inputs_of_children_may_be_absent),
        CASE(frames_of_children_are_carried),
        CASE(every_frame_draws_its_own_numbers),
        CASE(buffers_of_children_have_paths),
        CASE(parents_are_watched),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
