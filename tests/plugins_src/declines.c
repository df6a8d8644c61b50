/* SPDX-License-Identifier: MIT */
/* declines.c - its init fails, with a reason. */
#include "fixture.h"

static int32_t init(const nn_host *host)
{
    return nn_fail(host, NN_DEVICE, "declines.device", "no such device");
}

FIXTURE_VALUE(zero, 0)
static const nn_schedule_interface interface = FIXTURE_INTERFACE(zero);
static const nn_component component = FIXTURE_COMPONENT("declines", &interface);
static const nn_component *const components[] = {&component};

NN_PLUGIN_ENTRY(declines) = {
    NN_PLUGIN_HEAD,    FIXTURE_TEXTS("declines"),
    .n_components = 1, .components = components,
    .init = init,
};
