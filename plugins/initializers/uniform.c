/* SPDX-License-Identifier: MIT */
/* uniform.c - a uniform distribution.
 *
 *     w = low + (high - low) u
 *
 * u uniform in [0, 1); low is -0.1 and high 0.1 unless given.
 *
 * Other libraries: Lasagne's range is 0.01, Brainstorm's 0.1, Keras' 0.05,
 * each to both sides of 0; PyTorch's is [0, 1). */
#include <nn/describe.h>
#include <nn/random.h>
#include <nn/training.h>

static const nn_param low = NN_REAL_PARAM("low", 0, "-0.1", 0, 0,
                                          "lower end, included");
static const nn_param high = NN_REAL_PARAM("high", 0, "0.1", 0, 0,
                                           "upper end, not below low");

static const nn_param *const params[] = {&low, &high};

static int32_t fill(const nn_initialize *what)
{
    const double from = nn_param_real(what->params, 0);
    const double to = nn_param_real(what->params, 1);
    const int64_t n = nn_initialize_elements(what);
    int64_t i;

    if (from > to)
        return nn_fail(what->host, NN_INVALID_ARGUMENT, "uniform.range",
                       "uniform: low is above high");
    for (i = 0; i < n; ++i)
        what->values[i] = from + (to - from) * nn_random_uniform(&what->random,
                                                                 (uint64_t)i);
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
    .name = "uniform",
    .summary = "Uniform distribution",
    .doc = "w uniform in [low, high).",
    .params = params,
    .interface = &interface,
};

static const nn_component *const components[] = {&component};

NN_PLUGIN_ENTRY(initializer_uniform) = {
    NN_PLUGIN_HEAD,
    .id = "org.nervenet.initializer.uniform",
    .name = "uniform",
    .version = "0.1.0",
    .license = "MIT",
    .author = "Nervenet contributors",
    .summary = "Uniform distribution",
    .n_components = 1,
    .components = components,
};
