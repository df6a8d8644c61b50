/* SPDX-License-Identifier: MIT */
/* entry_open.c - from a file to its entry; see entry.h. */
#include "core/registry/entry.h"

#include "core/registry/loader.h"

const void *nn_entry_open(const char *path, nn_text *reason)
{
    nn_module *module = nn_loader_open(path);
    const void *entry = NULL;

    if (!module) {
        nn_text_append(reason, nn_loader_error());
        return NULL;
    }
    entry = nn_loader_symbol(module, NN_ENTRY_SYMBOL);
    if (!entry && nn_loader_symbol(module, "nn_plugin_v2"))
        nn_text_append(reason, "it was built for plugin interface 2, this "
                               "host has 1");
    else if (!entry)
        nn_text_append(reason, "this file is not a Nervenet plugin (no "
                               "symbol " NN_ENTRY_SYMBOL ")");
    if (!entry)
        nn_loader_close(module);
    return entry;
}
