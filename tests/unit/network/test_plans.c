/* SPDX-License-Identifier: MIT */
/* test_plans.c - what plans are asked for and get: workspace, reserves, modes,
 * limits, and when `prepare` runs.
 *
 * The handler offers "test.keep/1": row 0 copies x to y and into the reserve,
 * row 1 gives dx = 2 r dy with r from the reserve, so that y = x x needs a
 * reserve that nobody else touched. */
#include "tests/unit/network/support.h"

#include <stdio.h>
#include <string.h>

#include "tests/unit/network/own.h"

#define LOSS ", {squared_error: {from: {default: out, targets: t}}}]"

static const char *const keep_deltas[] = {"*.output_deltas.*", NULL};

/* ---- the extension ------------------------------------------------------ */

static int plans_made;
static int plans_gone;
static int64_t last_limit;         /* of the last plan of row 0 */
static int64_t last_reserve_limit; /* the same */
static int64_t surplus;            /* bytes of workspace more than needed */

static int64_t bytes_like(const nn_array *x)
{
    return nn_elements(x) * nn_dtype_bytes(x->dtype);
}

static int32_t plan_keep(nn_handler *handler, const nn_plan_request *request,
                         nn_plan_result *result)
{
    (void)handler;
    last_limit = request->byte_limit;
    last_reserve_limit = request->reserve_limit;
    result->workspace_bytes = bytes_like(request->operands[0]) + surplus;
    result->reserve_bytes = bytes_like(request->operands[0]);
    result->plan = malloc(1); /* a leak if it is not destroyed */
    ++plans_made;
    return NN_OK;
}

static void destroy_keep(nn_handler *handler, nn_handler_plan *plan)
{
    (void)handler;
    ++plans_gone;
    free(plan);
}

static nn_operation_fn const *operations;

static void run_operation(nn_handler *handler, uint32_t operation, double a,
                          const nn_array *x, const nn_array *z,
                          const nn_array *y)
{
    const nn_array *two[2] = {x, y};
    const nn_array *three[3] = {x, z, y};
    nn_attributes with = nn_no_attributes();

    with.a = a;
    operations[operation](handler, operation, z ? three : two, &with);
}

/* The bytes at PLACE as an array like X. */
static nn_array as_like(const nn_array *place, const nn_array *x)
{
    nn_array array = *x;

    assert_non_null(place);
    assert_int_equal(place->offset % 64, 0);
    assert_true(place->shape[0] >= bytes_like(x));
    array.memory = place->memory;
    array.offset = place->offset;
    array.pitch = nn_columns(x);
    array.mode = NN_WRITE;
    array.flags = 0;
    return array;
}

static void run_forward(nn_handler *handler, nn_handler_plan *plan,
                        const nn_array *const *operands, uint32_t n,
                        const void *attributes, const nn_array *workspace,
                        const nn_array *reserve)
{
    nn_array kept = as_like(reserve, operands[0]);
    nn_array work = as_like(workspace, operands[0]);

    assert_non_null(plan);
    assert_int_equal(n, 2);
    (void)attributes;
    run_operation(handler, NN_OP_COPY, 0, operands[0], NULL, &kept);
    run_operation(handler, NN_OP_MULT_TT, 0, &kept, &kept, &work);
    run_operation(handler, NN_OP_COPY, 0, &work, NULL, operands[1]);
}

static void run_backward(nn_handler *handler, nn_handler_plan *plan,
                         const nn_array *const *operands, uint32_t n,
                         const void *attributes, const nn_array *workspace,
                         const nn_array *reserve)
{
    nn_array kept = as_like(reserve, operands[0]);
    nn_array work = as_like(workspace, operands[0]);

    assert_non_null(plan);
    assert_int_equal(n, 2);
    (void)attributes;
    run_operation(handler, NN_OP_MULT_TS, 2, &kept, NULL, &work);
    run_operation(handler, NN_OP_MULT_TT, 0, &work, operands[0], operands[1]);
}

static const nn_row forward_row = {
    .size = NN_SIZEOF(nn_row, doc),
    .n_operands = 2,
    .name = "keep_forward",
    .plan = plan_keep,
    .destroy = destroy_keep,
    .run = run_forward,
};
static const nn_row backward_row = {
    .size = NN_SIZEOF(nn_row, doc),
    .n_operands = 2,
    .name = "keep_backward",
    .plan = plan_keep,
    .destroy = destroy_keep,
    .run = run_backward,
};
static const nn_row *const rows[] = {&forward_row, &backward_row};
static const nn_extension extension = {NN_SIZEOF(nn_extension, rows), 2,
                                       "test.keep/1", rows};

static const nn_extension *find_extension(nn_handler *handler, const char *id)
{
    (void)handler;
    return strcmp(id, "test.keep/1") ? NULL : &extension;
}

static void adapt(nn_handler_interface *interface)
{
    interface->extension = find_extension;
    operations = interface->operations;
}

/* ---- layers of the test ------------------------------------------------ */

OWN_PORT(port, "default", 0);
static const nn_port *const ports[] = {&port};

/* y = x x through the extension. */
static int32_t setup_keeper(nn_setup *setup)
{
    return own_output(setup, "default");
}

static int32_t prepare_keeper(const nn_layer_context *c)
{
    const nn_array *forward[] = {&c->inputs[0], &c->outputs[0]};
    const nn_array *backward[] = {&c->output_deltas[0], &c->input_deltas[0]};
    int32_t code = c->plan(c, 6, "test.keep/1", 0, forward, 2, NULL);

    if (code || !(c->flags & NN_PASS_BACKWARD))
        return code;
    return c->plan(c, 7, "test.keep/1", 1, backward, 2, NULL);
}

static void forward_keeper(const nn_layer_context *c)
{
    const nn_array *forward[] = {&c->inputs[0], &c->outputs[0]};

    nn_run_plan(c, 6, forward, 2);
}

static void backward_keeper(const nn_layer_context *c)
{
    const nn_array *backward[] = {&c->output_deltas[0], &c->input_deltas[0]};

    nn_run_plan(c, 7, backward, 2);
}

OWN_LAYER(keeper, ports, ports, prepare_keeper, forward_keeper,
          backward_keeper);

/* Shows what the reserve of layer `k` holds: y = r. */
static int32_t setup_peeper(nn_setup *setup)
{
    nn_shape shape;
    int32_t code = setup->reference(setup, "k.reserve.6", &shape);

    if (code < 0)
        return code;
    assert_int_equal(shape.ndim, 0);
    assert_int_equal(setup->reference(setup, "k.reserve.64", NULL),
                     NN_NOT_FOUND);
    nn_error_clear();
    assert_int_equal(setup->reference(setup, "k.reserve.x", NULL),
                     NN_NOT_FOUND);
    nn_error_clear();
    return own_output(setup, "default");
}

static void forward_peeper(const nn_layer_context *c)
{
    nn_array kept = as_like(&c->references[0], &c->outputs[0]);

    nn_copy(c->ops, &kept, &c->outputs[0]);
}

static void backward_peeper(const nn_layer_context *c)
{
    nn_fill(c->ops, &c->input_deltas[0], 0);
}

OWN_LAYER(peeper, ports, ports, NULL, forward_peeper, backward_peeper);

/* Looks at modes and counts. */
static int prepared;
static uint32_t shown[3]; /* input delta, gradient, group in prepare */
static uint32_t given[3]; /* the same in backward */

static int32_t setup_watcher(nn_setup *setup)
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

static void look(const nn_layer_context *c, uint32_t modes[3])
{
    modes[0] = c->input_deltas[0].mode;
    modes[1] = c->gradients[0].mode;
    modes[2] = c->gradient_groups[0].mode;
}

static int32_t prepare_watcher(const nn_layer_context *c)
{
    ++prepared;
    look(c, shown);
    return NN_OK;
}

static void forward_watcher(const nn_layer_context *c)
{
    nn_copy(c->ops, &c->inputs[0], &c->outputs[0]);
}

static void backward_watcher(const nn_layer_context *c)
{
    look(c, given);
    nn_copy(c->ops, &c->output_deltas[0], &c->input_deltas[0]);
    nn_fill(c->ops, &c->gradients[0], 1);
}

OWN_LAYER(watcher, ports, ports, prepare_watcher, forward_watcher,
          backward_watcher);

static const nn_component *const own[] = {&keeper, &peeper, &watcher, NULL};

static int use_own(void **state)
{
    (void)state;
    net_components = own;
    net_adapt = adapt;
    surplus = 0;
    plans_made = plans_gone = prepared = 0;
    return 0;
}

static int give_back(void **state)
{
    (void)state;
    return plans_made != plans_gone;
}

/* ---- reserves and workspace -------------------------------------------- */

static void check(const char *layers)
{
    const net_options options = {.T = 3, .B = 2, .keep = keep_deltas};
    net n;

    net_make(&n, "{x: [3], t: [3]}", layers, &options);
    net_check_gradients(&n, 3, 2, 0);
    net_check_gradients(&n, 2, 1, 0);
    net_finish(&n);
}

static void reserves_last_from_forward_to_backward(void **state)
{
    (void)state;
    check("[{keeper: {name: a}}, {fully_connected: {size: 3, activation: tanh}}"
          ", {keeper: {name: b}}, {fully_connected: 3}, {keeper: {name: "
          "out}}" LOSS);
}

static void every_run_of_a_child_has_its_reserve(void **state)
{
    (void)state;
    check("[{pair: {name: out, inner: keeper}}" LOSS);
    check("[{pair: {name: out, inner: {chain: {layers: [keeper, {pair: {inner: "
          "keeper}}, {fully_connected: 3}]}}}}" LOSS);
}

/* y = r in a layer behind, when other layers have run; also without backward,
 * where memory is used again at once. */
static void references_keep_a_reserve_alive(void **state)
{
    static const char *const layers[] = {
        "[{keeper: {name: k, from: x}}, {fully_connected: 3},"
        " {fully_connected: 3}, {peeper: {name: out}}]",
        "[{chain: {name: out, layers: [{keeper: {name: k}}, {fully_connected: "
        "3}, {fully_connected: 3}, {peeper: {name: p}}]}}]",
        "[{pair: {name: out, inner: {chain: {layers: [{keeper: {name: k}}, "
        "{fully_connected: 3}, {peeper: {name: p}}]}}}}]"};
    size_t i;
    int k;

    (void)state;
    for (i = 0; i < 3; ++i) {
        const net_options options = {.T = 3, .B = 2, .inference = 1};
        double x[18];
        net n;

        for (k = 0; k < 18; ++k)
            x[k] = net_random(1, (uint64_t)k);
        net_make(&n, "{x: [3]}", layers[i], &options);
        net_begin(&n, 3, 2, 0);
        net_set(&n, "x", x);
        net_forward(&n);
        for (k = 0; i == 2 && k < 18; ++k)
            x[k] += x[k];
        net_check(&n, "out.outputs.default", x, 18, 0);
        net_finish(&n);
    }
}

static void plans_are_limited_to_what_is_reserved(void **state)
{
    const net_options options = {.T = 3, .B = 2};
    net n;

    (void)state;
    net_make(&n, "{x: [3], t: [3]}",
             "[{fully_connected: 3}, {pair: {name: out, inner: keeper}}" LOSS,
             &options);
    assert_int_equal(last_limit, 0);
    assert_int_equal(last_reserve_limit, 0);
    assert_int_equal(plans_made, 3); /* two to train, one to evaluate */
    net_pass(&n, 3, 2, NN_PASS_TRAIN | NN_PASS_BACKWARD, 1);
    net_pass(&n, 3, 2, 0, 1);
    assert_int_equal(plans_made, 3);
    net_pass(&n, 2, 1, NN_PASS_TRAIN | NN_PASS_BACKWARD, 1);
    assert_int_equal(plans_made, 5);
    assert_true(last_limit >= 6 * 8);
    assert_int_equal(last_reserve_limit, 6 * 8);
    net_pass(&n, 2, 1, NN_PASS_TRAIN | NN_PASS_BACKWARD, 2);
    assert_int_equal(plans_made, 5);
    surplus = 100000;
    assert_int_equal(nn_network_begin(n.network, 1, 1, 0), NN_INTERNAL);
    assert_string_equal(nn_error_id(), "plan.limit");
    assert_non_null(strstr(nn_error_text(), "'out.inner.keeper'"));
    nn_error_clear();
    /* What was begun is not, and what ran before can run again. */
    assert_int_equal(nn_network_forward(n.network, 0, NULL), NN_STATE);
    nn_error_clear();
    net_pass(&n, 2, 1, NN_PASS_TRAIN | NN_PASS_BACKWARD, 2);
    net_finish(&n);
}

static void plans_of_dropped_sizes_are_destroyed(void **state)
{
    const net_options options = {.T = 1, .B = 60};
    int64_t size;
    net n;

    (void)state;
    net_make(&n, "{x: [3]}", "[keeper]", &options);
    for (size = 1; size <= 60; ++size)
        net_pass(&n, 1, size, 0, 1);
    assert_true(plans_gone >= 25);
    net_pass(&n, 1, 1, 0, 1);
    net_pass(&n, 1, 60, 0, 1);
    net_finish(&n);
    assert_int_equal(plans_made, plans_gone);
}

/* ---- modes and calls of prepare ---------------------------------------- */

static void prepare_sees_what_may_be_added_to(void **state)
{
    const net_options options = {.T = 2, .B = 2};
    net n;

    (void)state;
    net_make(&n, "{x: [2], t: [2]}", "[{watcher: {name: out}}" LOSS, &options);
    net_pass(&n, 2, 2, NN_PASS_TRAIN | NN_PASS_BACKWARD, 1);
    assert_int_equal(shown[0], NN_DISCARD);
    assert_int_equal(shown[1], NN_ADD);
    assert_int_equal(shown[2], NN_ADD);
    assert_int_equal(given[0], NN_DISCARD);
    assert_int_equal(given[1], NN_WRITE);
    assert_int_equal(given[2], NN_WRITE);
    net_forward(&n);
    net_backward(&n, NN_ACCUMULATE);
    assert_int_equal(given[1], NN_ADD);
    assert_int_equal(given[2], NN_ADD);
    net_finish(&n);
    net_make(
        &n, "{x: [2], t: [2]}",
        "[{fully_connected: 2}, {chain: {name: out, layers: [watcher]}}" LOSS,
        &options);
    net_pass(&n, 2, 2, NN_PASS_TRAIN | NN_PASS_BACKWARD, 1);
    assert_int_equal(shown[0], NN_ADD);
    assert_int_equal(given[0], NN_WRITE);
    assert_int_equal(given[1], NN_ADD);
    net_finish(&n);
}

static void prepare_runs_once_for_sizes_and_flags(void **state)
{
    static const uint32_t flags[] = {0, NN_PASS_TRAIN, NN_PASS_BACKWARD,
                                     NN_PASS_TRAIN | NN_PASS_BACKWARD};
    const net_options options = {.T = 2, .B = 2};
    size_t i;
    net n;

    (void)state;
    net_make(&n, "{x: [2], t: [2]}", "[{watcher: {name: out}}" LOSS, &options);
    assert_int_equal(prepared, 2);
    for (i = 0; i < 12; ++i)
        net_pass(&n, 1 + (int64_t)(i % 2), 2, flags[i / 2 % 4], 1);
    assert_int_equal(prepared, 8);
    net_finish(&n);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, use_own, give_back)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(reserves_last_from_forward_to_backward),
        CASE(every_run_of_a_child_has_its_reserve),
        CASE(references_keep_a_reserve_alive),
        CASE(plans_are_limited_to_what_is_reserved),
        CASE(plans_of_dropped_sizes_are_destroyed),
        CASE(prepare_sees_what_may_be_added_to),
        CASE(prepare_runs_once_for_sizes_and_flags),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
