/* SPDX-License-Identifier: MIT */
/* test_context.c - frames of context: carried from pass to pass, begun anew,
 * and their way to the host and back. */
#include "tests/unit/network/support.h"

#include <string.h>

#include "tests/unit/network/own.h"

#define FRAMES 4 /* time steps */
#define ROWS 3   /* samples */
#define WIDE 2   /* features */
#define LAYERS "[{fully_connected: {size: 2, name: a}}, {frames: {name: s}}]"
#define Y "s.outputs.default"

static const char *const keep[] = {"*", NULL};
static const net_options options = {.T = FRAMES, .B = ROWS, .keep = keep};

/* ---- what the tests share ---------------------------------------------- */

static void draw(double *x, int64_t count, uint64_t seed)
{
    int64_t i;

    for (i = 0; i < count; ++i)
        x[i] = net_random(seed, (uint64_t)i);
}

/* COUNT frames of X, of SAMPLES, forward. */
static void run(net *n, const double *x, int64_t count, int64_t samples,
                int carry, const uint8_t *begins)
{
    net_begin(n, count, samples, NN_PASS_BACKWARD);
    net_set(n, "x", x);
    if (nn_network_forward(n->network, carry, begins))
        fail_msg("%s", nn_error_text());
}

/* The running sums of LAYERS for FRAMES frames in one pass. */
static double *in_one_pass(net *n, const double *x)
{
    run(n, x, FRAMES, ROWS, 0, NULL);
    return net_get(n, Y, NULL);
}

/* ---- carrying ---------------------------------------------------------- */

static void a_sequence_in_two_parts_is_as_in_one(void **state)
{
    double x[FRAMES * ROWS * WIDE];
    double *y;
    int64_t first;
    net n;

    (void)state;
    draw(x, FRAMES * ROWS * WIDE, 1);
    net_make(&n, "{x: [2]}", LAYERS, &options);
    y = in_one_pass(&n, x);
    for (first = 1; first < FRAMES; ++first) {
        run(&n, x, first, ROWS, 0, NULL);
        net_check(&n, Y, y, first * ROWS * WIDE, 0);
        run(&n, x + first * ROWS * WIDE, FRAMES - first, ROWS, 1, NULL);
        net_check(&n, Y, y + first * ROWS * WIDE,
                  (FRAMES - first) * ROWS * WIDE, 0);
    }
    free(y);
    net_finish(&n);
}

static void without_carry_every_pass_begins_anew(void **state)
{
    double x[FRAMES * ROWS * WIDE];
    double *y;
    net n;

    (void)state;
    draw(x, FRAMES * ROWS * WIDE, 1);
    net_make(&n, "{x: [2]}", LAYERS, &options);
    y = in_one_pass(&n, x);
    run(&n, x, FRAMES, ROWS, 0, NULL);
    net_check(&n, Y, y, FRAMES * ROWS * WIDE, 0);
    net_finish(&n);
    /* Nothing is carried into the first pass. */
    net_make(&n, "{x: [2]}", LAYERS, &options);
    net_fill_block(&n, NN_BLOCK_CARRY, 255);
    run(&n, x, FRAMES, ROWS, 1, NULL);
    net_check(&n, Y, y, FRAMES * ROWS * WIDE, 0);
    free(y);
    net_finish(&n);
}

static void rows_begin_one_by_one(void **state)
{
    static const uint8_t begins[ROWS] = {0, 1, 0};
    double x[FRAMES * ROWS * WIDE];
    double *whole;
    double *anew;
    double wanted[2 * ROWS * WIDE];
    int i;
    net n;

    (void)state;
    draw(x, FRAMES * ROWS * WIDE, 1);
    net_make(&n, "{x: [2]}", LAYERS, &options);
    whole = in_one_pass(&n, x);
    run(&n, x + 2 * ROWS * WIDE, 2, ROWS, 0, NULL);
    anew = net_get(&n, Y, NULL);
    for (i = 0; i < 2 * ROWS * WIDE; ++i)
        wanted[i] = i / WIDE % ROWS == 1 ? anew[i] : whole[2 * ROWS * WIDE + i];
    run(&n, x, 2, ROWS, 0, NULL);
    run(&n, x + 2 * ROWS * WIDE, 2, ROWS, 1, begins);
    net_check(&n, Y, wanted, 2 * ROWS * WIDE, 0);
    free(whole);
    free(anew);
    net_finish(&n);
}

static void another_number_of_samples_begins_anew(void **state)
{
    double x[FRAMES * ROWS * WIDE];
    double *y;
    net n;

    (void)state;
    draw(x, FRAMES * ROWS * WIDE, 1);
    net_make(&n, "{x: [2]}", LAYERS, &options);
    run(&n, x, 2, ROWS - 1, 0, NULL);
    y = net_get(&n, Y, NULL);
    run(&n, x, FRAMES, ROWS, 0, NULL);
    run(&n, x, 2, ROWS - 1, 1, NULL);
    net_check(&n, Y, y, 2 * (ROWS - 1) * WIDE, 0);
    free(y);
    net_finish(&n);
}

static void carried_frames_can_be_put_aside(void **state)
{
    double x[FRAMES * ROWS * WIDE];
    double other[FRAMES * ROWS * WIDE];
    double *y;
    void *bytes;
    int64_t samples;
    net n;

    (void)state;
    draw(x, FRAMES * ROWS * WIDE, 1);
    draw(other, FRAMES * ROWS * WIDE, 2);
    net_make(&n, "{x: [2]}", LAYERS, &options);
    y = in_one_pass(&n, x);
    bytes = malloc((size_t)nn_network_context_bytes(n.network));
    run(&n, x, 2, ROWS, 0, NULL);
    assert_int_equal(nn_network_context_get(n.network, bytes, &samples), 0);
    assert_int_equal(samples, ROWS);
    run(&n, other, FRAMES, ROWS - 1, 0, NULL);
    assert_int_equal(nn_network_context_set(n.network, bytes, samples), 0);
    run(&n, x + 2 * ROWS * WIDE, 2, ROWS, 1, NULL);
    net_check(&n, Y, y + 2 * ROWS * WIDE, 2 * ROWS * WIDE, 0);
    assert_int_equal(nn_network_context_set(n.network, bytes, 0), 0);
    run(&n, x, 2, ROWS, 1, NULL);
    net_check(&n, Y, y, 2 * ROWS * WIDE, 0);
    assert_int_equal(nn_network_context_set(n.network, bytes, ROWS + 1),
                     NN_INVALID_ARGUMENT);
    nn_error_clear();
    free(bytes);
    free(y);
    net_finish(&n);
}

/* Only frames before frame 0 of what forward writes are carried. */
static void as_little_as_possible_is_carried(void **state)
{
    net n;

    (void)state;
    net_make(&n, "{x: [2]}", LAYERS, &options);
    assert_int_equal(nn_network_context_bytes(n.network), 64);
    net_finish(&n);
    net_make(&n, "{x: [2]}", "[dropout]", &options);
    assert_int_equal(nn_network_context_bytes(n.network), 0);
    net_finish(&n);
}

/* ---- several frames ---------------------------------------------------- */

OWN_PORT(port, "default", 0);
static const nn_port *const ports[] = {&port};

static int32_t setup_memory(nn_setup *setup)
{
    nn_buffer y = nn_buffer_like("default", &setup->inputs[0]);
    nn_buffer work = nn_buffer_like("work", &setup->inputs[0]);
    int32_t code;

    y.context_before = 2;
    y.context_after = 1;
    work.context_before = 1;
    work.flags = NN_BUFFER_BACKWARD_ONLY;
    code = setup->declare(setup, NN_DECLARE_OUTPUT, &y);
    if (code >= 0)
        code = setup->declare(setup, NN_DECLARE_INTERNAL, &work);
    return code < 0 ? code : NN_OK;
}

/* y[t] = x[t] + y[t-1] / 2 + y[t-2] / 4 + y[t+1], which is zero. */
static void forward_memory(const nn_layer_context *c)
{
    int64_t t;

    for (t = 0; t < c->T; ++t) {
        nn_array x = nn_slice(&c->inputs[0], t, 1);
        nn_array y = nn_slice(&c->outputs[0], t, 1);
        nn_array one = nn_slice(&c->outputs[0], t - 1, 1);
        nn_array two = nn_slice(&c->outputs[0], t - 2, 1);
        nn_array end = nn_slice(&c->outputs[0], c->T, 1);

        nn_axpby_tt(c->ops, 1.0, &x, 0.5, &one, &y);
        nn_axpby_tt(c->ops, 1.0, &y, 0.25, &two, &y);
        nn_add_tt(c->ops, &y, &end, &y);
    }
}

/* h[t] = dy[t] + h[t+1] / 2 + h[t+2] / 4 in dx; the frames around dy are zero.
 */
static void backward_memory(const nn_layer_context *c)
{
    const nn_array *dy = &c->output_deltas[0];
    const nn_array *dx = &c->input_deltas[0];
    int64_t t;

    nn_copy(c->ops, dy, dx);
    for (t = -2; t < 2; ++t) {
        nn_array around = nn_slice(dy, t < 0 ? t : c->T, 1);
        nn_array first = nn_slice(dx, 0, 1);

        nn_add_tt(c->ops, &first, &around, &first);
    }
    for (t = c->T - 2; t >= 0; --t) {
        nn_array h = nn_slice(dx, t, 1);
        nn_array one = nn_slice(dx, t + 1, 1);
        nn_array two = nn_slice(dx, t + 2, 1);

        nn_axpby_tt(c->ops, 1.0, &h, 0.5, &one, &h);
        if (t + 2 < c->T)
            nn_axpby_tt(c->ops, 1.0, &h, 0.25, &two, &h);
    }
}

OWN_LAYER(memory, ports, ports, NULL, forward_memory, backward_memory);

/* A layer whose frames of context lack the samples. */
static int32_t setup_wrong(nn_setup *setup)
{
    nn_buffer y = nn_buffer_like("default", &setup->inputs[0]);
    nn_buffer odd = nn_buffer_named("odd");
    int32_t code = setup->declare(setup, NN_DECLARE_OUTPUT, &y);

    odd.context_before = 1;
    odd.shape.ndim = 2;
    odd.shape.dims[0] = NN_T;
    odd.shape.dims[1] = 3;
    if (code >= 0)
        code = setup->declare(setup, NN_DECLARE_INTERNAL, &odd);
    return code < 0 ? code : NN_OK;
}

OWN_LAYER(wrong, ports, ports, NULL, forward_memory, NULL);

static const nn_component *const own[] = {&memory, &wrong, NULL};

/* Passes that are shorter than the frames to carry. */
static void short_passes_carry_frames_of_earlier_ones(void **state)
{
    double x[FRAMES * ROWS * WIDE];
    double *y;
    int t;
    net n;

    (void)state;
    draw(x, FRAMES * ROWS * WIDE, 1);
    net_components = own;
    net_make(&n, "{x: [2]}", "[{memory: {name: s}}]", &options);
    assert_int_equal(nn_network_context_bytes(n.network), 128);
    y = in_one_pass(&n, x);
    for (t = 0; t < FRAMES; ++t) {
        run(&n, x + t * ROWS * WIDE, 1, ROWS, t > 0, NULL);
        net_check(&n, Y, y + t * ROWS * WIDE, ROWS * WIDE, 0);
    }
    free(y);
    net_finish(&n);
    net_expect("{x: [2]}", "[{wrong: {name: w}}]", NULL, "layer.context", "'w'",
               "'odd'", (char *)NULL);
    net_components = NULL;
}

/* ---- backward ---------------------------------------------------------- */

static void sums_over_time_have_gradients(void **state)
{
    static const char layers[] =
        "[{fully_connected: {size: 2, activation: tanh, name: a}},"
        " {frames: {name: s}}, {memory: {name: m}},"
        " {fully_connected: {size: 2, name: out}},"
        " {squared_error: {from: {default: out, targets: t}}}]";
    net n;

    (void)state;
    net_components = own;
    net_make(&n, "{x: [2], t: [2]}", layers, &options);
    net_check_gradients(&n, FRAMES, ROWS, 0);
    net_check_gradients(&n, 2, 1, 0);
    net_finish(&n);
    net_components = NULL;
}

/* Frames around a delta are zero whatever the memory held. */
static void frames_around_deltas_are_cleared(void **state)
{
    double *clean;
    int64_t count;
    net n;

    (void)state;
    net_components = own;
    net_make(&n, "{x: [2], t: [2]}",
             "[{fully_connected: {size: 2, name: a}}, frames, memory,"
             " {squared_error: {from: {default: memory, targets: t}}}]",
             &options);
    net_pass(&n, FRAMES, ROWS, NN_PASS_BACKWARD, 1);
    clean = net_get(&n, "a.gradients.W", &count);
    net_begin(&n, FRAMES, ROWS, NN_PASS_BACKWARD);
    net_fill_block(&n, NN_BLOCK_ARENA, 255);
    net_draw(&n, 1);
    net_forward(&n);
    net_backward(&n, 0);
    net_check(&n, "a.gradients.W", clean, count, 0);
    free(clean);
    net_finish(&n);
    net_components = NULL;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sequence_in_two_parts_is_as_in_one),
        cmocka_unit_test(without_carry_every_pass_begins_anew),
        cmocka_unit_test(rows_begin_one_by_one),
        cmocka_unit_test(another_number_of_samples_begins_anew),
        cmocka_unit_test(carried_frames_can_be_put_aside),
        cmocka_unit_test(as_little_as_possible_is_carried),
        cmocka_unit_test(short_passes_carry_frames_of_earlier_ones),
        cmocka_unit_test(sums_over_time_have_gradients),
        cmocka_unit_test(frames_around_deltas_are_cleared),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
