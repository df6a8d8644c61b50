/* SPDX-License-Identifier: MIT */
/* test_layout.c - where buffers lie: who shares memory, and who must not. */
#include "tests/unit/network/support.h"

#include <stdio.h>
#include <string.h>

#include <nn/shape.h>

static const net_options training = {.unallocated = 1, .T = 3, .B = 5};
static const net_options inference = {.unallocated = 1,
                                      .T = 3,
                                      .B = 5,
                                      .inference = 1};

/* ---- what the tests share ---------------------------------------------- */

static const nn_record *record(const net *n, const char *path)
{
    int32_t i = nn_layout_find(n->network->layout, path);

    if (i < 0)
        fail_msg("no record '%s'", path);
    return &n->network->layout->records[i];
}

/* 1 if the memory of PATH is a part of that of WHOLE, directly. */
static int stands_in(const net *n, const char *path, const char *whole)
{
    const nn_layout *layout = n->network->layout;

    return record(n, path)->alias == nn_layout_find(layout, whole);
}

static int is_root(const net *n, const char *path)
{
    return record(n, path)->alias == -1;
}

static int exists(const net *n, const char *path)
{
    return nn_layout_find(n->network->layout, path) >= 0;
}

/* ---- nobody writes what somebody else needs ----------------------------- */

typedef struct extent {
    int64_t start;
    int64_t end;
} extent;

/* The bytes of a record that stands for itself, with what lies around it. */
static extent extent_of(const nn_layout *layout, const nn_record *one)
{
    extent e = {one->offset - layout->redzone,
                one->offset + one->bytes + layout->redzone};

    return e;
}

static void check_pair(const nn_layout *layout, const nn_record *a,
                       const nn_record *b)
{
    extent x = extent_of(layout, a);
    extent y = extent_of(layout, b);

    if (a->block != b->block || x.end <= y.start || y.end <= x.start ||
        (a->block == NN_BLOCK_ARENA && !layout->redzone &&
         (a->last < b->first || b->last < a->first)))
        return;
    fail_msg("%s (%lld to %lld, steps %d to %d) and %s (%lld to %lld, steps %d "
             "to %d) lie in each other",
             a->path, (long long)x.start, (long long)x.end, a->first, a->last,
             b->path, (long long)y.start, (long long)y.end, b->first, b->last);
}

/* The slice lies in its root at all times of its life. */
static void check_alias(const nn_layout *layout, int32_t index)
{
    const nn_record *one = &layout->records[index];
    nn_array array = nn_layout_array(layout, index, layout->T, layout->B);
    const nn_record *root = one;
    int64_t end = array.offset +
                  ((nn_rows(&array) - 1) * array.pitch + nn_columns(&array)) *
                      nn_dtype_bytes(array.dtype);

    while (root->alias >= 0)
        root = &layout->records[root->alias];
    assert_true(array.offset >= root->offset);
    assert_true(end <= root->offset + root->bytes);
    assert_true(array.pitch >= nn_columns(&array));
    if (one->block != NN_BLOCK_ARENA)
        return;
    assert_true(root->first <= one->first && one->last <= root->last);
}

static void check_layout(const nn_layout *layout)
{
    int32_t i;
    int32_t j;

    for (i = 0; i < layout->n_records; ++i) {
        const nn_record *one = &layout->records[i];

        if (one->block == NN_BLOCK_ARENA && one->first < 0)
            fail_msg("%s never lives", one->path);
        if (one->alias >= 0) {
            check_alias(layout, i);
            continue;
        }
        if (one->offset % 64 || one->offset < layout->redzone ||
            one->offset + one->bytes + layout->redzone >
                layout->bytes[one->block])
            fail_msg("%s lies at %lld to %lld of %lld", one->path,
                     (long long)one->offset,
                     (long long)(one->offset + one->bytes),
                     (long long)layout->bytes[one->block]);
        for (j = 0; j < i; ++j)
            if (layout->records[j].alias < 0)
                check_pair(layout, one, &layout->records[j]);
    }
    assert_int_equal(layout->bytes[NN_BLOCK_PARAMETERS],
                     layout->training ? layout->bytes[NN_BLOCK_GRADIENTS]
                                      : layout->bytes[NN_BLOCK_PARAMETERS]);
}

/* Two aliases of one root may share bytes only if one stands in the other: what
 * concatenations hold side by side is disjoint. */
static void check_columns(const nn_layout *layout)
{
    int32_t i;
    int32_t j;

    for (i = 0; i < layout->n_records; ++i)
        for (j = 0; j < i; ++j) {
            const nn_record *a = &layout->records[i];
            const nn_record *b = &layout->records[j];
            int64_t bytes = nn_dtype_bytes(a->shape.dtype);

            if (a->alias < 0 || a->alias != b->alias || !a->strided ||
                !b->strided)
                continue;
            if (a->alias_offset <
                    b->alias_offset + nn_shape_columns(&b->shape) * bytes &&
                b->alias_offset <
                    a->alias_offset + nn_shape_columns(&a->shape) * bytes)
                fail_msg("%s and %s share columns", a->path, b->path);
        }
}

static void want_redzones(nn_handler_interface *interface);

static void random_layouts_keep_live_buffers_apart(void **state)
{
    static const char *const kept[] = {"l1*.outputs.*", "*_deltas.*", NULL};
    uint64_t seed;

    (void)state;
    for (seed = 1; seed <= 150; ++seed) {
        net_options options = {.unallocated = 1,
                               .T = 1 + (int64_t)seed % 3,
                               .B = 2,
                               .inference = seed % 5 == 0,
                               .real = seed % 2 ? NN_FLOAT32 : NN_FLOAT64,
                               .keep = seed % 3 ? NULL : kept};
        char *text = net_random_layers(seed);
        net n;

        net_adapt = seed % 4 ? NULL : want_redzones;
        net_make(&n, NET_RANDOM_INPUTS, text, &options);
        assert_int_equal(n.network->layout->redzone, seed % 4 ? 0 : 64);
        check_layout(n.network->layout);
        check_columns(n.network->layout);
        net_finish(&n);
        free(text);
    }
    net_adapt = NULL;
}

static void (*describe_before)(nn_handler *handler, nn_handler_info *info);

static void describe_redzone(nn_handler *handler, nn_handler_info *info)
{
    describe_before(handler, info);
    info->redzone_bytes = 64;
}

static void want_redzones(nn_handler_interface *interface)
{
    describe_before = interface->describe;
    interface->describe = describe_redzone;
}

/* With redzones an output has a place of its own beside its input. */
static void nothing_stands_in_place_with_redzones(void **state)
{
    static const char *const layers =
        "[{fully_connected: {size: 4, name: a}}, {activation: {kind: tanh, "
        "name: b}}]";
    net n;

    (void)state;
    net_make(&n, "{x: [4]}", layers, &inference);
    assert_true(stands_in(&n, "b.outputs.default", "a.outputs.default"));
    net_finish(&n);
    net_adapt = want_redzones;
    net_make(&n, "{x: [4]}", layers, &inference);
    assert_true(is_root(&n, "b.outputs.default"));
    net_finish(&n);
    net_adapt = NULL;
}

/* ---- sizes ------------------------------------------------------------- */

static void inference_takes_less_than_training(void **state)
{
    uint64_t seed;

    (void)state;
    for (seed = 1; seed <= 30; ++seed) {
        char *text = net_random_layers(seed);
        net train;
        net infer;

        net_make(&train, NET_RANDOM_INPUTS, text, &training);
        net_make(&infer, NET_RANDOM_INPUTS, text, &inference);
        assert_true(nn_network_bytes(infer.network) <
                    nn_network_bytes(train.network));
        assert_int_equal(infer.network->layout->bytes[NN_BLOCK_GRADIENTS], 0);
        net_finish(&train);
        net_finish(&infer);
        free(text);
    }
}

/* A chain needs two buffers at a time, however long it is. */
static void what_is_dead_is_used_again(void **state)
{
    net n;

    (void)state;
    net_make(&n, "{x: [100]}",
             "[{fully_connected: 100}, {fully_connected: 100},"
             " {fully_connected: 100}, {fully_connected: 100},"
             " {fully_connected: 100}, {fully_connected: 100}]",
             &inference);
    /* The inputs and the last output, which stay, and two of the others. */
    assert_true(n.network->layout->bytes[NN_BLOCK_ARENA] <=
                4 * 3 * 5 * 100 * 8 + 64);
    net_finish(&n);
}

static void the_largest_batch_that_fits_is_found(void **state)
{
    nn_layout *layout;
    int64_t fits;
    int64_t limit;
    net n;

    (void)state;
    net_make(&n, "{x: [10]}", "[{fully_connected: 10}]", &training);
    layout = n.network->layout;
    limit = nn_network_bytes(n.network) - 1;
    fits = nn_layout_largest_batch(layout, limit);
    assert_int_equal(layout->B, 5);
    assert_int_equal(nn_network_bytes(n.network), limit + 1);
    assert_true(fits >= 1 && fits < 5);
    assert_int_equal(nn_layout_assign(layout, 3, fits), 0);
    assert_true(nn_network_bytes(n.network) <= limit);
    assert_int_equal(nn_layout_assign(layout, 3, fits + 1), 0);
    assert_true(nn_network_bytes(n.network) > limit);
    assert_int_equal(nn_layout_assign(layout, 3, 5), 0);
    assert_int_equal(nn_layout_largest_batch(layout, 100), 0);
    net_finish(&n);
}

/* Sizes for T and B that no memory has are errors that name the buffer. */
static void batches_that_overflow_name_the_layer(void **state)
{
    const net_options huge = {.unallocated = 1,
                              .T = INT64_C(1) << 40,
                              .B = INT64_C(1) << 40};
    const net_options large = {.unallocated = 1, .T = INT64_MAX, .B = 1};
    const net_options none = {.unallocated = 1, .T = -1, .B = 1};

    (void)state;
    net_expect("{x: [2]}", "[{dropout: {name: big}}]", &huge,
               "layout.too-large", "inputs", (char *)NULL);
    net_expect("{x: [2]}", "[{frames: {name: big}}]", &large,
               "layout.too-large", "inputs", (char *)NULL);
    net_expect("{x: [2]}", "[{dropout: {name: big}}]", &none, "layout.size",
               "-1", (char *)NULL);
    net_expect("{x: [1]}",
               "[{fully_connected: {size: 1000000000000000, name: big}}]",
               &huge, "layout.too-large", "inputs", (char *)NULL);
}

/* The sum of buffers that each would fit. */
static void sums_that_overflow_are_errors(void **state)
{
    const net_options large = {.unallocated = 1, .T = 1, .B = 1};

    (void)state;
    net_expect("{x: [1]}",
               "[{fully_connected: {size: 100000000000000000, name: a}},"
               " {fully_connected: {size: 100000000000000000, from: x}},"
               " {fully_connected: {size: 100000000000000000, from: x}}]",
               &large, "layout.too-large", "fully_connected", (char *)NULL);
}

/* ---- concatenations ---------------------------------------------------- */

static void a_concatenation_is_written_by_what_it_reads(void **state)
{
    net n;

    (void)state;
    net_make(&n, "{x: [4], t: [2]}",
             "[{fully_connected: {size: 2, name: a}},"
             " {fully_connected: {size: 3, name: b, from: x}},"
             " {concat: {name: c, from: [a, b, 'b[0:1]']}},"
             " {fully_connected: {size: 2, name: d}},"
             " {squared_error: {from: {default: d, targets: t}}}]",
             &training);
    assert_true(stands_in(&n, "a.outputs.default", "c.outputs.default"));
    assert_true(stands_in(&n, "b.outputs.default", "c.outputs.default"));
    assert_int_equal(record(&n, "a.outputs.default")->alias_offset, 0);
    assert_int_equal(record(&n, "b.outputs.default")->alias_offset, 2 * 8);
    /* b is read twice, so its delta is a sum and no slice. */
    assert_true(
        stands_in(&n, "a.output_deltas.default", "c.output_deltas.default"));
    assert_true(is_root(&n, "b.output_deltas.default"));
    net_finish(&n);
}

static void concatenations_stand_in_concatenations(void **state)
{
    net n;
    nn_array array;
    nn_array whole;

    (void)state;
    net_make(&n, "{x: [4], t: [2]}",
             "[{fully_connected: {size: 2, name: a}},"
             " {fully_connected: {size: 3, name: b, from: x}},"
             " {concat: {name: c, from: [a, b]}},"
             " {fully_connected: {size: 1, name: d, from: x}},"
             " {concat: {name: e, from: [d, c]}},"
             " {fully_connected: {size: 2, name: f}},"
             " {squared_error: {from: {default: f, targets: t}}}]",
             &training);
    assert_true(stands_in(&n, "b.outputs.default", "c.outputs.default"));
    assert_true(stands_in(&n, "c.outputs.default", "e.outputs.default"));
    assert_true(
        stands_in(&n, "b.output_deltas.default", "c.output_deltas.default"));
    assert_true(
        stands_in(&n, "c.output_deltas.default", "e.output_deltas.default"));
    array = nn_layout_array(n.network->layout,
                            nn_layout_find(n.network->layout,
                                           "b.outputs.default"),
                            2, 4);
    whole = nn_layout_array(n.network->layout,
                            nn_layout_find(n.network->layout,
                                           "e.outputs.default"),
                            2, 4);
    assert_int_equal(array.pitch, 6);
    assert_int_equal(array.offset, whole.offset + 3 * 8);
    assert_int_equal(array.shape[2], 3);
    net_finish(&n);
}

/* Inputs, slices, what stands elsewhere already and what is concatenated twice
 * are copied. */
static void what_cannot_be_a_slice_is_copied(void **state)
{
    net n;

    (void)state;
    net_make(&n, "{x: [4], y: [4]}",
             "[{fully_connected: {size: 2, name: a}},"
             " {concat: {name: c, from: [a, x]}},"
             " {concat: {name: d, from: [a, a, 'a[0:1]']}},"
             " {frames: {name: e, from: x}}, {concat: {name: f, from: [e]}}]",
             &inference);
    /* The last concatenation is tried first, and stays with its first column.
     */
    assert_true(stands_in(&n, "a.outputs.default", "d.outputs.default"));
    assert_int_equal(record(&n, "a.outputs.default")->alias_offset, 0);
    assert_true(is_root(&n, "inputs.outputs.x"));
    assert_true(is_root(&n, "e.outputs.default")); /* frames of context */
    net_finish(&n);
}

/* ---- dense copies ------------------------------------------------------ */

static void slices_are_copied_only_for_dense_ports(void **state)
{
    net n;

    (void)state;
    net_make(&n, "{image: [2, 3, 2], x: [4], t: [2]}",
             "[{fully_connected: {size: 2, name: a, from: 'image[0:1]'}},"
             " {dropout: {name: b, from: 'image[0:1]'}},"
             " {fully_connected: {size: 2, name: c, from: 'x[0:1]'}},"
             " {fully_connected: {size: 2, name: d, from: image}},"
             " {fully_connected: {size: 2, name: e, from: 'image[:]'}},"
             " {fully_connected: {size: 2, name: g, from: b}}]",
             &training);
    assert_true(exists(&n, "a.inputs.default"));
    assert_false(exists(&n, "b.inputs.default"));
    assert_false(exists(&n, "c.inputs.default"));
    assert_false(exists(&n, "d.inputs.default"));
    assert_false(exists(&n, "e.inputs.default"));
    assert_int_equal(record(&n, "a.inputs.default")->shape.dims[4], 1);
    net_finish(&n);
}

/* A concatenated image that somebody flattens is not written into a slice. */
static void dense_readers_keep_a_buffer_whole(void **state)
{
    net n;

    (void)state;
    net_make(&n, "{image: [2, 3, 2]}",
             "[{dropout: {name: a}}, {dropout: {name: b, from: image}},"
             " {concat: {name: c, from: [a, b]}},"
             " {fully_connected: {size: 2, name: d, from: a}}]",
             &training);
    assert_true(is_root(&n, "a.outputs.default"));
    assert_true(stands_in(&n, "b.outputs.default", "c.outputs.default"));
    net_finish(&n);
}

/* Layers that hand their inputs to children get them without gaps. */
static void parents_get_dense_inputs(void **state)
{
    net n;

    (void)state;
    net_make(&n, "{x: [4]}",
             "[{dropout: {name: a}}, {dropout: {name: b, from: x}},"
             " {concat: {name: c, from: [a, b]}},"
             " {pair: {name: d, inner: dropout, from: a}},"
             " {chain: {name: e, layers: [{dropout: {from: 'input[0:1]'}},"
             " {pair: {name: p, inner: dropout, from: 'input[1:2]'}}],"
             " from: 'x[1:3]'}}]",
             &training);
    assert_true(is_root(&n, "a.outputs.default"));
    assert_true(stands_in(&n, "b.outputs.default", "c.outputs.default"));
    assert_true(exists(&n, "e.inputs.default"));
    assert_false(exists(&n, "e.layers.dropout.inputs.default"));
    assert_true(exists(&n, "e.layers.p.inputs.default"));
    net_finish(&n);
}

/* ---- in place ---------------------------------------------------------- */

static void outputs_replace_inputs_only_without_backward(void **state)
{
    static const char chain[] = "[{fully_connected: {size: 4, name: a}},"
                                " {dropout: {name: b}},"
                                " {fully_connected: {size: 4, name: c}}]";
    net n;

    (void)state;
    net_make(&n, "{x: [4]}", chain, &inference);
    assert_true(stands_in(&n, "b.outputs.default", "a.outputs.default"));
    net_finish(&n);
    net_make(&n, "{x: [4]}", chain, &training);
    assert_true(is_root(&n, "b.outputs.default"));
    net_finish(&n);
}

static void not_in_place(const char *layers, const char *const *keep)
{
    net_options options = inference;
    net n;

    options.keep = keep;
    net_make(&n, "{x: [4], y: [4]}", layers, &options);
    assert_true(is_root(&n, "b.outputs.default"));
    net_finish(&n);
}

static void nothing_is_replaced_that_is_needed(void **state)
{
    static const char *const keep_a[] = {"a.outputs.default", NULL};
    static const char *const keep_p[] = {"p.outputs.default", NULL};

    (void)state;
    not_in_place("[{dropout: {name: b}}]", NULL); /* an input */
    not_in_place("[{fully_connected: {size: 4, name: a}}, {dropout: {name: b}}"
                 ", {fully_connected: {size: 4, from: a}}]",
                 NULL);
    not_in_place("[{fully_connected: {size: 4, name: a}}, {dropout: {name: b}}"
                 "]",
                 keep_a);
    not_in_place("[{fully_connected: {size: 4, name: a}},"
                 " {dropout: {name: b, from: 'a[0:2]'}}]",
                 NULL);
    /* The input is a concatenation, and p, a part of it, is read again. */
    not_in_place("[{fully_connected: {size: 4, name: p}},"
                 " {concat: {name: a, from: [p, x]}}, {dropout: {name: b}},"
                 " {fully_connected: {size: 4, from: p}}]",
                 NULL);
    not_in_place("[{fully_connected: {size: 4, name: p}},"
                 " {concat: {name: a, from: [p, x]}}, {dropout: {name: b}}]",
                 keep_p);
}

/* ---- paths ------------------------------------------------------------- */

static void patterns_have_stars(void **state)
{
    (void)state;
    assert_true(nn_pattern_matches("*", "a.b"));
    assert_true(nn_pattern_matches("a.*.c", "a.b.b.c"));
    assert_true(nn_pattern_matches("*.W", "a.W"));
    assert_true(nn_pattern_matches("a", "a"));
    assert_true(nn_pattern_matches("**", ""));
    assert_true(nn_pattern_matches("*b*b", "abcbb"));
    assert_false(nn_pattern_matches("*.W", "a.Wx"));
    assert_false(nn_pattern_matches("a", "ab"));
    assert_false(nn_pattern_matches("", "a"));
    assert_false(nn_pattern_matches("a*c", "ab"));
}

static void parameters_have_short_paths(void **state)
{
    net n;

    (void)state;
    net_make(&n, "{x: [4]}",
             "[{fully_connected: {size: 2, name: a}},"
             " {pair: {name: b, inner: {fully_connected: 2}}}]",
             &inference);
    assert_int_equal(nn_layout_find(n.network->layout, "a.W"),
                     nn_layout_find(n.network->layout, "a.parameters.W"));
    assert_true(exists(&n, "b.inner.fully_connected.W"));
    assert_false(exists(&n, "a.V"));
    assert_false(exists(&n, "W"));
    assert_false(exists(&n, ""));
    net_finish(&n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_layouts_keep_live_buffers_apart),
        cmocka_unit_test(nothing_stands_in_place_with_redzones),
        cmocka_unit_test(inference_takes_less_than_training),
        cmocka_unit_test(what_is_dead_is_used_again),
        cmocka_unit_test(the_largest_batch_that_fits_is_found),
        cmocka_unit_test(batches_that_overflow_name_the_layer),
        cmocka_unit_test(sums_that_overflow_are_errors),
        cmocka_unit_test(a_concatenation_is_written_by_what_it_reads),
        cmocka_unit_test(concatenations_stand_in_concatenations),
        cmocka_unit_test(what_cannot_be_a_slice_is_copied),
        cmocka_unit_test(slices_are_copied_only_for_dense_ports),
        cmocka_unit_test(dense_readers_keep_a_buffer_whole),
        cmocka_unit_test(parents_get_dense_inputs),
        cmocka_unit_test(outputs_replace_inputs_only_without_backward),
        cmocka_unit_test(nothing_is_replaced_that_is_needed),
        cmocka_unit_test(patterns_have_stars),
        cmocka_unit_test(parameters_have_short_paths),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
