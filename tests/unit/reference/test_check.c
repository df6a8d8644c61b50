/* SPDX-License-Identifier: MIT */
/* test_check.c - what nn_reference_check refuses, and how it says so. */
#include "core/reference/reference.h"
#include "tests/unit/reference/support.h"

/* Views without memory: only their description is judged. */
static nn_array view(uint32_t dtype, uint32_t ndim, int64_t a, int64_t b)
{
    nn_array array = {0};

    array.dtype = dtype;
    array.ndim = ndim;
    array.shape[0] = a;
    array.shape[1] = b;
    array.pitch = array.shape[ndim - 1];
    return array;
}

static nn_array matrix(int64_t rows, int64_t columns)
{
    return view(NN_FLOAT32, 2, rows, columns);
}

static char text[256];

static int32_t check_with(uint32_t operation, const nn_attributes *with,
                          const nn_array *x, const nn_array *z,
                          const nn_array *y, const nn_array *w)
{
    const nn_array *operands[4] = {x, z, y, w};

    text[0] = '\0';
    return nn_reference_check(operation, operands, with, text, sizeof text);
}

static int32_t check(uint32_t operation, const nn_array *x, const nn_array *z,
                     const nn_array *y)
{
    return check_with(operation, NULL, x, z, y, NULL);
}

static void shapes_that_differ_are_refused(void **state)
{
    nn_array x = matrix(3, 4);
    nn_array z = matrix(4, 3);

    (void)state;
    assert_int_equal(check(NN_OP_ADD_TT, &x, &z, &x), NN_SHAPE);
    assert_string_equal(text, "add_tt: z (4, 3) differs from x (3, 4)");
    assert_int_equal(check(NN_OP_COPY, &x, &z, NULL), NN_SHAPE);
}

static void inner_sizes_of_a_product_are_named(void **state)
{
    nn_attributes with = nn_no_attributes();
    nn_array x = matrix(4, 7);
    nn_array z = matrix(5, 3);
    nn_array y = matrix(4, 3);

    (void)state;
    assert_int_equal(check(NN_OP_DOT_MM, &x, &z, &y), NN_SHAPE);
    assert_string_equal(text,
                        "dot_mm: z (5, 3) does not fit x (4, 7): K is 5 and 7");
    z = matrix(3, 7);
    with.flags = NN_TRANSPOSE_B;
    assert_int_equal(check_with(NN_OP_DOT_MM, &with, &x, &z, &y, NULL), NN_OK);
    with.flags = NN_TRANSPOSE_A;
    assert_int_equal(check_with(NN_OP_DOT_MM, &with, &x, &z, &y, NULL),
                     NN_SHAPE);
    with.flags = 8;
    z = matrix(7, 3);
    assert_int_equal(check_with(NN_OP_DOT_MM, &with, &x, &z, &y, NULL),
                     NN_UNSUPPORTED);
}

static void vectors_fit_rows_or_columns(void **state)
{
    nn_array m = matrix(4, 3);
    nn_array y = matrix(4, 3);
    nn_array fits[] = {view(NN_FLOAT32, 1, 3, 0), matrix(1, 3), matrix(4, 1),
                       matrix(1, 1), view(NN_FLOAT32, 1, 1, 0)};
    nn_array bad = view(NN_FLOAT32, 1, 4, 0);
    size_t i;

    (void)state;
    for (i = 0; i < sizeof fits / sizeof fits[0]; ++i)
        assert_int_equal(check(NN_OP_MULT_MV, &m, &fits[i], &y), NN_OK);
    assert_int_equal(check(NN_OP_MULT_MV, &m, &bad, &y), NN_SHAPE);
    bad = matrix(5, 1);
    assert_int_equal(check(NN_OP_MULT_MV, &m, &bad, &y), NN_SHAPE);
    bad = view(NN_FLOAT32, 1, 4, 0);
    assert_int_equal(check(NN_OP_MULT_MV, &m, &bad, &y), NN_SHAPE);
    assert_string_equal(text, "mult_mv: v (4) fits neither the columns nor the "
                              "rows of a matrix (4, 3)");
}

static void sums_need_the_shape_of_their_axis(void **state)
{
    nn_attributes with = nn_no_attributes();
    nn_array x = matrix(4, 3);
    nn_array y = view(NN_FLOAT32, 1, 4, 0);

    (void)state;
    with.axis = 1;
    assert_int_equal(check_with(NN_OP_SUM_T, &with, &x, &y, NULL, NULL), NN_OK);
    with.axis = 0;
    assert_int_equal(check_with(NN_OP_SUM_T, &with, &x, &y, NULL, NULL),
                     NN_SHAPE);
    assert_string_equal(text,
                        "sum_t: y (4) is not the shape of x (4, 3) over axis "
                        "0");
    with.axis = NN_AXIS_ROWS;
    assert_int_equal(check_with(NN_OP_SUM_T, &with, &x, &y, NULL, NULL),
                     NN_SHAPE);
    with.axis = 2;
    assert_int_equal(check_with(NN_OP_SUM_T, &with, &x, &y, NULL, NULL),
                     NN_INVALID_ARGUMENT);
    with.axis = -3;
    assert_int_equal(check_with(NN_OP_SUM_T, &with, &x, &y, NULL, NULL),
                     NN_INVALID_ARGUMENT);
}

static void types_are_judged(void **state)
{
    nn_array real = matrix(2, 2);
    nn_array wide = view(NN_FLOAT64, 2, 2, 2);
    nn_array whole = view(NN_INT32, 2, 2, 2);
    nn_array half = view(NN_FLOAT16, 2, 2, 2);

    (void)state;
    assert_int_equal(check(NN_OP_ADD_TT, &real, &wide, &real),
                     NN_INVALID_ARGUMENT);
    assert_string_equal(text, "add_tt: z and x have different real types");
    assert_int_equal(check(NN_OP_ADD_TT, &real, &whole, &real),
                     NN_INVALID_ARGUMENT);
    assert_int_equal(check(NN_OP_COPY, &real, &whole, NULL),
                     NN_INVALID_ARGUMENT);
    assert_int_equal(check(NN_OP_CAST, &real, &whole, NULL), NN_OK);
    assert_int_equal(check(NN_OP_CAST, &real, &half, NULL),
                     NN_INVALID_ARGUMENT);
    half.dtype = NN_REAL;
    assert_int_equal(check(NN_OP_CAST, &real, &half, NULL),
                     NN_INVALID_ARGUMENT);
}

static void modes_are_judged(void **state)
{
    nn_array x = matrix(2, 2);
    nn_array y = matrix(2, 2);
    nn_array v = view(NN_INT32, 1, 2, 0);
    nn_array whole = view(NN_INT32, 2, 2, 2);

    (void)state;
    x.mode = NN_DISCARD;
    assert_int_equal(check(NN_OP_ABS_T, &x, &y, NULL), NN_INVALID_ARGUMENT);
    assert_string_equal(text, "abs_t: x is read, but its mode is DISCARD");
    y.mode = NN_DISCARD;
    assert_int_equal(check(NN_OP_ABS_T, &x, &y, NULL), NN_OK);
    x.mode = NN_WRITE;
    y.mode = NN_WRITE;
    assert_int_equal(check(NN_OP_SCATTER_M_BY_V, &x, &v, &y),
                     NN_INVALID_ARGUMENT);
    whole.mode = NN_ADD;
    assert_int_equal(check(NN_OP_CAST, &x, &whole, NULL), NN_INVALID_ARGUMENT);
    y.mode = 3;
    assert_int_equal(check(NN_OP_ABS_T, &x, &y, NULL), NN_INVALID_ARGUMENT);
    y.mode = NN_WRITE;
    y.flags = NN_READ_ONLY;
    assert_int_equal(check(NN_OP_ABS_T, &x, &y, NULL), NN_INVALID_ARGUMENT);
    assert_string_equal(text, "abs_t: y is written, but it is read-only");
}

static void malformed_views_are_refused(void **state)
{
    nn_array good = matrix(2, 4);
    nn_array bad = matrix(2, 4);
    nn_array empty = {0};

    (void)state;
    bad.pitch = 3;
    assert_int_equal(check(NN_OP_ABS_T, &bad, &good, NULL),
                     NN_INVALID_ARGUMENT);
    assert_string_equal(text,
                        "abs_t: x (2, 4) has pitch 3, less than its last axis");
    bad = matrix(0, 4);
    assert_int_equal(check(NN_OP_ABS_T, &bad, &bad, NULL), NN_SHAPE);
    bad = matrix(INT64_C(1) << 40, INT64_C(1) << 40);
    assert_int_equal(check(NN_OP_ABS_T, &bad, &bad, NULL), NN_SHAPE);
    bad = matrix(2, 4);
    bad.offset = 2;
    assert_int_equal(check(NN_OP_ABS_T, &bad, &good, NULL),
                     NN_INVALID_ARGUMENT);
    bad.offset = -4;
    assert_int_equal(check(NN_OP_ABS_T, &bad, &good, NULL),
                     NN_INVALID_ARGUMENT);
    bad.offset = 0;
    bad.ndim = 9;
    assert_int_equal(check(NN_OP_ABS_T, &bad, &good, NULL),
                     NN_INVALID_ARGUMENT);
    assert_int_equal(check(NN_OP_ABS_T, &empty, &good, NULL),
                     NN_INVALID_ARGUMENT);
    assert_string_equal(text, "abs_t: x is absent");
    assert_int_equal(check(NN_OP_ABS_T, &good, NULL, NULL),
                     NN_INVALID_ARGUMENT);
    assert_int_equal(check(NN_OP_COUNT, &good, &good, NULL), NN_UNSUPPORTED);
}

static void overlap_is_refused_unless_in_place(void **state)
{
    nn_memory memory = {0};
    nn_array whole = matrix(4, 6);
    nn_array left;
    nn_array right;
    nn_array shifted;

    (void)state;
    whole.memory = &memory;
    left = nn_column_slice(&whole, 0, 3);
    right = nn_column_slice(&whole, 3, 3);
    shifted = nn_column_slice(&whole, 1, 3);
    assert_int_equal(check(NN_OP_ABS_T, &left, &left, NULL), NN_OK);
    assert_int_equal(check(NN_OP_ABS_T, &left, &right, NULL), NN_OK);
    assert_int_equal(check(NN_OP_ABS_T, &left, &shifted, NULL),
                     NN_INVALID_ARGUMENT);
    assert_string_equal(text, "abs_t: y overlaps x, which is not allowed");
    left = nn_slice(&whole, 0, 2);
    right = nn_slice(&whole, 2, 2);
    shifted = nn_slice(&whole, 1, 2);
    assert_int_equal(check(NN_OP_ABS_T, &left, &right, NULL), NN_OK);
    assert_int_equal(check(NN_OP_ABS_T, &left, &shifted, NULL),
                     NN_INVALID_ARGUMENT);
    assert_int_equal(check(NN_OP_ABS_T, &right, &shifted, NULL),
                     NN_INVALID_ARGUMENT);
}

static void in_place_is_meant_by_name(void **state)
{
    nn_memory memory = {0};
    nn_array m = matrix(3, 3);
    nn_array other = matrix(3, 3);

    (void)state;
    m.memory = &memory;
    assert_int_equal(check(NN_OP_DOT_MM, &m, &other, &m), NN_INVALID_ARGUMENT);
    assert_int_equal(check(NN_OP_SOFTMAX_BACKWARD_M, &other, &m, &m), NN_OK);
    assert_int_equal(check(NN_OP_SOFTMAX_BACKWARD_M, &m, &other, &m),
                     NN_INVALID_ARGUMENT);
}

static void attributes_are_judged(void **state)
{
    nn_attributes with = nn_no_attributes();
    nn_array x = matrix(2, 2);
    nn_array y = matrix(2, 2);

    (void)state;
    with.a = 2;
    with.b = 1;
    assert_int_equal(check_with(NN_OP_CLIP_T, &with, &x, &y, NULL, NULL),
                     NN_INVALID_ARGUMENT);
    assert_int_equal(check_with(NN_OP_FILL_BERNOULLI, &with, &x, NULL, NULL,
                                NULL),
                     NN_INVALID_ARGUMENT);
    with.kind = NN_ACTIVATION_COUNT;
    assert_int_equal(check_with(NN_OP_ACTIVATION_T, &with, &x, &y, NULL, NULL),
                     NN_UNSUPPORTED);
    with.kind = NN_ACTIVATION_LEAKY_RELU;
    with.a = -1;
    assert_int_equal(check_with(NN_OP_ACTIVATION_T, &with, &x, &y, NULL, NULL),
                     NN_INVALID_ARGUMENT);
    with.a = 0;
    assert_int_equal(check_with(NN_OP_ACTIVATION_BACKWARD_T, &with, NULL, &x,
                                &x, &y),
                     NN_OK);
    assert_int_equal(check_with(NN_OP_ACTIVATION_BACKWARD_T, &with, &x, NULL,
                                &x, &y),
                     NN_INVALID_ARGUMENT);
}

static void short_attributes_have_zeros_behind(void **state)
{
    nn_attributes with = nn_no_attributes();
    nn_array x = matrix(4, 3);
    nn_array y = view(NN_FLOAT32, 1, 3, 0);

    (void)state;
    with.size = (uint32_t)offsetof(nn_attributes, axis);
    with.axis = 1;
    assert_int_equal(check_with(NN_OP_SUM_T, &with, &x, &y, NULL, NULL), NN_OK);
}

static void messages_fit_their_buffer(void **state)
{
    nn_array x = matrix(3, 4);
    nn_array z = matrix(4, 3);
    const nn_array *operands[2] = {&x, &z};
    char small[12];

    (void)state;
    assert_int_equal(nn_reference_check(NN_OP_ABS_T, operands, NULL, small,
                                        sizeof small),
                     NN_SHAPE);
    assert_string_equal(small, "abs_t: y (4");
    assert_int_equal(nn_reference_check(NN_OP_ABS_T, operands, NULL, NULL, 0),
                     NN_SHAPE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes_that_differ_are_refused),
        cmocka_unit_test(inner_sizes_of_a_product_are_named),
        cmocka_unit_test(vectors_fit_rows_or_columns),
        cmocka_unit_test(sums_need_the_shape_of_their_axis),
        cmocka_unit_test(types_are_judged),
        cmocka_unit_test(modes_are_judged),
        cmocka_unit_test(malformed_views_are_refused),
        cmocka_unit_test(overlap_is_refused_unless_in_place),
        cmocka_unit_test(in_place_is_meant_by_name),
        cmocka_unit_test(attributes_are_judged),
        cmocka_unit_test(short_attributes_have_zeros_behind),
        cmocka_unit_test(messages_fit_their_buffer),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
