/* SPDX-License-Identifier: MIT */
/* gaussian.c - a normal distribution.
 *
 *     w = mean + std z
 *
 * z standard normal numbers, std the standard deviation (0.01), mean (0).
 *
 * Other libraries: std is 0.01 in Lasagne, 0.1 in Brainstorm, 0.05 in Keras,
 * 1 in PyTorch. */
#include <nn/describe.h>
#include <nn/random.h>
#include <nn/training.h>

static const nn_param deviation = NN_REAL_PARAM("std",
                                                NN_PARAM_MAIN | NN_PARAM_RANGED,
                                                "0.01", 0, INFINITY,
                                                "standard deviation");
static const nn_param mean = NN_REAL_PARAM("mean", 0, "0", 0, 0, "mean");

static const nn_param *const params[] = {&deviation, &mean};

static int32_t fill(const nn_initialize *what)
{
    const double std = nn_param_real(what->params, 0);
    const double middle = nn_param_real(what->params, 1);
    const int64_t n = nn_initialize_elements(what);
    int64_t i;

    for (i = 0; i < n; ++i)
        what->values[i] = middle +
                          std * nn_random_gaussian(&what->random, (uint64_t)i);
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
    .name = "gaussian",
    .summary = "Normal distribution",
    .doc = "w = mean + std z, with z standard normal.",
    .params = params,
    .interface = &interface,
};

static const nn_component *const components[] = {&component};

NN_PLUGIN_ENTRY(initializer_gaussian) = {
    NN_PLUGIN_HEAD,
    .id = "org.nervenet.initializer.gaussian",
    .name = "gaussian",
    .version = "0.1.0",
    .license = "MIT",
    .author = "Nervenet contributors",
    .summary = "Normal distribution",
    .n_components = 1,
    .components = components,
};
