/* SPDX-License-Identifier: MIT */
/* test_losses.c - losses and scores of the case bank: L1 to L5 and L8. */
#include "cases.h"

#define KEEP "keep: [\"*.outputs.*\", \"*.output_deltas.*\"]\n"
#define DX "inputs.output_deltas.x"

#define LABELS                                                                 \
    KEEP "inputs: {x: [3], t: {shape: [1], dtype: int32}}\n"                   \
         "network: [{softmax_ce: {name: loss, from: [x, t]}}]\n"
#define ONE_HOT                                                                \
    KEEP "inputs: {x: [3], t: [3]}\n"                                          \
         "network: [{softmax_ce: {name: loss, from: [x, t]}}]\n"

/* ---- L1 ------------------------------------------------------------------ */

/* Row AT of B holds the case, the others hold something else. */
static void big_logits(const char *text, int label, int B, int at,
                       const double *right, double right_loss)
{
    static const double others[] = {0.5, -3, 2, -700, 20, 5, 1, 1, 1};
    double x[9];
    double t[9] = {0};
    double p[9];
    double dx[9];
    double losses[3];
    int one_hot = strcmp(text, ONE_HOT) == 0;
    net n;
    int i;

    memcpy(x, others, sizeof x);
    x[3 * at] = x[3 * at + 1] = 1000;
    x[3 * at + 2] = -1000;
    for (i = 0; i < B; ++i)
        if (one_hot)
            t[3 * i + (i == at ? label : 1)] = 1;
        else
            t[i] = i == at ? label : 1;
    open_net(&n, text, 1, B);
    begin(&n, 1, B);
    put(&n, "x", x);
    put(&n, "t", t);
    forward(&n);
    backward(&n);
    get(&n, "loss.outputs.predictions", p, 3 * B);
    get(&n, "loss.outputs.loss", losses, B);
    get(&n, DX, dx, 3 * B);
    assert_close(losses[at], right_loss);
    assert_close(p[3 * at], 0.5);
    assert_close(p[3 * at + 1], 0.5);
    assert_exactly(p[3 * at + 2], 0);
    for (i = 0; i < 3; ++i)
        assert_close(dx[3 * at + i] * B, right[i]);
    if (B == 1)
        assert_close(get_loss(&n), right_loss);
    close_net(&n);
}

/* L1: softmax and cross entropy with big logits, by label and by one-hot
 * target, alone and at each place of a batch of three. */
static void softmax_ce_of_big_logits_is_exact(void)
{
    static const double first_class[] = {-0.5, 0.5, 0};
    static const double last_class[] = {0.5, 0.5, -1};
    static const char *const texts[] = {LABELS, ONE_HOT};
    int i;
    int at;

    for (i = 0; i < 2; ++i) {
        big_logits(texts[i], 0, 1, 0, first_class, 0.693147181);
        big_logits(texts[i], 2, 1, 0, last_class, 2000.69315);
        for (at = 0; at < 3; ++at) {
            big_logits(texts[i], 0, 3, at, first_class, 0.693147181);
            big_logits(texts[i], 2, 3, at, last_class, 2000.69315);
        }
    }
}

/* ---- L2 ------------------------------------------------------------------ */

#define CLASSIFIER                                                             \
    "inputs: {x: [2], t: {shape: [1], dtype: int32}}\n"                        \
    "network:\n"                                                               \
    "  - fully_connected: {name: scores, size: 3, initialize: {W: 0.25}}\n"    \
    "  - softmax_ce: {name: loss, from: [scores, t]}\n"                        \
    "training: {stepper: {sgd: 0.1}, epochs: 1}\n"

/* L2: one label among 65 that is no class is an error that names sample and
 * label, and no weight changes. */
static void a_label_that_is_no_class_changes_nothing(void)
{
    static const double bad[] = {3, -1, 1000, 2147483647};
    static const char *const said[] = {"3", "-1", "1000", "2147483647"};
    double x[130];
    double t[65];
    double w[6];
    field fields[] = {{"x", x, 2, 0}, {"t", t, 1, NN_INT32}};
    run r = {0};
    int i;
    int k;

    for (i = 0; i < 130; ++i)
        x[i] = sin(i);
    for (k = 0; k < 4; ++k) {
        for (i = 0; i < 65; ++i)
            t[i] = i % 3;
        t[40] = bad[k];
        assert_true(train(&r, CLASSIFIER, fields, 2, 65, 65) < 0);
        assert_says(message(), said[k]);
        assert_says(message(), "40");
        assert_says(message(), "loss");
        parameter(&r, "scores.W", w, 6);
        for (i = 0; i < 6; ++i)
            assert_exactly(w[i], 0.25);
        end_run(&r);
    }
}

/* L2: labels are whole numbers; a real input of one column is none, and data
 * of reals do not become labels. */
static void labels_are_never_truncated(void)
{
    double x[2] = {1, 2};
    double t[1] = {1.5};
    field fields[] = {{"x", x, 2, 0}, {"t", t, 1, NN_FLOAT64}};
    run r = {0};

    refuse_config("inputs: {x: [3], t: [1]}\n"
                  "network: [{softmax_ce: {from: [x, t]}}]\n",
                  "int32 labels");
    set_model(&r, CLASSIFIER, 1);
    set_data(&r, fields, 2, 1, 1);
    assert_true(set_trainer(&r) < 0);
    assert_says(message(), "'t'");
    end_run(&r);
}

/* L2: labels 1.5 and NaN in a file are refused with their place. */
static void labels_in_files_are_whole_numbers(void)
{
    static const char *const cells[] = {"1.5", "nan"};
    char text[512];
    int i;

    make_folder();
    for (i = 0; i < 2; ++i) {
        nn_config *config;

        snprintf(text, sizeof text, "1,2,0\n3,4,%s\n", cells[i]);
        write_file("d.csv", text, strlen(text));
        snprintf(text, sizeof text,
                 CLASSIFIER "data: {train: {minibatches: {size: 2, inner: "
                            "{csv: {file: %s/d.csv, columns: {x: [0, 1], "
                            "t: 2}}}}}}\n",
                 folder);
        config = must_parse(text);
        assert_true(nn_config_check_data(config) < 0);
        assert_says(message(), "d.csv:2:5");
        assert_says(message(), cells[i]);
        nn_config_destroy(config);
    }
    remove_folder();
}

/* ---- L3 ------------------------------------------------------------------ */

#define MASKED_NET                                                             \
    "inputs: {x: [2], t: [1], m: [1]}\n"                                       \
    "network:\n"                                                               \
    "  - fully_connected: {name: out, size: 1, initialize: {W: 0.5}}\n"        \
    "  - squared_error: {name: loss, from: [out, t, m]}\n"

static const double masked_x[] = {1, 2, -1, 3, 7, 8, -9, 9, 2, -2, 0.5, 1};
static const double masked_t[] = {1, 2, 5, 5, 0, -1};
static const double middle_masked[] = {1, 1, 0, 0, 1, 1};

/* W and bias after training on batches of two with these MASKS. */
static double weights_after(const char *stepper, const double *x,
                            const double *t, const double *masks, int samples,
                            double w[3])
{
    field fields[] = {{"x", x, 2, 0}, {"t", t, 1, 0}, {"m", masks, 1, 0}};
    char text[512];
    run r = {0};
    double value;

    snprintf(text, sizeof text,
             MASKED_NET "training: {stepper: {%s}, epochs: 1}\n", stepper);
    assert_done(train(&r, text, fields, 3, samples, 2));
    parameter(&r, "out.W", w, 2);
    parameter(&r, "out.bias", w + 2, 1);
    value = nn_trainer_log(r.trainer, "training.loss");
    end_run(&r);
    return value;
}

/* L3: a batch whose mask is all 0 is as if it had not been there: the weights,
 * what the stepper remembers, and the mean loss of the epoch. */
static void a_batch_without_weight_leaves_no_trace(void)
{
    static const char *const steppers[] = {"sgd: 0.1", "momentum: 0.1",
                                           "adam: 0.1", "rmsprop: 0.1"};
    double x[8];
    double t[4];
    double ones[4] = {1, 1, 1, 1};
    size_t i;
    int k;

    memcpy(x, masked_x, 4 * sizeof *x);
    memcpy(x + 4, masked_x + 8, 4 * sizeof *x);
    memcpy(t, masked_t, 2 * sizeof *t);
    memcpy(t + 2, masked_t + 4, 2 * sizeof *t);
    for (i = 0; i < sizeof steppers / sizeof *steppers; ++i) {
        double with[3];
        double without[3];
        double a = weights_after(steppers[i], masked_x, masked_t,
                                 middle_masked, 6, with);
        double b = weights_after(steppers[i], x, t, ones, 4, without);

        assert_true(isfinite(a));
        assert_exactly(a, b);
        note(a);
        for (k = 0; k < 3; ++k) {
            assert_true(isfinite(with[k]));
            assert_exactly(with[k], without[k]);
        }
    }
}

/* L3: in the network the gradient of such a batch is exactly 0, as is the
 * loss, even if what is masked is NaN. */
static void without_weight_loss_and_gradient_are_zero(void)
{
    double zeros[4] = {0};
    double x[4] = {1, NAN, 2, INFINITY};
    double t[2] = {NAN, 1};
    double dw[2];
    double db[1];
    net n;

    open_net(&n, MASKED_NET, 1, 2);
    begin(&n, 1, 2);
    put(&n, "x", zeros);
    put(&n, "m", zeros);
    put(&n, "t", t);
    forward(&n);
    backward(&n);
    assert_exactly(get_loss(&n), 0);
    get(&n, "out.gradients.W", dw, 2);
    get(&n, "out.gradients.bias", db, 1);
    assert_true(dw[0] == 0 && dw[1] == 0 && db[0] == 0);
    begin(&n, 1, 2);
    put(&n, "x", x);
    put(&n, "m", zeros);
    put(&n, "t", t);
    forward(&n);
    assert_exactly(get_loss(&n), 0);
    close_net(&n);
}

/* ---- L4 ------------------------------------------------------------------ */

#define SEQUENCES                                                              \
    KEEP "inputs: {x: [2], t: {shape: [1], dtype: int32}, m: [1]}\n"           \
         "network: [{softmax_ce: {name: loss, from: [x, t, m]}}]\n"

/* (T 3, B 2): lengths 3 and 1. */
static const double logits[] = {1, 2, 0.5, -0.5, 0, 0, 9, 9, 2, -1, -7, 3};
static const double logit_labels[] = {0, 1, 1, 0, 0, 1};
static const double logit_mask[] = {1, 1, 1, 0, 1, 0};

static double run_sequences(net *n, const double *x, const double *t,
                            double *dx)
{
    begin(n, 3, 2);
    put(n, "x", x);
    put(n, "t", t);
    put(n, "m", logit_mask);
    forward(n);
    backward(n);
    if (dx)
        get(n, DX, dx, 12);
    return get_loss(n);
}

/* L4: the divisor is the sum of the mask; masked entries are exactly 0. */
static void a_masked_loss_is_divided_by_the_valid_count(void)
{
    static const double right[] = {-0.182764645, 0.182764645, 0.182764645,
                                   -0.182764645, 0.125, -0.125, 0, 0,
                                   -0.0118564683, 0.0118564683, 0, 0};
    static const double right_losses[] = {1.31326169, 1.31326169, 0.69314718, 0,
                                          0.04858735, 0};
    double dx[12];
    double losses[6];
    net n;
    int i;

    open_net(&n, SEQUENCES, 3, 2);
    assert_close(run_sequences(&n, logits, logit_labels, dx), 0.842064477);
    assert_all_close(dx, right, 12);
    get(&n, "loss.outputs.loss", losses, 6);
    for (i = 0; i < 6; ++i) /* its mean over all six rows is the loss */
        assert_close(losses[i], right_losses[i] * 6 / 4);
    close_net(&n);
}

/* L4: the gradient is the derivative of the loss that is reported. */
static void a_masked_gradient_is_that_of_the_loss(void)
{
    double step = is_double() ? 1e-5 : 1e-2;
    double dx[12];
    double x[12];
    net n;
    int i;

    open_net(&n, SEQUENCES, 3, 2);
    run_sequences(&n, logits, logit_labels, dx);
    for (i = 0; i < 12; ++i) {
        double above;
        double below;
        double difference;

        memcpy(x, logits, sizeof x);
        x[i] = logits[i] + step;
        above = run_sequences(&n, x, logit_labels, NULL);
        x[i] = logits[i] - step;
        below = run_sequences(&n, x, logit_labels, NULL);
        difference = (above - below) / (2 * step);
        assert_true(fabs(difference - dx[i]) <= (is_double() ? 1e-9 : 1e-4));
    }
    last.count = 12; /* differences of float32 differ by handler */
    close_net(&n);
}

/* L4: masked logits and labels may be anything. */
static void masked_logits_change_nothing(void)
{
    static const double garbage[] = {1e30, NAN, INFINITY, -INFINITY};
    double x[12];
    double t[6];
    double dx[12];
    double right[12];
    double loss;
    net n;
    int i;
    int k;

    open_net(&n, SEQUENCES, 3, 2);
    loss = run_sequences(&n, logits, logit_labels, right);
    for (i = 0; i < 4; ++i) {
        memcpy(x, logits, sizeof x);
        memcpy(t, logit_labels, sizeof t);
        x[6] = x[7] = x[10] = x[11] = garbage[i];
        t[3] = 1000;
        t[5] = -1;
        assert_exactly(run_sequences(&n, x, t, dx), loss);
        for (k = 0; k < 12; ++k)
            assert_exactly(dx[k], right[k]);
    }
    close_net(&n);
}

/* L4: with equal logits over 26 classes the mean is log 26 for a sequence of
 * any length, alone or together. */
static void the_mean_does_not_depend_on_lengths(void)
{
    static const int lengths[] = {1, 10, 100};
    static const char text[] =
        "inputs: {x: [26], t: {shape: [1], dtype: int32}, m: [1]}\n"
        "network: [{softmax_ce: {name: loss, from: [x, t, m]}}]\n";
    double mask[300] = {0};
    net n;
    int i;
    int t;

    open_net(&n, text, 100, 3);
    for (i = 0; i < 3; ++i) {
        for (t = 0; t < 100; ++t)
            mask[t] = t < lengths[i];
        begin(&n, 100, 1);
        put_all(&n, "x", 0.25);
        put_all(&n, "t", 7);
        put(&n, "m", mask);
        forward(&n);
        assert_close(get_loss(&n), 3.25809654);
    }
    for (t = 0; t < 100; ++t)
        for (i = 0; i < 3; ++i)
            mask[3 * t + i] = t < lengths[i];
    begin(&n, 100, 3);
    put_all(&n, "x", 0.25);
    put_all(&n, "t", 7);
    put(&n, "m", mask);
    forward(&n);
    assert_close(get_loss(&n), 3.25809654);
    close_net(&n);
}

/* L4: four equal samples make the same update as one. */
static void four_equal_samples_make_the_update_of_one(void)
{
    double x[] = {1, -2, 1, -2, 1, -2, 1, -2};
    double t[] = {2, 2, 2, 2};
    double one[6];
    double four[6];
    field fields[] = {{"x", x, 2, 0}, {"t", t, 1, NN_INT32}};
    run r = {0};
    int i;

    assert_done(train(&r, CLASSIFIER, fields, 2, 1, 4));
    parameter(&r, "scores.W", one, 6);
    end_run(&r);
    assert_done(train(&r, CLASSIFIER, fields, 2, 4, 4));
    parameter(&r, "scores.W", four, 6);
    end_run(&r);
    for (i = 0; i < 6; ++i) {
        close_to(four[i], one[i], is_double() ? 1e-14 : 1e-6, __LINE__);
        assert_true(one[i] != 0.25);
        note(four[i]);
    }
}

/* ---- L5 ------------------------------------------------------------------ */

#define LOGISTIC                                                               \
    KEEP "inputs: {x: [1], t: [1]}\n"                                          \
         "network: [{sigmoid_ce: {name: loss, from: [x, t]}}]\n"

/* L5: sigmoid and cross entropy for large inputs, together and alone. */
static void sigmoid_ce_of_large_inputs_is_exact(void)
{
    static const double x[] = {-1000, -1000, 100, 1000, 1000, 0, -30, 30};
    static const double t[] = {1, 0, 0, 1, 0, 0.5, 1, 1};
    static const double losses[] = {1000, 0, 100, 0, 1000, 0.693147181,
                                    30.0000000000001, 0};
    static const double dx[] = {-1, 0, 1, 0, 1, 0, -1, 0};
    double got[8];
    double got_dx[8];
    net n;
    int i;
    int B;

    open_net(&n, LOGISTIC, 1, 8);
    for (B = 1; B <= 8; B += 7)
        for (i = 0; i <= 8 - B; ++i) {
            int k;

            begin(&n, 1, B);
            put(&n, "x", x + i);
            put(&n, "t", t + i);
            forward(&n);
            backward(&n);
            get(&n, "loss.outputs.loss", got, B);
            get(&n, DX, got_dx, B);
            for (k = i; k < i + B && k < 7; ++k) {
                assert_close(got[k - i], losses[k]);
                assert_close(got_dx[k - i] * B, dx[k]);
            }
            if (k == 7 && k < i + B) {
                assert_true(got[7 - i] >= 0 && got[7 - i] <= 1e-12);
                assert_true(got_dx[7 - i] <= 0 && got_dx[7 - i] >= -1e-12);
            }
        }
    close_net(&n);
}

/* ---- L8 ------------------------------------------------------------------ */

/* The score called NAME over ten samples with labels 0 to 9. */
static double score(double weight, int top, double input)
{
    double x[10];
    double t[10];
    field fields[] = {{"x", x, 1, 0}, {"t", t, 1, NN_INT32}};
    nn_score scores[4];
    char text[512];
    run r = {0};
    uint32_t count = 0;
    double value = -1;
    uint32_t i;

    for (i = 0; i < 10; ++i) {
        x[i] = input;
        t[i] = i;
    }
    snprintf(text, sizeof text,
             "inputs: {x: [1], t: {shape: [1], dtype: int32}}\n"
             "network:\n"
             "  - fully_connected: {name: scores, size: 10, initialize: "
             "{W: %g}}\n"
             "  - softmax_ce: {from: [scores, t]}\n"
             "evaluation: {scorers: [{accuracy: {top: %d}}]}\n",
             weight, top);
    set_model(&r, text, 10);
    set_data(&r, fields, 2, 10, 4);
    assert_done(nn_model_evaluate(r.model, r.data, scores, 4, &count));
    for (i = 0; i < count; ++i)
        if (!strcmp(scores[i].name, "accuracy"))
            value = scores[i].value;
    end_run(&r);
    note(value);
    return value;
}

/* L8: of equal outputs the first counts as larger: 1 in 10, 5 in 10. */
static void equal_outputs_are_right_for_one_class(void)
{
    assert_exactly(score(0, 1, 1), 0.1);
    assert_exactly(score(0, 5, 1), 0.5);
}

/* L8: outputs that are NaN are wrong. */
static void nan_outputs_are_never_right(void)
{
    assert_exactly(score(1, 1, NAN), 0);
    assert_exactly(score(1, 5, NAN), 0);
}

int main(void)
{
    static const one_case cases[] = {
        CASE(softmax_ce_of_big_logits_is_exact),
        CASE(a_label_that_is_no_class_changes_nothing),
        CASE(labels_are_never_truncated),
        CASE(labels_in_files_are_whole_numbers),
        CASE(a_batch_without_weight_leaves_no_trace),
        CASE(without_weight_loss_and_gradient_are_zero),
        CASE(a_masked_loss_is_divided_by_the_valid_count),
        CASE(a_masked_gradient_is_that_of_the_loss),
        CASE(masked_logits_change_nothing),
        CASE(the_mean_does_not_depend_on_lengths),
        CASE(four_equal_samples_make_the_update_of_one),
        CASE(sigmoid_ce_of_large_inputs_is_exact),
        CASE(equal_outputs_are_right_for_one_class),
        CASE(nan_outputs_are_never_right),
    };

    return RUN_CASES(cases);
}
