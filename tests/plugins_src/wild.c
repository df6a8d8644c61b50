/* SPDX-License-Identifier: MIT */
/* wild.c - its list of components points to where nothing is. */
#include "fixture.h"

NN_PLUGIN_ENTRY(wild) = {
    NN_PLUGIN_HEAD,
    FIXTURE_TEXTS("wild"),
    .n_components = 1,
    .components = (const nn_component *const *)8,
};
