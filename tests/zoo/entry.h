/* SPDX-License-Identifier: MIT */
/* entry.h - the entry of a plugin with one component that has an interface and
 * PARAMS. */
#ifndef ZOO_ENTRY_H
#define ZOO_ENTRY_H

#include <nn/plugin.h>

/* What an animal says of itself, unless it says more. */
#ifndef ZOO_DOC
#define ZOO_DOC "It is there to be examined."
#endif

#define ZOO_ENTRY(NAME, KIND, PARAMS, N_PARAMS)                                \
    static const nn_component component = {                                    \
        .size = NN_SIZEOF(nn_component, outputs),                              \
        .kind = KIND,                                                          \
        .n_params = N_PARAMS,                                                  \
        .name = #NAME,                                                         \
        .summary = "An animal of the zoo",                                     \
        .doc = ZOO_DOC,                                                        \
        .params = PARAMS,                                                      \
        .interface = &interface,                                               \
    };                                                                         \
    static const nn_component *const components[] = {&component};              \
    NN_PLUGIN_ENTRY(NAME) = {                                                  \
        NN_PLUGIN_HEAD,                                                        \
        .id = "org.nervenet.zoo." #NAME,                                       \
        .name = #NAME,                                                         \
        .version = "1.0.0",                                                    \
        .license = "MIT",                                                      \
        .author = "Nervenet contributors",                                     \
        .summary = "An animal of the zoo",                                     \
        .n_components = 1,                                                     \
        .components = components,                                              \
    }

#endif
