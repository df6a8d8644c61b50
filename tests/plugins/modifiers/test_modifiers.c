/* SPDX-License-Identifier: MIT */
/* test_modifiers.c - l2 and clip_gradient_norm on gradients of two layers,
 * through the reference. */
#include "tests/plugins/host_device.h"

#include <nn/training.h>

extern const nn_plugin modifier_l2_LTX_nn_plugin_v1;
extern const nn_plugin modifier_clip_gradient_norm_LTX_nn_plugin_v1;

#define L2 (&modifier_l2_LTX_nn_plugin_v1)
#define CLIP (&modifier_clip_gradient_norm_LTX_nn_plugin_v1)

/* Parameters "a.W" of shape (2, 3) and "b.bias" of shape (2), all 1. */
#define MODIFIED 2

/* A host that knows more of nn_modified than the plugin. */
typedef struct newer_modified {
    nn_modified known;
    uint64_t news;
} newer_modified;

typedef struct rig {
    uint32_t real;
    nn_completed *completed;
    const nn_modifier_interface *interface;
    fake_params given;
    nn_memory memories[2 * MODIFIED + 1];
    newer_modified modified[MODIFIED];
    nn_modifier_context context;
} rig;

static double read_one(const nn_modifier_context *context,
                       const nn_array *array, int64_t index)
{
    (void)context;
    return device_get(array, index);
}

static nn_array rig_array(rig *it, int place, int64_t count)
{
    it->memories[place].bytes = calloc((size_t)count, sizeof(double));
    return device_vector(&it->memories[place], it->real, count);
}

static void rig_open(rig *it, const nn_plugin *plugin, uint32_t real)
{
    static const char *const names[] = {"a.W", "b.bias"};
    int64_t j;
    int i;

    memset(it, 0, sizeof *it);
    it->real = real;
    it->completed = device_open(real);
    fake_params_init(&it->given,
                     fake_component(plugin, NN_KIND_MODIFIER, plugin->name));
    it->interface = plugin->components[0]->interface;
    for (i = 0; i < MODIFIED; ++i) {
        nn_modified *one = &it->modified[i].known;
        const int64_t count = i ? 2 : 6;

        one->size = NN_SIZEOF(nn_modified, gradient);
        one->name = names[i];
        one->tags = i ? NN_TAG_BIAS : 0;
        one->parameter = rig_array(it, 2 * i, count);
        one->gradient = rig_array(it, 2 * i + 1, count);
        for (j = 0; j < count; ++j)
            device_put(&one->parameter, j, 1);
    }
    it->modified[0].known.gradient.ndim = 2;
    it->modified[0].known.gradient.shape[0] = 2;
    it->modified[0].known.gradient.shape[1] = 3;
    it->modified[0].known.gradient.pitch = 3;
    it->modified[0].known.parameter.ndim = 2;
    it->modified[0].known.parameter.shape[0] = 2;
    it->modified[0].known.parameter.shape[1] = 3;
    it->modified[0].known.parameter.pitch = 3;
    it->context = (nn_modifier_context){
        .size = NN_SIZEOF(nn_modifier_context, read),
        .n_modified = MODIFIED,
        .host = &fake_host,
        .params = &it->given.params,
        .ops = nn_completed_operations(it->completed),
        .modified = &it->modified[0].known,
        .modified_size = sizeof(newer_modified),
        .scratch = rig_array(it, 2 * MODIFIED, 1 + MODIFIED),
        .update = 17,
        .read = read_one,
    };
    fake_clear();
}

static void rig_close(rig *it)
{
    int i;

    for (i = 0; i < 2 * MODIFIED + 1; ++i)
        free(it->memories[i].bytes);
    device_close(it->completed);
}

/* The gradients in question: one element of the first parameter, one of the
 * second; all others are 0. */
static void put(rig *it, double a, double b)
{
    device_put(&it->modified[0].known.gradient, 4, a);
    device_put(&it->modified[1].known.gradient, 1, b);
}

static double got_a(const rig *it)
{
    return device_get(&it->modified[0].known.gradient, 4);
}

static double got_b(const rig *it)
{
    return device_get(&it->modified[1].known.gradient, 1);
}

static int32_t clip(rig *it, double limit)
{
    fake_set_real(&it->given, "limit", limit);
    return it->interface->modify(&it->context);
}

static void l2_adds_to_weights_and_passes_biases_by(void **state)
{
    rig it;

    (void)state;
    rig_open(&it, L2, NN_FLOAT64);
    assert_int_equal(it.interface->when, NN_MODIFY_GRADIENT);
    fake_set_real(&it.given, "factor", 0.25);
    put(&it, 3, 4);
    assert_int_equal(it.interface->modify(&it.context), NN_OK);
    assert_true(got_a(&it) == 3.25);
    assert_true(device_get(&it.modified[0].known.gradient, 0) == 0.25);
    assert_true(got_b(&it) == 4);
    it.modified[0].known.tags = NN_TAG_NOT_REGULARIZED;
    assert_int_equal(it.interface->modify(&it.context), NN_OK);
    assert_true(got_a(&it) == 3.25);
    rig_close(&it);
}

/* A gradient of mode ADD is not counted twice. */
static void l2_heeds_no_mode(void **state)
{
    rig it;

    (void)state;
    rig_open(&it, L2, NN_FLOAT64);
    it.modified[0].known.gradient.mode = NN_ADD;
    fake_set_real(&it.given, "factor", 0.25);
    put(&it, 3, 4);
    assert_int_equal(it.interface->modify(&it.context), NN_OK);
    assert_true(got_a(&it) == 3.25);
    rig_close(&it);
}

static void l2_of_factor_0_touches_nothing(void **state)
{
    rig it;

    (void)state;
    rig_open(&it, L2, NN_FLOAT64);
    fake_set_real(&it.given, "factor", 0);
    device_put(&it.modified[0].known.parameter, 4, INFINITY);
    put(&it, -0.0, 4);
    assert_int_equal(it.interface->modify(&it.context), NN_OK);
    assert_true(got_a(&it) == 0 && signbit(got_a(&it)));
    rig_close(&it);
}

static void clip_has_one_norm_over_all_layers(void **state)
{
    static const uint32_t reals[] = {NN_FLOAT64, NN_FLOAT32};
    rig it;
    int i;

    (void)state;
    for (i = 0; i < 2; ++i) {
        rig_open(&it, CLIP, reals[i]);
        put(&it, 3, 4);
        assert_int_equal(clip(&it, 1), NN_OK);
        assert_true(fabs(got_a(&it) - 0.6) < (i ? 1e-6 : 1e-15));
        assert_true(fabs(got_b(&it) - 0.8) < (i ? 1e-6 : 1e-15));
        rig_close(&it);
    }
}

static void clip_leaves_what_is_short_enough_to_the_bit(void **state)
{
    rig it;

    (void)state;
    rig_open(&it, CLIP, NN_FLOAT32);
    put(&it, 3, 4);
    assert_int_equal(clip(&it, 10), NN_OK);
    assert_true(got_a(&it) == 3 && got_b(&it) == 4);
    assert_int_equal(clip(&it, 5), NN_OK);
    assert_true(got_a(&it) == 3 && got_b(&it) == 4);
    put(&it, 1.0 / 3, 1.4e-45);
    assert_int_equal(clip(&it, 1), NN_OK);
    assert_true(got_a(&it) == (float)(1.0 / 3) && got_b(&it) == 1.4e-45f);
    rig_close(&it);
}

static void clip_leaves_zeros(void **state)
{
    rig it;

    (void)state;
    rig_open(&it, CLIP, NN_FLOAT64);
    put(&it, 0, 0);
    assert_int_equal(clip(&it, 1), NN_OK);
    assert_true(got_a(&it) == 0 && got_b(&it) == 0);
    rig_close(&it);
}

static void clip_reports_what_is_not_finite(void **state)
{
    static const struct {
        double a;
        double b;
        const char *text;
    } cases[] = {
        {INFINITY, 4,
         "gradient norm is inf before update 17 (first in the gradient of "
         "a.W)"},
        {3, NAN,
         "gradient norm is nan before update 17 (first in the gradient of "
         "b.bias)"},
        {3, -INFINITY,
         "gradient norm is inf before update 17 (first in the gradient of "
         "b.bias)"},
    };
    rig it;
    int i;

    (void)state;
    for (i = 0; i < 6; ++i) {
        rig_open(&it, CLIP, i % 2 ? NN_FLOAT32 : NN_FLOAT64);
        put(&it, cases[i / 2].a, cases[i / 2].b);
        assert_int_equal(clip(&it, 1), NN_NOT_FINITE);
        assert_int_equal(fake_code, NN_NOT_FINITE);
        assert_string_equal(fake_text, cases[i / 2].text);
        rig_close(&it);
    }
}

/* The squares overflow, the gradients do not. */
static void clip_measures_what_is_finite(void **state)
{
    rig it;

    (void)state;
    rig_open(&it, CLIP, NN_FLOAT32);
    put(&it, 3e38, 0);
    assert_int_equal(clip(&it, 1), NN_OK);
    assert_true(fabs(got_a(&it) - 1) < 1e-6);
    put(&it, 3e30, 4e30);
    assert_int_equal(clip(&it, 1e36), NN_OK);
    assert_true(got_a(&it) == 3e30f && got_b(&it) == 4e30f);
    rig_close(&it);
    rig_open(&it, CLIP, NN_FLOAT64);
    put(&it, 1.5e308, -1.5e308);
    assert_int_equal(clip(&it, 1), NN_OK);
    assert_true(fabs(got_a(&it) - sqrt(0.5)) < 1e-15);
    assert_true(fabs(got_b(&it) + sqrt(0.5)) < 1e-15);
    rig_close(&it);
}

static void clip_of_no_gradient_does_nothing(void **state)
{
    rig it;

    (void)state;
    rig_open(&it, CLIP, NN_FLOAT64);
    it.context.n_modified = 0;
    assert_int_equal(clip(&it, 1), NN_OK);
    rig_close(&it);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(l2_adds_to_weights_and_passes_biases_by),
        cmocka_unit_test(l2_heeds_no_mode),
        cmocka_unit_test(l2_of_factor_0_touches_nothing),
        cmocka_unit_test(clip_has_one_norm_over_all_layers),
        cmocka_unit_test(clip_leaves_what_is_short_enough_to_the_bit),
        cmocka_unit_test(clip_leaves_zeros),
        cmocka_unit_test(clip_reports_what_is_not_finite),
        cmocka_unit_test(clip_measures_what_is_finite),
        cmocka_unit_test(clip_of_no_gradient_does_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
