/* SPDX-License-Identifier: MIT */
/* test_memory.c - shared and dirty memory of the case bank: N4 and N5. */
#include "cases.h"

#define KEEP "keep: [\"*.outputs.*\", \"*.output_deltas.*\"]\n"
#define DX "inputs.output_deltas.x"

/* ---- N4 ------------------------------------------------------------------ */

/* N4: a branch beside an activation that may work in place sees what it
 * should, and both deltas are added.  Nothing but the end is kept, so memory
 * is shared as in a user's network. */
static void a_branch_beside_an_activation_sees_its_input(void)
{
    static const char text[] =
        "keep: [sum.outputs.default, inputs.output_deltas.x]\n"
        "inputs: {x: [1]}\n"
        "network:\n"
        "  - fully_connected: {name: same, from: x, size: 1, bias: false, "
        "initialize: {W: 1}}\n"
        "%s"
        "  - concat: {name: both, from: [a, b]}\n"
        "  - fully_connected: {name: sum, size: 1, bias: false, initialize: "
        "{W: 1}}\n"
        "  - loss: {importance: 2}\n";
    static const char *const branches[] = {
        "  - fully_connected: {name: a, from: same, size: 1, bias: false, "
        "initialize: {W: 3}}\n"
        "  - activation: {name: b, from: same, kind: relu}\n",
        "  - activation: {name: b, from: same, kind: relu}\n"
        "  - fully_connected: {name: a, from: same, size: 1, bias: false, "
        "initialize: {W: 3}}\n"};
    static const double x[] = {-1, 2};
    char whole[1024];
    double y[2];
    double dx[2];
    net n;
    int i;

    for (i = 0; i < 2; ++i) {
        snprintf(whole, sizeof whole, text, branches[i]);
        open_net(&n, whole, 1, 2);
        begin(&n, 1, 2);
        put(&n, "x", x);
        forward(&n);
        backward(&n);
        get(&n, "sum.outputs.default", y, 2);
        get(&n, DX, dx, 2);
        assert_exactly(y[0], -3);
        assert_exactly(y[1], 8);
        assert_exactly(dx[0], 3);
        assert_exactly(dx[1], 4);
        close_net(&n);
    }
}

/* N4: of two readers both deltas are added, and so are both gradients of
 * parameters that two layers share. */
static void deltas_and_shared_gradients_are_added(void)
{
    static const char readers[] =
        "keep: [inputs.output_deltas.x]\n"
        "inputs: {x: [1]}\n"
        "network:\n"
        "  - fully_connected: {name: a, from: x, size: 1, bias: false, "
        "initialize: {W: 2}}\n"
        "  - fully_connected: {name: b, from: x, size: 1, bias: false, "
        "initialize: {W: 5}}\n"
        "  - loss: {name: la, from: a, importance: %d}\n"
        "  - loss: {name: lb, from: b, importance: %d}\n";
    static const char shared[] =
        "inputs: {x: [1], z: [1]}\n"
        "network:\n"
        "  - fully_connected: {name: a, from: x, size: 1, bias: false}\n"
        "  - fully_connected: {name: b, from: z, size: 1, bias: false, share: "
        "a}\n"
        "  - loss: {name: la, from: a}\n"
        "  - loss: {name: lb, from: b}\n";
    double x[] = {1, -3, 0.5};
    char text[1024];
    double dx[3];
    double dw;
    net n;
    int B;
    int i;

    for (B = 1; B <= 3; B += 2) {
        snprintf(text, sizeof text, readers, B, B);
        open_net(&n, text, 1, B);
        begin(&n, 1, B);
        put(&n, "x", x);
        forward(&n);
        backward(&n);
        get(&n, DX, dx, B);
        for (i = 0; i < B; ++i)
            assert_exactly(dx[i], 7);
        close_net(&n);
    }
    open_net(&n, shared, 1, 1);
    begin(&n, 1, 1);
    put_all(&n, "x", 3);
    put_all(&n, "z", 4);
    forward(&n);
    backward(&n);
    get(&n, "a.gradients.W", &dw, 1);
    assert_exactly(dw, 7);
    close_net(&n);
}

/* ---- N5 ------------------------------------------------------------------ */

#define WHOLE                                                                  \
    "seed: 9\n"                                                                \
    "%s"                                                                       \
    "inputs: {x: [7], t: {shape: [1], dtype: int32}, m: [1]}\n"                \
    "network:\n"                                                               \
    "  - fully_connected: {name: a, from: x, size: 33, activation: relu}\n"    \
    "  - fully_connected: {name: b, from: \"a[0:17]\", size: 5, activation: "  \
    "tanh}\n"                                                                  \
    "  - fully_connected: {name: c, from: \"a[17:]\", size: 6, activation: "   \
    "elu}\n"                                                                   \
    "  - dropout: {name: d, from: b, probability: 0.5}\n"                      \
    "  - concat: {name: e, from: [d, c]}\n"                                    \
    "  - fully_connected: {name: f, size: 3}\n"                                \
    "  - softmax_ce: {name: loss, from: [f, t, m]}\n"

/* Every buffer but parameters and state gets NaN. */
static void spoil(net *n)
{
    const char *path;
    uint32_t i;

    for (i = 0; (path = nn_network_path(n->network, i)); ++i) {
        nn_array array;

        if (nn_network_view(n->network, path, &array) ||
            (array.dtype != NN_FLOAT32 && array.dtype != NN_FLOAT64))
            continue;
        if (!strstr(path, ".outputs.") && !strstr(path, "deltas.") &&
            !strstr(path, ".internals.") && !strstr(path, ".gradients."))
            continue;
        put_all(n, path, NAN);
    }
}

/* All gradients without their padding, after a pass. */
static int gradients_of(net *n, int dirty, double *dw)
{
    static const char *const names[] = {"a", "b", "c", "f"};
    static const int64_t sizes[] = {33 * 7, 17 * 5, 16 * 6, 33};
    double x[35];
    double t[] = {0, 1, 2, 1, 0};
    double m[] = {1, 0.5, 1, 0, 1};
    char path[64];
    int count = 0;
    int i;

    for (i = 0; i < 35; ++i)
        x[i] = sin(i);
    begin(n, 1, 5);
    if (dirty)
        spoil(n);
    put(n, "x", x);
    put(n, "t", t);
    put(n, "m", m);
    forward(n);
    backward(n);
    for (i = 0; i < 4; ++i) {
        snprintf(path, sizeof path, "%s.gradients.W", names[i]);
        look(n, path, dw + count, sizes[i]);
        count += (int)sizes[i];
    }
    return count;
}

/* N5: a pass reads nothing that it has not written: with NaN in every buffer
 * before it the gradients are those of a clean network, to the bit. */
static void dirty_memory_changes_nothing(void)
{
    static const char *const keeps[] = {"", "keep: [\"*\"]\n"};
    double clean[512];
    double dirty[512];
    char text[2048];
    net n;
    int count;
    int i;
    int k;

    for (k = 0; k < 2; ++k) {
        snprintf(text, sizeof text, WHOLE, keeps[k]);
        open_net(&n, text, 1, 5);
        count = gradients_of(&n, 0, clean);
        close_net(&n);
        open_net(&n, text, 1, 5);
        assert_int_equal(gradients_of(&n, 1, dirty), count);
        for (i = 0; i < count; ++i) {
            assert_true(isfinite(dirty[i]));
            assert_exactly(dirty[i], clean[i]);
        }
        close_net(&n);
    }
}

/* The operands of y = x W', M rows, K columns, N units: exact integers. */
typedef struct product {
    int M;
    int K;
    int N;
    double x[65 * 65];
    double w[65 * 65];
    double y[65 * 65];
    double dx[65 * 65];
    double dw[65 * 65];
} product;

/* All deltas of y are 1; the gradient is written once and added once. */
static void multiply(product *p)
{
    char text[512];
    net n;

    snprintf(text, sizeof text,
             KEEP "inputs: {x: [%d]}\n"
                  "network:\n"
                  "  - fully_connected: {name: out, size: %d, bias: false}\n"
                  "  - loss: {importance: %d}\n",
             p->K, p->N, p->M);
    open_net(&n, text, 1, p->M);
    begin(&n, 1, p->M);
    spoil(&n);
    put(&n, "out.W", p->w);
    put(&n, "x", p->x);
    forward(&n);
    backward(&n);
    forward(&n);
    assert_done(nn_network_backward(n.network, NN_ACCUMULATE));
    look(&n, "out.outputs.default", p->y, p->M * p->N);
    look(&n, "out.gradients.W", p->dw, p->N * p->K);
    look(&n, DX, p->dx, p->M * p->K);
    close_net(&n);
}

static void assert_product(const product *p)
{
    int i;
    int j;
    int k;

    for (i = 0; i < p->M; ++i)
        for (j = 0; j < p->N; ++j) {
            double sum = 0;

            for (k = 0; k < p->K; ++k)
                sum += p->x[i * p->K + k] * p->w[j * p->K + k];
            assert_exactly(p->y[i * p->N + j] + 0.0, sum);
        }
    for (k = 0; k < p->K; ++k) {
        double rows = 0;
        double units = 0;

        for (i = 0; i < p->M; ++i)
            rows += p->x[i * p->K + k];
        for (j = 0; j < p->N; ++j)
            units += p->w[j * p->K + k];
        for (j = 0; j < p->N; ++j)
            assert_true(fabs(p->dw[j * p->K + k] - 2 * rows) <= 1e-4 * p->M);
        for (i = 0; i < p->M; ++i)
            assert_true(fabs(p->dx[i * p->K + k] - units) <= 1e-4 * p->N);
    }
}

static void compare_product(int M, int K, int N)
{
    static product p;
    int i;

    memset(&p, 0, sizeof p);
    p.M = M;
    p.K = K;
    p.N = N;
    for (i = 0; i < M * K; ++i)
        p.x[i] = i % 7 - 3;
    for (i = 0; i < N * K; ++i)
        p.w[i] = i % 5 - 2;
    multiply(&p);
    assert_product(&p);
}

/* N5: products of these sizes on dirty memory are the naive ones. */
static void products_on_dirty_memory_are_naive(void)
{
    compare_product(1, 1, 1);
    compare_product(5, 3, 7);
    compare_product(17, 65, 33);
}

/* N5: a NaN in a factor comes out, also opposite a zero. */
static void nan_times_zero_is_nan(void)
{
    static const char text[] =
        KEEP "inputs: {x: [3]}\n"
             "network:\n"
             "  - fully_connected: {name: out, size: 2, bias: false}\n"
             "  - loss\n";
    static const double x[] = {NAN, 1, 2, 3, 4, 5, 6, 7, 8};
    static const double w[] = {0, 0, 0, 0, 1, 1};
    double y[6];
    net n;
    int i;

    open_net(&n, text, 1, 3);
    begin(&n, 1, 3);
    put(&n, "out.W", w);
    put(&n, "x", x);
    forward(&n);
    get(&n, "out.outputs.default", y, 6);
    for (i = 0; i < 6; ++i)
        assert_int_equal(isnan(y[i]) != 0, i < 2);
    close_net(&n);
}

int main(void)
{
    static const one_case cases[] = {
        CASE(a_branch_beside_an_activation_sees_its_input),
        CASE(deltas_and_shared_gradients_are_added),
        CASE(dirty_memory_changes_nothing),
        CASE(products_on_dirty_memory_are_naive),
        CASE(nan_times_zero_is_nan),
    };

    return RUN_CASES(cases);
}
