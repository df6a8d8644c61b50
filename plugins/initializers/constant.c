/* SPDX-License-Identifier: MIT */
/* constant.c - one value everywhere.
 *
 *     w = value
 *
 * value is 0 unless given.  Other libraries: the same. */
#include <nn/describe.h>
#include <nn/training.h>

static const nn_param value = NN_REAL_PARAM("value", NN_PARAM_MAIN, "0", 0, 0,
                                            "value of every element");

static const nn_param *const params[] = {&value};

static int32_t fill(const nn_initialize *what)
{
    const double each = nn_param_real(what->params, 0);
    const int64_t n = nn_initialize_elements(what);
    int64_t i;

    for (i = 0; i < n; ++i)
        what->values[i] = each;
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
    .name = "constant",
    .summary = "One value everywhere",
    .doc = "Every element is `value`.",
    .params = params,
    .interface = &interface,
};

static const nn_component *const components[] = {&component};

NN_PLUGIN_ENTRY(initializer_constant) = {
    NN_PLUGIN_HEAD,
    .id = "org.nervenet.initializer.constant",
    .name = "constant",
    .version = "0.1.0",
    .license = "MIT",
    .author = "Nervenet contributors",
    .summary = "One value everywhere",
    .n_components = 1,
    .components = components,
};
