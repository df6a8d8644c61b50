/* SPDX-License-Identifier: MIT */
/* plugins.c - the registry as programs see it. */
#include <stdlib.h>
#include <string.h>

#include <nervenet.h>

#include "core/model/sections.h"
#include "core/util/error.h"

struct nn_plugins {
    nn_registry *registry;
};

static uint32_t state_of(enum nn_found state)
{
    switch (state) {
    case NN_FOUND_OK:
        return NN_STATE_OK;
    case NN_FOUND_SHADOWED:
        return NN_STATE_SHADOWED;
    case NN_FOUND_OFF:
        return NN_STATE_OFF;
    default:
        return NN_STATE_REFUSED;
    }
}

int32_t nn_plugins_create(const nn_plugins_options *options, nn_plugins **out)
{
    nn_plugins_options full;
    nn_registry_options wanted;
    nn_plugins *plugins = calloc(1, sizeof *plugins);
    int32_t code;

    nn_error_clear();
    *out = NULL;
    if (!plugins)
        return nn_error_no_memory("the plugins", sizeof *plugins);
    memset(&full, 0, sizeof full);
    if (options)
        memcpy(&full, options,
               options->size < sizeof full ? options->size : sizeof full);
    memset(&wanted, 0, sizeof wanted);
    wanted.log = nn_library_log;
    wanted.files = full.files;
    wanted.n_files = full.n_files;
    wanted.plugin_path = full.plugin_path;
    wanted.n_plugin_path = full.n_plugin_path;
    code = nn_library_start();
    if (!code)
        code = nn_registry_create(&wanted, &plugins->registry);
    if (code) {
        free(plugins);
        return code;
    }
    *out = plugins;
    return NN_OK;
}

void nn_plugins_destroy(nn_plugins *plugins)
{
    if (!plugins)
        return;
    nn_registry_destroy(plugins->registry);
    free(plugins);
}

int32_t nn_plugins_file(const nn_plugins *plugins, uint32_t index,
                        nn_plugin_file *out)
{
    const nn_registry_file *file = nn_registry_file_at(plugins->registry,
                                                       index);

    memset(out, 0, sizeof *out);
    if (!file)
        return 0;
    out->path = file->path;
    out->state = state_of(file->state);
    out->reason = file->reason;
    out->warning = file->warning;
    out->plugin = file->entry ? &file->entry->plugin : NULL;
    return 1;
}

int32_t nn_plugins_component(const nn_plugins *plugins, uint32_t index,
                             nn_plugin_component *out)
{
    const nn_registry_component *one =
        nn_registry_component_at(plugins->registry, index);

    memset(out, 0, sizeof *out);
    if (!one)
        return 0;
    out->component = one->description;
    out->plugin = &one->file->entry->plugin;
    out->path = one->file->path;
    out->state = state_of(one->state);
    out->reason = one->reason;
    return 1;
}

const char *nn_plugins_folder(const nn_plugins *plugins, uint32_t index,
                              const char **reason)
{
    const nn_directory *folder = nn_registry_directory(plugins->registry,
                                                       index);

    if (reason)
        *reason = folder ? folder->reason : NULL;
    return folder ? folder->path : NULL;
}

const nn_registry *nn_plugins_registry(const nn_plugins *plugins)
{
    return plugins->registry;
}
