/* SPDX-License-Identifier: MIT */
/* registry.h - all plugins that can be found, and what they offer.
 *
 * Creating a registry finds, checks and describes plugins; none is opened in
 * this process.  nn_registry_load opens the one that a component needs.
 *
 * A component is identified by its plugin's id and its own name.  Of several
 * with the same kind and name the first in the order of search.h wins and the
 * others are shadowed; `id:name` picks one.  Nothing that was seen is left
 * out: every file and every folder is listed with its state and the reason. */
#ifndef NN_CORE_REGISTRY_REGISTRY_H
#define NN_CORE_REGISTRY_REGISTRY_H

#include "core/registry/entry.h"
#include "core/registry/host.h"
#include "core/registry/interface.h"
#include "core/registry/search.h"
#include "core/registry/static.h"

typedef struct nn_registry nn_registry;

/* What became of a file or component. */
enum nn_found {
    NN_FOUND_OK,
    NN_FOUND_SHADOWED, /* an earlier one is used instead */
    NN_FOUND_OFF,      /* sound, but of no use here and now */
    NN_FOUND_REFUSED   /* no plugin, or not to be trusted */
};

/* A file that was seen, or a plugin that is linked in. */
typedef struct nn_registry_file {
    const char *path; /* of a static plugin: the name of its module */
    enum nn_named_by source;
    enum nn_found state;
    const char *reason;          /* NULL if the state is OK */
    const char *warning;         /* NULL, or who else could change it */
    const nn_plugin_data *entry; /* NULL if refused or the same file as another;
                              its interfaces and functions are NULL */
} nn_registry_file;

/* A component that was seen. */
typedef struct nn_registry_component {
    const nn_component *description; /* `interface` is NULL */
    const nn_registry_file *file;    /* its entry is the plugin */
    enum nn_found state;
    const char *reason; /* NULL if the state is OK */
    uint32_t index;     /* in its plugin */
} nn_registry_component;

/* What a registry is made of; zeros are good defaults. */
typedef struct nn_registry_options {
    const char *const *files; /* that must work; relative to the current
                                 directory */
    uint32_t n_files;
    uint32_t n_plugin_path;
    const char *const *plugin_path; /* of the config, absolute */
    nn_log_function log;            /* gets warnings; NULL: nobody */
    void *log_self;
    const nn_static_plugin *static_plugins; /* NULL: nn_static_plugins */
} nn_registry_options;

/* Finds and describes all plugins.  OPTIONS (may be NULL) for the call, but
 * `log` as long as the registry.  Fails if one of `files` does, or memory is
 * exhausted; anything else is only listed.  Reads the environment.  [any], the
 * registry itself is not changed by what follows. */
int32_t nn_registry_create(const nn_registry_options *options,
                           nn_registry **out);

/* Frees the registry and its descriptions; plugins stay.  Instances made with
 * its host must be gone.  NULL is fine.  [setup] */
void nn_registry_destroy(nn_registry *registry);

/* All that was seen, in order; NULL past the end.  [any] */
const nn_directory *nn_registry_directory(const nn_registry *registry,
                                          uint32_t index);
const nn_registry_file *nn_registry_file_at(const nn_registry *registry,
                                            uint32_t index);
const nn_registry_component *nn_registry_component_at(
    const nn_registry *registry, uint32_t index);

/* The component of KIND that NAME, `name` or `id:name`, means in a config;
 * NULL if there is none to be used.  Sets no message.  [any] */
const nn_registry_component *nn_registry_find(const nn_registry *registry,
                                              uint32_t kind, const char *name);

/* Appends to OUT why nn_registry_find returns NULL for NAME: that it is off,
 * or of another kind, or where was searched and what was seen.  [any] */
void nn_registry_explain(const nn_registry *registry, uint32_t kind,
                         const char *name, nn_text *out);

/* Opens the plugin of COMPONENT in this process, calls its init if that was
 * not done, and sets *LIVE to the component with its interface, which lives as
 * long as the process.  Returns 0, or a code with a message that names file
 * and reason.  [any] */
int32_t nn_registry_load(const nn_registry *registry,
                         const nn_registry_component *component,
                         const nn_component **live);

/* The host to hand to instances; lives as long as the registry.  [any] */
const nn_host *nn_registry_host(const nn_registry *registry);

#endif
