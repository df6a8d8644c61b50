/* SPDX-License-Identifier: MIT */
/* test_scorers.c - exact scores of small batches: ties, NaN, masks, labels that
 * are none. */
#include <math.h>

#include "tests/plugins/fake_host.h"

#include <nn/training.h>

extern const nn_plugin scorer_accuracy_LTX_nn_plugin_v1;
extern const nn_plugin scorer_hamming_LTX_nn_plugin_v1;
extern const nn_plugin scorer_mean_squared_error_LTX_nn_plugin_v1;

#define SCORER(name) (&scorer_##name##_LTX_nn_plugin_v1)

static fake_params given;

static void use(const nn_plugin *plugin)
{
    fake_clear();
    fake_params_init(&given,
                     fake_component(plugin, NN_KIND_SCORER, plugin->name));
}

static const nn_scorer_interface *interface(void)
{
    return given.component->interface;
}

static nn_scored batch(int64_t rows, int64_t columns, const double *predictions,
                       int64_t target_columns, const double *targets)
{
    nn_scored what = {
        .size = NN_SIZEOF(nn_scored, mask),
        .host = &fake_host,
        .params = &given.params,
        .rows = rows,
        .columns = columns,
        .target_columns = target_columns,
        .predictions = predictions,
        .targets = targets,
    };

    return what;
}

static double score(const nn_scored *what)
{
    double sum = 0;
    double weight = 0;

    assert_int_equal(interface()->score(what, &sum, &weight), NN_OK);
    return sum / weight;
}

static int32_t failure(const nn_scored *what)
{
    double sum = 0;
    double weight = 0;

    return interface()->score(what, &sum, &weight);
}

static const double labels[10] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};

static void of_equal_predictions_one_class_is_right(void **state)
{
    double y[100];
    nn_scored what;
    int i;

    (void)state;
    use(SCORER(accuracy));
    assert_int_equal(interface()->higher_is_better, 1);
    for (i = 0; i < 100; ++i)
        y[i] = 0.25;
    what = batch(10, 10, y, 1, labels);
    assert_true(score(&what) == 0.1);
    fake_set_int(&given, "top", 5);
    assert_true(score(&what) == 0.5);
    fake_set_int(&given, "top", 10);
    assert_true(score(&what) == 1);
}

static void a_row_with_nan_is_no_hit(void **state)
{
    double y[100];
    nn_scored what;
    int i;

    (void)state;
    use(SCORER(accuracy));
    for (i = 0; i < 100; ++i)
        y[i] = NAN;
    what = batch(10, 10, y, 1, labels);
    assert_true(score(&what) == 0);
    fake_set_int(&given, "top", 10);
    assert_true(score(&what) == 0);
    fake_set_int(&given, "top", 1);
    y[0] = 1; /* the right class of row 0, beside NaN */
    assert_true(score(&what) == 0);
}

static void accuracy_counts_rows_over_batches(void **state)
{
    static const double first[] = {0.1, 0.7, 0.2, 0.5, 0.3, 0.2};
    static const double second[] = {-1, -2, -0.5};
    static const double targets[] = {1, 1};
    static const double target[] = {2};
    nn_scored a = batch(2, 3, first, 1, targets);
    nn_scored b = batch(1, 3, second, 1, target);
    double sum = 0;
    double weight = 0;

    (void)state;
    use(SCORER(accuracy));
    a.params = b.params = &given.params;
    assert_int_equal(interface()->score(&a, &sum, &weight), NN_OK);
    assert_int_equal(interface()->score(&b, &sum, &weight), NN_OK);
    assert_true(sum == 2 && weight == 3);
    fake_set_int(&given, "top", 2);
    assert_true(score(&a) == 1);
}

static void accuracy_reads_one_column_a_class(void **state)
{
    static const double y[] = {0.1, 0.7, 0.2, 0.5, 0.3, 0.2};
    static const double targets[] = {0, 1, 0, 0, 0, 1};
    nn_scored what;

    (void)state;
    use(SCORER(accuracy));
    what = batch(2, 3, y, 3, targets);
    assert_true(score(&what) == 0.5);
}

static void accuracy_of_one_column_has_two_classes(void **state)
{
    static const double y[] = {0.1, 0.5, 0.9, NAN};
    static const double targets[] = {0, 1, 0, 0};
    nn_scored what;

    (void)state;
    use(SCORER(accuracy));
    what = batch(4, 1, y, 1, targets);
    assert_true(score(&what) == 0.5);
}

static void masked_rows_are_left_out(void **state)
{
    static const double y[] = {1, 0, 0, 1, NAN, NAN};
    static const double targets[] = {0, 0, 99};
    static const double mask[] = {1, 1, 0};
    nn_scored what;

    (void)state;
    use(SCORER(accuracy));
    what = batch(3, 2, y, 1, targets);
    what.mask = mask;
    assert_true(score(&what) == 0.5);
    use(SCORER(hamming));
    what = batch(2, 3, y, 3, (const double[]){1, 0, 0, 1, 1, 1});
    what.mask = (const double[]){1, 0};
    assert_true(score(&what) == 1);
    use(SCORER(mean_squared_error));
    what = batch(2, 3, y, 3, (const double[]){1, 0, 3, 1, 1, 1});
    what.mask = (const double[]){1, 0};
    assert_true(score(&what) == 3);
}

static void accuracy_refuses_a_label_that_is_no_class(void **state)
{
    static const double y[] = {1, 0, 0};
    static const double wrong[] = {3, -1, 0.5, NAN, 1e300};
    nn_scored what;
    size_t i;

    (void)state;
    for (i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
        use(SCORER(accuracy));
        what = batch(1, 3, y, 1, &wrong[i]);
        assert_int_equal(failure(&what), NN_INVALID_ARGUMENT);
        assert_string_equal(fake_text, "accuracy: the label of row 0 is none "
                                       "of the classes 0 to 2");
    }
}

static void hamming_counts_labels(void **state)
{
    static const double y[] = {0.1, 0.5, 0.9, 0.9, 0.4, NAN};
    static const double targets[] = {0, 1, 0, 1, 0, 0};
    nn_scored what;

    (void)state;
    use(SCORER(hamming));
    assert_int_equal(interface()->higher_is_better, 1);
    what = batch(2, 3, y, 3, targets);
    assert_true(score(&what) == 4.0 / 6);
    fake_set_real(&given, "threshold", 0.95);
    assert_true(score(&what) == 3.0 / 6);
}

static void mean_squared_error_is_over_all_elements(void **state)
{
    static const double y[] = {0, 0, 1, 5};
    static const double targets[] = {1, 2, 1, 2};
    nn_scored what;

    (void)state;
    use(SCORER(mean_squared_error));
    assert_int_equal(interface()->higher_is_better, 0);
    what = batch(2, 2, y, 2, targets);
    assert_true(score(&what) == (1 + 4 + 0 + 9) / 4.0);
}

static void columns_that_do_not_fit_are_refused(void **state)
{
    const nn_plugin *const all[] = {SCORER(accuracy), SCORER(hamming),
                                    SCORER(mean_squared_error)};
    static const double y[] = {1, 0, 0};
    static const double targets[] = {1, 0};
    size_t i;

    (void)state;
    for (i = 0; i < sizeof all / sizeof *all; ++i) {
        nn_scored what;

        use(all[i]);
        what = batch(1, 3, y, 2, targets);
        assert_int_equal(failure(&what), NN_SHAPE);
        assert_non_null(strstr(fake_text, all[i]->name));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_equal_predictions_one_class_is_right),
        cmocka_unit_test(a_row_with_nan_is_no_hit),
        cmocka_unit_test(accuracy_counts_rows_over_batches),
        cmocka_unit_test(accuracy_reads_one_column_a_class),
        cmocka_unit_test(accuracy_of_one_column_has_two_classes),
        cmocka_unit_test(masked_rows_are_left_out),
        cmocka_unit_test(accuracy_refuses_a_label_that_is_no_class),
        cmocka_unit_test(hamming_counts_labels),
        cmocka_unit_test(mean_squared_error_is_over_all_elements),
        cmocka_unit_test(columns_that_do_not_fit_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
