/* SPDX-License-Identifier: MIT */
/* test_passes.c - forward and backward of whole networks: memory that is used
 * twice, smaller batches, modes, losses, state. */
#include "tests/unit/network/support.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define TRAIN_BOTH (NN_PASS_TRAIN | NN_PASS_BACKWARD)

static const char *const keep_all[] = {"*", NULL};
static const char *const keep_deltas[] = {"*.output_deltas.*", NULL};

#define LOSS ", {squared_error: {from: {default: out, targets: t}}}]"

/* ---- memory ------------------------------------------------------------ */

static void same_bytes(net *a, net *b, uint32_t block)
{
    void *x = net_block(a, block);
    void *y = net_block(b, block);

    assert_int_equal(a->network->layout->bytes[block],
                     b->network->layout->bytes[block]);
    assert_memory_equal(x, y, (size_t)a->network->layout->bytes[block]);
    free(x);
    free(y);
}

static double two_passes(net *n, uint32_t flags)
{
    double loss;

    net_pass(n, 2, 3, flags, 3);
    net_pass(n, 2, 3, flags, 4);
    loss = net_loss(n);
    return loss;
}

/* Whether buffers share memory makes no difference: all kept, none kept, and
 * without backward. */
static void sharing_memory_changes_nothing(void **state)
{
    uint64_t seed;

    (void)state;
    for (seed = 101; seed <= 220; ++seed) {
        const net_options plain = {.T = 2, .B = 3};
        const net_options kept = {.T = 2, .B = 3, .keep = keep_all};
        const net_options inference = {.T = 2, .B = 3, .inference = 1};
        char *text = net_random_layers(seed);
        double loss;
        net a;
        net b;

        net_make(&a, NET_RANDOM_INPUTS, text, &plain);
        net_make(&b, NET_RANDOM_INPUTS, text, &kept);
        loss = two_passes(&a, TRAIN_BOTH);
        assert_true(loss == two_passes(&b, TRAIN_BOTH));
        same_bytes(&a, &b, NN_BLOCK_GRADIENTS);
        same_bytes(&a, &b, NN_BLOCK_STATE);
        net_finish(&b);
        net_make(&b, NET_RANDOM_INPUTS, text, &inference);
        if (!(loss == two_passes(&b, NN_PASS_TRAIN)))
            fail_msg("%s", text);
        net_finish(&a);
        net_finish(&b);
        free(text);
    }
}

/* Everything but parameters, state and inputs holds NaN before each pass. */
static void old_contents_of_memory_do_not_matter(void **state)
{
    uint64_t seed;
    int32_t i;

    (void)state;
    for (seed = 301; seed <= 360; ++seed) {
        const net_options options = {.T = 2, .B = 3};
        char *text = net_random_layers(seed);
        net a;
        net b;

        net_make(&a, NET_RANDOM_INPUTS, text, &options);
        net_make(&b, NET_RANDOM_INPUTS, text, &options);
        net_pass(&a, 2, 3, TRAIN_BOTH, 3);
        net_begin(&b, 2, 3, TRAIN_BOTH);
        net_fill_block(&b, NN_BLOCK_ARENA, 255);
        net_fill_block(&b, NN_BLOCK_GRADIENTS, 255);
        net_fill_block(&b, NN_BLOCK_CARRY, 255);
        net_draw(&b, 3);
        net_forward(&b);
        if (!(net_loss(&a) == net_loss(&b)))
            fail_msg("%g %g %s", net_loss(&a), net_loss(&b), text);
        net_backward(&b, 0);
        for (i = 0; i < a.network->layout->n_records; ++i) {
            const nn_record *one = &a.network->layout->records[i];
            double *values;
            int64_t count;

            if (one->sort != NN_SORT_GRADIENT)
                continue;
            values = net_get(&a, one->path, &count);
            net_check(&b, one->path, values, count, 0);
            free(values);
        }
        net_finish(&a);
        net_finish(&b);
        free(text);
    }
}

static void padding_of_parameters_and_gradients_stays_zero(void **state)
{
    static const uint32_t blocks[] = {NN_BLOCK_PARAMETERS, NN_BLOCK_GRADIENTS};
    const net_options options = {.T = 2, .B = 3};
    char *text = net_random_layers(11);
    size_t k;
    net n;

    (void)state;
    net_make(&n, NET_RANDOM_INPUTS, text, &options);
    net_pass(&n, 2, 3, TRAIN_BOTH, 3);
    for (k = 0; k < 2; ++k) {
        const nn_layout *layout = n.network->layout;
        unsigned char *used = calloc(1, (size_t)layout->bytes[blocks[k]]);
        unsigned char *bytes = net_block(&n, blocks[k]);
        int64_t at;
        int32_t i;

        for (i = 0; i < layout->n_records; ++i)
            if (layout->records[i].block == blocks[k] &&
                layout->records[i].alias < 0)
                memset(used + layout->records[i].offset, 1,
                       (size_t)layout->records[i].bytes);
        for (at = 0; at < layout->bytes[blocks[k]]; ++at)
            assert_true(used[at] || bytes[at] == 0);
        free(used);
        free(bytes);
    }
    net_finish(&n);
    free(text);
}

/* ---- smaller batches --------------------------------------------------- */

static void smaller_batches_are_as_in_a_smaller_network(void **state)
{
    uint64_t seed;

    (void)state;
    for (seed = 501; seed <= 540; ++seed) {
        const net_options large = {.T = 4, .B = 5};
        const net_options small = {.T = 2, .B = 3};
        char *text = net_random_layers(seed);
        double loss;
        net a;
        net b;

        net_make(&a, NET_RANDOM_INPUTS, text, &large);
        net_make(&b, NET_RANDOM_INPUTS, text, &small);
        net_pass(&a, 4, 5, NN_PASS_BACKWARD, 9);
        net_pass(&a, 2, 3, TRAIN_BOTH, 3);
        net_pass(&b, 2, 3, TRAIN_BOTH, 3);
        loss = net_loss(&a);
        if (!(loss == net_loss(&b)))
            fail_msg("%s", text);
        same_bytes(&a, &b, NN_BLOCK_GRADIENTS);
        net_finish(&a);
        net_finish(&b);
        free(text);
    }
}

static void batches_too_large_are_refused(void **state)
{
    const net_options options = {.T = 2, .B = 3};
    const net_options inference = {.T = 2, .B = 3, .inference = 1};
    net n;

    (void)state;
    net_make(&n, "{x: [2]}", "[dropout]", &options);
    assert_int_equal(nn_network_begin(n.network, 3, 3, 0), NN_SHAPE);
    assert_string_equal(nn_error_id(), "network.size");
    nn_error_clear();
    assert_int_equal(nn_network_begin(n.network, 2, 4, 0), NN_SHAPE);
    assert_int_equal(nn_network_begin(n.network, 0, 3, 0), NN_SHAPE);
    assert_int_equal(nn_network_begin(n.network, 2, -1, 0), NN_SHAPE);
    assert_int_equal(nn_network_begin(n.network, 2, 3, 4), NN_INVALID_ARGUMENT);
    nn_error_clear();
    net_finish(&n);
    net_make(&n, "{x: [2]}", "[dropout]", &inference);
    assert_int_equal(nn_network_begin(n.network, 2, 3, NN_PASS_BACKWARD),
                     NN_STATE);
    nn_error_clear();
    net_finish(&n);
}

/* Far more sizes than are remembered, back and forth. */
static void any_number_of_sizes_may_come(void **state)
{
    const net_options options = {.T = 6, .B = 12};
    char *text = net_random_layers(12);
    double first[72];
    net n;
    int round;
    int i;

    (void)state;
    net_make(&n, NET_RANDOM_INPUTS, text, &options);
    for (round = 0; round < 2; ++round)
        for (i = 0; i < 72; ++i) {
            net_pass(&n, 1 + i / 12, 1 + i % 12, NN_PASS_BACKWARD, 1);
            if (round)
                assert_true(first[i] == net_loss(&n));
            else
                first[i] = net_loss(&n);
        }
    net_finish(&n);
    free(text);
}

/* ---- order of calls ---------------------------------------------------- */

static void passes_come_in_order(void **state)
{
    const net_options options = {.T = 2, .B = 3};
    double loss;
    net n;

    (void)state;
    net_make(&n, "{x: [2], t: [2]}",
             "[{fully_connected: {size: 2, name: out}}" LOSS, &options);
    assert_int_equal(nn_network_forward(n.network, 0, NULL), NN_STATE);
    assert_string_equal(nn_error_id(), "network.no-begin");
    nn_error_clear();
    assert_int_equal(nn_network_loss(n.network, &loss, NULL, NULL), NN_STATE);
    assert_int_equal(nn_network_backward(n.network, 0), NN_STATE);
    net_begin(&n, 2, 3, 0);
    net_draw(&n, 1);
    net_forward(&n);
    assert_int_equal(nn_network_backward(n.network, 0), NN_STATE);
    net_begin(&n, 2, 3, NN_PASS_BACKWARD);
    assert_int_equal(nn_network_backward(n.network, 0), NN_STATE);
    net_draw(&n, 1);
    net_forward(&n);
    nn_error_clear();
    net_backward(&n, 0);
    assert_int_equal(nn_network_backward(n.network, 0), NN_STATE);
    nn_error_clear();
    net_finish(&n);
}

/* ---- accumulation ------------------------------------------------------ */

static void accumulated_gradients_are_the_sum(void **state)
{
    uint64_t seed;
    int64_t i;

    (void)state;
    for (seed = 601; seed <= 630; ++seed) {
        const net_options options = {.T = 2, .B = 3};
        char *text = net_random_layers(seed);
        int64_t count;
        double *first;
        double *second;
        double *sum;
        net n;

        net_make(&n, NET_RANDOM_INPUTS, text, &options);
        count = n.network->layout->bytes[NN_BLOCK_GRADIENTS] / 8;
        net_pass(&n, 2, 3, NN_PASS_BACKWARD, 1);
        first = net_block(&n, NN_BLOCK_GRADIENTS);
        net_pass(&n, 1, 2, NN_PASS_BACKWARD, 2);
        second = net_block(&n, NN_BLOCK_GRADIENTS);
        net_pass(&n, 2, 3, NN_PASS_BACKWARD, 1);
        net_begin(&n, 1, 2, NN_PASS_BACKWARD);
        net_draw(&n, 2);
        net_forward(&n);
        net_backward(&n, NN_ACCUMULATE);
        sum = net_block(&n, NN_BLOCK_GRADIENTS);
        for (i = 0; i < count; ++i)
            if (!(fabs(sum[i] - first[i] - second[i]) <=
                  1e-13 * (1 + fabs(sum[i]))))
                fail_msg("%g is not %g + %g: %s", sum[i], first[i], second[i],
                         text);
        /* And without the flag they are replaced. */
        net_pass(&n, 1, 2, NN_PASS_BACKWARD, 2);
        free(sum);
        sum = net_block(&n, NN_BLOCK_GRADIENTS);
        assert_memory_equal(sum, second, (size_t)count * 8);
        free(first);
        free(second);
        free(sum);
        net_finish(&n);
        free(text);
    }
}

/* ---- what is not computed ---------------------------------------------- */

static void gradients_of_dead_ends_are_zero(void **state)
{
    const net_options options = {.T = 1, .B = 3};
    net n;
    double *values;
    int64_t count;
    int64_t i;

    (void)state;
    net_make(&n, "{x: [2], t: [2]}",
             "[{fully_connected: {size: 2, name: out}},"
             " {fully_connected: {size: 2, name: dead}},"
             " {pair: {inner: {fully_connected: 2}, name: pair}},"
             " {squared_error: {from: {default: out, targets: t}}}]",
             &options);
    net_fill_block(&n, NN_BLOCK_GRADIENTS, 255);
    net_pass(&n, 1, 3, NN_PASS_BACKWARD, 3);
    values = net_get(&n, "dead.gradients.W", &count);
    for (i = 0; i < count; ++i)
        assert_true(values[i] == 0);
    free(values);
    values = net_get(&n, "pair.inner.fully_connected.gradients.W", &count);
    for (i = 0; i < count; ++i)
        assert_true(values[i] == 0);
    free(values);
    assert_int_equal(nn_layout_find(n.network->layout,
                                    "dead.output_deltas.default"),
                     -1);
    net_finish(&n);
}

static uint32_t input_delta_mode(const net *n, const char *name)
{
    int32_t i = nn_graph_find(n->graph, name);

    return n->network->now->top->layers[i].context.input_deltas[0].mode;
}

static void deltas_of_inputs_exist_only_if_kept(void **state)
{
    static const char layers[] =
        "[{fully_connected: {size: 2, name: a}},"
        " {fully_connected: {size: 2, name: b, from: a}},"
        " {fully_connected: {size: 2, name: c, from: a}},"
        " {concat: {name: out, from: [b, c]}}" LOSS;
    const net_options options = {.T = 1, .B = 3};
    const net_options kept = {.T = 1, .B = 3, .keep = keep_deltas};
    double *values;
    int64_t count;
    nn_array array;
    net n;

    (void)state;
    net_make(&n, "{x: [2], t: [4]}", layers, &options);
    net_pass(&n, 1, 3, NN_PASS_BACKWARD, 3);
    assert_int_equal(input_delta_mode(&n, "a"), NN_DISCARD);
    assert_int_equal(input_delta_mode(&n, "c"), NN_WRITE); /* runs first */
    assert_int_equal(input_delta_mode(&n, "b"), NN_ADD);
    assert_int_equal(nn_network_view(n.network, "inputs.output_deltas.x",
                                     &array),
                     NN_NOT_FOUND);
    nn_error_clear();
    net_finish(&n);
    net_make(&n, "{x: [2], t: [4]}", layers, &kept);
    net_pass(&n, 1, 3, NN_PASS_BACKWARD, 3);
    assert_int_equal(input_delta_mode(&n, "a"), NN_WRITE);
    values = net_get(&n, "inputs.output_deltas.x", &count);
    assert_int_equal(count, 6);
    assert_true(values[0] != 0);
    free(values);
    net_finish(&n);
}

/* ---- known cases ------------------------------------------------------- */

/* A branch beside an activation that may run in place sees the old values. */
static void an_activation_does_not_spoil_its_input(void **state)
{
    static const double x[] = {-1, 2};
    static const double y[] = {-3, 8};
    static const double dx[] = {3, 4};
    int inference;

    (void)state;
    for (inference = 0; inference < 2; ++inference) {
        const net_options options = {.B = 2,
                                     .inference = inference,
                                     .keep = keep_deltas};
        net n;

        /* y = 3 a + relu(a), a = x; the loss is its mean over two rows. */
        net_make(&n, "{x: [1]}",
                 "[{lists: {name: a, factors: [1]}},"
                 " {lists: {name: b, factors: [3]}},"
                 " {activation: {kind: relu, name: c, from: a}},"
                 " {lists: {name: half, factors: [1/2]}},"
                 " {optional: {name: y, from: {default: b, extra: half,"
                 " more: zero}}},"
                 " {lists: {name: zero, factors: [0], from: a}},"
                 " {loss: {importance: 2, from: y}}]",
                 &options);
        net_begin(&n, 1, 2, inference ? 0 : NN_PASS_BACKWARD);
        net_set(&n, "x", x);
        net_forward(&n);
        assert_true(fabs(net_loss(&n) - y[0] - y[1]) < 1e-15);
        if (!inference) {
            net_backward(&n, 0);
            net_check(&n, "inputs.output_deltas.x", dx, 2, 0);
        }
        net_finish(&n);
    }
}

/* Two dense layers with w = 2 and w = 5 on one input: dx = 7 dy. */
static void deltas_of_two_readers_are_a_sum(void **state)
{
    static const double x[] = {1};
    static const double dx[] = {7};
    const net_options options = {.B = 1,
                                 .keep = keep_deltas,
                                 .rules = "{a.W: 2, b.W: 5, '*.bias': 0}"};
    net n;

    (void)state;
    net_make(&n, "{x: [1]}",
             "[{fully_connected: {size: 1, name: a}},"
             " {fully_connected: {size: 1, name: b, from: x}},"
             " {concat: {from: [a, b]}}, loss]",
             &options);
    net_begin(&n, 1, 1, NN_PASS_BACKWARD);
    net_set(&n, "x", x);
    net_forward(&n);
    net_backward(&n, 0);
    net_check(&n, "inputs.output_deltas.x", dx, 1, 0);
    net_finish(&n);
}

/* ---- masked losses ----------------------------------------------------- */

static const double logits[] = {1, 2, 0.5, -0.5, 0, 0, 9, 9, 2, -1, -7, 3};
static const double labels[] = {0, 1, 1, 0, 0, 1};
static const double lengths[] = {1, 1, 1, 0, 1, 0};

static void masked_losses_are_means_over_what_counts(void **state)
{
    static const double gradient[] = {
        -0.182764645,  0.182764645,  0.182764645, -0.182764645,
        0.125,         -0.125,       0,           0,
        -0.0118564683, 0.0118564683, 0,           0};
    const net_options options = {.T = 3, .B = 2, .keep = keep_deltas};
    double spoiled[12];
    double weight;
    double loss;
    net n;

    (void)state;
    net_make(&n, "{x: [2], m: [1], l: {shape: [1], dtype: int32}}",
             "[{softmax_ce: {from: {default: x, targets: l, mask: m}}}]",
             &options);
    net_begin(&n, 3, 2, NN_PASS_BACKWARD);
    net_set(&n, "x", logits);
    net_set(&n, "l", labels);
    net_set(&n, "m", lengths);
    net_forward(&n);
    net_backward(&n, 0);
    assert_int_equal(nn_network_loss(n.network, &loss, NULL, &weight), 0);
    assert_true(fabs(loss - 0.842064477) < 1e-9);
    assert_true(weight == 4);
    net_check(&n, "inputs.output_deltas.x", gradient, 12, 1e-9);
    memcpy(spoiled, logits, sizeof spoiled);
    spoiled[6] = NAN;
    spoiled[11] = 1e30;
    net_begin(&n, 3, 2, NN_PASS_BACKWARD);
    net_set(&n, "x", spoiled);
    net_forward(&n);
    net_backward(&n, 0);
    assert_true(net_loss(&n) == loss);
    net_check(&n, "inputs.output_deltas.x", gradient, 12, 1e-9);
    net_finish(&n);
}

static void a_batch_that_is_masked_whole_has_no_gradient(void **state)
{
    static const double none[6];
    const net_options options = {.T = 3, .B = 2};
    double *values;
    int64_t count;
    int64_t i;
    double weight;
    double loss;
    net n;

    (void)state;
    net_make(&n, "{x: [2], m: [1], l: {shape: [1], dtype: int32}}",
             "[{fully_connected: {size: 2, name: out}},"
             " {softmax_ce: {from: {default: out, targets: l, mask: m}}}]",
             &options);
    net_pass(&n, 3, 2, NN_PASS_BACKWARD, 1);
    net_begin(&n, 3, 2, NN_PASS_BACKWARD);
    net_draw(&n, 1);
    net_set(&n, "m", none);
    net_forward(&n);
    net_backward(&n, 0);
    assert_int_equal(nn_network_loss(n.network, &loss, NULL, &weight), 0);
    assert_true(loss == 0 && weight == 0);
    values = net_get(&n, "out.gradients.W", &count);
    for (i = 0; i < count; ++i)
        assert_true(values[i] == 0);
    free(values);
    net_finish(&n);
}

/* ---- state ------------------------------------------------------------- */

static void state_is_written_once_a_training_pass(void **state)
{
    static const double three[] = {3};
    const net_options options = {.B = 2};
    net n;

    (void)state;
    net_make(&n, "{x: [2], t: [2]}",
             "[{fully_connected: 2}, {counter: {name: c}},"
             " {squared_error: {from: {default: c, targets: t}}}]",
             &options);
    net_pass(&n, 1, 2, TRAIN_BOTH, 1);
    net_pass(&n, 1, 2, NN_PASS_TRAIN, 1);
    net_pass(&n, 1, 1, TRAIN_BOTH, 1);
    net_check(&n, "c.state.count", three, 1, 0);
    net_pass(&n, 1, 2, NN_PASS_BACKWARD, 1);
    net_pass(&n, 1, 2, 0, 1);
    net_check(&n, "c.state.count", three, 1, 0);
    net_finish(&n);
}

/* The number of the update, the seed and the layer's name choose the mask. */
static void masks_follow_from_seed_name_and_update(void **state)
{
    const net_options options = {.B = 3, .keep = keep_all};
    double *a;
    double *b;
    int64_t count;
    net n;

    (void)state;
    net_make(&n, "{x: [50]}",
             "[{dropout: {name: a}}, {dropout: {name: b,"
             " from: x}}]",
             &options);
    net_pass(&n, 1, 3, NN_PASS_TRAIN, 1);
    a = net_get(&n, "a.outputs.default", &count);
    b = net_get(&n, "b.outputs.default", NULL);
    assert_memory_not_equal(a, b, (size_t)count * 8);
    free(b);
    net_pass(&n, 1, 3, NN_PASS_TRAIN, 1);
    net_check(&n, "a.outputs.default", a, count, 0);
    n.update = 1;
    net_pass(&n, 1, 3, NN_PASS_TRAIN, 1);
    b = net_get(&n, "a.outputs.default", NULL);
    assert_memory_not_equal(a, b, (size_t)count * 8);
    free(a);
    free(b);
    net_finish(&n);
}

/* ---- large networks ---------------------------------------------------- */

static void run_long_network(void)
{
    const net_options options = {.B = 2};
    time_t start = time(NULL);
    nn_text text = {0};
    int i;
    net n;

    nn_text_append(&text, "[{fully_connected: 2}, ");
    for (i = 0; i < 20000; ++i)
        nn_text_append(&text, "dropout, ");
    nn_text_append(&text, "{fully_connected: {size: 2, name: out}}" LOSS);
    net_make(&n, "{x: [2], t: [2]}", nn_text_string(&text), &options);
    nn_text_finish(&text);
    net_pass(&n, 1, 2, NN_PASS_BACKWARD, 1);
    assert_true(net_loss(&n) > 0);
    net_finish(&n);
    assert_true(time(NULL) - start <= 10);
}

static void twenty_thousand_layers_run_in_time(void **state)
{
    (void)state;
    net_with_small_stack(run_long_network);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sharing_memory_changes_nothing),
        cmocka_unit_test(old_contents_of_memory_do_not_matter),
        cmocka_unit_test(padding_of_parameters_and_gradients_stays_zero),
        cmocka_unit_test(smaller_batches_are_as_in_a_smaller_network),
        cmocka_unit_test(batches_too_large_are_refused),
        cmocka_unit_test(any_number_of_sizes_may_come),
        cmocka_unit_test(passes_come_in_order),
        cmocka_unit_test(accumulated_gradients_are_the_sum),
        cmocka_unit_test(gradients_of_dead_ends_are_zero),
        cmocka_unit_test(deltas_of_inputs_exist_only_if_kept),
        cmocka_unit_test(an_activation_does_not_spoil_its_input),
        cmocka_unit_test(deltas_of_two_readers_are_a_sum),
        cmocka_unit_test(masked_losses_are_means_over_what_counts),
        cmocka_unit_test(a_batch_that_is_masked_whole_has_no_gradient),
        cmocka_unit_test(state_is_written_once_a_training_pass),
        cmocka_unit_test(masks_follow_from_seed_name_and_update),
        cmocka_unit_test(twenty_thousand_layers_run_in_time),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
