/* SPDX-License-Identifier: MIT */
/* test_dropout.c - dropout of the case bank: D1 and D3. */
#include "cases.h"

#define NET(parameters)                                                        \
    "seed: 5\n"                                                                \
    "keep: [\"*.outputs.*\", \"*.output_deltas.*\"]\n"                         \
    "inputs: {x: [1], t: [1]}\n"                                               \
    "network:\n"                                                               \
    "  - dropout: {name: d, from: x, " parameters "}\n"                        \
    "  - squared_error: {name: loss, from: [d, t]}\n"

/* y and dx of x = [1, -2, 3] in a pass with FLAGS; t is 0, so dy is y / 3. */
static void pass(const char *text, uint32_t flags, double y[3], double dx[3])
{
    static const double x[] = {1, -2, 3};
    net n;

    open_net(&n, text, 1, 3);
    assert_done(nn_network_begin(n.network, 1, 3, flags | NN_PASS_BACKWARD));
    put(&n, "x", x);
    put_all(&n, "t", 0);
    forward(&n);
    backward(&n);
    get(&n, "d.outputs.default", y, 3);
    get(&n, "inputs.output_deltas.x", dx, 3);
    close_net(&n);
}

/* x / 3 as the type of this way has it. */
static double third(double x)
{
    return is_double() ? x * (1.0 / 3) : (double)((float)x * (1.0f / 3));
}

/* D1: with p = 0 in training, and with any p outside of it, dropout copies in
 * both directions, to the bit. */
static void no_dropout_is_identity_to_the_bit(void)
{
    static const double x[] = {1, -2, 3};
    double y[3];
    double dx[3];
    int i;
    int k;

    for (k = 0; k < 2; ++k) {
        if (k == 0)
            pass(NET("probability: 0"), NN_PASS_TRAIN, y, dx);
        else
            pass(NET("probability: 0.5"), 0, y, dx);
        for (i = 0; i < 3; ++i) {
            assert_exactly(y[i], x[i]);
            assert_exactly(dx[i], third(x[i]));
        }
    }
}

/* D1: p = 1 gives zeros in both directions, not NaN. */
static void dropping_all_gives_zeros(void)
{
    double y[3];
    double dx[3];
    int i;

    pass(NET("probability: 1"), NN_PASS_TRAIN, y, dx);
    for (i = 0; i < 3; ++i)
        assert_true(y[i] == 0 && dx[i] == 0);
}

/* D1: what is no probability is refused. */
static void what_is_no_probability_is_refused(void)
{
    refuse_config(NET("probability: -0.1"), "probability");
    refuse_config(NET("probability: 1.5"), "probability");
    refuse_config(NET("probability: nan"), "probability");
}

/* ---- D3 ------------------------------------------------------------------ */

#define MANY 100000

#define TWO                                                                    \
    "keep: [\"*.outputs.*\"]\n"                                                \
    "inputs: {x: [1]}\n"                                                       \
    "network:\n"                                                               \
    "  - dropout: {name: a, from: x, probability: 0.3}\n"                      \
    "  - dropout: {name: b, from: x, probability: 0.3}\n"                      \
    "  - concat: {from: [a, b]}\n"                                             \
    "  - loss\n"

static void open_two(net *n, const char *seed)
{
    char text[512];

    snprintf(text, sizeof text, "seed: %s\n" TWO, seed);
    open_net(n, text, 1, MANY);
}

/* A pass over ones; the outputs of both layers. */
static void draw(net *n, double *a, double *b)
{
    begin(n, 1, MANY);
    put_all(n, "x", 1);
    forward(n);
    look(n, "a.outputs.default", a, MANY);
    look(n, "b.outputs.default", b, MANY);
}

static int64_t differences(const double *a, const double *b, int64_t n)
{
    int64_t count = 0;
    int64_t i;

    for (i = 0; i < n; ++i)
        count += a[i] != b[i];
    return count;
}

/* Two masks of p = 0.3 that have nothing to do with each other differ in 42
 * elements of 100, 4.5 standard deviations either way. */
static void assert_independent(const double *a, const double *b, int64_t n)
{
    double wanted = 0.42 * (double)n;
    double far = 4.5 * sqrt((double)n * 0.42 * 0.58);

    assert_true(fabs((double)differences(a, b, n) - wanted) < far);
}

static double *numbers(void)
{
    double *values = calloc(MANY, sizeof *values);

    assert_non_null(values);
    return values;
}

/* D3: survivors are exactly 1 / (1 - p), and a share p is dropped. */
static void survivors_are_divided_by_what_stays(void)
{
    double right = is_double() ? 1 / 0.7 : (double)1.42857146f;
    double *a = numbers();
    double *b = numbers();
    int64_t dropped = 0;
    net n;
    int i;

    open_two(&n, "11");
    draw(&n, a, b);
    for (i = 0; i < MANY; ++i) {
        dropped += a[i] == 0;
        if (a[i] != 0)
            close_to(a[i], right, is_double() ? 2.3e-16 : 0, __LINE__);
        if (i < 4000)
            note(a[i]);
    }
    note((double)dropped);
    assert_true(llabs(dropped - 30000) <= 650);
    close_net(&n);
    free(a);
    free(b);
}

/* D3: the mask follows from the seed; it differs by pass, by layer, and
 * between the halves of a batch.  The record says that neither handler nor
 * threads change it. */
static void masks_follow_from_seed_layer_and_pass(void)
{
    double *a = numbers();
    double *b = numbers();
    double *later = numbers();
    double *again = numbers();
    net n;
    int i;

    open_two(&n, "11");
    draw(&n, a, b);
    assert_independent(a, b, MANY);
    assert_independent(a, a + MANY / 2, MANY / 2);
    draw(&n, later, b);
    assert_independent(a, later, MANY);
    close_net(&n);
    for (i = 0; i < 4000; ++i)
        note(later[i] != 0);
    open_two(&n, "11");
    draw(&n, again, b);
    assert_int_equal(differences(a, again, MANY), 0);
    draw(&n, again, b);
    assert_int_equal(differences(later, again, MANY), 0);
    close_net(&n);
    open_two(&n, "12");
    draw(&n, again, b);
    assert_independent(a, again, MANY);
    close_net(&n);
    free(a);
    free(b);
    free(later);
    free(again);
}

/* D3: in a run every update draws anew, and the same seed gives the same
 * weights: a net whose only chance is dropout. */
static void runs_of_one_seed_are_equal(void)
{
    static const char text[] =
        "seed: %d\n"
        "inputs: {x: [8], t: [1]}\n"
        "network:\n"
        "  - dropout: {from: x, probability: 0.5}\n"
        "  - fully_connected: {name: out, size: 1, initialize: {W: 1}}\n"
        "  - squared_error: {from: [out, t]}\n"
        "training: {stepper: {sgd: 0.01}, epochs: 3}\n";
    double x[32];
    double t[4] = {1, 2, 3, 4};
    field fields[] = {{"x", x, 8, 0}, {"t", t, 1, 0}};
    double w[3][8];
    char whole[512];
    int i;
    int k;

    for (i = 0; i < 32; ++i)
        x[i] = cos(i);
    for (k = 0; k < 3; ++k) {
        run r = {0};

        snprintf(whole, sizeof whole, text, k == 2 ? 4 : 3);
        assert_done(train(&r, whole, fields, 2, 4, 2));
        parameter(&r, "out.W", w[k], 8);
        end_run(&r);
    }
    assert_memory_equal(w[0], w[1], sizeof w[0]);
    assert_int_equal(differences(w[0], w[2], 8), 8);
}

int main(void)
{
    static const one_case cases[] = {
        CASE(no_dropout_is_identity_to_the_bit),
        CASE(dropping_all_gives_zeros),
        CASE(what_is_no_probability_is_refused),
        CASE(survivors_are_divided_by_what_stays),
        CASE(masks_follow_from_seed_layer_and_pass),
        CASE(runs_of_one_seed_are_equal),
    };

    return RUN_CASES(cases);
}
