/* SPDX-License-Identifier: MIT */
/* feature.c - needs a processor that was never built. */
#include "fixture.h"

FIXTURE_VALUE(zero, 0)
static const nn_schedule_interface interface = FIXTURE_INTERFACE(zero);
static const nn_component component = FIXTURE_COMPONENT("feature", &interface);
static const nn_component *const components[] = {&component};
static const char *const features[] = {"perpetual-motion", NULL};

NN_PLUGIN_ENTRY(feature) = {
    NN_PLUGIN_HEAD,    FIXTURE_TEXTS("feature"), .cpu_features = features,
    .n_components = 1, .components = components,
};
