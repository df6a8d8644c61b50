/* SPDX-License-Identifier: MIT */
/* test_linear.c - nn.linear/1 composed of base operations.
 *
 * Letters: M rows, K inputs, N units. */
#include <nn/linear.h>

#include "core/util/error.h"
#include "tests/unit/reference/rows.h"

#define M 4
#define K 3
#define N 2

/* All arrays of one layer, and random weights of its outputs: the loss is
 * sum of dy * y. */
typedef struct layer {
    tensor *x, *w, *b, *r, *y;
    tensor *dx, *dw, *db, *dr, *dy;
    nn_linear_attributes with;
} layer;

static double number(int64_t i)
{
    return sin(1.7 * (double)i + 0.3);
}

static tensor *numbers(uint32_t real, int64_t rows, int64_t columns,
                       int64_t first)
{
    const int64_t shape[2] = {rows, columns};
    tensor *t = rows ? tensor_make(real, 2, 2, shape)
                     : tensor_make(real, 0, 1, &columns);
    int64_t i;

    for (i = 0; i < nn_elements(&t->array); ++i)
        tensor_put(t, i, number(first + i));
    return t;
}

static void layer_init(layer *l, uint32_t real, uint32_t activation)
{
    l->x = numbers(real, M, K, 0);
    l->w = numbers(real, N, K, 20);
    l->b = numbers(real, 0, N, 40);
    l->r = numbers(real, M, N, 60);
    l->y = numbers(real, M, N, 80);
    l->dx = numbers(real, M, K, 100);
    l->dw = numbers(real, N, K, 120);
    l->db = numbers(real, 0, N, 140);
    l->dr = numbers(real, M, N, 160);
    l->dy = numbers(real, M, N, 180);
    l->with.size = NN_SIZEOF(nn_linear_attributes, alpha);
    l->with.activation = activation;
    l->with.alpha = 0.5;
}

static void layer_finish(layer *l)
{
    tensor *const all[] = {l->x,  l->w,  l->b,  l->r,  l->y,
                           l->dx, l->dw, l->db, l->dr, l->dy};
    size_t i;

    for (i = 0; i < sizeof all / sizeof all[0]; ++i)
        tensor_free(all[i]);
}

static int32_t forward(bench *b, layer *l, int64_t limit, int64_t *bytes)
{
    tensor *const tensors[] = {l->x, l->w, l->b, l->r, l->y};

    return bench_run(b, NN_LINEAR, NN_LINEAR_FORWARD, tensors,
                     NN_LINEAR_FORWARD_OPERANDS, &l->with, limit, bytes);
}

static int32_t backward(bench *b, layer *l, int64_t *bytes)
{
    tensor *const tensors[] = {l->x,  l->w,  l->y,  l->dy,
                               l->dx, l->dw, l->db, l->dr};

    return bench_run(b, NN_LINEAR, NN_LINEAR_BACKWARD, tensors,
                     NN_LINEAR_BACKWARD_OPERANDS, &l->with, 0, bytes);
}

static double loss(bench *b, layer *l)
{
    double sum = 0;
    int64_t i;

    assert_int_equal(forward(b, l, 0, NULL), NN_OK);
    for (i = 0; i < M * N; ++i)
        sum += tensor_get(l->y, i) * tensor_get(l->dy, i);
    return sum;
}

/* Central differences of the loss by every element of AT. */
static void compare(bench *b, layer *l, tensor *at, const tensor *gradient)
{
    const double step = 1e-6;
    int64_t i;

    for (i = 0; i < nn_elements(&at->array); ++i) {
        double old = tensor_get(at, i);
        double up;
        double down;

        tensor_put(at, i, old + step);
        up = loss(b, l);
        tensor_put(at, i, old - step);
        down = loss(b, l);
        tensor_put(at, i, old);
        /* Truncation step^2 and rounding epsilon / step are below 1e-9. */
        assert_true(fabs((up - down) / (2 * step) - tensor_get(gradient, i)) <
                    1e-8);
    }
}

static void gradients_agree_with_differences(void **state)
{
    uint32_t activation;
    bench b;

    (void)state;
    bench_init(&b, NN_FLOAT64);
    for (activation = 0; activation < NN_ACTIVATION_COUNT; ++activation) {
        layer l;

        layer_init(&l, NN_FLOAT64, activation);
        loss(&b, &l);
        assert_int_equal(backward(&b, &l, NULL), NN_OK);
        compare(&b, &l, l.x, l.dx);
        compare(&b, &l, l.w, l.dw);
        compare(&b, &l, l.b, l.db);
        compare(&b, &l, l.r, l.dr);
        layer_finish(&l);
    }
    bench_finish(&b);
}

static void forward_is_exact_on_integers(void **state)
{
    static const double x[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 1, 1};
    static const double w[] = {1, 0, -1, 2, 1, 0};
    static const double bias[] = {10, -100};
    static const double right[] = {8, 0, 8, 0, 8, 0, 10, 0};
    bench b;
    layer l;
    int i;

    (void)state;
    bench_init(&b, NN_FLOAT32);
    layer_init(&l, NN_FLOAT32, NN_ACTIVATION_RELU);
    tensor_set(l.x, x);
    tensor_set(l.w, w);
    tensor_set(l.b, bias);
    tensor_fill(l.r, 0);
    tensor_fill(l.y, NAN);
    assert_int_equal(forward(&b, &l, 0, NULL), NN_OK);
    for (i = 0; i < M * N; ++i)
        assert_true(tensor_get(l.y, i) == right[i]);
    layer_finish(&l);
    bench_finish(&b);
}

static void outputs_are_written_as_their_mode_says(void **state)
{
    bench b;
    layer once;
    layer added;
    int i;

    (void)state;
    bench_init(&b, NN_FLOAT64);
    layer_init(&once, NN_FLOAT64, NN_ACTIVATION_TANH);
    layer_init(&added, NN_FLOAT64, NN_ACTIVATION_TANH);
    forward(&b, &once, 0, NULL);
    backward(&b, &once, NULL);
    added.y->array.mode = NN_ADD;
    tensor_fill(added.y, 1);
    assert_int_equal(forward(&b, &added, 0, NULL), NN_OK);
    for (i = 0; i < M * N; ++i)
        assert_true(fabs(tensor_get(added.y, i) - 1 - tensor_get(once.y, i)) <
                    1e-15 * 4);
    tensor_fill(added.dw, 1);
    tensor_fill(added.db, 1);
    added.y->array.mode = NN_WRITE;
    forward(&b, &added, 0, NULL);
    added.dw->array.mode = NN_ADD;
    added.db->array.mode = NN_ADD;
    added.dx->array.mode = NN_DISCARD;
    added.dr->array.mode = NN_DISCARD;
    assert_int_equal(backward(&b, &added, NULL), NN_OK);
    for (i = 0; i < N * K; ++i)
        assert_true(fabs(tensor_get(added.dw, i) - 1 - tensor_get(once.dw, i)) <
                    1e-14);
    assert_true(fabs(tensor_get(added.db, 1) - 1 - tensor_get(once.db, 1)) <
                1e-14);
    assert_true(tensor_get(added.dx, 0) == number(100));
    assert_true(tensor_get(added.dr, 0) == number(160));
    layer_finish(&once);
    layer_finish(&added);
    bench_finish(&b);
}

static void optional_operands_may_be_absent(void **state)
{
    bench b;
    layer l;
    int64_t bytes = -1;
    tensor *y[5];
    tensor *d[8];
    int i;

    (void)state;
    bench_init(&b, NN_FLOAT64);
    layer_init(&l, NN_FLOAT64, NN_ACTIVATION_LINEAR);
    y[0] = l.x;
    y[1] = l.w;
    y[2] = NULL;
    y[3] = NULL;
    y[4] = l.y;
    assert_int_equal(bench_run(&b, NN_LINEAR, NN_LINEAR_FORWARD, y, 5, &l.with,
                               0, &bytes),
                     NN_OK);
    assert_int_equal(bytes, 0);
    for (i = 0; i < M * N; ++i)
        assert_true(fabs(tensor_get(l.y, i) -
                         (number(i / N * K) * number(20 + i % N * K) +
                          number(i / N * K + 1) * number(21 + i % N * K) +
                          number(i / N * K + 2) * number(22 + i % N * K))) <
                    1e-15);
    memset(d, 0, sizeof d);
    d[0] = l.x;
    d[1] = l.w;
    d[2] = l.y;
    d[3] = l.dy;
    d[5] = l.dw;
    assert_int_equal(bench_run(&b, NN_LINEAR, NN_LINEAR_BACKWARD, d, 8, &l.with,
                               0, &bytes),
                     NN_OK);
    assert_int_equal(bytes, 0);
    layer_finish(&l);
    bench_finish(&b);
}

static void plans_refuse_what_cannot_work(void **state)
{
    bench b;
    layer l;
    int64_t bytes = 0;

    (void)state;
    bench_init(&b, NN_FLOAT32);
    layer_init(&l, NN_FLOAT32, NN_ACTIVATION_TANH);
    l.y->array.mode = NN_ADD;
    assert_int_equal(forward(&b, &l, 0, &bytes), NN_OK);
    assert_int_equal(bytes, 64);
    assert_int_equal(forward(&b, &l, 64, NULL), NN_OK);
    assert_int_equal(forward(&b, &l, 63, NULL), NN_NO_MEMORY);
    nn_error_clear();
    l.with.activation = NN_ACTIVATION_COUNT;
    assert_int_equal(forward(&b, &l, 0, NULL), NN_UNSUPPORTED);
    nn_error_clear();
    l.with.activation = NN_ACTIVATION_TANH;
    l.w->array.shape[1] = K - 1;
    assert_int_equal(forward(&b, &l, 0, NULL), NN_SHAPE);
    assert_string_equal(nn_error_text(), "linear_forward: W (2, 2) does not "
                                         "fit x (4, 3): K is 2 and 3");
    nn_error_clear();
    layer_finish(&l);
    bench_finish(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradients_agree_with_differences),
        cmocka_unit_test(forward_is_exact_on_integers),
        cmocka_unit_test(outputs_are_written_as_their_mode_says),
        cmocka_unit_test(optional_operands_may_be_absent),
        cmocka_unit_test(plans_refuse_what_cannot_work),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
