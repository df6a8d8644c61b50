/* SPDX-License-Identifier: MIT */
/* twin.c - offers a schedule "seven" as good.c does, worth 77. */
#include "fixture.h"

FIXTURE_VALUE(seven, 77)
static const nn_schedule_interface interface = FIXTURE_INTERFACE(seven);
static const nn_component component = FIXTURE_COMPONENT("seven", &interface);
static const nn_component *const components[] = {&component};

NN_PLUGIN_ENTRY(twin) = {
    NN_PLUGIN_HEAD,
    FIXTURE_TEXTS("twin"),
    .n_components = 1,
    .components = components,
};
