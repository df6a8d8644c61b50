/* SPDX-License-Identifier: MIT */
/* static.h - plugins that are linked into the program. */
#ifndef NN_CORE_REGISTRY_STATIC_H
#define NN_CORE_REGISTRY_STATIC_H

#include <nn/plugin.h>

/* One of them. */
typedef struct nn_static_plugin {
    const char *name; /* of its module: "layer_mask" */
    const nn_plugin *entry;
} nn_static_plugin;

/* All of them; the last has a NULL name. */
extern const nn_static_plugin nn_static_plugins[];

#endif
