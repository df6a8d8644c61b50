/* SPDX-License-Identifier: MIT */
/* configuration.h - the sections of a config, checked.
 *
 * The top of a config is described by nn_params of its own, so that its keys,
 * defaults and messages work as a component's do; `training` has further ones.
 * What needs more than values (layers, initialize, data, hooks) stays as nodes
 * of the tree, which lives as long as the config. */
#ifndef NN_CORE_MODEL_CONFIGURATION_H
#define NN_CORE_MODEL_CONFIGURATION_H

#include <nervenet.h>

#include "core/config/schema.h"
#include "core/graph/graph.h"
#include "core/model/lookup.h"

/* Scorers that one evaluation uses at most. */
#define NN_MAX_SCORERS 64u

/* The values of the top level, in the order of top_params in configuration.c. */
enum nn_config_value {
    NN_CONFIG_NERVENET,
    NN_CONFIG_HANDLER,
    NN_CONFIG_DTYPE,
    NN_CONFIG_SEED,
    NN_CONFIG_DETERMINISTIC,
    NN_CONFIG_KEEP,
    NN_CONFIG_PLUGIN_PATH,
    NN_CONFIG_DESCRIPTION
};

/* The values of `training`, in the order of training_params. */
enum nn_training_value {
    NN_TRAINING_STEPPER,
    NN_TRAINING_EPOCHS,
    NN_TRAINING_UPDATES,
    NN_TRAINING_ACCUMULATE,
    NN_TRAINING_CARRY_STATE,
    NN_TRAINING_FREEZE
};

/* A hook, scorer or modifier of the config with the keys that the core adds
 * to it. */
typedef struct nn_extra {
    nn_named named;
    const char *name;   /* hooks: unique in the run; else the component's */
    uint32_t timescale; /* hooks: NN_AT_UPDATE or NN_AT_EPOCH, 0: its own */
    int64_t interval;   /* hooks: every so many of them */
    const char *output; /* hooks: file in the run's folder; NULL: stderr */
    const nn_node *on;  /* modifiers: pattern or list of them; NULL: all */
} nn_extra;

typedef struct nn_extras {
    nn_extra *items;
    int64_t count;
} nn_extras;

/* One entry of `data`. */
typedef struct nn_data_entry {
    const char *name;
    nn_named named;
    nn_data *opened; /* NULL: nobody opened it yet, or it is destroyed */
    int32_t in_use;  /* 1: it is with a caller, who destroys it; 0: owned */
} nn_data_entry;

struct nn_config {
    nn_arena *arena; /* owns what follows where nothing else is said */
    int32_t sound;   /* 1: everything is there, without an error */
    nn_node *root;   /* owned */
    char *folder;    /* of the file: FILE parameters are relative to it */
    nn_diagnostics diagnostics;
    nn_text messages;
    nn_registry *registry;
    const nn_host *host;
    nn_lookup lookup;
    nn_catalog catalog;
    const nn_params *values;      /* enum nn_config_value */
    const nn_params *training;    /* enum nn_training_value; NULL: no section */
    const nn_node *training_node; /* for what the values do not cover */
    const nn_component *handler;
    const nn_params *handler_params;
    uint32_t real;
    uint32_t n_keep;
    uint64_t seed;
    const char **keep;
    const nn_node *initialize; /* or NULL */
    nn_graph *graph;           /* owned; NULL if it has errors */
    nn_data_entry *data;
    int64_t n_data;
    nn_extras hooks;
    nn_extras modifiers;
    nn_extras scorers;              /* of `evaluation` */
    const nn_params **overrides;    /* values of the stepper, one an entry of */
    const char **override_patterns; /* `training.overrides` */
    int64_t n_overrides;
    const char *output; /* `evaluation.output`, or NULL */
};

/* NN_OK, or NN_STATE for a config with errors, of which nothing but the
 * messages is to be used.  [any] */
int32_t nn_config_check_sound(const nn_config *config);

/* The data entry NAME, or NULL with a message that suggests.  [any] */
const nn_data_entry *nn_config_data(const nn_config *config, const char *name);

#endif
