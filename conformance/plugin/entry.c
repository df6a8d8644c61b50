/* SPDX-License-Identifier: MIT */
/* entry.c - see entry.h. */
#include "conformance/plugin/entry.h"

#include <string.h>

static int can_follow(const nn_plugin *e)
{
    uint32_t i;

    if (memcmp(e->magic, NN_PLUGIN_MAGIC, sizeof e->magic) != 0 ||
        e->size < NN_SIZEOF(nn_plugin, deinit) ||
        (e->n_components && !e->components))
        return 0;
    for (i = 0; i < e->n_components; ++i)
        if (!e->components[i] || !e->components[i]->name)
            return 0;
    return 1;
}

const nn_plugin *entry_open(trial *t)
{
    const nn_plugin *e = trial_open(t);

    if (!e || can_follow(e))
        return e;
    trial_skip(t, "the entry cannot be followed: see abi.struct");
    return NULL;
}
