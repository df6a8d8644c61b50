/* SPDX-License-Identifier: MIT */
/* expect: meta.plugin
 * The version has no numbers. */
#define VERSION "first"
#include "plugin.h"

ZOO_PLUGIN(meta_plugin);
