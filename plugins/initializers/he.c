/* SPDX-License-Identifier: MIT */
/* he.c - keeps the variance of activations, for rectifiers.
 *
 *     s = gain / sqrt(fan_in)
 *     w = s z, z standard normal                 distribution: normal
 *     w uniform in [-sqrt(3) s, sqrt(3) s)       distribution: uniform
 *
 * fan_in connections into one unit, as the layer declares them; s the standard
 * deviation.  gain is sqrt(2) unless given, which suits rectifiers; 1 suits
 * linear units (LeCun), sqrt(2 / (1 + a^2)) a leaky rectifier with slope a.
 *
 * He, Zhang, Ren, Sun, "Delving Deep into Rectifiers: Surpassing Human-Level
 * Performance on ImageNet Classification", 2015.
 *
 * Other libraries: the same (kaiming in PyTorch); in Lasagne gain is 1 unless
 * given; Keras cuts the normal form off at two standard deviations. */
#include <nn/describe.h>
#include <nn/random.h>
#include <nn/training.h>

static const char *const distributions[] = {"normal", "uniform", NULL};

static const nn_param distribution =
    NN_CHOICE_PARAM("distribution", NN_PARAM_MAIN, "normal", distributions,
                    "shape of the distribution; the variance is the same");
static const nn_param gain =
    NN_REAL_PARAM("gain", NN_PARAM_RANGED, "1.4142135623730951", 0, INFINITY,
                  "factor on all numbers; sqrt(2) for rectifiers");

static const nn_param *const params[] = {&distribution, &gain};

static int32_t fill(const nn_initialize *what)
{
    const int normal = nn_param_int(what->params, 0) == 0;
    const double fan = (double)what->fan_in;
    const double std = nn_param_real(what->params, 1) / sqrt(fan);

    if (!(fan > 0))
        return nn_fail(what->host, NN_SHAPE, "he.fan",
                       "he: %s has no incoming connections", what->name);
    nn_random_spread(&what->random, normal, std, what->values,
                     nn_initialize_elements(what));
    return NN_OK;
}

static const nn_initializer_interface interface = {
    .size = NN_SIZEOF(nn_initializer_interface, fill),
    .fill = fill,
};

static const nn_component component = {
    .size = NN_SIZEOF(nn_component, outputs),
    .kind = NN_KIND_INITIALIZER,
    .n_params = sizeof params / sizeof *params,
    .name = "he",
    .summary = "Variance from the fan-in, for rectifiers",
    .doc = "s = gain / sqrt(fan_in), gain = sqrt(2) unless given; w = s z "
           "with z standard normal, or uniform in +-sqrt(3) s. fan_in is "
           "the number of connections into one unit. He, Zhang, Ren, Sun, "
           "\"Delving Deep into Rectifiers\", 2015.",
    .params = params,
    .interface = &interface,
};

static const nn_component *const components[] = {&component};

NN_PLUGIN_ENTRY(initializer_he) = {
    NN_PLUGIN_HEAD,
    .id = "org.nervenet.initializer.he",
    .name = "he",
    .version = "0.1.0",
    .license = "MIT",
    .author = "Nervenet contributors",
    .summary = "Variance from the fan-in, for rectifiers",
    .n_components = 1,
    .components = components,
};
