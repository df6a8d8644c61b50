/* SPDX-License-Identifier: MIT */
/* test_optimizers.c - steppers and clipping of the case bank: O1 to O8.
 *
 * One weight, y = w x with y as the loss: the gradient is x, so the data are
 * the gradients, one a batch. */
#include "cases.h"

#define ONE_WEIGHT                                                             \
    "inputs: {x: [1]}\n"                                                       \
    "network:\n"                                                               \
    "  - fully_connected: {name: out, size: 1, bias: false, initialize: "      \
    "{W: %d}}\n"                                                               \
    "  - loss\n"                                                               \
    "training: {stepper: {%s}, %s updates: %d, epochs: 1}\n"

/* The weight after each of N updates with GRADIENTS, from START. */
static void steps(int start, const char *stepper, const char *more,
                  const double *gradients, int n, double *w)
{
    field fields[] = {{"x", gradients, 1, 0}};
    char text[1024];
    int i;

    for (i = 1; i <= n; ++i) {
        run r = {0};

        snprintf(text, sizeof text, ONE_WEIGHT, start, stepper, more, i);
        assert_done(train(&r, text, fields, 1, n, 1));
        parameter(&r, "out.W", &w[i - 1], 1);
        note(w[i - 1]);
        end_run(&r);
    }
}

static void assert_steps(int start, const char *stepper, const char *more,
                         const double *gradients, int n, const double *right)
{
    double w[16];

    steps(start, stepper, more, gradients, n, w);
    assert_all_close(w, right, n);
}

static const double ones[] = {1, 1, 1};
static const double zeros[] = {0, 0, 0, 0};

/* ---- O1 ------------------------------------------------------------------ */

#define ADAM "adam: {learning_rate: 0.1}"

/* O1: Adam with bias correction; epsilon is added to the corrected root. */
static void adam_is_the_published_algorithm(void)
{
    static const double a[] = {1, -2, 3};
    static const double a_right[] = {0.900000001, 0.936610353, 0.902286246};
    static const double tiny[] = {1e-8};
    static const double tiny_right[] = {0.95};
    double same[10];
    double w[10];
    int i;

    assert_steps(1, ADAM, "", a, 3, a_right);
    assert_steps(1, ADAM, "", tiny, 1, tiny_right);
    for (i = 0; i < 10; ++i)
        same[i] = 0.3;
    steps(1, "adam: {learning_rate: 0.001}", "", same, 10, w);
    close_to(w[9], 0.99000000033, is_double() ? 1e-10 : 1e-5, __LINE__);
}

/* O1: the counter of the correction survives a checkpoint. */
static void adam_goes_on_counting_after_a_resume(void)
{
    static const double right[] = {0.900000001, 0.936610353, 0.902286246};
    static const double gradients[] = {1, -2, 3};
    field fields[] = {{"x", gradients, 1, 0}};
    char text[1024];
    double w;
    int i;

    make_folder();
    for (i = 1; i <= 3; ++i) {
        run r = {0};

        r.out = in_folder("run");
        r.resume = i > 1 ? in_folder("run") : NULL;
        snprintf(text, sizeof text, ONE_WEIGHT, 1, ADAM, "", i);
        assert_done(train(&r, text, fields, 1, 3, 1));
        parameter(&r, "out.W", &w, 1);
        assert_close(w, right[i - 1]);
        end_run(&r);
    }
    remove_folder();
}

/* ---- O2 ------------------------------------------------------------------ */

/* Two weights of different layers, with gradients A and B, clipped at LIMIT;
 * SGD with rate 1 from 0.  The code of the run. */
static int32_t clip(double a, double b, const char *limit, double w[2])
{
    field fields[] = {{"x", &a, 1, 0}, {"z", &b, 1, 0}};
    char text[1024];
    int32_t code;
    run r = {0};

    snprintf(text, sizeof text,
             "inputs: {x: [1], z: [1]}\n"
             "network:\n"
             "  - fully_connected: {name: a, from: x, size: 1, bias: false, "
             "initialize: {W: 0}}\n"
             "  - fully_connected: {name: b, from: z, size: 1, bias: false, "
             "initialize: {W: 0}}\n"
             "  - loss: {from: a}\n"
             "  - loss: {from: b}\n"
             "training: {stepper: {sgd: 1}, epochs: 1, modifiers: "
             "[{clip_gradient_norm: %s}]}\n",
             limit);
    code = train(&r, text, fields, 2, 1, 1);
    parameter(&r, "a.W", &w[0], 1);
    parameter(&r, "b.W", &w[1], 1);
    note(w[0]);
    note(w[1]);
    end_run(&r);
    return code;
}

/* O2: one norm over all gradients; below the limit nothing changes. */
static void clipping_is_by_one_norm_of_all(void)
{
    double w[2];

    assert_done(clip(3, 4, "1", w));
    assert_close(w[0], -0.6);
    assert_close(w[1], -0.8);
    assert_done(clip(0, 0, "1", w));
    assert_true(w[0] == 0 && w[1] == 0);
    assert_done(clip(3, 4, "10", w));
    assert_exactly(w[0], -3);
    assert_exactly(w[1], -4);
    assert_done(clip(3, 4, "5", w));
    assert_exactly(w[0], -3);
    assert_exactly(w[1], -4);
}

/* O2: a gradient that is not finite is an error, and no weight changes. */
static void gradients_that_are_not_finite_are_an_error(void)
{
    static const double bad[] = {INFINITY, -INFINITY, NAN};
    double w[2];
    int i;

    for (i = 0; i < 3; ++i) {
        assert_int_equal(clip(bad[i], 4, "1", w), NN_NOT_FINITE);
        assert_true(w[0] == 0 && w[1] == 0);
        assert_int_equal(clip(3, bad[i], "10", w), NN_NOT_FINITE);
        assert_true(w[0] == 0 && w[1] == 0);
    }
}

/* ---- O4 ------------------------------------------------------------------ */

#define L2 "modifiers: [{l2: 0.1}],"

/* O4: the decay of Adam is decoupled and multiplied by the rate; the modifier
 * l2 goes through the gradient. */
static void decay_is_decoupled_and_l2_is_in_the_gradient(void)
{
    static const char decay[] = "adam: {learning_rate: 0.1, decay: 0.1}";
    static const double decoupled[] = {0.99, 0.9801};
    static const double in_gradient[] = {0.9, 0.800412248};
    static const double decoupled_one[] = {0.890000001, 0.781100002};
    static const double in_gradient_one[] = {0.900000001, 0.800024848};

    assert_steps(1, decay, "", zeros, 2, decoupled);
    assert_steps(1, decay, "", ones, 2, decoupled_one);
    assert_steps(1, ADAM, L2, zeros, 2, in_gradient);
    assert_steps(1, ADAM, L2, ones, 2, in_gradient_one);
}

/* O4: for SGD both are the same. */
static void decay_and_l2_agree_for_sgd(void)
{
    static const double right[] = {0.99, 0.9801};

    assert_steps(1, "sgd: {learning_rate: 0.1, decay: 0.1}", "", zeros, 2,
                 right);
    assert_steps(1, "sgd: 0.1", L2, zeros, 2, right);
}

/* O4: neither touches a bias. */
static void decay_leaves_biases_alone(void)
{
    static const char *const ways_to_decay[] = {
        "stepper: {sgd: {learning_rate: 0.1, decay: 0.5}}",
        "stepper: {adam: {learning_rate: 0.1, decay: 0.5}}",
        "stepper: {sgd: 0.1}, modifiers: [{l2: 0.5}]"};
    double x[] = {0};
    field fields[] = {{"x", x, 1, 0}};
    char text[512];
    double w[2];
    int i;

    for (i = 0; i < 3; ++i) {
        run r = {0};

        snprintf(text, sizeof text,
                 "inputs: {x: [1]}\n"
                 "network: [{fully_connected: {name: out, size: 1, "
                 "initialize: {W: 1, bias: 1}}}, loss]\n"
                 "training: {%s, epochs: 1}\n",
                 ways_to_decay[i]);
        assert_done(train(&r, text, fields, 1, 1, 1));
        parameter(&r, "out.W", &w[0], 1);
        parameter(&r, "out.bias", &w[1], 1);
        end_run(&r);
        assert_close(w[1], 0.9); /* its gradient is 1 */
        assert_true(w[0] < 1);   /* its gradient is 0 */
    }
}

/* ---- O5 ------------------------------------------------------------------ */

#define FALLING                                                                \
    "{learning_rate: {exponential: {from: 0.1, factor: 0.1, minimum: 0.01, "   \
    "by: update}}}"

/* O5: momentum and Nesterov at one rate. */
static void momentum_at_a_constant_rate(void)
{
    static const double plain[] = {-0.1, -0.29, -0.561};
    static const double nesterov[] = {-0.19, -0.461, -0.8049};

    assert_steps(0, "momentum: 0.1", "", ones, 3, plain);
    assert_steps(0, "nesterov: 0.1", "", ones, 3, nesterov);
}

/* O5: when the rate falls, the velocity still holds the old one. */
static void the_velocity_holds_the_rate(void)
{
    static const double plain[] = {-0.1, -0.2, -0.3};
    static const double nesterov[] = {-0.19, -0.29, -0.39};

    assert_steps(0, "momentum: " FALLING, "", ones, 3, plain);
    assert_steps(0, "nesterov: " FALLING, "", ones, 3, nesterov);
}

/* O5: with momentum 0 both are SGD, to the bit. */
static void without_momentum_it_is_sgd(void)
{
    static const double gradients[] = {0.3, -0.7, 1.1};
    double sgd[3];
    double other[3];

    steps(1, "sgd: 0.1", "", gradients, 3, sgd);
    steps(1, "momentum: {learning_rate: 0.1, momentum: 0}", "", gradients, 3,
          other);
    assert_memory_equal(sgd, other, sizeof sgd);
    steps(1, "nesterov: {learning_rate: 0.1, momentum: 0}", "", gradients, 3,
          other);
    assert_memory_equal(sgd, other, sizeof sgd);
}

/* ---- O6, O8 -------------------------------------------------------------- */

/* O6: epsilon of RMSprop is outside of the root, or inside if told. */
static void rmsprop_has_epsilon_where_it_is_told(void)
{
    static const double small[] = {1e-3};
    static const double outside[] = {0.990909091, 0.90000999};
    static const double inside[] = {0.990049628, 0.929289322};
    char stepper[256];
    int i;

    for (i = 0; i < 2; ++i) {
        const char *form = i ? "true" : "false";
        const double *right = i ? inside : outside;

        snprintf(stepper, sizeof stepper,
                 "rmsprop: {learning_rate: 0.01, rho: 0.99, epsilon: 1, "
                 "epsilon_inside: %s}",
                 form);
        assert_steps(1, stepper, "", ones, 1, right);
        snprintf(stepper, sizeof stepper,
                 "rmsprop: {learning_rate: 0.01, rho: 0.99, epsilon: 1e-8, "
                 "epsilon_inside: %s}",
                 form);
        assert_steps(1, stepper, "", small, 1, right + 1);
    }
    assert_steps(1, "rmsprop: {learning_rate: 0.01, rho: 0.99}", "", small, 1,
                 outside + 1); /* the default */
}

/* O8: the accumulator of Adagrad starts at 0, and 0 / 0 is no NaN. */
static void adagrad_starts_at_zero(void)
{
    static const double halves[] = {0.5, 0.5, 0.5, 0.5};
    static const double right[] = {0.9, 0.829289322, 0.771554295, 0.721554295};
    double w[4];
    int i;

    assert_steps(1, "adagrad: 0.1", "", halves, 4, right);
    steps(1, "adagrad: 0.1", "", zeros, 4, w);
    for (i = 0; i < 4; ++i)
        assert_exactly(w[i], 1);
}

int main(void)
{
    static const one_case cases[] = {
        CASE(adam_is_the_published_algorithm),
        CASE(adam_goes_on_counting_after_a_resume),
        CASE(clipping_is_by_one_norm_of_all),
        CASE(gradients_that_are_not_finite_are_an_error),
        CASE(decay_is_decoupled_and_l2_is_in_the_gradient),
        CASE(decay_and_l2_agree_for_sgd),
        CASE(decay_leaves_biases_alone),
        CASE(momentum_at_a_constant_rate),
        CASE(the_velocity_holds_the_rate),
        CASE(without_momentum_it_is_sgd),
        CASE(rmsprop_has_epsilon_where_it_is_told),
        CASE(adagrad_starts_at_zero),
    };

    return RUN_CASES(cases);
}
