/* SPDX-License-Identifier: MIT */
/* newer.c - built with headers of a later minor, but needs nothing of it: its
 * entry is longer, and one of its components is of a kind of later. */
#include "fixture.h"

FIXTURE_VALUE(nine, 9)
static const nn_schedule_interface interface = FIXTURE_INTERFACE(nine);
static const nn_component known = FIXTURE_COMPONENT("nine", &interface);
static const nn_component unknown = {
    .size = NN_SIZEOF(nn_component, outputs),
    .kind = 1000,
    .name = "later",
    .summary = "Of a kind that comes later",
    .interface = &interface,
};
static const nn_component *const components[] = {&unknown, &known};

struct longer {
    nn_plugin now;
    void (*later)(void);
};

extern NN_EXPORT const struct longer nn_plugin_v1;

const struct longer nn_plugin_v1 = {
    .now =
        {
            .magic = {'N', 'N', 'P', 'L', 'U', 'G', 'I', 'N'},
            .size = sizeof(struct longer),
            .abi_minor = NN_ABI_MINOR + 1,
            FIXTURE_TEXTS("newer"),
            .n_components = 2,
            .components = components,
        },
};
