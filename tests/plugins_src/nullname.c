/* SPDX-License-Identifier: MIT */
/* nullname.c - its component has no name. */
#include "fixture.h"

FIXTURE_VALUE(zero, 0)
static const nn_schedule_interface interface = FIXTURE_INTERFACE(zero);
static const nn_component component = FIXTURE_COMPONENT(NULL, &interface);
static const nn_component *const components[] = {&component};

NN_PLUGIN_ENTRY(nullname) = {
    NN_PLUGIN_HEAD,
    FIXTURE_TEXTS("nullname"),
    .n_components = 1,
    .components = components,
};
