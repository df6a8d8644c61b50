/* SPDX-License-Identifier: MIT */
/* test_complete.c - handlers that lack operations. */
#include <nn/linear.h>
#include <nn/optimizer.h>

#include "core/reference/complete.h"
#include "core/util/error.h"
#include "tests/unit/reference/examples.h"

#define NONE NN_OP_COUNT

static const uint32_t nothing[] = {NONE};
static const uint32_t few[] = {NN_OP_AXPBY_TT,      NN_OP_MULT_TT,
                               NN_OP_CAST,          NN_OP_BROADCAST_T,
                               NN_OP_LOG_SOFTMAX_M, NN_OP_EXP_T,
                               NN_OP_COPY,          NONE};
static const uint32_t scaling[] = {NN_OP_MULT_TS, NN_OP_CAST, NONE};

static nn_completed *complete(nn_handler *toy)
{
    nn_completed *completed;

    assert_int_equal(nn_completed_create(&toy->interface, toy, NN_FLOAT32,
                                         &completed),
                     NN_OK);
    return completed;
}

static int32_t run_completed(void *context, uint32_t operation,
                             const nn_array *const *operands,
                             const nn_attributes *attributes)
{
    nn_completed *completed = context;
    const char *text = "";
    int32_t code;

    nn_run(nn_completed_operations(completed), operation, operands, attributes);
    code = nn_completed_error(completed, NULL, &text);
    if (code)
        print_message("%s\n", text);
    return code;
}

static void a_handler_without_operations_has_all(void **state)
{
    nn_handler toy;
    nn_completed *completed;

    (void)state;
    toy_init(&toy, 0, nothing);
    completed = complete(&toy);
    examples_check(run_completed, completed);
    assert_int_equal(toy.maps, toy.unmaps);
    assert_true(toy.maps > 0);
    nn_completed_destroy(completed);
}

static void compositions_agree_with_the_reference(void **state)
{
    nn_handler toy;
    nn_completed *completed;

    (void)state;
    toy_init(&toy, NN_OP_COUNT, few);
    completed = complete(&toy);
    examples_check(run_completed, completed);
    assert_true(toy.calls[NN_OP_AXPBY_TT] > 3);
    nn_completed_destroy(completed);
    toy_init(&toy, NN_OP_COUNT, scaling);
    completed = complete(&toy);
    examples_check(run_completed, completed);
    nn_completed_destroy(completed);
}

/* x = a x + b x, where the first term must not change the second. */
static void one_array_can_be_all_operands(void **state)
{
    const int64_t n = 2;
    nn_handler toy;
    nn_completed *completed;
    tensor *x = tensor_make(NN_FLOAT32, 0, 1, &n);

    (void)state;
    toy_init(&toy, NN_OP_COUNT, scaling);
    completed = complete(&toy);
    tensor_fill(x, 1);
    nn_axpby_tt(nn_completed_operations(completed), 2, &x->array, 3, &x->array,
                &x->array);
    assert_true(tensor_get(x, 0) == 5);
    x->array.mode = NN_ADD;
    nn_axpby_tt(nn_completed_operations(completed), 2, &x->array, 3, &x->array,
                &x->array);
    assert_true(tensor_get(x, 0) == 30);
    nn_completed_destroy(completed);
    tensor_free(x);
}

static uint32_t how(nn_completed *completed, const char *extension,
                    const char *name)
{
    nn_completed_entry entry;
    uint32_t i;

    for (i = 0; nn_completed_list(completed, i, &entry); ++i)
        if ((extension != NULL) == (entry.extension != NULL) &&
            (!extension || strcmp(extension, entry.extension) == 0) &&
            strcmp(name, entry.name) == 0)
            return entry.how;
    return 0;
}

static void the_list_says_how(void **state)
{
    nn_completed_entry entry;
    nn_completed *completed;
    nn_handler toy;
    uint32_t n = 0;

    (void)state;
    toy_init(&toy, NN_OP_COUNT, few);
    completed = complete(&toy);
    assert_int_equal(how(completed, NULL, "axpby_tt"), NN_HOW_NATIVE);
    assert_int_equal(how(completed, NULL, "add_tt"), NN_HOW_COMPOSED);
    assert_int_equal(how(completed, NULL, "dot_mm"), NN_HOW_REFERENCE);
    assert_int_equal(how(completed, NN_LINEAR, "linear_forward"),
                     NN_HOW_COMPOSED);
    assert_int_equal(how(completed, NN_OPTIMIZER, "adadelta"), NN_HOW_COMPOSED);
    while (nn_completed_list(completed, n, &entry))
        ++n;
    assert_int_equal(n, NN_OP_COUNT + NN_LINEAR_ROWS + NN_OPTIMIZER_ROWS);
    nn_completed_destroy(completed);
}

static void native_operations_are_called(void **state)
{
    const int64_t n = 2;
    nn_handler toy;
    nn_completed *completed;
    tensor *x = tensor_make(NN_FLOAT32, 0, 1, &n);
    tensor *y = tensor_make(NN_FLOAT32, 0, 1, &n);

    (void)state;
    toy_init(&toy, NN_OP_COUNT + 8, few);
    completed = complete(&toy);
    tensor_fill(x, 3);
    nn_mult_tt(nn_completed_operations(completed), &x->array, &x->array,
               &y->array);
    nn_square_t(nn_completed_operations(completed), &y->array, &x->array);
    assert_int_equal(toy.calls[NN_OP_MULT_TT], 2);
    assert_int_equal(toy.maps, 0);
    assert_true(tensor_get(x, 0) == 81);
    nn_completed_destroy(completed);
    tensor_free(x);
    tensor_free(y);
}

/* A handler that was written for fewer operations. */
static void an_older_handler_works(void **state)
{
    const int64_t n = 2;
    nn_handler toy;
    nn_completed *completed;
    tensor *x = tensor_make(NN_FLOAT32, 0, 1, &n);

    (void)state;
    toy_init(&toy, NN_OP_ADD_TT, few);
    toy.interface.size = (uint32_t)offsetof(nn_handler_interface, extension);
    completed = complete(&toy);
    tensor_fill(x, 3);
    nn_mult_tt(nn_completed_operations(completed), &x->array, &x->array,
               &x->array);
    assert_int_equal(toy.calls[NN_OP_MULT_TT], 0);
    assert_int_equal(toy.maps, 1);
    assert_true(tensor_get(x, 1) == 9);
    assert_null(nn_completed_row(completed, "org.example.fft/1", 0).row);
    nn_completed_destroy(completed);
    tensor_free(x);
}

static void shared_memory_is_mapped_once(void **state)
{
    const int64_t shape[2] = {3, 6};
    nn_handler toy;
    nn_completed *completed;
    tensor *t = tensor_make(NN_FLOAT32, 0, 2, shape);
    nn_array left;
    nn_array middle;
    nn_array right;

    (void)state;
    toy_init(&toy, NN_OP_COUNT, nothing);
    completed = complete(&toy);
    tensor_fill(t, 2);
    left = nn_column_slice(&t->array, 0, 2);
    middle = nn_column_slice(&t->array, 2, 2);
    right = nn_column_slice(&t->array, 4, 2);
    nn_mult_tt(nn_completed_operations(completed), &left, &middle, &right);
    assert_int_equal(nn_completed_error(completed, NULL, NULL), NN_OK);
    assert_int_equal(toy.maps, 1);
    assert_int_equal(toy.unmaps, 1);
    assert_int_equal(toy.last_access, NN_MAP_READ | NN_MAP_WRITE);
    assert_int_equal(toy.last_bytes, 3 * 6 * (int)sizeof(float));
    assert_true(tensor_get(t, 3) == 2 && tensor_get(t, 4) == 4);
    nn_completed_destroy(completed);
    tensor_free(t);
}

/* Only an output without gaps is mapped without being read. */
static void gaps_are_read_before_they_are_written(void **state)
{
    const int64_t shape[2] = {3, 2};
    nn_handler toy;
    nn_completed *completed;
    tensor *dense = tensor_make(NN_FLOAT32, 0, 2, shape);
    tensor *gaps = tensor_make(NN_FLOAT32, 1, 2, shape);

    (void)state;
    toy_init(&toy, NN_OP_COUNT, nothing);
    completed = complete(&toy);
    nn_fill(nn_completed_operations(completed), &dense->array, 1);
    assert_int_equal(toy.last_access, NN_MAP_WRITE);
    nn_fill(nn_completed_operations(completed), &gaps->array, 1);
    assert_int_equal(toy.last_access, NN_MAP_READ | NN_MAP_WRITE);
    dense->array.mode = NN_ADD;
    nn_fill(nn_completed_operations(completed), &dense->array, 1);
    assert_int_equal(toy.last_access, NN_MAP_READ | NN_MAP_WRITE);
    nn_completed_destroy(completed);
    tensor_free(dense);
    tensor_free(gaps);
}

static void discarded_outputs_map_nothing(void **state)
{
    const int64_t n = 2;
    nn_handler toy;
    nn_completed *completed;
    tensor *x = tensor_make(NN_FLOAT32, 0, 1, &n);
    nn_array y = x->array;

    (void)state;
    toy_init(&toy, NN_OP_COUNT, nothing);
    completed = complete(&toy);
    y.mode = NN_DISCARD;
    y.memory = NULL;
    nn_abs_t(nn_completed_operations(completed), &x->array, &y);
    assert_int_equal(nn_completed_error(completed, NULL, NULL), NN_OK);
    assert_int_equal(toy.maps, 0);
    nn_completed_destroy(completed);
    tensor_free(x);
}

static void errors_of_the_host_are_sticky(void **state)
{
    const int64_t n = 3;
    const int64_t m = 2;
    nn_handler toy;
    nn_completed *completed;
    const nn_operations *ops;
    tensor *x = tensor_make(NN_FLOAT32, 0, 1, &n);
    tensor *z = tensor_make(NN_FLOAT32, 0, 1, &m);
    const char *id = NULL;
    const char *text = NULL;

    (void)state;
    toy_init(&toy, NN_OP_COUNT, few);
    completed = complete(&toy);
    ops = nn_completed_operations(completed);
    tensor_fill(x, 1);
    nn_abs_t(ops, &x->array, &z->array);
    nn_dot_mm(ops, &x->array, &x->array, &z->array, 0); /* not the first */
    nn_add_ts(ops, &x->array, 1, &x->array);            /* on the host */
    nn_mult_tt(ops, &x->array, &x->array, &x->array);   /* native */
    nn_add_tt(ops, &x->array, &x->array, &x->array);    /* composed */
    assert_int_equal(nn_completed_error(completed, &id, &text), NN_SHAPE);
    assert_string_equal(id, "operation.shape");
    assert_string_equal(text, "abs_t: y (2) differs from x (3)");
    assert_true(tensor_get(x, 0) == 1);
    nn_completed_clear(completed);
    assert_int_equal(nn_completed_error(completed, NULL, NULL), NN_OK);
    nn_add_tt(ops, &x->array, &x->array, &x->array);
    assert_true(tensor_get(x, 0) == 2);
    nn_completed_destroy(completed);
    tensor_free(x);
    tensor_free(z);
}

static void errors_of_the_handler_come_first(void **state)
{
    const int64_t n = 3;
    nn_handler toy;
    nn_completed *completed;
    tensor *x = tensor_make(NN_FLOAT32, 0, 1, &n);
    const char *id = NULL;

    (void)state;
    toy_init(&toy, NN_OP_COUNT, nothing);
    completed = complete(&toy);
    toy.code = NN_DEVICE;
    toy.text = "the toy is broken";
    tensor_fill(x, 1);
    nn_add_ts(nn_completed_operations(completed), &x->array, 1, &x->array);
    assert_int_equal(nn_completed_error(completed, &id, NULL), NN_DEVICE);
    assert_string_equal(id, "toy.failed");
    assert_true(tensor_get(x, 0) == 1);
    nn_completed_clear(completed);
    assert_int_equal(nn_completed_error(completed, NULL, NULL), NN_DEVICE);
    nn_completed_destroy(completed);
    tensor_free(x);
}

static void memory_that_cannot_be_mapped_is_an_error(void **state)
{
    const int64_t n = 3;
    nn_handler toy;
    nn_completed *completed;
    tensor *x = tensor_make(NN_FLOAT32, 0, 1, &n);
    nn_array lost = x->array;
    const char *text = NULL;

    (void)state;
    toy_init(&toy, NN_OP_COUNT, nothing);
    completed = complete(&toy);
    lost.memory = NULL;
    nn_abs_t(nn_completed_operations(completed), &lost, &x->array);
    assert_int_equal(nn_completed_error(completed, NULL, &text),
                     NN_INVALID_ARGUMENT);
    assert_string_equal(text, "abs_t: x has no memory");
    nn_completed_clear(completed);
    toy.refuse_map = 1;
    nn_abs_t(nn_completed_operations(completed), &x->array, &x->array);
    assert_int_equal(nn_completed_error(completed, NULL, &text), NN_DEVICE);
    assert_string_equal(text, "abs_t: the handler maps no memory");
    assert_int_equal(toy.maps, toy.unmaps);
    nn_completed_destroy(completed);
    tensor_free(x);
}

static int32_t plan_nothing(nn_handler *handler, const nn_plan_request *request,
                            nn_plan_result *result)
{
    (void)handler;
    (void)request;
    (void)result;
    return NN_OK;
}

static void run_nothing(nn_handler *handler, nn_handler_plan *plan,
                        const nn_array *const *operands, uint32_t n_operands,
                        const void *attributes, const nn_array *workspace,
                        const nn_array *reserve)
{
    (void)handler;
    (void)plan;
    (void)operands;
    (void)n_operands;
    (void)attributes;
    (void)workspace;
    (void)reserve;
}

/* The handler has the first row of nn.linear/1 alone. */
static void native_rows_win_row_by_row(void **state)
{
    static const nn_row row = {.size = NN_SIZEOF(nn_row, doc),
                               .name = "linear_forward",
                               .plan = plan_nothing,
                               .run = run_nothing};
    static const nn_row *const rows[] = {&row, NULL};
    static const nn_extension extension = {NN_SIZEOF(nn_extension, rows), 2,
                                           NN_LINEAR, rows};
    nn_handler toy;
    nn_completed *completed;
    nn_row_slot slot;

    (void)state;
    toy_init(&toy, NN_OP_COUNT, nothing);
    toy.extension = &extension;
    completed = complete(&toy);
    slot = nn_completed_row(completed, NN_LINEAR, NN_LINEAR_FORWARD);
    assert_ptr_equal(slot.row, &row);
    assert_ptr_equal(slot.self, &toy);
    slot = nn_completed_row(completed, NN_LINEAR, NN_LINEAR_BACKWARD);
    assert_non_null(slot.row);
    assert_ptr_equal(slot.self, completed);
    slot = nn_composed_row(completed, NN_LINEAR, NN_LINEAR_FORWARD);
    assert_ptr_not_equal(slot.row, &row);
    assert_null(nn_completed_row(completed, NN_LINEAR, 2).row);
    assert_int_equal(how(completed, NN_LINEAR, "linear_forward"),
                     NN_HOW_NATIVE);
    nn_completed_destroy(completed);
}

static void a_handler_without_map_is_refused(void **state)
{
    nn_handler toy;
    nn_completed *completed;

    (void)state;
    toy_init(&toy, NN_OP_COUNT, nothing);
    toy.interface.map = NULL;
    assert_int_equal(nn_completed_create(&toy.interface, &toy, NN_FLOAT32,
                                         &completed),
                     NN_INVALID_ARGUMENT);
    assert_null(completed);
    assert_string_equal(nn_error_id(), "handler.incomplete");
    nn_error_clear();
    nn_completed_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_handler_without_operations_has_all),
        cmocka_unit_test(compositions_agree_with_the_reference),
        cmocka_unit_test(one_array_can_be_all_operands),
        cmocka_unit_test(the_list_says_how),
        cmocka_unit_test(native_operations_are_called),
        cmocka_unit_test(an_older_handler_works),
        cmocka_unit_test(shared_memory_is_mapped_once),
        cmocka_unit_test(gaps_are_read_before_they_are_written),
        cmocka_unit_test(discarded_outputs_map_nothing),
        cmocka_unit_test(errors_of_the_host_are_sticky),
        cmocka_unit_test(errors_of_the_handler_come_first),
        cmocka_unit_test(memory_that_cannot_be_mapped_is_an_error),
        cmocka_unit_test(native_rows_win_row_by_row),
        cmocka_unit_test(a_handler_without_map_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
