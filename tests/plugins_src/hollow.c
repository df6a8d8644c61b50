/* SPDX-License-Identifier: MIT */
/* hollow.c - its schedule lacks the one function that it must have. */
#include "fixture.h"

static const nn_schedule_interface interface = FIXTURE_INTERFACE(NULL);
static const nn_component component = FIXTURE_COMPONENT("hollow", &interface);
static const nn_component *const components[] = {&component};

NN_PLUGIN_ENTRY(hollow) = {
    NN_PLUGIN_HEAD,
    FIXTURE_TEXTS("hollow"),
    .n_components = 1,
    .components = components,
};
