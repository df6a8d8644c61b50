/* SPDX-License-Identifier: MIT */
/* child.h - the core's side of nn_child: a component that another one owns.
 *
 * The schema makes it, in the arena of the parent's values, from a COMPONENT
 * or NETWORK parameter; the part of core that runs the parent's kind (graph
 * for layers, training for iterators, ...) brings it to life and keeps what it
 * made in `runtime`. */
#ifndef NN_CORE_CONFIG_CHILD_H
#define NN_CORE_CONFIG_CHILD_H

#include <nn/plugin.h>

#include "core/config/description.h"

struct nn_child {
    uint32_t type;    /* NN_PARAM_COMPONENT or NN_PARAM_NETWORK */
    uint32_t kind;    /* NN_KIND_... of a COMPONENT */
    const char *name; /* of the parameter that holds it: "inner" */
    const nn_component *component; /* COMPONENT: live or scanned data */
    const nn_params *params;       /* COMPONENT: its checked values */
    const nn_node *node; /* where it is written; NETWORK: the list of layers,
                            checked when the parent is set up */
    void *runtime; /* of the part that runs it; NULL at first */
};

#endif
