/* SPDX-License-Identifier: MIT */
/* test_steppers.c - one weight under each stepper, through the reference,
 * against numbers computed elsewhere. */
#include "tests/plugins/host_device.h"

#include <nn/optimizer.h>
#include <nn/training.h>

extern const nn_plugin stepper_sgd_LTX_nn_plugin_v1;
extern const nn_plugin stepper_momentum_LTX_nn_plugin_v1;
extern const nn_plugin stepper_nesterov_LTX_nn_plugin_v1;
extern const nn_plugin stepper_adam_LTX_nn_plugin_v1;
extern const nn_plugin stepper_adamax_LTX_nn_plugin_v1;
extern const nn_plugin stepper_amsgrad_LTX_nn_plugin_v1;
extern const nn_plugin stepper_rmsprop_LTX_nn_plugin_v1;
extern const nn_plugin stepper_adagrad_LTX_nn_plugin_v1;
extern const nn_plugin stepper_adadelta_LTX_nn_plugin_v1;

#define STEPPER(name) stepper_##name##_LTX_nn_plugin_v1

/* Weights and vectors of one run; every weight is treated alike, so that a
 * second one shows that the rule is element by element. */
#define WEIGHTS 3
#define MAX_VECTORS 3u

/* A planned row, as the core keeps it. */
struct nn_plan {
    nn_row_slot slot;
    nn_handler_plan *plan;
    nn_memory memory;
    nn_array workspace;
    int wants_workspace;
};

typedef struct rig {
    nn_completed *completed;
    const nn_stepper_interface *interface;
    fake_params given;
    nn_memory memories[2 + MAX_VECTORS];
    nn_array arrays[2 + MAX_VECTORS]; /* w, g, the vectors */
    nn_plan plan;
    nn_plan *plans[1];
    nn_stepper_context context;
} rig;

static rig *planning; /* the one whose prepare runs */

static int32_t plan(const nn_stepper_context *context, uint32_t slot,
                    const char *id, uint32_t row,
                    const nn_array *const *operands, uint32_t n_operands,
                    const void *attributes)
{
    nn_plan *made = &planning->plan;
    nn_plan_request request = {.size = NN_SIZEOF(nn_plan_request,
                                                 reserve_limit),
                               .n_operands = n_operands,
                               .operands = operands,
                               .attributes = attributes};
    nn_plan_result result = {.size = NN_SIZEOF(nn_plan_result, reserve_bytes)};
    int32_t code;

    (void)context;
    assert_int_equal(slot, 0);
    assert_string_equal(id, NN_OPTIMIZER);
    made->slot = nn_completed_row(planning->completed, id, row);
    assert_non_null(made->slot.row);
    code = made->slot.row->plan(made->slot.self, &request, &result);
    made->plan = result.plan;
    assert_int_equal(result.reserve_bytes, 0);
    if (result.workspace_bytes) {
        made->memory.bytes =
            aligned_alloc(64, (size_t)(result.workspace_bytes + 63) / 64 * 64);
        made->workspace = device_vector(&made->memory, NN_UINT8,
                                        result.workspace_bytes);
        made->wants_workspace = 1;
    }
    return code;
}

static void run(const nn_plan *made, const nn_array *const *operands,
                uint32_t n_operands, const void *attributes)
{
    made->slot.row->run(made->slot.self, made->plan, operands, n_operands,
                        attributes,
                        made->wants_workspace ? &made->workspace : NULL, NULL);
}

/* Weights at VALUE, gradients and vectors at 0, parameters at their defaults:
 * set what differs before rig_prepare. */
static void rig_open(rig *it, const nn_plugin *plugin, uint32_t real,
                     double value)
{
    uint32_t i;
    int64_t j;

    memset(it, 0, sizeof *it);
    it->completed = device_open(real);
    fake_params_init(&it->given,
                     fake_component(plugin, NN_KIND_STEPPER, plugin->name));
    it->interface = plugin->components[0]->interface;
    assert_true(it->interface->n_vectors <= MAX_VECTORS);
    for (i = 0; i < 2 + MAX_VECTORS; ++i) {
        it->memories[i].bytes = calloc(WEIGHTS, sizeof(double));
        it->arrays[i] = device_vector(&it->memories[i], real, WEIGHTS);
    }
    for (j = 0; j < WEIGHTS; ++j)
        device_put(&it->arrays[0], j, value);
    it->plans[0] = &it->plan;
    it->context = (nn_stepper_context){
        .size = NN_SIZEOF(nn_stepper_context, run),
        .n_vectors = it->interface->n_vectors,
        .host = &fake_host,
        .params = &it->given.params,
        .ops = nn_completed_operations(it->completed),
        .parameters = &it->arrays[0],
        .gradients = &it->arrays[1],
        .vectors = &it->arrays[2],
        .plans = it->plans,
        .plan = plan,
        .run = run,
    };
}

static void rig_prepare(rig *it)
{
    planning = it;
    assert_int_equal(it->interface->prepare(&it->context), NN_OK);
}

static void rig_close(rig *it)
{
    uint32_t i;

    if (it->plan.slot.row && it->plan.slot.row->destroy)
        it->plan.slot.row->destroy(it->plan.slot.self, it->plan.plan);
    free(it->plan.memory.bytes);
    for (i = 0; i < 2 + MAX_VECTORS; ++i)
        free(it->memories[i].bytes);
    device_close(it->completed);
}

/* One update with GRADIENT everywhere; the weight after it. */
static double step(rig *it, double gradient)
{
    double weight;
    int64_t j;

    for (j = 0; j < WEIGHTS; ++j)
        device_put(&it->arrays[1], j, gradient);
    ++it->context.update;
    it->interface->step(&it->context);
    weight = device_get(&it->arrays[0], 0);
    for (j = 1; j < WEIGHTS; ++j)
        assert_true(device_get(&it->arrays[0], j) == weight);
    return weight;
}

static void assert_near(double got, double wanted, double relative)
{
    if (!(fabs(got - wanted) <= relative * fabs(wanted)))
        fail_msg("%.12g is not %.12g", got, wanted);
}

/* A weight from START under gradients; what it is after each. */
static void check(rig *it, const double *gradients, const double *wanted,
                  int count)
{
    int i;

    rig_prepare(it);
    for (i = 0; i < count; ++i) {
        const double got = step(it, gradients[i]);

        assert_near(got, wanted[i],
                    it->arrays[0].dtype == NN_FLOAT32 ? 1e-5 : 2e-9);
    }
    rig_close(it);
}

static const uint32_t reals[] = {NN_FLOAT64, NN_FLOAT32};

static void sgd_steps_against_the_gradient(void **state)
{
    static const double gradients[] = {1, -2};
    static const double wanted[] = {0.9, 1.1};
    rig it;
    int i;

    (void)state;
    for (i = 0; i < 2; ++i) {
        rig_open(&it, &STEPPER(sgd), reals[i], 1);
        fake_set_real(&it.given, "learning_rate", 0.1);
        check(&it, gradients, wanted, 2);
    }
}

static void sgd_decay_is_that_of_an_l2_term(void **state)
{
    static const double gradients[] = {0, 0};
    static const double wanted[] = {0.99, 0.9801};
    rig it;

    (void)state;
    rig_open(&it, &STEPPER(sgd), NN_FLOAT64, 1);
    fake_set_real(&it.given, "learning_rate", 0.1);
    fake_set_real(&it.given, "decay", 0.1);
    check(&it, gradients, wanted, 2);
}

static void momentum_holds_the_rate_in_the_velocity(void **state)
{
    static const double same[] = {-0.1, -0.29, -0.561};
    static const double changed[] = {-0.1, -0.2, -0.3};
    rig it;
    int i;

    (void)state;
    rig_open(&it, &STEPPER(momentum), NN_FLOAT64, 0);
    fake_set_real(&it.given, "learning_rate", 0.1);
    check(&it, (const double[]){1, 1, 1}, same, 3);

    rig_open(&it, &STEPPER(momentum), NN_FLOAT64, 0);
    fake_set_real(&it.given, "learning_rate", 0.1);
    rig_prepare(&it);
    for (i = 0; i < 3; ++i) {
        assert_near(step(&it, 1), changed[i], 1e-12);
        fake_set_real(&it.given, "learning_rate", 0.01);
    }
    rig_close(&it);
}

static void nesterov_holds_the_rate_in_the_velocity(void **state)
{
    static const double same[] = {-0.19, -0.461, -0.8049};
    static const double changed[] = {-0.19, -0.29, -0.39};
    rig it;
    int i;

    (void)state;
    rig_open(&it, &STEPPER(nesterov), NN_FLOAT64, 0);
    fake_set_real(&it.given, "learning_rate", 0.1);
    check(&it, (const double[]){1, 1, 1}, same, 3);

    rig_open(&it, &STEPPER(nesterov), NN_FLOAT64, 0);
    fake_set_real(&it.given, "learning_rate", 0.1);
    rig_prepare(&it);
    for (i = 0; i < 3; ++i) {
        assert_near(step(&it, 1), changed[i], 1e-12);
        fake_set_real(&it.given, "learning_rate", 0.01);
    }
    rig_close(&it);
}

/* Bitwise, in both types, for numbers that round. */
static void without_momentum_it_is_sgd_to_the_bit(void **state)
{
    const nn_plugin *const others[] = {&STEPPER(momentum), &STEPPER(nesterov)};
    rig plain;
    rig other;
    int i;
    int n;

    (void)state;
    for (i = 0; i < 4; ++i) {
        rig_open(&plain, &STEPPER(sgd), reals[i / 2], 1.0 / 3);
        rig_open(&other, others[i % 2], reals[i / 2], 1.0 / 3);
        fake_set_real(&plain.given, "learning_rate", 0.1);
        fake_set_real(&other.given, "learning_rate", 0.1);
        fake_set_real(&other.given, "momentum", 0);
        rig_prepare(&plain);
        rig_prepare(&other);
        for (n = 1; n < 20; ++n)
            assert_true(step(&plain, 0.7 / n) == step(&other, 0.7 / n));
        rig_close(&plain);
        rig_close(&other);
    }
}

static void adam_corrects_the_bias_of_its_means(void **state)
{
    static const double gradients[] = {1, -2, 3};
    static const double wanted[] = {0.900000001, 0.936610353, 0.902286246};
    rig it;
    int i;

    (void)state;
    for (i = 0; i < 2; ++i) {
        rig_open(&it, &STEPPER(adam), reals[i], 1);
        fake_set_real(&it.given, "learning_rate", 0.1);
        check(&it, gradients, wanted, 3);
    }
}

static void adam_adds_epsilon_to_the_corrected_root(void **state)
{
    rig it;

    (void)state;
    rig_open(&it, &STEPPER(adam), NN_FLOAT64, 1);
    fake_set_real(&it.given, "learning_rate", 0.1);
    rig_prepare(&it);
    assert_near(step(&it, 1e-8), 0.95, 1e-9);
    rig_close(&it);
}

static void adam_does_not_drift(void **state)
{
    rig it;
    double weight = 0;
    int i;

    (void)state;
    rig_open(&it, &STEPPER(adam), NN_FLOAT64, 1);
    rig_prepare(&it);
    for (i = 0; i < 10; ++i)
        weight = step(&it, 0.3);
    assert_near(weight, 0.99000000033, 1e-11);
    rig_close(&it);
}

static void adam_decay_is_decoupled(void **state)
{
    rig it;
    int one;

    (void)state;
    for (one = 0; one < 2; ++one) {
        rig_open(&it, &STEPPER(adam), NN_FLOAT64, 1);
        fake_set_real(&it.given, "learning_rate", 0.1);
        fake_set_real(&it.given, "decay", 0.1);
        rig_prepare(&it);
        assert_near(step(&it, one), one ? 0.890000001 : 0.99, 1e-9);
        assert_near(step(&it, one), one ? 0.781100002 : 0.9801, 1e-9);
        rig_close(&it);
    }
}

/* Numbers of the paper's formulas, computed in Python. */
static void adamax_divides_by_the_largest(void **state)
{
    static const double gradients[] = {1, -2, 3, 0};
    static const double wanted[] = {0.998000000020, 0.998578947386,
                                    0.998084482443, 0.997733448071};
    rig it;

    (void)state;
    rig_open(&it, &STEPPER(adamax), NN_FLOAT64, 1);
    check(&it, gradients, wanted, 4);
}

static void adamax_moves_nothing_without_a_gradient(void **state)
{
    rig it;

    (void)state;
    rig_open(&it, &STEPPER(adamax), NN_FLOAT64, 1);
    rig_prepare(&it);
    assert_true(step(&it, 0) == 1);
    rig_close(&it);
}

static void amsgrad_never_lets_the_divisor_shrink(void **state)
{
    static const double gradients[] = {3, 0.1, 0.1, 0.1};
    double wanted[4];
    rig it;
    double p = 0;
    double q = 0;
    double s = 0;
    double w = 1;
    int t;

    (void)state;
    rig_open(&it, &STEPPER(amsgrad), NN_FLOAT64, 1);
    fake_set_real(&it.given, "beta2", 0.5);
    for (t = 1; t <= 4; ++t) {
        const double g = gradients[t - 1];

        p = 0.9 * p + 0.1 * g;
        q = 0.5 * q + 0.5 * g * g;
        s = q > s ? q : s;
        w -= 0.001 * (p / (1 - pow(0.9, t))) /
             (sqrt(s / (1 - pow(0.5, t))) + 1e-8);
        wanted[t - 1] = w;
    }
    assert_true(s > q);
    check(&it, gradients, wanted, 4);
}

static void rmsprop_epsilon_outside_or_inside(void **state)
{
    static const struct {
        double epsilon;
        double gradient;
        int inside;
        double wanted;
    } cases[] = {{1, 1, 0, 0.990909091},
                 {1e-8, 1e-3, 0, 0.90000999},
                 {1, 1, 1, 0.990049628},
                 {1e-8, 1e-3, 1, 0.929289322}};
    rig it;
    int i;

    (void)state;
    for (i = 0; i < 4; ++i) {
        rig_open(&it, &STEPPER(rmsprop), NN_FLOAT64, 1);
        fake_set_real(&it.given, "learning_rate", 0.01);
        fake_set_real(&it.given, "rho", 0.99);
        fake_set_real(&it.given, "epsilon", cases[i].epsilon);
        fake_set_int(&it.given, "epsilon_inside", cases[i].inside);
        rig_prepare(&it);
        assert_near(step(&it, cases[i].gradient), cases[i].wanted, 2e-8);
        rig_close(&it);
    }
}

static void adagrad_starts_its_sum_at_zero(void **state)
{
    static const double gradients[] = {0.5, 0.5, 0.5, 0.5};
    static const double wanted[] = {0.9, 0.829289322, 0.771554295, 0.721554295};
    rig it;

    (void)state;
    rig_open(&it, &STEPPER(adagrad), NN_FLOAT64, 1);
    fake_set_real(&it.given, "learning_rate", 0.1);
    check(&it, gradients, wanted, 4);
}

static void adagrad_moves_nothing_without_a_gradient(void **state)
{
    rig it;
    int inside;

    (void)state;
    for (inside = 0; inside < 2; ++inside) {
        rig_open(&it, &STEPPER(adagrad), NN_FLOAT64, 1);
        fake_set_real(&it.given, "learning_rate", 0.1);
        fake_set_int(&it.given, "epsilon_inside", inside);
        rig_prepare(&it);
        assert_true(step(&it, 0) == 1);
        assert_near(step(&it, 0.5), 0.9, 1e-9);
        rig_close(&it);
    }
}

static void adadelta_needs_no_rate(void **state)
{
    static const double gradients[] = {1, -2, 0.5};
    double wanted[3];
    rig it;
    double q = 0;
    double s = 0;
    double w = 1;
    int t;

    (void)state;
    rig_open(&it, &STEPPER(adadelta), NN_FLOAT64, 1);
    for (t = 0; t < 3; ++t) {
        const double g = gradients[t];
        double u;

        q = 0.95 * q + 0.05 * g * g;
        u = g * sqrt(s + 1e-6) / sqrt(q + 1e-6);
        w -= u;
        s = 0.95 * s + 0.05 * u * u;
        wanted[t] = w;
    }
    check(&it, gradients, wanted, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sgd_steps_against_the_gradient),
        cmocka_unit_test(sgd_decay_is_that_of_an_l2_term),
        cmocka_unit_test(momentum_holds_the_rate_in_the_velocity),
        cmocka_unit_test(nesterov_holds_the_rate_in_the_velocity),
        cmocka_unit_test(without_momentum_it_is_sgd_to_the_bit),
        cmocka_unit_test(adam_corrects_the_bias_of_its_means),
        cmocka_unit_test(adam_adds_epsilon_to_the_corrected_root),
        cmocka_unit_test(adam_does_not_drift),
        cmocka_unit_test(adam_decay_is_decoupled),
        cmocka_unit_test(adamax_divides_by_the_largest),
        cmocka_unit_test(adamax_moves_nothing_without_a_gradient),
        cmocka_unit_test(amsgrad_never_lets_the_divisor_shrink),
        cmocka_unit_test(rmsprop_epsilon_outside_or_inside),
        cmocka_unit_test(adagrad_starts_its_sum_at_zero),
        cmocka_unit_test(adagrad_moves_nothing_without_a_gradient),
        cmocka_unit_test(adadelta_needs_no_rate),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
