/* SPDX-License-Identifier: MIT */
/* sections.h - what the files of core/model share. */
#ifndef NN_CORE_MODEL_SECTIONS_H
#define NN_CORE_MODEL_SECTIONS_H

#include "core/model/configuration.h"

/* The sections of a config; errors go to its diagnostics. */
int32_t nn_config_read_data(nn_config *config);
int32_t nn_config_read_training(nn_config *config);
int32_t nn_config_read_evaluation(nn_config *config);

/* The sections that make the network, with all defaults, as YAML; the caller
 * frees it.  [any] */
int32_t nn_config_render_model(const nn_config *config, char **text);

/* The scorers of `evaluation` or else of the hooks' LIST parameters, each
 * component once.  Returns how many there are.  [any] */
uint32_t nn_config_scorers(const nn_config *config,
                           nn_named scorers[NN_MAX_SCORERS]);

/* What stands behind PLUGINS.  [any] */
const nn_registry *nn_plugins_registry(const nn_plugins *plugins);

/* Offers the core's tables to plugins; any number of times.  [any] */
int32_t nn_library_start(void);

/* Hands a message to the function that nn_log_to named. */
void nn_library_log(void *self, uint32_t level, const char *text);

#endif
