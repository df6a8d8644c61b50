/* SPDX-License-Identifier: MIT */
/* plugins.h - what the files of `nn plugins` share. */
#ifndef NN_TOOLS_PLUGINS_H
#define NN_TOOLS_PLUGINS_H

#include <nervenet.h>

#include "json.h"

/* "ok", "shadowed", "off", "refused". */
const char *plugin_state(uint32_t state);

/* "int", "list of real", "component of kind layer", ...: the type of a
 * parameter, in BUFFER. */
const char *param_type(const nn_param *param, char *buffer, size_t size);

/* What values PARAM takes, ">= 0, < 1" or "one of linear, relu", in BUFFER; ""
 * if its type says it all. */
const char *param_range(const nn_param *param, char *buffer, size_t size);

/* Flags of a port as words, "optional, no delta", in BUFFER. */
const char *port_flags(const nn_port *port, char *buffer, size_t size);

/* Types that a port accepts, in BUFFER. */
const char *port_dtypes(const nn_port *port, char *buffer, size_t size);

/* All that the description of FOUND says, for people. */
void describe_component(const nn_plugin_component *found);

/* FOUND as an object of a list. */
void json_component(struct json *json, const nn_plugin_component *found);

/* Folders, files and components, as one object. */
void json_plugins(const nn_plugins *plugins);

#endif
