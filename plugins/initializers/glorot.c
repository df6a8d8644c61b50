/* SPDX-License-Identifier: MIT */
/* glorot.c - keeps the variance of activations and of deltas, in the mean.
 *
 *     s = gain sqrt(2 / (fan_in + fan_out))
 *     w uniform in [-sqrt(3) s, sqrt(3) s)       distribution: uniform
 *     w = s z, z standard normal                 distribution: normal
 *
 * fan_in connections into one unit, fan_out connections out of one input, as
 * the layer declares them; s the standard deviation; gain is 1 unless given.
 *
 * Glorot, Bengio, "Understanding the difficulty of training deep feedforward
 * neural networks", 2010, which has the uniform form.
 *
 * Other libraries: the same (xavier in PyTorch); Keras cuts the normal form
 * off at two standard deviations.  They take the fans from the shape alone,
 * which is wrong for grouped, transposed and locally connected weights. */
#include <nn/describe.h>
#include <nn/random.h>
#include <nn/training.h>

static const char *const distributions[] = {"uniform", "normal", NULL};

static const nn_param distribution =
    NN_CHOICE_PARAM("distribution", NN_PARAM_MAIN, "uniform", distributions,
                    "shape of the distribution; the variance is the same");
static const nn_param gain = NN_REAL_PARAM("gain", NN_PARAM_RANGED, "1", 0,
                                           INFINITY, "factor on all numbers");

static const nn_param *const params[] = {&distribution, &gain};

static int32_t fill(const nn_initialize *what)
{
    const int normal = nn_param_int(what->params, 0) == 1;
    const double fans = (double)what->fan_in + (double)what->fan_out;
    const double std = nn_param_real(what->params, 1) * sqrt(2.0 / fans);

    if (!(fans > 0))
        return nn_fail(what->host, NN_SHAPE, "glorot.fans",
                       "glorot: %s has no connections", what->name);
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
    .name = "glorot",
    .summary = "Variance from the mean of fan-in and fan-out",
    .doc = "std = gain sqrt(2 / (fan_in + fan_out)); w uniform in "
           "+-sqrt(3) std, or normal with this standard deviation. fan_in "
           "and fan_out are the connections into and out of one unit. "
           "Glorot, Bengio, \"Understanding the difficulty of training deep"
           " feedforward neural networks\", 2010.",
    .params = params,
    .interface = &interface,
};

static const nn_component *const components[] = {&component};

NN_PLUGIN_ENTRY(initializer_glorot) = {
    NN_PLUGIN_HEAD,
    .id = "org.nervenet.initializer.glorot",
    .name = "glorot",
    .version = "0.1.0",
    .license = "MIT",
    .author = "Nervenet contributors",
    .summary = "Variance from the mean of fan-in and fan-out",
    .n_components = 1,
    .components = components,
};
