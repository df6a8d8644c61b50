/* SPDX-License-Identifier: MIT */
/* test_graph.c - names, connections, slices, order and errors of a graph. */
#include "tests/unit/network/support.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include <nn/shape.h>

#define INPUTS "{x: [4], y: [4], image: [2, 3, 2]}"

static const net_options graph_only = {.unplanned = 1};

/* ---- what the tests share ---------------------------------------------- */

static void make(net *n, const char *layers)
{
    net_make(n, INPUTS, layers, &graph_only);
}

#define REFUSED(layers, id, ...)                                               \
    net_expect(INPUTS, layers, &graph_only, id, __VA_ARGS__, (char *)NULL)

static const nn_graph_layer *layer(const net *n, const char *name)
{
    int32_t i = nn_graph_find(n->graph, name);

    if (i < 0)
        fail_msg("no layer '%s'", name);
    return &n->graph->layers[i];
}

/* Input K of layer NAME comes from output OUTPUT of SOURCE, as columns. */
static void reads(const net *n, const char *name, uint32_t k,
                  const char *source, uint32_t output, int64_t first,
                  int64_t count)
{
    const nn_link *link = &layer(n, name)->inputs[k];

    assert_string_equal(n->graph->layers[link->layer].name, source);
    assert_int_equal(link->output, output);
    assert_int_equal(link->first, first);
    assert_int_equal(link->count, count);
}

static void is_open(const net *n, const char *name, uint32_t k)
{
    assert_int_equal(layer(n, name)->inputs[k].layer, -1);
    assert_int_equal(layer(n, name)->input_shapes[k].ndim, 0);
}

/* The names of the layers in their order, with blanks. */
static void order_is(const net *n, const char *wanted)
{
    char text[512] = "";
    int32_t i;

    for (i = 1; i < n->graph->n_layers; ++i)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s",
                 i > 1 ? " " : "", n->graph->layers[i].name);
    assert_string_equal(text, wanted);
}

/* ---- names ------------------------------------------------------------- */

static void default_names_are_numbered_and_yield(void **state)
{
    net n;

    (void)state;
    make(&n, "[{fully_connected: 2}, {fully_connected: 3},"
             " {fully_connected: {size: 4, name: fully_connected_2}},"
             " {fully_connected: 5}]");
    order_is(&n, "fully_connected fully_connected_3 fully_connected_2 "
                 "fully_connected_4");
    assert_string_equal(layer(&n, "fully_connected_3")->path,
                        "fully_connected_3");
    assert_int_equal(nn_graph_find(n.graph, "fully_connected_5"), -1);
    assert_int_equal(nn_graph_find(n.graph, "inputs"), 0);
    net_finish(&n);
}

static void a_default_name_yields_to_an_input(void **state)
{
    net n;

    (void)state;
    net_make(&n, "{dropout: [4]}", "[dropout, dropout]", &graph_only);
    order_is(&n, "dropout_2 dropout_3");
    reads(&n, "dropout_2", 0, "inputs", 0, 0, 0);
    net_finish(&n);
}

static void names_are_checked(void **state)
{
    (void)state;
    REFUSED("[{dropout: {name: a}}, {dropout: {name: a}}]",
            "graph.repeated-name", "'a'");
    REFUSED("[{dropout: {name: x}}]", "graph.repeated-name", "input", "'x'");
    REFUSED("[{dropout: {name: inputs}}]", "graph.repeated-name", "inputs");
    REFUSED("[{dropout: {name: none}}]", "graph.name", "none");
    REFUSED("[{dropout: {name: 2nd}}]", "graph.name", "digit");
    REFUSED("[{dropout: {name: a.b}}]", "graph.name", "letters");
    REFUSED("[{dropout: {name: ''}}]", "graph.name", "letters");
    REFUSED("[{dropout: {name: [a]}}]", "graph.name", "letters");
    net_expect("{'a.b': [2]}", "[dropout]", &graph_only, "graph.name", "a.b",
               (char *)NULL);
    net_expect("{none: [2]}", "[dropout]", &graph_only, "graph.name", "none",
               (char *)NULL);
}

static void a_network_has_layers_and_only_one_input_layer(void **state)
{
    (void)state;
    REFUSED("[]", "graph.layers", "at least one");
    REFUSED("{dropout: 0}", "graph.layers", "a list");
    REFUSED("[{input: {shapes: {x: [3]}}}]", "graph.input-layer", "input");
}

/* ---- from -------------------------------------------------------------- */

static void without_from_a_layer_reads_the_one_before(void **state)
{
    net n;

    (void)state;
    make(&n, "[{dropout: {name: a}}, {softmax_ce: {name: b, from: {default: a,"
             " targets: y}}}, {dropout: {name: c}}]");
    reads(&n, "a", 0, "inputs", 0, 0, 0);
    reads(&n, "b", 0, "a", 0, 0, 0);
    reads(&n, "b", 1, "inputs", 1, 0, 0);
    is_open(&n, "b", 2);
    reads(&n, "c", 0, "b", 0, 0, 0);
    net_finish(&n);
}

static void every_form_of_from_is_read(void **state)
{
    net n;

    (void)state;
    make(&n,
         "[{dropout: {name: a, from: y}}, {dropout: {name: b, from: inputs.y}},"
         " {concat: {name: c, from: [a, 'y[1:3]', b.default]}},"
         " {softmax_ce: {name: d, from: {targets: y, default: a}}},"
         " {dropout: {name: e, from: d.loss}},"
         " {optional: {name: f, from: {more: [y, x], default: a, extra: none}}}"
         ", {optional: {name: g, from: {more: x, default: a}}},"
         " {optional: {name: h, from: [a, none, x, y, b]}}]");
    reads(&n, "a", 0, "inputs", 1, 0, 0);
    reads(&n, "b", 0, "inputs", 1, 0, 0);
    assert_int_equal(layer(&n, "c")->n_inputs, 3);
    reads(&n, "c", 0, "a", 0, 0, 0);
    reads(&n, "c", 1, "inputs", 1, 1, 2);
    reads(&n, "c", 2, "b", 0, 0, 0);
    reads(&n, "d", 0, "a", 0, 0, 0);
    reads(&n, "d", 1, "inputs", 1, 0, 0);
    reads(&n, "e", 0, "d", 1, 0, 0);
    is_open(&n, "f", 1);
    assert_int_equal(layer(&n, "f")->n_inputs, 4);
    reads(&n, "f", 2, "inputs", 1, 0, 0);
    reads(&n, "f", 3, "inputs", 0, 0, 0);
    assert_int_equal(layer(&n, "g")->n_inputs, 3);
    is_open(&n, "h", 1);
    assert_int_equal(layer(&n, "h")->n_inputs, 5);
    reads(&n, "h", 4, "b", 0, 0, 0);
    assert_string_equal(nn_graph_input_port(layer(&n, "h"), 4)->name, "more");
    net_finish(&n);
}

static void slices_are_columns(void **state)
{
    net n;

    (void)state;
    make(&n, "[{dropout: {name: a, from: 'x[1:3]'}},"
             " {dropout: {name: b, from: 'x[:2]'}},"
             " {dropout: {name: c, from: 'x[2:]'}},"
             " {dropout: {name: d, from: 'image[1:2]'}},"
             " {dropout: {name: e, from: 'a.default[1:2]'}}]");
    reads(&n, "a", 0, "inputs", 0, 1, 2);
    reads(&n, "b", 0, "inputs", 0, 0, 2);
    reads(&n, "c", 0, "inputs", 0, 2, 2);
    reads(&n, "e", 0, "a", 0, 1, 1);
    assert_int_equal(layer(&n, "a")->outputs.items[0].shape.dims[2], 2);
    assert_int_equal(layer(&n, "d")->outputs.items[0].shape.dims[3], 3);
    assert_int_equal(layer(&n, "d")->outputs.items[0].shape.dims[4], 1);
    net_finish(&n);
}

static void all_columns_are_no_slice(void **state)
{
    net n;

    (void)state;
    make(&n, "[{dropout: {name: a, from: 'x[0:4]'}},"
             " {dropout: {name: b, from: 'x[:]'}}]");
    reads(&n, "a", 0, "inputs", 0, 0, 0);
    reads(&n, "b", 0, "inputs", 0, 0, 0);
    net_finish(&n);
}

static void impossible_slices_are_refused(void **state)
{
    (void)state;
    REFUSED("[{dropout: {name: a, from: 'x[2:5]'}}]", "graph.slice", "'a'",
            "2 to 5", "has 4");
    REFUSED("[{dropout: {from: 'x[4:]'}}]", "graph.slice", "has 4");
    REFUSED("[{dropout: {from: 'x[9223372036854775806:9223372036854775807]'}}]",
            "graph.slice", "has 4");
    REFUSED("[{dropout: {from: 'x[2:2]'}}]", "graph.source", "x[2:2]");
    REFUSED("[{dropout: {from: 'x[1:-1]'}}]", "graph.source", "x[1:-1]");
    REFUSED("[{dropout: {from: 'x[-1:]'}}]", "graph.source", "x[-1:]");
    REFUSED("[{dropout: {from: 'x[1]'}}]", "graph.source", "x[1]");
    REFUSED("[{dropout: {from: 'x[0:2][0:1]'}}]", "graph.source", "x[0:2]");
    REFUSED("[{dropout: {from: 'x[0:2'}}]", "graph.source", "x[0:2");
    REFUSED("[{dropout: {from: 'x[0:2]y'}}]", "graph.source", "x[0:2]y");
    REFUSED("[{dropout: {from: 'x[a:b]'}}]", "graph.source", "x[a:b]");
    REFUSED("[{dropout: {from: 'x[0:99999999999999999999]'}}]", "graph.source",
            "x[0:");
}

static void unknown_sources_are_named_with_a_suggestion(void **state)
{
    (void)state;
    REFUSED("[{dropout: {name: hidden}}, {dropout: {name: b, from: hiden}}]",
            "graph.unknown-source", "'b'", "'hiden'", "did you mean 'hidden'");
    REFUSED("[{dropout: {from: imge}}]", "graph.unknown-source", "'imge'",
            "did you mean 'image'");
    REFUSED("[{dropout: {name: a}}, {dropout: {name: b, from: a.z}}]",
            "graph.unknown-output", "'b'", "'z'", "'a'");
    REFUSED("[{dropout: {from: inputs.z}}]", "graph.unknown-output", "'z'");
    REFUSED("[{softmax_ce: {name: a, from: {default: x, targts: y}}}]",
            "graph.unknown-input", "'a'", "'targts'", "did you mean 'targets'");
    REFUSED("[{dropout: {from: .x}}]", "graph.source", ".x");
    REFUSED("[{dropout: {from: x.}}]", "graph.source", "x.");
    REFUSED("[{dropout: {from: ''}}]", "graph.source", "''");
}

static void inputs_are_neither_missing_nor_too_many(void **state)
{
    (void)state;
    REFUSED("[{softmax_ce: {name: a, from: x}}]", "graph.open-input", "'a'",
            "'targets'");
    REFUSED("[{dropout: {name: a, from: none}}]", "graph.open-input", "'a'");
    REFUSED("[{dropout: {name: a, from: [x, y]}}]", "graph.too-many-sources",
            "'a'", "1", "2");
    REFUSED("[{concat: {name: a, from: []}}]", "graph.open-input", "'a'");
    REFUSED("[{concat: {name: a, from: [x, none]}}]", "graph.open-input",
            "'a'");
    REFUSED("[{concat: {name: a, from: [x, [y]]}}]", "graph.source", "'a'",
            "a list");
    REFUSED("[{dropout: {name: a, from: {default: [x, y]}}}]", "graph.source",
            "'a'", "a list");
}

static void a_layer_that_fails_does_not_make_others_fail(void **state)
{
    net n;

    (void)state;
    assert_int_not_equal(
        net_try(&n, INPUTS,
                "[{dropuot: {name: a}}, {dropout: {name: b, from: a}},"
                " {dropout: {probability: 3}}, {dropout: {name: 5}}]",
                &graph_only),
        0);
    assert_int_equal(n.diagnostics.errors, 3);
    net_finish(&n);
}

static void types_must_be_those_of_the_port(void **state)
{
    (void)state;
    net_expect("{x: [4], labels: {shape: [1], dtype: int32}}",
               "[{dropout: {name: a, from: labels}}]", &graph_only,
               "graph.dtype", "'a'", "int32", (char *)NULL);
}

/* ---- order ------------------------------------------------------------- */

static void an_order_that_works_is_kept(void **state)
{
    net n;

    (void)state;
    make(&n, "[{dropout: {name: c}}, {dropout: {name: a, from: x}},"
             " {dropout: {name: b, from: x}}, {concat: {name: d, from: [b, a,"
             " c]}}]");
    order_is(&n, "c a b d");
    net_finish(&n);
}

static void layers_stand_behind_what_they_read(void **state)
{
    net n;

    (void)state;
    make(&n, "[{concat: {name: d, from: [b, a]}}, {dropout: {name: b, from: c}}"
             ", {dropout: {name: a, from: x}}, {dropout: {name: c, from: a}}]");
    order_is(&n, "a c b d");
    reads(&n, "d", 0, "b", 0, 0, 0);
    reads(&n, "d", 1, "a", 0, 0, 0);
    reads(&n, "b", 0, "c", 0, 0, 0);
    net_finish(&n);
}

static void cycles_are_printed(void **state)
{
    (void)state;
    REFUSED("[{dropout: {name: a, from: c}}, {dropout: {name: b, from: a}},"
            " {dropout: {name: c, from: b}}]",
            "graph.cycle", "a <- c <- b <- a");
    REFUSED("[{dropout: {name: a, from: a}}]", "graph.cycle", "a <- a");
    REFUSED("[{fully_connected: {size: 4, name: a, from: x, share: b}},"
            " {fully_connected: {size: 4, name: b, from: a}}]",
            "graph.cycle", "a shares b <- a");
}

/* ---- sharing ----------------------------------------------------------- */

static void sharing_needs_the_same_parameters(void **state)
{
    net n;

    (void)state;
    make(&n, "[{fully_connected: {size: 4, name: b, share: a, from: y}},"
             " {fully_connected: {size: 4, name: a, from: x}}]");
    order_is(&n, "a b");
    assert_int_equal(layer(&n, "b")->share, nn_graph_find(n.graph, "a"));
    assert_int_equal(layer(&n, "a")->share, -1);
    net_finish(&n);
    REFUSED("[{fully_connected: {size: 4, name: a}},"
            " {fully_connected: {size: 3, name: b, share: a}}]",
            "layer.share", "'b'", "'a'", "(3, 4)", "(4, 4)");
    REFUSED("[{fully_connected: {size: 4, name: a}},"
            " {fully_connected: {size: 4, name: b, share: a, bias: false}}]",
            "layer.share", "2 parameters", "1");
    REFUSED("[{fully_connected: {size: 4, name: first}},"
            " {fully_connected: {size: 4, name: b, share: frist}}]",
            "graph.share", "'b'", "did you mean 'first'");
    REFUSED("[{dropout: {name: a}},"
            " {fully_connected: {size: 4, name: b, share: a}}]",
            "graph.share", "'b'", "fully_connected");
    REFUSED("[{fully_connected: {size: 4, name: b, share: b}}]", "graph.share",
            "'b'");
    REFUSED("[{chain: {name: a, layers: [{fully_connected: 4}]}},"
            " {chain: {name: b, share: a, layers: [{fully_connected: 4}]}}]",
            "layer.share", "'b'", "'a'");
}

/* ---- sizes ------------------------------------------------------------- */

static void sizes_that_overflow_name_the_layer(void **state)
{
    (void)state;
    REFUSED("[{fully_connected: {size: 4294967296, name: a}},"
            " {fully_connected: {size: 4294967296, name: big}}]",
            "layer.too-large", "'big'", "'W'");
    REFUSED("[{fully_connected: {size: 3037000500, name: a}},"
            " {fully_connected: {size: 3037000500, name: big}}]",
            "layer.too-large", "'big'", "'W'");
    REFUSED("[{fully_connected: {size: 9223372036854775807, name: big}}]",
            "layer.too-large", "'big'");
    net_expect("{x: [1]}",
               "[{fully_connected: {size: 1152921504606846976, name: big}}]",
               &graph_only, "layer.too-large", "'big'", (char *)NULL);
    net_expect("{x: [3037000500, 3037000500, 2]}", "[dropout]", &graph_only,
               "layer.too-large", "inputs", "'x'", (char *)NULL);
}

static void sizes_below_one_name_the_layer(void **state)
{
    (void)state;
    REFUSED("[{fully_connected: {size: 0, name: a}}]", "config.range",
            "fully_connected", "size");
    REFUSED("[{fully_connected: {size: -3, name: a}}]", "config.range", "size");
    net_expect("{x: [0]}", "[dropout]", &graph_only, "config.range", "inputs",
               "shape", (char *)NULL);
    net_expect("{x: []}", "[dropout]", &graph_only, "layer.shape", "'x'",
               (char *)NULL);
}

/* ---- large graphs ------------------------------------------------------ */

#define MANY 20000

/* Forward chain of MANY layers without names. */
static char *long_chain(void)
{
    char *text = malloc(MANY * 16 + 64);
    size_t used = 1;
    int i;

    strcpy(text, "[");
    for (i = 0; i < MANY; ++i)
        used += (size_t)sprintf(text + used, "dropout,");
    strcpy(text + used, "dropout]");
    return text;
}

/* The same by name and in the wrong order, the last layer first. */
static char *long_backwards(void)
{
    char *text = malloc(MANY * 64 + 64);
    size_t used = 1;
    int i;

    strcpy(text, "[");
    for (i = MANY; i > 0; --i)
        used += (size_t)sprintf(text + used,
                                "{dropout: {name: l%d, from: l%d}},", i, i - 1);
    strcpy(text + used, "{dropout: {name: l0, from: x}}]");
    return text;
}

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void in_time(char *text)
{
    double start = now();
    net n;

    net_make(&n, "{x: [2]}", text, &graph_only);
    free(text);
    assert_int_equal(n.graph->n_layers, MANY + 2);
    net_finish(&n);
    if (now() - start > 10)
        fail_msg("it took %.1f s", now() - start);
}

static void set_up_long_networks(void)
{
    in_time(long_chain());
    in_time(long_backwards());
}

static void twenty_thousand_layers_are_set_up_in_time(void **state)
{
    (void)state;
    net_with_small_stack(set_up_long_networks);
}

static void a_long_cycle_ends_in_an_error(void **state)
{
    char *text = long_backwards();

    (void)state;
    strcpy(strrchr(text, 'x'), "l9}}]"); /* the first layer of the chain */
    net_expect("{x: [2]}", text, &graph_only, "graph.cycle", "<-",
               (char *)NULL);
    free(text);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(default_names_are_numbered_and_yield),
        cmocka_unit_test(a_default_name_yields_to_an_input),
        cmocka_unit_test(names_are_checked),
        cmocka_unit_test(a_network_has_layers_and_only_one_input_layer),
        cmocka_unit_test(without_from_a_layer_reads_the_one_before),
        cmocka_unit_test(every_form_of_from_is_read),
        cmocka_unit_test(slices_are_columns),
        cmocka_unit_test(all_columns_are_no_slice),
        cmocka_unit_test(impossible_slices_are_refused),
        cmocka_unit_test(unknown_sources_are_named_with_a_suggestion),
        cmocka_unit_test(inputs_are_neither_missing_nor_too_many),
        cmocka_unit_test(a_layer_that_fails_does_not_make_others_fail),
        cmocka_unit_test(types_must_be_those_of_the_port),
        cmocka_unit_test(an_order_that_works_is_kept),
        cmocka_unit_test(layers_stand_behind_what_they_read),
        cmocka_unit_test(cycles_are_printed),
        cmocka_unit_test(sharing_needs_the_same_parameters),
        cmocka_unit_test(sizes_that_overflow_name_the_layer),
        cmocka_unit_test(sizes_below_one_name_the_layer),
        cmocka_unit_test(twenty_thousand_layers_are_set_up_in_time),
        cmocka_unit_test(a_long_cycle_ends_in_an_error),
    };

    (void)argc;
    (void)argv;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
