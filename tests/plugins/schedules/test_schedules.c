/* SPDX-License-Identifier: MIT */
/* test_schedules.c - the numbers of each schedule at the first and the last
 * update, at its edges, in warmup, and where the length is not known. */
#include <math.h>

#include "tests/plugins/fake_host.h"

#include <nn/training.h>

extern const nn_plugin schedule_standard_LTX_nn_plugin_v1;

#define EPOCH 0
#define UPDATE 1

/* The run: 10 epochs of 20 updates. */
#define EPOCHS 10
#define UPDATES 20

static fake_params given;

static void use(const char *name)
{
    fake_clear();
    fake_params_init(&given, fake_component(&schedule_standard_LTX_nn_plugin_v1,
                                            NN_KIND_SCHEDULE, name));
}

static nn_progress progress_at(int64_t update)
{
    nn_progress progress = {
        .size = NN_SIZEOF(nn_progress, total_updates),
        .epoch = update / UPDATES,
        .update = update,
        .updates_in_epoch = UPDATES,
        .total_epochs = EPOCHS,
        .total_updates = EPOCHS * UPDATES,
    };

    return progress;
}

static double at_progress(const nn_progress *progress)
{
    const nn_schedule_interface *interface = given.component->interface;
    double value = NAN;

    assert_int_equal(interface->value(&fake_host, &given.params, progress,
                                      &value),
                     NN_OK);
    return value;
}

static double at(int64_t update)
{
    const nn_progress progress = progress_at(update);

    return at_progress(&progress);
}

static void assert_close(double got, double wanted)
{
    if (!(fabs(got - wanted) <= 1e-14))
        fail_msg("%.17g is not %.17g", got, wanted);
}

static void constant_stays(void **state)
{
    (void)state;
    use("constant");
    fake_set_real(&given, "value", 0.3);
    assert_true(at(0) == 0.3 && at(199) == 0.3 && at(1000) == 0.3);
}

/* One update an epoch, gradient -1 always: a bias after each epoch. */
static void step_drops_every_three_epochs(void **state)
{
    static const double wanted[] = {0.1,  0.2,   0.3,   0.31,  0.32,
                                    0.33, 0.331, 0.332, 0.333, 0.3331};
    double bias = 0;
    int i;

    (void)state;
    use("step");
    fake_set_real(&given, "from", 0.1);
    fake_set_real(&given, "factor", 0.1);
    fake_set_int(&given, "every", 3);
    for (i = 0; i < 10; ++i) {
        nn_progress progress = progress_at(i);

        progress.epoch = i;
        progress.updates_in_epoch = 1;
        bias += at_progress(&progress);
        assert_close(bias, wanted[i]);
    }
}

static void step_drops_between_epochs_only(void **state)
{
    (void)state;
    use("step");
    fake_set_real(&given, "from", 1);
    fake_set_real(&given, "factor", 0.5);
    fake_set_int(&given, "every", 2);
    assert_true(at(0) == 1 && at(39) == 1 && at(40) == 0.5 && at(79) == 0.5);
    assert_true(at(80) == 0.25);
    fake_set_int(&given, "by", UPDATE);
    assert_true(at(1) == 1 && at(2) == 0.5 && at(3) == 0.5 && at(4) == 0.25);
}

static void exponential_falls_to_its_minimum(void **state)
{
    (void)state;
    use("exponential");
    fake_set_real(&given, "from", 0.8);
    fake_set_real(&given, "factor", 0.5);
    fake_set_real(&given, "minimum", 0.15);
    assert_true(at(0) == 0.8 && at(19) == 0.8 && at(20) == 0.4);
    assert_true(at(40) == 0.2 && at(60) == 0.15 && at(199) == 0.15);
}

static void linear_ends_one_step_after_the_run(void **state)
{
    (void)state;
    use("linear");
    fake_set_real(&given, "from", 0.5);
    assert_true(at(0) == 0.5);
    assert_close(at(100), 0.25);
    assert_close(at(199), 0.5 / 200);
    assert_true(at(200) == 0 && at(500) == 0);
    fake_set_real(&given, "to", 0.1);
    fake_set_int(&given, "over", 100);
    assert_close(at(50), 0.3);
    assert_true(at(100) == 0.1 && at(199) == 0.1);
}

static void linear_counts_epochs_if_told(void **state)
{
    (void)state;
    use("linear");
    fake_set_int(&given, "by", EPOCH);
    fake_set_real(&given, "from", 1);
    assert_true(at(0) == 1 && at(19) == 1);
    assert_close(at(20), 0.9);
    assert_close(at(199), 0.1);
}

static void cosine_ends_one_step_after_the_run(void **state)
{
    (void)state;
    use("cosine");
    fake_set_real(&given, "from", 0.1);
    fake_set_real(&given, "to", 0.02);
    assert_true(at(0) == 0.1);
    assert_close(at(100), 0.06);
    assert_close(at(50), 0.02 + 0.08 * (1 + sqrt(0.5)) / 2);
    assert_close(at(199), 0.02 + 0.08 * (1 + cos(acos(-1) * 199 / 200)) / 2);
    assert_true(at(199) > 0.02 && at(200) == 0.02);
}

static void warmup_rises_to_the_first_number(void **state)
{
    (void)state;
    use("linear");
    fake_set_real(&given, "from", 0.4);
    fake_set_int(&given, "warmup", 4);
    assert_close(at(0), 0.1);
    assert_close(at(1), 0.2);
    assert_true(at(3) == 0.4 && at(4) == 0.4);
    assert_close(at(4 + 98), 0.2); /* half of the 196 that are left */
    assert_true(at(200) == 0);
    fake_set_int(&given, "warmup", 300); /* longer than the run */
    assert_close(at(149), 0.2);
    use("constant");
    fake_set_real(&given, "value", 1);
    fake_set_int(&given, "warmup", 2);
    fake_set_int(&given, "by", EPOCH);
    assert_true(at(0) == 0.5 && at(19) == 0.5 && at(20) == 1 && at(40) == 1);
}

static void the_length_must_be_known(void **state)
{
    static const char *const names[] = {"linear", "cosine"};
    const nn_schedule_interface *interface;
    double value = 0;
    int i;

    (void)state;
    for (i = 0; i < 2; ++i) {
        nn_progress progress = progress_at(100);

        use(names[i]);
        fake_set_real(&given, "from", 1);
        interface = given.component->interface;
        progress.total_updates = -1;
        assert_close(at_progress(&progress), 0.5); /* epochs times updates */
        progress.updates_in_epoch = -1;
        assert_int_equal(interface->value(&fake_host, &given.params, &progress,
                                          &value),
                         NN_STATE);
        assert_non_null(strstr(fake_text, "`over`"));
        fake_set_int(&given, "over", 200);
        assert_close(at_progress(&progress), 0.5);
    }
}

static void what_is_not_finite_is_an_error(void **state)
{
    const nn_progress progress = progress_at(199);
    const nn_schedule_interface *interface;
    double value = 0;

    (void)state;
    use("exponential");
    fake_set_real(&given, "from", 1);
    fake_set_real(&given, "factor", 1e200);
    interface = given.component->interface;
    assert_int_equal(interface->value(&fake_host, &given.params, &progress,
                                      &value),
                     NN_NOT_FINITE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(constant_stays),
        cmocka_unit_test(step_drops_every_three_epochs),
        cmocka_unit_test(step_drops_between_epochs_only),
        cmocka_unit_test(exponential_falls_to_its_minimum),
        cmocka_unit_test(linear_ends_one_step_after_the_run),
        cmocka_unit_test(linear_counts_epochs_if_told),
        cmocka_unit_test(cosine_ends_one_step_after_the_run),
        cmocka_unit_test(warmup_rises_to_the_first_number),
        cmocka_unit_test(the_length_must_be_known),
        cmocka_unit_test(what_is_not_finite_is_an_error),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
