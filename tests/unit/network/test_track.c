/* SPDX-License-Identifier: MIT */
/* test_track.c - what a handler that tracks memory is told.
 *
 * The handler is `reference` with a table nn.track/1 that writes down what it
 * hears, and, where a test asks for it, destroys all contents that are said to
 * be of no use. */
#include "tests/unit/network/support.h"

#include <stdio.h>
#include <string.h>

#include "core/util/text.h"

#define TRAIN_BOTH (NN_PASS_TRAIN | NN_PASS_BACKWARD)
#define MOST 4096

/* ---- the handler ------------------------------------------------------- */

static nn_handler_interface inner; /* before it was changed */
static nn_track table;
static nn_text heard;
static nn_tracked places[MOST];
static uint32_t n_places;
static int64_t around; /* bytes of its redzones */
static int destroys;   /* 1: contents that are of no use */

static void hear_buffer(nn_handler *handler, const nn_tracked *tracked)
{
    static const char *const what[] = {"placed", "born", "dead"};
    void *bytes;

    assert_true(NN_HAS(tracked, path));
    assert_true(tracked->what <= NN_TRACK_DEAD);
    nn_text_format(&heard, "%s %s\n", what[tracked->what], tracked->path);
    if (tracked->what == NN_TRACK_PLACED) {
        assert_true(n_places < MOST);
        places[n_places++] = *tracked;
    }
    if (!destroys)
        return;
    bytes = inner.map(handler, tracked->memory, tracked->offset, tracked->bytes,
                      NN_MAP_WRITE);
    assert_non_null(bytes);
    memset(bytes, 255, (size_t)tracked->bytes);
    inner.unmap(handler, tracked->memory, bytes, NN_MAP_WRITE);
}

static void hear_step(nn_handler *handler, uint32_t whose, const char *layer,
                      uint64_t update)
{
    static const char *const names[] = {"outside", "core", "forward",
                                        "backward", "step"};

    (void)handler;
    assert_true(whose <= NN_TRACK_STEP);
    nn_text_format(&heard, "%s %s%s%d\n", names[whose], layer ? layer : "",
                   layer ? " " : "", (int)update);
}

static const void *get_interface(nn_handler *handler, const char *id)
{
    (void)handler;
    return strcmp(id, NN_TRACK) ? NULL : &table;
}

static void describe(nn_handler *handler, nn_handler_info *info)
{
    inner.describe(handler, info);
    info->redzone_bytes = around;
}

static void adapt(nn_handler_interface *interface)
{
    inner = *interface;
    interface->get_interface = get_interface;
    interface->describe = describe;
}

static void forget(void)
{
    nn_text_finish(&heard);
    memset(&heard, 0, sizeof heard);
}

static void start_hearing(int64_t redzone)
{
    const nn_track whole = {NN_SIZEOF(nn_track, step), 0, hear_buffer,
                            hear_step};

    table = whole;
    around = redzone;
    destroys = 0;
    n_places = 0;
    forget();
    net_adapt = adapt;
}

static void stop_hearing(void)
{
    net_adapt = NULL;
    forget();
}

/* Fails unless this was heard since the last time. */
static void check_heard(const char *expected)
{
    assert_string_equal(nn_text_string(&heard), expected);
    forget();
}

/* ---- what is told ------------------------------------------------------ */

#define INTERNALS(what)                                                        \
    what " l.internals.row\n" what " l.internals.scale\n" what                 \
         " l.internals.total\n" what " l.internals.divisor\n" what             \
         " l.internals.difference\n"

#define SMALL                                                                  \
    "[{fully_connected: {size: 3, name: a}},"                                  \
    " {activation: {kind: tanh, name: b}},"                                    \
    " {squared_error: {name: l, from: {default: b, targets: t}}}]"

static void a_training_pass_is_told_step_by_step(void **state)
{
    static const net_options options = {.B = 2};
    net n;

    (void)state;
    start_hearing(0);
    net_make(&n, "{x: [2], t: [3]}", SMALL, &options);
    forget();
    net_begin(&n, 1, 2, TRAIN_BOTH);
    net_draw(&n, 3);
    check_heard("");
    n.update = 5;
    net_forward(&n);
    check_heard("core 5\n"
                "born network.losses\n"
                "born a.outputs.default\n"
                "forward a 5\n"
                "core 5\n"
                "born b.outputs.default\n"
                "forward b 5\n"
                "core 5\n"
                "born l.outputs.predictions\n"
                "born l.outputs.loss\n"
                "born l.outputs.weight\n" INTERNALS(
                    "born") "forward l 5\n"
                            "core 5\n"
                            "born l.output_deltas.loss\n"
                            "outside 5\n");
    net_backward(&n, 0);
    check_heard("core 5\n"
                "born b.output_deltas.default\n"
                "backward l 5\n"
                "core 5\n" INTERNALS("dead") "dead l.output_deltas.loss\n"
                                             "born a.output_deltas.default\n"
                                             "backward b 5\n"
                                             "core 5\n"
                                             "dead b.outputs.default\n"
                                             "dead b.output_deltas.default\n"
                                             "born a.gradients.W\n"
                                             "born a.gradients.bias\n"
                                             "backward a 5\n"
                                             "core 5\n"
                                             "dead a.outputs.default\n"
                                             "dead a.output_deltas.default\n"
                                             "outside 5\n");
    net_finish(&n);
    stop_hearing();
}

/* What is kept is not dead; gradients that are added to are not born. */
static void what_is_kept_or_added_to_lives_on(void **state)
{
    static const char *const keep[] = {"*", NULL};
    static const net_options options = {.B = 2, .keep = keep};
    net n;

    (void)state;
    start_hearing(0);
    net_make(&n, "{x: [2], t: [3]}", SMALL, &options);
    net_pass(&n, 1, 2, TRAIN_BOTH, 3);
    assert_null(strstr(nn_text_string(&heard), "dead"));
    net_begin(&n, 1, 2, TRAIN_BOTH);
    net_draw(&n, 3);
    net_forward(&n);
    forget();
    net_backward(&n, NN_ACCUMULATE);
    assert_null(strstr(nn_text_string(&heard), "gradients"));
    assert_non_null(strstr(nn_text_string(&heard), "born b.output_deltas"));
    net_finish(&n);
    stop_hearing();
}

static void a_layer_alone_is_told_as_well(void **state)
{
    static const net_options options = {.B = 2, .deltas = 1};
    static const double ones[] = {1, 1, 1, 1, 1, 1};
    net n;

    (void)state;
    start_hearing(0);
    net_make(&n, "{x: [2]}", "[{fully_connected: {size: 3, name: a}}]",
             &options);
    net_begin(&n, 1, 2, TRAIN_BOTH);
    net_draw(&n, 3);
    forget();
    n.network->update = 2;
    assert_int_equal(nn_network_run(n.network, "a", NN_PASS_FORWARD_OF, 0), 0);
    check_heard("core 2\n"
                "born a.outputs.default\n"
                "forward a 2\n"
                "core 2\n"
                "outside 2\n");
    net_put(&n, "a.output_deltas.default", ones);
    assert_int_equal(nn_network_run(n.network, "a", NN_PASS_BACKWARD_OF, 0), 0);
    check_heard("core 2\n"
                "born inputs.output_deltas.x\n"
                "born a.gradients.W\n"
                "born a.gradients.bias\n"
                "backward a 2\n"
                "core 2\n"
                "outside 2\n");
    assert_int_equal(nn_network_run(n.network, "a", NN_PASS_BACKWARD_OF,
                                    NN_ACCUMULATE),
                     0);
    check_heard("core 2\n"
                "born inputs.output_deltas.x\n"
                "backward a 2\n"
                "core 2\n"
                "outside 2\n");
    net_finish(&n);
    stop_hearing();
}

/* What the caller adds to is not born. */
static void a_delta_that_is_added_to_stays(void **state)
{
    static const net_options options = {.B = 2, .deltas = 1};
    nn_layer_context *context;
    nn_array delta;
    net n;

    (void)state;
    start_hearing(0);
    net_make(&n, "{x: [2]}", "[{fully_connected: {size: 3, name: a}}]",
             &options);
    net_begin(&n, 1, 2, TRAIN_BOTH);
    net_draw(&n, 3);
    assert_int_equal(nn_network_layer(n.network, "a", NN_PASS_BACKWARD_OF,
                                      &context),
                     0);
    delta = nn_adding(&context->input_deltas[0]);
    context->input_deltas = &delta;
    forget();
    assert_int_equal(nn_network_run(n.network, "a", NN_PASS_BACKWARD_OF, 0), 0);
    assert_null(strstr(nn_text_string(&heard), "output_deltas"));
    net_finish(&n);
    stop_hearing();
}

/* Layers of a child are called by their paths, and then it is the parent's turn
 * again. */
static void layers_of_children_are_told(void **state)
{
    static const net_options options = {.B = 2};
    net n;

    (void)state;
    start_hearing(0);
    net_make(&n, "{x: [2], t: [3]}",
             "[{chain: {name: c, layers: [{fully_connected: {size: 3,"
             " name: f}}]}},"
             " {squared_error: {from: {default: c, targets: t}}}]",
             &options);
    net_begin(&n, 1, 2, TRAIN_BOTH);
    net_draw(&n, 3);
    net_forward(&n);
    assert_non_null(strstr(nn_text_string(&heard),
                           "forward c 0\nforward c.layers.f 0\ncore 0\n"
                           "forward c 0\ncore 0\n"));
    net_backward(&n, 0);
    assert_non_null(strstr(nn_text_string(&heard),
                           "backward c 0\ncore 0\nbackward c.layers.f 0\n"
                           "core 0\nbackward c 0\ncore 0\n"));
    net_finish(&n);
    stop_hearing();
}

static void steppers_can_be_told(void **state)
{
    static const net_options options = {.B = 2};
    net n;

    (void)state;
    start_hearing(0);
    net_make(&n, "{x: [2], t: [3]}", SMALL, &options);
    n.update = 7;
    net_pass(&n, 1, 2, TRAIN_BOTH, 3);
    forget();
    nn_network_track(n.network, NN_TRACK_STEP, "momentum");
    nn_network_track(n.network, NN_TRACK_OUTSIDE, NULL);
    check_heard("step momentum 7\noutside 7\n");
    net_finish(&n);
    stop_hearing();
}

/* A table that ends earlier, or lacks a function, is fine. */
static void an_older_table_hears_what_it_knows(void **state)
{
    static const net_options options = {.B = 2};
    net n;

    (void)state;
    start_hearing(0);
    table.size = NN_SIZEOF(nn_track, buffer);
    net_make(&n, "{x: [2], t: [3]}", SMALL, &options);
    net_pass(&n, 1, 2, TRAIN_BOTH, 3);
    assert_non_null(strstr(nn_text_string(&heard), "born a.outputs.default"));
    assert_null(strstr(nn_text_string(&heard), "forward"));
    net_finish(&n);
    start_hearing(0);
    table.buffer = NULL;
    net_make(&n, "{x: [2], t: [3]}", SMALL, &options);
    net_pass(&n, 1, 2, TRAIN_BOTH, 3);
    assert_null(strstr(nn_text_string(&heard), "born"));
    assert_non_null(strstr(nn_text_string(&heard), "forward a"));
    net_finish(&n);
    stop_hearing();
}

/* ---- places ------------------------------------------------------------ */

static const nn_tracked *find_place(const char *path)
{
    uint32_t i;

    for (i = 0; i < n_places; ++i)
        if (!strcmp(places[i].path, path))
            return &places[i];
    return NULL;
}

static int64_t memory_bytes(const net *n, const nn_memory *memory)
{
    uint32_t block;

    for (block = 0; block < NN_BLOCKS; ++block)
        if (n->network->blocks[block] == memory)
            return n->network->layout->bytes[block];
    fail_msg("a place lies in no block");
    return 0;
}

/* All places have their redzones to themselves, the ends of blocks included. */
static void check_places(const net *n, int64_t redzone)
{
    uint32_t i;
    uint32_t j;

    for (i = 0; i < n_places; ++i) {
        const nn_tracked *a = &places[i];

        if (a->offset < redzone || a->bytes < 1 ||
            a->offset + a->bytes + redzone > memory_bytes(n, a->memory))
            fail_msg("%s lies at the end of its block", a->path);
        for (j = 0; j < i; ++j) {
            const nn_tracked *b = &places[j];

            if (a->memory == b->memory &&
                a->offset < b->offset + b->bytes + redzone &&
                b->offset < a->offset + a->bytes + redzone)
                fail_msg("%s and %s are too near", a->path, b->path);
        }
    }
}

static void every_buffer_has_a_place_between_redzones(void **state)
{
    uint64_t seed;

    (void)state;
    for (seed = 601; seed <= 640; ++seed) {
        net_options options = {.T = 2, .B = 3, .inference = seed % 4 == 0};
        char *text = net_random_layers(seed);
        int32_t i;
        net n;

        start_hearing(64);
        net_make(&n, NET_RANDOM_INPUTS, text, &options);
        check_places(&n, 64);
        for (i = 0; i < n.network->layout->n_records; ++i) {
            const nn_record *one = &n.network->layout->records[i];

            if (one->alias < 0 && !find_place(one->path))
                fail_msg("%s has no place", one->path);
        }
        net_finish(&n);
        free(text);
    }
    stop_hearing();
}

static void a_place_has_type_and_frames_of_its_buffer(void **state)
{
    static const net_options options = {.T = 4, .B = 3, .real = NN_FLOAT32};
    const nn_tracked *place;
    net n;

    (void)state;
    start_hearing(64);
    net_make(&n, "{x: [2]}", "[{frames: {name: s}}]", &options);
    place = find_place("s.outputs.default");
    assert_non_null(place);
    assert_int_equal(place->dtype, NN_FLOAT32);
    assert_int_equal(place->bytes, (4 + 1) * 3 * 2 * (int64_t)sizeof(float));
    place = find_place("s.outputs.default.carried");
    assert_non_null(place);
    assert_int_equal(place->bytes, 3 * 2 * (int64_t)sizeof(float));
    net_finish(&n);
    stop_hearing();
}

/* ---- contents ---------------------------------------------------------- */

static void same_gradients(net *a, net *b)
{
    int32_t i;

    for (i = 0; i < a->network->layout->n_records; ++i) {
        const nn_record *one = &a->network->layout->records[i];
        double *values;
        int64_t count;

        if (one->sort != NN_SORT_GRADIENT)
            continue;
        values = net_get(a, one->path, &count);
        net_check(b, one->path, values, count, 0);
        free(values);
    }
}

/* Buffers that were just placed, born or dead can be overwritten with NaN: all
 * results stay the same, to the bit, with redzones or without. */
static void nothing_reads_what_is_placed_born_or_dead(void **state)
{
    uint64_t seed;

    (void)state;
    for (seed = 701; seed <= 760; ++seed) {
        net_options options = {.T = 2, .B = 3, .deltas = seed % 3 == 0};
        char *text = net_random_layers(seed);
        int pass;
        net a;
        net b;

        stop_hearing();
        net_make(&a, NET_RANDOM_INPUTS, text, &options);
        start_hearing(seed % 2 ? 64 : 0);
        destroys = 1;
        net_make(&b, NET_RANDOM_INPUTS, text, &options);
        for (pass = 0; pass < 2; ++pass) {
            net_pass(&a, 2 - pass, 3, TRAIN_BOTH, 3);
            net_pass(&b, 2 - pass, 3, TRAIN_BOTH, 3);
            if (!(net_loss(&a) == net_loss(&b)))
                fail_msg("%g is now %g in %s", net_loss(&a), net_loss(&b),
                         text);
            same_gradients(&a, &b);
        }
        net_finish(&a);
        net_finish(&b);
        free(text);
    }
    stop_hearing();
}

/* Nothing needs to be written before the first pass but the inputs. */
static void all_but_the_arena_starts_with_zeros(void **state)
{
    static const net_options options = {.T = 3, .B = 2};
    static const double zeros[12] = {0};
    unsigned char bytes[64];
    int64_t samples;
    int i;
    net n;

    (void)state;
    start_hearing(64);
    destroys = 1;
    net_make(&n, "{x: [2]}",
             "[{fully_connected: {size: 2, name: a}}, {frames: {name: s}}]",
             &options);
    net_check(&n, "a.gradients.W", zeros, 4, 0);
    assert_int_equal(nn_network_context_bytes(n.network), sizeof bytes);
    memset(bytes, 255, sizeof bytes);
    assert_int_equal(nn_network_context_get(n.network, bytes, &samples), 0);
    for (i = 0; i < 64; ++i)
        assert_int_equal(bytes[i], 0);
    net_finish(&n);
    stop_hearing();
}

/* What the caller gives between two passes is not said to be of no use, nor
 * what a layer alone is handed. */
static void what_the_caller_gives_stays(void **state)
{
    static const char *const keep[] = {"*", NULL};
    static const net_options options = {.B = 2, .deltas = 1, .keep = keep};
    static const double delta[] = {1, 2, 3, 4, 5, 6};
    double *dx[3];
    int64_t count = 0;
    int k;
    net n;

    (void)state;
    for (k = 0; k < 3; ++k) {
        stop_hearing();
        if (k)
            start_hearing(64);
        destroys = k > 0;
        net_make(&n, "{x: [2]}", "[{fully_connected: {size: 3, name: a}}]",
                 &options);
        net_begin(&n, 1, 2, TRAIN_BOTH);
        net_draw(&n, 3);
        if (k == 2)
            assert_int_equal(nn_network_run(n.network, "a", NN_PASS_FORWARD_OF,
                                            0),
                             0);
        else
            net_forward(&n);
        net_put(&n, "a.output_deltas.default", delta);
        if (k == 2)
            assert_int_equal(nn_network_run(n.network, "a", NN_PASS_BACKWARD_OF,
                                            0),
                             0);
        else
            net_backward(&n, NN_GIVEN_DELTAS);
        dx[k] = net_get(&n, "inputs.output_deltas.x", &count);
        net_finish(&n);
    }
    assert_memory_equal(dx[0], dx[1], (size_t)count * sizeof(double));
    assert_memory_equal(dx[0], dx[2], (size_t)count * sizeof(double));
    for (k = 0; k < 3; ++k)
        free(dx[k]);
    stop_hearing();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_training_pass_is_told_step_by_step),
        cmocka_unit_test(what_is_kept_or_added_to_lives_on),
        cmocka_unit_test(a_layer_alone_is_told_as_well),
        cmocka_unit_test(a_delta_that_is_added_to_stays),
        cmocka_unit_test(layers_of_children_are_told),
        cmocka_unit_test(steppers_can_be_told),
        cmocka_unit_test(an_older_table_hears_what_it_knows),
        cmocka_unit_test(every_buffer_has_a_place_between_redzones),
        cmocka_unit_test(a_place_has_type_and_frames_of_its_buffer),
        cmocka_unit_test(nothing_reads_what_is_placed_born_or_dead),
        cmocka_unit_test(all_but_the_arena_starts_with_zeros),
        cmocka_unit_test(what_the_caller_gives_stays),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
