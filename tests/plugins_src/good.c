/* SPDX-License-Identifier: MIT */
/* good.c - nothing is wrong with it.  Offers a schedule "seven" and a layer
 * "mirror" whose parameters are of every type; counts its calls in the int64_t
 * pair (init, deinit) that extension "test.calls" is, if the host has it. */
#include <math.h>
#include <stdlib.h>

#include <nn/layer.h>

#include "fixture.h"

static int64_t *calls;

static int32_t init(const nn_host *host)
{
    calls = (int64_t *)host->get_extension(host, "test.calls");
    if (calls)
        ++calls[0];
    return NN_OK;
}

static void deinit(void)
{
    if (calls)
        ++calls[1];
}

/* labs is there to need the C library. */
FIXTURE_VALUE(seven, (double)labs((long)progress->epoch) + 7)
static const nn_schedule_interface schedule = FIXTURE_INTERFACE(seven);
static const nn_component seven_component = FIXTURE_COMPONENT("seven",
                                                              &schedule);

#define PARAM(variable, title, kind_of, ...)                                   \
    static const nn_param variable = {.size = NN_SIZEOF(nn_param, fields),     \
                                      .type = kind_of,                         \
                                      .name = title,                           \
                                      .doc = "A parameter.",                   \
                                      __VA_ARGS__}

static const char *const colours[] = {"red", "grün", NULL};

PARAM(count, "count", NN_PARAM_INT, .flags = NN_PARAM_RANGED, .minimum = 1,
      .maximum = INFINITY, .default_text = "3");
PARAM(colour, "colour", NN_PARAM_CHOICE, .choices = colours,
      .default_text = "red");
PARAM(number, NULL, NN_PARAM_REAL, .flags = 0);
PARAM(weights, "weights", NN_PARAM_LIST, .element = &number);
PARAM(table, "table", NN_PARAM_MAP, .element = &weights);
PARAM(inner, "inner", NN_PARAM_COMPONENT, .kind = NN_KIND_LAYER);
static const nn_param *const size_fields[] = {&count, &table, NULL};
PARAM(size, "size", NN_PARAM_RECORD, .fields = size_fields);

static const nn_param *const mirror_params[] = {&colour, &weights, &inner,
                                                &size};

#define PORT(variable, title, which)                                           \
    static const nn_port variable = {.size = NN_SIZEOF(nn_port, doc),          \
                                     .flags = which,                           \
                                     .dtypes = 1u << NN_REAL,                  \
                                     .name = title,                            \
                                     .doc = "(T, B, F)"}

PORT(first, "default", 0);
PORT(mask, "mask", NN_PORT_OPTIONAL | NN_PORT_NO_DELTA);
PORT(output, "default", NN_PORT_IN_PLACE);

static const nn_port *const inputs[] = {&first, &mask};
static const nn_port *const outputs[] = {&output};

static int32_t setup(nn_setup *what)
{
    return nn_fail(what->host, NN_UNSUPPORTED, "good.setup",
                   "it is here to be described");
}

static void forward(const nn_layer_context *context)
{
    (void)context;
}

static const nn_layer_interface layer = {
    .size = NN_SIZEOF(nn_layer_interface, backward),
    .setup = setup,
    .forward = forward,
};

static const nn_component mirror = {
    .size = NN_SIZEOF(nn_component, outputs),
    .kind = NN_KIND_LAYER,
    .flags = NN_LAYER_RANDOM,
    .name = "mirror",
    .summary = "Does nothing",
    .doc = "y = x\n\twith x the input",
    .n_params = 4,
    .params = mirror_params,
    .interface = &layer,
    .n_inputs = 2,
    .inputs = inputs,
    .n_outputs = 1,
    .outputs = outputs,
};

static const nn_component *const components[] = {&seven_component, &mirror};
static const char *const libraries[] = {"libm", NULL};

NN_PLUGIN_ENTRY(good) = {
    NN_PLUGIN_HEAD,        FIXTURE_TEXTS("good"), .author = "Zoë",
    .libraries = libraries, .n_components = 2,     .components = components,
    .init = init,          .deinit = deinit,
};
